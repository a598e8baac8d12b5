"""
What a table and whoever sits there may say to each other: the seam between tables and conversations.

A player is told things and never asked; a handle is all that a player holds of a table. The events here are those of
every table, beside the events of its game.
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
    """To the others: this seat's player is gone; the seat is kept for the grace time."""

    seat: Seat
    #: Whether they were gone before the one who is told this came back.
    already: bool = False


class Left(Struct, frozen=True):
    """To the others: this seat was given up by its player; what the game makes of it comes next."""

    seat: Seat


class OpenTable(Struct, frozen=True):
    """
    A table that waits for its players.

    To those who wait there: somebody came or went (the one who came is told so too), and this is how it stands.
    """

    table: TableId
    #: So many players begin a match.
    seats: int
    settings: Mapping[str, str]
    #: Who is there, in the order in which they came.
    names: tuple[str, ...]
    #: Whether the first of them has the second seat, in a game of two.
    reversed: bool = False


class TableClosed(Struct, frozen=True):
    """To those who wait at a table: they wait in vain, and the table is not there any more. `why` is no whole sentence."""

    table: TableId
    why: str = "nobody came in time"


class Back(Struct, Generic[E], frozen=True):
    """To all, the one who came back included: a seat is taken again. `view` is the receiver's own."""

    seat: Seat
    view: E
    #: What has happened in the match, as everybody may know it, for conversations that ask for it.
    events: Sequence[Any] = ()


class Replaced(Struct, frozen=True):
    """To all: a player who was away has lost the seat, and somebody else has it now. `Back` has been told before."""

    seat: Seat
    name: str


class Refused(Struct, frozen=True):
    """To the one who acted: the rules refuse, and nothing has changed."""

    error: IllegalAction


class Offered(Struct, frozen=True):
    """To both players: this seat offers something, and the other one may accept or decline it."""

    seat: Seat
    offer: Offer


class Declined(Struct, frozen=True):
    """To both players: what this seat has offered stands no longer. It was declined, or has come to nothing."""

    seat: Seat
    offer: Offer


class Over(Struct, frozen=True):
    """To all, after everything else: the match has ended, and with it all handles."""

    result: Result


class Suspended(Struct, frozen=True):
    """To all, after everything else: a fault of the host has stopped the match, and with it all handles. Its record is kept."""


class Archived(Struct, frozen=True):
    """To those who watch: nobody came back, and the match ends without a result. Its record is kept."""


class Displaced(Struct, frozen=True):
    """To a player: the same account has come in anew elsewhere, and has the seat."""


class Unmatched(Struct, frozen=True):
    """To a player who waits in a queue: nobody came for a day, and the player has lost the place."""


class NoNewMatches(Struct, frozen=True):
    """To a player who waits for a match, or wants one: the host begins no more. `why` is a sentence without its full stop."""

    why: str


class Look(Struct, Generic[E_co], frozen=True):
    """Where a match stands, for those who watch it. What they are told next happened after it."""

    #: How many things have happened: the entries of the table's record without the opening.
    n: int
    #: The seats whose players are away, in ascending order; `None`: another host plays the match, and only it knows.
    away: tuple[Seat, ...] | None
    #: What `GameMaster.view` gives for a watcher.
    view: E_co


class Audience(Protocol[E_contra]):
    """What a table tells to those who only watch. It is told what everybody may know, and nothing else."""

    def shown(self, look: Look[E_contra]) -> None:
        """Where the match stands, after `Table.watch`. Must not raise."""

    def deliver(self, event: E_contra, n: int) -> None:
        """
        Something happened, and all players have been told: an event of the game's master that is for everyone, or `Away`,
        `Left`, `Back` (its view is `None`), `Suspended`, `Archived` or `Over`. Must not raise.

        :param n: the number of the entry that the event belongs to; of `Away`, `Left` and `Back`, of the last entry told
        """


