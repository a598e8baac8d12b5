"""
The parts of a table's record, and the promises of a journal.

Every action that a master has accepted becomes an entry: the seat, the action, the time on the table's clock, and the
random numbers. Replaying a table's entries through a new master gives the same position and the same events. No player
receives an entry before the journal has called back that it is durable.
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
#: The wire of players on the open wire that a model decides for: others are told so by this name.
AGENT = "agent"


class EntryKind(IntEnum):
    """The kind of an entry. The numbers are in the journal's files: never change one."""

    #: The match began: the outcomes drawn by `GameMaster.begin`.
    BEGAN = 1
    #: A seat acted: the notation is the action.
    ACTED = 2
    #: A seat was given up.
    FORFEITED = 3
    #: The deadline passed.
    EXPIRED = 4
    #: The table was archived unfinished: no player came back for a day, or no player had acted when the last one left.
    ARCHIVED = 5
    #: The players agreed on the draw that a seat offered.
    DRAWN = 6
    #: The players agreed that a seat takes its last move back.
    TAKEN_BACK = 7
    #: A seat claimed a draw, because the other player was away and did not come back in time.
    CLAIMED = 8
    #: Of slow matches, in which an offer waits for the other player: a seat offers a draw, or asks to take its last move back,
    #: or what it has offered was declined.
    DRAW_OFFERED = 9
    ASKED_BACK = 10
    DECLINED = 11


