"""The referee of Stratego: the contract of all games, the token, who is told what when, and the times."""

import os
import random
import sys
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
from attrs import evolve
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

import gamehost
from gamehost.games.base import Cause, IllegalAction, Result, ScriptedChance, Seat
from gamehost.games.stratego.master import STRATEGO, BadMove, StrategoMaster
from gamehost.games.stratego.messages import MESSAGES
from gamehost.games.stratego.rules import (
    KINDS,
    Action,
    BadPlacement,
    Board,
    Fought,
    Move,
    Moved,
    NotReady,
    Opened,
    Over,
    Phase,
    Place,
    Placed,
    PlacedAll,
    PlaceRows,
    Playing,
    Ready,
    ReadySet,
    Situation,
    codes,
    nowhere,
)
from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from gamehost.testing.messages_contract import MessagesContract
from tests.kit.games.stratego import (
    BLUE,
    BOX,
    POOR,
    POOR_FAR,
    READY,
    RED,
    as_action,
    drawn,
    in_play,
    in_play_from,
    rows_of,
    seated,
    shuffled_rows,
    told,
)

EMPTY_BOARD = "." * 40 + "..~~..~~.." * 2 + "." * 40


class MasterTests(MasterContract, PropertyCase):
    """What every master must do. The clock of the set-up is off: it has its own tests."""

    game = STRATEGO
    settings = {"setup_time": "0"}

    def legal(self, master: StrategoMaster, rng: random.Random) -> tuple[Seat, Action] | None:
        if master.position is not None:
            return master.position.turn, as_action(rng.choice(list(master.position.legal_moves())))
        seat = rng.choice([seat for seat in (RED, BLUE) if not master.view(seat).ready[seat]])
        board = master.view(seat).squares
        standing = [piece for piece in board if piece not in ".~"]
        if not standing and rng.random() < 0.9:
            return seat, PlaceRows(shuffled_rows(rng))
        if len(standing) == 40:
            return seat, READY
        left = list(BOX)
        for piece in standing:
            left.remove(piece)
        low = 6 if seat else 0
        free = [(x, y) for y in range(low, low + 4) for x in range(10) if board[y * 10 + x] == "."]
        return seat, Place(rng.choice(left), *rng.choice(free))

    def illegal(self, master: StrategoMaster, rng: random.Random) -> Sequence[tuple[Seat, Action]]:
        position = master.position
        if position is None:
            wrong: list[tuple[Seat, Action]] = []
            for seat in (RED, BLUE):
                wrong += [(seat, Move(0, 3, 0, 4)), (seat, Place("9", 0, 5)), (seat, Place("X", 0, 0))]
                wrong += [(seat, PlaceRows(POOR[:3])), (seat, PlaceRows(rows_of("9" * 40)))]
                if (
                    sum(square not in ".~" for square in master.view(seat).squares) < 40
                    or master.view(seat).ready[seat]
                ):
                    wrong.append((seat, Ready()))
            return wrong
        mover, other = position.turn, Seat(1 - position.turn)
        legal = list(position.legal_moves())
        moves = [(rng.randrange(100), rng.randrange(100)) for _ in range(20)]
        wrong = [(mover, as_action(move)) for move in moves if move not in legal]
        wrong += [(other, as_action(move)) for move in legal[:3]]
        wrong += [(mover, Move(-1, 0, 0, 0)), (mover, Move(0, 0, 0, 10)), (mover, Move(0, 3, 0, 2**31 - 1))]
        for seat in (RED, BLUE):
            wrong += [(seat, Ready()), (seat, Place("9", 0, 0)), (seat, PlaceRows(POOR))]
        return wrong

    def twins(self, master: StrategoMaster, seat: Seat, rng: random.Random) -> Sequence[Any]:
        """The other side's kinds are dealt anew to its pieces."""
        twin, position, other = deepcopy(master), master.position, Seat(1 - seat)
        if position is None:
            placing = twin._placings[other]
            shuffle_kinds(placing.squares, other, rng)
        else:
            squares = bytearray(position.squares)
            shuffle_kinds(squares, other, rng)
            twin.position = replace(position, squares=bytes(squares))
        return [twin]


