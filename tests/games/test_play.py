"""What every game has for free, with two games that bring rules, a master and messages only."""

from collections.abc import Sequence
from importlib.metadata import EntryPoint
from typing import Any

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Game, Result, Seat
from gamehost.games.drawing import Scene, Turn
from gamehost.games.installed import OWN, find_games, installed, resource
from gamehost.games.play import (
    PlainPlayer,
    copied,
    has_picture,
    heard_back,
    help_of,
    messages_of,
    missing_parts,
    picture_of,
    player_of,
    screen_of,
    seats_to_act,
)
from gamehost.games.remote.master import REMOTE
from gamehost.players.base import Level, SeededChance, Thinking
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from gamehost.testing.messages_contract import MessagesContract
from tests import long
from tests.kit.example_game import TOY
from tests.kit.players import one_action, play_match, tell
from tests.kit.plugin_games import FLEET, GOMOKU, GOMOKU_MESSAGES, KUHN, KUHN_MESSAGES, KuhnMaster, View, kuhn_tests
from tests.kit.wires.console import ASCII, NAMES, ScreenContract, ScreenMatch, refused

SMALL = {"size": "6"}


class KuhnTests(kuhn_tests.MasterTests):
    """The tests of the example are run here, too."""


class GomokuPlayer(MasterContract):
    game = GOMOKU
    settings = SMALL


class KuhnMessagesTests(kuhn_tests.MessagesTests):
    """The same."""


class GomokuMessagesTests(MessagesContract, PropertyCase):
    messages = GOMOKU_MESSAGES
    player = GomokuPlayer()


class KuhnScreenTests(ScreenContract, PropertyCase):
    game, messages, example = KUHN, KUHN_MESSAGES, "bet"
    kind = staticmethod(screen_of(KUHN))

    def test_what_is_shown(self) -> None:
        match = ScreenMatch(KUHN, KUHN_MESSAGES, self.kind, 2, {}, 3)
        ann, bob = match.screens[Seat(0)], match.screens[Seat(1)]
        card = match.master.cards[0]
        shown = ["round: 1", "first: 0", "chips: 4 4", f"card: {card}", "said: -", f"turn: {NAMES[0]}", "rounds: 20"]
        self.assertEqual(ann.draw(ASCII), shown)
        self.assertEqual(ann.moves(9), ["1 check", "2 bet"])
        self.assertEqual(ann.prompt_line(), "Type a move, or its number in the list of moves: check.")
        self.assertEqual(bob.prompt_line(), f"{NAMES[0]} is to move.")
        self.assertIn("It is not your turn.", refused(self, bob, "check"))
        self.assertIn("That is no legal move now: expected check or bet. ", refused(self, ann, "call"))
        self.assertEqual((ann.read("2"), ann.read("bet"), ann.read("2 bet")), ([b"bet"], [b"bet"], [b"bet"]))
        match.type(Seat(0), "2")
        self.assertEqual(match.told[Seat(0)][-1], "You: said, word bet.")
        self.assertEqual(match.told[None][-1], f"{NAMES[0]}: said, word bet.")


class GomokuScreenTests(ScreenContract, PropertyCase):
    game, messages, example, chosen = GOMOKU, GOMOKU_MESSAGES, "h8", (SMALL,)
    kind = staticmethod(screen_of(GOMOKU))

    def test_a_board(self) -> None:
        match = ScreenMatch(GOMOKU, GOMOKU_MESSAGES, self.kind, 2, {"size": "5"}, 1)
        match.type(Seat(0), "b5")
        self.assertEqual(match.screens[Seat(1)].draw(ASCII)[:2], [" 5 . x . . .", " 4 . . . . ."])
        self.assertEqual(match.screens[Seat(1)].draw(ASCII)[5], "   a b c d e")
        self.assertEqual(match.screens[Seat(1)].moves(2), ["1 a1", "2 b1", "... and more."])

    def test_a_refusal_says_why(self) -> None:
        """In the words of the game: of its master, and of its notation. Capitals are no mistake."""
        match = ScreenMatch(GOMOKU, GOMOKU_MESSAGES, self.kind, 2, {"size": "5"}, 1)
        match.type(Seat(0), "B5")
        white = match.screens[Seat(1)]
        self.assertIn("That is no legal move now: a stone stands there already. ", refused(self, white, "b5"))
        self.assertIn(": the point is not on the board of 5 by 5. ", refused(self, white, "H8"))
        self.assertIn(": expected a point such as h8. ", refused(self, white, "b5 b6"))
        self.assertIn("That is no legal move now. Type", refused(self, white, "\u0142"))
        self.assertEqual(white.read("C3"), [b"c3"])


