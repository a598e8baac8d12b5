"""What everybody may know of a record: its history and its pictures."""

import random
from collections.abc import Sequence

import msgspec
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Seat
from gamehost.games.drawing import Scene
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Move
from gamehost.journal.notation import NoPicture, picture
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.journal.replay import History, NotFollowed, beginning, history, history_in_steps, shown_after
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from tests.games.test_eriantys_master import ExpertMasterTests
from tests.games.test_onitama_master import MasterTests as OnitamaTests
from tests.games.test_paper_soccer_master import ContractTests as PaperSoccerTests
from tests.games.test_stratego_master import MasterTests as StrategoTests
from tests.journal.test_replay import played
from tests.kit.example_game import TOY, Counted, Toy
from tests.kit.watching import Stream, WatchedTable, written

OPENING = TableHeader("toy", 1, (SeatRecord("ann", "toy"), SeatRecord("bob", "toy")), {"goal": "100"})
PLAYERS: tuple[MasterContract, ...] = (OnitamaTests(), StrategoTests(), PaperSoccerTests(), ExpertMasterTests())


class HistoryTests(SynchronousTestCase):
    def test_events_and_their_numbers(self) -> None:
        entries = played(3)
        told = history(TOY, OPENING, entries)
        self.assertEqual((told.n, told.result), (4, None))
        self.assertEqual([(n, event.count) for n, event in told.events], [(1, 0), (2, 1), (3, 2), (4, 3)])
        self.assertEqual(history(TOY, OPENING, entries, 2), History(2, told.events[:2], None))
        self.assertEqual(history(TOY, OPENING, entries, 0), History(0, (), None))
        self.assertEqual(history(TOY, OPENING, entries, 99), told)

    def test_the_end(self) -> None:
        told = history(TOY, OPENING, played(100))
        assert told.result is not None
        self.assertEqual((told.result.winners, told.result.cause), ((1,), Cause.RULES))
        archived = history(TOY, OPENING, [*played(3), Entry(EntryKind.ARCHIVED, 9)])
        self.assertEqual((archived.n, archived.result), (4, None))

    def test_a_record_that_does_not_fit_has_no_history(self) -> None:
        error = self.assertRaises(NotFollowed, history, TOY, OPENING, [*played(1), Entry(EntryKind.ACTED, 9, Seat(0))])
        self.assertIn("entry 3", str(error))

    def test_the_last_entries_alone(self) -> None:
        whole = history(TOY, OPENING, played(9))
        steps = history_in_steps(TOY, OPENING, played(9), None, 3)
        for _ in range(whole.n):
            next(steps)
        stop = self.assertRaises(StopIteration, next, steps)
        self.assertEqual(stop.value, evolve(whole, events=tuple(one for one in whole.events if one[0] > whole.n - 3)))

    def test_any_part_is_made_from_the_whole(self) -> None:
        for entries in (played(9), played(100), [*played(3), Entry(EntryKind.ARCHIVED, 9)]):
            whole = history(TOY, OPENING, entries)
            for until in (0, 1, 2, whole.n - 1, whole.n, whole.n + 1, 9_999):
                for most in (1, 3, 2_000):
                    steps = history_in_steps(TOY, OPENING, entries, until, most)
                    with self.assertRaises(StopIteration) as stop:
                        while True:
                            next(steps)
                    self.assertEqual(beginning(whole, until, most), stop.exception.value, (until, most))

    def test_a_delay(self) -> None:
        entries = [Entry(EntryKind.ACTED, at) for at in (0, 1000, 1000, 2500)]
        for now, expected in ((2500, 1), (2999, 1), (3000, 3), (4499, 3), (4500, 4)):
            self.assertEqual(shown_after(entries, now, 2.0), expected)
        self.assertEqual(shown_after(entries, 2500, 0.0), 4)


