"""
The client's end of a wire: how programs connect to a server of this wire, and the judges that check programs. Packages
offer both with entry points. The name of an entry point is the name of the wire.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from attrs import frozen

from gamehost.entries import PartUnusable, loaded, offered
from gamehost.wires.base import Codec

T = TypeVar("T")

#: The groups of the entry points.
CLIENTS = "gamehost.clients"
CHECKS = "gamehost.checks"


@frozen
class WireClient:
    """What a program needs to be a client of a wire."""

    #: Makes the codec of a client's connection. It reads the messages of the server, and writes the messages of the
    #: client.
    codec: Callable[[], Codec[Any]]
    #: Makes the program that plays in `gamehost player`, a `gamehost.programs.wire_player.WirePlayer`. Its arguments
    #: are a name, a password, a function that makes its players, and the name of the game. `None`: no program plays on
    #: this wire.
    player: Callable[..., Any] | None = None


@frozen
class Judges:
    """The checks of programs that use a wire."""

    #: The checks of clients, a `gamehost.extras.check.base.WireChecks`.
    clients: Any
    #: The checks of servers, a `gamehost.extras.check.server_run.ServerChecks`; `None`: servers are not checked.
    servers: Any = None


def _usable(group: str, wire: str, kind: type[T]) -> T | None:
    """The part of a package for a wire; `None`: no package has one, or it cannot be used."""
    try:
        return loaded(group, wire, kind)
    except PartUnusable:
        return None


@cache
def client_of(wire: str) -> WireClient | None:
    """The client of a wire; `None`: no package offers one that can be used."""
    return _usable(CLIENTS, wire, WireClient)


@cache
def judges_of(wire: str) -> Judges | None:
    """The judges of a wire; `None`: no package offers judges that can be used."""
    return _usable(CHECKS, wire, Judges)


def clients() -> Mapping[str, WireClient]:
    """All usable clients, by the names of their wires."""
    return {name: found for name in offered(CLIENTS) if (found := client_of(name)) is not None}