def players(game: Game[Any, Any], levels: Sequence[Level], seed: int) -> list[PlainPlayer]:
    return [
        PlainPlayer(game, Seat(seat), level, Thinking(SeededChance(seed * 10 + seat)))
        for seat, level in enumerate(levels)
    ]


class PlayerTests(SynchronousTestCase):
    def won(
        self, game: Game[Any, Any], stronger: Level, weaker: Level, seeds: range, settings: Any = None
    ) -> list[int]:
        """How many matches the two levels have won, with the seats changed."""
        won = [0, 0]
        for seed in seeds:
            levels = (stronger, weaker) if seed % 2 else (weaker, stronger)
            result = play_match(game, players(game, levels, seed), SeededChance(seed), settings).result
            for winner in result.winners:
                won[levels[winner] is weaker] += 1
        return won

    @long
    def test_deep_beats_shallow_beats_random(self) -> None:
        """In Gomoku, with the seats changed; `make ladder` plays many more."""
        for stronger, weaker, matches in ((Level.EASY, Level.RANDOM, 4), (Level.MEDIUM, Level.EASY, 2)):
            won = self.won(GOMOKU, stronger, weaker, range(matches), {"size": "7"})
            # A match may end with a full board.
            self.assertGreaterEqual(won[0], matches - 1, (stronger, weaker))
            self.assertEqual(won[1], 0, (stronger, weaker))

    def test_trials_become_longer_until_they_differ(self) -> None:
        """A match of many rounds, of which no short trial reaches the end. The weakest level plays it better than random."""
        won = self.won(KUHN, Level.EASY, Level.RANDOM, range(24))
        self.assertGreater(won[0], 2 * won[1], won)

    def test_a_game_says_how_a_match_stands_before_its_end(self) -> None:
        """Of the squares where a ship may lie, the one where it must lie. No trial of this level reaches the end."""
        known = FLEET.new_master(2, {"size": "4"}).view(Seat(0))
        waters = ("o...", "x.oo", "o...", "xxxo")
        known = replace(known, board=waters, fleet=("a1 c1", "a2 b2", "a3 b3"), placed=(3, 3))
        for seed in range(4):
            player = PlainPlayer(FLEET, Seat(0), Level.EASY, Thinking(SeededChance(seed)))
            player.hear(known)
            self.assertEqual(player.answer(), b"b3")

    def test_equal_moves_are_chosen_by_chance(self) -> None:
        """The first move on an empty board is another one in each match, where no trial tells moves apart."""
        for level in (Level.EASY, Level.MEDIUM):
            moves = set()
            for seed in range(6):
                [player, _] = players(GOMOKU, (level, level), seed)
                tell([player], GOMOKU.new_master(2, SMALL).begin(0))
                moves.add(player.answer())
            self.assertGreater(len(moves), 2, level)

    def test_what_is_hidden_is_played_too(self) -> None:
        """After a bet, the highest card is never folded, and the lowest one never calls."""
        for level in (Level.MEDIUM, Level.HARD):
            for card, expected in (("K", b"call"), ("J", b"fold")):
                for seed in range(4):
                    [_, player] = players(KUHN, (level, level), seed)
                    player.hear(View(1, 0, (1, 2), card, ("bet",), 1))
                    self.assertEqual(player.answer(), expected, (level, card, seed))

    def test_a_win_at_once_is_taken_and_one_of_the_other_side_prevented(self) -> None:
        own, other = ("a1", "a5", "b1", "c5", "c1", "e5", "d1", "f5"), ("a1", "a5", "b1", "b5", "f3", "c5", "f1", "d5")
        for level in (Level.MEDIUM, Level.HARD):
            for moves, expected in ((own, b"e1"), (other, b"e5")):
                [player, _] = players(GOMOKU, (level, level), 1)
                master = GOMOKU.new_master(2, SMALL)
                tell([player], [to for to in master.begin(0)])
                for number, move in enumerate(moves):
                    tell([player], master.act(Seat(number % 2), GOMOKU.read(move.encode()), 0))
                self.assertEqual(player.answer(), expected, (level, moves))

    def test_the_same_seed_gives_the_same_match(self) -> None:
        first, again, other = (
            play_match(GOMOKU, players(GOMOKU, (Level.EASY, Level.EASY), seed), SeededChance(1), SMALL).actions
            for seed in (1, 1, 2)
        )
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_answers_depend_on_what_the_seat_knows(self) -> None:
        """Masters that differ in the other player's card alone get the same answers."""
        for seed in range(6):
            view = KUHN.new_master(2, {}, SeededChance(seed))
            view.begin(0)
            answers = set()
            for card in range(3):
                twin = KUHN.determinized(view.view(Seat(0)), Seat(0), SeededChance(card))
                [player, _] = players(KUHN, (Level.MEDIUM, Level.MEDIUM), seed)
                player.hear(twin.view(Seat(0)))
                answers.add(player.answer())
            self.assertEqual(len(answers), 1)

    def test_a_seat_that_nobody_has_is_never_asked(self) -> None:
        """In a game for different numbers of players, whose master does not say whose turn it is."""

        class Quiet(KuhnMaster):
            to_move = None  # type: ignore[assignment]

            def view(self, seat: Seat | None) -> Any:
                asked.add(seat)
                return super().view(seat)

        class Wide(type(KUHN)):  # type: ignore[misc]
            def determinized(self, *known: Any) -> Quiet:
                master = super().determinized(*known)
                made = Quiet(master.rounds, 0, master.chance, master.view_of_all)
                made.cards = master.cards
                return made

        for most, expected in ((2, {Seat(0), Seat(1)}), (4, set[Seat]())):
            asked = set[Seat | None]()
            [player, _] = players(Wide(most_seats=most), (Level.MEDIUM, Level.MEDIUM), 1)
            player.hear(View(1, 0, (4, 4), "K", (), 0))
            self.assertIn(player.answer(), (b"check", b"bet"))
            self.assertLessEqual(asked, expected)

    def test_a_refused_answer_is_not_given_again(self) -> None:
        [player, _] = players(KUHN, (Level.RANDOM, Level.RANDOM), 1)
        master = KUHN.new_master(2, {}, SeededChance(1))
        self.assertIsNone(player.answer())
        tell([player, player], master.begin(0))
        player.refused(b"check")
        self.assertEqual({player.answer() for _ in range(9)}, {b"bet"})

    def test_games_with_players_of_their_own_can_be_played_too(self) -> None:
        for game in installed().games.values():
            for level in Level:
                pair = players(game, (level, level), 1)
                for player in pair:
                    player.thinking.effort = 0.02
                master = game.new_master(2, {}, SeededChance(1))
                tell(pair, master.begin(0))
                for _ in range(4):
                    one_action(game, master, pair)


