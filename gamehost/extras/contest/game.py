"""
One game of a contest: the entrants' programs, the private host of the contest or a running one, and what comes of it.

A game is always decided: by the rules, by a clock, because a program is gone, or by its deadline.
"""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from secrets import token_hex
from typing import Any

from attrs import define, evolve, field
from twisted.internet.interfaces import IDelayedCall

from gamehost.extras.contest.host import OVER, ContestHost, FirstMatch, Room
from gamehost.extras.contest.isolation import Door, Isolation
from gamehost.extras.contest.judging import Decision, Ruling, decision_of, is_over, moves_of, to_move
from gamehost.extras.contest.owners import Owners, family
from gamehost.extras.contest.plan import PERSON, Plan
from gamehost.extras.contest.traffic import HeardBytes
from gamehost.games.base import Cause, Game
from gamehost.journal.records import TableRecord
from gamehost.ops.workers import NOT_RUN, ProgramProcess, Running, own_environment, running, start_program

#: Connections of a game for which is looked whose they are when they are refused. A program may try again and again.
MOST_REFUSED = 20
#: Seconds for a program to connect and to log in.
CONNECTS = 20.0
#: Seconds for a person to come.
PERSON_COMES = 600.0
#: Seconds for a program to end after its game.
ENDS = 2.0
#: The causes of a game that does not count: the contest cannot go on; the host has failed in this game.
STOPPED, VOID = "stopped", "void"


def is_own(command: Sequence[str]) -> bool:
    """Whether this is a command of gamehost itself, such as a house player."""
    return tuple(command[:3]) == (sys.executable, "-m", "gamehost")


def _how_ended(program: "ProgramProcess | Person") -> str:
    status = program.status or 0
    how = f"by signal {-status}" if status < 0 else f"with status {status}"
    return f"it ended {how}" + (f": {program.words}" if program.words and status else "")


class Person:
    """
    A person who connects to a running host. The contest starts no program for a person, and ends only the game.

    :param ended: called as by a program that has ended
    """

    words = ""
    pid = None
    written = b""

    def __init__(self, ended: Callable[["Person"], None]) -> None:
        self.status: int | None = None
        self._ended = ended

    def kill(self) -> None:
        self.status = 0
        self._ended(self)

    def family(self, processes: Sequence[Running]) -> list[Running]:
        return []


