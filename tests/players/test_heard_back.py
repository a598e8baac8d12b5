"""
Which games have players, and what a player hears that comes back.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import convert, to_builtins
from twisted.trial.unittest import SynchronousTestCase

from benchmarks.ladder import AGAINST_RANDOM, GOALS, ladder, wilson
from gamehost.client.tables import MESSAGES
from gamehost.games.base import GameMaster, Seat, To
from gamehost.games.eriantys.events import UNTOLD
from gamehost.games.installed import installed
from gamehost.games.play import heard_back, new_player
from gamehost.games.stratego.player import StrategoPlayer
from gamehost.players.base import Level, Player, SeededChance
from gamehost.plugins import GAMES, WIRES
from tests.kit.players import one_action

#: Events that no player needs.
UNHEARD = (
    *("Placed", "Over", "PlayerStatus", "IslandOwner", "NoEntryUsed", "Unified", "EndOfRound", "Closing"),
    *(kind.__name__ for kind in UNTOLD),
)


def sent(game: str, message: Any, kind: str) -> Any:
    """A message of a game after its way through JSON."""
    return convert(to_builtins(message), getattr(MESSAGES[game], f"{kind}_type"))


class Fed:
    """A player in one seat that hears what the open wire tells."""

    def __init__(self, test: SynchronousTestCase, game: str, seat: int, seed: int) -> None:
        self.test, self.game, self.seat, self.seed = test, game, Seat(seat), seed
        self.before: list[Any] = []
        self.player: Player = new_player(game, self.seat, Level.EASY, seed, effort=0.05)
        self.direct: Player = new_player(game, self.seat, Level.EASY, seed, effort=0.05)

    def hear(self, event: Any) -> None:
        """An event of the master, by both ways."""
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
    """All games of the host."""

    def play(self, game: str, seats: int, seed: int, back: int, most: int = 400, **settings: str) -> list[Fed]:
        """
        A match, or its beginning.

        :param back: after so many actions one player after the other comes back
        """
        players = [Fed(self, game, seat, 7 * seed + seat) for seat in range(seats)]
        master = GAMES[game].new_master(seats, settings, SeededChance(seed))
        public: list[Any] = []

        class Noting:
            """The master, and what it tells to everybody."""

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
        """A player that comes back knows of the enemy what it knew before."""
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
        """The assistants that the others have played."""
        players = self.play("eriantys", 2, seed=5, back=60, most=120)
        for fed in players:
            self.assertEqual(fed.player.seen.played, fed.direct.seen.played)  # type: ignore[attr-defined]
            self.assertTrue(any(fed.player.seen.played.values()))  # type: ignore[attr-defined]

    def test_a_view_after_the_end(self) -> None:
        """Nothing is answered then."""
        messages, view = MESSAGES["paper-soccer"], {"first": 0, "moves": [], "next": None}
        heard = heard_back(GAMES["paper-soccer"], convert(view, messages.view_type), [], Seat(0))
        player = new_player("paper-soccer", Seat(0), Level.HARD, 1)
        for event in heard:
            player.hear(event)
        self.assertIsNone(player.answer())


class RegistryTests(SynchronousTestCase):
    """Names and seats."""

    def test_games_of_the_host(self) -> None:
        """Every game with a player is a game of the host."""
        self.assertLessEqual(set(installed().games), {game.name for wire in WIRES for game in wire.games})

    def test_new_player(self) -> None:
        """A player that has heard nothing has no answer."""
        for name in installed().games:
            for level in Level:
                self.assertIsNone(new_player(name, Seat(1), level, seed=1).answer())
        self.assertRaises(KeyError, new_player, "chess", Seat(0), Level.HARD, 1)


class LadderTests(SynchronousTestCase):
    """Figures that can be trusted."""

    def test_wilson(self) -> None:
        """The interval of known cases, which never leaves 0 to 1."""
        low, high = wilson(80, 100)
        self.assertAlmostEqual(low, 0.711, 3)
        self.assertAlmostEqual(high, 0.867, 3)
        self.assertEqual(wilson(0, 0), (0.0, 1.0))
        self.assertEqual(wilson(0, 10)[0], 0.0)
        self.assertEqual(wilson(10, 10)[1], 1.0)

    def test_two_games_a_pair(self) -> None:
        """Every level meets the one below in both seats, and each game is counted once."""
        lines: list[str] = []
        scores = ladder("onitama", 2, effort=0.02, say=lines.append)
        self.assertEqual([score.won + score.lost + score.drawn for score in scores], [2] * (len(Level) - 1))
        self.assertIn(f"goal {AGAINST_RANDOM:.0%}", lines[0])
        self.assertEqual(set(GOALS) & set(installed().games), set(installed().games))
