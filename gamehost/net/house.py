"""
The processes of the house players: a private listener for them, and the calls to their seats.

The listener is a unix socket in a folder that only the host's own user can open. A key that changes with each start is
required too. If the processes cannot be started, the host runs without house players.
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
    """One of the processes."""

    service: "HouseService" = field(kw_only=True)
    #: The games that it plays; none until it is ready.
    games: tuple[str, ...] = ()
    #: The questions for studies and advice that the process has not answered, by their numbers.
    studies: dict[int, Deferred[str]] = field(factory=dict)

    def started(self) -> None:
        self.send(json.dumps({"socket": str(self.service.socket), "secret": self.service.secret}))

    def heard(self, line: str) -> None:
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
            else:
                answer.errback(NotAnswered("the house players have no answer"))

    def lost(self) -> None:
        self.games = ()
        self.service.lost()
        while self.studies:
            self.studies.popitem()[1].errback(NotAnswered("the house players have stopped: ask again in a moment"))


@define(eq=False)
class HouseService:
    """
    Starts and stops the processes of the house players of one host, and their listener.

    :param command: starts a process
    :param processes: how many
    :param folder: where the socket is, if its path is not too long; `None`: in a temporary folder
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
        return {game for process in self._all for game in process.games}

    def sit(self, name: str, group: int) -> None:
        process = self._all[int(name.rpartition(".")[2]) % len(self._all)]
        if process.games:
            process.send(f"sit {name} {group}")

    def study(self, group: int, question: str) -> Deferred[str]:
        return self._ask("study", group, question)

    def advise(self, group: int, question: str) -> Deferred[str]:
        return self._ask("advise", group, question)

    def _ask(self, verb: str, group: int, question: str) -> Deferred[str]:
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
        Listen, and start the processes.

        :returns: the factories with the connections that must be closed when the host stops
        """
        # The host's own players count against no limit on clients.
        limits = Limits(unlimited=True)
        limiter, turns = ConnectionLimiter(limits), FairScheduler(context.clock)
        shared = HostContext(context.clock, context.lobby, limits, limiter, context.cork, scheduler=turns)
        factory = WireFactory(house_wire(lambda key: compare_digest(key.encode(), self.secret.encode())), {}, shared)
        self._context = context
        try:
            self.socket = private_folder(self._folder) / "socket"
            self.socket.unlink(missing_ok=True)
        except OSError as error:
            self._failed(Failure(error))
            return ()
        listening = UNIXServerEndpoint(self._reactor, str(self.socket), mode=0o600).listen(factory)
        listening.addCallbacks(self._listening, self._failed)
        return (factory,)

    def _listening(self, port: IListeningPort) -> None:
        self._port = port
        self._context.lobby.house.starting = True
        for _ in range(self._processes):
            self._all.append(process := _Process(self._reactor, self._command, TITLE, service=self))
            process.start()

    def _failed(self, failure: Failure) -> None:
        self.log.error("there are no house players: {reason}", reason=failure.getErrorMessage())

    def ready(self) -> None:
        self.log.info("house players ready")
        self._context.lobby.house.started(self)

    def lost(self) -> None:
        """A process has ended: start it again. The new process may fail, too, so no match begins until it is ready."""
        self._context.lobby.house.starting = False

    def stop(self) -> Deferred[None]:
        """End the processes, and listen no more."""
        ends = [process.stop() for process in self._all]
        if self._port is not None:
            ends.append(self._port.stopListening() or succeed(None))
        return DeferredList(ends).addCallback(lambda _: self._tidy())

    def _tidy(self) -> None:
        if self._port is not None:
            shutil.rmtree(self.socket.parent, ignore_errors=True)


def private_folder(folder: Path | None) -> Path:
    """
    A folder that only this user can open, short enough for a socket in it.

    :param folder: where it is wanted
    :raises OSError: it cannot be made
    """
    if folder is None or len(os.fsencode(folder / "socket")) > LONGEST_PATH:
        return Path(tempfile.mkdtemp(prefix="gamehost-"))
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    return folder
