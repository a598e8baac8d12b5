"""
What one member tells another one about a connection that it passes on: one line of JSON, before all bytes of the client.
"""

import json
from typing import Any

from attrs import asdict, field, frozen

from gamehost.journal.records import SeatRecord
from gamehost.wires.framing import WireError

#: Bytes of the line, with its end.
LONGEST = 4_096
#: How often a connection is passed on at most: a name can get another home on the way.
MOST_HOPS = 3
#: The name under which the pages for browsers are passed on. No wire has it.
WEB = "web"


@frozen
class Preamble:
    """What is told."""

    #: Of the life that is meant, so that nobody else can pass connections on.
    token: str = field(repr=False)
    #: The wire by its name, or `WEB`.
    wire: str
    #: The client's address, without its port.
    address: str
    #: Whether the client's connection is encrypted.
    tls: bool = False
    #: How many of the messages that follow the first member has handled already.
    skip: int = 0
    #: Where the codec numbers what it writes: the number of the next message.
    sequence: int = 0
    #: How often the connection was passed on, this time included.
    hops: int = 1
    #: Who waits for an opponent on this connection, and was told so; `None`: the client has not logged in.
    adopt: SeatRecord | None = field(default=None, repr=False)
    #: Whether that connection is lost already: the name is to be free.
    lost: bool = False

    def line(self) -> bytes:
        """The line, with its end."""
        return json.dumps(asdict(self), separators=(",", ":")).encode("ascii") + b"\n"


def read_preamble(line: bytes) -> Preamble:
    """
    Read a line, without its end.

    :raises WireError: this is no preamble
    """
    try:
        facts: Any = json.loads(line)
        adopt = facts.pop("adopt", None)
        read = Preamble(**facts, adopt=None if adopt is None else SeatRecord(**adopt))
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise WireError("no preamble") from None
    texts = [read.token, read.wire, read.address]
    numbers = [read.skip, read.sequence, read.hops]
    if read.adopt is not None:
        texts += [read.adopt.name, read.adopt.wire, read.adopt.address, read.adopt.key_digest]
    if (
        any(type(text) is not str for text in texts)
        or not read.token.isascii()
        or any(type(number) is not int or number < 0 for number in numbers)
        or type(read.tls) is not bool
        or type(read.lost) is not bool
        or (read.adopt is not None and type(read.adopt.account) is not bool)
    ):
        raise WireError("no preamble")
    return read
