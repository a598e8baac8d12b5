"""
The client's side of the Java objects: reads what the server says, and writes what a client says.

A server's message is a reset and an object, a client's message an object and a reset. What is written here is read back as the
server reads it before it is sent.
"""

from collections.abc import Iterator
from struct import error as StructError

from gamehost.wires.eriantys_java.codec import read
from gamehost.wires.eriantys_java.graph import message_of
from gamehost.wires.eriantys_java.messages import CLIENT_TYPES, Message
from gamehost.wires.eriantys_java.object_reader import ObjectReader, Reading
from gamehost.wires.eriantys_java.stream import HEADER, RESET, serialized
from gamehost.wires.framing import WireError


class JavaClientCodec:
    """The codec of one connection, on the client's side."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._header_read = self._greeted = False
        self._reader: ObjectReader | None = None
        self._reading: Reading | None = None

    @property
    def unfinished(self) -> bool:
        """Whether a message, or the stream's header, has begun that has not ended."""
        return bool(self._rest)

    def feed(self, data: bytes) -> Iterator[Message]:
        """
        The messages of the server that are complete now.

        :raises WireError: these are no messages of the server
        """
        rest = self._rest
        rest += data
        if not self._header_read:
            if not HEADER.startswith(bytes(rest[:4])):
                raise WireError("a stream that does not begin as Java's object streams do")
            if len(rest) < len(HEADER):
                return
            self._header_read = True
            del rest[:4]
        while rest:
            if self._reading is None:
                if rest[:1] != RESET:
                    raise WireError("an object without a reset before it")
                del rest[: len(rest) - len(rest.lstrip(RESET))]
                self._reader = ObjectReader(rest)
                self._reading = self._reader.value()
            message = self._go_on()
            if message is None:
                return
            yield message

    def _go_on(self) -> Message | None:
        """Read on with the bytes that are there; `None`: the message has not ended."""
        assert self._reading is not None and self._reader is not None
        try:
            next(self._reading)
        except StopIteration as end:
            del self._rest[: self._reader.at]
            self._reading = None
            return message_of(end.value)
        return None

    def encode(self, message: Message) -> bytes:
        """
        A message of a client with its reset. The first one has the stream's header in front.

        :raises WireError: not a client's message, or with a value that the server would refuse
        """
        if CLIENT_TYPES.get(type(message).__name__) is not type(message):
            raise WireError(f"a client does not say {type(message).__name__}")
        try:
            data = serialized(message) + RESET
        except (StructError, ValueError, OverflowError, TypeError, AttributeError) as error:
            raise WireError(f"{type(message).__name__} has a value that cannot be written") from error
        if read(data, 0) != (message, len(data)):
            raise WireError(f"{type(message).__name__} has a value that the server would refuse")
        if self._greeted:
            return data
        self._greeted = True
        return HEADER + data
