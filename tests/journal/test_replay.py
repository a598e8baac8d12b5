"""Replay: a record is followed to where it was, and one that does not fit the rules any more is found out."""

from collections.abc import Sequence
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Game, Seat
from gamehost.games.chance import JournalledChance
from gamehost.journal.records import Entry, EntryKind, TableId
from gamehost.journal.replay import INTERVAL, NotFollowed, fingerprint, replay
from gamehost.lobby.sleeping import SleepingTables
from gamehost.testing.subprocess_replay import checked_elsewhere
from tests.kit.example_game import TOY, TOY_WIRE, ToyMaster
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.unsteady import UNSTEADY

SETTINGS = {"goal": "100"}


def played(moves: int, game: Game[Any, Any] = TOY) -> list[Entry]:
    """A record of so many moves, each entry with its check."""
    chance = JournalledChance(lambda n: n - 1)
    master = game.new_master(2, SETTINGS, chance)
    master.begin(0)
    record = [Entry(EntryKind.BEGAN, 0, None, b"", chance.take(), "", fingerprint(master))]
    for number in range(moves):
        master.act(Seat(number % 2), game.read(b"+1"), number)
        outcome = master.result.why if master.result else ""
        record.append(
            Entry(EntryKind.ACTED, number, Seat(number % 2), b"+1", chance.take(), outcome, fingerprint(master))
        )
    return record


def follow(record: Sequence[Entry]) -> Any:
    """The master after a record."""
    chance = JournalledChance()
    return replay(TOY, TOY.new_master(2, SETTINGS, chance), chance, record)


class ReplayTests(SynchronousTestCase):
    """What `gamehost.journal.replay` says of itself."""

    def refused(self, record: Sequence[Entry]) -> str:
        return str(self.assertRaises(NotFollowed, follow, record))

    def test_a_record_is_followed(self) -> None:
        """To its end, if it has one; what comes after it was put away is no matter of the rules."""
        self.assertEqual(follow(played(7)).count, 7)
        self.assertEqual(follow([*played(7), Entry(EntryKind.ARCHIVED, 9)]).count, 7)
        self.assertIsNotNone(follow(played(100)).result)

    def test_entries_without_checks_are_followed(self) -> None:
        """As older releases wrote all of theirs."""
        self.assertEqual(follow([evolve(entry, check=b"") for entry in played(7)]).count, 7)

    def test_another_check_is_refused(self) -> None:
        """At the entry that has it, counted from one."""
        record = played(7)
        record[3] = evolve(record[3], check=bytes(8))
        self.assertEqual(self.refused(record), "entry 4: its moves give another position under this release's rules")

    def test_what_the_rules_refuse(self) -> None:
        """A move out of turn, another number of draws, a notation of another game, a kind that cannot stand there."""
        record = played(2)
        for planted, words in (
            (evolve(record[1], seat=Seat(1)), "entry 2: the rules refuse it: not your turn"),
            (evolve(record[1], drawn=()), "entry 2: the rules draw a number"),
            (evolve(record[1], drawn=(1, 2)), "entry 2: the record has numbers"),
            (evolve(record[1], notation=b"-1"), "entry 2: expected +1 or +2"),
            (evolve(record[1], seat=None), "entry 2: an entry of kind"),
        ):
            self.assertIn(words, self.refused([record[0], planted, record[2]]))

    def test_another_end_is_refused(self) -> None:
        """A match that is over now and was not, or the other way round."""
        record = played(100)
        self.assertIn("entry 101: under this release's rules the match is over", self.refused(_open_ended(record)))
        early = evolve(record[1], outcome="won")
        self.assertIn("entry 2: under this release's rules the match goes on", self.refused([record[0], early]))

    def test_a_set_walked_in_its_own_order_is_found(self) -> None:
        """A rule that depends on the seed of hashes does not get past a replay in another process."""
        # Of the three processes two at most have the same order.
        record = played(5, UNSTEADY)
        found = {checked_elsewhere(UNSTEADY, 2, SETTINGS, record, seed) for seed in (1, 2)}
        self.assertIn("entry 1: its moves give another position under this release's rules", found)