@define(eq=False)
class ContestGame:
    """
    One game, from the start of its programs to its decision.

    :param names: of the entrants, in the order of the seats
    :param commands: what starts their programs; `{host}`, `{port}`, `{name}`, `{password}`, `{key}` and so on are filled in
    :param seed: of the cards, the bag and whatever else chance decides
    :param decided: called once, when all programs have ended
    :param refused: called when a connection does not get the seat for which it asks, as `Refused` without its first field
    """

    _reactor: Any
    _game: Game[Any, Any]
    _plan: Plan
    names: Sequence[str]
    _commands: Sequence[Sequence[str]]
    _seed: int
    _decided: Callable[[Decision], None]
    _refused: Callable[..., None] = lambda name, why: None
    _decision: Decision | None = None
    #: In the order of the seats, as far as they were started.
    _programs: list["ProgramProcess | Person"] = field(factory=list)
    #: By what they are for.
    _timers: dict[str, IDelayedCall] = field(factory=dict)
    #: Where the programs connect, once it is known.
    _where: tuple[str, int] | None = None
    #: What each program proves with that it has its account, if the wire has accounts.
    passwords: Sequence[str] = field(init=False)
    #: What each program can give with its name as a guest, `NAME:KEY`.
    keys: Sequence[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.passwords, self.keys = ([token_hex(8) for _ in self.names] for _ in range(2))

    def start(self) -> None:
        """Begin: the first program is started, and each other one when the one before it waits for it."""
        later = self._reactor.callLater
        self._timers = {
            "deadline": later(self._plan.deadline, self._too_long),
            "coming": later(self._patience(0), self._absent),
        }
        self._open()

    def _patience(self, seat: int) -> float:
        return PERSON_COMES if self._commands[seat] == PERSON else CONNECTS

    def _open(self) -> None:
        """Find the game a place to be played, and start the first program."""
        raise NotImplementedError

    def _close(self) -> None:
        """The game is over, and its programs have ended."""
        raise NotImplementedError

    def _heard_of(self) -> Sequence[HeardBytes]:
        """The bytes of the game's connections, as far as they are known."""
        return ()

    def _gone(self, seat: int, program: ProgramProcess | Person) -> None:
        """A program has ended in the middle of its game: that is lost at once."""
        raise NotImplementedError

    def _match_id(self) -> str:
        """The id of the match that the second program joins, on a wire with such ids; otherwise empty."""
        return ""

    def _door(self, seat: int) -> Door | None:
        """The address of the host for a program in a sandbox; `None`: there is no sandbox."""
        return None

    def _missing(self) -> tuple[int, ...]:
        """The seats whose programs were started, and have not asked for their game."""
        return (len(self._programs) - 1,)

    def stop(self) -> None:
        self._decided = lambda decision: None
        self._decide(Decision((), STOPPED, ""))
        self._kill()

    @property
    def record(self) -> TableRecord | None:
        """The match so far; `None`: it has not begun."""
        raise NotImplementedError

    def _start_next(self) -> None:
        assert self._where is not None
        seat = len(self._programs)
        if self._commands[seat] == PERSON:
            self._programs.append(Person(partial(self._ended, seat)))
            return
        values = {
            **{"host": self._where[0], "port": str(self._where[1]), "name": self.names[seat]},
            **{
                "password": self.passwords[seat],
                "key": self.keys[seat],
                "match": self._match_id(),
                "seed": str(self._seed + seat),
            },
        }
        ended = partial(self._ended, seat)
        command, more = self._commands[seat], {}
        if is_own(command):
            more = own_environment(os.environ)
        elif self._plan.isolate != "none":
            entrant = self._plan.names.index(self.names[seat])
            isolation = Isolation(self._plan.isolate, self._plan.readable)
            command = isolation.words(command, entrant, self._door(seat))
        self._programs.append(start_program(self._reactor, command, values, ended, more))

    def waits(self, name: str) -> None:
        """A player has asked for a seat and waits for the others: start the next program."""
        if self._decision is None and len(self._programs) < self._plan.seats:
            self._timers["coming"].reset(self._patience(len(self._programs)))
            self._start_next()

    @property
    def begun(self) -> bool:
        """Whether all players have come."""
        return self.record is not None

    def over(self) -> None:
        """The record of the match says how it ended, or has as many moves as there may be."""
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

    def _last_words(self, decision: Decision, words: "Callable[[ProgramProcess | Person], str]") -> str:
        """The last words of the programs that have no share of the point, in parentheses."""
        lost = [(self.names[seat], one) for seat, one in enumerate(self._programs) if not decision.shares[seat]]
        said = "; ".join(f"{name}: {found}" for name, one in lost if (found := words(one)))
        return said and f" ({said})"

    def _ended(self, seat: int, program: ProgramProcess | Person) -> None:
        if self._decision is not None:
            self._finish()
        elif not self.begun:
            cause = "absent" if program.status in NOT_RUN else "crash"
            self.rule(cause, (seat,), _how_ended(program), status=program.status, said=program.words)
        else:
            self._gone(seat, program)

    def _absent(self) -> None:
        if not self.begun and self._decision is None:
            seconds = self._patience(len(self._programs) - 1)
            why = f"it did not log in and ask for a game within {seconds:.0f} s"
            self.rule("absent", self._missing(), why, seconds=seconds)

    def _too_long(self) -> None:
        seat, seconds = to_move(self._game, self.record, self.names), self._plan.deadline
        why = f"the game was not over after {seconds:.0f} s"
        moves = moves_of(self.record)
        self.rule("deadline", () if seat is None else (seat,), why, seconds=seconds, to_move=seat, moves=moves)

    def taken(self) -> float | None:
        """Seconds of a processor that the programs have taken, with all that they have started; `None`: that cannot be seen."""
        found = [[*running(map(str, family(one.pid)))] for one in self._programs if one.pid is not None]
        return sum(one.seconds for processes in found for one in processes) if all(found) else None

    def look(self, processes: Sequence[Running]) -> None:
        """
        See what the programs take, each with all that it has started.

        :param processes: of this machine
        """
        families = [one.family(processes) for one in self._programs]
        takes: dict[str, list[float]] = {
            "memory": [sum(one.resident for one in family[1:]) for family in families],
            "processes": [len(family[1:]) for family in families],
            "processor": [sum(one.seconds for one in family) for family in families],
        }
        for cause, (most, why) in self._plan.bounds.items():
            if greedy := tuple(seat for seat, taken in enumerate(takes[cause]) if taken > most):
                self.rule(cause, greedy, why, taken=takes[cause])

    def rule(self, cause: str, seats: tuple[int, ...], why: str, **evidence: Any) -> None:
        """
        Decide what no record says. A match that is over is judged by its record.

        :param seats: of the players that have lost
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
        for person in [one for one in self._programs if isinstance(one, Person) and one.status is None]:
            person.kill()
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
        heard = self._heard_of()
        self._close()
        decision = self._decision
        if decision.cause == Cause.LEFT.value:
            # A bridge says why it has resigned for its bot.
            why = self._last_words(decision, lambda one: one.words if one.status else "")
            decision = evolve(decision, words=decision.words + why)
        decided(evolve(decision, written=tuple(one.written for one in self._programs), heard=heard))


@define(eq=False)
class PrivateGame(ContestGame):
    """
    A game on the private host of the contest.

    :param host: the host on which this game has a room of its own until it is over
    """

    _host: ContestHost = field(kw_only=True)
    _room: Room | None = None
    #: How many connections did not get the seat for which they asked.
    _refusals: int = 0
    _first: FirstMatch | None = None

    @property
    def record(self) -> TableRecord | None:
        return None if self._first is None else self._first.record

    def _open(self) -> None:
        self._room = self._host.room()
        self._first = self._room.begin(self, self._seed, self._plan.most_moves)
        self._where = "127.0.0.1", self._room.port
        self._start_next()

    def _close(self) -> None:
        room, self._room = self._room, None
        if room is not None:
            room.leave()

    def _heard_of(self) -> Sequence[HeardBytes]:
        return () if self._room is None else self._room.heard

    def _gone(self, seat: int, program: ProgramProcess | Person) -> None:
        if self._room is not None:
            self._room.give_up(self.names[seat])
        if not is_over(self.record):
            # Nobody was at the table any more, so the host has put it away: no record will say who has lost.
            self.rule("gone", (seat,), _how_ended(program), status=program.status, said=program.words)

    def _match_id(self) -> str:
        waiting = [] if self._room is None else map(self._room.session, self.names)
        notes = [session.note for session in waiting if session is not None and session.number]
        return next((note.split()[0] for note in notes if note), "")

    def _door(self, seat: int) -> Door | None:
        return None if self._room is None else self._room.door(seat)

    def _missing(self) -> tuple[int, ...]:
        started, room = range(len(self._programs)), self._room
        missing = tuple(seat for seat in started if room is not None and not room.is_waiting(self.names[seat]))
        return missing or super()._missing()

    def failed(self) -> None:
        """The host has stopped the match, because of a fault."""
        self._reactor.callLater(0, self._decide, Decision((), VOID, "a fault of the game has stopped its match"))

    def comes(self, peer: Any) -> int | None:
        """
        The seat of the program that has made a new connection, if the program has no seat yet; `None`: the connection belongs
        to no program of the game, or its owner is not known. A program that has its seat already cannot keep others out by
        many connections.

        :param peer: the address from which it comes
        """
        room, owners = self._room, self._host.owners
        number = 0 if room is None or owners is None else owners.number_at(peer, ("127.0.0.1", room.port))
        if room is None or owners is None or not number:
            return None
        absent = [seat for seat in range(len(self._programs)) if room.is_absent(self.names[seat])]
        return next((seat for seat in absent if self.holder(owners, seat, number) is not None), None)

    def claim(self, name: str, transport: Any) -> str | None:
        """
        Why a connection does not get the seat of this name; `None`: it does.

        The seat is for the program that was started for it, and for what that has started. Another entrant that asks for it
        loses its own game.
        """
        if self._decision is not None:
            return OVER
        owners, seat = self._host.owners if transport else None, self.names.index(name) if name in self.names else None
        if self._room is not None and transport and (own := self._room.seat_at(transport)) is not None:
            return self._from_sandbox(name, own)
        number = 1 if owners is None else owners.number_of(transport)
        if not number:
            return "this connection is closed"
        if seat is not None and (owners is None or self.holder(owners, seat, number) is not None):
            return None
        self._refusals += 1
        why = f"this game is between {' and '.join(self.names)}: log in as one of them"
        if owners is None or self._refusals > MOST_REFUSED:
            self._refused(name, why)
            return why
        if seat is not None:
            why = f"this seat is for the program of {name} alone"
        self._refuse(name, why, owners, number)
        return why

    def _from_sandbox(self, name: str, own: int) -> str | None:
        """
        As `claim`, of a program in a sandbox: it comes by a socket that nobody else can reach.

        :param own: its seat
        """
        if name == self.names[own]:
            return None
        why = f"this seat is for the program of {self.names[own]}: log in under this name"
        process = f"in the sandbox of {self.names[own]}"
        self._refused(name, why, owner=self._plan.names.index(self.names[own]), process=process)
        if name in self.names:
            self.rule("seat", (own,), f"it asked for the seat of {name}", process=process)
        return why

    def _refuse(self, name: str, why: str, owners: Owners, number: int) -> None:
        """Write down who has asked for a seat. An entrant who asked for that of another one has lost."""
        for game in (room.game for room in self._host.rooms if room.game is not None):
            for seat in range(len(game.names)):
                if (pid := game.holder(owners, seat, number)) is not None:
                    own, process = game.names[seat], owners.words(pid)
                    self._refused(name, why, owner=self._plan.names.index(own), process=process)
                    if name in self.names and name != own:
                        game.rule("seat", (seat,), f"it asked for the seat of {name}", process=process)
                    return
        stranger = owners.anywhere(number)
        self._refused(name, why, process="" if stranger is None else owners.words(stranger))

    def holder(self, owners: Owners, seat: int, number: int) -> int | None:
        """The process of this seat's program that has a socket; `None`: none has."""
        program = self._programs[seat] if seat < len(self._programs) else None
        root = None if program is None else program.pid
        return None if root is None else owners.among(root, number)