class Entry(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """
    One accepted thing. There is one for each move, so it is quick to make, and the garbage collector does not follow it.

    A journal in a file has the fields in this order: never change it.
    """

    kind: EntryKind
    #: On the table's clock, in milliseconds.
    at: int
    seat: Seat | None = None
    #: The action, as `Game.write` gives it; empty for all kinds but `ACTED`.
    notation: bytes = b""
    #: The random numbers that were drawn for this entry, in order.
    drawn: tuple[int, ...] = ()
    #: Only in the entry that ended the match: the end, in words. Never empty there.
    outcome: str = ""
    #: In some entries, the fingerprint of the match after it: `gamehost.journal.replay.fingerprint`; else empty.
    check: bytes = b""


@frozen
class SeatRecord:
    """The player of a seat, as far as a new run of the host needs it."""

    name: str
    #: The wire by its name, such as `onitama`.
    wire: str
    #: The player's address, without the port; empty if there is none.
    address: str = ""
    #: Whether the name belongs to an account.
    account: bool = False
    #: The SHA-256 of the key that a guest has given with the name, in hex; empty: there is none.
    key_digest: str = ""
    #: The display name, where the player has typed one; empty: it is the name.
    shown: str = ""


#: No player has a display name: one object for all tables.
AS_NAMED: Mapping[str, str] = {}


def shown_as(players: Iterable[SeatRecord]) -> Mapping[str, str]:
    """The display names of players, by their names; players without one are left out."""
    return {player.name: player.shown for player in players if player.shown} or AS_NAMED


class OpenedTable(msgspec.Struct, frozen=True):
    """A table that waits for its players, as a new run of the host must know it. A store has it under these names."""

    table: TableId
    #: The name of the game.
    game: str
    #: So many players begin a match.
    seats: int
    #: Of the match.
    settings: Mapping[str, str]
    #: What others must know to join; empty: nothing.
    code: str
    #: The players with a seat, in the order in which they came.
    players: tuple[SeatRecord, ...]
    #: Whether the first of them has the second seat, in a game of two.
    reversed: bool
    #: When it was opened, in milliseconds since 1970.
    since: int
    #: For the rematch of a slow match: that match, and its players who are asked.
    played: TableId | None = None
    asked: tuple[SeatRecord, ...] = ()


#: How a match stands for one of its players: it is their turn, they wait for others, the match has not begun, another player
#: offers something, or it has ended.
OwnState: TypeAlias = Literal["turn", "wait", "open", "offer", "over"]
#: Ended matches in the list of one player. The oldest ones go first.
MOST_ENDED = 20
#: Milliseconds after which an ended match is not in such a list any more: 14 days.
ENDED_KEPT_MS = 14 * 86_400_000


class OwnedMatch(msgspec.Struct, frozen=True):
    """A match in the list of one of its players. A store has it under these names."""

    table: TableId
    #: The name of the game.
    game: str
    #: All players, in the order of the seats.
    names: tuple[str, ...]
    #: The seat of the player whose list it is.
    seat: int
    state: OwnState
    #: When it ends by itself, in milliseconds since 1970; `None`: nobody knows, or it has ended.
    by: int | None = None
    #: What others must know to watch or to join it; empty: nothing.
    code: str = ""
    #: When it ended, in milliseconds since 1970; `None`: it has not.
    ended: int | None = None
    #: Of one that has ended, as of `gamehost.games.base.Result`. Without a cause there is no result.
    winners: tuple[int, ...] = ()
    cause: str = ""
    why: str = ""
    #: In the state `offer`: `draw`, `takeback` or `rematch`, and whether it is the turn of this player.
    offer: str = ""
    turn: bool = False
    #: Whether it is a slow match.
    slow: bool = False
    #: The display names of the players, by their names; players without one are left out.
    shown_as: Mapping[str, str] = {}

    @property
    def shown(self) -> tuple[str, ...]:
        """The players as people see them, in the order of the seats."""
        return tuple(self.shown_as.get(name, name) for name in self.names)


@frozen
class Leave:
    """Until when no deadline of a player's slow matches counts, or none of one match."""

    #: The owner of a list of matches, as of `gamehost.lobby.own_list.owner_of`; or the place of a table, as of `place_of`.
    key: str
    #: In milliseconds since 1970.
    until: int
    #: The days that the player has taken in this year.
    year: int = 0
    days: int = 0


@frozen
class KeptText:
    """A text that an account keeps, such as the set-ups of its player. The host does not read it."""

    #: The account's.
    key: str
    #: The name of a game; of a match, the place of its table, as of `place_of`.
    place: str
    #: Empty: the account keeps none.
    text: str

    @property
    def table(self) -> TableId | None:
        """The table of the match that the text is about."""
        return TableId(int(self.place[1:])) if self.place.startswith("#") else None

    def __repr__(self) -> str:
        return f"KeptText({self.place!r})"  # the text is a secret


#: In the opening of a match, `yes`: its result counts in the ratings. All players have agreed, and none of them is a guest.
RATED = "rated"
#: In place of a name in `Journal.finished`: the rated matches. No player has such a name, because it has a blank.
RATED_MATCHES = "rated matches"
#: Settings of a match that tables know. All other settings are the game's.
TABLE_SETTINGS = frozenset({"code", RATED, MOVE_DAYS, *CLOCK_SETTINGS})
#: In the opening of a slow match: when its clock began, in milliseconds since 1970. No player can set it.
SLOW = "slow"
#: In the opening of a match of a championship: the number of the record in which its result counts. No player can set it.
CHAMPIONSHIP = "championship"

#: The beginning of the names of settings in which a wire stores a note for a seat of a match: `note.0`. No player can
#: set them.
NOTE = "note."


def settings_to_show(settings: Mapping[str, str]) -> Mapping[str, str]:
    """The settings of a match that everybody may know."""
    return {name: text for name, text in settings.items() if name not in ("code", SLOW) and not name.startswith(NOTE)}


@frozen
class TableHeader:
    """The opening of a table: enough to make its master again."""

    game: str
    version: int
    seats: tuple[SeatRecord, ...]
    #: Of the game and of the table.
    settings: Mapping[str, str] = field(factory=dict)

    @property
    def game_settings(self) -> Mapping[str, str]:
        others = (*TABLE_SETTINGS, CHAMPIONSHIP, SLOW)
        return {name: text for name, text in self.settings.items() if name not in others and not name.startswith(NOTE)}

    def note(self, seat: int) -> str:
        """The note of a wire for a player's seat; empty: none."""
        return self.settings.get(f"{NOTE}{seat}", "")

    @property
    def has_notes(self) -> bool:
        """Whether players come back to the table by an id that a wire has stored as a note."""
        return any(self.note(seat) for seat in range(len(self.seats)))

    @property
    def code(self) -> str:
        """The code that a client needs to watch the match; empty: none."""
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
        """The number of the record in which the result counts; empty: there is none."""
        return self.settings.get(CHAMPIONSHIP, "")


#: In place of a seat among those that have received the end: the match has ended, and the players that have missed it
#: will receive it later. No game has so many seats.
MISSED_END = Seat(62)


@frozen
class TableRecord:
    """A table's record in the journal."""

    table: TableId
    opening: TableHeader
    entries: tuple[Entry, ...]
    #: The seats that have received the end, of a finished table that is still in the list of unfinished ones.
    told: frozenset[Seat] = frozenset()


@frozen
class FinishedMatch:
    """A match that has a result, as far as it is known without its entries."""

    table: TableId
    #: Milliseconds since 1970.
    opened_ms: int
    opening: TableHeader
    #: How many entries follow the opening.
    entries: int
    #: The last of them.
    last: Entry

    @property
    def played(self) -> bool:
        """Whether a player has acted in it. Otherwise there is its beginning, and one after the other has left."""
        return self.last.kind is EntryKind.ACTED or self.entries > len(self.opening.seats)


@frozen
class UnfinishedTable:
    """A table that was not finished when the host started, as far as it is known without its entries."""

    table: TableId
    opening: TableHeader
    #: Whether there is an entry: no player has received anything of a table without one.
    begun: bool
    #: The time since which all players are away, in seconds of `Journal.uptime`.
    since: int
    #: As in `TableRecord`.
    told: frozenset[Seat] = frozenset()
    #: Of a slow match, its deadline in milliseconds since 1970; `None`: it is not known without the record.
    due: int | None = None

    @property
    def over(self) -> bool:
        """Whether the match has ended, and only players that were away then must still receive the end."""
        return MISSED_END in self.told


@frozen
class TableElsewhere:
    """A table that another host plays, which writes to the same store, as far as it is known without its entries."""

    table: TableId
    #: The number of its last entry, and the time of that on the table's clock, in milliseconds.
    n: int
    at: int
    #: `None`: the caller has it already.
    opening: TableHeader | None


class StoreUnusable(Exception):
    """A store that must not be used as it is. The message says what was found and what can be done."""


class Pressure(IntEnum):
    """How far the disk is behind, and what the host is to do about it; each level includes the ones before."""

    NONE = 0
    #: Do not read from players.
    PAUSE = 1
    #: No new tables and no log-ins.
    REFUSE = 2
    #: A member of a cluster cannot serve anybody: close all connections and ports, so that players go to another one.
    AWAY = 3
    #: The disk has failed: end the process, with a status that is not 0.
    GIVE_UP = 4


class Room(IntEnum):
    """How much room the store has for more entries."""

    ENOUGH = 0
    #: For the tables that are open, and not for new ones.
    LOW = 1
    #: For nothing: the host stops before a write fails.
    NONE = 2


class Journal(Protocol):
    """
    The store of entries.

    Callbacks come in the order of the calls, each exactly once, on the reactor's thread: at once where keeping takes
    no time, later otherwise. A journal that cannot keep its promise does not call back: it ends the process.

    Reads for people are outside that order: `read`, `match`, `finished`, `elsewhere` and `entries_after`. A change
    waits for changes only, never for a question. A question is answered at some later time, before or after the
    callbacks of changes that came before or after it. The answer has everything with a callback before the call, and
    may have more. Questions are answered one at a time, in the order of their calls, each in a bounded time. Their age
    does not count towards the delay of the disk. The number of waiting questions has no bound here: a caller that asks
    for others, such as clients, asks one or a few questions at a time.
    """

    def new_table(self) -> TableId:
        """A number that no table had before."""

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        """Begin a table's record."""

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        """
        Add to a table's record. An entry with an outcome, or of kind `ARCHIVED`, finishes it.

        :raises ValueError: the table was not opened, or is finished
        """

    def told(self, table: TableId, seat: Seat | None = None) -> None:
        """
        The player of a seat has received the end of a finished table.

        :param seat: `None`: no other player must receive it. Then `unfinished` does not return the table any more.
            `MISSED_END`: all others were away, and will receive it later
        """

    @property
    def uptime(self) -> int:
        """
        The number of seconds that hosts have run on this journal, up to the start of this one. Less than a minute of a run may
        be missing.
        """

    def note_uptime(self, seconds: int) -> None:
        """Keep a later value of `uptime` for the next start."""

    def unfinished(self) -> Iterable[UnfinishedTable]:
        """
        The tables that were never finished, and those with an end that was not sent, oldest first.

        Called once, before anything is added. To add entries to one of them, load it first.
        """

    def load(self, table: TableId, loaded: Callable[[TableRecord | str], None]) -> None:
        """
        Read the record of a table, in order with the changes: it has all entries that were added before. An unfinished
        one can be added to.

        A journal need not keep finished tables. If it has no record of this table, it gives a reason.

        :param loaded: called like a callback of `append`, with the record, or with the reason why it cannot be read
        """

    def read(self, table: TableId, found: Callable[[TableRecord | str], None]) -> None:
        """
        Read the record of any table of any host, for people. Nothing can be added to a table because of this.

        :param found: called with the record, or with the reason why it cannot be read
        """

    def elsewhere(
        self, known: Collection[TableId], most: int, found: Callable[[Sequence[TableElsewhere], int], None]
    ) -> None:
        """
        Find the tables that other hosts play, which write to the same store. Tables that sleep are left out.

        :param known: tables without need for their openings
        :param most: the number of tables to return, those with the highest numbers
        :param found: called with the tables in the order of their numbers, and with the number of all such tables
        """

    def entries_after(
        self, last: Mapping[TableId, int], found: Callable[[Mapping[TableId, Sequence[Entry] | str]], None]
    ) -> None:
        """
        Read the newest entries of tables of any host. If there are very many, only the first of them are given.

        :param last: by table, the number of the last entry that is known; 0: only the opening is
        :param found: called with the tables that have such entries, or with the reason why they cannot be read
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
        Find finished matches that are public, the newest first: those without a code. A journal need not store them.

        :param below: only tables with lower numbers; `None`: all
        :param count: the most matches to return. A journal may give fewer at once, although there are more
        :param found: called with the matches, and with the lowest number down to which the answer is complete. To
            continue, ask again with that as `below`; if it is 1, there are no more
        :param game: only matches of this game; empty: of any
        :param name: only matches of a player with this name, compared as `gamehost.accounts.names.key_of` compares; empty: of
            anybody; `RATED_MATCHES`: only rated ones
        """

    def match(self, table: TableId, found: Callable[[FinishedMatch | None], None]) -> None:
        """
        Find the finished match with exactly this number, private or not.

        :param found: called with the match; `None`: this journal has none with this number
        """

    def sleep(
        self, table: TableId, since: int, due: int | None = None, durable: Callable[[], None] = lambda: None
    ) -> None:
        """
        The last player of an unfinished table has left. Before anything can be added to it, it must be loaded or woken.

        :param since: in seconds of `uptime`
        :param due: of a slow match, its deadline in milliseconds since 1970
        """

    def wake(self, table: TableId) -> None:
        """A player of a sleeping table is there again."""

    def put_opened(self, opened: OpenedTable, durable: Callable[[], None]) -> None:
        """Store a table that waits for its players. If it is stored already, replace its state."""

    def drop_opened(self, table: TableId, durable: Callable[[], None]) -> None:
        """A table does not wait any more. Its match, if it begins in the same turn, is opened in the same commit."""

    def put_own(self, matches: Sequence[tuple[str, OwnedMatch]], durable: Callable[[], None]) -> None:
        """
        Put matches into the lists of their players, each in place of what the list has of its table. Of those that have
        ended, the older ones leave the list if there are more than `MOST_ENDED`, or after `ENDED_KEPT_MS`, or somewhat later.

        :param matches: each with its owner, as of `gamehost.lobby.own_list.owner_of`
        """

    def drop_own(self, table: TableId | None, owner: str | None, durable: Callable[[], None]) -> None:
        """
        Take a match out of the list of a player.

        :param table: `None`: all that have ended
        :param owner: `None`: take it out of all lists
        """

    def move_own(self, before: str, after: str | None) -> None:
        """
        The list of a player has another owner, and so have the leave and all texts that the player keeps.

        :param after: `None`: nobody has it any more
        """

    def find_own(self, owner: str, found: Callable[[Sequence[OwnedMatch]], None]) -> None:
        """
        Find the list of a player, by the numbers of the tables, in order with the changes.

        :param found: called like a callback of `append`
        """

    def put_leave(self, leave: Leave, durable: Callable[[], None]) -> None:
        """Keep a leave, in place of the one with the same key. Those of earlier years that are over may go."""

    def find_leaves(self, found: Callable[[Sequence[Leave]], None]) -> None:
        """Find all leaves, in order with the changes. `found` is called like a callback of `append`."""

    def put_kept(self, kept: KeptText, durable: Callable[[], None]) -> None:
        """
        Keep a text of an account, in place of the one with the same place. Nothing is kept about a match that is over, and a
        text about a match goes with its end.
        """

    def find_kept(self, key: str, place: str, found: Callable[[str], None]) -> None:
        """
        Find the text of an account about a place, in order with the changes.

        :param found: called like a callback of `append`; with an empty text if there is none
        """


class Store(Journal, Protocol):
    """A journal that a host opens and closes."""

    @property
    def pressure(self) -> Pressure:
        """How far it is behind."""

    @property
    def room(self) -> Room:
        """How much room it has."""

    @property
    def skipped(self) -> Sequence[str]:
        """Of each table that `unfinished` had to leave out: which, and why."""

    def opened(self) -> Iterable[OpenedTable]:
        """The tables that waited when the host ended, oldest first. Called once, behind `unfinished`."""

    @property
    def all_checked(self) -> bool:
        """Whether the whole records of all tables of `unfinished` were checked. The others are checked by `check`."""

    def check(self, rows: int, checked: Callable[[Sequence[str], bool], None]) -> None:
        """
        Check more of the records that were not.

        :param rows: about so many rows of the store
        :param checked: called like a callback of `append`, with a sentence for each table that is damaged, and whether all
            records were checked
        """

    def stop(self, stopped: Callable[[], None]) -> None:
        """Take nothing more, make durable what was taken, close, and call back after everything else."""

    def close(self) -> None:
        """The same as `stop`, but it blocks and calls nothing back: for a start that is given up."""
