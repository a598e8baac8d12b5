"""
`gamehost trace`: shows the messages between a client and a server, a line for each, with their meaning.

The program stands between client and server, and passes all bytes on unchanged. A trace reads only copies of the bytes. For
tests of a client, the line may have deliberate faults: segments are cut, joined or delayed, or the connection is lost.
"""

import argparse
import json
import sys
from base64 import b64decode
from collections import deque
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from attrs import frozen
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.interfaces import IAddress, IReactorTime
from twisted.internet.protocol import Factory, Protocol
from twisted.python.failure import Failure

from gamehost._twisted import Timer, write_at_once
from gamehost.commands.command_line import exit_with_usage_error
from gamehost.extras.check.base import Cut, Grade, WireChecks, plain_checks
from gamehost.extras.check.transcript import RecordingCodec, RecordingConfig, SegmentedTransport, Transcript, Watcher
from gamehost.net.endpoints import Endpoints, set_socket_options
from gamehost.ops import escaped
from gamehost.players.base import SeededChance
from gamehost.programs.clients import client_of, judges_of
from gamehost.settings import BadOption
from gamehost.wires.base import Codec, Wire
from gamehost.wires.framing import WireError
from gamehost.wires.websocket import LinesOrSocket, client_bytes

#: The width of the column with the messages, in characters. Their meanings follow it.
WIDTH = 34
_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


@frozen
class TraceLine:
    """One printed line: a message, or an event of the connection."""

    #: The time as it is printed.
    at: str
    #: The client: the number of the connection, or the name under which the client has logged in.
    client: str
    #: `client`, `host`, or empty for an event.
    sender: str
    text: str
    meaning: str
    grade: Grade | None = None

    @property
    def mark(self) -> str:
        """
        The mark of the line: the grade of the message. If the server refuses a wrong message of its client, the mark is
        `refused`, because the server is right. Bytes that cannot be read are a breach of their sender; such a line has no text.
        """
        # A line without a text is about bytes that cannot be read.
        if self.grade is Grade.BREACH and self.sender == "host" and self.text:
            return "refused"
        return "" if self.grade is None else self.grade.value

    def as_text(self, colour: bool = False) -> str:
        """
        Returns the line for a terminal.

        :param colour: whether the mark is red
        """
        # A line of another sender is an event of the connection, so it has no arrow.
        arrow = {"client": f"{self.client} > host", "host": f"{self.client} < host"}.get(self.sender, self.client)
        mark = f"{self.mark.upper()}: " if self.mark else ""
        if mark and colour:
            mark = f"{_RED}{mark}{_PLAIN}"
        return f"{self.at}  {arrow:14} {self.text:{WIDTH}} {mark}{escaped(self.meaning)}".rstrip()

    def as_json(self) -> str:
        """Returns the line as an object in JSON."""
        return json.dumps(
            {
                "at": self.at,
                "client": self.client,
                "from": self.sender,
                "text": self.text,
                "meaning": self.meaning,
                "grade": self.mark or None,
            },
            ensure_ascii=False,
        )


class _Said(Watcher):
    """Passes the messages of one direction, with their bytes, to a function."""

    def __init__(self, hear: Callable[[Any, bytes], None]) -> None:
        self._hear = hear

    def said(self, message: Any, raw: bytes) -> None:
        self._hear(message, raw)


