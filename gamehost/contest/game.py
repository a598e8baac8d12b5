"""
One game of a contest: a host in memory with one wire on a port of its own, the entrants' programs, and what comes of it.

A game is always decided: by the rules, by a clock, because a program is gone, or by its deadline.
"""

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, field, frozen
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import Factory, ProcessProtocol
from twisted.python.failure import Failure

from gamehost.accounts.login import LoginService
from gamehost.accounts.names import NameFault, NameRefused
from gamehost.accounts.passwords import Cost
from gamehost.checker.clients import NOT_RUN, filled_in, last_words
from gamehost.games.base import Cause, Game, Result, Seat
from gamehost.games.chance import JournalledChance
from gamehost.journal.records import Entry, TableHeader, TableId, TableRecord
from gamehost.journal.replay import new_master, replay
from gamehost.limits import Limits
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import Queue, TooManyTables
from gamehost.lobby.sessions import IssuedKey, ResumePolicy, Session, SessionRegistry
from gamehost.net.connection import WireFactory
from gamehost.net.context import HostContext
from gamehost.net.deadlines import Cork
from gamehost.net.limiter import ConnectionLimiter
from gamehost.players.base import SeededChance
from gamehost.settings import settings_of
from gamehost.storage.durable import StoredAccounts
from gamehost.storage.memory import MemoryJournal
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import OpenTable, Player
from gamehost.wires.base import Wire

#: Passwords are hashed at the lowest cost: they guard nothing here.
CHEAP = Cost(n=2, r=1, p=1)
#: For programs of one machine, which may log in again at once. All other limits of a host stay: they are what stops a flood.
LIMITS = {"keyless_resume_seconds": "0"}
#: Seconds for a program to connect and to log in, and to come back after its connection was lost.
CONNECTS = 20.0
RETURNS = 5.0
#: Seconds for a program to end after its game.
ENDS = 2.0
#: Seconds between two looks at how much memory programs take.
LOOKS_EVERY = 1.0

#: Makes a program the leader of a process group, so that all of its processes can be ended together, and ends it when the
#: contest is killed (on Linux).
_STARTER = """
import os, sys
os.setsid()
try:
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)
except (OSError, AttributeError):
    pass
try:
    os.execvp(sys.argv[1], sys.argv[1:])
except OSError as error:
    print(f"{sys.argv[1]}: {error.strerror}", file=sys.stderr)
    raise SystemExit(127)
"""


@frozen
class Conditions:
    """What is the same in all games of a contest."""

    wire: Wire[Any]
    game: Game[Any, Any]
    #: As for `--set`, by their full names.
    settings: Mapping[str, str]
    seats: int = 2
    #: Seconds for a whole game; who is to move then has lost.
    deadline: float = 600.0
    #: MiB that the processes of one program may take together; 0: any number.
    memory: int = 0


@frozen
class Decision:
    """How a game ended."""

    #: The share of the point of each seat.
    shares: tuple[float, ...]
    #: Why, as of `Cause`, or `crash`, `absent`, `memory`, `deadline`, `other game`.
    cause: str
    #: For people.
    words: str
    #: Seats whose program never came.
    absent: tuple[int, ...] = ()
    record: TableRecord | None = None


def shares_of(result: Result, seats: int) -> tuple[float, ...]:
    """One point, divided among the winners, or among all if nobody won."""
    winners = result.winners or tuple(map(Seat, range(seats)))
    return tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(seats))


class _Journal(MemoryJournal):
    """The journal of one host: it tells when a match is over."""

    def __init__(self, over: Callable[[], None]) -> None:
        super().__init__()
        self._over = over
        #: Of the match, once it has been opened.
        self.table: TableId | None = None

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        self.table = table
        super().open(table, opening, durable)

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        super().append(table, entry, durable)
        if entry.outcome:
            self._over()


