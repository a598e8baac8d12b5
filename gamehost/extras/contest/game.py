"""
Plays one game of a contest: starts the entrants' programs, lets them play on a host, and decides the game.

A game is always decided: by the rules, by a clock, because a program has ended, or by its deadline. The exception is a fault
of the host or a stop of the contest; then the game does not count.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
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

#: For so many refused connections of a game, the contest finds the process that has made it. Finding it is slow, and a
#: program may try again and again.
MOST_REFUSED = 20
#: How many seconds a program has to connect and to log in.
CONNECTS = 20.0
#: How many seconds a person has to come.
PERSON_COMES = 600.0
#: How many seconds a program has to end by itself after its game.
ENDS = 2.0
#: The causes of games that do not count: the contest is stopped; the host has failed in this game.
STOPPED, VOID = "stopped", "void"


def is_own(command: Sequence[str]) -> bool:
    """Returns whether a command starts gamehost itself, for example a house player."""
    return tuple(command[:3]) == (sys.executable, "-m", "gamehost")


def _how_ended(program: "ProgramProcess | Person") -> str:
    """Describes the end of a program for people: its exit status or signal, and its last words if it has failed."""
    # A program that was ended by a signal has the negative number of the signal as its status, as `subprocess` has it.
    status = program.status or 0
    how = f"by signal {-status}" if status < 0 else f"with status {status}"
    return f"it ended {how}" + (f": {program.words}" if program.words and status else "")


class Person:
    """
    A person who plays on a running host. This class has the same methods as the process of a program, but the contest starts
    no process for a person.

    :param ended: called when the game of the person ends, as it is called when a program ends
    """

    words = ""
    pid = None
    written = b""

    def __init__(self, ended: Callable[["Person"], None]) -> None:
        self.status: int | None = None
        self._ended = ended

    def kill(self) -> None:
        """Called when the game is over. There is no process to end, so this only reports the end."""
        self.status = 0
        self._ended(self)

    def family(self, processes: Sequence[Running]) -> list[Running]:
        """Returns no processes, so that limits of processes never apply to a person."""
        return []


@define(eq=False)
class ContestGame:
    """
    One game of a contest, from the start of its programs to its decision. Subclasses decide on which host it is played.

    :param names: the names of the entrants, in the order of the seats
    :param commands: the commands that start their programs, in the same order; `{host}`, `{port}`, `{name}`, `{password}`,
        `{key}` and so on are filled in
    :param seed: the seed of the cards, the bag and all other chance in the game
    :param decided: called once with the decision, when all programs have ended
    :param refused: called when a connection does not get the seat for which it asks. Its arguments are the fields of
        `Refused`, without the first one.
    """

    _reactor: Any
    _game: Game[Any, Any]
    _plan: Plan
    names: Sequence[str]
    _commands: Sequence[Sequence[str]]
    _seed: int
    _decided: Callable[[Decision], None]
    _refused: Callable[..., None] = lambda name, why: None
    #: The decision; `None`: the game is not decided.
    _decision: Decision | None = None
    #: The programs that were started, in the order of the seats.
    _programs: list["ProgramProcess | Person"] = field(factory=list)
    #: The timers, by their purpose: `deadline`, `coming` and so on.
    _timers: dict[str, IDelayedCall] = field(factory=dict)
    #: The host and port to which the programs connect; `None`: not known yet.
    _where: tuple[str, int] | None = None
    #: The passwords with which the programs log in to their accounts, on wires with accounts.
    passwords: Sequence[str] = field(init=False)
    #: The keys that programs can give with their names when they log in as guests: `NAME:KEY`.
    keys: Sequence[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.passwords, self.keys = ([token_hex(8) for _ in self.names] for _ in range(2))

    def start(self) -> None:
        """
        Begins the game: starts the first program. Each other program is started when the program before it has logged
        in and waits for an opponent, so the programs get their seats in this order.
        """
        later = self._reactor.callLater
        self._timers = {
            "deadline": later(self._plan.deadline, self._too_long),
            # For the program that was started last: it must log in and ask for a game.
            "coming": later(self._patience(0), self._absent),
        }
        self._open()

    def _patience(self, seat: int) -> float:
        """Returns how many seconds the player of a seat has to come."""
        return PERSON_COMES if self._commands[seat] == PERSON else CONNECTS

    def _open(self) -> None:
        """Reserves a place on a host for the game, and starts the first program there."""
        raise NotImplementedError

    def _close(self) -> None:
        """Gives the place on the host back. Called when the game is decided and its programs have ended."""
        raise NotImplementedError

    def _heard_of(self) -> Sequence[HeardBytes]:
        """Returns the recorded bytes of the game's connections; empty if they are not recorded."""
        return ()

    def _gone(self, seat: int, program: ProgramProcess | Person) -> None:
        """Gives up the seat of a program that has ended in the middle of its game, so that it loses at once."""
        raise NotImplementedError

    def _match_id(self) -> str:
        """Returns the id of the match that the second program joins, on a wire with such ids; otherwise an empty text."""
        return ""

    def _door(self, seat: int) -> Door | None:
        """Returns how a program in a sandbox reaches the host; `None`: there is no sandbox."""
        return None

    def _missing(self) -> tuple[int, ...]:
        """Returns the seats of programs that were started and have not asked for their game."""
        return (len(self._programs) - 1,)

    def stop(self) -> None:
        """Ends the game and its programs without a decision that counts. `decided` is not called any more."""
        # First, because `_decide` calls it.
        self._decided = lambda decision: None
        self._decide(Decision((), STOPPED, ""))
        self._kill()

    @property
    def record(self) -> TableRecord | None:
        """The match so far; `None`: it has not begun."""
        raise NotImplementedError

    def _start_next(self) -> None:
        """Starts the program of the next seat, isolated as the plan says. For a person, no program is started."""
        assert self._where is not None
        seat = len(self._programs)
        if self._commands[seat] == PERSON:
            # A person has no process: this object only has the state of a program.
            self._programs.append(Person(partial(self._ended, seat)))
            return
        # The values that are filled into the command. Each program gets a seed of its own.
        values = {
            "host": self._where[0],
            "port": str(self._where[1]),
            "name": self.names[seat],
            "password": self.passwords[seat],
            "key": self.keys[seat],
            "match": self._match_id(),
            "seed": str(self._seed + seat),
        }
        ended = partial(self._ended, seat)
        command = self._commands[seat]
        more: Mapping[str, str] = {}
        # gamehost's own players are trusted. They need some more variables of the environment, and no isolation.
        if is_own(command):
            more = own_environment(os.environ)
        elif self._plan.isolate != "none":
            entrant = self._plan.names.index(self.names[seat])
            isolation = Isolation(self._plan.isolate, self._plan.readable)
            command = isolation.words(command, entrant, self._door(seat))
        self._programs.append(start_program(self._reactor, command, values, ended, more))

    def waits(self, name: str) -> None:
        """Called when a player has asked for a seat and waits for opponents. Starts the next program."""
        if self._decision is None and len(self._programs) < self._plan.seats:
            # The next program has its own time to come.
            self._timers["coming"].reset(self._patience(len(self._programs)))
            self._start_next()

    @property
    def begun(self) -> bool:
        """Whether all players have come."""
        return self.record is not None

    def over(self) -> None:
        """Called when the match has ended, or has reached the most moves of the plan. Decides the game a moment later."""
        # The host has not sent the last entry yet. The programs must receive the end of the match before they are ended.
        self._reactor.callLater(0, self._judge)

    def _judge(self, ruling: Ruling | None = None) -> None:
        """Decides the game by its record, or by the ruling if the record does not say how the match ended."""
        if self._decision is not None:
            return
        decision = decision_of(self._game, self.names, self.record, ruling, self._plan.most_moves)
        # A player has left the match. If its program has ended, the program did not resign: it has crashed, and the
        # words say how it ended.
        if decision.cause == Cause.LEFT.value:
            ends = self._last_words(decision, lambda one: _how_ended(one) if one.status is not None else "")
            if ends:
                decision = evolve(decision, cause="crash", words=decision.words + ends)
        self._decide(decision)

    def _last_words(self, decision: Decision, words: "Callable[[ProgramProcess | Person], str]") -> str:
        """
        Returns some words about each program that has lost, in parentheses; empty: there are none.

        :param words: returns the words for a program; empty: there are none
        """
        lost = [(self.names[seat], one) for seat, one in enumerate(self._programs) if not decision.shares[seat]]
        said = "; ".join(f"{name}: {found}" for name, one in lost if (found := words(one)))
        # Empty stays empty.
        return said and f" ({said})"

    def _ended(self, seat: int, program: ProgramProcess | Person) -> None:
        """
        Called when the program of a seat has ended. If the match has not begun, the program loses the game. Later, the
        seat's player leaves the match, and the record decides.
        """
        # The game may only wait for the end of its programs.
        if self._decision is not None:
            self._finish()
        elif not self.begun:
            # The command could not be started, so the program never came.
            cause = "absent" if program.status in NOT_RUN else "crash"
            self.rule(cause, (seat,), _how_ended(program), status=program.status, said=program.words)
        else:
            self._gone(seat, program)

    def _absent(self) -> None:
        """Called when the time to come is over. If the match has not begun, the missing players lose."""
        if not self.begun and self._decision is None:
            seconds = self._patience(len(self._programs) - 1)
            why = f"it did not log in and ask for a game within {seconds:.0f} s"
            self.rule("absent", self._missing(), why, seconds=seconds)

    def _too_long(self) -> None:
        """Called at the deadline of the game. The player to move loses. If several or none are to move, nobody wins."""
        # `seat` is `None` if several players or none are to move.
        seat, seconds = to_move(self._game, self.record, self.names), self._plan.deadline
        why = f"the game was not over after {seconds:.0f} s"
        moves = moves_of(self.record)
        self.rule("deadline", () if seat is None else (seat,), why, seconds=seconds, to_move=seat, moves=moves)

    def taken(self) -> float | None:
        """
        Returns the processor time of the programs and their descendants so far, in seconds; `None`: it cannot be
        measured, because a program has ended or this system does not show it.
        """
        found = [[*running(map(str, family(one.pid)))] for one in self._programs if one.pid is not None]
        return sum(one.seconds for processes in found for one in processes) if all(found) else None

    def look(self, processes: Sequence[Running]) -> None:
        """
        Measures memory, processes and processor time of each program with its descendants. A program that exceeds a limit of
        the plan loses the game.

        :param processes: all processes of this machine
        """
        # The first process of a family is the host's own keeper of the program. It counts only for processor time, because it
        # has the time of processes that have ended.
        families = [one.family(processes) for one in self._programs]
        takes: dict[str, list[float]] = {
            # The numbers of each program, in the order of the seats, by the cause of a ruling.
            "memory": [sum(one.resident for one in family[1:]) for family in families],
            "processes": [len(family[1:]) for family in families],
            "processor": [sum(one.seconds for one in family) for family in families],
        }
        for cause, (most, why) in self._plan.bounds.items():
            if greedy := tuple(seat for seat, taken in enumerate(takes[cause]) if taken > most):
                self.rule(cause, greedy, why, taken=takes[cause])

    def rule(self, cause: str, seats: tuple[int, ...], why: str, **evidence: Any) -> None:
        """
        Decides the game by a ruling, because a program has not come, has ended, or has exceeded a limit. If the record
        says how the match ended, the record decides instead.

        :param cause: one of `gamehost.extras.contest.judging.RULED`
        :param seats: the seats of the players that have lost; empty: nobody wins
        :param why: the reason, for people
        :param evidence: the facts on which the ruling is based
        """
        if self._decision is None:
            ruling = None if is_over(self.record) else Ruling(cause, seats, why, evidence)
            self._judge(ruling)

    def _decide(self, decision: Decision) -> None:
        """Stores the decision, if there is none yet, and ends the programs that do not end by themselves."""
        if self._decision is not None:
            return
        self._decision = decision
        self._cancel_timers()
        # After an ordinary end, programs get some seconds to end by themselves. In all other cases they are ended at once.
        patience = ENDS if decision.cause in (Cause.RULES.value, Cause.LEFT.value) else 0
        self._timers["kill"] = self._reactor.callLater(patience, self._kill)
        # A person has no process that could end later.
        for person in [one for one in self._programs if isinstance(one, Person) and one.status is None]:
            person.kill()
        # Perhaps all programs have ended already.
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
        """
        Reports the decision when all programs have ended. Until then this method does nothing: programs of an old game must
        not slow down the next one.
        """
        if self._decision is None or any(one.status is None for one in self._programs):
            return
        self._cancel_timers()
        # The decision is reported once, even if this method is called again.
        decided, self._decided = self._decided, lambda decision: None
        # The room of the game has the recorded bytes. So they are read before `_close` gives the room back.
        heard = self._heard_of()
        self._close()
        decision = self._decision
        if decision.cause == Cause.LEFT.value:
            # A bridge (of `gamehost bridge`) writes why it has resigned for its bot. A program that ended normally (with
            # the status 0) has nothing to explain.
            why = self._last_words(decision, lambda one: one.words if one.status else "")
            decision = evolve(decision, words=decision.words + why)
        decided(evolve(decision, written=tuple(one.written for one in self._programs), heard=heard))


