"""What all players share: levels, budgets, the two searches, and what a player hears that comes back."""

from collections.abc import Hashable, Sequence
from typing import Any

from msgspec import convert, to_builtins
from twisted.trial.unittest import SynchronousTestCase

from benchmarks.ladder import AGAINST_RANDOM, GOALS, ladder, wilson
from gamehost.client.core import MESSAGES
from gamehost.games.base import GameMaster, Seat, To
from gamehost.games.eriantys.events import UNTOLD
from gamehost.games.installed import installed
from gamehost.games.play import heard_back, new_player
from gamehost.games.stratego.player import StrategoPlayer
from gamehost.players.base import (
    WIN,
    Budget,
    Level,
    OutOfBudget,
    Player,
    Search,
    SeededChance,
    Strength,
    Thinking,
    best_on_average,
    choose,
)
from gamehost.plugins import GAMES, WIRES
from tests.kit.players import match_of, one_action


class BudgetTests(SynchronousTestCase):
    def test_nodes(self) -> None:
        budget = Budget(3)
        for _ in range(3):
            budget.spend()
        self.assertRaises(OutOfBudget, budget.spend)

    def test_seconds(self) -> None:
        """A clock that has run too far ends the search soon, although there are nodes left."""
        now = [5.0]
        budget = Budget(10_000, 0.5, lambda: now[0])
        for _ in range(100):
            budget.spend()
        now[0] = 5.6
        with self.assertRaises(OutOfBudget):
            for _ in range(32):
                budget.spend()


class SeededChanceTests(SynchronousTestCase):
    def test_same_on_every_machine(self) -> None:
        """The first numbers of a seed never change, so a recorded game can be played again."""
        chance = SeededChance(1)
        self.assertEqual([chance.below(1000) for _ in range(5)], [566, 745, 971, 444, 444])

    def test_fair(self) -> None:
        chance = SeededChance(2)
        counts = [0] * 6
        for _ in range(6_000):
            counts[chance.below(6)] += 1
        self.assertTrue(all(900 < count < 1_100 for count in counts), counts)

    def test_one_of(self) -> None:
        self.assertEqual({SeededChance(seed).one_of("abc") for seed in range(50)}, set("abc"))


class Matches:
    """Who takes the last match wins. So a multiple of four is lost for the side to move."""

    def outcome(self, position: int) -> int | None:
        return -WIN if position == 0 else None

    def moves(self, position: int) -> Sequence[int]:
        return [taken for taken in (1, 2, 3) if taken <= position]

    def forcing(self, position: int) -> Sequence[int]:
        return []

    def after(self, position: int, move: int) -> int:
        return position - move

    def evaluate(self, position: int) -> int:
        return 0

    def key(self, position: int) -> Hashable:
        return position


class Captures(Matches):
    """Positions are numbers of points at stake; the forcing move takes them, and the other side takes back."""

    def outcome(self, position: int) -> int | None:
        return None

    def moves(self, position: int) -> Sequence[int]:
        return [0, 1]

    def forcing(self, position: int) -> Sequence[int]:
        return [1] if position in (10, 11) else []

    def after(self, position: int, move: int) -> int:
        return position + move

    def evaluate(self, position: int) -> int:
        return {10: 0, 11: -500, 12: -300}.get(position, 0)


RULES = Matches()
LARGE = 100_000


class SearchTests(SynchronousTestCase):
    def test_solves(self) -> None:
        for heap in range(1, 25):
            found = Search(RULES, Budget(LARGE)).best(heap, RULES.moves(heap), 25)
            if heap % 4:
                self.assertGreater(found.value, 0, heap)
                self.assertEqual((heap - found.move) % 4, 0, heap)
            else:
                self.assertLess(found.value, 0, heap)

    def test_distance(self) -> None:
        self.assertEqual(Search(RULES, Budget(LARGE)).best(3, [1, 2, 3], 9).value, WIN - 1)
        self.assertEqual(Search(RULES, Budget(LARGE)).best(7, [1, 2, 3], 9).value, WIN - 3)
        self.assertEqual(Search(RULES, Budget(LARGE)).best(8, [1, 2, 3], 9).value, 4 - WIN)

    def test_same_as_without_pruning(self) -> None:
        def plain(heap: int, depth: int) -> int:
            if heap == 0:
                return -WIN
            if depth == 0:
                return 0
            best = max(-plain(heap - move, depth - 1) for move in RULES.moves(heap))
            return best - 1 if best > 1_000 else best + 1 if best < -1_000 else best

        for heap in range(1, 16):
            for depth in range(1, 8):
                moves = RULES.moves(heap)
                self.assertEqual(
                    max(Search(RULES, Budget(LARGE)).values(heap, moves, depth)), plain(heap, depth), (heap, depth)
                )

    def test_budget(self) -> None:
        """With few nodes the search stops early and still has a move; the sure plies are complete all the same."""
        found = Search(RULES, Budget(5)).best(20, [1, 2, 3], 20)
        self.assertLess(found.depth, 20)
        found = Search(RULES, Budget(0)).best(7, [1, 2, 3], 20, sure=3)
        self.assertEqual((found.move, found.value), (3, WIN - 3))
        with self.assertRaises(OutOfBudget):
            Search(RULES, Budget(3)).value(20, 20)

    def test_forcing_moves(self) -> None:
        """The last ply is not the end of an exchange: a piece that can be taken back was not won."""
        rules = Captures()
        self.assertEqual(Search(rules, Budget(LARGE)).value(10, 0), 0)
        self.assertEqual(Search(rules, Budget(LARGE)).value(11, 0), 300)


