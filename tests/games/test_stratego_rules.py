"""The rules of Stratego: pieces and battles, positions, and a side's set-up."""

import json
import random
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.stratego.master import STRATEGO
from gamehost.games.stratego.rules import (
    BARE,
    KINDS,
    LAKES,
    MOVERS,
    WAYS,
    Action,
    BadPlacement,
    Board,
    Fought,
    Move,
    Moved,
    NotReady,
    Phase,
    Place,
    PlaceRows,
    Placing,
    Position,
    Ready,
    Situation,
    read,
    seen,
    square_name,
    survivor,
    write,
)
from gamehost.testing.cases import PropertyCase
from tests.kit.games.stratego import (
    BLUE,
    BOX,
    POOR,
    POOR_FAR,
    RED,
    as_action,
    drawn,
    from_setups,
    in_play,
    objection,
    played,
    rows_of,
    shown,
    shuffled_rows,
    square,
    told,
)


class PieceTests(SynchronousTestCase):
    def test_box(self) -> None:
        self.assertEqual(sum(kind.count for kind in KINDS.values()), 40)
        self.assertEqual(sum(KINDS[kind].count for kind in MOVERS), 33)
        self.assertEqual("".join(KINDS), "123456789SFB")
        self.assertEqual([kind.count for kind in KINDS.values()], [1, 1, 2, 3, 4, 4, 4, 5, 8, 1, 1, 6])

    def test_table(self) -> None:
        table = {
            "1": "=AAAAAAAA AAD",
            "2": "D=AAAAAAA AAD",
            "3": "DD=AAAAAA AAD",
            "4": "DDD=AAAAA AAD",
            "5": "DDDD=AAAA AAD",
            "6": "DDDDD=AAA AAD",
            "7": "DDDDDD=AA AAD",
            "8": "DDDDDDD=A AAA",
            "9": "DDDDDDDD= AAD",
            "S": "ADDDDDDDD =AD",
        }
        words = {"A": "attacker", "D": "defender", "=": "tie"}
        self.assertEqual("".join(table), MOVERS)
        for attacker, line in table.items():
            for defender, letter in zip(KINDS, line.replace(" ", ""), strict=True):
                self.assertEqual(survivor(attacker, defender), words[letter], (attacker, defender))

    def test_what_cannot_attack_does_not(self) -> None:
        for attacker, defender in (("B", "9"), ("F", "9"), ("0", "9"), ("9", "0"), ("9", "")):
            self.assertRaises(ValueError, survivor, attacker, defender)


def random_position(rng: random.Random, most: int) -> Position:
    position = from_setups(shuffled_rows(rng), shuffled_rows(rng))
    for _ in range(rng.randint(0, most)):
        if position.result(most + 1) is not None:
            break
        following, _ = position.after(*rng.choice(list(position.legal_moves())))
        if following.result(most + 1) is not None:
            break
        position = following
    return position


class BoardTests(PropertyCase):
    def test_lakes(self) -> None:
        names = ["C5", "D5", "C6", "D6", "G5", "H5", "G6", "H6"]
        self.assertEqual(LAKES, {square(name) for name in names})
        self.assertEqual([number for number, code in enumerate(BARE) if code == ord("~")], sorted(LAKES))
        for ways in WAYS:
            self.assertFalse(LAKES & set(ways))
        self.assertNotIn(square("C7"), WAYS[square("C4")])
        self.assertIn(square("E10"), WAYS[square("E1")])

    def test_what_each_seat_sees(self) -> None:
        position = drawn("9A1 FC1", "1A2 BJ10")
        self.assertEqual(seen(position.squares, RED)[:11], "9.F.......#")
        self.assertEqual(seen(position.squares, BLUE)[:11], "#.#.......1")
        self.assertEqual(seen(position.squares, None)[:11], "r.r.......b")
        self.assertEqual([seen(position.squares, seat)[99] for seat in (RED, BLUE, None)], ["#", "B", "b"])
        self.assertEqual(seen(position.squares, RED)[40:50], "..~~..~~..")

    @given(st.randoms(use_true_random=False))
    def test_sight_hides_every_enemy_kind(self, rng: random.Random) -> None:
        """Boards of one seat depend on the squares of the enemy's pieces and on nothing else of them."""
        own = shuffled_rows(rng)
        boards = {seen(from_setups(own, shuffled_rows(rng)).squares, RED) for _ in range(5)}
        self.assertEqual(len(boards), 1)


