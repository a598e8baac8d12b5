"""
The seats: which players have seats at which tables, and how they take, reserve and lose them.

An unfinished table sleeps while all its players are away: memory has an index entry, and the journal has the rest. The
table is loaded when one of its players comes back. After a day without any of them it is archived: the match ends
without a result.
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
#: How many sleeping tables remain in memory. If every table had to be replayed from the journal when a player comes
#: back, clients could use up the host's time by coming and going.
RESTING = 128
#: How many stopped matches `gamehost admin lost` lists. Older ones continue after the next start of the host.
MOST_STOPPED = 1000


class HouseSeats(Protocol):
    """The functions for house players that `Seats` calls. `gamehost.lobby.house.HousePlayers` provides them."""

    def waits_no_longer(self, session: Session) -> None:
        """Note that this player does not wait for opponents any more, so that no house player joins it."""

    def resume(self, session: Session) -> None:
        """Put this house player back into its seat, because another player has come back to its table."""

    def forget(self, session: Session) -> None:
        """Drop the seat of this player if it is a house player, because the match is over or the table sleeps."""


@define(eq=False)
class Seats:
    """
    The seats at all tables of a host. Begins tables, gives players their reserved seats, puts tables to sleep, and loads
    them again.
    """

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
    #: The players of the tables in play, in the order of the seats.
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
    #: The time of the reactor's clock at the same moment.
    _origin: float = field(init=False)
    #: Fires when sleeping tables may have to be archived, and at least once a minute to store the up-time.
    _alarm: Timer = field(factory=Timer)
    _stopped: bool = False

    log = Logger()

    def __attrs_post_init__(self) -> None:
        self._begin = self._context.journal.uptime + 1
        self._origin = self._context.clock.seconds()

    @property
    def uptime(self) -> int:
        """For how many seconds hosts have run on this journal in all, up to now."""
        return self._begin + int(self._context.clock.seconds() - self._origin)

    @property
    def playing(self) -> bool:
        """Whether a match is running, or is being loaded."""
        ended = (Phase.OVER, Phase.SUSPENDED)
        return bool(self._registry.waking) or any(table.phase not in ended for table in self.tables.values())

    def sleeps(self, table: TableId) -> bool:
        """Whether a table sleeps (all its players are away), or is being loaded."""
        return table in self._registry.waking or table in self._registry.sleeping

    def halt(self) -> None:
        """Stop all clocks and store the up-time, because the host stops."""
        # The up-time is needed only to archive sleeping tables in a later run.
        if (len(self._registry.sleeping) or len(self._registry.ended)) and not self._stopped:
            self._context.journal.note_uptime(self.uptime)
        self._stopped = True
        self._set_alarm()  # stops the alarm, because `_stopped` is set
        for table in self.tables.values():
            table.halt()

    # -- tables begin and end

    def open(self, game: Game[Any, Any], number: TableId, settings: Settings, sessions: Sequence[Session]) -> None:
        """Begin a match of these players, in the order of the seats."""
        # Most matches use the same mapping: it is copied only if a player adds something.
        complete = settings
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
        # The players' wire shows the number of such a table, so the other hosts of a cluster must find it here.
        if any(one.note for one in sessions):
            self._registry.membership.keep(place_of(number))
        names = ", ".join(f"{one.name} ({one.wire})" for one in sessions)
        self.log.info("table {table}: {game} begins: {players}", table=number, game=game.name, players=names)
        self._context.counts.begun[game.name] += 1
        table.open(opening, players)

    def _keep(self, table: Table[Any, Any], sessions: Sequence[Session]) -> None:
        """
        Note which players have the seats of a table, in the tables and in the sessions.

        :param sessions: in the order of the seats
        """
        self.tables[table.id] = table
        self.seated[table.id] = sessions
        for seat, session in enumerate(sessions):
            session.table = table
            session.seat = Seat(seat)
            session.match = sessions
            session.last_table = table.id

    def _ended(self, table: Table[Any, Any]) -> None:
        """
        Free all players of a table that has ended or was stopped by a fault. The table calls this before any player
        receives the end, because a player may begin the next match as soon as it receives the end.
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
            # An absent player and a house player need no session without a seat.
            if session.player is None or session.house:
                self._registry.forget(session)
            else:
                self.freed(session)

    def _keep_end(self, table: Table[Any, Any]) -> None:
        """Store the end of a match for the players that were away, so that they receive it after their next log-in."""
        # First their own lists: the finished match stays there until the player has seen it.
        gone = [
            (seat, one.record)
            for seat, one in enumerate(self.seated[table.id])
            if seat in table.missed and one.table is table and not one.house
        ]
        if table.result is not None:
            facts = table.id, table.game.name, tuple(table.names), 0
            match = OwnedMatch(*facts, "over", code=table.code, shown_as=table.shown_as)
            self.own.has_missed(match, gone, table.result)
        # Then the messages about the end. For one address, only so many ends wait as there may be sleeping tables.
        addresses = self.ends.keep(table, self.seated[table.id], self.uptime)
        if self.most_sleeping is not None:
            for address in addresses:
                self._registry.ended.limit(self.most_sleeping, address)
        self._set_alarm()

    def _stop(self, table: Table[Any, Any], since: int | None) -> None:
        """
        Note that a fault has stopped a match. Its record remains in the journal as unfinished. The table is not put into the
        index of sleeping tables, so a log-in of its players does not load it again.
        """
        if table.n == 0:  # no player has received the match, so there is nothing to continue: end its record
            unbegun = SleepingTable(table.id, "", 0, 0, ())
            self._context.journal.load(table.id, partial(self._archive, unbegun))
            return
        sleeping = self._asleep(table, self.seated.get(table.id, ()), since)
        self._context.journal.sleep(table.id, sleeping.since)
        self.games.setdefault(table.game.name, table.game)
        self._add_stopped(sleeping, table.fault)

    def _add_stopped(self, sleeping: SleepingTable, fault: str) -> None:
        """List a stopped match for the owner of the host; the oldest one is dropped from a full list."""
        self.faulty[sleeping.table] = sleeping, fault
        if len(self.faulty) > MOST_STOPPED:
            del self.faulty[next(iter(self.faulty))]

    def players_here(self, table: TableId) -> list[Session]:
        """
        The sessions of those players of a stopped match that are logged in now. Players are found by their names; a
        session of another person who uses such a name now is left out.
        """
        places, _ = self.faulty[table]
        found = [(place, self._registry.sessions.by_key.get(key_of(place.player.name))) for place in _kept(places)]
        return [session for place, session in found if session is not None and _is_owner(session, place)]

    def resume_stopped(self, table: TableId) -> None:
        """
        Let a stopped match continue: its table sleeps from now on, and is loaded when one of its players logs in. Called
        only while none of them is connected.

        If another player uses the name of a seat's player now, the seat is given up.
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
        """End a stopped match: write to its record that it has no result."""
        sleeping, _ = self.faulty.pop(table)
        self._context.journal.load(table, partial(self._archive, sleeping))

    def _log_end(self, table: TableId, game: str, outcome: str) -> None:
        """Write the end of a match to the log. An empty outcome: it was archived, without a result."""
        outcome = outcome or "archived unfinished; nobody is there"
        self.log.info("table {table}: {game} is over: {outcome}", table=table, game=game, outcome=outcome)

    def _left(self, table: Table[Any, Any], seat: Seat) -> None:
        """
        Free the player of one seat, which is about to receive an end that is already in the journal: the match ended in an
        earlier run of the host.
        """
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
        Give a connected player its reserved seat. If the table is being loaded, the player gets the seat later. If the match
        ended while the player was away, it gets the seat for a moment, to receive the end.

        :returns: `False`: no seat is reserved, and no end was missed
        """
        if session.asleep is not None:
            session.resuming = session.player  # `_wake` gives it the seat when the table is loaded
            return True
        assert session.player is not None
        # A fault has stopped the match of this player: inform the player now.
        if session.suspended:
            session.suspended = False
            session.player.deliver(Suspended())
            return True
        table = session.table
        if table is None or session.seat is None:
            return self.ends.tell(session)
        # This is the first player that takes a seat after the table was loaded: the table does not sleep any more.
        if table.deserted:
            self.unclaimed.pop(table.id, None)
            self._context.journal.wake(table.id)
        # House players of a match from an earlier run come back together with the first person.
        for other in session.match:
            if other.house and other.player is None and other.table is table:
                self.house.resume(other)
        table.reconnect(session.seat, session.player)
        return True

    def disconnect(self, session: Session) -> bool:
        """
        Reserve the seat of a player that has disconnected, and put its table to sleep if no other player is connected.

        :returns: `False`: the player has no seat
        """
        table = session.table
        if table is not None and session.seat is not None:
            table.disconnect(session.seat)
            self._sleep_if_deserted(table)
            return True
        return session.asleep is not None  # the seat is at a table that is being loaded

    def replace(self, session: Session, seat: Seat, house: Session) -> None:
        """
        Give the seat of an absent player to a house player.

        :param session: another player of the same table
        :param seat: of the absent player
        :param house: the session of the house player
        """
        table = session.table
        assert table is not None
        sessions = list(self.seated[table.id])
        gone, sessions[seat] = sessions[seat], house
        # The absent player loses the seat, unless it had given the seat up before.
        if gone.table is table:
            gone.table = gone.seat = None
            self._registry.forget(gone)
        table.names = tuple(house.name if number == seat else name for number, name in enumerate(table.names))
        table.house.add(seat)
        self._keep(table, sessions)

    def give_up(self, session: Session) -> None:
        """
        Give up the seat that is reserved for an absent player, so that its name is free. The caller has checked that the
        request comes from this player.

        If the player is connected again, or the match has ended, do nothing.

        :param session: has the seat, or had it when the request came
        """
        held = self._registry.find(session.key)
        if held is None or held.player is not None or held.seat is None or held.table_id != session.table_id:
            return
        if self._registry.is_closing(held):  # the match is being archived
            return
        table, seat, asleep = held.table, held.seat, held.asleep
        # A sleeping table is loaded, because giving up may end its match.
        if asleep is not None:
            waking = self._registry.waking.get(asleep) or self._registry.wake(asleep)
            held = waking.sessions[seat] or held  # `wake` makes new sessions
            waking.sessions[seat] = None
            waking.given_up.append(seat)
            self._registry.forget(held)
            self._load(waking)
        elif table is not None:
            # The name is free before the table acts, because giving up may end the match at once.
            self._registry.forget(held)
            held.table = held.seat = None
            table.give_up(seat)

    def explained(self, refusal: NameRefused) -> NameRefused:
        """
        Add words to the refusal of a log-in. If the client's own reserved seat is the reason, the result names its table
        and how long the seat is reserved. Otherwise the result is the same refusal.
        """
        held: Session | None = refusal.kept
        # The log-in was refused for another reason.
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
        Take over unfinished tables of an earlier run, or of another host, as sleeping tables. May be called at any time.

        A table of an unknown game is skipped, and is logged; its record remains. If a connected player uses the name of a
        seat's player, the seat is given up.

        :returns: how many tables sleep now
        """
        self.games.update(games)
        unbegun: list[TableId] = []
        sleeping = self._registry.sleeping
        found = list(found)
        # A match that is over is listed as unfinished while some player has not received its end.
        sleeping.add(self._known([one for one in found if not one.over], unbegun))
        self._registry.ended.add(self._known([one for one in found if one.over], unbegun))
        # The wire of these players shows the table's number, so the other hosts of a cluster must find it here.
        for one in found:
            if one.opening.has_notes and one.table in sleeping:
                self._registry.membership.keep(place_of(one.table))
        if self.most_sleeping is not None:
            sleeping.limit(self.most_sleeping)
            self._registry.ended.limit(self.most_sleeping)
        # The host ended while these matches were being opened, and no player has received them: end their records.
        for table in unbegun:
            self._context.journal.load(table, partial(self._archive, SleepingTable(table, "", 0, 0, ())))
        self._set_alarm()
        return len(sleeping)

    def _known(self, found: Iterable[UnfinishedTable], unbegun: list[TableId]) -> Iterator[SleepingTable]:
        """
        Yield the unfinished tables that can continue here, and log the others.

        :param unbegun: this function adds to this list the tables of which only the first entry was written
        """
        now = self._context.clock.seconds()
        for one in found:
            opening = one.opening
            game = self.games.get(opening.game)
            if not one.begun:
                # The host ended between the first two entries of the record: no player has received the match.
                unbegun.append(one.table)
            elif game is None or game.version != opening.version:
                self._skipped(one.table, f"{opening.game} in version {opening.version} is not played here")
            else:
                seats = [(Seat(seat), player) for seat, player in enumerate(opening.seats)]
                # A seat is given up if its player has received the end already, or if a connected player has the name.
                places = [
                    None
                    if seat in one.told or key_of(player.name) in self._registry.sessions.by_key
                    else Place(one.table, seat, player, now)
                    for seat, player in seats
                ]
                # The up-time is stored only once a minute. So after a kill, this run may begin with a smaller up-time than
                # the one at which the table fell asleep.
                since = min(one.since, self._begin - 1)
                addresses = tuple(player.address for player in opening.seats)
                yield SleepingTable(one.table, opening.game, since, None, places, addresses)

    def _skipped(self, table: TableId, reason: str) -> None:
        """Log that a match cannot continue, and why. Its record remains."""
        self.log.error("table {table} is not resumed: {reason}", table=table, reason=reason)

    # -- tables fall asleep

    def _sleep_if_deserted(self, table: Table[Any, Any]) -> None:
        """Put a table to sleep if all its players are away and none of them is logging in."""
        sessions = self.seated.get(table.id, ())
        people = (one for one in sessions if not one.house)
        # A connected person may have no place at the table yet: it has logged in, and takes its seat in a moment.
        if not table.deserted or any(one.table is table and one.player is not None for one in people):
            return
        del self.seated[table.id], self.tables[table.id]
        kept = [one if one.table is table else None for one in sessions]  # `None`: this player has given up its seat
        for session in sessions:
            self.house.forget(session)
            self._registry.forget(session)
            # Only house players can still be connected: end their connections.
            player, session.player = session.player, None
            if player is not None:
                player.deliver(Displaced())
        self.put_to_sleep(table, kept, self.unclaimed.pop(table.id, None))

    def put_to_sleep(self, table: Table[Any, Any], sessions: Sequence[Session | None], since: int | None) -> None:
        """
        Put a table into the index of sleeping tables.

        :param sessions: the players, in the order of the seats; `None`: the seat was given up
        :param since: if the table was loaded and no player has taken a seat since then: when it fell asleep before that,
            in seconds of up-time. So its time to be archived does not begin again. `None`: it falls asleep now
        """
        sleeping, asleep = self._registry.sleeping, self._asleep(table, sessions, since)
        self.games.setdefault(table.game.name, table.game)
        sleeping.add([asleep])
        self._context.journal.sleep(table.id, asleep.since)
        self.in_memory[table.id] = table
        # Too many sleeping tables are in memory: drop the one that has slept longest. The journal has its record.
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
        """Make the entry of a table for the index of sleeping tables. See `put_to_sleep` for the parameters."""
        places = [
            None if one is None else Place(table.id, Seat(seat), one.record, one.away_since)
            for seat, one in enumerate(sessions)
        ]
        since = self.uptime if since is None else since
        return SleepingTable(table.id, table.game.name, since, table.now(), places, table.addresses)

    # -- tables come back

    def _load(self, waking: Waking) -> None:
        """Begin to load a sleeping table, from memory or from the journal, unless this has begun already."""
        if waking.loading:
            return
        waking.loading = True
        self._set_alarm()  # the table is not among those that wait to be archived any more
        table = self.in_memory.pop(waking.table.table, None)
        if table is None:
            self._context.journal.load(waking.table.table, partial(self._loaded, waking))
        else:
            self._wake(waking, table)

    def _loaded(self, waking: Waking, record: TableRecord | str) -> None:
        """
        Rebuild a table from its record in short slices of time, so that other matches need not wait. A text instead of the
        record is the reason why it cannot be read.
        """
        if isinstance(record, str):
            self._restored(waking, NotFollowed(record))
        elif not self._stopped:
            self._context.slices.run(self._restoring(waking.table, record), partial(self._restored, waking))

    def _restoring(self, sleeping: SleepingTable, record: TableRecord) -> Generator[None, None, Table[Any, Any]]:
        """Replay the record of a sleeping table in steps, and return the table."""
        game = self.games[sleeping.game]
        table = Table.prepare(self._context, record.table, game, record.opening, self._ended, self._left)
        yield from table.restore(record, sleeping.clock, restarted=sleeping.since < self._begin)
        return table

    def _restored(self, waking: Waking, table: Table[Any, Any] | Exception) -> None:
        """
        Wake a table that was rebuilt from its record. An exception instead of the table: rebuilding has failed, so the match
        is stopped.
        """
        if self._stopped:
            return
        if isinstance(table, Exception):  # log it, but do not raise it: the caller serves all tables
            reason = str(table) if isinstance(table, NotFollowed) else f"{type(table).__name__}: {table}"
            self._skipped(waking.table.table, reason)
            self._add_stopped(waking.table, reason)
            self._not_woken(waking)
        else:
            self._wake(waking, table)

    def _wake(self, waking: Waking, table: Table[Any, Any]) -> None:
        """Give the players that wait for a loaded table their seats. If none waits any more, put it to sleep again."""
        # A session without a name and a table fills the seats that were given up.
        nobody = Session(name_of(""), "", "", False, None)
        present = self._registry.woken(waking)
        self._keep(table, [session or nobody for session in waking.sessions])
        nobody.table = None  # `_keep` has set it
        self.unclaimed[table.id] = waking.table.since
        # A player takes its seat if it has asked for it, and was not replaced by a newer connection since then.
        for session in present:
            if session.player is not None and session.resuming is session.player:
                self.take(session)
            session.resuming = None
        if waking.given_up and table.deserted:
            # `give_up` writes to the record. For a table that was in memory, the journal has not opened the record.
            self._context.journal.wake(table.id)
        for seat in waking.given_up:
            table.give_up(seat)
        self._sleep_if_deserted(table)

    def _not_woken(self, waking: Waking) -> None:
        """Free the players of a table that cannot be loaded, and inform those that are connected. Its record remains."""
        for session in self._registry.woken(waking):
            session.seat = None
            if session.player is None:
                self._registry.forget(session)
            else:
                # `take` informs the player: now if it has asked for its seat already, otherwise when it asks.
                session.suspended = True
                if session.resuming is session.player:
                    self.take(session)

    # -- tables are archived

    def _kept_for(self, since: int) -> float:
        """The seconds until a sleeping table is archived; the parameter is the up-time at which it fell asleep."""
        return since + self._context.sleep - self.uptime

    def _set_alarm(self) -> None:
        """Set the alarm for the time when the oldest sleeping table is archived, but at least once in `NOTE_EVERY`."""
        clock, indexes = self._context.clock, (self._registry.sleeping, self._registry.ended)
        oldest = min((index.oldest for index in indexes if index.oldest is not None), default=None)
        if oldest is None or self._stopped:
            self._alarm.stop()
            return
        # One batch a second at most, and the up-time is stored at least once a minute.
        wait = min(max(1.0, self._kept_for(oldest)), NOTE_EVERY)
        # Only make it earlier: if every call began the wait again, the wait would never end on a busy host.
        if self._alarm.due > clock.seconds() + wait:
            self._alarm.set(clock, wait, self._ring)

    def _ring(self) -> None:
        """Store the up-time, archive old tables, and drop old ends: at most `BATCH` of each. Called by the alarm."""
        journal, sleeping = self._context.journal, self._registry.sleeping
        journal.note_uptime(self.uptime)
        latest = self.uptime - int(self._context.sleep)  # tables that fell asleep at this time or before are too old
        self.ends.put_away(latest, BATCH)
        for table in sleeping.overdue(latest, BATCH):
            # The names of its players remain reserved until the end is durable: `_forget` frees them.
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
        Note the end in the own lists of the players of a match that is about to be archived. None of them has come back in
        time.
        """
        # The names of players that have given up their seats are not in the index.
        players = [("?" if place is None else place.player.name) for place in ending.places]
        shown = shown_as(place.player for place in ending.places if place is not None)
        match = OwnedMatch(ending.table, ending.game, tuple(players), 0, "over", shown_as=shown)
        self.own.has_missed(match, ((place.seat, place.player) for place in _kept(ending)))

    def _archive(self, sleeping: SleepingTable, record: TableRecord | str) -> None:
        """End the record of a table without a result. A text instead of the record is the reason why it cannot be read."""
        journal = self._context.journal
        if self._stopped:
            return
        if isinstance(record, str):
            self._skipped(sleeping.table, record)
            self._forget(sleeping.table)
        elif record.entries and record.entries[-1].outcome:
            # The match has ended, but its players have not come to receive the end.
            journal.told(record.table)
            self._forget(record.table)
        else:
            # The last entry of the record gets the time on the match's own clock, as far as it is known.
            last = record.entries[-1].at if record.entries else 0
            at = last if sleeping.clock is None else sleeping.clock
            journal.append(record.table, Entry(EntryKind.ARCHIVED, at), partial(self._forget, record.table))
            if record.entries:  # a match that no player has received is not counted
                self._context.counts.end(record.table, sleeping.game, False)
                self._log_end(record.table, sleeping.game, "")

    def forget(self, table: TableId) -> None:
        """
        Remove a table from the index of sleeping tables, if it is there, because the journal does not list it any more.
        """
        if table in self._registry.sleeping:
            self._registry.sleeping.begin_end(table)  # `_forget` removes only tables that are marked so
            self._forget(table)

    def _forget(self, table: TableId) -> None:
        """
        Remove a table with a durable end from the index of sleeping tables, which frees the names of its players. The
        table need not be in the index.
        """
        self._registry.membership.give_up(place_of(table))
        if table in self._registry.sleeping.ending:
            for place in self._registry.sleeping.remove(table).places:
                if place is not None:
                    self._registry.membership.freed(key_of(place.player.name))


