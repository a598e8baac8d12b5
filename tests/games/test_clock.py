"""Clocks: a time of each seat for the whole match."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Cause, GameMaster, Seat
from gamehost.games.chance import Chance, JournalledChance, ScriptedChance
from gamehost.games.clock import CLOCK_SETTINGS, ClockedMaster, ClockReading, with_clocks
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.onitama.master import ONITAMA, Onitama
from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.stratego.game import STRATEGO
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader
from gamehost.journal.replay import fingerprint, new_master, replay
from gamehost.settings import BadOption, Settings
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from tests.games import test_onitama_master as plain_onitama
from tests.kit.example_game import TOY

DEAL = "boar,ox/crab,eel/tiger"
WHITE, BLACK = Seat(0), Seat(1)
SEATS = (SeatRecord("ann", "open"), SeatRecord("bob", "open"))


class ClockedOnitama(Onitama):
    """Onitama with the clocks that a table gives it."""

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> Any:
        """
        :raises BadOption: a setting cannot be used
        """
        own = {name: text for name, text in settings.items() if name not in CLOCK_SETTINGS}
        return with_clocks(super().new_master(seats, own, chance), seats, settings)


class MasterTests(MasterContract, PropertyCase):
    """What every master must do, it does with clocks, too."""

    game = ClockedOnitama()
    settings: Mapping[str, str] = {"game_time": "60", "increment": "1"}

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
    """The time of each seat."""

    def begun(self, **settings: str) -> Any:
        """A match of Onitama."""
        master = new_master(ONITAMA, TableHeader("onitama", 1, SEATS, {"deal": DEAL, **settings}), ScriptedChance())
        master.begin(0)
        return master

    def act(self, master: GameMaster[Any, Any], seat: Seat, notation: bytes, now: int) -> None:
        """An action as it is written."""
        master.act(seat, ONITAMA.read(notation), now)

    def test_a_clock_runs_on_its_own_turn_alone(self) -> None:
        """A seat gets its increment when its turn has ended."""
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
        """`move_time` limits each decision, too."""
        master = self.begun(game_time="10", move_time="4")
        self.assertEqual(master.deadline, 4_000)
        self.act(master, WHITE, b"ox c1 c2", 3_000)
        self.act(master, BLACK, b"crab a5 a4", 5_000)
        self.assertEqual(master.deadline, 9_000)
        self.act(master, WHITE, b"boar c2 c3", 8_900)
        self.act(master, BLACK, b"ox a4 a3", 9_000)
        self.assertEqual(master.deadline, 12_100)

    def test_a_match_that_is_given_up(self) -> None:
        """The clocks stand still then."""
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
        """The seat that the match waits for loses by time. The set-up of Stratego has a time of its own."""
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
