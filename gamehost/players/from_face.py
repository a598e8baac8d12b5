"""
What a player hears that comes back to a match on the open wire: the view of its seat, and what was told to everybody before.

For Stratego the boards in between are made again, because a player draws conclusions from each of them.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.eriantys.events import PlayedAssistant
from gamehost.games.face import Face
from gamehost.games.stratego import events as stratego
from gamehost.games.stratego.views import ENEMY
from gamehost.players.stratego_knowledge import ends_of


def heard_back(face: Face, view: Any, before: Iterable[Any], seat: Seat) -> Sequence[Any]:
    """
    What a player hears that comes back: events of the master, and its view last.

    :param face: of the game
    :param view: the own view, as a message of the face
    :param before: all events for everybody, in order, as messages of the face
    """
    situation = face.read_view(view, seat)
    told = [event for event in map(face.read_event, before) if event is not None]
    if isinstance(situation, stratego.Situation):
        return [*_boards(situation, told, seat), situation]
    # Which assistants have gone is on no board of Eriantys.
    return [*(event for event in told if isinstance(event, PlayedAssistant)), situation]


def _boards(situation: stratego.Situation, told: Iterable[Any], seat: Seat) -> Sequence[Any]:
    """The match from its first move on, with the boards that this seat was told."""
    if situation.phase is stratego.Phase.SETUP:
        return []
    moves = [event for event in told if isinstance(event, stratego.Moved | stratego.Fought)]
    boards = [situation.squares]
    for move in reversed(moves):
        boards.append(_undone(boards[-1], move, seat))
    boards.reverse()
    start = [stratego.Opened(), stratego.ReadySet(seat), stratego.Board(boards[0])]
    return [*start, *(one for pair in zip(moves, map(stratego.Board, boards[1:]), strict=True) for one in pair)]


def _undone(squares: str, event: Any, seat: Seat) -> str:
    """A seat's board before a move."""
    start, end = ends_of(event.move)
    board = list(squares)
    mine = event.seat == seat
    if isinstance(event, stratego.Moved):
        board[start], board[end] = board[end], "."
    else:
        board[start] = event.attacker if mine else ENEMY
        board[end] = ENEMY if mine else event.defender
    return "".join(board)
