"""
The seats: the tables in play, the sleeping ones, and the steps by which a player comes to a table and leaves it.

An unfinished table sleeps while all its players are away: memory has an index entry, and the journal has the rest. The
table is loaded when one of its players comes back, and is archived after a day.
"""

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from attrs import define, evolve, field
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost._twisted import Timer
from gamehost.accounts.names import NameRefused, key_of, name_of, place_of
from gamehost.games.base import Game, Seat
from gamehost.journal.records import (
    NOTE,
    Entry,
    EntryKind,
    OwnedMatch,
    Store,
    TableHeader,
    TableId,
    TableRecord,
    UnfinishedTable,
    shown_as,
)
from gamehost.journal.replay import NotFollowed
from gamehost.lobby.sessions import Session, SessionRegistry, Waking
from gamehost.lobby.sleeping import Place, SleepingTable
from gamehost.settings import Settings
from gamehost.tables.context import Phase, TableContext
from gamehost.tables.interfaces import Displaced, Suspended
from gamehost.tables.table import Table

if TYPE_CHECKING:
    from gamehost.lobby.missed_ends import MissedEnds
    from gamehost.lobby.own_matches import OwnMatches

#: Seconds between two notes of the up-time, while a table sleeps.
NOTE_EVERY = 60.0
#: How many tables are archived at once. If there are more, one such batch is archived each second.
BATCH = 100
#: How many sleeping tables remain in memory. If every table had to be replayed when a player comes back, clients could
#: use up the host's time.
RESTING = 128
#: How many stopped matches `gamehost admin lost` lists. Older ones continue after the next start of the host.
MOST_STOPPED = 1000


class HouseSeats(Protocol):
    """The calls to the house players of a host."""

    def waits_no_longer(self, session: Session) -> None:
        """A player does not wait for opponents any more."""

    def resume(self, session: Session) -> None:
        """A player has come back to a table at which this house player has a seat."""

    def forget(self, session: Session) -> None:
        """The match of a player is over, or the table sleeps."""


