"""
The lists of players' own matches, private ones included.

The store has the matches that nobody has at hand: those that go on for days, and those that have ended while the player was
away. Whoever changes such a match puts it into the lists of all its players again. A change is told when it is durable.

A list has an owner: an account, or a guest's name with the digest of the key. Other guests can take the name later, and
their list is another one.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from attrs import define, field

from gamehost.accounts.names import key_of
from gamehost.games.base import Cause, Result
from gamehost.journal.records import ENDED_KEPT_MS, Journal, OwnedMatch, SeatRecord, TableId
from gamehost.lobby.queues import TALKING_WIRES

if TYPE_CHECKING:
    from gamehost.lobby.notices import Notices

#: The end of a match that is archived because no player has come back for a day.
ARCHIVED = Result((), Cause.LEFT, "nobody came back")

#: Called with an owner, and with a match in the list of that owner as it is now.
Notice: TypeAlias = Callable[[str, OwnedMatch], None]


def owner_of(player: SeatRecord) -> str | None:
    """
    The owner of the list that a match of this player is in. `None`: it is in no list, because no client can show later that it
    is this player.
    """
    key = key_of(player.name)
    if player.account:
        return key
    return f"{key}:{player.key_digest}" if player.key_digest else None  # no name has a colon


def ended(match: OwnedMatch, result: Result, at: int) -> OwnedMatch:
    """
    A match in a list after its end.

    :param at: when it ended, in milliseconds since 1970
    """
    winners = tuple(map(int, result.winners))
    return OwnedMatch(
        *(match.table, match.game, match.names, match.seat, "over", None, match.code),
        *(at, winners, result.cause.value, result.why),
    )


@define(eq=False)
class OwnMatches:
    """
    The lists of all players.

    :param wall: seconds since 1970
    """

    _journal: Journal
    _wall: Callable[[], float]
    #: Called with each change of a match in the store, when it is durable, whether its player is connected or not.
    listeners: list[Notice] = field(factory=list)
    #: What tells players who are away; `None`: this host tells nobody.
    notices: "Notices | None" = None

    @property
    def now(self) -> int:
        """In milliseconds since 1970."""
        return round(self._wall() * 1000)

    def put(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        """Put matches into lists, each with its owner, in place of what the list has of the same table."""
        if matches:
            self._journal.put_own(matches, partial(self._tell, matches))

    def drop(self, table: TableId, owner: str | None = None) -> None:
        """Take a match out of the list of an owner, or out of all lists."""
        self._journal.drop_own(table, owner, lambda: None)

    def move(self, before: str, after: str | None) -> None:
        """The list of an account is that of another account from now on; `None`: of nobody."""
        self._journal.move_own(before, after)

    def find(self, player: SeatRecord, found: Callable[[Sequence[OwnedMatch]], None]) -> None:
        """Find the matches in the store that are in the list of a player: as they are when all earlier changes are durable."""
        owner = owner_of(player)
        if owner is None:
            found(())
            return
        oldest = self.now - ENDED_KEPT_MS
        self._journal.find_own(
            owner, lambda matches: found([one for one in matches if one.ended is None or one.ended > oldest])
        )

    def has_missed(self, match: OwnedMatch, players: Iterable[tuple[int, SeatRecord]], result: Result) -> None:
        """
        Players were away at the end of a match. It stays in their lists until they have seen it, as far as their wires can
        tell of it.

        :param match: for any of them
        :param players: with their seats
        """
        lists: list[tuple[str, OwnedMatch]] = []
        for seat, player in players:
            owner = owner_of(player)
            if owner is not None and player.wire in TALKING_WIRES:
                own = OwnedMatch(match.table, match.game, match.names, seat, "wait", code=match.code)
                lists.append((owner, ended(own, result, self.now)))
        self.put(lists)

    def _tell(self, matches: Sequence[tuple[str, OwnedMatch]]) -> None:
        for owner, match in matches:
            for listener in self.listeners:
                listener(owner, match)
