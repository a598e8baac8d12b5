"""
One game of a contest: a host in memory with one wire on a port of its own, or a running one; the entrants' programs; and what
comes of it.

A game is always decided: by the rules, by a clock, because a program is gone, or by its deadline.
"""

import json
import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from attrs import define, evolve, field
from twisted.internet.endpoints import UNIXClientEndpoint
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import Factory
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure

from gamehost.accounts.names import Name, NameFault, NameRefused
from gamehost.extras.contest.judging import Decision, Ruling, decision_of, is_over, moves_of, to_move
from gamehost.extras.contest.plan import PERSON, Plan
from gamehost.games.base import Cause, Game, Seat
from gamehost.journal.notation import read_notation
from gamehost.journal.records import Entry, EntryKind, TableHeader, TableId, TableRecord
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import TooManyTables
from gamehost.lobby.sessions import Queue, Session
from gamehost.net.private_lobby import private_lobby
from gamehost.ops import SocketUnusable, short_path
from gamehost.ops.workers import NOT_RUN, ProgramProcess, own_environment, start_program
from gamehost.players.base import SeededChance
from gamehost.settings import Settings, settings_of
from gamehost.storage.memory import MemoryJournal
from gamehost.tables.context import TableContext
from gamehost.tables.interfaces import OpenTable
from gamehost.wires.base import Wire

#: For programs of one machine, which may log in again at once. All other limits of a host stay: they are what stops a flood.
LIMITS = {"keyless_resume_seconds": "0"}
#: Seconds for a program to connect and to log in, and to come back after its connection was lost.
CONNECTS = 20.0
RETURNS = 5.0
#: Seconds for a person to come.
PERSON_COMES = 600.0
#: Seconds for a program to end after its game.
ENDS = 2.0
#: The causes of a game that does not count: the contest cannot go on; the host has failed in this game.
STOPPED, VOID = "stopped", "void"
#: How often a running host is asked for places while a player is there, and the seconds between.
ASKED, AGAIN = 40, 0.2
#: Seconds between two looks at how much memory programs take.
LOOKS_EVERY = 1.0


class _Journal(MemoryJournal):
    """
    The journal of one host: it tells when its first match is over. That one is the game of the contest. Some wires begin the
    next match at once.

    :param most_moves: so many moves end it, too; 0: they do not
    """

    def __init__(self, over: Callable[[], None], most_moves: int) -> None:
        super().__init__()
        self._over = over
        self._most_moves = most_moves
        self._moves = 0
        self._first: TableId | None = None
        self._opening: TableHeader | None = None
        self._entries: list[Entry] = []

    def open(self, table: TableId, opening: TableHeader, durable: Callable[[], None]) -> None:
        if self._first is None:
            self._first, self._opening = table, opening
        super().open(table, opening, durable)

    def append(self, table: TableId, entry: Entry, durable: Callable[[], None]) -> None:
        super().append(table, entry, durable)
        if table != self._first:
            return
        self._entries.append(entry)
        self._moves += entry.kind is EntryKind.ACTED
        if entry.outcome or 0 < self._most_moves <= self._moves:
            self._over()

    @property
    def first_match(self) -> TableRecord | None:
        """The first match so far; `None`: it has not begun."""
        if self._first is None or self._opening is None or not self._entries:
            return None
        return TableRecord(self._first, self._opening, tuple(self._entries))


@define(eq=False)
class ContestLobby(Lobby):
    """A lobby for the players of one game: each has the seat that the contest gave it, and nobody else comes in."""

    #: What is played, by its name.
    game: str = field(kw_only=True)
    #: The names, in the order of the seats.
    names: Sequence[str] = field(kw_only=True)
    #: Called when somebody waits for the others.
    waits: Callable[[str], None] = field(kw_only=True)
    #: Called with the name and the reason when somebody who asks for a seat does not get it.
    refused: Callable[[str, str], None] = field(kw_only=True)

    def _refusal(self, name: Name) -> NameRefused | None:
        if name.text in self.names:
            return super()._refusal(name)
        words = f"this game is between {' and '.join(self.names)}: log in as one of them"
        self.refused(name.text, words)
        return NameRefused(NameFault.INVALID, words)

    #: For tokens and the like: the seed is for the game alone.
    below = staticmethod(secrets.randbelow)  # type: ignore[assignment]

    def play(self, session: Session, queue: Queue, wish: Seat | None = None) -> bool:
        wish = self._planned(session, wish)
        session.second = wish == 1
        seated = super().play(session, queue, wish)
        if not seated:
            self.waits(session.name)
        return seated

    def open_table(
        self, session: Session, queue: Queue, seats: int, settings: Mapping[str, str], wish: Seat | None = None
    ) -> OpenTable:
        if seats != len(self.names) or queue.game.name != self.game:
            raise TooManyTables(f"this contest is {self.game}, with {len(self.names)} at a table")
        table = super().open_table(session, queue, seats, settings, self._planned(session, wish))
        self.waits(session.name)
        return table

    def _planned(self, session: Session, wish: Seat | None) -> Seat | None:
        """The seat of a player in a game of two; in other games players have no wish."""
        return Seat(self.names.index(session.name)) if len(self.names) == 2 else wish

    def _seat(self, game: Game[Any, Any], number: TableId, settings: Settings, players: Sequence[Session]) -> None:
        # Programs come in any order, by a queue or to a table. The seats are those of the plan.
        in_order = sorted(players, key=lambda one: self.names.index(one.name))
        super()._seat(game, number, settings, in_order)

    def join(self, session: Session, queue: Queue, table: TableId, code: str = "") -> None:
        super().join(session, queue, table, code)
        if session.table_id is None:
            self.waits(session.name)


