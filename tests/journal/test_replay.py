"""Records, and replaying them: the same position, the same events, the same fingerprint."""

import copy
from collections.abc import Mapping, Sequence
from enum import Enum, IntEnum, StrEnum
from typing import Any

from attrs import define, frozen
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Chance, Game, JournalledChance, Result, ScriptedChance, Seat, To
from gamehost.games.onitama.rules import Move, Position
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId
from gamehost.journal.replay import INTERVAL, NotFollowed, canonical_text, fingerprint, replay
from gamehost.lobby.seats import Seats
from gamehost.plugins import GAMES
from gamehost.testing.cases import PropertyCase
from gamehost.testing.journals import checked_elsewhere
from tests import long
from tests.kit.example_game import TOY, TOY_WIRE, Counted, Toy, ToyMaster
from tests.kit.made_files import entries, records
from tests.kit.made_files import replay as replay_file
from tests.kit.memory_host import Client, MemoryHost

# A game with a fault, for tests of the tests: a rule of it depends on the order in which a set is walked.


WINDS = frozenset(("north", "east", "south", "west", "calm"))


@define(eq=False)
class UnsteadyMaster(ToyMaster):
    """The lucky number is how long the first wind's name is, and how far behind `calm` comes."""

    def _step(self, now: int) -> Sequence[To[Counted]]:
        told = super()._step(now)
        self.lucky = list(WINDS).index("calm")
        return told


@frozen
class Unsteady(Toy):
    name: str = "unsteady"

    def new_master(self, seats: int, settings: Mapping[str, str], chance: Chance) -> Any:
        return UnsteadyMaster(100, 0, chance)


UNSTEADY = Unsteady()


SETTINGS = {"goal": "100"}


def played(moves: int, game: Game[Any, Any] = TOY) -> list[Entry]:
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
    chance = JournalledChance()
    return replay(TOY, TOY.new_master(2, SETTINGS, chance), chance, record)


class ReplayTests(SynchronousTestCase):
    def refused(self, record: Sequence[Entry]) -> str:
        return str(self.assertRaises(NotFollowed, follow, record))

    def test_a_record_is_followed(self) -> None:
        self.assertEqual(follow(played(7)).count, 7)
        self.assertEqual(follow([*played(7), Entry(EntryKind.ARCHIVED, 9)]).count, 7)
        self.assertIsNotNone(follow(played(100)).result)

    def test_entries_without_checks_are_followed(self) -> None:
        self.assertEqual(follow([replace(entry, check=b"") for entry in played(7)]).count, 7)

    def test_another_check_is_refused(self) -> None:
        record = played(7)
        record[3] = replace(record[3], check=bytes(8))
        self.assertEqual(self.refused(record), "entry 4: its moves give another position under this release's rules")

    def test_what_the_rules_refuse(self) -> None:
        """A move out of turn, another number of draws, a notation of another game, a kind that cannot stand there."""
        record = played(2)
        for planted, words in (
            (replace(record[1], seat=Seat(1)), "entry 2: the rules refuse it: not your turn"),
            (replace(record[1], drawn=()), "entry 2: the rules draw a number"),
            (replace(record[1], drawn=(1, 2)), "entry 2: the record has numbers"),
            (replace(record[1], notation=b"-1"), "entry 2: expected +1 or +2"),
            (replace(record[1], seat=None), "entry 2: an entry of kind"),
        ):
            self.assertIn(words, self.refused([record[0], planted, record[2]]))

    def test_another_end_is_refused(self) -> None:
        record = played(100)
        self.assertIn("entry 101: under this release's rules the match is over", self.refused(_open_ended(record)))
        early = replace(record[1], outcome="won")
        self.assertIn("entry 2: under this release's rules the match goes on", self.refused([record[0], early]))

    @long
    def test_a_set_walked_in_its_own_order_is_found(self) -> None:
        """A rule that depends on the seed of hashes does not get past a replay in another process."""
        # Of the three processes two at most have the same order.
        record = played(5, UNSTEADY)
        found = {checked_elsewhere(UNSTEADY, 2, SETTINGS, record, seed) for seed in (1, 2)}
        self.assertIn("entry 1: its moves give another position under this release's rules", found)