class Trace:
    """
    Reads the bytes of one connection, in both directions, and prints a line for each message.

    :param checks: the checks of the wire, which judge the messages
    :param name: the name of the connection until its client has logged in
    :param at: converts a time in seconds since 1970 into the text that is printed
    :param tell: prints a line
    """

    def __init__(
        self,
        wire: Wire[Any],
        checks: WireChecks,
        name: str,
        at: Callable[[float], str],
        tell: Callable[[TraceLine], None],
    ) -> None:
        """
        Makes the trace of one connection.

        :param name: what lines call the client, until it logs in
        :param at: returns the time of a line as a text
        :param tell: prints a line
        """
        client = client_of(wire.name)
        assert client is not None
        self.name = name
        self._at = at
        #: The time at which the bytes that are read now have passed, in seconds since 1970.
        self._seconds = 0.0
        self._tell = tell
        config: Any = wire.configure({})
        self._transcript = Transcript(checks, lambda: 0.0, client.codec().encode, config.new_codec().encode)
        config = LinesOrSocket(config) if wire.websocket else config
        self._client = RecordingConfig(config, _Said(self._client_says)).new_codec()
        #: Removes the framing of WebSocket from the server's bytes, if the client speaks WebSocket.
        self._below = client_bytes(wire, looks_on=True)
        self._host = RecordingCodec(client.codec(), _Said(self._host_says))
        #: The directions that can still be read.
        self._readable = {"client", "host"}

    def client_sent(self, data: bytes, seconds: float = 0.0) -> None:
        """
        Reads bytes of the client.

        :param seconds: the time at which they have passed
        """
        self._read("client", self._client, data, seconds)

    def host_sent(self, data: bytes, seconds: float = 0.0) -> None:
        """
        Reads bytes of the server.

        :param seconds: the time at which they have passed
        """
        self._read("host", self._host, data, seconds, self._below.received)

    def event(self, words: str, seconds: float = 0.0) -> None:
        """Prints a line for an event that is not a message."""
        self._tell(TraceLine(self._at(seconds), self.name, "", "", words))

    def _read(
        self,
        sender: str,
        codec: Codec[Any],
        data: bytes,
        seconds: float,
        below: Callable[[bytes], bytes] = lambda data: data,
    ) -> None:
        """
        Feeds bytes to the codec of their sender, which reports the messages. After an error, the sender is not read any more.

        :param below: removes the layer below the messages
        """
        if sender not in self._readable:
            return
        self._seconds = seconds
        try:
            for _ in codec.feed(below(data)):
                pass
        except WireError as error:
            self._readable.discard(sender)
            words = f"{error}; what comes after this is passed on and not read"
            self._tell(TraceLine(self._at(seconds), self.name, sender, "", words, Grade.BREACH))

    def _client_says(self, message: Any, raw: bytes) -> None:
        """Prints a message of the client. After a log-in, its lines have the name of the player."""
        said = self._transcript.said(message, raw)
        # Wires have different names for this field.
        named = (
            getattr(message, "username", None) or getattr(message, "nick", None) or getattr(message, "nickname", None)
        )
        if isinstance(named, str) and named:
            # A guest's name may have a key behind a colon, which is a secret.
            self.name = named.split(":")[0]
        # On wires of lines, only the meaning shows that this was a log-in.
        elif said.grade is None and said.meaning.startswith("logs in as "):
            self.name = said.meaning.removeprefix("logs in as ")
        self._tell_new(said.grade)

    def _host_says(self, message: Any, raw: bytes) -> None:
        self._tell_new(self._transcript.heard(message, raw).grade)

    def _tell_new(self, grade: Grade | None) -> None:
        """Prints the new lines of the transcript, and removes them from it."""
        for line in self._transcript.lines:
            self._tell(TraceLine(self._at(self._seconds), self.name, line.sender, line.text, line.meaning, grade))
        self._transcript.lines.clear()


#: The trace reads the bytes that have passed after so many seconds without bytes, and after `LATEST` seconds at the latest.
QUIET = 0.002
LATEST = 0.05
#: How many segments may wait to be read. If there are more, all are read at once.
MOST_UNREAD = 1_000
#: The chance of a lost connection is compared with a random number below this one.
WHOLE = 1_000_000


@frozen
class Fault:
    """The deliberate faults of the connection between client and server."""

    cut: Cut = Cut.NONE
    #: The delay of each segment in seconds.
    delay: float = 0.0
    #: The probability that the connection is lost at a segment, from 0 to 1.
    drop: float = 0.0

    @classmethod
    def read(cls, text: str) -> "Fault":
        """
        Reads the value of `--fault`: `cut`, `join`, `delay=MS` or `drop=P`.

        :raises BadOption: the text is something else, or has a number that cannot be used
        """
        name, _, value = text.partition("=")
        try:
            match name:
                case "cut" if not value:
                    return cls(Cut.RANDOM)
                case "join" if not value:
                    return cls(Cut.JOINED)
                case "delay" if 0 <= float(value) <= 60_000:
                    return cls(delay=float(value) / 1000)
                case "drop" if 0 <= float(value) <= 1:
                    return cls(drop=float(value))
        except ValueError:
            pass
        raise BadOption("expected cut, join, delay=MS (0 to 60000 milliseconds) or drop=P (a chance from 0 to 1)")