class MoveTests(PropertyCase):
    def refused(self, position: Position, text: str, word: str) -> None:
        self.assertIn(word, objection(position, text) or "legal")

    def test_one_step(self) -> None:
        position = drawn("5E5 FA1 4D5", "BF5 FJ10")
        for target in ("E4", "E6", "F5"):
            self.assertIsNone(objection(position, f"E5-{target}"), target)
        self.refused(position, "E5-E7", "only a scout")
        self.refused(position, "E5-D4", "straight line")
        self.refused(position, "E5-E5", "straight line")
        self.refused(position, "D4-D5", "no piece of yours")
        self.refused(position, "A1-A2", "cannot move")
        self.refused(position, "F5-G5", "no piece of yours")

    def test_own_piece_and_lake_are_in_the_way(self) -> None:
        position = drawn("5E5 4E4 FA1 BF5", "FJ10")
        self.refused(position, "E5-E4", "your own pieces")
        self.refused(position, "E5-F5", "your own pieces")
        self.refused(position, "E5-D5", "lake")
        self.refused(drawn("9C4 FA1", "FJ10"), "C4-C7", "lake")
        self.refused(drawn("9C4 FA1", "FJ10"), "C5-C4", "no piece of yours")

    def test_bomb_and_flag_stay(self) -> None:
        self.refused(drawn("BA1 FB1", "FJ10"), "A1-A2", "cannot move")
        self.refused(drawn("BA1 FB1", "FJ10"), "B1-B2", "cannot move")

    def test_scout(self) -> None:
        position = drawn("9A1 FE1", "1A6 BA8 FJ10")
        for target in ("A2", "A5", "A6", "D1"):
            self.assertIsNone(objection(position, f"A1-{target}"), target)
        self.refused(position, "A1-A7", "jump")
        self.refused(position, "A1-A8", "jump")
        self.refused(position, "A1-E1", "your own pieces")
        self.refused(position, "A1-F1", "jump")
        self.refused(position, "A1-C3", "straight line")

    def test_winner_of_a_battle_stands_on_the_square(self) -> None:
        position = drawn("3A4 FJ1", "4A5 FJ10")
        self.assertEqual(shown(played(position, "A4-A5")), {"A5": "3", "J1": "F", "J10": "F'"})
        position = drawn("5A4 FJ1", "4A5 FJ10")
        self.assertEqual(shown(played(position, "A4-A5")), {"A5": "4'", "J1": "F", "J10": "F'"})
        position = drawn("4A4 FJ1", "4A5 FJ10")
        self.assertEqual(shown(played(position, "A4-A5")), {"J1": "F", "J10": "F'"})

    def test_second_player_battles_alike(self) -> None:
        position = played(drawn("1A4 9B1 FJ1", "SA5 FJ10"), "B1-B2", "A5-A4")
        self.assertEqual(shown(position)["A4"], "S'")
        self.assertEqual(position.turn, RED)

    def test_bomb_stays_unless_a_miner_comes(self) -> None:
        self.assertEqual(shown(played(drawn("1A4 FJ1", "BA5 FJ10"), "A4-A5"))["A5"], "B'")
        self.assertEqual(shown(played(drawn("8A4 FJ1", "BA5 FJ10"), "A4-A5"))["A5"], "8")

    @given(st.randoms(use_true_random=False))
    def test_objection_agrees_with_the_list(self, rng: random.Random) -> None:
        position = random_position(rng, 120)
        listed = list(position.legal_moves())
        self.assertEqual(len(listed), len(set(listed)))
        allowed = {
            (source, target) for source in range(100) for target in range(100) if not position.objection(source, target)
        }
        self.assertEqual(set(listed), allowed)
        self.assertEqual(position.can_move(position.turn), bool(listed))

    @given(st.randoms(use_true_random=False))
    def test_a_move_leaves_the_position_before_it_alone(self, rng: random.Random) -> None:
        position = random_position(rng, 60)
        before = (position.squares, position.turn, position.plies, position.walks)
        following, _ = position.after(*rng.choice(list(position.legal_moves())))
        self.assertEqual((position.squares, position.turn, position.plies, position.walks), before)
        self.assertEqual((following.turn, following.plies), (Seat(1 - position.turn), position.plies + 1))


