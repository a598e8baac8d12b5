"""
The oracle: everything that the host says to a connection is compared with the journal at the moment when it is said.

What a table says follows from its durable entries alone. They are replayed here through another master. The oracle knows
how far in its table's record a connection has been told, and accepts only the next words. So nobody is told before an
entry is durable, in another order, twice, or not at all. A player who comes back is shown a state that the record had, and
none that is older than what the seat was told before. Where words have several meanings, all of them are kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any

from attrs import define, evolve, field, frozen
from twisted.logger import ILogObserver, LogEvent, LogLevel, globalLogPublisher
from zope.interface import implementer

from gamehost.games.base import Game, GameMaster, IllegalAction, Result, ScriptedChance, Seat, To
from gamehost.journal.records import Entry, EntryKind, TableHeader, TableId
from gamehost.journal.replay import fingerprint, new_master
from gamehost.plugins import GAMES
from gamehost.tables.context import Phase
from gamehost.tables.interfaces import Back, Over
from gamehost.tables.table import Table
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost, message_text_of
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.model_clients.base import ModelClient


class Contradiction(AssertionError):
    """The host said what the journal does not bear out."""


@frozen
class Step:
    """What one entry gives."""

    told: Sequence[To[Any]]
    #: By seat, what it would be shown if it came back after this.
    views: Sequence[object]
    result: Result | None
    #: Whose seat was given up by it.
    forfeited: Seat | None
    #: By seat, what it is told in words, and how it is asked; as far as anybody wanted to know.
    words: dict[Seat, tuple[str, ...]] = field(factory=dict)
    back: dict[Seat, tuple[str, ...]] = field(factory=dict)
    questions: dict[Seat, str | None] = field(factory=dict)


@define(eq=False)
class History:
    """One table's record, followed as far as it is durable."""

    table: TableId
    opening: TableHeader
    steps: list[Step] = field(factory=list)
    _chance: ScriptedChance = field(factory=ScriptedChance)
    _master: GameMaster[Any, Any] = field(init=False)
    _game: Game[Any, Any] = field(init=False)
    #: Put away unfinished.
    archived: bool = False

    def __attrs_post_init__(self) -> None:
        self._game = GAMES[self.opening.game]
        self._master = new_master(self._game, self.opening, self._chance)

    @property
    def names(self) -> Sequence[str]:
        return [seat.name for seat in self.opening.seats]

    @property
    def over(self) -> bool:
        return self.archived or (bool(self.steps) and self.steps[-1].result is not None)

    def follow(self, journal: RecordingJournal) -> None:
        """Take in what has become durable, if the rules allow it."""
        for entry in journal.entries[self.table][len(self.steps) :]:
            if entry.kind is EntryKind.ARCHIVED:
                self.archived = True
                return
            self._chance.feed(entry.drawn)
            try:
                told = self._carried_out(entry)
            except IllegalAction as error:
                raise Contradiction(
                    f"table {self.table}: an entry does not follow from the journal: {error}"
                ) from error
            assert not self._chance.unused, "the record holds draws that nobody asked for"
            if entry.check and entry.check != fingerprint(self._master):
                raise Contradiction(
                    f"table {self.table}: the check of entry {len(self.steps) + 1} is of another position"
                )
            views = [self._master.view(Seat(number)) for number in range(len(self.names))]
            forfeited = entry.seat if entry.kind is EntryKind.FORFEITED else None
            self.steps.append(Step(told, views, self._master.result, forfeited))

    def _carried_out(self, entry: Entry) -> Sequence[To[Any]]:
        master, seat = self._master, entry.seat
        if entry.kind is EntryKind.BEGAN:
            return master.begin(entry.at)
        if entry.kind is EntryKind.EXPIRED:
            return master.expire(entry.at)
        assert seat is not None
        if entry.kind is EntryKind.FORFEITED:
            return master.forfeit(seat, entry.at)
        return master.act(seat, self._game.read(entry.notation), entry.at)


@define(eq=False)
class Archive:
    """All tables of a host's runs, as the journal has them, and how far each seat was told in any of its connections."""

    journal: RecordingJournal
    _histories: dict[TableId, History] = field(factory=dict)
    #: (table, seat) -> entries: before this turn of the host, and in it.
    told: dict[tuple[TableId, Seat], int] = field(factory=dict)
    telling: dict[tuple[TableId, Seat], int] = field(factory=dict)

    def turn_is_over(self) -> None:
        """Two connections may have one seat: what both are told in one turn of the host has no order between them."""
        self.told.update(self.telling)
        self.telling.clear()

    def history(self, table: TableId) -> History:
        """A table's, up to date."""
        history = self._histories.get(table)
        if history is None:
            history = self._histories[table] = History(table, self.journal.openings[table])
        history.follow(self.journal)
        return history

    def of(self, name: str) -> list[History]:
        """Those of the matches that somebody played in, and that have begun, the newest first."""
        found = [
            self.history(table)
            for table, opening in reversed(self.journal.openings.items())
            if any(seat.name == name for seat in opening.seats)
        ]
        return [history for history in found if history.steps]


