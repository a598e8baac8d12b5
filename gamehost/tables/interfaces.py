"""
The seam between tables and conversations: the events and calls that a table and its players exchange.

A player receives events and is never asked; a handle is its only access to a table. The events here are those of every
table, besides the events of its game.
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
    """To the others: this seat's player has disconnected; the seat is reserved for the grace time."""

    seat: Seat
    #: Whether the player was away before the receiver came back.
    already: bool = False
    #: For how many milliseconds the seat is kept from now on; `None`: the match does not wait, or nobody knows how long.
    kept: int | None = None


class Claimable(Struct, frozen=True):
    """
    To the connected players, if their wires have a message for it: the player of this seat has not come back in the grace
    time. They may claim the match now, or wait.
    """

    seat: Seat
    #: In so many milliseconds the seat is forfeited, if nobody claims. `None`: nothing can be claimed any more, because the
    #: player is back, or has been replaced.
    ends: int | None
    #: Whether a draw can be claimed.
    draw: bool = False


class Left(Struct, frozen=True):
    """To the others: this seat was given up by its player; the effect in the game comes next."""

    seat: Seat


class OpenTable(Struct, frozen=True):
    """
    A table that waits for its players.

    To the waiting players: one has come or gone (a player that comes receives this too), and this is the new state.
    """

    table: TableId
    #: The number of players that begin a match.
    seats: int
    settings: Mapping[str, str]
    #: The waiting players, in the order in which they came.
    names: tuple[str, ...]
    #: Whether the first of them has the second seat, in a game of two.
    reversed: bool = False
    #: The name of the game.
    game: str = ""
    #: What others must know to join; empty: nothing.
    code: str = ""
    #: The names of players with a seat that are not connected now.
    away: tuple[str, ...] = ()
    #: Whether it outlives the connections of its players.
    lasts: bool = False
    #: The display names of the players, by their names; players without one are left out.
    shown_as: Mapping[str, str] = {}
    #: The slow match of which this is the rematch; `None`: it is none.
    played: TableId | None = None


class TableClosed(Struct, frozen=True):
    """To the players that wait at a table: it is closed without a match. `why` is no whole sentence."""

    table: TableId
    why: str = "nobody came in time"
    #: Whether the table has outlived connections of its players, or could have.
    lasted: bool = False


class Back(Struct, Generic[E], frozen=True):
    """To all, the returning player included: a seat is taken again. `view` is the receiver's own."""

    seat: Seat
    view: E
    #: The public events of the match so far, for conversations that ask for them.
    events: Sequence[Any] = ()


class Replaced(Struct, frozen=True):
    """To all: an absent player has lost the seat, and another player has it now. `Back` was sent before."""

    seat: Seat
    name: str


class Refused(Struct, frozen=True):
    """To the player that acted: the rules refuse, and nothing has changed."""

    error: IllegalAction


class Offered(Struct, frozen=True):
    """To both players: this seat offers something, and the other one may accept or decline it."""

    seat: Seat
    offer: Offer


class Declined(Struct, frozen=True):
    """To both players: the offer of this seat has ended. It was declined, or was dropped."""

    seat: Seat
    offer: Offer


class Over(Struct, frozen=True):
    """To all, after everything else: the match has ended, and with it all handles."""

    result: Result


class Suspended(Struct, frozen=True):
    """
    To all, after everything else: a fault of the host has stopped the match, and with it all handles. Its record is not
    removed.
    """


class Archived(Struct, frozen=True):
    """To the watchers: no player has come back, and the match ends without a result. Its record is not removed."""


class Displaced(Struct, frozen=True):
    """To a player: the same account has logged in elsewhere, and has the seat."""


class Unmatched(Struct, frozen=True):
    """To a player that waits in a queue: no opponent came for a day, and the player has lost the place."""


class NoNewMatches(Struct, frozen=True):
    """
    To a player that waits for a match, or wants one: the host begins no more. `why` is a sentence without its full
    stop.
    """

    why: str


class Look(Struct, Generic[E_co], frozen=True):
    """The state of a match, for its watchers. Later events follow it."""

    #: How many things have happened: the entries of the table's record without the opening.
    n: int
    #: The seats with absent players, in ascending order; `None`: another host plays the match, and only that host
    #: knows.
    away: tuple[Seat, ...] | None
    #: The view of `GameMaster.view` for a watcher.
    view: E_co


