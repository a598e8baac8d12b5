"""
The parts of a table's record, and the interface of a journal.

Every action that a game master has accepted becomes an entry: the seat, the action, the time on the table's clock, and
the random numbers. If a new master carries out the entries of a table again, it comes to the same position and returns
the same events. No player receives the events of an entry before the journal has reported that the entry is durable.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Literal, NewType, Protocol, TypeAlias

import msgspec
from attrs import field, frozen

from gamehost.games.base import CLOCK_SETTINGS, MOVE_DAYS, Seat

#: A table's number: counted from 1, never used twice.
TableId = NewType("TableId", int)


#: The address of house players, which run beside the host. No client has such an address.
HOUSE_ADDRESS = "house"
#: The name of the wire of a player on the open wire for whom a language model decides. It tells this to the other
#: players.
AGENT = "agent"


class EntryKind(IntEnum):
    """The kind of an entry. The numbers are in the journal's files: never change one."""

    #: The match began, with the random numbers that `GameMaster.begin` has drawn.
    BEGAN = 1
    #: A seat acted: the notation is the action.
    ACTED = 2
    #: A seat was given up.
    FORFEITED = 3
    #: The deadline passed.
    EXPIRED = 4
    #: The table was archived without a result: no player came back for a day, or no player had acted when the last
    #: player left.
    ARCHIVED = 5
    #: The players agreed on the draw that a seat offered.
    DRAWN = 6
    #: The players agreed that a seat takes its last move back.
    TAKEN_BACK = 7
    #: A seat claimed a draw, because the other player was away and did not come back in time.
    CLAIMED = 8
    #: Only in slow matches, in which an offer waits for the other player: a seat offered a draw; a seat asked to take
    #: its last move back; the offer of a seat was declined.
    DRAW_OFFERED = 9
    ASKED_BACK = 10
    DECLINED = 11


