"""What all games share: results, clocks, pictures, and luck that falls evenly and comes from the system."""

import random
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations, product
from math import factorial
from typing import Any

from attrs import fields
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import (
    CLOCK_SETTINGS,
    Cause,
    Chance,
    GameMaster,
    JournalledChance,
    Result,
    ScriptedChance,
    Seat,
    SystemChance,
    shuffled,
)
from gamehost.games.clock import ClockedMaster, ClockReading, with_clocks
from gamehost.games.drawing import Board, PlayerLine, Scene, at, caption, ending, escaped, number, numbered, page, tag
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.onitama.master import ONITAMA, Onitama
from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.stratego.master import STRATEGO
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader
from gamehost.journal.replay import fingerprint, new_master, replay
from gamehost.settings import BadOption, Settings
from gamehost.tables.context import TableContext
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from tests.games import test_onitama_master as plain_onitama
from tests.kit.drawn_matches import parsed, words
from tests.kit.example_game import TOY
from tests.kit.players import unfair
from tests.kit.sources import read_sources


class SystemChanceTests(SynchronousTestCase):
    def test_in_range(self) -> None:
        chance = SystemChance()
        self.assertEqual({chance.below(1) for _ in range(20)}, {0})
        # Not to see one of five in a thousand draws happens once in 10^96 runs.
        self.assertEqual({chance.below(5) for _ in range(1000)}, set(range(5)))

    def test_nothing_to_choose_from(self) -> None:
        """There is no number below 0 or 0; that is a fault of who asks, and nothing is kept of it."""
        chance = SystemChance()
        for n in (0, -1):
            self.assertRaises(ValueError, chance.below, n)
        self.assertEqual(chance.take(), ())

    def test_taken_once(self) -> None:
        chance = SystemChance()
        drawn = [chance.below(1000) for _ in range(5)]
        self.assertEqual(chance.take(), tuple(drawn))
        self.assertEqual(chance.take(), ())
        later = chance.below(1000)
        self.assertEqual(chance.take(), (later,))


class ScriptedChanceTests(SynchronousTestCase):
    def test_as_written(self) -> None:
        chance = ScriptedChance([2, 0])
        self.assertEqual(chance.below(3), 2)
        chance.feed([4])
        self.assertEqual(chance.unused, (0, 4))
        self.assertEqual([chance.below(5), chance.below(5)], [0, 4])
        self.assertEqual(chance.unused, ())

    def test_asking_for_more_than_the_script_holds_is_an_error(self) -> None:
        self.assertRaises(ValueError, ScriptedChance().below, 2)

    def test_an_outcome_that_this_draw_cannot_have_is_an_error(self) -> None:
        for outcome in (2, -1):
            self.assertRaises(ValueError, ScriptedChance([outcome]).below, 2)


class JournalledChanceTests(SynchronousTestCase):
    def test_live(self) -> None:
        chance = JournalledChance()
        drawn = [chance.below(1000) for _ in range(3)]
        self.assertEqual(chance.take(), tuple(drawn))

    def test_replay(self) -> None:
        chance = JournalledChance()
        got: list[int] = []
        chance.replay((7, 3), lambda: got.extend((chance.below(8), chance.below(4))))
        self.assertEqual(got, [7, 3])
        self.assertEqual(chance.take(), ())
        live = chance.below(10)
        self.assertEqual(chance.take(), (live,))

    def test_a_record_that_does_not_fit(self) -> None:
        for drawn, draws in (((1,), (2, 2)), ((1, 0), (2,)), ((5,), (2,)), ((), (2,))):
            chance = JournalledChance()
            self.assertRaises(
                ValueError, chance.replay, drawn, lambda draws=draws, chance=chance: [*map(chance.below, draws)]
            )
            live = chance.below(10)
            self.assertEqual(chance.take(), (live,))

    def test_a_step_that_fails(self) -> None:
        chance = JournalledChance()
        self.assertRaises(KeyError, chance.replay, (1,), {}.popitem)
        chance.below(10)
        self.assertEqual(len(chance.take()), 1)


class Highest:
    def __init__(self) -> None:
        self.asked: list[int] = []

    def below(self, n: int) -> int:
        self.asked.append(n)
        return n - 1