class ChooseTests(SynchronousTestCase):
    def test_seed_decides_among_equals(self) -> None:
        """In a lost position all moves are equal; each is chosen by some seed, and always the same by one seed."""
        strength = Strength(depth=2, sure=1, nodes=LARGE, seconds=1)

        def chosen(seed: int) -> int:
            return choose(RULES, 12, [1, 2, 3], strength, Thinking(SeededChance(seed)))

        self.assertEqual({chosen(seed) for seed in range(30)}, {1, 2, 3})
        self.assertEqual([chosen(seed) for seed in range(30)], [chosen(seed) for seed in range(30)])

    def test_noise_spares_forced_wins(self) -> None:
        """Noise changes quiet moves; a win in one is worth too much to be missed."""
        strength = Strength(depth=1, sure=1, nodes=LARGE, seconds=1, noise=50)
        for seed in range(30):
            self.assertEqual(choose(RULES, 3, [1, 2, 3], strength, Thinking(SeededChance(seed))), 3)


class BestOnAverageTests(SynchronousTestCase):
    def test_mean(self) -> None:
        def chosen(sure: int) -> str:
            chance = SeededChance(3)
            return best_on_average(
                ["die", "sure"],
                lambda: chance.below(6) + 1,
                lambda world, action: world if action == "die" else sure,
                worlds=200,
            )

        self.assertEqual(chosen(3), "die")
        self.assertEqual(chosen(4), "sure")

    def test_first_of_equals(self) -> None:
        self.assertEqual(best_on_average([2, 1, 3], lambda: 0, lambda world, action: 0, worlds=3), 2)

    def test_an_unfinished_world_does_not_count(self) -> None:
        """The budget ends in the second world, in which the first action looks bad."""
        calls = []

        def value(world: int, action: int) -> float:
            calls.append(action)
            if len(calls) == 4:
                raise OutOfBudget
            return -100 if len(calls) == 3 else -action

        self.assertEqual(best_on_average([1, 2], lambda: 0, value, worlds=9), 1)

    def test_no_world(self) -> None:
        def value(world: int, action: int) -> float:
            raise OutOfBudget

        self.assertEqual(best_on_average([5, 6], lambda: 0, value, worlds=9), 5)

    def test_the_worse_half_is_left_out(self) -> None:
        tried: list[int] = []

        def value(world: int, action: int) -> float:
            tried.append(action)
            return action

        best_on_average(list(range(8)), lambda: 0, value, worlds=4)
        self.assertEqual(len(tried), 2 * 8 + 2 * 4)
        self.assertEqual(set(tried[16:]), {4, 5, 6, 7})


#: Events that no player needs.
UNHEARD = (
    *("Placed", "Over", "PlayerStatus", "IslandOwner", "NoEntryUsed", "Unified", "EndOfRound", "Closing"),
    *(kind.__name__ for kind in UNTOLD),
)


def sent(game: str, message: Any, kind: str) -> Any:
    return convert(to_builtins(message), getattr(MESSAGES[game], f"{kind}_type"))


class Fed:
    def __init__(self, test: SynchronousTestCase, game: str, seat: int, seed: int) -> None:
        self.test, self.game, self.seat, self.seed = test, game, Seat(seat), seed
        self.before: list[Any] = []
        self.player: Player = new_player(game, self.seat, Level.EASY, seed, effort=0.05)
        self.direct: Player = new_player(game, self.seat, Level.EASY, seed, effort=0.05)

    def hear(self, event: Any) -> None:
        self.direct.hear(event)
        message = MESSAGES[self.game].event(event)
        heard = None if message is None else MESSAGES[self.game].read_event(sent(self.game, message, "event"))
        if heard is None:
            self.test.assertIn(type(event).__name__, UNHEARD)
            return
        self.test.assertEqual(MESSAGES[self.game].event(heard), message)
        self.player.hear(heard)

    def answer(self) -> bytes | None:
        return self.player.answer()

    def refused(self, notation: bytes) -> None:
        self.player.refused(notation)

    def come_back(self, master: GameMaster[Any, Any], public: Sequence[Any]) -> None:
        """A new player, which is told what a client that comes back can learn."""
        messages = MESSAGES[self.game]
        situation = master.view(self.seat)
        view = sent(self.game, messages.view(situation), "view")
        self.test.assertEqual(messages.view(messages.read_view(view, self.seat)), messages.view(situation))
        told = [sent(self.game, one, "event") for one in map(messages.event, public) if one is not None]
        self.player = new_player(self.game, self.seat, Level.EASY, self.seed, effort=0.05)
        for event in heard_back(GAMES[self.game], view, told, self.seat):
            self.player.hear(event)


