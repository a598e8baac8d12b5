"""
The process of the house players. The host starts it, and writes lines to its standard input::

    {"socket":"/run/gamehost/house/socket","secret":"..."}    first: the socket and the key for the log-in
    sit easy.1 7                                              this house player has a seat: log in, and play the match

    study 5 7 {"game":"onitama",...}                          study this match, and report the result with the number 5
    advise 6 7 {"game":"onitama",...}                         find advice for this position, and report it with the number 6
    stop 5                                                    nobody waits for number 5 any more: drop the work

The last number in `sit`, and the second number in `study` and `advise`, is the number of a group. House players of one
group share their time to think.

and reads lines from standard output::

    ready eriantys onitama paper-soccer stratego              once: the process is ready, and can play these games
    alive                                                     every second, or the host starts a new one
    studied 5 {"standings":[...],"turns":[...]}               a study or advice; nothing after the number: none was found

The process ends when its standard input ends, so it ends with its host. It writes reports about faults to standard
error.
"""

import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from attrs import Factory, define, field
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import UNIXClientEndpoint
from twisted.internet.protocol import connectionDone
from twisted.internet.stdio import StandardIO
from twisted.internet.task import LoopingCall
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from gamehost.client.core import ClientError, Lost
from gamehost.client.twisted_client import Client
from gamehost.games.base import Seat
from gamehost.games.installed import installed
from gamehost.games.play import player_of
from gamehost.journal.records import SeatRecord, TableHeader
from gamehost.lobby.advice import AdviceQuestion, answer_of
from gamehost.lobby.studies import Question, Study, study_in_steps
from gamehost.ops.workers import SerialWorker
from gamehost.players.base import Level, Player, SeededChance, Thinking
from gamehost.programs.open import OpenProgram
from gamehost.programs.wire_player import Match, ThinkingQueue
from gamehost.wires.open import messages as m

#: The niceness of this process: the system's scheduler prefers the host.
NICE = 10
ALIVE_EVERY = 1.0


def report(text: str) -> None:
    """Write a report about a fault, which the host puts into its log."""
    print(text, file=sys.stderr, flush=True)


@define(eq=False)
class HousePlayer:
    """One house player, from the host's line `sit` until the match is over."""

    _name: str
    _level: Level
    #: The client, which has begun to connect.
    _client: Client
    _think: ThinkingQueue
    #: The number of its group. The players of a group share their time to think.
    _group: int
    #: Calls a function in the next turn of the reactor, after all received messages were handled.
    _soon: Callable[[Callable[[], None]], object]
    #: Called with the name when the match is over.
    _gone: Callable[[str], None]
    _due: bool = False
    _thoughts: Thinking = field(factory=lambda: Thinking(SeededChance(secrets.randbelow(2**64)), time.monotonic))
    _program: OpenProgram = field(default=Factory(lambda self: OpenProgram(self._new_player), takes_self=True))

    def _new_player(self, game: str, seat: Seat) -> Player:
        return player_of(installed().games[game], seat, self._level, self._thoughts)

    async def play(self) -> None:
        """Handle the messages of the host until the match is over or the connection is lost for good."""
        async for message in self._client:
            for said in self._program.hear(message):
                self._say(said)
            # The match is over; or the connection is lost, and the client does not connect again.
            if self._program.over is not None or (isinstance(message, Lost) and message.again is None):
                break
            if not self._due:
                # `_go_on` is not planned yet.
                # The host sends all messages about one event together. So begin to think after all of them were
                # handled.
                self._due = True
                self._soon(self._go_on)
        self._gone(self._name)
        await self._client.close()

    def _go_on(self) -> None:
        """Begin to think about the next answer, if there is something to think about."""
        # `play` may plan the next call from now on.
        self._due = False
        match = self._program.match
        work = None if match is None else match.work()
        if match is None or work is None:
            return

        def think(effort: float) -> bytes | None:
            """
            Called on the thread of the thinking queue. Returns the player's answer; `None`: there is none now.

            :param effort: the share of the effort that this player may use now
            """
            self._thoughts.effort = effort
            try:
                return work()
            except Exception:
                report(f"{self._name} cannot think: {Failure().getTraceback()}")
                return None

        self._think(think, partial(self._thought, match), self._group)

    def _thought(self, match: Match, answer: bytes | None) -> None:
        """Send the answer, and continue."""
        for said in self._program.act(match, answer):
            self._say(said)
        self._go_on()

    def _say(self, message: m.ClientMessage) -> None:
        with suppress(ClientError):  # the connection is lost; the client connects again and gets the seat back
            self._client.say(message)


#: The seed of the player that studies a match, so that the same match gives the same study.
_SEED = 1


def study_steps(question: Question) -> Generator[None, None, Study]:
    """Study a match, in the steps of `study_in_steps`."""
    game = installed().games[question.game]
    # The names of the players do not matter for a study.
    opening = TableHeader(game.name, game.version, (SeatRecord("", ""),) * question.seats, question.settings)

    def new_player(seat: Seat) -> Player:
        return player_of(game, seat, Level.HARD, Thinking(SeededChance(_SEED + seat)))

    return study_in_steps(game, opening, question.entries, new_player)