class WatchableTable(Protocol):
    """A match that can be watched: a table of this host, or one that another host of the cluster plays."""

    @property
    def id(self) -> TableId: ...

    @property
    def game(self) -> Game[Any, Any]: ...

    @property
    def names(self) -> Sequence[str]:
        """Who plays, in the order of the seats."""

    @property
    def wires(self) -> Sequence[str]:
        """The wires on which the players began, in the order of the seats."""

    @property
    def code(self) -> str:
        """What a client must know to watch the match; empty: nothing."""

    @property
    def n(self) -> int:
        """How many entries of the record, the opening aside, have been told."""

    @property
    def clocks(self) -> Sequence[int] | None:
        """The milliseconds that each seat has now, as far as it was told; `None`: there are no clocks, or it is not known."""

    @property
    def due(self) -> tuple[int, int] | None:
        """
        The milliseconds in which those must act whose turn it is, and how many they had, as far as it was told; `None`: no
        such time, or it is not known.
        """

    def now(self) -> int:
        """What the clock of the game shows, in milliseconds, or less."""

    def watch(self, audience: Audience[Any]) -> bool:
        """Show an audience the match, then tell it what happens. `False`: the match is over, or a fault has stopped it."""

    def unwatch(self, audience: Audience[Any]) -> None:
        """Tell this audience nothing more."""


class SeatHandle(Protocol[A_contra]):
    """All that a player holds of a table: the right to act for one seat."""

    @property
    def table(self) -> TableId: ...

    @property
    def seat(self) -> Seat: ...

    @property
    def names(self) -> Sequence[str]:
        """Who plays, in the order of the seats."""

    @property
    def n(self) -> int:
        """
        How many things have happened at the table, as far as they were told: the entries of its record without the opening.
        While an event is delivered, it is the number of the entry that the event belongs to.
        """

    @property
    def clocks(self) -> Sequence[int] | None:
        """The milliseconds that each seat has now, as far as it was told; `None`: the match has no clocks."""

    @property
    def due(self) -> tuple[int, int] | None:
        """As of `WatchableTable`."""

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def wires(self) -> Sequence[str]:
        """The wires on which the players began, in the order of the seats."""

    def act(self, action: A_contra, careful: bool = False) -> bool:
        """
        Want something; what comes of it is delivered, a refusal as `Refused`. Whether it was accepted.

        :param careful: refuse an action that the rules would take and make a loss
        """

    def look(self, shown: Callable[[Any], None]) -> bool:
        """
        Show what the seat knows: its view of the match, once all that it rests on has been told.

        :param shown: called with the view, at once or later; not at all if the seat is lost or the match ends before
        :returns: `False`: a fault has stopped the match
        """

    def replace(self, seat: Seat, substitute: Callable[[], str | None]) -> bool:
        """
        Have somebody else take the seat of a player who is away, at the moment when it would be forfeited.

        :param substitute: called then; gives the name of who has taken the seat, or `None`: it is forfeited
        :returns: whether the player of that seat is away
        """

    def offer(self, offer: Offer) -> bool:
        """Offer something to the other player; a refusal is delivered as `Refused`. Whether it was offered."""

    def answer(self, offer: Offer, accepted: bool) -> bool:
        """Accept or decline what the other player offers; a refusal is delivered as `Refused`. Whether it was offered."""

    def leave(self) -> None:
        """Give the seat up, and hear nothing more of the table."""

    def resign(self) -> None:
        """Give the match up; the end is delivered as to the others, once it is durable."""


class Player(Protocol[A_co, E_contra]):
    """Whoever may have a seat: what a table may say to them."""

    def seated(self, handle: SeatHandle[A_co]) -> None:
        """The seat is theirs; events follow."""

    def deliver(self, event: E_contra) -> None:
        """
        Something happened: an event of the game's master, or one of this module's.

        Must not raise. It may use the handle only after it has returned.
        """


@runtime_checkable
class HearsOffers(Protocol):
    """A player whose wire has words for `Offered` and `Declined`. To others nothing is offered."""

    @property
    def declines(self) -> bool:
        """Whether this player declines all offers, and is told none: house players do."""