def shuffle_kinds(squares: bytearray, seat: Seat, rng: random.Random) -> None:
    own = codes(seat, "".join(KINDS))
    places = [place for place, code in enumerate(squares) if code in own]
    kinds = [squares[place] for place in places]
    rng.shuffle(kinds)
    for place, kind in zip(places, kinds, strict=True):
        squares[place] = kind


class SetUpTests(PropertyCase):
    def test_a_match_opens_with_the_set_up_for_everyone(self) -> None:
        master = STRATEGO.new_master(2, {}, ScriptedChance())
        events = master.begin(0)
        for seat in (RED, BLUE, None):
            self.assertEqual(told(events, seat), [Opened()])

    def test_a_placement_is_told_to_its_player(self) -> None:
        """A piece, and a whole set-up, is confirmed to who placed it; of a whole set-up others learn that it stands."""
        master = seated()
        events = master.act(RED, Place("9", 4, 3), 1)
        self.assertEqual(told(events, RED), [Placed("9", 4, 3)])
        self.assertEqual(told(events, BLUE), [])
        self.assertEqual(told(events, None), [])
        events = master.act(BLUE, PlaceRows(POOR), 1)
        self.assertEqual(told(events, BLUE), [PlacedAll(POOR), ReadySet(BLUE)])
        self.assertEqual(told(events, RED), [ReadySet(BLUE)])
        self.assertEqual(told(events, None), [ReadySet(BLUE)])

    def test_rows_sent_again(self) -> None:
        master = seated()
        master.act(BLUE, PlaceRows(POOR), 0)
        events = master.act(BLUE, PlaceRows(POOR_FAR), 0)
        self.assertEqual(told(events, BLUE), [PlacedAll(POOR_FAR)])
        self.assertEqual(told(events, RED), [])
        events = master.act(RED, PlaceRows(POOR), 0)
        self.assertEqual(told(events, BLUE)[-1].squares[60:], "".join(POOR_FAR))

    def test_one_by_one_against_all_at_once(self) -> None:
        master = seated()
        master.act(BLUE, PlaceRows(POOR_FAR), 0)
        for number, piece in enumerate("".join(POOR)):
            self.assertRaises(NotReady, master.act, RED, READY, 1)
            master.act(RED, Place(piece, number % 10, number // 10), 1)
        self.assertEqual(master.view(RED).phase, Phase.SETUP)
        events = master.act(RED, READY, 2)
        board = "".join(POOR) + "..~~..~~.." * 2 + "#" * 40
        self.assertEqual(told(events, RED), [ReadySet(RED), Playing(RED, RED), Board(board)])
        board = "#" * 40 + "..~~..~~.." * 2 + "".join(POOR_FAR)
        self.assertEqual(told(events, BLUE), [ReadySet(RED), Playing(RED, RED), Board(board)])
        self.assertEqual(told(events, None), [ReadySet(RED), Playing(RED, RED)])

    def test_kinds_of_refusal(self) -> None:
        master = seated()
        self.assertRaises(NotReady, master.act, RED, READY, 0)
        self.assertRaises(BadMove, master.act, RED, Move(0, 3, 0, 4), 0)
        master.act(RED, PlaceRows(POOR), 0)
        more: tuple[Action, ...] = (READY, Place("9", 0, 0))
        for late in more:
            self.assertRaises(BadPlacement, master.act, RED, late, 0)
        master.act(BLUE, PlaceRows(POOR_FAR), 0)
        more = (*more, PlaceRows(POOR))
        for late in more:
            for seat in (RED, BLUE):
                self.assertRaises(BadPlacement, master.act, seat, late, 0)
        self.assertRaises(BadMove, master.act, BLUE, Move(0, 6, 0, 5), 0)
        master.forfeit(RED, 0)
        for late in more:
            self.assertRaises(BadPlacement, master.act, RED, late, 0)
        self.assertRaises(BadMove, master.act, RED, Move(0, 3, 0, 4), 0)

    def test_shut_in(self) -> None:
        master = seated()
        master.act(BLUE, PlaceRows(POOR_FAR), 0)
        events = master.act(RED, PlaceRows(("F123344455", "5566667777", "8888899999", "BB99BB9SBB")), 0)
        result = Result((BLUE,), Cause.RULES, "no move left")
        self.assertEqual(master.result, result)
        for seat in (RED, BLUE):
            playing, board, over = told(events, seat)[-3:]
            self.assertEqual(playing, Playing(RED, None))
            self.assertIsInstance(board, Board)
            self.assertEqual(over, Over(result, None))


class ClockTests(PropertyCase):
    def test_set_up_has_its_own_time(self) -> None:
        master = seated()
        self.assertEqual(master.deadline, 300_000)
        master.act(RED, Place("9", 0, 0), 1000)
        self.assertEqual(master.deadline, 300_000)
        self.assertEqual(seated(setup_time="90.5").deadline, 90_500)
        self.assertEqual(seated(setup_time="60", move_time="5").deadline, 60_000)
        self.assertIs(seated(setup_time="0").deadline, None)

    def test_play_ends_the_clock_of_the_set_up(self) -> None:
        self.assertIs(in_play().deadline, None)
        master = in_play(move_time="5")
        self.assertEqual(master.deadline, 5000)
        master.act(RED, Move(0, 3, 0, 4), 700)
        self.assertEqual(master.deadline, 5700)
        self.assertRaises(IllegalAction, master.act, RED, Move(0, 4, 0, 5), 800)
        self.assertEqual(master.deadline, 5700)

    def test_off_leaves_the_set_up_to_the_clock_of_moves(self) -> None:
        """Without a clock of its own each placement is a decision, if decisions are timed."""
        master = seated(setup_time="0", move_time="5")
        self.assertEqual(master.deadline, 5000)
        master.act(BLUE, Place("9", 0, 6), 700)
        self.assertEqual(master.deadline, 5700)

    def test_who_is_not_ready_loses(self) -> None:
        for seat in (RED, BLUE):
            master = seated()
            master.act(seat, PlaceRows(POOR), 0)
            master.act(Seat(1 - seat), Place("9", 0, 0 if seat else 9), 0)
            result = Result((seat,), Cause.TIME, "not set up in time")
            self.assertEqual(told(master.expire(300_000), Seat(1 - seat)), [Over(result, None)])
            self.assertEqual((master.result, master.deadline), (result, None))

    def test_nobody_is_ready(self) -> None:
        master = seated()
        master.expire(300_000)
        self.assertEqual(master.result, Result((), Cause.TIME, "not set up in time"))


class PlayTests(PropertyCase):
    def test_a_move(self) -> None:
        master = in_play()
        move = Move(0, 3, 0, 4)
        events = master.act(RED, move, 1)
        for seat in (RED, BLUE):
            moved, board = told(events, seat)
            self.assertEqual(moved, Moved(RED, move, BLUE))
            self.assertEqual(board.squares[30], ".")
            self.assertEqual(board.squares[40], "9" if seat == RED else "#")
            self.assertEqual(board.squares, master.view(seat).squares)
        self.assertEqual(told(events, None), [Moved(RED, move, BLUE)])

    def test_squares_off_the_board(self) -> None:
        for move in (
            Move(-1, 4, 9, 4),
            Move(9, -7, 9, 4),
            Move(39, 0, 9, 4),
            Move(9, 3, -1, 5),
            Move(9, 3, 49, 0),
            Move(9, 3, 9, -6),
            Move(0, 3, 0, 2**31 - 1),
            Move(-(2**31), 3, 0, 4),
        ):
            position = drawn("9J4 FA1", "9A10 FJ10")
            master = in_play_from(position)
            error = self.assertRaises(BadMove, master.act, RED, move, 1)
            self.assertIn("no such square", str(error))
            self.assertIs(master.position, position)

    def test_a_battle(self) -> None:
        for first, second, winner, after in (
            ("5A4 FJ1", "9A5 FJ10 1I10", "attacker", ("5", "#")),
            ("5A4 FJ1 1I1", "4A5 FJ10", "defender", ("#", "4")),
            ("5A4 FJ1 1I1", "5A5 FJ10 1I10", "tie", (".", ".")),
        ):
            master = in_play_from(drawn(first, second))
            move = Move(0, 3, 0, 4)
            events = master.act(RED, move, 1)
            for seat in (RED, BLUE):
                fought, board = told(events, seat)
                self.assertEqual(
                    fought,
                    Fought(RED, move, "5", second[0], winner, BLUE),  # type: ignore[arg-type]
                )
                self.assertEqual(board.squares[40], after[seat])
            self.assertEqual(len(told(events, None)), 1)

    def test_taking_the_flag_ends_the_match(self) -> None:
        master = in_play_from(drawn("5A4 FJ1", "FA5 1J10"))
        events = master.act(RED, Move(0, 3, 0, 4), 1)
        result = Result((RED,), Cause.RULES, "flag taken")
        fought, board, over = told(events, BLUE)
        self.assertEqual(fought, Fought(RED, Move(0, 3, 0, 4), "5", "F", "attacker", None))
        self.assertEqual(board.squares[40], "#")
        self.assertEqual(over, Over(result, RED))
        self.assertEqual(master.result, result)

    def test_draw_after_so_many_moves(self) -> None:
        master = in_play(max_plies="2")
        master.act(RED, Move(0, 3, 0, 4), 1)
        self.assertIs(master.result, None)
        events = master.act(BLUE, Move(0, 6, 0, 5), 1)
        over = Over(Result((), Cause.RULES, "too many moves"), BLUE)
        self.assertEqual(told(events, None)[-1], over)

    def test_two_squares_setting(self) -> None:
        for setting, allowed in (("3", 3), ("5", 5), ("0", 8)):
            master = in_play(two_squares=setting)
            crossings = 0
            for _ in range(8):
                y = 3 + crossings % 2
                try:
                    master.act(RED, Move(0, y, 0, 7 - y), 1)
                except BadMove:
                    break
                crossings += 1
                # The second player walks about without coming back over a border at once.
                assert master.position is not None
                moves = [as_action(move) for move in master.position.legal_moves()]
                calm = [move for move in moves if move.to_y >= 5]
                master.act(BLUE, calm[crossings % len(calm)], 1)
            self.assertEqual(crossings, allowed)


class ViewTests(PropertyCase):
    def test_set_up(self) -> None:
        master = seated()
        master.act(RED, Place("9", 0, 0), 0)
        master.act(BLUE, PlaceRows(POOR), 0)
        board = "9" + EMPTY_BOARD[1:]
        ready = (False, True)
        self.assertEqual(master.view(RED), Situation(RED, Phase.SETUP, board, ready, None, None, nowhere(3), True))
        board = EMPTY_BOARD[:60] + "".join(POOR)
        self.assertEqual(master.view(BLUE), Situation(BLUE, Phase.SETUP, board, ready, None, None, nowhere(3)))
        self.assertEqual(master.view(None), Situation(None, Phase.SETUP, EMPTY_BOARD, ready, None, None))

    def test_play(self) -> None:
        master = in_play()
        master.act(RED, Move(0, 3, 0, 4), 0)
        situation = master.view(BLUE)
        self.assertEqual(situation.phase, Phase.PLAY)
        self.assertEqual(situation.turn, BLUE)
        self.assertEqual(situation.ready, (True, True))
        self.assertEqual(situation.squares, "#" * 30 + "." + "#" * 9 + "#.~~..~~....~~..~~.." + "".join(POOR_FAR))
        watched = master.view(None).squares
        self.assertEqual(watched, "r" * 30 + "." + "r" * 9 + "r.~~..~~....~~..~~.." + "b" * 40)

    def test_over(self) -> None:
        master = in_play()
        before = master.view(RED)
        master.forfeit(BLUE, 9)
        situation = master.view(RED)
        self.assertEqual(situation, evolve(before, phase=Phase.OVER, turn=None, result=master.result))


class SettingTests(PropertyCase):
    def test_bad_values(self) -> None:
        for name, text in (
            ("two_squares", "4"),
            ("two_squares", ""),
            ("max_plies", "0"),
            ("max_plies", "100001"),
            ("max_plies", "many"),
            ("setup_time", "-1"),
            ("setup_time", "later"),
        ):
            error = self.assertRaises(BadOption, STRATEGO.check, {name: text})
            self.assertIn(name, str(error))

    def test_every_setting_together(self) -> None:
        settings = {"move_time": "30", "setup_time": "600", "two_squares": "5", "max_plies": "500"}
        STRATEGO.check(settings)
        self.assertEqual(set(STRATEGO.options), set(settings))
        self.assertEqual((STRATEGO.name, STRATEGO.least_seats, STRATEGO.most_seats), ("stratego", 2, 2))


#: Only the package itself counts: callbacks of the garbage collector belong to other packages, whatever their path.
PACKAGE = str(Path(gamehost.__file__).parent) + os.sep


def lines_of(master: StrategoMaster, move: Move) -> list[tuple[str, int]]:
    ran: list[tuple[str, int]] = []

    def follow(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line":
            ran.append((frame.f_code.co_filename, frame.f_lineno))
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        master.act(RED, move, 0)
    except IllegalAction:
        return ran
    finally:
        sys.settrace(before)
    raise AssertionError(f"{move} was to be refused")


class RefusalTimeTests(SynchronousTestCase):
    def test_same_lines_whatever_is_hidden(self) -> None:
        """Moves onto, from and through hidden pieces, diagonal ones and none: 40 set-ups of the enemy, one way."""
        own = rows_of("".join(shuffled_rows(random.Random(1))))
        refused = [
            Move(x, y, to_x, to_y)
            for x, y, to_x, to_y in (
                *((column, 6, column, 5) for column in range(10)),  # the enemy's own pieces
                *((column, 9, column, 8) for column in range(10)),
                *((column, 3, column, 7) for column in range(10)),  # through or too far
                *((column, 0, column, 9) for column in range(10)),
                (4, 4, 4, 5),
                (2, 3, 2, 4),
                (0, 3, 1, 4),
                (0, 6, 0, 6),
            )
        ]
        paths: dict[Move, list[tuple[str, int]]] = {}
        for seed in range(40):
            master = in_play(own, shuffled_rows(random.Random(seed)))
            self.assertEqual((RED, BLUE), (0, 1))
            for move in refused:
                ran = lines_of(master, move)
                self.assertTrue(ran)
                self.assertEqual(paths.setdefault(move, ran), ran, move)


# Stratego as other programs see it.


class MessagesTests(MessagesContract, PropertyCase):
    messages = MESSAGES
    player = MasterTests()

    def test_messages(self) -> None:
        move = Move(0, 3, 0, 4)
        for event, text in (
            (Opened(), '{"kind":"opened"}'),
            (Placed("9", 0, 3), '{"kind":"placed","piece":"9","square":"A4"}'),
            (PlacedAll(("9" * 10,)), '{"kind":"placed-all","rows":["9999999999"]}'),
            (ReadySet(Seat(1)), '{"kind":"ready","seat":1}'),
            (Playing(Seat(0), Seat(0)), '{"kind":"playing","next":0}'),
            (Board("."), '{"kind":"board","squares":"."}'),
            (Moved(Seat(0), move, Seat(1)), '{"kind":"moved","seat":0,"from":"A4","to":"A5","next":1}'),
            (
                Fought(Seat(0), move, "9", "S", "attacker", Seat(1)),
                '{"kind":"fought","seat":0,"attacker":"9","defender":"S","winner":"attacker","from":"A4","to":"A5","next":1}',
            ),
        ):
            self.assertEqual(msgspec.json.encode(MESSAGES.event(event)).decode(), text)
        tie = MESSAGES.event(Fought(Seat(0), move, "9", "9", "tie", None))
        self.assertIn('"winner":null', msgspec.json.encode(tie).decode())
