"""
The socket for `gamehost admin`. A request is one line: a JSON object with the name of a command and its arguments.

An answer has one or more lines, each with a JSON object: any number of `{"item": {...}}`, and then one `{"end": {...}}`
or `{"error": "...", "status": 1}`. Each connection handles one request after the other. The host answers only the user
that runs the host, and root. If the client does not read, the answer waits.
"""

import json
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeAlias, TypeVar

from attrs import define, field, frozen
from msgspec.structs import replace
from twisted.internet.defer import Deferred, succeed
from twisted.internet.endpoints import UNIXServerEndpoint
from twisted.internet.interfaces import IAddress, IListeningPort, IPullProducer
from twisted.internet.protocol import Factory, Protocol
from twisted.logger import Logger
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure
from twisted.python.usage import UsageError
from zope.interface import implementer

from gamehost.config import HostSettings, Options, declared_settings
from gamehost.ops import NO_TEXT, SocketUnusable, is_text, peer_user, remove_stale, short_path, shortened
from gamehost.ops.logging import admin_act
from gamehost.service import GameHostService
from gamehost.settings import Reload

T = TypeVar("T")

#: The longest line of a request, in bytes.
LONGEST_REQUEST = 65_536

#: The facts about one object: names, and values that can be written in JSON.
Facts: TypeAlias = Mapping[str, Any]
#: A long answer, as a generator. Each yielded mapping is an item, and the return value is the end. If the generator
#: yields a `Deferred`, it is resumed with the result of the `Deferred`.
Items: TypeAlias = Generator["Facts | Deferred[Any]", Any, Facts]
Answer: TypeAlias = "Facts | Items | Deferred[Facts]"


class NotDone(Exception):
    """The host does not carry out a request, and nothing has changed. The message is the reason."""


@frozen
class Request:
    """A request. Its methods return arguments. They raise `NotDone` if an argument is missing or has a wrong type."""

    command: str
    arguments: Facts = field(factory=dict)

    def text(self, name: str, default: str | None = None) -> str:
        """An argument that is a text."""
        text = self._of(str, "a text", name, default)
        if not is_text(text):
            raise NotDone(f"{name}: {NO_TEXT}")
        return text

    def path(self, name: str) -> Path:
        """An argument that is the path of a file. It may contain any bytes."""
        return Path(self._of(str, "a text", name))

    def number(self, name: str) -> int:
        """An argument that is a whole number."""
        return self._of(int, "a whole number", name)

    def flag(self, name: str) -> bool:
        """An argument that is true or false; `False` if it is missing."""
        return self._of(bool, "true or false", name, False)

    def _of(self, kind: type[T], words: str, name: str, default: T | None = None) -> T:
        """
        The argument of a request with this name.

        :raises NotDone: the argument has another type
        """
        value = self.arguments.get(name, default)
        # A missing argument without a default is `None`, which is refused here, too.
        if type(value) is not kind:  # a bool is no number
            raise NotDone(f"{name}: expected {words}")
        return value


#: A function that carries out a request. It may raise `NotDone`.
Run: TypeAlias = Callable[[GameHostService, Request], Answer]