@define(eq=False)
class ContestLobby(Lobby):
    """A lobby for the players of one game: each has the seat that the contest gave it, and nobody else comes in."""

    #: What is played, by its name.
    game: str = field(kw_only=True)
    #: The names, in the order of the seats.
    names: Sequence[str] = field(kw_only=True)
    #: Called when somebody waits for the others.
    waits: Callable[[str], None] = field(kw_only=True)

    def enter(
        self,
        name: str,
        wire: str,
        address: str,
        player: Player[Any, Any],
        strict: bool = False,
        issued: IssuedKey | None = None,
        given: bool = False,
    ) -> Session:
        if name.partition(":")[0] not in self.names:
            raise NameRefused(
                NameFault.INVALID, f"this game is between {' and '.join(self.names)}: log in as one of them"
            )
        return super().enter(name, wire, address, player, strict, issued, given)

    def play(self, session: Session, queue: Queue, wish: Seat | None = None) -> bool:
        if len(self.names) == 2 and session.name in self.names:
            wish = Seat(self.names.index(session.name))
        seated = super().play(session, queue, wish)
        if not seated:
            self.waits(session.name)
        return seated

    def open_table(
        self, session: Session, queue: Queue, seats: int, settings: Mapping[str, str], wish: Seat | None = None
    ) -> OpenTable:
        if seats != len(self.names) or queue.game.name != self.game:
            raise TooManyTables(f"this contest is {self.game}, with {len(self.names)} at a table")
        table = super().open_table(session, queue, seats, settings, wish)
        self.waits(session.name)
        return table


class Program(ProcessProtocol):
    """
    One entrant's program. What it prints is dropped, but for the end.

    :param ended: called with this program when it has ended
    """

    def __init__(self, seat: int, ended: Callable[["Program"], None]) -> None:
        self.seat = seat
        self._ended = ended
        self._output = b""
        #: How it ended, in words; empty as long as it runs.
        self.end = ""
        self.not_run = False

    def outReceived(self, data: bytes) -> None:
        self._output = (self._output + data)[-2_000:]

    errReceived = outReceived

    def processEnded(self, reason: Failure) -> None:
        ended: Any = reason.value
        status = ended.exitCode if ended.exitCode is not None else -(ended.signal or 0)
        self.not_run = status in NOT_RUN
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        said = last_words(self._output)
        self.end = f"it ended {how}" + (f": {said}" if said and status else "")
        self._ended(self)

    def kill(self) -> None:
        """End the whole group of processes."""
        transport = self.transport
        if transport is None or transport.pid is None:
            return
        try:
            os.killpg(transport.pid, signal.SIGKILL)
        except ProcessLookupError:
            with suppress(ProcessExitedAlready):
                transport.signalProcess("KILL")

    @property
    def mebibytes(self) -> float:
        """The memory of the whole group, as far as this system tells."""
        pid = self.transport.pid if self.transport is not None else None
        return 0.0 if pid is None else sum(_resident(pid)) / 2**20


def _resident(group: int) -> list[int]:
    """The bytes in memory of each process of a group."""
    found = []
    page = os.sysconf("SC_PAGE_SIZE")
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            # The name of the command, in parentheses, may have blanks.
            fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
            if int(fields[2]) == group:
                found.append(int(fields[21]) * page)
    return found