class Audience(Protocol[E_contra]):
    """The watchers of a table. An audience receives public events only."""

    def shown(self, look: Look[E_contra]) -> None:
        """The state of the match, after `Table.watch`. Must not raise."""

    def deliver(self, event: E_contra, n: int) -> None:
        """
        An event that all players have received: a public event of the game's master, or `Away`, `Left`, `Back` (its
        view is `None`), `Suspended`, `Archived` or `Over`. Must not raise.

        :param n: the number of the entry that the event belongs to; of `Away`, `Left` and `Back`, of the last entry
            that was sent
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
        """The code that a client needs to watch the match; empty: none."""

    @property
    def n(self) -> int:
        """The number of entries of the record, without the opening, that were sent."""

    @property
    def clocks(self) -> Sequence[int] | None:
        """
        The milliseconds that each seat has now, as far as events were sent; `None`: there are no clocks, or it is not
        known.
        """

    @property
    def due(self) -> tuple[int, int] | None:
        """
        The milliseconds that the seat to move has left, and how many it had, as far as events were sent; `None`: no
        such time, or it is not known.
        """

    def now(self) -> int:
        """The time on the clock of the game, in milliseconds, or less."""

    def watch(self, audience: Audience[Any]) -> bool:
        """Show an audience the match, then send its events. `False`: the match is over, or a fault has stopped it."""

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
        The number of entries that were sent: those of the table's record without the opening. While an event is
        delivered, it is the number of the entry that the event belongs to.
        """

    @property
    def clocks(self) -> Sequence[int] | None:
        """The milliseconds that each seat has now, as far as events were sent; `None`: the match has no clocks."""

    @property
    def due(self) -> tuple[int, int] | None:
        """As of `WatchableTable`."""

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def wires(self) -> Sequence[str]:
        """The wires on which the players began, in the order of the seats."""

    @property
    def grace(self) -> int:
        """The milliseconds for which this seat is reserved if the player loses the connection now; 0: it is lost at once."""

    def kept_for(self, seat: Seat) -> float:
        """
        The seconds until the grace time of an absent player ends; after a `Claimable`, until the seat is forfeited.
        """

    def act(self, action: A_contra, careful: bool = False) -> bool:
        """
        Try an action. Its effects are delivered, a refusal as `Refused`. Returns whether it was accepted.

        :param careful: refuse an action that the rules would take and make a loss
        """

    def look(self, shown: Callable[[Any], None]) -> bool:
        """
        Show the knowledge of the seat: its view of the match, after all events before it were sent.

        :param shown: called with the view, at once or later; not at all if the seat is lost or the match ends before
        :returns: `False`: a fault has stopped the match
        """

    def replace(self, seat: Seat, substitute: Callable[[], str | None]) -> bool:
        """
        Let another player take the seat of an absent player: when the grace time ends, or at once if it has ended.

        :param substitute: called then; returns the name of the new player, or `None`: there is none
        :returns: whether the player of that seat is away, and was replaced if the grace time has ended
        """

    def offer(self, offer: Offer) -> bool:
        """Offer something to the other player; a refusal is delivered as `Refused`. Whether it was offered."""

    def answer(self, offer: Offer, accepted: bool) -> bool:
        """Accept or decline what the other player offers; a refusal is delivered as `Refused`. Whether it was offered."""

    def claim(self, draw: bool) -> bool:
        """
        Claim the match after a `Claimable`. A refusal is delivered as `Refused`. Whether it was claimed.

        :param draw: end it as a draw. Otherwise all seats are forfeited that `Claimable` has named
        """

    def leave(self) -> None:
        """Give the seat up, and receive nothing more of the table."""

    def resign(self) -> None:
        """Give the match up; the end is delivered as to the others, once it is durable."""


class Player(Protocol[A_co, E_contra]):
    """A player that may have a seat: the events that a table sends it."""

    def seated(self, handle: SeatHandle[A_co]) -> None:
        """The seat is theirs; events follow."""

    def deliver(self, event: E_contra) -> None:
        """
        Something happened: an event of the game's master, or one of this module's.

        Must not raise. It may use the handle only after it has returned.
        """


@runtime_checkable
class HearsOffers(Protocol):
    """A player on a wire with words for `Offered` and `Declined`. Other players receive no offers."""

    @property
    def declines(self) -> bool:
        """Whether this player declines all offers, and receives none: house players do."""


@runtime_checkable
class HearsClaims(Protocol):
    """
    A player on a wire with words for `Claimable`. At the end of a grace time, if all players that are there hear claims, the
    match waits for their decision; otherwise the seat is forfeited, as that of a house player always is.
    """

    @property
    def claims(self) -> bool:
        """Whether this player decides: house players do not."""