def _kept(sleeping: SleepingTable) -> list[Place]:
    """The seats that were not given up."""
    return [place for place in sleeping.places if place is not None]


def _is_owner(session: Session, place: Place) -> bool:
    """Whether a session belongs to the player that has a seat, and not to another player with the same name."""
    one, other = session.record, place.player
    if one.account or other.account:
        return one.account and other.account
    # Guests: the keys are equal, or both have no key and the address is equal.
    return one.key_digest == other.key_digest and (bool(one.key_digest) or one.address == other.address)


def duration(seconds: float) -> str:
    """A time in words: whole hours, minutes or seconds, in the largest unit that is not 0."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


#: How many rows of the store are checked in one step. A step takes two milliseconds of the journal's thread; moves wait
#: meanwhile.
ROWS = 1000
#: The pause between two steps, as a multiple of the time of the last step; and the shortest pause, in seconds.
PAUSE, LEAST_PAUSE = 2.0, 0.001


@define(eq=False)
class Resuming:
    """Checks the records of a host's unfinished tables for damage after the start, in steps, and logs the result."""

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
        Begin the check of all records that were not checked yet.

        :param tables: the number of sleeping tables, for the log
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
        """End the check, because the host stops."""
        self._halted = True
        self._pause.stop()

    def _ask(self) -> None:
        self._asked = self._clock.seconds()
        self._store.check(ROWS, self._checked)

    def _checked(self, damage: Sequence[str], all_checked: bool) -> None:
        """
        Log the damaged records that a step has found, and begin the next step after a pause. After the last step, log how
        many tables can continue.

        :param damage: one text for each damaged record
        """
        for words in damage:
            self._damaged += 1
            self.log.error("not resumed: {words}", words=words)
        if self._halted:
            return
        now = self._clock.seconds()
        if not all_checked:
            # The pause is longer than the step: the check must not slow the moves of players.
            self._pause.set(self._clock, max(LEAST_PAUSE, PAUSE * (now - self._asked)), self._ask)
            return
        tables, seconds = _counted(self._tables - self._damaged), f"{now - self._began:.1f}"
        self.log.info("resumed {tables} in {seconds} s", tables=tables, seconds=seconds)


def _counted(tables: int) -> str:
    return f"{tables} table{'' if tables == 1 else 's'}"