class TwoSquaresTests(PropertyCase):
    THERE_AND_BACK = ("A1-A2", "J10-J9", "A2-A1", "J9-J10")

    def shuttled(self, times: int, two_squares: int, first: str = "5A1 FE1 4D1") -> Position:
        """A position in which a piece of the first player has crossed A1-A2 so often in a row; it is to move again."""
        position = drawn(first, "5J10 FE10 4D10", two_squares)
        for turn in range(times):
            position = played(position, self.THERE_AND_BACK[2 * turn % 4])
            # The second player walks on and on, so that only one side is ever barred.
            position = played(position, ("J10-J9", "J9-J8", "J8-J7", "J7-J6", "J6-J5")[turn])
        return position

    def test_three_crossings_and_no_fourth(self) -> None:
        self.assertIsNone(objection(self.shuttled(2, 3), "A1-A2"))
        position = self.shuttled(3, 3)
        self.assertIn("two-squares", objection(position, "A2-A1") or "")
        self.assertIsNone(objection(position, "A2-A3"))
        self.assertIsNone(objection(position, "D1-D2"))
        self.assertNotIn((square("A2"), square("A1")), list(position.legal_moves()))

    def test_five(self) -> None:
        self.assertIsNone(objection(self.shuttled(4, 5), "A1-A2"))
        self.assertIn("two-squares", objection(self.shuttled(5, 5), "A2-A1") or "")

    def test_off(self) -> None:
        for times in range(6):
            self.assertIsNone(objection(self.shuttled(times, 0), ("A1-A2", "A2-A1")[times % 2]))

    def test_another_piece_in_between_starts_anew(self) -> None:
        position = played(self.shuttled(3, 3), "D1-D2", "D10-D9")
        self.assertIsNone(objection(position, "A2-A1"))

    def test_another_border_in_between_starts_anew(self) -> None:
        position = played(self.shuttled(3, 3), "A2-B2", "D10-D9", "B2-A2", "D9-D8")
        self.assertIsNone(objection(position, "A2-A1"))

    def test_scout_crosses_every_border_on_its_way(self) -> None:
        position = drawn("9A1 FE1 4D1", "5J10 FE10 4D10")
        position = played(position, "A1-A4", "J10-J9", "A4-A2", "J9-J8", "A2-A7", "J8-J7")
        # Crossed in all three: only the border between A3 and A4; A2-A3 too.
        self.assertIn("two-squares", objection(position, "A7-A3") or "")
        self.assertIn("two-squares", objection(position, "A7-A2") or "")
        self.assertIsNone(objection(position, "A7-A4"))
        self.assertIsNone(objection(position, "A7-A8"))
        listed = [target for source, target in position.legal_moves() if source == square("A7")]
        self.assertIn(square("A4"), listed)
        self.assertNotIn(square("A3"), listed)

    def test_an_attack_is_a_crossing(self) -> None:
        position = drawn("5A1 FE1 4D1", "5J10 FE10 9B2")
        position = played(position, "A1-A2", "B2-B1", "A2-A1", "J10-J9", "A1-A2", "B1-A1")
        self.assertIn("two-squares", objection(position, "A2-A1") or "")

    def test_a_piece_on_the_square_of_a_lost_one_is_another(self) -> None:
        """Who comes to stand where the walker was taken has crossed nothing yet."""
        position = drawn("5A1 FE1 3B2", "5J10 FE10 4A3")
        position = played(position, "A1-A2", "J10-J9", "A2-A1", "J9-J8", "A1-A2", "A3-A2", "B2-A2", "J8-J7")
        self.assertEqual(shown(position)["A2"], "3")
        self.assertIsNone(objection(position, "A2-A1"))

    def test_pieces_that_follow_each_other_are_counted_apart(self) -> None:
        position = drawn("9A1 9A2 9A3 FE1", "5J10 FE10")
        position = played(position, "A3-A6", "J10-J9", "A2-A5", "J9-J8", "A1-A4", "J8-J7")
        self.assertIsNone(objection(position, "A4-A3"))

    def test_sides_are_counted_apart(self) -> None:
        position = drawn("5A1 FE1 4D1", "5J10 FE10 4D10")
        position = played(position, "A1-A2", "J10-J9", "A2-A1", "J9-J10", "A1-A2", "J10-J9")
        self.assertIn("two-squares", objection(position, "A2-A1") or "")
        position = played(position, "A2-A3")
        self.assertIn("two-squares", objection(position, "J9-J10") or "")


