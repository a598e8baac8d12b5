"""
One of the two clients with which a server is checked: its connection to the server, and the one to the replica.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from attrs import evolve
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Protocol as TwistedProtocol
from twisted.python.failure import Failure

from gamehost.checker.segments import SegmentedTransport
from gamehost.checker.server_replica import ReplicaConnection, SeatOfUser
from gamehost.checker.tape import Tape, pieces_of
from gamehost.wires.framing import WireError

#: Connects a protocol with the server under test.
Dial = Callable[[TwistedProtocol], Deferred[Any]]


class Judge(Protocol):
    """What a user tells the run that it belongs to."""

    def received(self, user: "User", message: Any) -> None:
        """The server has sent a message."""

    def expects(self, user: "User", message: Any) -> None:
        """The server must send a message."""

    def unreadable(self, user: "User", error: WireError) -> None:
        """The server has sent bytes that are no message."""

    def closed(self, user: "User") -> None:
        """The connection is closed, and not by the checker."""


class _ServerLine(TwistedProtocol):
    """A connection to the server."""

    def __init__(self, user: "User") -> None:
        self._user = user

    def dataReceived(self, data: bytes) -> None:
        """The server has sent bytes."""
        self._user.received(self, data)

    def connectionLost(self, reason: Failure | None = None) -> None:
        """The connection is gone."""
        self._user.lost(self)


class User:
    """
    One client.

    :param tape: of this client; several clients may share its lines
    :param expected: what the server must still send
    """

    def __init__(self, name: str, password: str, judge: Judge, tape: Tape, seed: int) -> None:
        self.name = name
        self.password = password
        self.seat = SeatOfUser(seed)
        self._judge = judge
        self._tape = tape
        self._line: _ServerLine | None = None
        self._transport: Any = None
        self._codec: Any = None
        self.replica: ReplicaConnection | None = None
        #: What the server must still send, and what it has sent that nobody has judged.
        self.expected: deque[Any] = deque()
        self.unjudged: deque[Any] = deque()
        #: All messages that the server has sent.
        self.heard: list[Any] = []
        self._raw = bytearray()

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the server."""
        return self._line is not None

    def connect(self, codec: Any, dial: Dial, cut: Callable[[Any], SegmentedTransport]) -> Deferred[Any]:
        """Connect with the server. Fires when that has been done, and fails if it cannot be."""
        self._codec = codec
        self._raw.clear()
        self._tape.connected_again()
        self._line = line = _ServerLine(self)

        def made(_: Any) -> None:
            self._transport = cut(line.transport)

        return dial(line).addCallback(made)

    def said(self, messages: Sequence[Any]) -> bytes:
        """The bytes of messages that are about to be sent."""
        data = b""
        for message in messages:
            raw = self._codec.encode(message)
            self._tape.said(message, raw)
            self._name_last()
            data += raw
        return data

    def send(self, data: bytes) -> None:
        """Send bytes in one piece."""
        if self._line is not None:
            self._transport.write(data)

    def close(self) -> None:
        """Close the connection to the server."""
        line, self._line = self._line, None
        if line is not None and line.transport is not None:
            line.transport.loseConnection()
        self._tape.note(f"{self.name}: the checker closes the connection")

    def received(self, line: _ServerLine, data: bytes) -> None:
        """The server has sent bytes."""
        if line is not self._line:
            return
        try:
            for piece in pieces_of(self._codec, data):
                self._raw += piece
                for message in self._codec.feed(piece):
                    self._tape.heard(message, bytes(self._raw))
                    self._name_last()
                    self._raw.clear()
                    self.heard.append(message)
                    self._judge.received(self, message)
        except WireError as error:
            self._line = None
            self._judge.unreadable(self, error)

    def lost(self, line: _ServerLine) -> None:
        """A connection is gone."""
        if line is self._line:
            self._line = None
            self._tape.note(f"{self.name}: the server closes the connection")
            self._judge.closed(self)

    def _name_last(self) -> None:
        line = self._tape.lines[-1]
        self._tape.lines[-1] = evolve(line, meaning=f"{self.name}: {line.meaning}")
