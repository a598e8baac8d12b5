"""
Programs on the open wire: messages of the host become events for the player, and answers become actions. Pure.

A program that comes back to a match asks what has happened there (`history`), so that its player knows what it knew.
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
    """The view of a program that has come back, until it has received the earlier events."""

    view: Any
    n: int
    #: Events that have come meanwhile.
    later: list[m.Event] = field(factory=list)


@define(eq=False)
class OpenProgram:
    """
    One client, at one table at a time.

    :param new_player: makes the player of each match
    """

    new_player: NewPlayer
    #: The match that is played now.
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
        """Whether the host may answer with the history of a match."""
        return self._back is not None

    def hear(self, message: Any) -> list[m.ClientMessage]:
        """
        Take a message of the host, as `gamehost.client` gives it, or a `Lost`. Returns the messages to send.

        :raises KeyError: a match of a game without a player here
        :raises WireError: the message describes an impossible match
        """
        match message:
            case m.Seated(table, game, seat, names):
                self._table, self._game, self.seat, self.names = table, game, Seat(seat), names
                self.match, self._back = Match(self.new_player(game, self.seat)), None
            case _ if getattr(message, "table", self._table) != self._table:
                pass  # of a match that this program watches
            case m.Event() if self._back is not None:
                self._back.later.append(message)
            case m.Event(_, _, event):
                self._event(event)
            case m.Back(table, n, seat, view) if seat == self.seat and view is not UNSET:
                return self._is_back(table, view, n)
            case m.History(_, n, events):
                self._come_back([one.event for one in events] if self._back and n == self._back.n else [])
            case m.Sorry() if self._back is not None:
                self._come_back([])
            case m.Claimable(_, _, _, claims) if "win" in claims:
                return [m.Claim(self._table, "win")]  # the opponent has not come back
            case m.Refused(_, number) if self.match is not None and number == self._last_id:
                self.match.refuse()
            case m.Over() | m.Suspended() if self.match is not None:
                self.match.over, self.over = True, message
            case Lost():
                self._back = None
        return []

    def _is_back(self, table: int, view: Any, n: int) -> list[m.ClientMessage]:
        self._back = _Back(view, n)
        if n <= 1:
            self._come_back([])  # no seat has acted
            return []
        return [m.AskHistory(table, n)]

    def _event(self, event: Any) -> None:
        heard = understood(self._game, event)
        if heard is not None and self.match is not None:
            self.match.hear(heard, judged=getattr(event, "seat", self.seat) == self.seat)

    def _come_back(self, before: Sequence[Any]) -> None:
        back, self._back = self._back, None
        if back is None or self.match is None:
            return
        for event in caught_up(self._game, back.view, before, self.seat):
            self.match.hear(event)
        for later in back.later:
            self._event(later.event)

    def act(self, match: Match, answer: bytes | None) -> list[m.ClientMessage]:
        """The player of a match has thought. Returns what is to be said."""
        notation = match.done(answer)
        if notation is None or match is not self.match:
            return []
        self._last_id += 1
        return [m.Act(self._table, notation.decode("ascii"), self._last_id)]
