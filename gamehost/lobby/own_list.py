"""
The list of a player's own matches, for one client. The client receives the whole list first, and then each change.

The list has the matches from the store, the player's current match, the open tables where the player has a seat, and the
rematches that other players have asked for. For the current match, the list watches the match as other watchers do. So
matches cost nothing extra while no client shows a list.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from attrs import define, field
from msgspec.structs import replace
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.accounts.names import key_of
from gamehost.games.base import MOVE_DAYS, Game, Result, Seat
from gamehost.journal.records import OwnedMatch, OwnState, SeatRecord, TableId
from gamehost.tables.interfaces import Archived, Look, OpenTable, Over, SeatHandle, Suspended

if TYPE_CHECKING:
    from gamehost.lobby.sessions import Session
    from gamehost.tables.table import Table

FIRST = Seat(0)
#: The seconds after a move until the list reads the match again.
SOON = 0.25
#: The most matches that a client receives at once; the newest matches are included.
MOST_LISTED = 200


def owner_of(player: SeatRecord, key: str = "") -> str | None:
    """
    The text that identifies the owner of a list of own matches: the key of the account's name. For a guest, it is the key of
    the name, a colon, and the digest of the guest's secret key.

    :param key: the key of the player's name, if the caller knows it; empty: it is computed
    :returns: `None`: the player is a guest without a secret key. It has no list, because it could not prove later that it
        is the same player
    """
    key = key or key_of(player.name)
    if player.account:
        return key
    return f"{key}:{player.key_digest}" if player.key_digest else None  # no name has a colon


def waiting(seen: OpenTable, key: str, by: int) -> OwnedMatch:
    """
    Returns the entry of an open table in a player's list. For a player without a seat there, the entry is an offer of a
    rematch, with the next empty seat.

    :param key: the key of the player's name
    :param by: when the table stops waiting, in milliseconds since 1970
    """
    keys = [key_of(name) for name in seen.names]
    there = key in keys
    place = keys.index(key) if there else len(keys)  # the next empty seat
    # In a game of two, the player that has opened the table may have the second seat.
    seat = 1 - place if seen.reversed else place
    match = OwnedMatch(
        seen.table, seen.game, seen.names, seat, state="open", by=by, code=seen.code, shown_as=seen.shown_as
    )
    match = replace(match, slow=MOVE_DAYS in seen.settings)
    return match if there else replace(match, state="offer", offer="rematch")


class ListViewer(Protocol):
    """A client that shows the list of its player. Its methods must not raise."""

    @property
    def handle(self) -> SeatHandle[Any] | None:
        """The seat of its player in the current match; `None`: there is none."""

    def tell_list(self, matches: Sequence[OwnedMatch]) -> None:
        """Send the whole list, in the order of the tables' numbers."""

    def tell_listed(self, match: OwnedMatch) -> None:
        """Send a new or changed entry."""

    def tell_unlisted(self, match: OwnedMatch) -> None:
        """Send that an entry was removed."""


def state_for(game: Game[Any, Any], view: Any, seat: Seat) -> OwnState:
    """
    The state of an unfinished match for a seat: `turn` if the match waits for an action of this seat, otherwise `wait`.

    :param view: the view of this seat, from the game's master
    """
    # A game returns a random action for a seat only if the seat can act now. The action itself is not needed.
    return "wait" if game.random_action(view, seat, _first) is None else "turn"


def _first(below: int) -> int:
    """Choose always the first possibility, instead of a random one."""
    return 0