def _open_ended(record: list[Entry]) -> list[Entry]:
    return [*record[:-1], replace(record[-1], outcome="")]


class TableTests(SynchronousTestCase):
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
        client = world.connect("toy")
        client.say(f"hi {name}")
        return [line.split()[0] for line in client.heard()][:1]

    def checked(self) -> list[int]:
        return [number for number, entry in enumerate(self.record(1), 1) if entry.check]

    def test_every_fiftieth_entry_has_a_check(self) -> None:
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
        self.patch(Seats, "log", _Log(logged))
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
        clients = self.play(("ann", "bob"), 48)
        for client in clients:
            client.heard()
        self.patch(ToyMaster, "state", lambda master: 0.5)
        clients[0].say("+1")
        self.assertEqual(len(self.flushLoggedErrors(TypeError)), 1)
        self.assertEqual([client.heard() for client in clients], [["suspended"], ["suspended"]])
        self.assertEqual(len(self.record(1)), 49)


class _Log:
    def __init__(self, words: list[str]) -> None:
        self._words = words

    def error(self, form: str, **fields: object) -> None:
        self._words.append(form.format(**fields))

    def info(self, form: str, **fields: object) -> None:
        pass


class RecordTests(SynchronousTestCase):
    def test_the_numbers_of_kinds(self) -> None:
        """Files hold these numbers: one may be added, none changed or used anew."""
        self.assertEqual(
            {kind.name: kind.value for kind in EntryKind},
            {
                "BEGAN": 1,
                "ACTED": 2,
                "FORFEITED": 3,
                "EXPIRED": 4,
                "ARCHIVED": 5,
                "DRAWN": 6,
                "TAKEN_BACK": 7,
                "CLAIMED": 8,
                "DRAW_OFFERED": 9,
                "ASKED_BACK": 10,
                "DECLINED": 11,
            },
        )

    def test_an_entry_is_a_value(self) -> None:
        self.assertEqual(
            Entry(EntryKind.ACTED, 5, Seat(1), b"tiger c1 c3"), Entry(EntryKind.ACTED, 5, Seat(1), b"tiger c1 c3")
        )
        self.assertNotEqual(Entry(EntryKind.ACTED, 5, Seat(1)), Entry(EntryKind.ACTED, 5, Seat(0)))
        entry = Entry(EntryKind.BEGAN, 0)
        self.assertEqual((entry.seat, entry.notation, entry.drawn, entry.outcome), (None, b"", (), ""))

    def test_records_do_not_change(self) -> None:
        for record, name in (
            (Entry(EntryKind.BEGAN, 0), "at"),
            (SeatRecord("ann", "w"), "name"),
            (TableHeader("g", 1, ()), "game"),
        ):
            self.assertRaises(AttributeError, setattr, record, name, 1)

    def test_openings_share_nothing(self) -> None:
        self.assertIsNot(TableHeader("g", 1, ()).settings, TableHeader("g", 1, ()).settings)


class Side(Enum):
    LEFT = 1
    RIGHT = 2


class Digit(IntEnum):
    THREE = 3


class Word(StrEnum):
    THREE = "three"


@frozen
class Spot:
    x: int
    y: int


@frozen
class Mark:
    x: int
    y: int


@frozen
class Nothing:
    pass


@define(eq=False)
class Thing:
    x: int


_scalars = st.none() | st.integers() | st.text("ab:,()x1", max_size=4) | st.binary(max_size=2) | st.sampled_from(Side)
_values: st.SearchStrategy[Any] = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.frozensets(inner, max_size=3)
        | st.builds(Spot, inner, inner)
        | st.builds(Mark, inner, inner)
    ),
    max_leaves=6,
)


