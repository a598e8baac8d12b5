"""
Programs on the open wire: messages of the host become events for the player, and the player's answers become actions.
No input or output happens here.

A program that comes back to a match asks the host for the earlier events (`history`), so that its player knows as much
as before.
"""

from collections.abc import Sequence
from typing import Any

from attrs import define, field
from msgspec import UNSET

from gamehost.client.core import Lost, caught_up, understood
from gamehost.games.base import Seat
from gamehost.programs.wire_player import Match, NewPlayer
from gamehost.wires.open import messages as m

_FIRST = Seat(0)


@define(eq=False)
class _Back:
    """The state of a program that has come back to a match, and waits for the earlier events."""

    view: Any
    n: int
    #: Events that have come in the meantime.
    later: list[m.Event] = field(factory=list)


@define(eq=False)
class OpenProgram:
    """
    The logic of one program, which plays at one table at a time.

    :param new_player: makes the player of each match
    """

    new_player: NewPlayer
    #: The current match.
    match: Match | None = None
    #: The end of the last match.
    over: m.Over | m.Suspended | None = None
    seat: Seat = _FIRST
    names: Sequence[str] = ()
    _game: str = ""
    _table: int = 0
    _back: _Back | None = None
    _last_id: int = 0

    @property
    def asks(self) -> bool:
        """Whether the program waits for the history of a match."""
        return self._back is not None

    def hear(self, message: Any) -> list[m.ClientMessage]:
        """
        Handle a message of the host from `gamehost.client`, or a `Lost`. Returns the messages to send.

        :raises KeyError: a match has begun in a game for which there is no player
        :raises WireError: the message describes an impossible match
        """
        match message:
            case m.Seated(table, game, seat, names):
                self._table = table
                self._game = game
                self.seat = Seat(seat)
                self.names = names
                self.match = Match(self.new_player(game, self.seat))
                self._back = None
            case _ if getattr(message, "table", self._table) != self._table:
                pass  # a message about a match that this program only watches
            case m.Event() if self._back is not None:
                # The player first needs the earlier events, which the program has asked for.
                self._back.later.append(message)
            case m.Event(_, _, event):
                self._event(event)
            case m.Back(table, n, seat, view) if seat == self.seat and view is not UNSET:
                return self._is_back(table, view, n)
            case m.History(_, n, events):
                # If the history does not fit the view, the player continues with the view alone.
                self._come_back([one.event for one in events] if self._back and n == self._back.n else [])
            case m.Sorry() if self._back is not None:
                # There is no history: the player continues with the view alone.
                self._come_back([])
            case m.Claimable(_, _, _, claims) if "win" in claims:
                return [m.Claim(self._table, "win")]  # the opponent has not come back
            case m.Refused(_, number) if self.match is not None and number == self._last_id:
                # The host has refused the last action of this program; the player must choose another one.
                self.match.refuse()
            case m.Over() | m.Suspended() if self.match is not None:
                self.match.over = True
                self.over = message
            case Lost():
                # The connection is lost. After the next log-in, the host sends the view again.
                self._back = None
        return []

    def _is_back(self, table: int, view: Any, n: int) -> list[m.ClientMessage]:
        """
        The program has its seat back: ask for the earlier events, if there were moves.

        :param view: what the seat may know now
        :param n: the number of the last entry that the view includes
        """
        self._back = _Back(view, n)
        if n <= 1:
            self._come_back([])  # no seat has acted
            return []
        return [m.AskHistory(table, n)]

    def _event(self, event: Any) -> None:
        """
        Pass an event to the player, if it is an event of this game. An event of another seat cannot be the answer to
        the player's last action.
        """
        heard = understood(self._game, event)
        if heard is not None and self.match is not None:
            self.match.hear(heard, judged=getattr(event, "seat", self.seat) == self.seat)

    def _come_back(self, before: Sequence[Any]) -> None:
        """Pass the view and the earlier events to the player, and then the events that have come in the meantime."""
        back = self._back
        self._back = None
        if back is None or self.match is None:
            return
        for event in caught_up(self._game, back.view, before, self.seat):
            self.match.hear(event)
        for later in back.later:
            self._event(later.event)

    def act(self, match: Match, answer: bytes | None) -> list[m.ClientMessage]:
        """
        Called when the player of a match has thought. Returns the messages to send.

        :param answer: the result of `Match.work`
        """
        notation = match.done(answer)
        # The player has no answer, or another match has begun meanwhile.
        if notation is None or match is not self.match:
            return []
        self._last_id += 1
        return [m.Act(self._table, notation.decode("ascii"), self._last_id)]