class AloneTests(SynchronousTestCase):
    def test_seats_that_may_act(self) -> None:
        """The seat to move; of a set-up without turns, each that is not ready; none after the end."""
        games = installed().games
        onitama = games["onitama"].new_master(2, {}, SeededChance(1))
        stratego = games["stratego"].new_master(2, {}, SeededChance(1))
        for master in (onitama, stratego):
            master.begin(0)
        self.assertEqual(seats_to_act(games["onitama"], onitama, 2), (0,))
        self.assertEqual(seats_to_act(games["stratego"], stratego, 2), [0, 1])
        rows = games["stratego"].random_action(stratego.view(Seat(0)), Seat(0), SeededChance(1).below)
        stratego.act(Seat(0), rows, 0)
        self.assertEqual(seats_to_act(games["stratego"], stratego, 2), [1])
        onitama.forfeit(Seat(0), 0)
        self.assertEqual(seats_to_act(games["onitama"], onitama, 2), ())

    def test_a_copy_has_luck_of_its_own(self) -> None:
        """The cards of Kuhn poker are drawn by `begin`: in the copy from the other numbers."""
        chance = SeededChance(1)
        master = KUHN.new_master(2, {}, chance)
        hands = set()
        for seed in range(20):
            copy = copied(master, chance, SeededChance(seed))
            copy.begin(0)
            hands.add(repr(copy.state()))
        self.assertGreater(len(hands), 1)
        master.begin(0)
        same = KUHN.new_master(2, {}, SeededChance(1))
        same.begin(0)
        self.assertEqual(master.state(), same.state())