@define(eq=False)
class Seats:
    """The seats at all tables of a host."""

    _context: TableContext
    _registry: SessionRegistry
    #: How many sleeping tables remain in memory.
    resting: int = RESTING
    #: How many sleeping tables one address may have; `None`: any number.
    most_sleeping: int | None = None
    house: HouseSeats = field(init=False)
    ends: "MissedEnds" = field(init=False)
    own: "OwnMatches" = field(init=False)
    #: Called with a player that has lost its seat, because its match is over.
    freed: Callable[[Session], None] = field(init=False, default=lambda session: None)
    #: The tables in play.
    tables: dict[TableId, Table[Any, Any]] = field(factory=dict)
    seated: dict[TableId, Sequence[Session]] = field(factory=dict)
    #: The loaded tables at which no player has taken a seat yet, and when each of them fell asleep.
    unclaimed: dict[TableId, int] = field(factory=dict)
    #: The matches that a fault has stopped, the oldest first, each with its players in the order of the seats, and the
    #: fault. The records of these matches are unfinished.
    faulty: dict[TableId, tuple[SleepingTable, str]] = field(factory=dict)
    #: The games of sleeping tables, by their names.
    games: dict[str, Game[Any, Any]] = field(factory=dict)
    #: The sleeping tables in memory. The one that has slept longest is the first.
    in_memory: OrderedDict[TableId, Table[Any, Any]] = field(factory=OrderedDict)
    #: The up-time at the beginning of this run of the host. Every table of an earlier run has fallen asleep before it.
    _begin: int = field(init=False)
    _origin: float = field(init=False)
    _alarm: Timer = field(factory=Timer)
    _stopped: bool = False

    log = Logger()

    def __attrs_post_init__(self) -> None:
        self._begin = self._context.journal.uptime + 1
        self._origin = self._context.clock.seconds()

    @property
    def uptime(self) -> int:
        """The number of seconds for which hosts have run on this journal."""
        return self._begin + int(self._context.clock.seconds() - self._origin)

    @property
    def playing(self) -> bool:
        """Whether a match is running, or is being loaded."""
        ended = (Phase.OVER, Phase.SUSPENDED)
        return bool(self._registry.waking) or any(table.phase not in ended for table in self.tables.values())

    def sleeps(self, table: TableId) -> bool:
        """Whether a table is unfinished and has no player present, or it is being loaded."""
        return table in self._registry.waking or table in self._registry.sleeping

    def halt(self) -> None:
        """The host stops: all clocks stop, and its up-time is stored."""
        if (len(self._registry.sleeping) or len(self._registry.ended)) and not self._stopped:
            self._context.journal.note_uptime(self.uptime)
        self._stopped = True
        self._set_alarm()
        for table in self.tables.values():
            table.halt()

    # -- tables begin and end

    def open(self, game: Game[Any, Any], number: TableId, settings: Settings, sessions: Sequence[Session]) -> None:
        """Begin a match of these players, in the order of the seats."""
        complete = settings  # nearly always the same mapping for all matches
        for seat, one in enumerate(sessions):
            if one.required:
                complete = {**complete, **one.required}
            if one.note:
                complete = {**complete, f"{NOTE}{seat}": one.note}
            self.house.waits_no_longer(one)
        opening = TableHeader(game.name, game.version, tuple(one.record for one in sessions), complete)
        players = [one.player for one in sessions if one.player is not None]
        table = Table.prepare(self._context, number, game, opening, self._ended, self._left)
        self._keep(table, sessions)
        if any(one.note for one in sessions):
            self._registry.membership.keep(place_of(number))
        names = ", ".join(f"{one.name} ({one.wire})" for one in sessions)
        self.log.info("table {table}: {game} begins: {players}", table=number, game=game.name, players=names)
        self._context.counts.begun[game.name] += 1
        table.open(opening, players)

    def _keep(self, table: Table[Any, Any], sessions: Sequence[Session]) -> None:
        """Note the players of a table that begins or was loaded, in the order of the seats."""
        self.tables[table.id] = table
        self.seated[table.id] = sessions
        for seat, session in enumerate(sessions):
            session.table = table
            session.seat = Seat(seat)
            session.match = sessions
            session.last_table = table.id

    def _ended(self, table: Table[Any, Any]) -> None:
        """
        Free all players of the table before any of them receives the end, because a player may begin the next match as
        soon as it receives the end.
        """
        since = self.unclaimed.pop(table.id, None)
        if table.phase is Phase.SUSPENDED:
            self._stop(table, since)
        else:
            self._log_end(table.id, table.game.name, table.outcome)
            self._context.counts.end(table.id, table.game.name, bool(table.outcome))
            if table.missed:
                self._keep_end(table)
        self._forget(table.id)
        self.tables.pop(table.id, None)
        for session in self.seated.pop(table.id, []):
            if session.table is not table:
                continue  # this player received the end before the others, and may be at another table now
            session.table = None
            session.seat = None
            session.match = ()
            self.house.forget(session)
            if session.player is None or session.house:
                self._registry.forget(session)
            else:
                self.freed(session)

    def _keep_end(self, table: Table[Any, Any]) -> None:
        """Players were away at the end of a match: store the end for those that receive it at their next log-in."""
        gone = [
            (seat, one.record)
            for seat, one in enumerate(self.seated[table.id])
            if seat in table.missed and one.table is table and not one.house
        ]
        if table.result is not None:
            facts = table.id, table.game.name, tuple(table.names), 0
            match = OwnedMatch(*facts, "over", code=table.code, shown_as=table.shown_as)
            self.own.has_missed(match, gone, table.result)
        addresses = self.ends.keep(table, self.seated[table.id], self.uptime)
        if self.most_sleeping is not None:
            for address in addresses:
                self._registry.ended.limit(self.most_sleeping, address)
        self._set_alarm()

    def _stop(self, table: Table[Any, Any], since: int | None) -> None:
        """
        A fault has stopped a match. Its record remains in the journal, but not in the index of sleeping tables, so that
        no log-in loads it.
        """
        if table.n == 0:  # it has not begun, so there is nothing to continue
            unbegun = SleepingTable(table.id, "", 0, 0, ())
            self._context.journal.load(table.id, partial(self._archive, unbegun))
            return
        sleeping = self._asleep(table, self.seated.get(table.id, ()), since)
        self._context.journal.sleep(table.id, sleeping.since)
        self.games.setdefault(table.game.name, table.game)
        self._add_stopped(sleeping, table.fault)

    def _add_stopped(self, sleeping: SleepingTable, fault: str) -> None:
        self.faulty[sleeping.table] = sleeping, fault
        if len(self.faulty) > MOST_STOPPED:
            del self.faulty[next(iter(self.faulty))]

    def players_here(self, table: TableId) -> list[Session]:
        """
        The players of a stopped match that are connected now. A name that another player has by now does not count.
        """
        places, _ = self.faulty[table]
        found = [(place, self._registry.sessions.by_key.get(key_of(place.player.name))) for place in _kept(places)]
        return [session for place, session in found if session is not None and _is_owner(session, place)]

    def resume_stopped(self, table: TableId) -> None:
        """
        Resume a stopped match: its table sleeps from now on, and is loaded when one of its players logs in. None of
        them may be connected.

        A seat is given up if another player has the name by now.
        """
        sleeping, _ = self.faulty.pop(table)
        taken, now = self._registry.sessions.by_key, self._context.clock.seconds()
        places = [
            None if one is None or key_of(one.player.name) in taken else evolve(one, away_since=now)
            for one in sleeping.places
        ]
        self._registry.sleeping.add([evolve(sleeping, places=places, since=self.uptime)])
        self._context.journal.sleep(table, self.uptime)
        self._set_alarm()

    def end_stopped(self, table: TableId) -> None:
        """Give a stopped match up. Its record ends without a result."""
        sleeping, _ = self.faulty.pop(table)
        self._context.journal.load(table, partial(self._archive, sleeping))

    def _log_end(self, table: TableId, game: str, outcome: str) -> None:
        outcome = outcome or "archived unfinished; nobody is there"
        self.log.info("table {table}: {game} is over: {outcome}", table=table, game=game, outcome=outcome)

    def _left(self, table: Table[Any, Any], seat: Seat) -> None:
        """Free the player that is about to receive the end of a match of an earlier run of the host."""
        session = self.seated[table.id][seat]
        session.table = session.seat = None

    # -- players come and go

    def load(self, session: Session) -> None:
        """Begin to load the table of a player that has just logged in, if its table sleeps."""
        self.ends.find(session)
        if session.asleep is not None:
            self._load(self._registry.waking[session.asleep])

    def take(self, session: Session) -> bool:
        """
        Let a present player take its reserved seat; `False`: there is none.

        If the table sleeps, the player gets the seat when it has been loaded. If the match ended while the player was
        away, the player gets the seat to receive the end.
        """
        if session.asleep is not None:
            session.resuming = session.player
            return True
        assert session.player is not None
        if session.suspended:
            session.suspended = False
            session.player.deliver(Suspended())
            return True
        table = session.table
        if table is None or session.seat is None:
            return self.ends.tell(session)
        if table.deserted:
            self.unclaimed.pop(table.id, None)
            self._context.journal.wake(table.id)
        for other in session.match:
            if other.house and other.player is None and other.table is table:
                self.house.resume(other)
        table.reconnect(session.seat, session.player)
        return True

    def disconnect(self, session: Session) -> bool:
        """The player of a session has disconnected. `False`: the player has no seat."""
        table = session.table
        if table is not None and session.seat is not None:
            table.disconnect(session.seat)
            self._sleep_if_deserted(table)
            return True
        return session.asleep is not None

    def replace(self, session: Session, seat: Seat, house: Session) -> None:
        """A house player takes the seat of an absent player, at the table of a session."""
        table = session.table
        assert table is not None
        sessions = list(self.seated[table.id])
        gone, sessions[seat] = sessions[seat], house
        if gone.table is table:
            gone.table = gone.seat = None
            self._registry.forget(gone)
        table.names = tuple(house.name if number == seat else name for number, name in enumerate(table.names))
        table.house.add(seat)
        self._keep(table, sessions)

    def give_up(self, session: Session) -> None:
        """
        Give up the seat of an absent player that has proved to be its owner. Then the name is free.

        Nothing happens if the seat was taken back, or the match has ended.
        """
        held = self._registry.find(session.key)
        if held is None or held.player is not None or held.seat is None or held.table_id != session.table_id:
            return
        if self._registry.is_closing(held):
            return
        table, seat, asleep = held.table, held.seat, held.asleep
        if asleep is not None:
            waking = self._registry.waking.get(asleep) or self._registry.wake(asleep)
            held = waking.sessions[seat] or held
            waking.sessions[seat] = None
            waking.given_up.append(seat)
            self._registry.forget(held)
            self._load(waking)
        elif table is not None:
            self._registry.forget(held)
            held.table = held.seat = None
            table.give_up(seat)

    def explained(self, refusal: NameRefused) -> NameRefused:
        """
        If a log-in was refused because of the client's own reserved seat: the refusal that names the table of that
        seat. Otherwise the refusal as it is.
        """
        held: Session | None = refusal.kept
        # It was refused for another reason.
        if held is None or held.seat is None:
            return refusal
        # Find the table of the seat: it sleeps, is being loaded, or is in memory.
        if held.asleep is not None:
            waking = self._registry.waking.get(held.asleep)
            entry = self._registry.sleeping.table(held.asleep) if waking is None else waking.table
            game, table, seconds = entry.game, entry.table, self._kept_for(entry.since)
        else:
            assert held.table is not None
            game, table, seconds = held.table.game.name, held.table.id, held.table.kept_for(held.seat)
        title = game.replace("_", " ").replace("-", " ").title()
        words = f"your seat at {title} table {table} on the wire {held.wire} is kept for {duration(seconds)}"
        return NameRefused(refusal.fault, words, held)

    # -- tables of an earlier run

    def restore(self, games: Mapping[str, Game[Any, Any]], found: Iterable[UnfinishedTable]) -> int:
        """
        Take over tables of an earlier run, or of another host, at any time. All of them sleep.

        A table of an unknown game is left out, and is logged. Its record is not removed. If the name of one of its
        players belongs to another player now, that seat is given up. Returns the number of sleeping tables.
        """
        self.games.update(games)
        unbegun: list[TableId] = []
        sleeping = self._registry.sleeping
        found = list(found)
        sleeping.add(self._known([one for one in found if not one.over], unbegun))
        self._registry.ended.add(self._known([one for one in found if one.over], unbegun))
        for one in found:
            if one.opening.has_notes and one.table in sleeping:
                self._registry.membership.keep(place_of(one.table))
        if self.most_sleeping is not None:
            sleeping.limit(self.most_sleeping)
            self._registry.ended.limit(self.most_sleeping)
        for table in unbegun:
            self._context.journal.load(table, partial(self._archive, SleepingTable(table, "", 0, 0, ())))
        self._set_alarm()
        return len(sleeping)

    def _known(self, found: Iterable[UnfinishedTable], unbegun: list[TableId]) -> Iterator[SleepingTable]:
        now = self._context.clock.seconds()
        for one in found:
            opening = one.opening
            game = self.games.get(opening.game)
            if not one.begun:
                unbegun.append(one.table)  # no player knows the match: the host ended between its first two entries
            elif game is None or game.version != opening.version:
                self._skipped(one.table, f"{opening.game} in version {opening.version} is not played here")
            else:
                seats = [(Seat(seat), player) for seat, player in enumerate(opening.seats)]
                places = [
                    None
                    if seat in one.told or key_of(player.name) in self._registry.sessions.by_key
                    else Place(one.table, seat, player, now)
                    for seat, player in seats
                ]
                # The up-time is stored now and then. After a kill, the stored one may be less than it was when the
                # table fell asleep.
                since = min(one.since, self._begin - 1)
                addresses = tuple(player.address for player in opening.seats)
                yield SleepingTable(one.table, opening.game, since, None, places, addresses)

    def _skipped(self, table: TableId, reason: str) -> None:
        self.log.error("table {table} is not resumed: {reason}", table=table, reason=reason)

    # -- tables fall asleep

    def _sleep_if_deserted(self, table: Table[Any, Any]) -> None:
        """Put a table to sleep if all its players are away and none of them is logging in."""
        sessions = self.seated.get(table.id, ())
        people = (one for one in sessions if not one.house)
        if not table.deserted or any(one.table is table and one.player is not None for one in people):
            return
        del self.seated[table.id], self.tables[table.id]
        kept = [one if one.table is table else None for one in sessions]
        for session in sessions:
            self.house.forget(session)
            self._registry.forget(session)
            player, session.player = session.player, None
            if player is not None:  # that of a house player
                player.deliver(Displaced())
        self.put_to_sleep(table, kept, self.unclaimed.pop(table.id, None))

    def put_to_sleep(self, table: Table[Any, Any], sessions: Sequence[Session | None], since: int | None) -> None:
        """
        A table falls asleep.

        :param sessions: the players of its seats, in their order; `None`: the seat is given up
        :param since: when it fell asleep before, if no player has taken a seat since it was loaded
        """
        sleeping, asleep = self._registry.sleeping, self._asleep(table, sessions, since)
        self.games.setdefault(table.game.name, table.game)
        sleeping.add([asleep])
        self._context.journal.sleep(table.id, asleep.since)
        self.in_memory[table.id] = table
        if len(self.in_memory) > self.resting:
            # A watched table remains in memory: its watchers must see how it continues.
            first = next((number for number, one in self.in_memory.items() if not one.watched), None)
            if first is not None:
                del self.in_memory[first]
        if self.most_sleeping is not None:
            for address in {one.address for one in sessions if one is not None}:
                sleeping.limit(self.most_sleeping, address)
        self._set_alarm()

    def _asleep(self, table: Table[Any, Any], sessions: Sequence[Session | None], since: int | None) -> SleepingTable:
        """The parameters are as of `put_to_sleep`."""
        places = [
            None if one is None else Place(table.id, Seat(seat), one.record, one.away_since)
            for seat, one in enumerate(sessions)
        ]
        since = self.uptime if since is None else since
        return SleepingTable(table.id, table.game.name, since, table.now(), places, table.addresses)

    # -- tables come back

    def _load(self, waking: Waking) -> None:
        """Begin to load a table, if that has not begun yet. Its players have sessions again."""
        if waking.loading:
            return
        waking.loading = True
        self._set_alarm()
        table = self.in_memory.pop(waking.table.table, None)
        if table is None:
            self._context.journal.load(waking.table.table, partial(self._loaded, waking))
        else:
            self._wake(waking, table)

    def _loaded(self, waking: Waking, record: TableRecord | str) -> None:
        if isinstance(record, str):
            self._restored(waking, NotFollowed(record))
        elif not self._stopped:
            self._context.slices.run(self._restoring(waking.table, record), partial(self._restored, waking))

    def _restoring(self, sleeping: SleepingTable, record: TableRecord) -> Generator[None, None, Table[Any, Any]]:
        game = self.games[sleeping.game]
        table = Table.prepare(self._context, record.table, game, record.opening, self._ended, self._left)
        yield from table.restore(record, sleeping.clock, restarted=sleeping.since < self._begin)
        return table

    def _restored(self, waking: Waking, table: Table[Any, Any] | Exception) -> None:
        if self._stopped:
            return
        if isinstance(table, Exception):  # a fault of one record must not reach the journal
            reason = str(table) if isinstance(table, NotFollowed) else f"{type(table).__name__}: {table}"
            self._skipped(waking.table.table, reason)
            self._add_stopped(waking.table, reason)
            self._not_woken(waking)
        else:
            self._wake(waking, table)

    def _wake(self, waking: Waking, table: Table[Any, Any]) -> None:
        """A table was loaded. Give the waiting players their seats. If there is none, put the table to sleep again."""
        nobody = Session(name_of(""), "", "", False, None)
        present = self._registry.woken(waking)
        self._keep(table, [session or nobody for session in waking.sessions])
        nobody.table = None
        self.unclaimed[table.id] = waking.table.since
        for session in present:
            if session.player is not None and session.resuming is session.player:
                self.take(session)
            session.resuming = None
        if waking.given_up and table.deserted:
            self._context.journal.wake(table.id)  # the record of a table that was in memory is not open in the journal
        for seat in waking.given_up:
            table.give_up(seat)
        self._sleep_if_deserted(table)

    def _not_woken(self, waking: Waking) -> None:
        """The record of a table cannot be replayed. Free its players, but do not remove its record."""
        for session in self._registry.woken(waking):
            session.seat = None
            if session.player is None:
                self._registry.forget(session)
            else:
                session.suspended = True
                if session.resuming is session.player:
                    self.take(session)

    # -- tables are put away

    def _kept_for(self, since: int) -> float:
        """The seconds until a sleeping table is archived, by the up-time at which its sleep began."""
        return since + self._context.sleep - self.uptime

    def _set_alarm(self) -> None:
        clock, indexes = self._context.clock, (self._registry.sleeping, self._registry.ended)
        oldest = min((index.oldest for index in indexes if index.oldest is not None), default=None)
        if oldest is None or self._stopped:
            self._alarm.stop()
            return
        wait = min(max(1.0, self._kept_for(oldest)), NOTE_EVERY)
        # if every call began the wait again, it would never end on a busy host
        if self._alarm.due > clock.seconds() + wait:
            self._alarm.set(clock, wait, self._ring)

    def _ring(self) -> None:
        journal, sleeping = self._context.journal, self._registry.sleeping
        journal.note_uptime(self.uptime)
        latest = self.uptime - int(self._context.sleep)
        self.ends.put_away(latest, BATCH)
        for table in sleeping.overdue(latest, BATCH):
            ending = sleeping.begin_end(table)
            self._miss_archived(ending)
            in_memory = self.in_memory.pop(table, None)
            if in_memory is None:
                journal.load(table, partial(self._archive, ending))
            else:
                journal.wake(table)
                in_memory.archive()
        self._set_alarm()

    def _miss_archived(self, ending: SleepingTable) -> None:
        """
        Store the end for the players of a match that is about to be archived, because none of them has come back for a
        day.
        """
        players = [("?" if place is None else place.player.name) for place in ending.places]
        shown = shown_as(place.player for place in ending.places if place is not None)
        match = OwnedMatch(ending.table, ending.game, tuple(players), 0, "over", shown_as=shown)
        self.own.has_missed(match, ((place.seat, place.player) for place in _kept(ending)))

    def _archive(self, sleeping: SleepingTable, record: TableRecord | str) -> None:
        journal = self._context.journal
        if self._stopped:
            return
        if isinstance(record, str):
            self._skipped(sleeping.table, record)
            self._forget(sleeping.table)
        elif record.entries and record.entries[-1].outcome:
            journal.told(record.table)  # the end of this match was not sent, and no player has asked for it
            self._forget(record.table)
        else:
            last = record.entries[-1].at if record.entries else 0
            at = last if sleeping.clock is None else sleeping.clock
            journal.append(record.table, Entry(EntryKind.ARCHIVED, at), partial(self._forget, record.table))
            if record.entries:
                self._context.counts.end(record.table, sleeping.game, False)
                self._log_end(record.table, sleeping.game, "")

    def forget(self, table: TableId) -> None:
        """The journal does not list a table any more: remove it from the index of sleeping tables, if it is there."""
        if table in self._registry.sleeping:
            self._registry.sleeping.begin_end(table)
            self._forget(table)

    def _forget(self, table: TableId) -> None:
        """
        The end of a sleeping table is durable: free the names of its players. Nothing happens if the table does not
        sleep.
        """
        self._registry.membership.give_up(place_of(table))
        if table in self._registry.sleeping.ending:
            for place in self._registry.sleeping.remove(table).places:
                if place is not None:
                    self._registry.membership.freed(key_of(place.player.name))


