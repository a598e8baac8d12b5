"""
What the open wire tells, as the events of the masters that players hear. It undoes `gamehost.games.<game>.face`.

A player that comes back to a match hears what it may know of it: the view, and what was told to everybody before. For Stratego
the boards in between are made again, because a player draws conclusions from each of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from gamehost.games.base import Cause, Seat
from gamehost.games.onitama import face as onitama_face
from gamehost.games.onitama import master as onitama
from gamehost.games.onitama.cards import SQUARE_NAMED, Card, card_named
from gamehost.games.onitama.position import Move as OnitamaMove
from gamehost.games.onitama.position import Position as OnitamaPosition
from gamehost.games.paper_soccer import face as soccer_face
from gamehost.games.paper_soccer import master as soccer
from gamehost.games.stratego import events as stratego
from gamehost.games.stratego import face as stratego_face
from gamehost.games.stratego.actions import Move as StrategoMove
from gamehost.games.stratego.actions import read as read_stratego
from gamehost.games.stratego.pieces import Survivor
from gamehost.games.stratego.views import ENEMY
from gamehost.players.eriantys_from_face import ERIANTYS
from gamehost.players.stratego_knowledge import ends_of


class Hearing(Protocol):
    """How a player of one game hears."""

    def event(self, event: Any) -> Any:
        """An event of the master; `None`: players need not hear it."""

    def view(self, view: Any, seat: Seat) -> Any:
        """What `GameMaster.view` gives to this seat."""

    def back(self, view: Any, before: Iterable[Any], seat: Seat) -> Sequence[Any]:
        """
        What a player hears that comes back.

        :param view: the own view
        :param before: all events for everybody, in order
        """


def _card(name: str) -> Card:
    card = card_named(name)
    if card is None:
        raise ValueError("a card that this version does not know")
    return card


class _Onitama:
    def event(self, event: Any) -> Any:
        match event:
            case onitama_face.DealtEvent(hands, spare):
                return onitama.Dealt(_onitama_position(hands, spare))
            case onitama_face.MovedEvent(seat, card, start, end):
                return onitama.Moved(Seat(seat), OnitamaMove(_card(card), SQUARE_NAMED[start], SQUARE_NAMED[end]))
            case onitama_face.ExchangedEvent(seat, old, new):
                return onitama.Exchanged(Seat(seat), _card(old), _card(new))
        return None

    def view(self, view: onitama_face.View, seat: Seat) -> Any:
        return onitama.Situation(_onitama_position(view.hands, view.spare, view.board, view.turn))

    def back(self, view: Any, before: Iterable[Any], seat: Seat) -> Sequence[Any]:
        return [self.view(view, seat)]


def _onitama_position(hands: Sequence[Sequence[str]], spare: str, *more: Any) -> OnitamaPosition:
    (first, second), (third, fourth) = (map(_card, hand) for hand in hands)
    return OnitamaPosition(((first, second), (third, fourth)), _card(spare), *more)


class _PaperSoccer:
    def event(self, event: Any) -> Any:
        match event:
            case soccer_face.KickoffEvent(first):
                return soccer.Kickoff(Seat(first))
            case soccer_face.MovedEvent(seat, points, following):
                return soccer.Moved(Seat(seat), tuple(points), Seat(following))
            case soccer_face.EndedEvent(points, why):
                # Who has won is told by the table.
                return soccer.Ended(Seat(0), Seat(1), tuple(points), Cause.RULES, why)
        return None

    def view(self, view: soccer_face.View, seat: Seat) -> Any:
        points = tuple(point for move in view.moves for point in move)
        following = None if view.next is None else Seat(view.next)
        return soccer.Situation(Seat(view.first), points, following, None)

    def back(self, view: Any, before: Iterable[Any], seat: Seat) -> Sequence[Any]:
        return [self.view(view, seat)]


class _Stratego:
    def event(self, event: Any) -> Any:
        match event:
            case stratego_face.OpenedEvent():
                return stratego.Opened()
            case stratego_face.ReadyEvent(seat):
                return stratego.ReadySet(Seat(seat))
            case stratego_face.PlacedAllEvent(rows):
                return stratego.PlacedAll(tuple(rows))
            case stratego_face.PlayingEvent(following):
                return stratego.Playing(Seat(following or 0), _seat(following))
            case stratego_face.BoardEvent(squares):
                return stratego.Board(squares)
            case stratego_face.MovedEvent(seat, start, end, following):
                return stratego.Moved(Seat(seat), _stratego_move(start, end), _seat(following))
            case stratego_face.FoughtEvent(seat, attacker, defender, winner, start, end, following):
                move, survivor = _stratego_move(start, end), _SURVIVORS[winner]
                return stratego.Fought(Seat(seat), move, attacker, defender, survivor, _seat(following))
        return None

    def view(self, view: stratego_face.View, seat: Seat) -> Any:
        turn = _seat(view.turn)
        return stratego.Situation(seat, stratego.Phase(view.phase), view.squares, view.ready, turn, None)

    def back(self, view: stratego_face.View, before: Iterable[Any], seat: Seat) -> Sequence[Any]:
        """The match from its first move on, with the boards that this seat was told."""
        situation = self.view(view, seat)
        if situation.phase is stratego.Phase.SETUP:
            return [situation]
        told = [event for event in map(self.event, before) if event is not None]
        moves = [event for event in told if isinstance(event, stratego.Moved | stratego.Fought)]
        boards = [view.squares]
        for move in reversed(moves):
            boards.append(_undone(boards[-1], move, seat))
        boards.reverse()
        start = [stratego.Opened(), stratego.ReadySet(seat), stratego.Board(boards[0])]
        after = [one for pair in zip(moves, map(stratego.Board, boards[1:]), strict=True) for one in pair]
        return [*start, *after, situation]


_SURVIVORS: Mapping[str | None, Survivor] = {"attacker": "attacker", "defender": "defender", None: "tie"}


def _seat(number: int | None) -> Seat | None:
    return None if number is None else Seat(number)


def _stratego_move(start: str, end: str) -> StrategoMove:
    move = read_stratego(f"{start}-{end}".encode("ascii"))
    assert isinstance(move, StrategoMove)
    return move


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


#: By the name of the game.
HEARING: Mapping[str, Hearing] = {
    "eriantys": ERIANTYS,
    "onitama": _Onitama(),
    "paper-soccer": _PaperSoccer(),
    "stratego": _Stratego(),
}
