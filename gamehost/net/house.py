"""
The processes of the house players: starts them, sends them orders, and listens for their connections.

They connect to a Unix socket in a folder that only the host's own user can open. They must also show a key that is new at
each start. If the processes cannot be started, the host runs without house players.
"""

import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Collection, Sequence
from hmac import compare_digest
from itertools import count
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred, DeferredList, succeed
from twisted.internet.endpoints import UNIXServerEndpoint
from twisted.internet.interfaces import IListeningPort
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.fairness import FairScheduler
from gamehost.limits import Limits
from gamehost.lobby.questions import NotAnswered
from gamehost.net.connection import WireFactory
from gamehost.net.context import HostContext
from gamehost.net.limiter import ConnectionLimiter
from gamehost.ops import LONGEST_PATH
from gamehost.ops.workers import ChildProcess
from gamehost.wires.open.websocket import house_wire

TITLE = "house players"


@define(eq=False)
class _Process(ChildProcess):
    """One process of house players, and the lines that it exchanges with the host."""

    service: "HouseService" = field(kw_only=True)
    #: The games that the process plays; empty until it is ready.
    games: tuple[str, ...] = ()
    #: The questions for studies and advice that the process has not answered yet, by their numbers.
    studies: dict[int, Deferred[str]] = field(factory=dict)

    def started(self) -> None:
        self.send(json.dumps({"socket": str(self.service.socket), "secret": self.service.secret}))

    def heard(self, line: str) -> None:
        """Process a line from the process: that it is ready, or the answer to a question."""
        verb, _, words = line.partition(" ")
        if verb == "ready":
            self.games = tuple(words.split())
            self.service.ready()
        elif verb == "studied":
            number, _, study = words.partition(" ")
            answer = self.studies.pop(int(number), None)
            if answer is None:
                return  # no client waits for the study any more
            if study:
                answer.callback(study)
            else:  # only the number: the process could not answer
                answer.errback(NotAnswered("the house players have no answer"))

    def lost(self) -> None:
        """Let all questions fail, because the process has ended."""
        self.games = ()
        self.service.lost()
        while self.studies:
            _, answer = self.studies.popitem()
            answer.errback(NotAnswered("the house players have stopped: ask again in a moment"))


@define(eq=False)
class HouseService:
    """
    Starts and stops the processes of the house players of one host, and their listener. For the lobby these are the
    `gamehost.lobby.house.Programs`.

    :param command: the command that starts a process
    :param processes: how many processes to start
    :param folder: the folder for the socket. If it is `None` or its path is too long, a temporary folder is used
    """

    _reactor: Any
    _command: Sequence[str]
    _processes: int
    _folder: Path | None
    socket: Path = field(init=False)
    secret: str = field(init=False, factory=lambda: secrets.token_hex(16), repr=False)
    _all: list[_Process] = field(init=False, factory=list)
    _numbers: "count[int]" = field(init=False, factory=lambda: count(1))
    _port: IListeningPort | None = None
    _context: HostContext = field(init=False)

    log = Logger()

    @property
    def games(self) -> Collection[str]:
        """The names of the games that the ready processes play."""
        return {game for process in self._all for game in process.games}

    def sit(self, name: str, group: int) -> None:
        """Let a process start the program of a house player, if the process is ready."""
        # The number in a name, such as 7 in `easy.7`, decides which process plays it, so that it is always the same.
        process = self._all[int(name.rpartition(".")[2]) % len(self._all)]
        # While the process is not ready it plays no games. When it is, `HousePlayers.started` asks for all programs again.
        if process.games:
            process.send(f"sit {name} {group}")

    def study(self, group: int, question: str) -> Deferred[str]:
        return self._ask("study", group, question)

    def advise(self, group: int, question: str) -> Deferred[str]:
        return self._ask("advise", group, question)

    def _ask(self, verb: str, group: int, question: str) -> Deferred[str]:
        """Send a question to a ready process. Cancelling the answer stops the work there."""
        # The group decides which process answers: one address gets the time of one process. The caller has checked that
        # some process is ready.
        ready = [process for process in self._all if process.games]
        process, number = ready[group % len(ready)], next(self._numbers)

        def stop(_: Deferred[str]) -> None:
            process.studies.pop(number, None)
            process.send(f"stop {number}")

        answer = process.studies[number] = Deferred(stop)
        process.send(f"{verb} {number} {group} {question}")
        return answer

    def start(self, context: HostContext) -> Sequence[WireFactory[Any]]:
        """
        Begin to listen, and then start the processes.

        :returns: the factory of the house players' connections, which must be closed when the host stops; empty: there can
            be no house players
        """
        # A limiter of their own: the limits on clients do not apply to the host's own players.
        limits = Limits(unlimited=True)
        limiter, turns = ConnectionLimiter(limits), FairScheduler(context.clock)
        shared = HostContext(context.clock, context.lobby, limits, limiter, context.cork, scheduler=turns)
        factory = WireFactory(house_wire(lambda key: compare_digest(key.encode(), self.secret.encode())), {}, shared)
        self._context = context
        try:
            self.socket = private_folder(self._folder) / "socket"
            self.socket.unlink(missing_ok=True)  # left behind by a host that was killed
        except OSError as error:
            self._failed(Failure(error))
            return ()
        listening = UNIXServerEndpoint(self._reactor, str(self.socket), mode=0o600).listen(factory)
        listening.addCallbacks(self._listening, self._failed)
        return (factory,)

    def _listening(self, port: IListeningPort) -> None:
        """Start the processes, because the listener is ready for them."""
        self._port = port
        self._context.lobby.house.starting = True  # matches with house players may begin already
        for _ in range(self._processes):
            self._all.append(process := _Process(self._reactor, self._command, TITLE, service=self))
            process.start()

    def _failed(self, failure: Failure) -> None:
        self.log.error("there are no house players: {reason}", reason=failure.getErrorMessage())

    def ready(self) -> None:
        self.log.info("house players ready")
        self._context.lobby.house.started(self)

    def lost(self) -> None:
        """
        Note that a process has ended; `ChildProcess` starts it again. The new process may fail, too, so no match begins with
        house players until a process is ready.
        """
        self._context.lobby.house.starting = False

    def stop(self) -> Deferred[None]:
        """Stop listening, and end the processes. Fires when that is done."""
        ends = [process.stop() for process in self._all]
        if self._port is not None:
            ends.append(self._port.stopListening() or succeed(None))  # it returns `None` if the port is closed at once
        return DeferredList(ends).addCallback(lambda _: self._tidy())

    def _tidy(self) -> None:
        if self._port is not None:
            shutil.rmtree(self.socket.parent, ignore_errors=True)


def private_folder(folder: Path | None) -> Path:
    """
    Make a folder that only this user can open, for a Unix socket.

    :param folder: the folder to make. If it is `None`, or its path is too long for a socket, a temporary folder is made
    :raises OSError: the folder cannot be made
    """
    if folder is None or len(os.fsencode(folder / "socket")) > LONGEST_PATH:
        return Path(tempfile.mkdtemp(prefix="gamehost-"))
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)  # `mkdir` does not change a folder that exists
    return folder
