"""
The interface between tables and players: the events that a table sends to a player, and the calls by which a player
acts.

A table sends events to its players, and never waits for an answer. A player has access to its table only through a
`SeatHandle`. This module has the events of every table; the events of a game are in the game's module.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from msgspec import Struct

from gamehost.games.base import Game, IllegalAction, Offer, Result, Seat
from gamehost.journal.records import TableId

A_co = TypeVar("A_co", covariant=True)
E = TypeVar("E")
A_contra = TypeVar("A_contra", contravariant=True)
E_co = TypeVar("E_co", covariant=True)
E_contra = TypeVar("E_contra", contravariant=True)


class Away(Struct, frozen=True):
    """To the other players: the player of this seat has disconnected; the seat is reserved for the grace time."""

    seat: Seat
    #: Whether the player was away before the receiver came back.
    already: bool = False
    #: For how many milliseconds from now the seat is reserved; `None`: the seat is not reserved, or the time is not
    #: known.
    kept: int | None = None


class Claimable(Struct, frozen=True):
    """
    To the connected players, if their wires have a message for it: the player of this seat has not come back in the grace
    time. They may claim the match now, or wait.
    """

    seat: Seat
    #: The milliseconds until the seat is forfeited, if nobody claims the match. `None`: nothing can be claimed any
    #: more, because the player is back, or has been replaced.
    ends: int | None
    #: Whether a draw can be claimed.
    draw: bool = False


class Left(Struct, frozen=True):
    """
    To the other players: the player of this seat has given the seat up. The events of the game that follow from this
    come next.
    """

    seat: Seat


class OpenTable(Struct, frozen=True):
    """
    A table that waits for its players.

    The waiting players, including a new one, receive this when a player has come or gone.
    """

    table: TableId
    #: The number of players that the match needs.
    seats: int
    settings: Mapping[str, str]
    #: The waiting players, in the order in which they came.
    names: tuple[str, ...]
    #: Whether the first player gets the second seat, in a game of two.
    reversed: bool = False
    #: The name of the game.
    game: str = ""
    #: The code that others need to join; empty: no code is needed.
    code: str = ""
    #: The names of players with a seat that are not connected now.
    away: tuple[str, ...] = ()
    #: Whether the table continues to wait when its players disconnect.
    lasts: bool = False
    #: The display names of the players, by their names; players without one are left out.
    shown_as: Mapping[str, str] = {}
    #: If the table waits for the rematch of a slow match: that match. Otherwise `None`.
    played: TableId | None = None


class TableClosed(Struct, frozen=True):
    """
    To the players that wait at a table: the table is closed, and no match begins. `why` is the reason, as a part of a
    sentence.
    """

    table: TableId
    why: str = "nobody came in time"
    #: Whether the table was of the kind that continues to wait when its players disconnect.
    lasted: bool = False


class Back(Struct, Generic[E], frozen=True):
    """
    To all players, also to the one that returns: the player of a seat is back. `view` is the view of the player that
    receives this event.
    """

    seat: Seat
    view: E
    #: The public events of the match so far, for wires that need them.
    events: Sequence[Any] = ()


class Replaced(Struct, frozen=True):
    """To all players: an absent player has lost the seat, and another player has it now. `Back` was sent before."""

    seat: Seat
    name: str


class Refused(Struct, frozen=True):
    """To the player that acted: the action is refused, and nothing has changed."""

    error: IllegalAction


class Offered(Struct, frozen=True):
    """To both players: the player of this seat offers a draw or a takeback. The other player may accept or decline."""

    seat: Seat
    offer: Offer


class Declined(Struct, frozen=True):
    """To both players: the offer of this seat has ended without being accepted."""

    seat: Seat
    offer: Offer


class Over(Struct, frozen=True):
    """To all players, as the last event: the match has ended. All handles are void."""

    result: Result


class Suspended(Struct, frozen=True):
    """
    To all players, as the last event: a fault of the host has stopped the match. All handles are void. The record of
    the match is not removed.
    """


class Archived(Struct, frozen=True):
    """
    To the watchers: no player has come back, and the match ends without a result. The record of the match is not
    removed.
    """


class Displaced(Struct, frozen=True):
    """To a player: another connection has logged in to the same account, and has the seat now."""


class Unmatched(Struct, frozen=True):
    """To a player that waits in a queue: no opponent came for a day, and the player is removed from the queue."""


class NoNewMatches(Struct, frozen=True):
    """
    To a player that waits for a match or asks for one: the host begins no new matches. `why` is a sentence without its
    full stop.
    """

    why: str


class Look(Struct, Generic[E_co], frozen=True):
    """The state of a match, for its watchers. Later events follow it."""

    #: The number of entries in the table's record, without the opening.
    n: int
    #: The seats with absent players, in ascending order; `None`: not known, because another host plays the match.
    away: tuple[Seat, ...] | None
    #: The view of `GameMaster.view` for a watcher.
    view: E_co


class Audience(Protocol[E_contra]):
    """
    Something that watches a table, such as a `Gallery`. An audience receives only events that all players receive.
    """

    def shown(self, look: Look[E_contra]) -> None:
        """Called after `WatchableTable.watch` with the state of the match. Must not raise."""

    def deliver(self, event: E_contra, n: int) -> None:
        """
        Called with each event that all players have received: a public event of the game's master, or `Away`, `Left`,
        `Back` (its view is `None`), `Suspended`, `Archived` or `Over`. Must not raise.

        :param n: the number of the entry that the event belongs to. For `Away`, `Left` and `Back`: the number of the
            last entry that was sent
        """


class WatchableTable(Protocol):
    """A match that can be watched: a table of this host, or one that another host of the cluster plays."""

    @property
    def id(self) -> TableId: ...

    @property
    def game(self) -> Game[Any, Any]: ...

    @property
    def names(self) -> Sequence[str]:
        """The players, in the order of the seats."""

    @property
    def shown_as(self) -> Mapping[str, str]:
        """The display names of players, by their names; players without one are left out."""

    @property
    def wires(self) -> Sequence[str]:
        """The wires on which the players began, in the order of the seats."""

    @property
    def code(self) -> str:
        """The code that a client needs to watch the match; empty: no code is needed."""

    @property
    def n(self) -> int:
        """How many entries of the record, without the opening, were sent to the players."""

    @property
    def clocks(self) -> Sequence[int] | None:
        """
        The milliseconds that each seat has left now, after the events that were sent; `None`: the match has no clocks,
        or the times are not known.
        """

    @property
    def due(self) -> tuple[int, int] | None:
        """
        The milliseconds that the seat to move has left, and how many it had for this move, after the events that were
        sent. `None`: the move has no time limit, or it is not known.
        """

    def now(self) -> int:
        """The time on the clock of the game, in milliseconds. If the exact time is not known, a smaller value."""

    def watch(self, audience: Audience[Any]) -> bool:
        """
        Send the state of the match to an audience, then its events. `False`: the match is over, or a fault has stopped
        it.
        """

    def unwatch(self, audience: Audience[Any]) -> None:
        """Send nothing more to this audience."""


class SeatHandle(Protocol[A_contra]):
    """A player's only access to a table: the right to act for one seat."""

    @property
    def table(self) -> TableId: ...

    @property
    def seat(self) -> Seat: ...

    @property
    def names(self) -> Sequence[str]:
        """The players, in the order of the seats."""

    @property
    def shown_as(self) -> Mapping[str, str]:
        """The display names of players, by their names; players without one are left out."""

    @property
    def n(self) -> int:
        """
        How many entries of the table's record, without the opening, were sent to the players. While an event is
        delivered, this is the number of the entry that the event belongs to.
        """

    @property
    def clocks(self) -> Sequence[int] | None:
        """
        The milliseconds that each seat has left now, after the events that were sent; `None`: the match has no clocks.
        """

    @property
    def due(self) -> tuple[int, int] | None:
        """The time that is left for the current move, see `WatchableTable.due`."""

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def wires(self) -> Sequence[str]:
        """The wires on which the players began, in the order of the seats."""

    @property
    def grace(self) -> int:
        """
        The milliseconds for which this seat would be reserved if the player disconnected now; 0: the seat is lost at
        once.
        """

    def kept_for(self, seat: Seat) -> float:
        """
        The seconds until the grace time of an absent player ends; after a `Claimable`, until the seat is forfeited.
        """

    def act(self, action: A_contra, careful: bool = False) -> bool:
        """
        Try an action of this player. The table sends the events that follow; if it refuses the action, it sends
        `Refused` to this player. Returns whether the action was accepted.

        :param careful: also refuse an action that is legal and that loses the match at once
        """

    def look(self, shown: Callable[[Any], None]) -> bool:
        """
        Request the view of the match for this seat. It comes after all earlier events were sent.

        :param shown: called with the view, at once or later; never called if the seat is lost or the match ends first
        :returns: `False`: a fault has stopped the match
        """

    def replace(self, seat: Seat, substitute: Callable[[], str | None]) -> bool:
        """
        Ask that another player takes the seat of an absent player when the grace time ends, or at once if it has ended.

        :param substitute: called at that time; returns the name of the new player, or `None`: no player is free
        :returns: `False`: the player of that seat is not away, or the grace time has ended and no other player was
            found
        """

    def offer(self, offer: Offer) -> bool:
        """
        Offer a draw or a takeback to the other player. If the table refuses, it sends `Refused`. Returns whether the
        offer was made.
        """

    def answer(self, offer: Offer, accepted: bool) -> bool:
        """
        Accept or decline an offer of the other player. If there is no such offer, the table sends `Refused`, and this
        returns `False`.
        """

    def claim(self, draw: bool) -> bool:
        """
        Claim the match after a `Claimable`. If the table refuses, it sends `Refused`. Returns whether the claim was
        accepted.

        :param draw: `True` ends the match as a draw; `False` forfeits all seats that a `Claimable` has named
        """

    def leave(self) -> None:
        """Give the seat up. The player receives no more events of the table."""

    def resign(self) -> None:
        """Give the match up. The player receives the end like the others, when it is durable."""


class Player(Protocol[A_co, E_contra]):
    """A player at a table. The table calls these methods to send it its seat and its events."""

    def seated(self, handle: SeatHandle[A_co]) -> None:
        """Called when the player has got a seat; its events follow."""

    def deliver(self, event: E_contra) -> None:
        """
        Called with each event: an event of the game's master, or one of the events in this module. Must not raise. The
        player may use the handle only after this method has returned.
        """


@runtime_checkable
class HearsOffers(Protocol):
    """A player on a wire that has messages for `Offered` and `Declined`. Other players receive no offers."""

    @property
    def declines(self) -> bool:
        """Whether this player declines every offer without receiving it, as house players do."""


@runtime_checkable
class HearsClaims(Protocol):
    """
    A player on a wire that has a message for `Claimable`. When a grace time ends and all connected players are of this
    kind, the match waits for their decision. Otherwise the seat of the absent player is forfeited. The seat of an
    absent house player is always forfeited.
    """

    @property
    def claims(self) -> bool:
        """Whether this player can claim; house players cannot."""