class _End(Protocol):
    """One of the two connections of a relayed connection. It only reports received bytes, and the loss of the connection."""

    transport: Any = None

    def __init__(self, received: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        """
        Makes one side of a relayed connection.

        :param received: called with bytes of this side
        :param lost: called when the connection of this side is lost
        """
        self._received = received
        self._lost = lost
        #: Writes with deliberate cuts; `None`: the connection to the server is not made yet.
        self.out: Any = None

    def connectionMade(self) -> None:
        set_socket_options(self.transport)

    def dataReceived(self, data: bytes) -> None:
        self._received(data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        self._lost()


class RelayedConnection:
    """
    A client's connection and its connection to the server. Bytes are passed on in both directions.

    :param trace: reads a copy of the bytes after they were passed on
    :param chance: decides cuts and lost connections
    """

    def __init__(self, clock: IReactorTime, trace: Trace, fault: Fault, chance: SeededChance) -> None:
        """
        Makes the relay between a client and a server.

        :param trace: reads the bytes that pass
        :param fault: what is disturbed on purpose
        :param chance: decides when a fault occurs
        """
        self._clock = clock
        self._trace = trace
        self._fault = fault
        self._chance = chance
        self.client = _End(self._from_client, self._client_lost)
        self.server = _End(self._from_server, self._server_lost)
        #: The segments that have passed and were not read yet: the function that reads them, the bytes, and the time.
        self._unread: deque[tuple[Callable[[bytes, float], None], bytes, float]] = deque()
        self._reading = Timer()
        #: The bytes that the client has sent before the connection to the server was ready.
        self._early: list[bytes] = []
        self._closed = False

    def connect(self, endpoint: Any) -> None:
        """Connects to the server."""
        factory = Factory.forProtocol(lambda: self.server)
        factory.noisy = False
        endpoint.connect(factory).addCallbacks(self._connected, self._refused)

    def _connected(self, _: object) -> None:
        """Called when the server is reached: sends the client's bytes so far, and begins to pass bytes on."""
        # The client has gone meanwhile.
        if self._closed:
            self.server.transport.loseConnection()
            return
        for one, other in ((self.client, self.server), (self.server, self.client)):
            one.out = SegmentedTransport(one.transport, self._clock, self._fault.cut, self._chance)
            # Each side is read only as fast as the other side can be written.
            one.transport.registerProducer(other.transport, True)
        early, self._early = self._early, []
        for data in early:
            self._from_client(data)

    def _refused(self, reason: Failure) -> None:
        """Called when the server cannot be reached: closes the client's connection."""
        self._event(f"the server cannot be reached: {reason.getErrorMessage()}")
        if not self._closed:
            self._closed = True
            self.client.transport.loseConnection()

    def _from_client(self, data: bytes) -> None:
        """Passes bytes of the client on to the server. Bytes that come before the server is reached are stored."""
        if self.server.out is None:
            self._early.append(data)
            return
        self._pass_on(self.server, data)
        self._look(self._trace.client_sent, data)

    def _from_server(self, data: bytes) -> None:
        self._pass_on(self.client, data)
        self._look(self._trace.host_sent, data)

    def _pass_on(self, end: _End, data: bytes) -> None:
        """Writes bytes to one end, with the deliberate faults."""
        if self._fault.drop and self._chance.below(WHOLE) < self._fault.drop * WHOLE:
            self._event("the connection is lost on purpose")
            self.client.transport.abortConnection()
            self.server.transport.abortConnection()
        elif self._fault.delay:
            self._clock.callLater(self._fault.delay, self._write, end, data)
        else:
            self._write(end, data)

    def _write(self, end: _End, data: bytes) -> None:
        """Writes bytes to one end, in segments that are cut on purpose if the fault wants that."""
        # After a delay, the connection may be lost.
        if end.transport.disconnected:
            return
        if self._fault.cut is Cut.NONE:
            write_at_once(end.transport, data)
        else:
            end.out.write(data)

    def _look(self, look: Callable[[bytes, float], None], data: bytes) -> None:
        """
        Makes the trace read a segment later. Reading takes longer than passing on, so it is done after a moment without
        traffic. Then no message has to wait.

        :param look: a function of the trace that reads the segment
        """
        now = self._clock.seconds()
        self._unread.append((look, data, now))
        if len(self._unread) > MOST_UNREAD:
            self._read_all()
        # Each new segment puts the reading off, but not later than `LATEST` seconds after the oldest one has passed.
        elif not self._reading or now - self._unread[0][2] < LATEST - QUIET:
            self._reading.set(self._clock, QUIET, self._read)

    def _read(self) -> None:
        """Reads one segment. The others are read in the next turns of the reactor, so that bytes can pass in between."""
        if self._unread:
            look, data, seconds = self._unread.popleft()
            look(data, seconds)
        if self._unread:
            self._reading.set(self._clock, 0, self._read)

    def _read_all(self) -> None:
        """Reads all segments that have passed, at once."""
        self._reading.stop()
        while self._unread:
            look, data, seconds = self._unread.popleft()
            look(data, seconds)

    def _event(self, words: str) -> None:
        """Prints an event of the connection, after all messages before it."""
        self._look(lambda _, seconds: self._trace.event(words, seconds), b"")
        self._read_all()

    def _client_lost(self) -> None:
        self._close("the client has closed the connection", self.server)

    def _server_lost(self) -> None:
        self._close("the server has closed the connection", self.client)

    def _close(self, words: str, other: _End) -> None:
        """
        Called when one of the two connections is closed: closes the other one.

        :param words: the event, for the trace
        """
        if self._closed:
            return
        self._closed = True
        self._event(words)
        # Delayed bytes must pass before the end.
        self._clock.callLater(self._fault.delay, self._close_end, other)

    @staticmethod
    def _close_end(end: _End) -> None:
        """Closes one side of the connection, after what was already written to it."""
        if end.transport is None or end.transport.disconnected:
            return
        end.transport.unregisterProducer()
        (end.out or end.transport).loseConnection()


class RelayFactory(Factory):
    """
    Makes a relayed connection for each client that connects.

    :param host: the server's name or address
    :param port: the server's port
    :param new_trace: makes the trace of a connection, from the number of the connection
    """

    noisy = False

    def __init__(self, reactor: Any, host: str, port: int, new_trace: Callable[[int], Trace], fault: Fault) -> None:
        """
        Makes the factory of relayed connections.

        :param host: the host of the server
        :param port: its port
        :param new_trace: makes the trace of each connection, by its number from 1
        :param fault: what is disturbed on purpose
        """
        self._reactor = reactor
        self._to = (host, port)
        self._new_trace = new_trace
        self._fault = fault
        self._number = 0

    def buildProtocol(self, addr: IAddress | None) -> _End:
        """Returns the protocol for a new client, and connects to the server for it."""
        self._number += 1
        trace = self._new_trace(self._number)
        relayed = RelayedConnection(self._reactor, trace, self._fault, SeededChance(self._number))
        relayed.connect(HostnameEndpoint(self._reactor, *self._to))
        return relayed.client


EPILOG = """\
Connect your client to the port of --listen instead of the server's. Every byte passes unchanged.

  gamehost trace onitama --listen tcp:9000:interface=127.0.0.1 --to 127.0.0.1:8893
"""


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the arguments of the command."""
    made = argparse.ArgumentParser(
        prog="gamehost trace",
        description="Shows every message between a client and a server, with what it means, and marks what is wrong.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("wire", metavar="WIRE")
    made.add_argument("--listen", metavar="ENDPOINT", help="where clients connect, such as tcp:9000")
    made.add_argument("--to", metavar="HOST:PORT", help="the server")
    made.add_argument(
        "--read",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="read what a contest has stored instead, in its folder traffic",
    )
    made.add_argument("--format", choices=("text", "json"), default="text", help="default text")
    made.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="of marks; default auto")
    made.add_argument("--fault", metavar="FAULT", help="disturb the line: cut, join, delay=MS, or drop=P")
    return made


def main(arguments: Sequence[str], wires: Sequence[Wire[Any]], reactor: Any) -> int:
    """
    Runs `gamehost trace` with some arguments, until it is interrupted.

    :return: the exit status
    """
    options = parser().parse_args(list(arguments))
    known = {wire.name: wire for wire in wires if client_of(wire.name) is not None}
    wire = known.get(options.wire)
    if wire is None:
        exit_with_usage_error(f"no wire {options.wire!r}", f"these can be traced: {', '.join(sorted(known))}")
    judges = judges_of(wire.name)
    checks = plain_checks(wire.name) if judges is None else judges.clients
    tell = printer(options.format, options.color == "always" or (options.color == "auto" and sys.stdout.isatty()))
    # Files of a contest are read instead of a connection.
    if options.read:
        return read_traffic(wire, checks, options.read, tell, options.format == "text")
    if options.listen is None or options.to is None:
        exit_with_usage_error("expected --listen and --to, or --read", "gamehost trace --help shows an example")
    host, _, port = options.to.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        exit_with_usage_error(f"--to: {options.to!r} is not HOST:PORT", "expected one such as 127.0.0.1:8893")
    fault, endpoint = _fault_of(options), _endpoint_of(options, reactor)
    factory = RelayFactory(
        reactor,
        host.strip("[]"),
        int(port),
        new_trace=lambda number: Trace(wire, checks, f"client {number}", time_of_day, tell),
        fault=fault,
    )
    # A list, because `cannot_listen` changes it.
    status = [0]

    def listens(opened: Any) -> None:
        """Called when the port is open: prints its address."""
        address = opened.getHost()
        place = f"{address.host}:{address.port}" if hasattr(address, "port") else options.listen
        sys.stderr.write(f"clients of {wire.name} connect to {place}; the server is {options.to}\n")
        sys.stderr.flush()

    def cannot_listen(failure: Any) -> None:
        """Called when the port cannot be opened: ends the command with status 1."""
        sys.stderr.write(f"gamehost: --listen: cannot listen on {options.listen}: {failure.getErrorMessage()}\n")
        status[0] = 1
        reactor.stop()

    reactor.callWhenRunning(lambda: endpoint.listen(factory).addCallbacks(listens, cannot_listen))
    reactor.run()
    return status[0]


def _fault_of(options: argparse.Namespace) -> Fault:
    """
    Returns the fault of the option `--fault`.

    :raises SystemExit: the option cannot be read
    """
    try:
        return Fault() if options.fault is None else Fault.read(options.fault)
    except BadOption as error:
        exit_with_usage_error(f"--fault: {error}", "gamehost trace --help shows an example")


def _endpoint_of(options: argparse.Namespace, reactor: Any) -> Any:
    """
    Returns the endpoint of the option `--listen`.

    :raises SystemExit: the option cannot be read
    """
    try:
        return Endpoints(reactor).make(options.listen)
    except BadOption as error:
        exit_with_usage_error(f"--listen: {error}", "gamehost trace --help shows an example")


def read_traffic(
    wire: Wire[Any], checks: WireChecks, paths: Sequence[Path], tell: Callable[[TraceLine], None], headed: bool
) -> int:
    """
    Traces connections that a contest has stored in files. Each line of a file is an object in JSON with `at` (in seconds),
    `connection`, `from` and `bytes` (in base64).

    :param tell: prints a line of the trace
    :param headed: whether the path of each file is printed before its lines
    :return: the exit status
    """
    for path in paths:
        if headed:
            print(f"{path}:", flush=True)
        traces: dict[int, Trace] = {}
        try:
            lines = [json.loads(line) for line in path.read_bytes().splitlines()]
            segments = [
                (int(one["connection"]), one["from"], b64decode(one["bytes"]), float(one["at"])) for one in lines
            ]
        except (OSError, ValueError, KeyError, TypeError) as error:
            sys.stderr.write(f"gamehost: {path}: {type(error).__name__}: {error}\n")
            return 1
        for number, sender, data, at in segments:
            if number not in traces:
                traces[number] = Trace(wire, checks, f"client {number}", "{:8.3f}".format, tell)
            (traces[number].client_sent if sender == "client" else traces[number].host_sent)(data, at)
    return 0


def time_of_day(seconds: float) -> str:
    """Returns a time in seconds since 1970 as hours, minutes, seconds and milliseconds, in the time zone of this machine."""
    return datetime.fromtimestamp(seconds).strftime("%H:%M:%S.%f")[:-3]


def printer(form: str, colour: bool) -> Callable[[TraceLine], None]:
    """
    Returns a function that prints a line of a trace to standard output.

    :param form: `text` or `json`
    :param colour: whether marks are red
    """
    return lambda line: print(line.as_json() if form == "json" else line.as_text(colour), flush=True)
