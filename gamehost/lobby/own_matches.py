"""
The lists of players' own matches. They include private matches.

The store has only some entries of each list: the slow matches, and the matches that ended while the player was away. If
such a match changes, `OwnMatches.put` stores the new entry for all its players. When the entry is durable, it is sent to
the clients that show a list.

A list belongs to an account, or to a guest's name with the digest of the guest's key. So another guest with the same name
has another list.
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

#: The result of a match that is archived because no player came back within a day.
ARCHIVED = Result((), Cause.LEFT, "nobody came back")

#: Called with an owner, and with the new entry of a match in the owner's list.
Notice: TypeAlias = Callable[[str, OwnedMatch], None]


@define(eq=False)
class OwnMatches:
    """
    The lists of own matches of all players: stores their entries, and passes changes to clients and listeners.

    :param wall: returns the time in seconds since 1970
    """

    _journal: Journal
    _wall: Callable[[], float]
    _clock: IReactorTime
    #: Returns the open tables where a player has a seat, and those of rematches that the player was asked for.
    waiting_for: Callable[[Session], Sequence[OwnedMatch]] = field(init=False, default=lambda session: ())
    #: The lists that clients show now, by the key of the player's name.
    _lists: dict[str, OwnList] = field(factory=dict)
    #: Called with each new or changed entry when it is durable, for connected and absent players.
    listeners: list[Notice] = field(factory=list)
    #: Called with the changes that other members of a cluster have made. Those members notify the players themselves.
    learners: list[Notice] = field(factory=list)
    #: Sends notices to absent players; `None`: this host sends no notices.
    notices: "Notices | None" = None

    @property
    def now(self) -> int:
        """The time in milliseconds since 1970."""
        return round(self._wall() * 1000)

    def ended(self, match: OwnedMatch, result: Result) -> OwnedMatch:
        """Returns the entry of a match that has just ended, made from its entry before the end."""
        winners, why = tuple(map(int, result.winners)), result.why
        return replace(match, state="over", by=None, ended=self.now, winners=winners, cause=result.cause.value, why=why)

    # -- clients that show lists

    def look(self, session: Session, viewer: ListViewer) -> OwnList:
        """
        Begin to send a client the list of its player, and each change. This ends by `look_away`, or when another client of
        the same player calls `look`.
        """
        self.look_away(session.key)
        found = self._lists[session.key] = OwnList(
            partial(self.find, session.record), self.ended, self._clock, session, viewer
        )
        found.begin(self.waiting_for(session))  # with the entries of open tables; the list finds the others itself
        return found

    def look_away(self, key: str, only: OwnList | None = None) -> None:
        """
        Stop sending a list to its client.

        :param key: of the player's name
        :param only: the client's list. If another client's list has replaced it, do nothing. `None`: stop in any case
        """
        if key in self._lists and only in (None, self._lists[key]):
            self._lists.pop(key).end()

    def waits(self, players: Mapping[str, SeatRecord], seen: OpenTable, by: int) -> None:
        """
        Put an open table, with a state that is durable, into the lists of its players.

        :param players: by the keys of their names
        :param seen: the state of the table
        :param by: when the table stops waiting, in milliseconds since 1970
        """
        for key, player in players.items():
            if player.name not in seen.names:
                continue  # this player joined after the state was made: it is listed when that is durable
            if key in self._lists:
                self._lists[key].put(waiting(seen, key, by))
            if self.listeners and (owner := owner_of(player)) is not None:  # a guest without a key gets no notices
                self._notice(owner, waiting(seen, key, by))

    def offered(self, player: SeatRecord, seen: OpenTable, by: int) -> None:
        """Put the offer of a rematch into a player's list. See `waits` for the parameters."""
        key, owner = key_of(player.name), owner_of(player)
        match = waiting(seen, key, by)
        # The list may be that of another player, which uses the name now.
        if key in self._lists and self._lists[key].session.plays(player):
            self._lists[key].put(match)
        # An absent player is notified only of an offer that waits for it.
        if seen.lasts and owner is not None:
            self._notice(owner, match)

    def waits_no_longer(self, key: str, table: TableId) -> None:
        """Remove a table that has closed without a match from a player's list."""
        if key in self._lists:
            self._lists[key].remove(table)

    def offered_no_longer(self, key: str, table: TableId) -> None:
        """Remove the offer of a rematch from a player's list, and its notice if that was not sent yet."""
        self.waits_no_longer(key, table)
        if self.notices is not None:
            self.notices.seen(key, table)

    # -- the store

    def put(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        """Store entries in the lists of their owners, each in place of an entry of the same table. Then send them."""
        if matches:
            self._journal.put_own(matches, partial(self._tell, matches))

    def drop(self, table: TableId, owner: str | None = None) -> None:
        """Remove a match from the list of one owner; `None`: from all lists."""

        def dropped() -> None:
            """Remove the match from the lists that clients show now, because the store has it no longer."""
            keys = self._lists if owner is None else (_key_of(owner),)
            for key in tuple(keys):
                self.waits_no_longer(key, table)

        self._journal.drop_own(table, owner, dropped)

    def seen(self, session: Session, table: TableId | None) -> None:
        """
        Remove a finished match from a player's list, because the player has seen its end.

        :param table: `None`: remove all finished matches
        """
        owner = owner_of(session.record)

        def noted() -> None:
            # A list of another session belongs to another player with this name, or to a newer log-in.
            if session.key in self._lists and self._lists[session.key].session is session:
                self._lists[session.key].seen(table)

        if owner is None:  # a guest without a key: the store has no list of it
            noted()
        else:
            self._journal.drop_own(table, owner, noted)

    def move(self, before: str, after: str | None) -> None:
        """
        Move the list of an account to the account's new name; `None`: remove the list.

        :param before: the key of the account's name
        :param after: the key of its new name
        """
        self._journal.move_own(before, after)

    def find(self, player: SeatRecord, found: Callable[[Sequence[OwnedMatch]], None], key: str = "") -> None:
        """
        Find the entries of a player's list in the store, after all earlier changes are durable. Matches that ended long ago
        are left out.

        :param found: called with the entries; none for a player without a list
        :param key: of the player's name, if the caller knows it; empty: it is computed
        """
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
        Put a finished match into the lists of players that were away at its end, if their wires can show it. The entry remains
        there until the players have seen it.

        :param match: the entry; the seat and the result are filled in
        :param players: the absent players with their seats
        :param result: the default says that no player came back in time
        """
        lists: list[tuple[str, OwnedMatch]] = []
        for seat, player in players:
            owner = owner_of(player)  # `None`: a guest without a key has no list
            if owner is not None and player.wire in TALKING_WIRES:
                lists.append((owner, self.ended(replace(match, seat=seat), result)))
        self.put(lists)

    def _tell(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        """Send entries that are now durable to the clients of their owners, and to the listeners."""
        for owner, match in matches:
            self._show(owner, match)
            self._notice(owner, match)

    def learn(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        """Send clients here the entries that another member of a cluster has stored. That member notifies absent players."""
        for owner, match in matches:
            self._show(owner, match)
            for learner in self.learners:
                learner(owner, match)

    def _show(self, owner: str, match: OwnedMatch) -> None:
        """Send an entry to the client that shows the list of this owner, if there is one."""
        found = self._lists.get(_key_of(owner))
        if found is not None and owner_of(found.session.record) == owner:
            found.put(match)

    def _notice(self, owner: str, match: OwnedMatch) -> None:
        """Call all listeners with a new or changed entry."""
        for listener in self.listeners:
            listener(owner, match)


def _key_of(owner: str) -> str:
    """The key of the name of a list's owner. For a guest, a colon and the digest of its secret key follow it."""
    return owner.partition(":")[0]