def _kept(sleeping: SleepingTable) -> list[Place]:
    return [place for place in sleeping.places if place is not None]


def _is_owner(session: Session, place: Place) -> bool:
    """Whether a session belongs to the player that has a seat, and not to another player with the same name."""
    one, other = session.record, place.player
    if one.account or other.account:
        return one.account and other.account
    return one.key_digest == other.key_digest and (bool(one.key_digest) or one.address == other.address)


def duration(seconds: float) -> str:
    """A time in words: whole hours, minutes or seconds, in the largest unit that is not 0."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


#: How many rows are checked at once. That takes two milliseconds of the journal's thread, and moves wait meanwhile.
ROWS = 1000
#: Pauses between two such checks, as a multiple of the time that the last one took; in seconds at least.
PAUSE, LEAST_PAUSE = 2.0, 0.001


@define(eq=False)
class Resuming:
    """Checks the records of a host's unfinished tables after the start, and logs its progress."""

    _clock: IReactorTime
    _store: Store
    _tables: int = 0
    _damaged: int = 0
    _began: float = 0.0
    _asked: float = 0.0
    _pause: Timer = field(factory=Timer)
    _halted: bool = False

    log = Logger()

    def begin(self, tables: int) -> None:
        """
        Begin the check. The number of sleeping tables is for the log; records that were not checked yet are checked.
        """
        self._began = self._clock.seconds()
        if self._store.all_checked:
            if tables:
                self.log.info("resumed {tables}", tables=_counted(tables))
            return
        self.log.info("{tables} to resume: their records are checked while players come in", tables=_counted(tables))
        self._tables = tables
        self._ask()

    def halt(self) -> None:
        """The host stops: no more records are checked."""
        self._halted = True
        self._pause.stop()

    def _ask(self) -> None:
        self._asked = self._clock.seconds()
        self._store.check(ROWS, self._checked)

    def _checked(self, damage: Sequence[str], all_checked: bool) -> None:
        for words in damage:
            self._damaged += 1
            self.log.error("not resumed: {words}", words=words)
        if self._halted:
            return
        now = self._clock.seconds()
        if not all_checked:
            self._pause.set(self._clock, max(LEAST_PAUSE, PAUSE * (now - self._asked)), self._ask)
            return
        tables, seconds = _counted(self._tables - self._damaged), f"{now - self._began:.1f}"
        self.log.info("resumed {tables} in {seconds} s", tables=tables, seconds=seconds)


def _counted(tables: int) -> str:
    return f"{tables} table{'' if tables == 1 else 's'}"