def read_request(line: bytes) -> Request:
    """
    Read the line of a request.

    :raises NotDone: the line is not a request
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        raise NotDone("expected a JSON object on one line") from None
    if not isinstance(content, dict) or not isinstance(content.get("command"), str):
        raise NotDone('expected a JSON object with a "command", and with "arguments" if there are any')
    arguments = content.get("arguments", {})
    if not isinstance(arguments, dict) or content.keys() - {"command", "arguments"}:
        raise NotDone('expected "command" and "arguments" alone, and an object in "arguments"')
    return Request(content["command"], arguments)


#: How many items are sent in one turn of the reactor.
ITEMS_AT_ONCE = 50

#: The names of arguments that are not logged.
SECRET = frozenset({"password"})

#: The status of an answer to a request that was not carried out.
NOT_DONE = 1
#: The status of an answer if the host itself has a fault.
FAULT = 70


@implementer(IPullProducer)
@define(eq=False)
class _Items:
    """Sends the items of a long answer, as fast as the client reads them."""

    _connection: "AdminConnection"
    _items: Generator[Any, Any, Facts]
    _next: Any = None
    _waits: bool = False

    def resumeProducing(self) -> None:
        """Send more items. Called when the client has read the earlier ones."""
        if self._waits:
            # A `Deferred` of the generator has no result yet.
            return
        try:
            for _ in range(ITEMS_AT_ONCE):
                # Give the generator the result that it has waited for, or `None`, which also begins it.
                given = self._next
                self._next = None
                item = self._items.send(given)
                if isinstance(item, Deferred):
                    self._waits = True
                    item.addCallbacks(self._came, self._connection.failed)
                    return
                self._connection.send({"item": item})
        except StopIteration as end:
            self._connection.finish({"end": end.value or {}})
        except Exception:
            self._connection.failed(Failure())

    def _came(self, result: Any) -> None:
        """The result that the generator has waited for has come: continue."""
        self._waits = False
        self._next = result
        # The connection may have been closed meanwhile.
        if self._connection.busy:
            self.resumeProducing()

    def stopProducing(self) -> None:
        self._items.close()


class AdminConnection(LineReceiver):
    """One connection to the socket of `gamehost admin`."""

    delimiter = b"\n"
    MAX_LENGTH = LONGEST_REQUEST
    transport: Any
    log = Logger()

    def __init__(self, factory: "AdminFactory") -> None:
        self.factory: AdminFactory = factory
        #: Whether a request is being answered.
        self.busy = False
        self._user: int | None = None
        self._request = Request("")
        #: Whether the current request changes something.
        self._acts = False

    def connectionMade(self) -> None:
        """Close the connection, unless it is from the owner or root."""
        self._user = self.factory.user_of(self.transport)
        # If the system does not report the user, the mode of the file is the only protection.
        if self._user not in (None, 0, os.geteuid()):
            self.log.warn("admin: user {user} may not ask: closed", user=self._user)
            self.send({"error": "this is for the user that runs the host alone", "status": NOT_DONE})
            self.transport.loseConnection()
            return
        self.factory.connections.add(self)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self.busy = False
        self.factory.connections.discard(self)

    def lineLengthExceeded(self, line: bytes) -> None:
        """Close the connection: no request is so long."""
        self.send({"error": f"expected a request of {LONGEST_REQUEST} bytes at most", "status": NOT_DONE})
        self.transport.loseConnection()

    def lineReceived(self, line: bytes) -> None:
        """Carry out a request. The next request waits until this one is answered."""
        self.busy = True
        self._acts = False
        # Now no further line is delivered until `finish`.
        self.pauseProducing()
        try:
            self._request = read_request(line)
            from gamehost.commands.admin import REQUESTS, VERBS  # imported late, because most hosts never get a request

            verb = REQUESTS.get(self._request.command)
            if verb is None:
                raise NotDone(f"unknown command {self._request.command!r}; expected one of {', '.join(VERBS)}")
            self._acts = verb.acts
            answer = self.factory.run_of(self._request.command)(self.factory.host, self._request)
        except Exception:
            self.failed(Failure())
            return
        if isinstance(answer, Deferred):
            answer.addCallbacks(self._answer, self.failed)
        else:
            self._answer(answer)

    def _answer(self, answer: Answer) -> None:
        """Send an answer: at once, or the items of a long one as fast as the client reads."""
        if not self.busy:
            # The client has closed the connection.
            return
        if isinstance(answer, Generator):
            self.transport.registerProducer(_Items(self, answer), False)
            # Further requests wait in the line receiver, but the end of the connection is noticed.
            self.transport.resumeProducing()
        else:
            self.finish({"end": answer})

    def failed(self, failure: Failure) -> None:
        """Answer with a refusal, or with a fault of the host, which is logged."""
        if failure.check(NotDone):
            self.finish({"error": failure.getErrorMessage(), "status": NOT_DONE})
        else:
            self.log.failure("admin: {command} failed", failure, command=self._request.command)
            self.finish({"error": "a fault of the host; its log has it", "status": FAULT})

    def finish(self, line: Facts) -> None:
        """Send the last line of an answer, and accept the next request."""
        if not self.busy:
            # The client has closed the connection.
            return
        self.busy = False
        self._log_act(line)
        # A long answer had a producer, which sent its items.
        if getattr(self.transport, "producer", None) is not None:
            self.transport.unregisterProducer()
        self.send(line)
        self.resumeProducing()

    def _log_act(self, line: Facts) -> None:
        """Log a request that has changed something, with its arguments and its outcome."""
        if self._acts:
            given = {name: value for name, value in self._request.arguments.items() if name not in SECRET}
            # Only short values: lists and objects are left out of the log.
            fields = {
                name: value for name, value in given.items() if isinstance(value, str | int) and name.isidentifier()
            }
            # A refusal is logged with its reason.
            outcome = line.get("error", "done")
            admin_act(
                self.log,
                self._request.command,
                **fields,
                outcome=outcome,
                user=-1 if self._user is None else self._user,
            )

    def send(self, line: Facts) -> None:
        self.sendLine(json.dumps(line).encode("ascii"))


def _run_of(command: str) -> Run:
    """
    Find the function that carries out a command. The functions are imported at the first request, because most hosts
    never get one.
    """
    run: Run = resolve_name(f"gamehost.admin.host:{command.replace(' ', '_')}")
    return run


@define(eq=False)
class AdminFactory(Factory):
    """Makes the connections to the socket of `gamehost admin`."""

    host: GameHostService
    #: Returns the user id of the process at the other end of a transport.
    user_of: Any = lambda transport: peer_user(transport.socket)
    #: Returns the function that carries out a command.
    run_of: Callable[[str], Run] = _run_of
    connections: set[AdminConnection] = field(factory=set)
    noisy = False

    def buildProtocol(self, addr: IAddress | None) -> Protocol:
        return AdminConnection(self)


@define(eq=False)
class AdminService:
    """
    Opens the socket when the host starts, and closes it when the host stops.

    :param path: the path of the socket
    """

    _reactor: Any
    _path: Path
    _factory: AdminFactory = field(init=False)
    _port: IListeningPort | None = None
    _open: ExitStack = field(factory=ExitStack)

    log = Logger()

    def start(self, host: GameHostService) -> None:
        """Open the socket. If this fails, the failure is logged, and the host runs without the socket."""
        self._factory = AdminFactory(host)
        try:
            # The context lasts until `stop`, because a long path is reached by a short name.
            path = self._open.enter_context(short_path(self._path))
            remove_stale(path)
        except (OSError, SocketUnusable) as error:
            self._failed(Failure(error))
            return
        listening = UNIXServerEndpoint(self._reactor, path, mode=0o600).listen(self._factory)
        listening.addCallbacks(self._listening, self._failed)

    def _listening(self, port: IListeningPort) -> None:
        self._port = port
        self.log.info("admin listening on {where}", where=str(self._path))

    def _failed(self, failure: Failure) -> None:
        self.log.error("gamehost admin does not work: {reason}", reason=failure.getErrorMessage())

    def stop(self) -> Deferred[None]:
        """Close the socket and all connections to it."""
        if self._port is None:
            return succeed(None)
        for connection in tuple(self._factory.connections):
            connection.transport.loseConnection()
        closing = self._port.stopListening() or succeed(None)
        return closing.addBoth(lambda _: self._open.close())


# Reading the settings again. Settings that can change while the host runs are used, and the others are listed. Existing
# connections and matches continue with the old settings. As at the start, the command line has priority over the file.


def reloading(options: Options) -> Callable[[GameHostService], Facts]:
    """
    Make a function that reads the settings of a host again, and uses those that can change. The function raises
    `NotDone` if the file cannot be used; then nothing has changed.

    :param options: the options with which the host has started
    """
    reloads = {name: one.reload for name, one in {**declared_settings(options.registry), **options.declared}.items()}
    #: The values in use, by the full names of the settings.
    in_use = dict(options.settings.values)

    def reload(host: GameHostService) -> Facts:
        """See `reloading`: read the settings again, and use those that can change now."""
        try:
            settings = options.reread().settings
        except UsageError as error:
            raise NotDone(shortened(str(error))) from None
        # Find the settings with other values, and which of them can change now.
        names = sorted(in_use.keys() | settings.values.keys())
        different = [name for name in names if settings.values.get(name) != in_use.get(name)]
        used = (Reload.USED,) if host.house is None else (Reload.USED, Reload.WITH_HOUSE)
        changed = {name: settings.values.get(name) for name in different if reloads[name] in used}
        if changed:
            _use(host, settings, changed)
        in_use.update(changed)
        return {"changed": [*changed], "need_a_restart": [name for name in different if name not in changed]}

    return reload


def _use(host: GameHostService, settings: HostSettings, changed: Mapping[str, Any]) -> None:
    """
    Use new values of settings.

    :param settings: all settings, with the new values
    :param changed: the settings with new values, all of which can change while the host runs
    """
    context, lobby, values = host.context, host.context.lobby, settings.values
    limits = {name.removeprefix("limits."): changed[name] for name in changed if name.startswith("limits.")}
    context.limits = context.limits.changed(**limits)
    lobby.slow_days = values["slow-days"]
    lobby.slow_after_start = values["slow-after-start"]
    # These parts have copied some limits, so each must get the new ones.
    for part in (context.limiter, context.http_limiter, lobby):
        part.change(context.limits)
    lobby.settings = lobby.remote.settings = settings.games
    lobby.galleries.delays = settings.watch_delays
    if host.house is not None:
        lobby.house.rules = settings.house
    lobby.context.grace = values["grace"]
    lobby.registry.resume = values["resume"]
    host.profile = values["profile"]
    for site in host.sites:
        site.access = replace(site.access, origins=values["web-origin"])