class EndTests(PropertyCase):
    def ended(self, position: Position, winners: tuple[Seat, ...], why: str) -> None:
        self.assertEqual(position.result(2000), Result(winners, Cause.RULES, why))

    def test_who_takes_the_flag_has_won(self) -> None:
        self.ended(played(drawn("9A4 FJ1", "FA5"), "A4-A5"), (RED,), "flag taken")
        position = played(drawn("9B1 FA1 1C1", "9A2 FJ10"), "C1-D1", "A2-A1")
        self.ended(position, (BLUE,), "flag taken")

    def test_going_on(self) -> None:
        self.assertIsNone(from_setups(POOR, POOR_FAR).result(2000))

    def test_no_move_left(self) -> None:
        self.ended(drawn("FA1 BB1", "9J9 FJ10"), (BLUE,), "no move left")
        self.ended(played(drawn("5A4 FJ1", "9A5 FJ10"), "A4-A5"), (RED,), "no move left")
        beaten = played(drawn("5A4 FJ1", "4A5 FJ10"), "A4-A5")
        self.assertIsNone(beaten.result(2000))
        self.ended(played(beaten, "A5-A6"), (BLUE,), "no move left")

    def test_neither_side(self) -> None:
        """If neither can move it is a draw, such as when the last two remove each other."""
        self.ended(played(drawn("5A4 FJ1", "5A5 FJ10"), "A4-A5"), (), "neither side can move")

    def test_shut_in_from_the_start(self) -> None:
        shut = ("F123344455", "5566667777", "8888899999", "BB99BB9SBB")
        self.ended(from_setups(shut, POOR_FAR), (BLUE,), "no move left")
        self.ended(from_setups(shut, ("BB99BB9SBB", *shut[:3])), (), "neither side can move")

    def test_barred_by_two_squares(self) -> None:
        position = drawn("5A1 FB1 BB2 BA3", "5J10 FE10")
        position = played(position, "A1-A2", "J10-J9", "A2-A1", "J9-J8", "A1-A2", "J8-J7")
        self.assertEqual(list(position.legal_moves()), [])
        self.ended(position, (BLUE,), "no move left")

    def test_the_limit_of_moves_is_a_draw_unless_that_move_ends_it_otherwise(self) -> None:
        position = played(from_setups(POOR, POOR_FAR), "A4-A5")
        self.assertIsNone(position.result(2))
        self.assertEqual(position.result(1), Result((), Cause.RULES, "too many moves"))
        taken = played(drawn("9A4 FJ1", "FA5"), "A4-A5")
        self.assertEqual(taken.result(1), Result((RED,), Cause.RULES, "flag taken"))