class StreamTests(PropertyCase):
    @given(st.integers(0, 100_000), st.sampled_from(PLAYERS), st.booleans())
    def test_a_stream_is_history(self, seed: int, player: MasterContract, late: bool) -> None:
        """
        Whenever one begins to watch, through drops and returns, with a journal that is late or not: the look is the view after
        that many entries, and every event after it is told once, in order, as history says.
        """
        rng = random.Random(seed)
        seats = rng.choice(player.seat_counts)
        world = WatchedTable(player.game, seats, dict(player.settings), late, rng)
        streams: list[tuple[Stream, bool]] = []
        for _ in range(rng.randint(0, 80)):
            if world.over:
                break
            self.step(world, player, rng, streams)
        stays = [stream for stream, gone in streams if not gone]
        world.until_idle()
        whole = written(world.messages, history(world.game, world.opening, world.entries))
        for stream, gone in streams:
            self.compare(world, stream, whole, gone)
        if world.table._master.result is not None:
            self.assertTrue(all(stream.ended for stream in stays))

    def step(
        self, world: WatchedTable, player: MasterContract, rng: random.Random, streams: list[tuple[Stream, bool]]
    ) -> None:
        match rng.randrange(12):
            case 0:
                streams.append((world.watch(), False))
            case 1 if streams:
                stream, _ = streams.pop(rng.randrange(len(streams)))
                world.galleries.unwatch(world.table.id, stream)
                streams.append((stream, True))
            case 2:
                world.drop(Seat(rng.randrange(world.seats)))
            case 3 | 4:
                world.come_back(Seat(rng.randrange(world.seats)))
            case 5:
                world.journal.release(rng.randint(0, 3))
            case 6:
                world.clock.advance(rng.random())
            case _:
                choice = player.legal(world.table._master, rng)
                if choice is not None:
                    world.act(*choice)

    def compare(self, world: WatchedTable, stream: Stream, whole: list[bytes], gone: bool) -> None:
        if not stream.data:
            self.assertTrue(gone)
            return
        look, *rest = map(msgspec.json.decode, stream.lines)
        _, n, view, _ = look
        self.assertEqual(view, msgspec.json.decode(world.look_at(n)))
        told = [line for line in stream.lines[1:] if line.startswith(b'["event"')]
        expected = [line for line in whole if msgspec.json.decode(line)[1] > n]
        self.assertEqual(told, expected[: len(told)] if gone else expected)
        numbers = [message[1] for message in rest]
        self.assertEqual(numbers, sorted(numbers))

    def test_the_counted_is_told(self) -> None:
        entries = played(2)
        self.assertEqual(
            [event for _, event in history(TOY, OPENING, entries).events], [Counted(count, 9) for count in range(3)]
        )


del MasterContract, ExpertMasterTests, OnitamaTests, PaperSoccerTests, StrategoTests


SEATS = (SeatRecord("ann", "toy"), SeatRecord("bob", "toy"))
SCENES: list[Scene] = []


@frozen
class Sketched(Toy):
    def draw(self, scene: Scene) -> str:
        SCENES.append(scene)
        return "a picture"


SKETCHED = Sketched()


def record(entries: Sequence[Entry], game: str = "toy", **settings: str) -> TableRecord:
    return TableRecord(TableId(7), TableHeader(game, 1, SEATS, settings), tuple(entries))


class PictureTests(PropertyCase):
    def scene(self, entries: Sequence[Entry], **changes: object) -> Scene:
        self.assertEqual(picture(SKETCHED, record(entries, goal="100"), **changes), "a picture")  # type: ignore[arg-type]
        return SCENES.pop()

    def test_a_match_that_goes_on(self) -> None:
        scene = self.scene(played(3), date="2026-01-31")
        self.assertEqual((scene.names, scene.seat, scene.result, scene.views), (["ann", "bob"], None, None, ()))
        self.assertEqual([turn.seat for turn in scene.turns], [None, 0, 1, 0])
        self.assertEqual(scene.view.count, 3)
        self.assertEqual(scene.source, "table 7, 2026-01-31")
        self.assertEqual(self.scene(played(3), seat=Seat(1)).seat, 1)

    def test_until_an_entry(self) -> None:
        scene = self.scene(played(100), until=3)
        self.assertEqual((scene.view.count, len(scene.turns), scene.result), (2, 3, None))

    def test_a_match_that_is_over(self) -> None:
        """The views of all seats, unless nothing may be revealed."""
        scene = self.scene(played(100))
        self.assertIsNotNone(scene.result)
        self.assertEqual(len(scene.views), 2)
        self.assertEqual(self.scene(played(100), reveal=False).views, ())

    def test_a_match_that_was_put_away_says_so(self) -> None:
        self.assertIn("put away", self.scene([*played(3), Entry(EntryKind.ARCHIVED, 9)]).standstill)

    def test_an_illegal_move(self) -> None:
        entries = [
            Entry(EntryKind.BEGAN, 0, drawn=(0,)),
            Entry(EntryKind.ACTED, 1, Seat(0), b"3,3", outcome="bob won (violation): illegal move"),
        ]
        drawn = picture(PAPER_SOCCER, record(entries, "paper-soccer"))
        self.assertIn('class="cross"', drawn)
        master = PAPER_SOCCER.new_master(2, {}, _Nothing())
        master.begin(0)
        master.act(Seat(0), Move(((3, 3),)), 1)
        assert master.result is not None
        self.assertIs(master.result.cause, Cause.VIOLATION)

    def test_what_cannot_be_drawn(self) -> None:
        wrong = [*played(2), replace(played(3)[-1], notation=b"+7")]
        for game, entries, seat, reason in (
            (TOY, played(1), None, "the game has no pictures"),
            (SKETCHED, [], None, "the match has not begun"),
            (SKETCHED, played(1), Seat(2), "there is no seat 2; expected 0 to 1"),
            (SKETCHED, wrong, None, "its record does not fit the rules: entry 4"),
        ):
            error = self.assertRaises(NoPicture, picture, game, record(entries, goal="100"), seat=seat)
            self.assertIn(reason, str(error))


class _Nothing:
    def below(self, n: int) -> int:
        return 0
