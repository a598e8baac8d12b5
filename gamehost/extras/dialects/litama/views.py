"""
Views: the state of a match, with all its moves, as its players or other spectators may know it.

A view follows the events of a match. If no connection of this wire has watched the match from its beginning, the view begins in
the middle. Then the earlier moves are read from the record. Until then, the position is known, but not the earlier moves.
"""

from typing import Any

from attrs import define, field

from gamehost.extras.dialects.litama.messages import Standing
from gamehost.extras.dialects.litama.rendering import seat_of_blue, written
from gamehost.games.onitama.master import ONITAMA, Dealt, Moved, Situation, TakenBack
from gamehost.games.onitama.rules import Position
from gamehost.journal.replay import History


def start_of(told: History[Any]) -> Position | None:
    """Returns the position with which a match has begun; `None`: it has not begun."""
    return next((event.position for _, event in told.events if isinstance(event, Dealt)), None)


@define(eq=False)
class View:
    """The state of a match as some connections may know it, and the connections that receive it."""

    #: The position; `None`: it is not known yet.
    position: Position | None = None
    #: The winner's colour, or `none` for a draw; `None`: the match has not ended.
    winner: str | None = None
    #: The number of the last entry that the view contains.
    n: int = -1
    #: The connections that receive the state, in this order.
    spectators: dict[Any, None] = field(factory=dict, repr=False)
    #: The `state` message for the current state; `None`: it was not made yet.
    told: Standing | None = field(default=None, repr=False)
    _moves: list[str] = field(factory=list, repr=False)
    #: The events since the beginning of the view, as long as the earlier moves are not known; `None`: all moves are known.
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
        """
        Begins the view anew with a position. The moves before it are not known yet.

        :param n: the number of the entry that has led to the position
        """
        # `_late` collects the moves from now on, until the moves before them are known.
        self.position = position
        self.n = n
        self.begun = n
        self._late = []
        self.told = None

    def happen(self, event: Any, n: int, blue: int) -> None:
        """
        Follows an event of the match.

        :param n: the number of its entry
        :param blue: the seat that is blue
        """
        assert self.position is not None
        view = ONITAMA.follow(Situation(self.position), event, None)
        self.position = self.position if view is None else view.position
        self.n, self.told = n, None
        if self._late is None:
            self._write(event, blue)
        else:
            self._late.append(event)

    def dismiss(self) -> None:
        """Removes all spectators, because the match is over."""
        spectators, self.spectators = self.spectators, {}
        for spectator in spectators:
            spectator.rest()

    def end(self, winner: str) -> None:
        """
        Ends the match.

        :param winner: the colour of the winner, or `none`
        """
        self.winner, self.told = winner, None

    def learn(self, history: History[Any]) -> None:
        """
        Adds the moves before the beginning of the view from the record, if they are missing and the record has them. This takes
        time in proportion to the length of the match.
        """
        late, start = self._late, start_of(history)
        # No moves are missing, or the record is too old.
        if late is None or start is None or history.n < self.begun:
            return
        blue = seat_of_blue(start)
        self._moves, self._late = [], None
        for n, event in history.events:
            # These moves are in `late`.
            if n > self.begun:
                break
            self._write(event, blue)
        for event in late:
            self._write(event, blue)

    def _write(self, event: Any, blue: int) -> None:
        """Adds a move to the list of moves, or removes moves that were taken back. Exchanges are not in the list."""
        match event:
            case Moved(_, move):
                self._moves.append(written(move, blue))
            case TakenBack(_, moves):  # an exchange cannot be taken back, so all these moves are in the list
                del self._moves[-moves:]


def position_after(history: History[Any], n: int) -> Position | None:
    """Returns the position after the entry with a number; `None`: the match has not begun then."""
    view: Any = None
    for number, event in history.events:
        if number > n:
            break
        view = ONITAMA.follow(view, event, None) or view
    return None if view is None else view.position
