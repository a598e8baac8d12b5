"""Explains in one sentence for beginners why a move of Onitama is good."""

from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.onitama.master import Action, Situation
from gamehost.games.onitama.rules import SQUARES, Move, Position


def _winning(position: Position) -> Sequence[Move]:
    """Returns the moves with which the side to move wins at once."""
    return [move for move in position.moves() if position.after(move).won is not None]


def _passed(position: Position) -> Position:
    """Returns the position as if the side that moved last had another move."""
    return Position(position.hands, position.spare, position.board, 1 - position.turn)


def because(view: Situation, seat: Seat, actions: Sequence[Action]) -> str:
    """Returns one sentence with the reason why these actions are good."""
    position, move = view.position, actions[0]
    if not isinstance(move, Move):
        return "You need this card less than the other one."
    after = position.after(move)
    if after.won is not None:
        return (
            "It takes the master: you win."
            if "master is taken" in after.won
            else "Your master reaches the gate: you win."
        )
    taken = position.board[move.end]
    # `_passed`: if this side did not move, the opponent would win; after this move, the opponent cannot.
    if _winning(_passed(position)) and not _winning(after):
        return "Otherwise your opponent wins with the next move."
    if taken != ".":
        # The opponent's piece could take the piece that has moved.
        back = any(answer.end == move.end for answer in after.moves())
        return "It takes a pupil, and is taken in turn." if back else "It takes a pupil, and nothing can take back."
    # With another move, this side would win.
    if _winning(_passed(after)):
        return "It threatens to win with the next move."
    # An enemy's piece could move to the square that the piece has left.
    if any(answer.end == move.start for answer in _passed(position).moves()):
        return f"The piece on {SQUARES[move.start]} could be taken there."
    if any(answer.end == move.end for answer in after.moves()):
        return "If the piece is taken, yours can take back."
    return "It brings a piece nearer, and nothing can take it there."