@define(eq=False)
class PrivateGame(ContestGame):
    """
    A game on the private host of the contest.

    :param host: the private host, on which this game has a room until it is over
    """

    _host: ContestHost = field(kw_only=True)
    #: The room; `None`: before the beginning and after the end.
    _room: Room | None = None
    #: How many connections did not get the seat for which they asked.
    _refusals: int = 0
    #: Records the match.
    _first: FirstMatch | None = None

    @property
    def record(self) -> TableRecord | None:
        return None if self._first is None else self._first.record

    def _open(self) -> None:
        """Opens a room of the host for the matches of this game, and starts the first program."""
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
        """
        Called when the program of a seat has ended during the match. Its player leaves the match, and the host usually
        ends the match by this.
        """
        if self._room is not None:
            self._room.give_up(self.names[seat])
        if not is_over(self.record):
            # The host has not ended the match: all players are gone, so it has put the table to sleep, and no record
            # will say who has lost.
            self.rule("gone", (seat,), _how_ended(program), status=program.status, said=program.words)

    def _match_id(self) -> str:
        """Returns the id of the match that a waiting program has opened; empty if there is none."""
        # The host writes the id of the match into the note of a session that waits for opponents, as its first word.
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
        """Called when the host has stopped the match because of a fault. The game is void."""
        self._reactor.callLater(0, self._decide, Decision((), VOID, "a fault of the game has stopped its match"))

    def comes(self, peer: Any) -> int | None:
        """
        Returns the seat of the program that has made a new connection, if the program is not logged in yet. The host counts
        such a connection for the seat, so a program that is logged in cannot keep others out by many connections.

        :param peer: the address of the program's end of the connection
        :returns: `None`: the connection belongs to no absent program of the game, or its process cannot be found
        """
        room, owners = self._room, self._host.owners
        # The number of the socket at the program's end; 0: the process cannot be found.
        number = 0 if room is None or owners is None else owners.number_at(peer, ("127.0.0.1", room.port))
        if room is None or owners is None or not number:
            return None
        absent = [seat for seat in range(len(self._programs)) if room.is_absent(self.names[seat])]
        return next((seat for seat in absent if self.holder(owners, seat, number) is not None), None)

    def claim(self, name: str, transport: Any) -> str | None:
        """
        Decides whether a connection gets the seat of a player. The seat is only for the program that was started for it, and
        for that program's descendants. Another entrant that asks for the seat loses its own game.

        :param transport: the transport of the connection; `None`: the connection has shown a key that only the player has
        :returns: the reason why it does not get the seat; `None`: it gets the seat
        """
        if self._decision is not None:
            return OVER
        # A key proves the player, so no process is searched then.
        owners = self._host.owners if transport else None
        seat = self.names.index(name) if name in self.names else None
        # From a sandbox: the socket shows the program.
        if self._room is not None and transport and (own := self._room.seat_at(transport)) is not None:
            return self._from_sandbox(name, own)
        # Otherwise find the process that has the other end. If there is a key, or this machine does not show processes
        # (`owners` is `None`), the name alone decides. The 1 is only not 0 then: nothing below uses it.
        number = 1 if owners is None else owners.number_of(transport)
        # 0: the socket at the other end is closed.
        if not number:
            return "this connection is closed"
        if seat is not None and (owners is None or self.holder(owners, seat, number) is not None):
            return None
        # The connection is refused. `_refused` reports that. `_refuse` looks for the connection's process before, which is
        # slow, so it is called only for the first refusals.
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
        Does what `claim` does, for a connection from a sandbox. It comes through the socket of the sandbox, which only the
        program of that seat can use.

        :param own: the seat of the sandbox
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
        """
        Reports a refused connection with its process. If the process belongs to an entrant that asked for another entrant's
        seat, that entrant loses its own game.

        :param number: the number of the connection's socket
        """
        # The process may belong to a game in another room.
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
        """
        Returns the id of the process that has a socket, if it belongs to the program of a seat; otherwise `None`.

        :param number: the number of the socket
        """
        program = self._programs[seat] if seat < len(self._programs) else None
        root = None if program is None else program.pid
        return None if root is None else owners.among(root, number)