def _open_ended(record: list[Entry]) -> list[Entry]:
    return [*record[:-1], evolve(record[-1], outcome="")]


class TableTests(SynchronousTestCase):
    """Tables write checks, and are not resumed where a check fails."""

    def setUp(self) -> None:
        self.world = MemoryHost({"toy.goal": "100"}, wires=(TOY_WIRE,))

    def play(self, names: tuple[str, str], moves: int, since: int = 0) -> list[Client]:
        """Two log in, and play so many moves after those they have played. None says thirteen, which the toy cannot."""
        clients = [self.world.connect("toy") for _ in names]
        for client, name in zip(clients, names, strict=True):
            client.say(f"hi {name}")
        for number in range(since, since + moves):
            clients[number % 2].say("+2" if number == 12 else "+1")
        return clients

    def record(self, table: int) -> list[Entry]:
        return self.world.journal.entries[TableId(table)]

    def restarted(self) -> MemoryHost:
        return MemoryHost({"toy.goal": "100"}, wires=(TOY_WIRE,), journal=self.world.journal.restarted())

    def back(self, world: MemoryHost, name: str) -> list[str]:
        """The first words that a player is told who comes back."""
        client = world.connect("toy")
        client.say(f"hi {name}")
        return [line.split()[0] for line in client.heard()][:1]

    def checked(self) -> list[int]:
        return [number for number, entry in enumerate(self.record(1), 1) if entry.check]

    def test_every_fiftieth_entry_has_a_check(self) -> None:
        """Counted with the beginning, and on through the lives of the host."""
        self.play(("ann", "bob"), 30)
        self.assertEqual(self.checked(), [])
        self.world = self.restarted()
        self.play(("ann", "bob"), 30, since=30)
        self.assertEqual((len(self.record(1)), self.checked()), (61, [INTERVAL]))
        self.assertEqual(self.back(self.restarted(), "ann"), ["back"])

    def test_a_changed_rule_keeps_its_table_out_and_no_other(self) -> None:
        """The log says why, its rows stay, its players can play anew, and under the old rule it goes on."""
        self.play(("ann", "bob"), 60)
        self.play(("cid", "dan"), 20)
        real = ToyMaster.act

        def act(master: ToyMaster, seat: Seat, action: Any, now: int) -> Any:
            told = real(master, seat, action, now)
            master.lucky = 3
            return told

        planted = self.patch(ToyMaster, "act", act)
        logged: list[str] = []
        self.patch(SleepingTables, "log", _Log(logged))
        world = self.restarted()
        self.assertEqual(self.back(world, "ann"), ["suspended"])
        self.assertEqual(self.back(world, "cid"), ["back"])
        self.assertEqual(
            logged, ["table 1 is not resumed: entry 50: its moves give another position under this release's rules"]
        )
        self.assertEqual(world.journal.entries[TableId(1)], self.record(1))
        ann = world.connect("toy")
        ann.say("hi ann")
        self.assertFalse(ann.closed)
        planted.restore()
        again = self.restarted()
        self.assertEqual([self.back(again, name) for name in ("ann", "cid")], [["back"], ["back"]])

    def test_a_state_that_cannot_be_written_suspends_the_table(self) -> None:
        """A fault of the master like any other: nothing is recorded of the move, and nobody is told of it."""
        clients = self.play(("ann", "bob"), 48)
        for client in clients:
            client.heard()
        self.patch(ToyMaster, "state", lambda master: 0.5)
        clients[0].say("+1")
        self.assertEqual(len(self.flushLoggedErrors(TypeError)), 1)
        self.assertEqual([client.heard() for client in clients], [["suspended"], ["suspended"]])
        self.assertEqual(len(self.record(1)), 49)


class _Log:
    """Where a lobby's errors go."""

    def __init__(self, words: list[str]) -> None:
        self._words = words

    def error(self, form: str, **fields: object) -> None:
        self._words.append(form.format(**fields))

    def info(self, form: str, **fields: object) -> None:
        """Log-ins and games are not looked at here."""
