"""
The bare relay: a Twisted server that sends each message of a connection to two connections, and does nothing else.

    python -m benchmarks.relay lines|frames

Each two connections in a row are a pair. `LineOnlyReceiver` cuts lines, and the size in the header cuts frames. A server that
passes on whole messages cannot do less.
"""

import sys
from struct import Struct
from typing import Any

from twisted.internet import reactor as installed
from twisted.internet.protocol import Factory, Protocol
from twisted.protocols.basic import LineOnlyReceiver

reactor: Any = installed

HEADER = Struct(">BBHH")


class Lines(LineOnlyReceiver):
    """One of two."""

    delimiter = b"\n"

    def connectionMade(self) -> None:
        transport: Any = self.transport
        transport.setTcpNoDelay(True)
        paired(self)

    def lineReceived(self, line: bytes) -> None:
        data = line + b"\n"
        for transport in self.factory.pairs[self]:
            transport.write(data)


class Frames(Protocol):
    """One of two."""

    def connectionMade(self) -> None:
        transport: Any = self.transport
        transport.setTcpNoDelay(True)
        self.rest = b""
        paired(self)

    def dataReceived(self, data: bytes) -> None:
        factory: Any = self.factory
        data = self.rest + data
        while len(data) >= HEADER.size:
            end = HEADER.size + HEADER.unpack_from(data)[3]
            if len(data) < end:
                break
            frame, data = data[:end], data[end:]
            for transport in factory.pairs[self]:
                transport.write(frame)
        self.rest = data


class Relay(Factory):
    """Who is with whom."""

    noisy = False

    def __init__(self, protocol: type[Protocol]) -> None:
        self.protocol = protocol
        self.single: Any = None
        self.pairs: dict[Any, list[Any]] = {}


def paired(one: Any) -> None:
    """Put a new connection with the one before it, if that is single still."""
    relay = one.factory
    other, relay.single = relay.single, one if relay.single is None else None
    if other is not None:
        relay.pairs[one] = relay.pairs[other] = [one.transport, other.transport]


def main() -> None:
    """Listen on a free port, and say on which."""
    port = reactor.listenTCP(
        0, Relay({"lines": Lines, "frames": Frames}[sys.argv[1]]), backlog=4096, interface="127.0.0.1"
    )
    print(port.getHost().port, flush=True)
    reactor.run()


if __name__ == "__main__":
    main()