class ShuffledTests(PropertyCase):
    def test_what_is_asked_for(self) -> None:
        chance = Highest()
        self.assertEqual(shuffled("abcd", chance), list("abcd"))
        self.assertEqual(chance.asked, [4, 3, 2])

    def test_every_order_from_exactly_one_script(self) -> None:
        """All scripts that n items can ask for give all n! orders, each once: even draws make even orders."""
        for n in range(6):
            scripts = list(product(*(range(bound) for bound in range(n, 1, -1))))
            orders = Counter(tuple(shuffled(range(n), ScriptedChance(script))) for script in scripts)
            self.assertEqual(len(scripts), factorial(n))
            self.assertEqual(orders, Counter(permutations(range(n))))

    def test_evenly_spread(self) -> None:
        """With the system's luck 24000 orders of four are spread evenly: no further off than one run in 10^12 would be."""
        counts = Counter(tuple(shuffled("abcd", SystemChance())) for _ in range(24_000))
        self.assertEqual(len(counts), 24)
        chi_square = sum((count - 1000) ** 2 / 1000 for count in counts.values())
        # 23 degrees of freedom: the mean is 23; 108 is passed with a probability of 10^-12.
        self.assertLess(chi_square, 108)

    @given(st.lists(st.integers(0, 5), max_size=30))
    def test_the_same_items(self, items: list[int]) -> None:
        chance = SystemChance()
        before = list(items)
        self.assertEqual(Counter(shuffled(items, chance)), Counter(items))
        self.assertEqual(items, before)
        self.assertEqual(len(chance.take()), max(0, len(items) - 1))


DEAL = "boar,ox/crab,eel/tiger"
WHITE, BLACK = Seat(0), Seat(1)
SEATS = (SeatRecord("ann", "open"), SeatRecord("bob", "open"))


class ClockedOnitama(Onitama):
    def new_master(self, seats: int, settings: Settings, chance: Chance) -> Any:
        """:raises BadOption: a setting cannot be used"""
        own = {name: text for name, text in settings.items() if name not in CLOCK_SETTINGS}
        return with_clocks(super().new_master(seats, own, chance), seats, settings)


class MasterTests(MasterContract, PropertyCase):
    game = ClockedOnitama()
    settings: Mapping[str, str] = {"game_time": "60", "increment": "1"}

    def known(self, master: Any) -> object:
        return master._inner.state()

    def illegal(self, master: Any, rng: random.Random) -> Sequence[tuple[Seat, Any]]:
        return plain_onitama.MasterTests.illegal(self, master._inner, rng)  # type: ignore[arg-type]

    @given(st.data(), st.randoms(use_true_random=False))
    def test_no_deadline_without_move_time(self, data: st.DataObject, rng: random.Random) -> None:
        """The only deadline is the end of the clock that runs. Then its seat loses."""
        live, played = self.play(2, rng, data.draw(st.integers(0, 20)))
        master: Any = live
        if master.result is not None:
            self.assertIs(master.deadline, None)
            return
        turn = master.reading.running
        self.assertEqual(master.deadline, played[-1].now + master.reading.left[turn])
        master.expire(master.deadline)
        result: Any = master.result
        self.assertEqual((result.winners, result.cause), ((1 - turn,), Cause.TIME))
        self.assertEqual((master.deadline, master.reading.left[turn]), (None, 0))