#: Integers as they come off a wire, on the board or not.
COORDINATES = st.one_of(st.integers(-1, 10), st.integers(-(2**31), 2**31 - 1))


class PlacingTests(PropertyCase):
    def refused(self, placing: Placing, piece: str, x: int, y: int, word: str) -> None:
        before = bytes(placing.squares)
        error = self.assertRaises(BadPlacement, placing.place, piece, x, y)
        self.assertIn(word, str(error))
        self.assertEqual(bytes(placing.squares), before)

    def test_first_player_has_rows_0_to_3(self) -> None:
        placing = Placing(RED)
        placing.place("9", 0, 0)
        placing.place("9", 9, 3)
        for x, y in ((0, 4), (0, 6), (10, 0), (-1, 3), (0, -1), (2**31 - 1, 0), (0, 2**31 - 1)):
            self.refused(placing, "9", x, y, "y 0 to 3")

    def test_second_player_has_rows_6_to_9(self) -> None:
        placing = Placing(BLUE)
        placing.place("9", 0, 6)
        placing.place("9", 9, 9)
        for x, y in ((0, 5), (0, 3), (0, 10), (10, 6), (-1, 9)):
            self.refused(placing, "9", x, y, "y 6 to 9")

    def test_no_such_piece(self) -> None:
        for piece in ("0", "A", "\0", "", "s", "99", "\u0663", "."):
            placing = Placing(RED)
            self.refused(placing, piece, 0, 0, "no such piece")
        error = self.assertRaises(BadPlacement, Placing(RED).place, "\x1b[2J", 0, 0)
        self.assertNotIn("\x1b", str(error))

    def test_taken(self) -> None:
        placing = Placing(RED)
        placing.place("9", 4, 2)
        self.refused(placing, "8", 4, 2, "already")

    def test_none_left(self) -> None:
        placing = Placing(RED)
        placing.place("F", 0, 0)
        self.refused(placing, "F", 1, 0, "has 1")
        for x in range(6):
            placing.place("B", x, 1)
        self.refused(placing, "B", 6, 1, "has 6")

    def test_ready_with_forty_pieces_only(self) -> None:
        placing = Placing(BLUE)
        for number, piece in enumerate(BOX):
            error = self.assertRaises(NotReady, placing.say_ready)
            self.assertIn(f"{40 - number} of your 40", str(error))
            placing.place(piece, number % 10, 9 - number // 10)
        placing.say_ready()
        self.assertTrue(placing.ready)
        self.assertRaises(BadPlacement, placing.say_ready)
        self.refused(placing, "9", 0, 0, "you are ready")
        self.assertEqual(seen(placing.squares, BLUE)[60:], "".join(reversed(rows_of(BOX))))

    def test_all_at_once(self) -> None:
        for seat, start in ((RED, 0), (BLUE, 60)):
            placing = Placing(seat)
            placing.place_rows(POOR)
            self.assertTrue(placing.ready)
            board = seen(placing.squares, seat)
            self.assertEqual(board[start : start + 40], "".join(POOR))
            self.assertEqual(sum(square not in ".~" for square in board), 40)
            self.assertRaises(BadPlacement, placing.say_ready)

    def test_all_or_nothing(self) -> None:
        first, *rest = POOR
        for rows, word in (
            ((), "four rows"),
            (POOR[:3], "four rows"),
            ((*POOR, "9999999999"), "four rows"),
            ((first[:9], *rest), "four rows"),
            ((first + "9", *rest), "four rows"),
            ((first[:9], first[9] + rest[0], *rest[1:]), "four rows"),
            ((first.replace("F", "9"), *rest), "exactly"),
            ((first.replace("1", "F"), *rest), "exactly"),
            ((first.replace("1", "."), *rest), "exactly"),
            ((first.replace("1", "\x1b"), *rest), "exactly"),
        ):
            placing = Placing(RED)
            error = self.assertRaises(BadPlacement, placing.place_rows, rows)
            self.assertIn(word, str(error))
            self.assertNotIn("\x1b", str(error))
            self.assertFalse(placing.ready)
            self.assertNotIn("9", seen(placing.squares, RED))

    def test_rows_again_take_the_place_of_rows(self) -> None:
        """A whole set-up may be sent again, as a client does that has lost its memory; the later one stands."""
        placing = Placing(RED)
        placing.place_rows(POOR)
        other = POOR[::-1]
        placing.place_rows(other)
        self.assertEqual(seen(placing.squares, RED)[:40], "".join(other))
        self.assertRaises(BadPlacement, placing.place_rows, POOR[:3])
        self.assertEqual(seen(placing.squares, RED)[:40], "".join(other))

    def test_rows_do_not_mix_with_single_pieces(self) -> None:
        """Who has placed single pieces goes on with them, before and after being ready."""
        placing = Placing(RED)
        placing.place("9", 0, 0)
        self.assertIn("one by one", str(self.assertRaises(BadPlacement, placing.place_rows, POOR)))
        pieces = BOX.replace("9", "", 1)
        for number, piece in enumerate(pieces, 1):
            placing.place(piece, number % 10, number // 10)
        placing.say_ready()
        self.assertRaises(BadPlacement, placing.place_rows, POOR)

    @given(st.randoms(use_true_random=False), st.sampled_from([RED, BLUE]))
    def test_one_by_one_equals_all_at_once(self, rng: random.Random, seat: Seat) -> None:
        rows = shuffled_rows(rng)
        whole, single = Placing(seat), Placing(seat)
        whole.place_rows(rows)
        low = 6 if seat else 0
        squares = [(x, y) for y in range(4) for x in range(10)]
        rng.shuffle(squares)
        for x, y in squares:
            single.place(rows[y][x], x, y + low)
        single.say_ready()
        self.assertEqual(single.squares, whole.squares)

    @given(st.lists(st.tuples(st.sampled_from("19SFB0x"), COORDINATES, COORDINATES), max_size=60))
    def test_whatever_comes(self, wishes: list[tuple[str, int, int]]) -> None:
        placing = Placing(BLUE)
        for piece, x, y in wishes:
            try:
                placing.place(piece, x, y)
            except BadPlacement:
                continue
            self.assertEqual(seen(placing.squares, BLUE)[y * 10 + x], piece)
        board = seen(placing.squares, BLUE)
        self.assertNotIn("#", board)
        self.assertEqual(board[:60].strip("."), seen(Placing(BLUE).squares, None)[:60].strip("."))
        for piece, most in (("1", 1), ("9", 8), ("S", 1), ("F", 1), ("B", 6)):
            self.assertLessEqual(board.count(piece), most)


# Actions as they are written down.


class NotationTests(PropertyCase):
    def test_examples(self) -> None:
        examples: list[tuple[bytes, Action]] = [
            (b"A4-A5", Move(0, 3, 0, 4)),
            (b"J10-J1", Move(9, 9, 9, 0)),
            (b"9@A10", Place("9", 0, 9)),
            (b"S@B1", Place("S", 1, 0)),
            ("/".join(POOR).encode(), PlaceRows(POOR)),
            (b"ready", Ready()),
        ]
        for notation, action in examples:
            self.assertEqual(read(notation), action)
            self.assertEqual(write(action), notation)

    def test_anything_else(self) -> None:
        for notation in (
            b"", b"A4A5", b"a4-a5", b"A0-A1", b"A11-A10", b"K1-K2", b"A04-A05", b"A4-A5\n", b" A4-A5",
            b"A4-A5-9", b"X@A1", b"9@A", b"Ready", "A4\u2013A5".encode(), "A\u0664-A5".encode(), b"\xff",
            b"/".join([b"9" * 10] * 3),
        ):  # fmt: skip
            self.assertRaises(ValueError, read, notation)

    def test_no_such_square(self) -> None:
        for x, y in ((-1, 0), (10, 0), (0, 10), (0, -1)):
            self.assertRaises(ValueError, square_name, x, y)
            self.assertRaises(ValueError, write, Place("9", x, y))

    @given(st.builds(Move, *[st.integers(0, 9)] * 4))
    def test_every_move(self, move: Move) -> None:
        self.assertEqual(read(write(move)), move)


# Counts and whole games that other implementations agree on.


GAMES = Path(__file__).parent.parent / "vectors" / "stratego_games.jsonl"

#: Set-ups (y 0..3, y 6..9) and the number of move sequences of length 1, 2, 3 ...
PERFT = (
    (POOR, POOR_FAR, (6, 29, 189, 1239, 8411)),
    (
        rows_of("8362BS4579B8B8985B7BF69866173499999574B5"),
        rows_of("963F89S61B95574B4867595894387B99279BB86B"),
        (11, 98, 1209, 14367, 185270),
    ),
    (
        rows_of("94F9B795B99949581259676BB68SB87367858B43"),
        rows_of("3123464959599887F7578B86946BB79B996B8BS5"),
        (6, 47, 478, 5454, 59428),
    ),
)


def perft(position: Position, depth: int) -> int:
    if position.result(2000) is not None:
        return 0
    turn = position.turn
    view = Situation(turn, Phase.PLAY, seen(position.squares, turn), (True, True), turn, None, position.walks[turn])
    moves = STRATEGO.legal(view, turn)
    assert moves is not None
    return sum(1 if depth == 1 else perft(position.after(*squares_of(move))[0], depth - 1) for move in moves)


def squares_of(move: Any) -> tuple[int, int]:
    return move.y * 10 + move.x, move.to_y * 10 + move.to_x


class PerftTests(SynchronousTestCase):
    """Legal moves, counted to depth 4; `long_stratego` goes to 5."""

    def test_counts(self) -> None:
        for first, second, counts in PERFT:
            position = from_setups(first, second)
            for depth in range(1, 5):
                self.assertEqual(perft(position, depth), counts[depth - 1], (first, depth))


class GameTests(SynchronousTestCase):
    def replay(self, record: dict[str, Any]) -> None:
        master = in_play(record["setup0"], record["setup1"])
        for ply, (x, y, to_x, to_y, choices, battle) in enumerate(record["plies"]):
            self.assertIs(master.result, None)
            position = master.position
            assert position is not None
            self.assertEqual(sum(1 for _ in position.legal_moves()), choices, ply)
            move = as_action((y * 10 + x, to_y * 10 + to_x))
            event = told(master.act(position.turn, move, ply), None)[0]
            self.assertEqual((event.seat, event.move), (Seat(ply % 2), move))
            if battle is None:
                self.assertIsInstance(event, Moved)
            else:
                self.assertIsInstance(event, Fought)
                # In the records a flag is not beaten but taken.
                left = "attacker" if battle[2] == "flag" else battle[2]
                self.assertEqual([event.attacker, event.defender, event.winner], [battle[0], battle[1], left], ply)
        why = {"flag": "flag taken", "opponent cannot move": "no move left"}[record["why"]]
        self.assertEqual(master.result, Result((Seat(record["winner"]),), Cause.RULES, why))
        board = Board(record["final0"].replace("?", "#"))
        self.assertEqual(Board(master.view(Seat(0)).squares), board)

    def test_recorded_games(self) -> None:
        records = [json.loads(line) for line in GAMES.read_text().splitlines()]
        self.assertEqual(len(records), 12)
        for record in records:
            self.replay(record)
        self.assertEqual({record["why"] for record in records}, {"flag", "opponent cannot move"})