@frozen
class Reading:
    """What a connection's words so far may have meant."""

    #: `None`: nothing of a table is under way.
    table: TableId | None = None
    #: Entries told.
    at: int = 0
    #: Words that have to come next, of what has been told in part.
    rest: tuple[str, ...] = ()
    #: Of which entry the last question was that this player was asked; 0: of none.
    asked: int = 0


OUTSIDE = Reading()


@define(eq=False)
class JournalOracle:
    """Listens to one connection, of a player of this name."""

    archive: Archive
    wire: str
    name: str
    _readings: set[Reading] = field(factory=lambda: {OUTSIDE})
    _heard: list[str] = field(factory=list)
    _spelling: Any = field(init=False)
    _speaker: type[ModelClient] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._spelling = message_text_of(self.wire)
        self._speaker = MODEL_CLIENTS[self.wire]

    def hear(self, data: bytes) -> None:
        """The host has written this: it must follow."""
        for line in self._spelling.heard(data):
            self.hear_line(line)

    def hear_line(self, line: str) -> None:
        """The host has said this, in words: a `Contradiction` if it does not follow."""
        self._heard.append(line)
        line = self._speaker.plain(line)
        readings = {after for reading in self._readings for after in self._after(reading, line)}
        if not readings:
            self._contradict("which does not follow from the journal")
        self._readings = readings
        self._note()

    def told_all(self, questions: bool = True) -> None:
        """Nothing is on its way any more, perhaps but for a question: everything must have been told."""
        complete = [reading for reading in self._readings if self._complete(reading)]
        if not complete:
            self._contradict("and then nothing, although the journal has more")
        if questions and not any(self._was_asked(reading) for reading in complete):
            self._contradict("and then nothing, although it is this player's turn")

    @property
    def playing(self) -> bool:
        """Whether a match is certainly under way on this connection."""
        return all(reading.table is not None for reading in self._readings)

    def _contradict(self, what: str) -> None:
        heard = "".join(f"\n    {line}" for line in self._heard[-8:])
        raise Contradiction(f"{self.name} on {self.wire} was told{heard}\n{what}; readings: {self._readings}")

    def _note(self) -> None:
        """Remember how far this seat was certainly told."""
        tables = {reading.table for reading in self._readings}
        if len(tables) == 1 and (table := tables.pop()) is not None:
            key = (table, self._seat(self.archive.history(table)))
            told = min(reading.at - bool(reading.rest) for reading in self._readings)
            self.archive.telling[key] = max(told, self.archive.telling.get(key, self.archive.told.get(key, 0)))

    def _seat(self, history: History) -> Seat:
        return Seat(history.names.index(self.name))

    def _complete(self, reading: Reading) -> bool:
        if reading.rest:
            return False
        if reading.table is None:
            return True
        history = self.archive.history(reading.table)
        return len(history.steps) in self._without_words(reading, history)

    def _was_asked(self, reading: Reading) -> bool:
        if reading.table is None:
            return True
        history = self.archive.history(reading.table)
        last = len(history.steps)
        return reading.asked == last or self._question(history, last, self._seat(history)) is None

    # -- what a line may mean

    def _after(self, reading: Reading, line: str) -> Iterator[Reading]:
        if reading.rest:
            if reading.rest[0] == line:
                yield self._settled(evolve(reading, rest=reading.rest[1:]))
            elif self._speaker.draws and self._speaker.chatter(line) and not reading.rest[0].startswith(" "):
                yield reading  # but nothing stands between the lines of a picture
        elif self._speaker.asks(line):
            yield from self._asking(reading, line)
        elif self._speaker.chatter(line):
            if reading.table is None and self._speaker.waits(line):
                self._nothing_is_forgotten()
            yield reading
        elif reading.table is None:
            if self._speaker.waits(line) and all(history.over for history in self.archive.of(self.name)):
                yield reading
            yield from self._coming_in(line)
        else:
            yield from self._going_on(reading, line)

    def _nothing_is_forgotten(self) -> None:
        for history in self.archive.of(self.name):
            # What is said with a pause may be from before the newest match.
            new = self._speaker.spaced and not self.archive.told.get((history.table, self._seat(history)))
            if not history.over and not new:
                self._contradict(f"although table {history.table} goes on")

    def _asking(self, reading: Reading, line: str) -> Iterator[Reading]:
        """A question is what the record leaves open, and nobody else's."""
        if reading.table is not None:
            history = self.archive.history(reading.table)
            for at in self._without_words(reading, history):
                if self._question(history, at, self._seat(history)) == line:
                    yield evolve(reading, at=at, asked=at)

    def _coming_in(self, line: str) -> Iterator[Reading]:
        """A match begins, or a seat is taken back."""
        histories = self.archive.of(self.name)
        if not histories or not all(history.over for history in histories[1:]):
            return
        newest = histories[0]
        seat = self._seat(newest)
        told = self.archive.told.get((newest.table, seat), 0)
        if told == 0:
            yield from self._beginning(newest, 1, self._words(newest, 0, seat), line)
        for at in range(max(1, told), len(newest.steps) + 1):
            yield from self._beginning(newest, at, self._back(newest, at, seat), line)

    def _going_on(self, reading: Reading, line: str) -> Iterator[Reading]:
        assert reading.table is not None
        history = self.archive.history(reading.table)
        seat = self._seat(history)
        for at in self._without_words(reading, history):
            if at < len(history.steps) and history.steps[at].forfeited != seat:
                yield from self._beginning(history, at + 1, self._words(history, at, seat), line)
            for other in range(len(history.names)):
                if other != seat:
                    back = Back(Seat(other), history.steps[at - 1].views[seat])
                    yield from self._beginning(history, at, self._told(history, seat, [back], at), line)

    def _without_words(self, reading: Reading, history: History) -> Iterator[int]:
        """How far this seat may be by now: entries of which it is told nothing may have passed."""
        seat = self._seat(history)
        at = reading.at
        yield at
        while at < len(history.steps) and history.steps[at].forfeited != seat and not self._words(history, at, seat):
            at += 1
            yield at

    def _beginning(self, history: History, at: int, words: tuple[str, ...], line: str) -> Iterator[Reading]:
        if words and words[0] == line:
            yield self._settled(Reading(history.table, at, words[1:]))

    def _settled(self, reading: Reading) -> Reading:
        """With the last words of a match told, the connection is outside."""
        assert reading.table is not None
        over = self.archive.history(reading.table).steps[reading.at - 1].result is not None
        return OUTSIDE if over and not reading.rest else reading

    def _words(self, history: History, at: int, seat: Seat) -> tuple[str, ...]:
        step = history.steps[at]
        words = step.words.get(seat)
        if words is None:
            events = [to.event for to in step.told if to.audience is None or seat in to.audience]
            words = step.words[seat] = self._told(history, seat, [*events, *_end(step)], at + 1)
        return words

    def _back(self, history: History, at: int, seat: Seat) -> tuple[str, ...]:
        """What somebody is told who comes back after so many entries."""
        step = history.steps[at - 1]
        words = step.back.get(seat)
        if words is None:
            words = step.back[seat] = self._told(history, seat, [Back(seat, step.views[seat]), *_end(step)], at)
        return words

    def _question(self, history: History, at: int, seat: Seat) -> str | None:
        """How a seat is asked after so many entries."""
        step = history.steps[at - 1]
        if seat not in step.questions:
            step.questions[seat] = self._speaker.asked(step.views[seat], history.names)
        return step.questions[seat]

    def _told(self, history: History, seat: Seat, events: Sequence[object], n: int) -> tuple[str, ...]:
        view = history.steps[n - 1].views[seat]
        return tuple(self._speaker.all_told(events, seat, history.names, history.table, n, view))