def is_own(command: Sequence[str]) -> bool:
    """Whether this is a command of gamehost itself, such as a house player."""
    return tuple(command[:3]) == (sys.executable, "-m", "gamehost")


def _how_ended(program: "ProgramProcess | _Place") -> str:
    status = program.status or 0
    how = f"by signal {-status}" if status < 0 else f"with status {status}"
    return f"it ended {how}" + (f": {program.words}" if program.words and status else "")


class _Place:
    """
    A person, who comes to a running host by hand: nothing is started, and nothing is ended but the game.

    :param ended: called as by a program that has ended
    """

    resident = 0
    words = ""

    def __init__(self, ended: Callable[["_Place"], None]) -> None:
        self.status: int | None = None
        self._ended = ended

    def kill(self) -> None:
        self.status = 0
        self._ended(self)


@define(eq=False)
class ContestGame:
    """
    One game, from the start of its programs to its decision.

    :param names: of the entrants, in the order of the seats
    :param commands: what starts their programs; `{host}`, `{port}`, `{name}`, `{password}`, `{match}`, `{seed}` are filled in
    :param seed: of the cards, the bag and whatever else chance decides
    :param decided: called once, when all programs have ended
    :param refused: called when a connection does not get the seat for which it asks, as `Refused` without its first field
    """

    _reactor: Any
    _wire: Wire[Any]
    _game: Game[Any, Any]
    _plan: Plan
    names: Sequence[str]
    _commands: Sequence[Sequence[str]]
    _seed: int
    _decided: Callable[[Decision], None]
    _refused: Callable[..., None] = lambda name, why: None
    _decision: Decision | None = None
    #: In the order of the seats, as far as they were started.
    _programs: list["ProgramProcess | _Place"] = field(factory=list)
    #: By what they are for.
    _timers: dict[str, IDelayedCall] = field(factory=dict)
    _journal: _Journal = field(init=False)
    _lobby: ContestLobby | None = None
    #: Where the programs connect, once it is known.
    _where: tuple[str, int] | None = None
    _port: Any = None

    def __attrs_post_init__(self) -> None:
        self._journal = _Journal(self._over, self._plan.most_moves)

    def _host(self) -> tuple[ContestLobby, Factory[Any]]:
        wire, settings = self._wire, self._plan.settings
        context = TableContext(self._reactor, self._journal, RETURNS, rng=SeededChance(self._seed).below)
        of_games = {
            one.name: settings_of(one.name, settings, {*one.options, "game_time", "increment"}) for one in wire.games
        }
        of_wire = settings_of(wire.name, settings, wire.options)
        new_lobby = partial(
            ContestLobby, game=self._game.name, names=self.names, waits=self._waits, refused=self._refused
        )
        return private_lobby(new_lobby, wire, self._journal, context, LIMITS, of_wire, of_games)

    def start(self) -> None:
        """Begin: the first program is started, and each other one when the one before it waits for it."""
        later = self._reactor.callLater
        self._timers = {
            "deadline": later(self._plan.deadline, self._too_long),
            "coming": later(self._patience(0), self._absent),
        }
        if self._plan.memory:
            self._timers["memory"] = later(LOOKS_EVERY, self._look_at_memory)
        self._open()

    def _patience(self, seat: int) -> float:
        return PERSON_COMES if self._commands[seat] == PERSON else CONNECTS

    def _open(self) -> None:
        """Have a host for the programs, and start the first one."""
        self._lobby, factory = self._host()
        self._port = self._reactor.listenTCP(0, factory, interface="127.0.0.1")
        self._where = "127.0.0.1", self._port.getHost().port
        self._start_next()

    def _close(self) -> None:
        port, self._port = self._port, None
        if port is not None and self._lobby is not None:
            port.stopListening()
            self._lobby.close()

    def _gone(self, seat: int, program: ProgramProcess | _Place) -> None:
        """A program has ended in the middle of its game: that is lost at once."""
        session = None if self._lobby is None else self._lobby.registry.get(self.names[seat])
        if self._lobby is not None and session is not None:
            self._lobby.give_up(session)

    def stop(self) -> None:
        self._decided = lambda decision: None
        self._decide(Decision((), STOPPED, ""))
        self._kill()

    @property
    def record(self) -> TableRecord | None:
        """The match so far; `None`: it has not begun."""
        return self._journal.first_match

    def _start_next(self) -> None:
        assert self._where is not None
        seat = len(self._programs)
        if self._commands[seat] == PERSON:
            self._programs.append(_Place(partial(self._ended, seat)))
            return
        values = {
            **{"host": self._where[0], "port": str(self._where[1]), "name": self.names[seat]},
            **{"password": "correct horse", "match": self._match_id(), "seed": str(self._seed + seat)},
        }
        ended = partial(self._ended, seat)
        command = self._commands[seat]
        more = own_environment(os.environ) if is_own(command) else {}
        self._programs.append(start_program(self._reactor, command, values, ended, more))

    def _match_id(self) -> str:
        """What the second program joins, on a wire on which matches are joined by their ids; empty: nothing."""
        waiting = [] if self._lobby is None else [self._lobby.registry.get(name) for name in self.names]
        notes = [session.note for session in waiting if session is not None and session.number]
        return next((note.split()[0] for note in notes if note), "")

    def _waits(self, name: str) -> None:
        if self._decision is None and len(self._programs) < self._plan.seats:
            self._timers["coming"].reset(self._patience(len(self._programs)))
            self._start_next()

    @property
    def _begun(self) -> bool:
        return self.record is not None

    def _over(self) -> None:
        # The entry is not told yet: the programs hear the end of the game before they are ended.
        self._reactor.callLater(0, self._judge)

    def _judge(self, ruling: Ruling | None = None) -> None:
        if self._decision is not None:
            return
        decision = decision_of(self._game, self.names, self.record, ruling, self._plan.most_moves)
        if decision.cause == Cause.LEFT.value:
            ends = self._last_words(decision, lambda one: _how_ended(one) if one.status is not None else "")
            if ends:
                decision = evolve(decision, cause="crash", words=decision.words + ends)
        self._decide(decision)

    def _last_words(self, decision: Decision, words: "Callable[[ProgramProcess | _Place], str]") -> str:
        """What is to be said of the programs that have no share of the point, in parentheses."""
        lost = [(self.names[seat], one) for seat, one in enumerate(self._programs) if not decision.shares[seat]]
        said = "; ".join(f"{name}: {found}" for name, one in lost if (found := words(one)))
        return said and f" ({said})"

    def _ended(self, seat: int, program: ProgramProcess | _Place) -> None:
        if self._decision is not None:
            self._finish()
        elif not self._begun:
            cause = "absent" if program.status in NOT_RUN else "crash"
            self._rule(cause, (seat,), _how_ended(program), status=program.status, said=program.words)
        else:
            self._gone(seat, program)

    def _absent(self) -> None:
        if not self._begun and self._decision is None:
            latest = len(self._programs) - 1
            seconds = self._patience(latest)
            why = f"it did not log in and ask for a game within {seconds:.0f} s"
            self._rule("absent", (latest,), why, seconds=seconds)

    def _too_long(self) -> None:
        seat, seconds = to_move(self._game, self.record, self.names), self._plan.deadline
        why = f"the game was not over after {seconds:.0f} s"
        moves = moves_of(self.record)
        self._rule("deadline", () if seat is None else (seat,), why, seconds=seconds, to_move=seat, moves=moves)

    def _look_at_memory(self) -> None:
        self._timers["memory"] = self._reactor.callLater(LOOKS_EVERY, self._look_at_memory)
        most = self._plan.memory
        taken = [one.resident for one in self._programs]
        greedy = tuple(seat for seat, size in enumerate(taken) if size > most * 2**20)
        if greedy:
            self._rule("memory", greedy, f"it took more than {most} MiB", bytes=taken)

    def _rule(self, cause: str, seats: tuple[int, ...], why: str, **evidence: Any) -> None:
        """
        Decide what no record says. A match that is over is judged by its record.

        :param seats: who has lost
        """
        if self._decision is None:
            ruling = None if is_over(self.record) else Ruling(cause, seats, why, evidence)
            self._judge(ruling)

    def _decide(self, decision: Decision) -> None:
        if self._decision is not None:
            return
        self._decision = decision
        self._cancel_timers()
        # A program that hears the end of its game, or has resigned, ends by itself. The others are ended.
        patience = ENDS if decision.cause in (Cause.RULES.value, Cause.LEFT.value) else 0
        self._timers["kill"] = self._reactor.callLater(patience, self._kill)
        self._finish()

    def _cancel_timers(self) -> None:
        for timer in self._timers.values():
            if timer.active():
                timer.cancel()

    def _kill(self) -> None:
        for program in self._programs:
            if program.status is None:
                program.kill()

    def _finish(self) -> None:
        """All is over when the programs have ended, too: the next game has the machine to itself."""
        if self._decision is None or any(one.status is None for one in self._programs):
            return
        self._cancel_timers()
        decided, self._decided = self._decided, lambda decision: None
        self._close()
        decision = self._decision
        if decision.cause == Cause.LEFT.value:
            # A bridge says why it has resigned for its bot.
            why = self._last_words(decision, lambda one: one.words if one.status else "")
            decision = evolve(decision, words=decision.words + why)
        decided(decision)


