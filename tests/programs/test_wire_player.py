"""The programs for all wires: whole matches against house players and each other, lost connections, and what they refuse."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.onitama.master import Dealt
from gamehost.players.base import Level
from gamehost.programs.wire_player import MOST_REFUSALS, ProgramError
from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama.client import OnitamaPlayer
from tests.kit.house import RULES, HouseProcess
from tests.kit.memory_host import MemoryHost
from tests.kit.wire_players import WIRES, WirePerson, play


class WholeMatches(SynchronousTestCase):
    """On every documented wire, and the open one."""

    def test_somebody_who_waits(self) -> None:
        """Gets an opponent after 20 seconds, plays to the end, and once more."""
        for wire in WIRES:
            host = MemoryHost(house_rules=RULES)
            process = HouseProcess(host)
            games = 1 if wire.startswith("stratego") else 2
            person = WirePerson(host, wire, games=games)
            play(host, [person], process)
            self.assertEqual(len(person.results), games, wire)
            for result in person.results:
                self.assertRegex(result, "^(ann( [(](red|blue)[)])?|easy[.][0-9]+|red|blue) has won$")
            self.assertEqual([one.refused for one in process.seen if one.refused], [])

    def test_the_process_and_the_connection_are_lost(self) -> None:
        """A person who comes back, and a house player that comes back, play on at the same position."""
        for wire in WIRES:
            host = MemoryHost(house_rules=RULES)
            process = HouseProcess(host)
            person = WirePerson(host, wire)

            def each(number: int, process: HouseProcess = process, person: WirePerson = person) -> None:
                period = 40 if person.wire.startswith("stratego") else 9
                if number % period == period - 1:
                    process.kill()
                    process.restart()
                if number % period == 4 and person.program.match is not None:
                    person.drop()

            play(host, [person], process, each)
            self.assertEqual(len(host.journal.openings), 1, "all in one match")
            self.assertGreater(len(process.seen), 1, wire)
            self.assertEqual([one.refused for one in process.seen if one.refused], [])

    def test_against_each_other(self) -> None:
        """Two programs on one wire, and on the two wires of Stratego."""
        for wires in (("onitama", "open"), ("paper-soccer", "paper-soccer"), ("stratego-lines", "stratego-frames")):
            host = MemoryHost()
            people = [
                WirePerson(host, wire, name, level=Level.RANDOM)
                for wire, name in zip(wires, ("ann", "bob"), strict=True)
            ]
            play(host, people)
            self.assertEqual(len(host.journal.openings), 1)

    def test_a_restart_of_the_host(self) -> None:
        """A person who comes back after it finds the house player at the table."""
        for wire in ("onitama", "paper-soccer", "eriantys"):
            host = MemoryHost(house_rules=RULES)
            process = HouseProcess(host)
            person = WirePerson(host, wire, level=Level.RANDOM)
            for _ in range(30):
                if person.program.match is not None and any(table.n > 4 for table in host.lobby.tables.values()):
                    break
                if not (person.go_on() | process.settle()):
                    host.wait(2)
            host.lobby.close()
            again = MemoryHost(house_rules=RULES, journal=host.journal.restarted())
            process = HouseProcess(again)
            person = WirePerson(again, wire, level=Level.RANDOM)
            play(again, [person], process)
            self.assertEqual((len(person.results), len(again.journal.openings)), (1, 1), wire)


class WirePlayerTests(SynchronousTestCase):
    """What all of them do."""

    def setUp(self) -> None:
        self.heard: list[Any] = []
        self.player = OnitamaPlayer("ann", "", lambda game, seat: self)

    def hear(self, event: Any) -> None:
        self.heard.append(event)

    def refused(self, notation: bytes) -> None:
        self.heard.append(notation)

    def answer(self) -> bytes | None:
        return b"ox c1 c2"

    def test_a_turn(self) -> None:
        """What was heard is thought about, and what comes of it is said."""
        self.assertEqual(self.player.think(), ())
        self.player.hear(m.Start("ann", "bob", "white=boar,ox;black=crab,eel;spare=tiger"))
        self.assertEqual(self.player.think(), (m.MakeMove("ox", "c1", "c2"),))
        self.assertIsInstance(self.heard[0], Dealt)
        self.assertEqual(self.player.think(), ())

    def test_refusals(self) -> None:
        """The player is told; after some of them the program gives up."""
        self.player.hear(m.Start("ann", "bob", "white=boar,ox;black=crab,eel;spare=tiger"))
        for _ in range(MOST_REFUSALS - 1):
            self.assertEqual(len(self.player.think()), 1)
            self.player.hear(m.InvalidMove("no such card"))
        self.player.think()
        error = self.assertRaises(ProgramError, self.player.hear, m.InvalidMove("no such card"))
        self.assertEqual(str(error), "the server refuses: no such card")

    def test_out_of_place(self) -> None:
        """Events and refusals without a match."""
        self.assertRaises(ProgramError, self.player.tell, Dealt)
        self.assertRaises(ProgramError, self.player.refused, "")
        self.assertEqual(Seat(0), 0)
