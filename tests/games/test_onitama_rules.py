"""The rules of Onitama: cards, positions, and what wires make of an action."""

import random
import re
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.rules import (
    LEADS,
    NO_CARD,
    SQUARE_NAMED,
    SQUARES,
    START,
    VECTORS,
    Card,
    Exchange,
    Move,
    card_named,
    read_exchange,
    read_move,
)
from gamehost.testing.cases import PropertyCase
from tests.kit.games.onitama import (
    PERFT,
    as_move,
    board_of,
    deal_of,
    dealt,
    perft,
    recorded_games,
    recorded_stalemate,
    wandered,
)

_PAGE = Path(__file__).parents[2] / "docs" / "games" / "onitama.rst"

SYMMETRIC = ("tiger", "dragon", "crab", "elephant", "monkey", "mantis", "crane", "boar")
MIRRORED = (("goose", "rooster"), ("eel", "cobra"), ("rabbit", "frog"), ("ox", "horse"))


def vectors(card: str) -> set[tuple[int, int]]:
    return set(VECTORS[Card(card)])


class CardTests(SynchronousTestCase):
    def test_sixteen_different_cards(self) -> None:
        self.assertEqual(len(VECTORS), 16)
        self.assertEqual(len({frozenset(vectors) for vectors in VECTORS.values()}), 16)
        for card, one in VECTORS.items():
            self.assertEqual(len(set(one)), len(one), card)
            self.assertNotIn((0, 0), one, card)
            self.assertTrue(all(-2 <= right <= 2 and -2 <= forward <= 2 for right, forward in one), card)

    def test_eight_are_their_own_mirror_and_eight_are_pairs(self) -> None:
        for card in SYMMETRIC:
            self.assertEqual({(-right, forward) for right, forward in vectors(card)}, vectors(card), card)
        for card, other in MIRRORED:
            self.assertEqual({(-right, forward) for right, forward in vectors(card)}, vectors(other), card)
        self.assertEqual({*SYMMETRIC, *sum(MIRRORED, ())}, set(VECTORS))

    def test_how_many_vectors(self) -> None:
        self.assertEqual(Counter(len(one) for one in VECTORS.values()), {2: 1, 3: 10, 4: 5})

    def test_documented(self) -> None:
        table = re.findall(r"^   \* - ([a-z]+)\n     - (\(.*\))$", _PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        documented = {
            card: {(int(right), int(forward)) for right, forward in re.findall(r"\((-?\d), (-?\d)\)", words)}
            for card, words in table
        }
        self.assertEqual(documented, {card: vectors(card) for card in VECTORS})

    def test_names(self) -> None:
        for text in ("tiger", "TIGER", "Tiger"):
            self.assertEqual(card_named(text), "tiger")
        for text in ("", "tige", "tigers", " tiger", "tiger\n", "cat", "mon\u212aey", "\uff4f\uff58"):
            self.assertIs(card_named(text), None, ascii(text))


class SquareTests(SynchronousTestCase):
    def test_names(self) -> None:
        self.assertEqual((len(SQUARES), len(set(SQUARES))), (25, 25))
        for name, square in (("a1", 0), ("e1", 4), ("a2", 5), ("c3", 12), ("e5", 24), ("C5", 22)):
            self.assertEqual(SQUARE_NAMED[name], square)
        for name in ("", "a", "a0", "a6", "f1", "1a", "a1 ", "a10", "\uff41\uff11", "a\u0661"):
            self.assertNotIn(name, SQUARE_NAMED)
        self.assertEqual(len(SQUARE_NAMED), 50)


class LeadsTests(SynchronousTestCase):
    def named(self, colour: int, card: str, start: str) -> set[str]:
        return {SQUARES[square] for square in LEADS[colour][Card(card)][SQUARE_NAMED[start]]}

    def test_both_sides(self) -> None:
        self.assertEqual(self.named(0, "tiger", "c2"), {"c4", "c1"})
        self.assertEqual(self.named(1, "tiger", "c4"), {"c2", "c5"})
        self.assertEqual(self.named(0, "rabbit", "b2"), {"c3", "d2", "a1"})
        self.assertEqual(self.named(1, "rabbit", "d4"), {"c3", "b4", "e5"})

    def test_the_board_has_edges(self) -> None:
        self.assertEqual(self.named(0, "dragon", "a1"), {"c2"})
        self.assertEqual(self.named(0, "crab", "e5"), {"c5"})
        self.assertEqual(self.named(0, "tiger", "a1"), {"a3"})
        self.assertEqual(self.named(1, "tiger", "a1"), {"a2"})

    def test_black_is_white_turned_around(self) -> None:
        for card in VECTORS:
            for square in range(25):
                turned = {24 - end for end in LEADS[0][card][24 - square]}
                self.assertEqual(set(LEADS[1][card][square]), turned, (card, square))

    def test_every_vector_somewhere(self) -> None:
        for colour in (0, 1):
            for card, one in VECTORS.items():
                self.assertEqual(len(set(LEADS[colour][card][12])), len(one), card)


DEAL = "tiger,crab/ox,eel/frog"


def move(card: str, start: str, end: str) -> Move:
    return Move(Card(card), SQUARE_NAMED[start], SQUARE_NAMED[end])


class AgreementTests(PropertyCase):
    def test_counts(self) -> None:
        """The numbers of move sequences up to length 4 from four deals (`long_onitama` goes to 5)."""
        for deal, counts in PERFT:
            for depth in range(1, 5):
                self.assertEqual(perft(dealt(deal), depth), counts[depth - 1], (deal, depth))

    def test_recorded_games(self) -> None:
        """In 60 recorded games every count of legal moves is ours, every move is legal, and the end is where it was."""
        games = list(recorded_games())
        self.assertEqual(len(games), 60)
        for number, game in enumerate(games):
            position = dealt(deal_of(game))
            for ply in game["plies"]:
                self.assertIs(position.won, None, number)
                moves = list(position.moves())
                self.assertEqual(len(moves), ply["n_legal"], number)
                played = as_move(*ply["move"])
                self.assertIn(played, moves)
                position = position.after(played)
            self.assertIsNot(position.won, None, number)
            self.assertEqual("wb"[1 - position.turn], game["winner"])

    def test_recorded_stalemate(self) -> None:
        game = recorded_stalemate()
        position = dealt(deal_of(game))
        for one in game["moves"]:
            played = as_move(*one)
            self.assertIn(played, list(position.moves()))
            position = position.after(played)
        self.assertEqual(list(position.moves()), [])
        self.assertEqual(position.turn, 0)
        self.assertEqual([set(hand) for hand in position.hands], [set(game["then"]["hand"][side]) for side in "wb"])
        self.assertEqual(position.spare, game["then"]["spare"])


class MoveTests(PropertyCase):
    def test_the_start(self) -> None:
        position = dealt(DEAL)
        self.assertEqual(position.rows(), ("ppkpp", ".....", ".....", ".....", "PPKPP"))
        self.assertEqual((position.turn, position.won), (0, None))

    def test_a_move(self) -> None:
        before = dealt(DEAL)
        after = before.after(move("tiger", "c1", "c3"))
        self.assertEqual(after.rows(), ("ppkpp", ".....", "..K..", ".....", "PP.PP"))
        self.assertEqual((after.hands, after.spare, after.turn), ((("frog", "crab"), ("ox", "eel")), "tiger", 1))
        self.assertEqual(before, dealt(DEAL))
        later = after.after(move("eel", "c5", "b5"))
        self.assertEqual((later.hands, later.spare, later.turn), ((("frog", "crab"), ("ox", "tiger")), "eel", 0))

    def test_an_enemy_on_the_end_square_is_gone(self) -> None:
        position = dealt(DEAL, board_of("..k..", ".....", "p....", ".....", "P.K.."))
        after = position.after(move("tiger", "a1", "a3"))
        self.assertEqual(after.rows(), ("..k..", ".....", "P....", ".....", "..K.."))

    def test_nothing_blocks_the_way_of_a_move(self) -> None:
        position = dealt(DEAL, board_of("..k..", ".....", ".....", "pP...", "PPK.."))
        self.assertIs(position.why_not(move("tiger", "a1", "a3")), None)
        self.assertIs(position.why_not(move("tiger", "b1", "b3")), None)

    def test_why_not(self) -> None:
        position = dealt(DEAL)
        for wrong, reason in (
            (move("ox", "c1", "c2"), "that card is not in your hand"),
            (move("frog", "c1", "b2"), "that card is not in your hand"),
            (move("goose", "c1", "b2"), "that card is not in your hand"),
            (move("tiger", "c2", "c4"), "no piece of yours stands on the start square"),
            (move("tiger", "c5", "c3"), "no piece of yours stands on the start square"),
            (move("tiger", "c1", "c2"), "that card does not lead there"),
            (move("tiger", "c1", "c1"), "that card does not lead there"),
            (move("crab", "a1", "e2"), "that card does not lead there"),
            (move("crab", "a1", "c1"), "a piece of yours stands on the end square"),
        ):
            self.assertEqual(position.why_not(wrong), reason, str(wrong))

    def test_two_cards_one_way(self) -> None:
        ways = [str(one) for one in dealt("crab,boar/ox,eel/frog").moves() if one.start == SQUARE_NAMED["c1"]]
        self.assertEqual(sorted(ways), ["boar c1 c2", "crab c1 c2"])

    @given(st.randoms(use_true_random=False))
    def test_moves_are_what_nothing_speaks_against(self, rng: random.Random) -> None:
        position = wandered(rng)
        cards = [*position.hands[0], *position.hands[1], position.spare]
        every = [Move(card, start, end) for card in cards for start in range(25) for end in range(25)]
        moves = list(position.moves())
        self.assertEqual(len(set(moves)), len(moves))
        self.assertEqual(set(moves), {one for one in every if position.why_not(one) is None})

    @given(st.randoms(use_true_random=False))
    def test_turned_around(self, rng: random.Random) -> None:
        """The rules are the same for both sides: a position turned by half, colours changed, has the turned moves."""
        position = wandered(rng)
        white, black = position.hands
        turned = type(position)((black, white), position.spare, position.board[::-1].swapcase(), 1 - position.turn)
        moves = {Move(one.card, 24 - one.start, 24 - one.end) for one in position.moves()}
        self.assertEqual(set(turned.moves()), moves)
        self.assertEqual(turned.won, position.won)

    @given(st.randoms(use_true_random=False))
    def test_what_a_move_keeps(self, rng: random.Random) -> None:
        before = wandered(rng)
        for one in before.moves():
            after = before.after(one)
            cards = [[*where.hands[0], *where.hands[1], where.spare] for where in (before, after)]
            self.assertEqual(sorted(cards[0]), sorted(cards[1]))
            own, enemy = ("KP", "kp") if before.turn == 0 else ("kp", "KP")
            pieces = [
                [sum(where.board.count(piece) for piece in side) for side in (own, enemy)] for where in (before, after)
            ]
            self.assertEqual(pieces[0][0], pieces[1][0])
            self.assertIn(pieces[0][1] - pieces[1][1], (0, 1))
            self.assertEqual((after.board[one.end], after.board[one.start]), (before.board[one.start], "."))


class EndTests(PropertyCase):
    def test_the_master_is_taken(self) -> None:
        position = dealt(DEAL, board_of(".....", ".....", "k....", ".....", "P.K.."))
        self.assertEqual(position.after(move("tiger", "a1", "a3")).won, "the master is taken")
        position = dealt(DEAL, board_of("..k..", ".....", "..p..", "..K..", "....."), turn=1)
        self.assertEqual(position.after(move("ox", "c3", "c2")).won, "the master is taken")
        position = dealt(DEAL, board_of("..k..", ".....", "p....", ".....", "P.K.."))
        self.assertIs(position.after(move("tiger", "a1", "a3")).won, None)

    def test_the_masters_way(self) -> None:
        temple = "the master stands on the enemy master's start square"
        position = dealt(DEAL, board_of("k....", ".....", "..K..", ".....", "....."))
        self.assertEqual(position.after(move("tiger", "c3", "c5")).won, temple)
        position = dealt(DEAL, board_of(".....", ".....", ".....", "..k..", "....K"), turn=1)
        self.assertEqual(position.after(move("ox", "c2", "c1")).won, temple)
        position = dealt(DEAL, board_of("k....", ".....", "..P..", ".....", "K...."))
        self.assertIs(position.after(move("tiger", "c3", "c5")).won, None)
        position = dealt(DEAL, board_of("k....", ".....", ".....", "..K..", "....."))
        self.assertIs(position.after(move("tiger", "c2", "c1")).won, None)

    def test_both_at_once(self) -> None:
        position = dealt(DEAL, board_of("..k..", ".....", "..K..", ".....", "....."))
        self.assertEqual(position.after(move("tiger", "c3", "c5")).won, "the master is taken")


class ExchangeTests(PropertyCase):
    def test_exchanged(self) -> None:
        before = dealt(DEAL)
        after = before.exchanged(Card("crab"), Card("boar"))
        self.assertEqual((after.hands, after.spare), ((("tiger", "boar"), ("ox", "eel")), "frog"))
        self.assertEqual((after.board, after.turn), (START, 1))
        again = after.exchanged(Card("ox"), Card("crab"))
        self.assertEqual((again.hands, again.turn), ((("tiger", "boar"), ("crab", "eel")), 0))

    def test_exchanged_for_the_spare(self) -> None:
        after = dealt(DEAL).exchanged(Card("crab"), Card("frog"))
        self.assertEqual((after.hands, after.spare, after.turn), ((("tiger", "frog"), ("ox", "eel")), "crab", 1))

    def test_positions_without_a_move(self) -> None:
        """A full file with two cards along it, or a full far row with two that lead ahead and aside, cannot move."""
        left = board_of("P.k..", "P....", "P....", "P....", "K....")
        right = board_of("..k.P", "....P", "....P", "....P", "....K")
        far = board_of("PPPPK", ".....", ".....", ".....", "..k..")
        for hand, board in (("tiger,horse", left), ("tiger,ox", right), ("boar,crab", far), ("crab,elephant", far)):
            self.assertEqual(list(dealt(f"{hand}/eel,cobra/frog", board).moves()), [], hand)
            turned = dealt(f"eel,cobra/{hand}/frog", board[::-1].swapcase(), 1)
            self.assertEqual(list(turned.moves()), [], hand)
        self.assertNotEqual(list(dealt("tiger,horse/eel,cobra/frog", right).moves()), [])

    def test_every_pair_of_cards_can_begin(self) -> None:
        for first in VECTORS:
            for second in VECTORS:
                if first != second:
                    spare = next(card for card in VECTORS if card not in (first, second))
                    self.assertNotEqual(list(dealt(f"{first},{second}/eel,cobra/{spare}").moves()), [])


class ReadingTests(SynchronousTestCase):
    def test_moves(self) -> None:
        self.assertEqual(read_move("OX", 2, 7, "no square"), Move("ox", 2, 7))  # type: ignore[arg-type]
        self.assertEqual(read_move("cow", None, 7, "no square"), NO_CARD)
        for start, end in ((None, 7), (2, None)):
            self.assertEqual(read_move("ox", start, end, "no square"), "no square")

    def test_exchanges(self) -> None:
        self.assertEqual(read_exchange("eel"), Exchange("eel"))  # type: ignore[arg-type]
        self.assertEqual(read_exchange(""), NO_CARD)