class FromMessagesTests(SynchronousTestCase):
    def play(self, game: str, seats: int, seed: int, back: int, most: int = 400, **settings: str) -> list[Fed]:
        """
        A match, or its beginning.

        :param back: after so many actions one player after the other comes back
        """
        players = [Fed(self, game, seat, 7 * seed + seat) for seat in range(seats)]
        master = GAMES[game].new_master(seats, settings, SeededChance(seed))
        public: list[Any] = []

        class Noting:
            def act(self, seat: Seat, action: Any, now: int) -> Sequence[To[Any]]:
                told = master.act(seat, action, now)
                public.extend(one.event for one in told if one.audience is None)
                return told

        for one in (begun := master.begin(0)):
            for seat in range(seats) if one.audience is None else one.audience:
                players[seat].hear(one.event)
        public.extend(one.event for one in begun if one.audience is None)
        for number in range(most):
            if master.result is not None:
                break
            one_action(GAMES[game], Noting(), players)  # type: ignore[arg-type]
            if number % back == back - 1 and master.result is None:
                players[number // back % seats].come_back(master, public)
        return players

    def test_whole_matches(self) -> None:
        """Whatever the open wire tells is heard as it was, and no answer is refused, also of players that come back."""
        for game, seats in (("onitama", 2), ("paper-soccer", 2), ("eriantys", 3)):
            self.play(game, seats, seed=1, back=7)
        self.play("eriantys", 4, seed=2, back=9, expert="yes")
        self.play("stratego", 2, seed=3, back=41, most=200)

    def test_what_is_known_in_stratego(self) -> None:
        known = [
            (one.knowledge, one.squares, one.view, one._calm)
            for fed in self.play("stratego", 2, seed=4, back=150, most=300)
            for one in (fed.player, fed.direct)
            if isinstance(one, StrategoPlayer)
        ]
        for back, direct in zip(known[::2], known[1::2], strict=True):
            self.assertEqual(back[0].suspects, direct[0].suspects)
            self.assertEqual((back[0].lost, back[0].shown, *back[1:]), (direct[0].lost, direct[0].shown, *direct[1:]))
            self.assertTrue(back[0].lost)

    def test_what_is_known_in_eriantys(self) -> None:
        players = self.play("eriantys", 2, seed=5, back=60, most=120)
        for fed in players:
            self.assertEqual(fed.player.seen.played, fed.direct.seen.played)  # type: ignore[attr-defined]
            self.assertTrue(any(fed.player.seen.played.values()))  # type: ignore[attr-defined]


class RegistryTests(SynchronousTestCase):
    def test_games_of_the_host(self) -> None:
        self.assertLessEqual(set(installed().games), {game.name for wire in WIRES for game in wire.games})

    def test_the_same_seed_gives_the_same_match(self) -> None:
        levels = (Level.MEDIUM, Level.EASY)
        for game in installed().games.values():
            settings = {"expert": "yes"} if game.name == "eriantys" else {}
            matches = [match_of(game, levels, seed, settings, effort=0.1) for seed in (5, 5, 6)]
            self.assertEqual(matches[0], matches[1], game.name)
            self.assertNotEqual(matches[0], matches[2], game.name)

    def test_a_player_that_has_heard_nothing_has_no_answer(self) -> None:
        for name in installed().games:
            for level in Level:
                self.assertIsNone(new_player(name, Seat(1), level, seed=1).answer())
        self.assertRaises(KeyError, new_player, "chess", Seat(0), Level.HARD, 1)


class LadderTests(SynchronousTestCase):
    def test_wilson(self) -> None:
        """The interval of known cases, which never leaves 0 to 1."""
        low, high = wilson(80, 100)
        self.assertAlmostEqual(low, 0.711, 3)
        self.assertAlmostEqual(high, 0.867, 3)
        self.assertEqual(wilson(0, 0), (0.0, 1.0))
        self.assertEqual(wilson(0, 10)[0], 0.0)
        self.assertEqual(wilson(10, 10)[1], 1.0)

    def test_two_games_a_pair(self) -> None:
        lines: list[str] = []
        scores = ladder("onitama", 2, effort=0.02, say=lines.append)
        self.assertEqual([score.won + score.lost + score.drawn for score in scores], [2] * (len(Level) - 1))
        self.assertIn(f"goal {AGAINST_RANDOM:.0%}", lines[0])
        self.assertEqual(set(GOALS) & set(installed().games), set(installed().games))