class ContestGame:
    """
    One game, from the start of its programs to its decision.

    :param names: of the entrants, in the order of the seats
    :param commands: what starts their programs; `{host}`, `{port}`, `{name}`, `{password}` and `{seed}` are filled in
    :param seed: of the cards, the bag and whatever else chance decides
    :param decided: called once, when all programs have ended
    """

    def __init__(
        self,
        reactor: Any,
        conditions: Conditions,
        names: Sequence[str],
        commands: Sequence[Sequence[str]],
        seed: int,
        decided: Callable[[Decision], None],
    ) -> None:
        self.names = names
        self._reactor = reactor
        self._conditions = conditions
        self._commands = commands
        self._seed = seed
        self._decided = decided
        self._decision: Decision | None = None
        self._programs: list[Program] = []
        self._timers: list[IDelayedCall] = []
        self._journal = _Journal(self._over)
        self._lobby, self._factory = self._host()
        self._port: Any = None

    def _host(self) -> tuple[ContestLobby, Factory[Any]]:
        clock, conditions = self._reactor, self._conditions
        wire, limits = conditions.wire, Limits.read(LIMITS)
        accounts, cork = StoredAccounts(self._journal), Cork()
        registry = SessionRegistry(
            ResumePolicy.ANY, lambda key: accounts.find(key) is not None, clock.seconds, limits.keyless_resume_seconds
        )
        login_service = LoginService(
            *(accounts, registry.is_guest, clock, _at_once, limits, cork, CHEAP), **registry.for_accounts()
        )
        context = TableContext(clock, self._journal, RETURNS, rng=SeededChance(self._seed).below)
        of_games = {
            one.name: settings_of(one.name, conditions.settings, {*one.options, "game_time", "increment"})
            for one in wire.games
        }
        lobby = ContestLobby(
            *(context, registry, of_games),
            login_service=login_service,
            game=conditions.game.name,
            names=self.names,
            waits=self._waits,
        )
        host = HostContext(clock, lobby, limits, ConnectionLimiter(limits, seats_at=registry.seats_at), cork)
        return lobby, WireFactory(wire, settings_of(wire.name, conditions.settings, wire.options), host)

    def start(self) -> None:
        """Listen, and start the first program; each other one is started when the one before it waits for it."""
        self._port = self._reactor.listenTCP(0, self._factory, interface="127.0.0.1")
        self._timers = [
            self._reactor.callLater(self._conditions.deadline, self._too_long),
            self._reactor.callLater(CONNECTS, self._absent),
        ]
        if self._conditions.memory:
            self._timers.append(self._reactor.callLater(LOOKS_EVERY, self._look_at_memory))
        self._start_next()

    def stop(self) -> None:
        """End the game without a decision."""
        self._decided = lambda decision: None
        self._decide(Decision((), "stopped", ""))
        self._kill()

    @property
    def record(self) -> TableRecord | None:
        """The match so far; `None`: it has not begun."""
        found: list[TableRecord | str] = []
        if self._journal.table is not None:
            self._journal.load(self._journal.table, found.append)
        return next((one for one in found if isinstance(one, TableRecord) and one.entries), None)

    def _start_next(self) -> None:
        seat = len(self._programs)
        values = {
            **{"host": "127.0.0.1", "port": str(self._port.getHost().port), "name": self.names[seat]},
            **{"password": "correct horse", "seed": str(self._seed + seat)},
        }
        environment = {f"GAMEHOST_{name.upper()}": value for name, value in values.items()}
        program = Program(seat, self._ended)
        self._programs.append(program)
        words = [sys.executable, "-I", "-S", "-c", _STARTER, *filled_in(self._commands[seat], values)]
        self._reactor.spawnProcess(program, words[0], words, env={**os.environ, **environment})

    def _waits(self, name: str) -> None:
        if self._decision is None and len(self._programs) < self._conditions.seats:
            self._timers[1].reset(CONNECTS)
            self._start_next()

    @property
    def _begun(self) -> bool:
        return self.record is not None

    def _over(self) -> None:
        # The entry is not told yet: the programs hear the end of the game before they are ended.
        self._reactor.callLater(0, self._judge)

    def _judge(self) -> None:
        record = self.record
        if record is None or self._decision is not None:
            return
        if record.opening.game != self._conditions.game.name:
            words = f"nobody won: {record.opening.game} was played instead of {self._conditions.game.name}"
            self._decide(Decision(self._equal_shares, "other game", words))
            return
        result = result_of(self._conditions.game, record)
        cause, words = result.cause.value, result.words(self.names)
        if result.cause is Cause.LEFT:
            ends = [f"{self.names[one.seat]}: {one.end}" for one in self._programs if one.end]
            if ends:
                cause, words = "crash", f"{words} ({'; '.join(ends)})"
        self._decide(Decision(shares_of(result, len(self.names)), cause, words, record=record))

    def _ended(self, program: Program) -> None:
        if self._decision is not None:
            self._finish()
        elif not self._begun:
            self._lost((program.seat,), "absent" if program.not_run else "crash", program.end, absent=True)
        else:
            session = self._lobby.registry.get(self.names[program.seat])
            if session is not None:
                self._lobby.give_up(session)

    def _absent(self) -> None:
        if not self._begun and self._decision is None:
            latest = len(self._programs) - 1
            self._lost(
                (latest,), "absent", f"it did not log in and ask for a game within {CONNECTS:.0f} s", absent=True
            )

    def _too_long(self) -> None:
        record = self.record
        seat = None
        if record is not None and record.opening.game == self._conditions.game.name:
            seat = to_move(self._conditions.game, record)
        words = f"the game was not over after {self._conditions.deadline:.0f} s"
        if seat is None:
            self._decide(Decision(self._equal_shares, "deadline", f"nobody won: {words}", record=record))
        else:
            self._lost((seat,), "deadline", words)

    def _look_at_memory(self) -> None:
        self._timers[2] = self._reactor.callLater(LOOKS_EVERY, self._look_at_memory)
        most = self._conditions.memory
        greedy = [program for program in self._programs if not program.end and program.mebibytes > most]
        if greedy and self._decision is None:
            self._lost(tuple(one.seat for one in greedy), "memory", f"it took more than {most} MiB")

    @property
    def _equal_shares(self) -> tuple[float, ...]:
        return (1 / len(self.names),) * len(self.names)

    def _lost(self, seats: Sequence[int], cause: str, why: str, absent: bool = False) -> None:
        """These have lost, and the others share the point."""
        others = [seat for seat in range(len(self.names)) if seat not in seats]
        shares = tuple(1 / len(others) if seat in others else 0.0 for seat in range(len(self.names)))
        winners = " and ".join(self.names[seat] for seat in others) or "nobody"
        losers = " and ".join(self.names[seat] for seat in seats)
        words = f"{winners} won ({cause}): {losers}: {why}"
        self._decide(Decision(shares, cause, words, tuple(seats) if absent else (), self.record))

    def _decide(self, decision: Decision) -> None:
        if self._decision is not None:
            return
        self._decision = decision
        for timer in self._timers:
            if timer.active():
                timer.cancel()
        # A program that hears the end of its game ends by itself. The others are ended.
        self._timers = [self._reactor.callLater(ENDS if decision.cause == "rules" else 0, self._kill)]
        self._finish()

    def _kill(self) -> None:
        for program in self._programs:
            if not program.end:
                program.kill()

    def _finish(self) -> None:
        """All is over when the programs have ended, too: the next game has the machine to itself."""
        if self._decision is None or any(not program.end for program in self._programs):
            return
        for timer in self._timers:
            if timer.active():
                timer.cancel()
        decided, self._decided = self._decided, lambda decision: None
        if self._port is not None:
            self._port.stopListening()
            self._port = None
            self._lobby.close()
        decided(self._decision)


def result_of(game: Game[Any, Any], record: TableRecord) -> Result:
    """
    How a match ended, by its record alone.

    :raises ValueError: it has not ended
    """
    chance = JournalledChance()
    result: Result | None = replay(game, new_master(game, record.opening, chance), chance, record.entries).result
    if result is None:
        raise ValueError("the match of this record has not ended")
    return result


def to_move(game: Game[Any, Any], record: TableRecord) -> int | None:
    """The seat for which a match waits; `None`: for none, or for several."""
    chance = JournalledChance()
    master: Any = replay(game, new_master(game, record.opening, chance), chance, record.entries)
    return master.to_move() if hasattr(master, "to_move") else None


def _at_once(work: Callable[[], Any], done: Callable[[Any], None]) -> None:
    """A worker that does its work at once."""
    done(work())