@define(eq=False)
class OwnList:
    """
    The list of a player's own matches, as one client shows it: sends the list and its changes to the client.

    :param find: calls a function with the entries of the list in the store, after all earlier changes are durable
    :param made_over: makes the entry of a finished match from the entry of the running match and the result
    """

    _find: Callable[[Callable[[Sequence[OwnedMatch]], None]], None]
    _made_over: Callable[[OwnedMatch, Result], OwnedMatch]
    _clock: IReactorTime
    session: "Session"
    _viewer: ListViewer
    _matches: dict[TableId, OwnedMatch] = field(factory=dict)
    #: Whether the client has received the whole list.
    _told: bool = False
    #: Whether the client does not show the list any more.
    _ended: bool = False
    #: The current match of the player, which this list watches, and the player's seat.
    _live: "Table[Any, Any] | None" = None
    _seat: Seat = FIRST
    _timer: Timer = field(factory=Timer)

    log = Logger()

    def begin(self, matches: Sequence[OwnedMatch]) -> None:
        """
        Collect the entries, and then send the whole list.

        :param matches: the entries of open tables
        """
        self._matches = {one.table: one for one in matches}
        self.sit()
        self._find(self._found)

    def _found(self, stored: Sequence[OwnedMatch]) -> None:
        """Add the entries from the store, and send the whole list. Newer entries that have come meanwhile remain."""
        if self._ended:
            return
        for match in stored:
            self._matches.setdefault(match.table, match)
        self._told = True  # from now on, each change is sent on its own
        newest = sorted(self._matches)[-MOST_LISTED:]
        self._viewer.tell_list([self._matches[table] for table in newest])

    def end(self) -> None:
        """End this list, because the client does not show it any more: send nothing more, and stop watching the match."""
        self._ended = True
        self._timer.stop()
        if self._live is not None:
            self._live.unwatch(self)
            self._live = None

    # -- changes

    def put(self, match: OwnedMatch) -> None:
        """Add or replace an entry."""
        if self._matches.get(match.table) != match:
            self._matches[match.table] = match
            if self._told:
                self._viewer.tell_listed(match)

    def remove(self, table: TableId) -> None:
        """Remove an entry, if it is in the list."""
        match = self._matches.pop(table, None)
        if match is not None and self._told:
            self._viewer.tell_unlisted(match)

    def seen(self, table: TableId | None) -> None:
        """Remove a finished match, because the player has seen its end; `None`: remove all finished matches."""
        for match in tuple(self._matches.values()):
            if match.state == "over" and table in (None, match.table):
                self.remove(match.table)

    # -- the current match

    def sit(self) -> None:
        """
        Let this list watch the current match of the player, if there is one, so that the entry of the match is updated.
        Called when the list begins, and when the player gets a seat.
        """
        table, seat = self.session.table, self.session.seat
        if table is None or seat is None or table is self._live:
            return
        self._stand()  # stop watching the match before
        self._live, self._seat = table, seat
        if not table.watch(self):  # the match is over already, or a fault has stopped it
            self._live = None

    def _stand(self) -> None:
        """
        Stop watching the current match, because the match is over or the player has lost the seat. The entry gets the result;
        without a result, it is removed.
        """
        table, self._live = self._live, None
        self._timer.stop()
        if table is None:
            return
        table.unwatch(self)
        if table.result is None:
            self.remove(table.id)
        else:
            self._over(table, table.result)

    def _over(self, table: "Table[Any, Any]", result: Result) -> None:
        """Replace the entry of a finished match by one with the result."""
        self.put(self._made_over(self._match(table, "wait"), result))

    def _match(self, table: "Table[Any, Any]", state: OwnState) -> OwnedMatch:
        """Returns an entry of the current match, with this state."""
        names = tuple(table.names)
        return OwnedMatch(table.id, table.game.name, names, self._seat, state, code=table.code, shown_as=table.shown_as)

    def shown(self, look: Look[Any]) -> None:
        """Read the current match, because its position has changed."""
        self._look()

    def deliver(self, event: Any, n: int) -> None:
        """
        Follow an event of the current match: at its end stop watching, otherwise read the match again soon. The event's
        number `n` is not needed.
        """
        if isinstance(event, Over | Suspended | Archived):
            self._stand()
        else:
            self.look_soon()

    def look_soon(self) -> None:
        """Read the current match again after `SOON` seconds, because it may have changed. Many changes are read at once."""
        if not self._timer and self._live is not None:
            self._timer.set(self._clock, SOON, self._look)

    def _look(self) -> None:
        """Request the player's view of the current match. `_looked` receives it."""
        handle = self._viewer.handle
        if self._live is not None and handle is not None and handle.table == self._live.id:
            handle.look(self._looked)

    def _looked(self, view: Any) -> None:
        """Update the entry of the current match from the player's view."""
        table = self._live
        if table is None:
            return
        match = self._match(table, "wait")
        try:
            match = replace(match, state=state_for(table.game, view, self._seat))
            # An open offer of the other player, such as a draw. The entry then also says if the player has the turn.
            if (offer := table.offered_to(self._seat)) is not None:
                match = replace(match, state="offer", offer=offer.value, turn=match.state == "turn")
        except Exception:
            # A fault of this list must not disturb the match.
            self.log.failure("it is not known whose turn it is in {game}", game=table.game.name)
        self.put(match)