class Entry(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """
    One entry of a table's record. There is one for each move, so an entry is quick to make, and the garbage collector
    ignores it. A journal in a file has the fields in this order: never change the order.
    """

    kind: EntryKind
    #: The time on the table's clock, in milliseconds.
    at: int
    seat: Seat | None = None
    #: The action, as `Game.write` gives it; empty for all kinds but `ACTED`.
    notation: bytes = b""
    #: The random numbers that were drawn for this entry, in order.
    drawn: tuple[int, ...] = ()
    #: Only in the entry that ended the match: the result, in words. Never empty there.
    outcome: str = ""
    #: In some entries, the `gamehost.journal.replay.fingerprint` of the match after the entry; in others empty.
    check: bytes = b""


@frozen
class SeatRecord:
    """What a record says about the player of a seat, so that a new run of the host knows the player."""

    name: str
    #: The wire by its name, such as `onitama`.
    wire: str
    #: The player's address, without the port; empty if there is none.
    address: str = ""
    #: Whether the name belongs to an account.
    account: bool = False
    #: The SHA-256 of the key that a guest has given with the name, in hex; empty: there is none.
    key_digest: str = ""
    #: The display name, if the player has chosen one; empty: the name is shown.
    shown: str = ""


#: The value of `shown_as` if no player has a display name: one object for all tables, to save memory.
AS_NAMED: Mapping[str, str] = {}


def shown_as(players: Iterable[SeatRecord]) -> Mapping[str, str]:
    """The display names of players, by their names; players without one are left out."""
    return {player.name: player.shown for player in players if player.shown} or AS_NAMED


class OpenedTable(msgspec.Struct, frozen=True):
    """
    An open table, which waits for players. A store contains it, with these field names, for the next run of the host.
    """

    table: TableId
    #: The name of the game.
    game: str
    #: The number of players that the match needs.
    seats: int
    #: The settings of the match.
    settings: Mapping[str, str]
    #: The code that others need to join; empty: no code is needed.
    code: str
    #: The players with a seat, in the order in which they came.
    players: tuple[SeatRecord, ...]
    #: Whether the first player gets the second seat, in a game of two.
    reversed: bool
    #: When the table was opened, in milliseconds since 1970.
    since: int
    #: If the table waits for the rematch of a slow match: that match, and its players that are asked to join.
    played: TableId | None = None
    asked: tuple[SeatRecord, ...] = ()


#: The state of a match for one of its players. `turn`: the player must move; `wait`: others must move; `open`: the
#: match has not begun; `offer`: another player offers something; `over`: the match has ended.
OwnState: TypeAlias = Literal["turn", "wait", "open", "offer", "over"]
#: How many ended matches the list of one player may have. The oldest ones are removed.
MOST_ENDED = 20
#: After how many milliseconds an ended match is removed from such a list: 14 days.
ENDED_KEPT_MS = 14 * 86_400_000


class OwnedMatch(msgspec.Struct, frozen=True):
    """A match in the list of one of its players. A store contains it, with these field names."""

    table: TableId
    #: The name of the game.
    game: str
    #: All players, in the order of the seats.
    names: tuple[str, ...]
    #: The seat of the owner of the list.
    seat: int
    state: OwnState
    #: The next deadline, in milliseconds since 1970; `None`: it is not known, or the match has ended.
    by: int | None = None
    #: The code that others need to watch or to join; empty: no code is needed.
    code: str = ""
    #: When the match ended, in milliseconds since 1970; `None`: it has not ended.
    ended: int | None = None
    #: The result of an ended match; see `gamehost.games.base.Result`. An empty `cause` means that there is no result.
    winners: tuple[int, ...] = ()
    cause: str = ""
    why: str = ""
    #: Only in the state `offer`: `draw`, `takeback` or `rematch`; and whether this player must move.
    offer: str = ""
    turn: bool = False
    #: Whether it is a slow match.
    slow: bool = False
    #: The display names of the players, by their names; players without one are left out.
    shown_as: Mapping[str, str] = {}

    @property
    def shown(self) -> tuple[str, ...]:
        """The names to show to people, in the order of the seats."""
        return tuple(self.shown_as.get(name, name) for name in self.names)


@frozen
class Leave:
    """A leave: until a time, no deadline counts in any slow match of a player, or in one slow match."""

    #: The player, by `gamehost.lobby.own_list.owner_of`; or the table, by `gamehost.accounts.names.place_of`.
    key: str
    #: The end of the leave, in milliseconds since 1970.
    until: int
    #: A year, and how many days of leave the player has taken in this year.
    year: int = 0
    days: int = 0


@frozen
class KeptText:
    """A text that an account keeps, such as the set-ups of its player. The host does not read it."""

    #: The account's.
    key: str
    #: The name of a game; of a match, the place of its table; see `place_of`.
    place: str
    #: Empty: the account keeps none.
    text: str

    @property
    def table(self) -> TableId | None:
        """The table of the match that the text is about."""
        return TableId(int(self.place[1:])) if self.place.startswith("#") else None

    def __repr__(self) -> str:
        return f"KeptText({self.place!r})"  # the text is a secret


#: The setting of a match with a result that counts in the ratings; its value is `yes`. All players have agreed, and
#: none of them is a guest.
RATED = "rated"
#: In place of a player's name in `Journal.finished`: finds all rated matches. No player has this name, because it
#: contains a blank.
RATED_MATCHES = "rated matches"
#: The settings of a match that are for the table. All other settings are for the game.
TABLE_SETTINGS = frozenset({"code", RATED, MOVE_DAYS, *CLOCK_SETTINGS})
#: The setting of a slow match with the time when its clock began, in milliseconds since 1970. Only the host can set it.
SLOW = "slow"
#: The setting of a match of a championship with the number of the championship's record, in which the results count.
#: Only the host can set it.
CHAMPIONSHIP = "championship"

#: The beginning of the names of settings in which a wire stores a note for a seat, such as `note.0`. Only the host can
#: set them.
NOTE = "note."


def settings_to_show(settings: Mapping[str, str]) -> Mapping[str, str]:
    """The settings of a match that everybody may see."""
    return {name: text for name, text in settings.items() if name not in ("code", SLOW) and not name.startswith(NOTE)}


@frozen
class TableHeader:
    """The opening of a table: everything that is needed to make its game master again."""

    game: str
    version: int
    seats: tuple[SeatRecord, ...]
    #: The settings of the game and of the table.
    settings: Mapping[str, str] = field(factory=dict)

    @property
    def game_settings(self) -> Mapping[str, str]:
        """The settings for the game, without the settings of the table."""
        others = (*TABLE_SETTINGS, CHAMPIONSHIP, SLOW)
        return {name: text for name, text in self.settings.items() if name not in others and not name.startswith(NOTE)}

    def note(self, seat: int) -> str:
        """The note that a wire has stored for a seat; empty: there is none."""
        return self.settings.get(f"{NOTE}{seat}", "")

    @property
    def has_notes(self) -> bool:
        """Whether a wire has stored notes. Then its players come back to the table with an id from the note."""
        return any(self.note(seat) for seat in range(len(self.seats)))

    @property
    def code(self) -> str:
        """The code that a client needs to watch the match; empty: no code is needed."""
        return self.settings.get("code", "")

    @property
    def slow(self) -> int | None:
        """When the clock of a slow match began, in milliseconds since 1970; `None`: it is no slow match."""
        return int(self.settings[SLOW]) if SLOW in self.settings else None

    @property
    def rated(self) -> bool:
        """Whether the result counts in the ratings."""
        return self.settings.get(RATED) == "yes"

    @property
    def championship(self) -> str:
        """The number of the record of a championship in which the result counts; empty: there is none."""
        return self.settings.get(CHAMPIONSHIP, "")


#: In a set of seats that have received the end of a match: the host has sent the end to all connected players, and the
#: absent players will receive it later. No game has so many seats.
MISSED_END = Seat(62)


@frozen
class TableRecord:
    """The whole record of a table."""

    table: TableId
    opening: TableHeader
    entries: tuple[Entry, ...]
    #: The seats that have received the end of the match, if not all of them have.
    told: frozenset[Seat] = frozenset()


@frozen
class FinishedMatch:
    """A match with a result, without its entries except the last."""

    table: TableId
    #: When the match began, in milliseconds since 1970.
    opened_ms: int
    opening: TableHeader
    #: How many entries follow the opening.
    entries: int
    #: The last entry.
    last: Entry

    @property
    def played(self) -> bool:
        """
        Whether a player has acted in the match. Without an action, a record has only the beginning, and an entry for
        each player that has left.
        """
        return self.last.kind is EntryKind.ACTED or self.entries > len(self.opening.seats)


@frozen
class UnfinishedTable:
    """A table that was not finished when the host started, without its entries."""

    table: TableId
    opening: TableHeader
    #: Whether there is an entry. Without an entry, no player knows of the table.
    begun: bool
    #: The time since which all players are away, in seconds of `Journal.uptime`.
    since: int
    #: See `TableRecord.told`.
    told: frozenset[Seat] = frozenset()
    #: The deadline of a slow match, in milliseconds since 1970; `None`: it is not known without the record.
    due: int | None = None

    @property
    def over(self) -> bool:
        """Whether the match has ended, and only players that were absent then must still receive the end."""
        return MISSED_END in self.told


@frozen
class TableElsewhere:
    """A table that another host of the same store plays, without its entries."""

    table: TableId
    #: The number of the last entry, and the time of this entry on the table's clock, in milliseconds.
    n: int
    at: int
    #: The opening; `None`: the caller has it already.
    opening: TableHeader | None


class StoreUnusable(Exception):
    """A store must not be used in its present state. The message says what was found, and what can be done."""


class Pressure(IntEnum):
    """How far the disk is behind, and what the host must do. Each level includes the levels before."""

    NONE = 0
    #: Do not read from players.
    PAUSE = 1
    #: No new tables and no log-ins.
    REFUSE = 2
    #: A member of a cluster cannot serve players: close all connections and ports, so that players go to another
    #: member.
    AWAY = 3
    #: The disk has failed: end the process, with a status that is not 0.
    GIVE_UP = 4


class Room(IntEnum):
    """How much free space the disk of a store has."""

    ENOUGH = 0
    #: Enough for the tables that are there, but not for new tables.
    LOW = 1
    #: Too little: the host stops before a write fails.
    NONE = 2


class Journal(Protocol):
    """
    Stores the records of tables, and what else tables and lists of matches need.

    Callbacks come in the order of the calls, each exactly once, on the reactor's thread. A journal in memory calls back
    at once, others later. If a write fails, the journal does not call back, and ends the process.

    Questions are outside this order: `read`, `match`, `finished`, `elsewhere` and `entries_after`. A change never waits
    for a question. A question is answered later, in any order with the callbacks of changes. The answer contains every
    change that was called back before the question was put, and may contain more. Questions are answered one at a time,
    in their order, each in a limited time. Waiting questions do not count as `Pressure`. The journal does not limit
    their number, so a caller that asks for clients must have only a few questions open at a time.
    """

    def new_table(self) -> TableId:
        """A new table number, which was never used before."""

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        """
        Begin the record of a table.

        :param durable: called when the opening is durable
        """

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        """
        Add an entry to the record of a table. An entry with an outcome, or of the kind `ARCHIVED`, finishes the record.

        :param durable: called when the entry is durable

        :raises ValueError: the table was not opened, or is finished
        """

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        """
        Note that the player of a seat has received the end of a match.

        :param seat: the seat. `None`: all players have received the end; then `unfinished` does not return the table
            any more. `MISSED_END`: all other players were absent, and will receive the end later
        """

    @property
    def uptime(self) -> int:
        """
        For how many seconds hosts have run with this journal, up to the start of this host. Less than a minute of each
        run may be missing.
        """

    def note_uptime(self, seconds: int) -> None:
        """Store a new value of `uptime`, for the next start."""

    def unfinished(self) -> Iterable[UnfinishedTable]:
        """
        The tables that are not finished, and the finished ones with an end that was not sent to all players; the oldest
        first. Called once, before anything is added. Before entries can be added to such a table, it must be loaded.
        """

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        """
        Read the record of a table, in order with the changes: it contains all entries that were added before.
        Afterwards, entries can be added to an unfinished table. A journal need not store finished tables.

        :param loaded: called in order with the callbacks of changes, with the record, or with the reason why it is
            missing or cannot be read
        """

    def read(self, table: TableId, found: Callable[[TableRecord | str], None]) -> None:
        """
        Read the record of any table of any host, for people. Unlike `load`, this does not allow entries to be added.

        :param found: called with the record, or with the reason why it cannot be read
        """

    def elsewhere(
        self, known: Collection[TableId], most: int, found: Callable[[Sequence[TableElsewhere], int], None]
    ) -> None:
        """
        Find the tables that other hosts of the same store play. Tables that sleep are left out.

        :param known: tables with openings that the caller has; they are found without openings
        :param most: how many tables to find; those with the highest numbers are preferred
        :param found: called with the tables in the order of their numbers, and with the number of all such tables
        """

    def entries_after(
        self, last: Mapping[TableId, int], found: Callable[[Mapping[TableId, Sequence[Entry] | str]], None]
    ) -> None:
        """
        Read the newest entries of tables of any host. If there are very many, only the first of them are found.

        :param last: for each table, the number of the last entry that the caller knows; 0: only the opening
        :param found: called with the new entries of each table that has some, or with the reason why they cannot be
            read
        """

    def finished(
        self,
        below: int | None,
        count: int,
        found: Callable[[Sequence[FinishedMatch], int], None],
        *,
        game: str = "",
        name: str = "",
    ) -> None:
        """
        Find finished public matches, which are matches without a code; the newest first. A journal need not store them.

        :param below: only tables with lower numbers; `None`: all
        :param count: how many matches to find. A journal may find fewer, although there are more
        :param found: called with the matches, and with a table number: the answer is complete down to this number. To
            continue, ask again with this number as `below`; 1: there are no more matches
        :param game: only matches of this game; empty: of all games
        :param name: only matches of a player with this name, compared by `gamehost.accounts.names.key_of`; empty: of
            all players; `RATED_MATCHES`: only rated matches
        """

    def match(self, table: TableId, found: Callable[[FinishedMatch | None], None]) -> None:
        """
        Find the finished match with this number, public or private.

        :param found: called with the match; `None`: this journal has no such match
        """

    def sleep(
        self, table: TableId, since: int, due: int | None = None, durable: Callable[[], None] = lambda: None
    ) -> None:
        """
        Note that all players of an unfinished table are away. Before more entries can be added, the table must be
        loaded or woken.

        :param since: the time now, in seconds of `uptime`
        :param due: the deadline of a slow match, in milliseconds since 1970
        """

    def wake(self, table: TableId) -> None:
        """Note that a player of a sleeping table has come back. Entries can be added again."""

    def put_opened(self, opened: OpenedTable, durable: Callable[[], None]) -> None:
        """Store an open table. If it is stored already, replace it."""

    def drop_opened(self, table: TableId, durable: Callable[[], None]) -> None:
        """
        Remove an open table. If its match begins in the same turn of the reactor, both changes are in the same commit.
        """

    def put_own(self, matches: Sequence[tuple[str, OwnedMatch]], durable: Callable[[], None]) -> None:
        """
        Put matches into the lists of their players. A match replaces the one with the same table. A list has at most
        `MOST_ENDED` ended matches; the oldest are removed, and so are, some time later, matches that ended more than
        `ENDED_KEPT_MS` ago.

        :param matches: the owners of the lists, by `gamehost.lobby.own_list.owner_of`, each with a match
        """

    def drop_own(self, table: TableId | None, owner: str | None, durable: Callable[[], None]) -> None:
        """
        Remove a match from the list of a player.

        :param table: the match; `None`: all ended matches
        :param owner: the owner of the list; `None`: remove from all lists
        """

    def move_own(self, before: str, after: str | None) -> None:
        """
        Give the list, the leave and the texts of an owner to another owner.

        :param after: the new owner; `None`: delete them
        """

    def find_own(self, owner: str, found: Callable[[Sequence[OwnedMatch]], None]) -> None:
        """
        Find the list of a player, sorted by the numbers of the tables.

        :param found: called with the list, in order with the callbacks of changes
        """

    def put_leave(self, leave: Leave, durable: Callable[[], None]) -> None:
        """
        Store a leave. It replaces the leave with the same key. Leaves of earlier years that are over may be removed.
        """

    def find_leaves(self, found: Callable[[Sequence[Leave]], None]) -> None:
        """
        Find all leaves.

        :param found: called with the leaves, in order with the callbacks of changes
        """

    def put_kept(self, kept: KeptText, durable: Callable[[], None]) -> None:
        """
        Store a text of an account. It replaces the text with the same place. A text about a match is not stored if the
        match is over, and is deleted when the match ends.
        """

    def find_kept(self, key: str, place: str, found: Callable[[str], None]) -> None:
        """
        Find the text of an account about a place, in order with the changes.

        :param found: called with the text, in order with the callbacks of changes; with an empty text if there is none
        """


class Store(Journal, Protocol):
    """A journal that a host opens and closes."""

    @property
    def pressure(self) -> Pressure:
        """How far the disk is behind."""

    @property
    def room(self) -> Room:
        """How much free space the disk has."""

    @property
    def skipped(self) -> Sequence[str]:
        """One sentence for each table that `unfinished` had to leave out: which table, and why."""

    def opened(self) -> Iterable[OpenedTable]:
        """The tables that were open when the host ended, oldest first. Called once, after `unfinished`."""

    @property
    def all_checked(self) -> bool:
        """Whether the records of all tables of `unfinished` are checked. `check` checks the rest."""

    def check(self, rows: int, checked: Callable[[Sequence[str], bool], None]) -> None:
        """
        Check more of the records that were not checked at the start.

        :param rows: about how many rows of the store to check
        :param checked: called, in order with the callbacks of changes, with a sentence for each damaged table, and with
            whether all records are checked now
        """

    def stop(self, stopped: Callable[[], None]) -> None:
        """Accept no more changes, make all earlier changes durable, close the store, and then call `stopped`."""

    def close(self) -> None:
        """The same as `stop`, but wait for the end, and call nothing: for a start of the host that has failed."""