def check_informed(client: Client, witness: JournalOracle) -> None:
    """With everything durable and answered: who is there knows all there is to know, unless messages are held back."""
    talk: Any = client.protocol.conversation
    if client.closed or client.transport.disconnecting or client.protocol.hold_seconds:
        return
    speaker = MODEL_CLIENTS[witness.wire]
    witness.told_all(questions=not speaker.holds_back(talk))
    if talk.session is not None and talk.session.table is not None and speaker.is_told(talk) and not witness.playing:
        raise Contradiction(f"{witness.name} sits at a table and was not told")


def _end(step: Step) -> Sequence[object]:
    return [] if step.result is None else [Over(step.result)]


# What is always true in a host, whatever its clients do: looked up in its rooms, between two turns of the reactor.


class Disorder(AssertionError):
    """Something that must always be true is not."""


@implementer(ILogObserver)
class Complaints:
    """A context manager that keeps what the host logs as an error meanwhile."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def __enter__(self) -> "Complaints":
        globalLogPublisher.addObserver(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        globalLogPublisher.removeObserver(self)

    def __call__(self, event: LogEvent) -> None:
        failure = event.get("log_failure")
        if failure is not None or event.get("log_level", LogLevel.info) >= LogLevel.error:
            trace = failure.getTraceback() if failure is not None else ""
            self.words.append(f"{event.get('log_format')} {trace}")

    def check(self) -> None:
        """:raises Disorder: an error was logged"""
        if self.words:
            raise Disorder(f"the host logged: {self.words[0]}")


def check_house(world: MemoryHost, clients: Iterable[Client]) -> None:
    """Names, sessions, tables and seats fit each other."""
    # One that is hung up on says and hears nothing more; somebody else may have its session by now.
    heard = [client.protocol for client in clients if not client.closed and not client.protocol.closing]
    talks: list[Any] = [protocol.conversation for protocol in heard]
    held = [talk.session for talk in talks if talk.session is not None]
    # A seat of Litama's is of all connections that have used its token.
    single = [session for session in held if not hasattr(session.player, "owners")]
    _need(len(set(map(id, single))) == len(single), "two connections hold one session")
    sessions: dict[str, Any] = world.lobby.registry.sessions.by_key
    for key, session in sessions.items():
        _need(key == session.key, "a session is kept under another name")
        _need(session.player is None or session.player.session is session, "a player is somebody else's")
        _need(session.player is not None or session.table or session.asleep, "a name is kept for nobody")
        _need(session.table is None or session.asleep is None, "a table that sleeps, and one that does not")
        if session.asleep is not None:
            waking = world.lobby.registry.waking.get(session.asleep)
            _need(waking is not None and session in waking.sessions, "a session of a table that is not loaded")
        _need(world.lobby.registry.sleeping.find(key) is None, "a session, and a seat at a sleeping table")
        if session.table is not None:
            _need(world.lobby.tables.get(session.table.id) is session.table, "a session of a table that is gone")
    for session in held:
        _need(sessions.get(session.key) is session, "a connection's session is not in the roster")
    for table in world.lobby.tables.values():
        _check_table(table)


def _check_table(table: Table[Any, Any]) -> None:
    places = table._outbox.places
    players: list[Any] = [
        handle.player for place in places for handle in (place.handle, place.coming) if handle is not None
    ]
    _need(len(set(map(id, players))) == len(players), "a player in two seats")
    for seat, place in enumerate(places):
        _need(place.handle is None or place.coming is None, "two players in one seat")
        for handle in (place.handle, place.coming):
            if handle is not None:
                player: Any = handle.player
                session = player.session
                _need(session is not None, "a seat whose player has left")
                _need(session.table is table and session.seat == seat, "a player in another's seat")
                _need(place.grace_ends is None, "a grace time of a seat that is taken")
    if table.phase is Phase.DORMANT:
        _need(not players, "a table asleep with players at it")
    # An alarm that rings too early, or for nothing, is left alone while play goes on: it sets itself anew.
    due = table._due()
    if due is not None:
        _need(table._alarm is not None and table._alarm_due <= due, "no alarm where there is reason for one")
    elif table.phase is not Phase.PLAYING:
        _need(table._alarm is None, "an alarm at a table without a clock")


def check_deserted(world: MemoryHost) -> None:
    """
    Nobody is there any more, and everything written: what is left is one alarm for all sleeping tables, and for ends that
    are still to be told, and one for each table that waits for its players. A day later nothing is.

    :raises Disorder: something else is
    """
    _need(not world.context.limiter.count, "connections are counted that are gone")
    _need(not any(factory.connections for factory in world.factories.values()), "connections are kept")
    tables = world.lobby.tables.values()
    # It ended in an earlier run of the host, and a player has not been told.
    _need(all(table.phase is Phase.OVER for table in tables), "a table is awake with nobody there")
    _need(not world.lobby.registry.waking, "a table is being loaded for nobody")
    _need(not world.lobby.registry.sessions.by_key or tables, "sessions of nobody's")
    left = world.clock.getDelayedCalls()
    registry = world.lobby.registry
    kept = any(index.oldest is not None for index in (registry.sleeping, registry.ended))
    timers = len(tables) + kept + len(world.lobby.waiting_tables)
    _need(len(left) == timers, f"timers of nobody's: {list(map(str, left))}")


def check_forgotten(world: MemoryHost) -> None:
    """The day after everybody went nothing is left."""
    _need(not world.unfinished, "tables are left")
    _need(not len(world.lobby.registry), "names are left")
    _need(not world.lobby.queues.waiting, "a queue is left")
    _need(not len(world.lobby.waiting_tables), "open tables are left")
    _need(not world.clock.getDelayedCalls(), "timers are left")


def _need(true: object, otherwise: str) -> None:
    if not true:
        raise Disorder(otherwise)