class HostedGame(ContestGame):
    """
    A game on a running host, which keeps places for its players: everybody there can look on.

    :param where: host and port of the wire
    :param admin: the socket of the host's owner
    """

    def __init__(self, where: tuple[str, int], admin: Path, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._where = where
        self._admin = admin
        self._line: Any = None
        self._begins = False
        self._record: TableRecord | None = None
        #: How often the places were asked for.
        self._asked = 0

    @property
    def record(self) -> TableRecord | None:
        return self._record

    @property
    def _begun(self) -> bool:
        return self._begins

    def _open(self) -> None:
        self._asked += 1
        game = self._game
        settings = settings_of(game.name, self._plan.settings, {*game.options, "game_time", "increment"})
        people = [name for name, command in zip(self.names, self._commands, strict=True) if command == PERSON]
        asked = {"names": list(self.names), "people": people, "game": game.name, "settings": settings}
        self._line = _OwnersLine("contest game", asked, self._heard, self._lost_host)
        self._ask(self._line)

    def _ask(self, line: "_OwnersLine") -> None:
        factory = Factory.forProtocol(lambda: line)
        factory.noisy = False
        context = ExitStack()
        try:
            path = context.enter_context(short_path(self._admin))
        except (OSError, SocketUnusable) as error:
            line.lost(str(error))
            return
        connecting = UNIXClientEndpoint(self._reactor, path).connect(factory)
        connecting.addErrback(lambda failure: line.lost(failure.getErrorMessage()))
        connecting.addBoth(lambda result: context.close())

    def _close(self) -> None:
        line, self._line = self._line, None
        if line is not None and line.transport is not None:
            line.transport.loseConnection()

    def _gone(self, seat: int, program: ProgramProcess | _Place) -> None:
        # Again and again: the host may not have seen yet that the connection is lost.
        self._ask(_OwnersLine("contest leave", {"name": self.names[seat]}))
        self._timers[f"leave {seat}"] = self._reactor.callLater(AGAIN, self._gone, seat, program)

    def _heard(self, answer: Mapping[str, Any]) -> None:
        item = answer.get("item", {})
        if self._decision is not None:
            return
        if "reserved" in item:
            self._start_next()
        elif "waits" in item:
            self._waits(item["waits"])
        elif "table" in item:
            self._begins = True
        elif "end" in answer:
            self._record = read_notation(answer["end"]["record"]).record
            if is_over(self._record):
                self._over()
            else:
                self._decide(Decision((), VOID, "the host has stopped its match"))
        elif "error" in answer and self._asked < ASKED and not self._programs:
            self._close()  # the program of a game that is just over may not have left the host yet
            self._timers["again"] = self._reactor.callLater(AGAIN, self._open)
        elif "error" in answer:
            self._lost_host(answer["error"])

    def _lost_host(self, why: str) -> None:
        """The game cannot be decided, and does not count."""
        if self._line is not None:
            self._decide(Decision((), STOPPED, f"the host does not go on with it: {why}"))


class _OwnersLine(LineReceiver):
    """
    A request to a host, as its owner.

    :param heard: called with each line of the answer; by default the first one ends the connection
    :param lost: called with the reason when the host is gone
    """

    delimiter = b"\n"
    MAX_LENGTH = 1 << 20
    transport: Any

    def __init__(
        self,
        command: str,
        arguments: Mapping[str, Any],
        heard: Callable[[Mapping[str, Any]], None] | None = None,
        lost: Callable[[str], None] = lambda why: None,
    ) -> None:
        self._request = {"command": command, "arguments": arguments}
        self._heard = heard
        self.lost = lost

    def connectionMade(self) -> None:
        self.sendLine(json.dumps(self._request).encode())

    def lineReceived(self, line: bytes) -> None:
        if self._heard is None:
            self.transport.loseConnection()
        else:
            self._heard(json.loads(line))

    def connectionLost(self, reason: Failure | None = None) -> None:
        self.lost("its connection is lost")