class FolderTests(SynchronousTestCase):
    def test_own_games_bring_everything(self) -> None:
        games = installed().games
        self.assertEqual(len(games), len(OWN))
        for game in games.values():
            self.assertNotIsInstance(player_of(game, Seat(0), Level.EASY, Thinking(SeededChance(1))), PlainPlayer)
            self.assertTrue(messages_of(game) and has_picture(game) and resource(game, "board.js"))
            self.assertGreater(len(help_of(game)), 10)

    def test_a_game_without_messages_has_a_wire_of_its_own_only(self) -> None:
        self.assertIsNone(messages_of(REMOTE))
        self.assertFalse(has_picture(REMOTE))
        self.assertRaises(ValueError, screen_of, REMOTE)
        self.assertRaises(ValueError, heard_back, REMOTE, None, [], Seat(0))

    def test_a_game_that_brings_none_has_plain_parts(self) -> None:
        self.assertIsNone(resource(KUHN, "board.js"))
        self.assertTrue(help_of(KUHN)[0].startswith("Kuhn's poker."))
        self.assertIsInstance(player_of(KUHN, Seat(0), Level.EASY, Thinking(SeededChance(1))), PlainPlayer)

    def test_a_picture(self) -> None:
        master = KUHN.new_master(2, {}, SeededChance(1))
        told = tuple(to.event for to in master.begin(0) if to.audience is None)
        scene = Scene(NAMES[:2], master.view(None), turns=(Turn(None, told),), source="table 7")
        drawn = picture_of(KUHN, scene)
        for part in ("Kuhn", f"turn: {NAMES[0]}", "1. ", "table 7", f"{NAMES[0]} is to move."):
            self.assertIn(part, drawn)
        self.assertNotIn("card: ", drawn.replace("card: <", ""))
        views = [master.view(Seat(seat)) for seat in (0, 1)]
        master.forfeit(Seat(1), 0)
        assert isinstance(master.result, Result)
        shown = picture_of(KUHN, Scene(NAMES[:2], master.view(None), views=views, result=master.result))
        for view in views:
            self.assertIn(f"card: {view.card}", shown)

    def test_parts_that_are_missing(self) -> None:
        """One sentence for each; without messages nothing else is asked for."""
        for game in installed().games.values():
            if game.name not in ("kuhn", "gomoku"):
                self.assertEqual([*missing_parts(game)], [])
        missing = [*missing_parts(KUHN)]
        self.assertTrue(all(words.startswith("the game kuhn has no ") for words in missing), missing)
        self.assertIn("the game kuhn has no board.js in gamehost_kuhn: browsers show its view as text", missing)
        [words] = missing_parts(TOY)
        self.assertIn(
            "the game toy has no MESSAGES in tests.kit.messages: it is played on wires of its own only", words
        )

    def test_games_of_other_packages(self) -> None:
        """They are found by their entry points. What cannot be used is named, with the reason."""
        entries = [
            EntryPoint(name, where, "gamehost.games")
            for name, where in (
                ("kuhn", "gamehost_kuhn.master:KUHN"),
                ("poker", "gamehost_kuhn.master:KUHN"),
                ("onitama", "gamehost.games.onitama.master:ONITAMA"),
                ("lost", "gamehost_kuhn.nowhere:LOST"),
            )
        ]
        found = find_games(entries)
        self.assertEqual(list(found.games), [*installed().games, "kuhn"])
        self.assertEqual(list(found.rejected), ["lost", "onitama", "poker"])
        self.assertIn("cannot be imported: ModuleNotFoundError", found.rejected["lost"])
        self.assertIn("another game is called 'onitama'", found.rejected["onitama"])
        self.assertIn("expected the same name", found.rejected["poker"])


del MasterContract, MessagesContract, ScreenContract, GomokuPlayer