class TextTests(PropertyCase):
    @given(_values, _values)
    def test_same_texts_are_of_same_values(self, one: Any, other: Any) -> None:
        self.assertEqual(canonical_text(one) == canonical_text(other), one == other)

    @given(st.lists(st.text(max_size=3), unique=True), st.randoms(use_true_random=False))
    def test_order_of_sets_and_mappings_does_not_matter(self, words: list[str], rng: Any) -> None:
        """However they were filled."""
        shuffled = rng.sample(words, len(words))
        self.assertEqual(canonical_text(set(words)), canonical_text(set(shuffled)))
        self.assertEqual(
            canonical_text({word: len(word) for word in words}), canonical_text({word: len(word) for word in shuffled})
        )

    def test_equal_values_of_other_types(self) -> None:
        """A move as a wire read it may hold a plain number where a journal's holds a member."""
        self.assertEqual(canonical_text([Digit.THREE, Word.THREE, True]), canonical_text((3, "three", 1)))
        self.assertEqual(canonical_text(bytearray(b"a")), canonical_text(b"a"))

    def test_these_are_the_texts(self) -> None:
        self.assertEqual(
            canonical_text((None, -1, "a,b", b"\x01", Side.LEFT, Spot(1, 2), Nothing(), {3, 20}, {"k": [0]})),
            "(-,-1,3:a,b,x01,Side.LEFT,Spot(1,2),Nothing(),{20,3},{(1:k,(0))})",
        )

    def test_what_has_no_text_is_refused(self) -> None:
        """Fractions, and things that are what they are by their address."""
        for value in (0.5, object(), Thing(1), [Thing], lambda: None):
            self.assertRaises(TypeError, canonical_text, value)


class CheckTests(PropertyCase):
    def setUp(self) -> None:
        self.master = TOY.new_master(2, {"move_time": "5"}, ScriptedChance([1]))
        self.master.begin(0)
        self.check = fingerprint(self.master)

    def changed(self, what: str, value: object) -> bytes:
        setattr(self.master, what, value)
        return fingerprint(self.master)

    def test_eight_bytes_that_stay(self) -> None:
        again = TOY.new_master(2, {"move_time": "5"}, ScriptedChance([1]))
        again.begin(0)
        self.assertEqual((len(self.check), fingerprint(self.master), fingerprint(again)), (8, self.check, self.check))

    def test_state_deadline_and_end_count(self) -> None:
        self.assertNotEqual(self.changed("count", 1), self.check)
        self.assertEqual(self.changed("count", 0), self.check)
        self.assertNotEqual(self.changed("deadline", 1), self.check)
        won = Result((Seat(0),), Cause.RULES, "reached the goal")
        over = self.changed("result", won)
        self.assertNotEqual(self.changed("result", replace(won, winners=(Seat(1),))), over)
        self.assertNotEqual(self.changed("result", replace(won, cause=Cause.TIME)), over)
        self.assertEqual(self.changed("result", replace(won, why="got there")), over)


class GoldenTests(SynchronousTestCase):
    def test_every_golden_match_ends_as_it_did(self) -> None:
        """What each seat sees at the end is what it saw then, to the letter."""
        for file, record in records():
            game = GAMES.get(record["game"])
            if game is not None and game.version == record["version"]:
                self.assertEqual(replay_file(game, record), record["views"], file)

    def test_every_game_has_some(self) -> None:
        there = {(one["game"], one["version"]) for _, one in records() if any(entry.check for entry in entries(one))}
        for name, game in GAMES.items():
            self.assertIn((name, game.version), there)

    def test_a_changed_record_is_found_out(self) -> None:
        record = next(record for _, record in records() if record["game"] == "onitama" and record["entries"][0][4])
        game = GAMES[record["game"]]
        for change in range(2):
            planted = copy.deepcopy(record)
            if change == 0:
                del planted["entries"][3]
            else:
                planted["entries"][0][4] = planted["entries"][0][4][::-1]
            try:
                self.assertNotEqual(replay_file(game, planted), record["views"])
            except ValueError:
                continue

    def test_a_changed_rule_is_found_out(self) -> None:
        """Two cards of a hand in the place of each other: a check shows it at the first move, and not only the end."""
        real = Position.after

        def after(position: Position, move: Move) -> Position:
            white, black = (after := real(position, move)).hands
            return replace(after, hands=(white, (black[1], black[0])))

        self.patch(Position, "after", after)
        game = GAMES["onitama"]
        found = []
        for file, record in records():
            if record["game"] == game.name:
                try:
                    replay_file(game, record)
                except NotFollowed as error:
                    found.append((file, str(error)))
        self.assertEqual({file for file, _ in found}, {"onitama-1.2.jsonl"})
        self.assertIn("entry 2: its moves give another position", found[0][1])
