"""
The board of Stratego as one side sees it, for programs on wires that do not tell it, or tell no squares of a battle. Pure.
"""

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Move
from gamehost.games.stratego.events import Fought, Moved
from gamehost.games.stratego.rules import BARE, STEPS, WIDTH, survivor
from gamehost.programs.wire_player import ProgramError

ENEMY, EMPTY = "#", "."
_ROW = 10


def other(seat: Seat) -> Seat:
    """The other side."""
    return Seat(1 - seat)


def set_up_board(seat: Seat, rows: tuple[str, ...]) -> str:
    """The board before the first move."""
    bare, enemies = BARE.decode("ascii"), ENEMY * 4 * _ROW
    own = "".join(rows)
    return own + bare[40:60] + enemies if seat == 0 else enemies + bare[40:60] + own


def square_of(x: int, y: int) -> int:
    """The place of a square in the board."""
    return y * WIDTH + x


def moved(squares: str, move: Move, stays: str | None = None) -> str:
    """
    The board after a move.

    :param stays: what is on the end square then; `None`: the piece that has moved
    """
    start, end = square_of(move.x, move.y), square_of(move.to_x, move.to_y)
    board = list(squares)
    board[end] = board[start] if stays is None else stays
    board[start] = EMPTY
    return "".join(board)


def told(squares: str, seat: Seat, mover: Seat, move: Move, met: str | None) -> tuple[Moved | Fought, str]:
    """
    The event of a move, and the board after it.

    :param seat: who sees the board
    :param met: the kind of the enemy's piece in the battle; `None`: there was none
    :raises ProgramError: the move is not one on this board
    """
    start, end = squares[square_of(move.x, move.y)], squares[square_of(move.to_x, move.to_y)]
    mine = mover == seat
    if (start == ENEMY) == mine or start in ".~":
        raise ProgramError("the server tells of a move from a square where no such piece stands")
    if met is None:
        return Moved(mover, move, other(mover)), moved(squares, move)
    attacker, defender = (start, met) if mine else (met, end)
    try:
        winner = survivor(attacker, defender)
    except ValueError:
        raise ProgramError("the server tells of a battle that cannot be") from None
    left = {"attacker": start, "defender": end, "tie": EMPTY}[winner]
    return Fought(mover, move, attacker, defender, winner, other(mover)), moved(squares, move, left)


def attacked(before: str, after: str, seat: Seat, attacker: str, defender: str, winner: str) -> Move | None:
    """
    The enemy's move of a battle, from the boards before and after it. Where the defender stays, any square fits whose piece
    could have been attacked.

    :param winner: `attacker`, `defender` or `tie`
    :returns: `None`: there is no such move
    """
    gone = [square for square in range(100) if before[square] == ENEMY and after[square] != ENEMY]
    if len(gone) != 1:
        return None
    start = gone[0]
    if winner == "defender":
        ends = [square for square, _ in STEPS[start] if before[square] == defender]
    else:
        ends = [square for square in range(100) if before[square] == defender and after[square] != defender]
    if not ends:
        return None
    (y, x), (to_y, to_x) = divmod(start, WIDTH), divmod(ends[0], WIDTH)
    return Move(x, y, to_x, to_y)
