"""
The lists of players' own matches, private ones included.

The store has the slow matches of a list, and the matches that ended while the player was away. Code that changes such a
match puts the new entry into the lists of all its players. A list sends a change to its client when the change is
durable.

A list has an owner: an account, or a guest's name with the digest of the key. Other guests can take the name later, and
their list is another one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from attrs import define, field
from msgspec.structs import replace
from twisted.internet.interfaces import IReactorTime

from gamehost.accounts.names import key_of
from gamehost.games.base import Cause, Result
from gamehost.journal.records import ENDED_KEPT_MS, Journal, OwnedMatch, SeatRecord, TableId
from gamehost.lobby.own_list import ListViewer, OwnList, owner_of, waiting
from gamehost.lobby.queues import TALKING_WIRES
from gamehost.lobby.sessions import Session
from gamehost.tables.interfaces import OpenTable

if TYPE_CHECKING:
    from gamehost.lobby.notices import Notices

#: The result of a match that is archived because no player has come back for a day.
ARCHIVED = Result((), Cause.LEFT, "nobody came back")

#: Called with an owner, and with the new entry of a match in the owner's list.
Notice: TypeAlias = Callable[[str, OwnedMatch], None]


@define(eq=False)
class OwnMatches:
    """
    The lists of all players.

    :param wall: seconds since 1970
    """

    _journal: Journal
    _wall: Callable[[], float]
    _clock: IReactorTime
    #: Finds the tables that wait for a player, and those to which the player was invited for a rematch.
    waiting_for: Callable[[Session], Sequence[OwnedMatch]] = field(init=False, default=lambda session: ())
    #: The lists that clients look at, by the key of the player's name.
    _lists: dict[str, OwnList] = field(factory=dict)
    #: Called with each change of an entry in the store when the change is durable, for connected and absent players.
    listeners: list[Notice] = field(factory=list)
    #: The same for changes by other members of a cluster. Those members notify the players themselves.
    learners: list[Notice] = field(factory=list)
    #: Sends notices to absent players; `None`: this host sends no notices.
    notices: "Notices | None" = None

    @property
    def now(self) -> int:
        """The time in milliseconds since 1970."""
        return round(self._wall() * 1000)

    def ended(self, match: OwnedMatch, result: Result) -> OwnedMatch:
        """The entry of a match that has just ended."""
        winners, why = tuple(map(int, result.winners)), result.why
        return replace(match, state="over", by=None, ended=self.now, winners=winners, cause=result.cause.value, why=why)

    # -- clients that look at their lists

    def look(self, session: Session, viewer: ListViewer) -> OwnList:
        """
        Send a client the list of its player, and each change, until `OwnList.end` or until another client of this
        player looks.
        """
        self.look_away(session.key)
        found = self._lists[session.key] = OwnList(
            partial(self.find, session.record), self.ended, self._clock, session, viewer
        )
        found.begin(self.waiting_for(session))
        return found

    def look_away(self, key: str, only: OwnList | None = None) -> None:
        """
        A client stops looking at a list.

        :param only: do nothing if another client has replaced this one as the viewer of the list
        """
        if key in self._lists and only in (None, self._lists[key]):
            self._lists.pop(key).end()

    def waits(self, players: Mapping[str, SeatRecord], seen: OpenTable, by: int) -> None:
        """
        List a durable open table for these players, by the keys of their names.

        :param by: when the table stops waiting, in milliseconds since 1970
        """
        for key, player in players.items():
            if player.name not in seen.names:
                continue  # a player that joined later receives the entry when that is durable
            if key in self._lists:
                self._lists[key].put(waiting(seen, key, by))
            if self.listeners and (owner := owner_of(player)) is not None:
                self._notice(owner, waiting(seen, key, by))

    def offered(self, player: SeatRecord, seen: OpenTable, by: int) -> None:
        """List the invitation of a player to a rematch. The parameters are as of `waiting`."""
        key, owner = key_of(player.name), owner_of(player)
        match = waiting(seen, key, by)
        if key in self._lists and self._lists[key].session.plays(player):
            self._lists[key].put(match)
        if seen.lasts and owner is not None:
            self._notice(owner, match)

    def waits_no_longer(self, key: str, table: TableId) -> None:
        """Remove a table that has closed without a match from a player's list."""
        if key in self._lists:
            self._lists[key].remove(table)

    def offered_no_longer(self, key: str, table: TableId) -> None:
        """Remove the invitation of a player to a rematch."""
        self.waits_no_longer(key, table)
        if self.notices is not None:
            self.notices.seen(key, table)

    # -- the store

    def put(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        """Put entries into the lists of their owners. Each replaces the entry of the same table."""
        if matches:
            self._journal.put_own(matches, partial(self._tell, matches))

    def drop(self, table: TableId, owner: str | None = None) -> None:
        """Remove a match from the list of an owner, or from all lists."""

        def dropped() -> None:
            keys = self._lists if owner is None else (_key_of(owner),)
            for key in tuple(keys):
                self.waits_no_longer(key, table)

        self._journal.drop_own(table, owner, dropped)

    def seen(self, session: Session, table: TableId | None) -> None:
        """
        A player has seen the end of a match.

        :param table: `None`: all matches that have ended
        """
        owner = owner_of(session.record)

        def noted() -> None:
            if session.key in self._lists and self._lists[session.key].session is session:
                self._lists[session.key].seen(table)

        if owner is None:
            noted()
        else:
            self._journal.drop_own(table, owner, noted)

    def move(self, before: str, after: str | None) -> None:
        """Give the list of an account to another account; `None`: remove it."""
        self._journal.move_own(before, after)

    def find(self, player: SeatRecord, found: Callable[[Sequence[OwnedMatch]], None], key: str = "") -> None:
        """Find the entries of a player's list in the store, after all earlier changes are durable."""
        owner = owner_of(player, key)
        if owner is None:
            found(())
            return
        oldest = self.now - ENDED_KEPT_MS
        self._journal.find_own(
            owner, lambda matches: found([one for one in matches if one.ended is None or one.ended > oldest])
        )

    def has_missed(
        self, match: OwnedMatch, players: Iterable[tuple[int, SeatRecord]], result: Result = ARCHIVED
    ) -> None:
        """
        List a match for players that were away at its end, if their wires can show it. It remains in their lists until
        they have seen it.

        :param match: the entry to list, as for any of the players
        :param players: with their seats
        :param result: by default no player has come back for a day
        """
        lists: list[tuple[str, OwnedMatch]] = []
        for seat, player in players:
            owner = owner_of(player)
            if owner is not None and player.wire in TALKING_WIRES:
                lists.append((owner, self.ended(replace(match, seat=seat), result)))
        self.put(lists)

    def _tell(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        for owner, match in matches:
            self._show(owner, match)
            self._notice(owner, match)

    def learn(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        """Show entries that another member of a cluster has put into lists. That member notifies absent players."""
        for owner, match in matches:
            self._show(owner, match)
            for learner in self.learners:
                learner(owner, match)

    def _show(self, owner: str, match: OwnedMatch) -> None:
        found = self._lists.get(_key_of(owner))
        if found is not None and owner_of(found.session.record) == owner:
            found.put(match)

    def _notice(self, owner: str, match: OwnedMatch) -> None:
        for listener in self.listeners:
            listener(owner, match)


def _key_of(owner: str) -> str:
    """The key of the name of a list's owner."""
    return owner.partition(":")[0]
