"""
The lists of players' own matches, private ones included.

The store has slow matches, and matches that have ended while the player was away. Code that changes such a match puts it into
the lists of all its players again. A list sends a change when it is durable.

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

#: The end of a match that is archived because no player has come back for a day.
ARCHIVED = Result((), Cause.LEFT, "nobody came back")

#: Called with an owner, and with a match in the list of that owner as it is now.
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
    #: The tables that wait for a player, who may be wanted for a rematch there.
    waiting_for: Callable[[Session], Sequence[OwnedMatch]] = field(init=False, default=lambda session: ())
    #: By the key of a player's name: the list that a client looks at.
    _lists: dict[str, OwnList] = field(factory=dict)
    #: Called with each change of a match in the store, when it is durable, whether its player is connected or not.
    listeners: list[Notice] = field(factory=list)
    #: The same of changes by other members of a cluster: listeners there have told the players.
    learners: list[Notice] = field(factory=list)
    #: What tells players who are away; `None`: this host tells nobody.
    notices: "Notices | None" = None

    @property
    def now(self) -> int:
        """In milliseconds since 1970."""
        return round(self._wall() * 1000)

    def ended(self, match: OwnedMatch, result: Result) -> OwnedMatch:
        """A match in a list that has just ended."""
        winners, why = tuple(map(int, result.winners)), result.why
        return replace(match, state="over", by=None, ended=self.now, winners=winners, cause=result.cause.value, why=why)

    # -- clients that look at their lists

    def look(self, session: Session, viewer: ListViewer) -> OwnList:
        """Tell a client the list of its player, and each change until `OwnList.end` or the next look of this player."""
        self.look_away(session.key)
        found = self._lists[session.key] = OwnList(
            partial(self.find, session.record), self.ended, self._clock, session, viewer
        )
        found.begin(self.waiting_for(session))
        return found

    def look_away(self, key: str, only: OwnList | None = None) -> None:
        """
        A client looks at a list no longer.

        :param only: do nothing if another client looks at the list by now
        """
        if key in self._lists and only in (None, self._lists[key]):
            self._lists.pop(key).end()

    def waits(self, players: Mapping[str, SeatRecord], seen: OpenTable, by: int) -> None:
        """
        A table waits for these players, by the keys of their names, and this is durable.

        :param by: until when, in milliseconds since 1970
        """
        for key, player in players.items():
            if player.name not in seen.names:
                continue  # a player that came later is told when that is durable
            if key in self._lists:
                self._lists[key].put(waiting(seen, key, by))
            if self.listeners and (owner := owner_of(player)) is not None:
                self._notice(owner, waiting(seen, key, by))

    def offered(self, player: SeatRecord, seen: OpenTable, by: int) -> None:
        """A player is wanted for a rematch. The parameters are as of `waiting`."""
        key, owner = key_of(player.name), owner_of(player)
        match = waiting(seen, key, by)
        if key in self._lists and self._lists[key].session.plays(player):
            self._lists[key].put(match)
        if seen.lasts and owner is not None:
            self._notice(owner, match)

    def waits_no_longer(self, key: str, table: TableId) -> None:
        """A table does not wait for a player any more, and no match begins there."""
        if key in self._lists:
            self._lists[key].remove(table)

    def offered_no_longer(self, key: str, table: TableId) -> None:
        """A player is not wanted for a rematch any more."""
        self.waits_no_longer(key, table)
        if self.notices is not None:
            self.notices.seen(key, table)

    # -- the store

    def put(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        """Put matches into lists, each with its owner, in place of what the list has of the same table."""
        if matches:
            self._journal.put_own(matches, partial(self._tell, matches))

    def drop(self, table: TableId, owner: str | None = None) -> None:
        """Take a match out of the list of an owner, or out of all lists."""

        def dropped() -> None:
            keys = self._lists if owner is None else (_key_of(owner),)
            for key in tuple(keys):
                self.waits_no_longer(key, table)

        self._journal.drop_own(table, owner, dropped)

    def seen(self, session: Session, table: TableId | None) -> None:
        """
        A player has seen how a match has ended.

        :param table: `None`: all that have ended
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
        """The list of an account is that of another account from now on; `None`: of nobody."""
        self._journal.move_own(before, after)

    def find(self, player: SeatRecord, found: Callable[[Sequence[OwnedMatch]], None], key: str = "") -> None:
        """Find the matches in the store that are in the list of a player: as they are when all earlier changes are durable."""
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
        List a match for players who were away at its end. It remains in their lists until they have seen it, if their wires
        can show it.

        :param match: for any of them
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
        """Show matches that another member of a cluster has put into lists. That member notifies absent players."""
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
