"""Programs on the open wire: whole matches at a host in memory, and players that come back."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import Lost
from gamehost.games.base import Seat
from gamehost.players.base import Level
from gamehost.players.registry import new_player
from gamehost.programs.open import OpenProgram
from gamehost.wires.open import messages as m
from tests.kit.house import RULES, HouseProcess
from tests.kit.memory_host import MemoryHost
from tests.kit.open_client import Player, exchange_all


class Person:
    """A program on the public listener that plays against house players."""

    def __init__(
        self, host: MemoryHost, game: str, name: str = "ann", *, level: Level = Level.RANDOM, **seek: Any
    ) -> None:
        self.program = OpenProgram(lambda game, seat: new_player(game, seat, level, 1))
        self.over: m.Over | None = None
        self.refused: list[m.Refused] = []
        self.told: list[str] = []
        self.client = Player(host, name, self.hear)
        self.client.core.say(m.Seek(game, **seek))
        self.client.connect()

    def hear(self, client: Player, message: Any) -> None:
        self.told.append(type(message).__name__)
        if isinstance(message, m.Refused):
            self.refused.append(message)
        for said in self.program.hear(message):
            client.core.say(said)

    def go_on(self) -> bool:
        """Hear and say what there is. Whether there was anything."""
        did = self.client.exchange()
        match = self.program.match
        work = match.work() if match is not None else None
        if match is not None and work is not None:
            for act in self.program.act(match, work()):
                self.client.core.say(act)
        return did or work is not None


class OpenProgramTests(SynchronousTestCase):
    """Against house players, which are open programs, too."""

    def host(self, **settings: str) -> tuple[MemoryHost, HouseProcess]:
        host = MemoryHost(settings, house_rules=RULES)
        return host, HouseProcess(host)

    def play(self, process: HouseProcess, *people: Person, most: int = 3_000) -> None:
        """Until everybody knows the end."""
        for _ in range(most):
            if not any([*(person.go_on() for person in people), process.settle()]):
                return
        self.fail("the match has no end")

    def test_whole_matches(self) -> None:
        """No action is refused, and all come to an end by the rules."""
        for game, seats in (("onitama", 2), ("paper-soccer", 2), ("eriantys", 4)):
            host, process = self.host()
            person = Person(host, game, house="easy", seats=seats)
            self.play(process, person)
            over = person.program.over
            assert isinstance(over, m.Over)
            self.assertEqual(
                (over.cause, person.refused, [one.refused for one in process.seen if one.refused]), ("rules", [], [])
            )
            self.assertEqual((process.players, len(host.lobby.registry)), ({}, 1))

    def test_the_process_is_killed(self) -> None:
        """The programs are back at the same position, know what they knew, and are never refused."""
        host, process = self.host()
        person = Person(host, "stratego", house="easy")
        for number in range(60):
            person.go_on()
            process.settle()
            if number % 10 == 9:
                process.kill()
                process.restart()
        process.settle()
        self.assertEqual(len(process.seen), 7)
        self.assertEqual([one.refused for one in process.seen if one.refused], [])
        self.assertNotIn("Away", person.told)
        last = process.seen[-1].program.match
        assert last is not None
        self.assertTrue(last.player.knowledge.shown or last.player.knowledge.suspects)  # type: ignore[attr-defined]

    def test_killed_in_thought(self) -> None:
        """A process that ends before it answers is asked again."""
        host, process = self.host()
        person = Person(host, "onitama", house="easy")
        process.came = lambda player: setattr(player, "asleep", len(process.seen) % 2 == 1)
        for _ in range(60):
            person.go_on()
            process.settle()
            if person.program.over is not None:
                break
            if any(player.asleep for player in process.players.values()) and person.client.core.own is not None:
                process.kill()
                process.restart()
        self.play(process, person)
        self.assertIsInstance(person.program.over, m.Over)

    def test_history_is_asked_only_if_there_is_one(self) -> None:
        """Where nobody has acted, the view says everything."""
        program = OpenProgram(lambda game, seat: new_player(game, seat, Level.EASY, 1))
        program.hear(m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 1))
        view = onitama_view()
        self.assertEqual(program.hear(m.Back(3, 1, 0, view)), [])
        self.assertEqual(program.hear(m.Back(3, 5, 0, view)), [m.AskHistory(3, 5)])
        for answer in (m.Sorry("no"), m.History(3, 4, []), m.History(3, 5, [])):
            program.hear(m.Back(3, 5, 0, view))
            self.assertEqual(program.hear(answer), [])
            assert program.match is not None
            self.assertIsNotNone(program.match.work())
            program.match.done(None)
        self.assertEqual(program.hear(m.Back(3, 5, 1)), [], "somebody else")

    def test_a_connection_that_is_lost_while_coming_back(self) -> None:
        """What is heard later belongs to the next life."""
        program = OpenProgram(lambda game, seat: new_player(game, seat, Level.EASY, 1))
        program.hear(m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 1))
        program.hear(m.Back(3, 5, 0, onitama_view()))
        program.hear(Lost("gone", 0.5))
        self.assertEqual(program.hear(m.History(3, 5, [])), [])
        assert program.match is not None
        self.assertIsNone(program.match.work())

    def test_an_answer_for_a_match_that_is_gone(self) -> None:
        """It is not said in the next one."""
        program = OpenProgram(lambda game, seat: new_player(game, seat, Level.EASY, 1))
        program.hear(m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 1))
        old = program.match
        program.hear(m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 1))
        assert old is not None
        self.assertEqual(program.act(old, b"ox c1 c2"), [])

    def test_games_that_nobody_plays(self) -> None:
        """Those of other packages."""
        program = OpenProgram(lambda game, seat: new_player(game, seat, Level.EASY, 1))
        self.assertRaises(KeyError, program.hear, m.Seated(3, "chess", 0, ["ann", "bob"], ["open", "open"], 0))

    def test_two_people(self) -> None:
        """Programs play each other, too, and one that comes back by itself is not refused."""
        host, process = self.host()
        ann, bob = Person(host, "paper-soccer", "ann"), Person(host, "paper-soccer", "bob", level=Level.EASY)
        for _ in range(6):
            ann.go_on(), bob.go_on()
        ann.client.drop()
        ann.client.connect()
        self.play(process, ann, bob)
        assert isinstance(ann.program.over, m.Over)
        self.assertEqual((ann.program.over.cause, ann.refused, bob.refused), ("rules", [], []))
        self.assertEqual((ann.program.seat, list(ann.program.names)), (Seat(0), ["ann", "bob"]))
        exchange_all([ann.client, bob.client])


def onitama_view() -> Any:
    """The first position of a match."""
    from gamehost.games.onitama.face import View
    from gamehost.games.onitama.position import START

    return View(START, (["boar", "ox"], ["crab", "eel"]), "tiger", 0)