class Control(LineOnlyReceiver):
    """Reads the lines of the host from standard input, and carries them out."""

    delimiter = b"\n"
    #: The longest line, in bytes: a match to study may have some thousand entries.
    MAX_LENGTH = 1 << 24

    def __init__(self, reactor: Any) -> None:
        """Start the thread that thinks. The first line of the host says where to log in."""
        self._reactor = reactor
        self._endpoint: UNIXClientEndpoint | None = None
        self._secret = ""
        self._players: set[str] = set()
        #: The groups of players for which another line `sit` has come while they were playing, by their names. They log
        #: in again after they have left.
        self._called: dict[str, int] = {}
        #: The numbers of the studies and of the advice for which the host still waits. If a number is missing here, the
        #: host has given up its question.
        self._studies: set[str] = set()
        worker = SerialWorker(reactor)
        worker.start()
        self.stop = worker.stop
        self._think = ThinkingQueue(worker, reactor.seconds)

    def lineReceived(self, line: bytes) -> None:
        """Carry out a line of the host. The first line says where to log in."""
        if self._endpoint is None:
            # The first line: where to log in, and with which secret. The answer names the games.
            told = json.loads(line)
            self._endpoint = UNIXClientEndpoint(self._reactor, told["socket"])
            self._secret = told["secret"]
            print("ready", *sorted(installed().games), flush=True)
            # The host kills a process that is silent for too long.
            alive = LoopingCall(print, "alive", flush=True)
            alive.clock = self._reactor
            alive.start(ALIVE_EVERY, now=False)
            return
        verb, *words = line.decode("utf-8").split(" ", 3)
        if verb == "sit":
            name, group = words
            self._sit(name, int(group))
        elif verb == "study":
            number, group, text = words
            self._studies.add(number)
            self._study(number, study_steps(msgspec.json.decode(text, type=Question)), int(group))
        elif verb == "advise":
            number, group, text = words
            self._studies.add(number)
            self._advise(number, msgspec.json.decode(text, type=AdviceQuestion), int(group))
        elif verb == "stop":
            self._studies.discard(words[0])

    def _study(self, number: str, steps: Generator[None, None, Study], group: int) -> None:
        """
        Carry out a study, step by step, and print the result. Each step waits for the turn of its group, and until no
        player thinks.
        """

        def step(effort: float) -> str | None:
            """
            Called on the thinking thread: does the next step. Returns the study in JSON at its end. `None`: the study
            continues. Empty: there is none.
            """
            if number not in self._studies:
                # The host does not want this study any more.
                return ""
            try:
                next(steps)
            except StopIteration as stop:
                return msgspec.json.encode(stop.value).decode()
            except Exception:
                report(f"a match cannot be studied: {Failure().getTraceback()}")
                return ""
            return None

        def done(told: str | None) -> None:
            """
            Called after each step: do the next one, or print the result.

            :param told: the study in JSON; empty: it has failed; `None`: it is not complete
            """
            if told is None:
                # The study continues with the next step.
                self._study(number, steps, group)
            elif number in self._studies:
                self._studies.remove(number)
                print("studied", number, told, flush=True)

        self._think(step, done, group, later=True)

    def _advise(self, number: str, asked: AdviceQuestion, group: int) -> None:
        """Find advice, and print it. It waits for the turn of its group, like the thinking of a player."""

        def think(effort: float) -> str:
            """Called on the thinking thread: returns the advice in JSON; empty: there is none."""
            if number not in self._studies:
                # The host does not want this advice any more.
                return ""
            try:
                found = answer_of(asked, installed().games[asked.game], secrets.randbelow(2**64), effort)
            except Exception:
                report(f"there is no advice: {Failure().getTraceback()}")
                return ""
            return msgspec.json.encode(found).decode()

        def done(told: str) -> None:
            if number in self._studies:
                self._studies.remove(number)
                print("studied", number, told, flush=True)

        self._think(think, done, group)

    def _sit(self, name: str, group: int) -> None:
        """Log a house player in, or note that it must log in again after it has left."""
        if name in self._players:
            # It still plays, or is about to leave. `_gone` calls this again.
            self._called[name] = group
            return
        assert self._endpoint is not None
        self._players.add(name)
        Deferred.fromCoroutine(self._play(name, group, self._endpoint)).addErrback(partial(self._failed, name))

    def _gone(self, name: str) -> None:
        """
        Called when a house player has left. If another line `sit` has come for it meanwhile, it logs in again. The host
        refuses this log-in if the player has no seat.
        """
        self._players.discard(name)
        group = self._called.pop(name, None)
        if group is not None:
            self._sit(name, group)

    async def _play(self, name: str, group: int, endpoint: UNIXClientEndpoint) -> None:
        """Make a house player, and let it play its match."""
        soon = partial(self._reactor.callLater, 0)
        # The name of a house player is its level, followed by a point and a number.
        level = Level(name.partition(".")[0])
        client = Client(self._reactor, endpoint, m.Enter(name, self._secret))
        await HousePlayer(name, level, client, think=self._think, group=group, soon=soon, gone=self._gone).play()

    def _failed(self, name: str, failure: Failure) -> None:
        """A house player has failed because of a fault of this program."""
        self._players.discard(name)
        self._called.pop(name, None)
        report(f"{name} has failed: {failure.getTraceback()}")

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        """
        Standard input has ended, because the host has ended: end the process at once. There is nothing to clean up.
        """
        os._exit(0)


def main(reactor: Any) -> None:
    """Run the process of the house players until its standard input ends."""
    # A sandbox, such as that of the unit for systemd, may forbid a change of the niceness.
    with suppress(OSError):
        os.nice(NICE)
    StandardIO(Control(reactor), reactor=reactor)
    reactor.run()


def run() -> None:
    """Run `main` with Twisted's reactor."""
    from twisted.internet import reactor

    main(reactor)


# This module does not import the whole host: that would take twice as long, and a player waits for the next move.
if __name__ == "__main__":
    run()