class ClockTests(PropertyCase):
    def begun(self, **settings: str) -> Any:
        master = new_master(ONITAMA, TableHeader("onitama", 1, SEATS, {"deal": DEAL, **settings}), ScriptedChance())
        master.begin(0)
        return master

    def act(self, master: GameMaster[Any, Any], seat: Seat, notation: bytes, now: int) -> None:
        master.act(seat, ONITAMA.read(notation), now)

    def test_a_clock_runs_on_its_own_turn_alone(self) -> None:
        master = self.begun(game_time="10", increment="0.5")
        self.assertEqual((master.reading, master.deadline), (ClockReading((10_000, 10_000), WHITE, 0), 10_000))
        self.act(master, WHITE, b"ox c1 c2", 3_000)
        self.assertEqual((master.reading, master.deadline), (ClockReading((7_500, 10_000), BLACK, 3_000), 13_000))
        self.assertEqual(master.reading.at(4_000), [7_500, 9_000])
        self.assertEqual(master.reading.at(99_000), [7_500, 0])
        self.act(master, BLACK, b"crab a5 a4", 3_100)
        self.assertEqual((master.reading, master.deadline), (ClockReading((7_500, 10_400), WHITE, 3_100), 10_600))
        master.expire(10_600)
        self.assertEqual((master.result.winners, master.result.cause), ((BLACK,), Cause.TIME))
        self.assertEqual((master.reading.left, master.deadline), ((0, 10_400), None))

    def test_the_earlier_deadline_counts(self) -> None:
        master = self.begun(game_time="10", move_time="4")
        self.assertEqual(master.deadline, 4_000)
        self.act(master, WHITE, b"ox c1 c2", 3_000)
        self.act(master, BLACK, b"crab a5 a4", 5_000)
        self.assertEqual(master.deadline, 9_000)
        self.act(master, WHITE, b"boar c2 c3", 8_900)
        self.act(master, BLACK, b"ox a4 a3", 9_000)
        self.assertEqual(master.deadline, 12_100)

    def test_clocks_stand_still_when_a_match_is_given_up(self) -> None:
        master = self.begun(game_time="10")
        master.forfeit(BLACK, 1_000)
        self.assertEqual(master.result.cause, Cause.LEFT)
        self.assertEqual((master.reading.at(5_000), master.deadline), ([9_000, 10_000], None))

    def test_a_replay_has_the_same_clocks(self) -> None:
        """They are in the fingerprint, so another `game_time` is noticed."""
        moves = ((WHITE, b"ox c1 c2", 3_000), (BLACK, b"crab a5 a4", 3_100))
        live = self.begun(game_time="10", increment="1")
        for move in moves:
            self.act(live, *move)
        entries = [Entry(EntryKind.BEGAN, 0), *(Entry(EntryKind.ACTED, now, seat, text) for seat, text, now in moves)]
        for game_time, same in (("10", True), ("11", False)):
            opening = TableHeader(
                "onitama", 1, SEATS, {"deal": DEAL, "game_time": game_time, "increment": "1", "code": "A"}
            )
            chance = JournalledChance()
            again: Any = replay(ONITAMA, new_master(ONITAMA, opening, chance), chance, entries)
            self.assertIs(again.reading == live.reading, same)
            self.assertIs(fingerprint(again) == fingerprint(live), same)

    def test_all_games_have_clocks(self) -> None:
        chance = JournalledChance(lambda n: 0)
        for game, running in ((ONITAMA, WHITE), (PAPER_SOCCER, WHITE), (ERIANTYS, WHITE), (STRATEGO, None)):
            opening = TableHeader(game.name, 1, SEATS, {"game_time": "900"})
            master: Any = new_master(game, opening, chance)
            master.begin(0)
            self.assertIsInstance(master, ClockedMaster)
            self.assertEqual((master.reading.running, master.deadline), (running, 900_000 if running == 0 else 300_000))
            master.expire(master.deadline)
            self.assertEqual(master.result.cause, Cause.TIME)
            if running is not None:
                self.assertNotIn(running, master.result.winners)
                self.assertEqual(master.reading.left, (0, 900_000))

    def test_a_move_that_would_lose_is_still_known(self) -> None:
        """Paper Soccer says why; a game without such moves says nothing."""
        opening = TableHeader("paper-soccer", 1, SEATS, {"game_time": "900"})
        master: Any = new_master(PAPER_SOCCER, opening, JournalledChance(lambda n: 0))
        master.begin(0)
        self.assertIn("illegal move", master.foul(WHITE, PAPER_SOCCER.read(b"5,5")))
        self.assertIs(self.begun(game_time="9").foul(WHITE, ONITAMA.read(b"ox c1 c5")), None)

    def test_settings(self) -> None:
        """Without `game_time` there are no clocks. A game that does not say whose turn it is cannot have them."""
        plain = TOY.new_master(2, {}, ScriptedChance())
        for settings in ({}, {"game_time": "0"}, {"increment": "0"}):
            self.assertIs(with_clocks(plain, 2, settings), plain)
        for settings in ({"game_time": "9"}, {"game_time": "soon"}, {"increment": "1"}, {"increment": "-1"}):
            error = self.assertRaises(BadOption, with_clocks, plain, 2, settings)
            self.assertIn(next(iter(settings)), str(error))


ANN, BOB = Seat(0), Seat(1)


