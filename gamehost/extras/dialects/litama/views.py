"""
The state of a match for its players, or for all others, and the moves that led to it.

A view follows the events that it receives. It begins somewhere in the match if no connection of this wire was there
before. The moves before that are read from the record. Until then the position is known, and the moves are not.
"""

from typing import Any

from attrs import define, field

from gamehost.extras.dialects.litama.messages import Standing
from gamehost.extras.dialects.litama.rendering import seat_of_blue, written
from gamehost.games.onitama.master import ONITAMA, Dealt, Moved, Situation, TakenBack
from gamehost.games.onitama.rules import Position
from gamehost.journal.replay import History


def start_of(told: History[Any]) -> Position | None:
    """The position with which a match has begun; `None`: it has not."""
    return next((event.position for _, event in told.events if isinstance(event, Dealt)), None)


@define(eq=False)
class View:
    """The state of a match for some connections, and these connections."""

    position: Position | None = None
    winner: str | None = None
    #: The number of the last entry in it.
    n: int = -1
    #: Connections, in the order in which they receive messages.
    spectators: dict[Any, None] = field(factory=dict, repr=False)
    #: The last `state` that was sent; `None`: the match has changed since.
    told: Standing | None = field(default=None, repr=False)
    _moves: list[str] = field(factory=list, repr=False)
    #: The events since the view began, while the moves before that are not known.
    _late: list[Any] | None = None
    #: The number of the entry with which the view began.
    begun: int = -1

    @property
    def known(self) -> bool:
        """Whether the state can be sent: the position and all moves are known."""
        return self.position is not None and self._late is None

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves since the cards were dealt, without those that were taken back."""
        return tuple(self._moves)

    def jump(self, position: Position, n: int) -> None:
        """Take the position after this entry; the moves before it are not known yet."""
        self.position, self.n, self.begun, self._late, self.told = position, n, n, [], None

    def happen(self, event: Any, n: int, blue: int) -> None:
        """Follow an event of the match."""
        assert self.position is not None
        view = ONITAMA.follow(Situation(self.position), event, None)
        self.position = self.position if view is None else view.position
        self.n, self.told = n, None
        if self._late is None:
            self._write(event, blue)
        else:
            self._late.append(event)

    def dismiss(self) -> None:
        """No connection watches the match any more."""
        spectators, self.spectators = self.spectators, {}
        for spectator in spectators:
            spectator.rest()

    def end(self, winner: str) -> None:
        self.winner, self.told = winner, None

    def learn(self, history: History[Any]) -> None:
        """Take the moves before the view's beginning from the record, if it goes so far. Takes time with its length."""
        late, start = self._late, start_of(history)
        if late is None or start is None or history.n < self.begun:
            return
        blue = seat_of_blue(start)
        self._moves, self._late = [], None
        for n, event in history.events:
            if n > self.begun:
                break
            self._write(event, blue)
        for event in late:
            self._write(event, blue)

    def _write(self, event: Any, blue: int) -> None:
        match event:
            case Moved(_, move):
                self._moves.append(written(move, blue))
            case TakenBack(_, moves):  # never beyond an exchange, so each of them is here
                del self._moves[-moves:]


def position_after(history: History[Any], n: int) -> Position | None:
    """The position after an entry."""
    view: Any = None
    for number, event in history.events:
        if number > n:
            break
        view = ONITAMA.follow(view, event, None) or view
    return None if view is None else view.position