class WordsTests(SynchronousTestCase):
    def test_endings(self) -> None:
        names = ("ann", "bob")
        for result, expected in (
            (Result((ANN,), Cause.RULES, "the master is taken"), "ann won: the master is taken."),
            (Result((), Cause.RULES, "too many moves"), "A draw: too many moves."),
            (Result((BOB,), Cause.LEFT, "left the game"), "bob won: ann left the match."),
            (Result((BOB,), Cause.TIME, "no move in time"), "bob won: ann ran out of time."),
            (
                Result((ANN,), Cause.VIOLATION, "illegal move: too long"),
                "ann won: bob tried an illegal move: too long.",
            ),
            (Result((ANN, BOB), Cause.RULES, "a tie"), "ann and bob won: a tie."),
        ):
            self.assertEqual(ending(result, names), expected)
        of_three = Result((ANN,), Cause.LEFT, "a player left; most towers")
        self.assertEqual(ending(of_three, ("ann", "bob", "clara")), "ann won: a player left; most towers.")

    def test_captions(self) -> None:
        self.assertEqual(caption(Scene(["ann", "bob"], None), 1), "bob is to move.")
        self.assertEqual(caption(Scene(["ann", "bob"], None, standstill="Put away"), 1), "Put away.")
        self.assertEqual(caption(Scene(["ann", "bob"], None), None), "")


class ElementTests(SynchronousTestCase):
    def test_elements(self) -> None:
        self.assertEqual(
            tag("rect", class_="a", stroke_width=1.25, x=2.0), '<rect class="a" stroke-width="1.2" x="2"/>'
        )
        self.assertEqual(tag("g", "<a/>", "b"), "<g><a/>b</g>")
        self.assertEqual(at(1, 2.5, "x"), '<g transform="translate(1 2.5)">x</g>')
        self.assertEqual(at(0, 0, "x", scale=0.5), '<g transform="translate(0 0) scale(0.5)">x</g>')
        self.assertEqual((number(3), number(3.04), number(-0.5)), ("3", "3", "-0.5"))

    def test_text_from_outside(self) -> None:
        self.assertEqual(escaped("<\u00eb\x00&"), "&lt;&#235;&#65533;&amp;")

    def test_pages(self) -> None:
        players = [PlayerLine(1, "#000000", ""), PlayerLine(0, "#000000", "", "White")]
        scene = Scene(["ann", "bob"], None, result=Result((ANN,), Cause.RULES, "x"), source="table 7")
        drawn = page(scene, "Chess", "", Board(300, 100, ()), players, ["word " * 200], numbered(["a b"] * 100))
        self.assertEqual(words(drawn)[:5], ["Chess", "table 7", "bob", "annWhite", "won"])
        self.assertEqual(" ".join(words(drawn)).count("word"), 80)
        self.assertNotIn("textLength", drawn)
        for name in ("n" * 21, "\u5b57" * 11):
            narrow = page(Scene([name, "bob"], None), "Chess", "", Board(300, 100, ()), players, (), ())
            self.assertEqual(narrow.count('textLength="210"'), 1)
        self.assertEqual(words(drawn)[-1], "100. a b")
        root = parsed(drawn)
        for element in root.iter():
            for axis, size in (("x", "width"), ("y", "height")):
                place = float(element.attrib.get(axis, 0))
                self.assertTrue(0 <= place <= float(root.attrib[size]), element.attrib)


#: `tests.games.slow_games` draws twenty times as many.
DRAWS = 10_000


class FairnessTests(SynchronousTestCase):
    def test_even(self) -> None:
        """First players, deals, students and seatings are no further from their odds than luck is in 10^8 tries."""
        self.assertEqual(unfair(DRAWS), [])

    def test_no_modulo(self) -> None:
        """Luck is drawn by `secrets.randbelow`, which rejects what does not fit and never folds it."""
        self.assertIs(SystemChance()._draw, secrets.randbelow)
        self.assertIs(fields(TableContext).rng.default, secrets.randbelow)

    def test_no_other_luck(self) -> None:
        """No module of the host has another source of luck. The contracts for tests and what is trained draw from seeds."""
        seeded = ("gamehost.testing.", "gamehost.extras.learn.")
        host = {name: text for name, text in read_sources("gamehost").items() if not name.startswith(seeded)}
        self.assertIn("gamehost.games.base", host)
        for name, text in host.items():
            for source in ("import random", "from random", "urandom", "getrandbits", "randbits", "uuid"):
                self.assertNotIn(source, text, name)

    def test_crooked_draws_are_seen(self) -> None:
        """A byte folded by its remainder, a range that is one short, and a coin that falls 55 times in 100 on one side."""
        crooked: dict[str, Callable[[int], int]] = {
            "students out of a bag": lambda n: secrets.randbits(8) % n,
            "seatings": lambda n: secrets.randbelow(max(1, n - 1)),
            "first players of paper soccer": lambda n: (secrets.randbelow(100) >= 55) * (n - 1),
        }
        for name, draw in crooked.items():
            self.assertIn(name, "".join(unfair(DRAWS, draw, [name])))
