"""
The other end of a wire: the client that programs speak with, and the judges of programs. Packages offer both through entry
points, under the names of wires.
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
    """How programs speak a wire."""

    #: Makes the codec of a client's connection: it reads what the server says, and writes what a client says.
    codec: Callable[[], Codec[Any]]
    #: Makes the program that plays in `gamehost player`, a `gamehost.programs.wire_player.WirePlayer`. Its arguments
    #: are a name, a password, a function that makes its players, and the name of the game. `None`: no program plays on
    #: this wire.
    player: Callable[..., Any] | None = None


@frozen
class Judges:
    """The judges of the programs that speak a wire."""

    #: The checks of clients, a `gamehost.extras.check.base.WireChecks`.
    clients: Any
    #: The checks of servers, a `gamehost.extras.check.server_run.ServerChecks`; `None`: servers are not judged.
    servers: Any = None


def _usable(group: str, wire: str, kind: type[T]) -> T | None:
    try:
        return loaded(group, wire, kind)
    except PartUnusable:
        return None


@cache
def client_of(wire: str) -> WireClient | None:
    """The client of a wire; `None`: no package brings one that can be used."""
    return _usable(CLIENTS, wire, WireClient)


@cache
def judges_of(wire: str) -> Judges | None:
    """The judges of a wire; `None`: no package brings some that can be used."""
    return _usable(CHECKS, wire, Judges)


def clients() -> Mapping[str, WireClient]:
    """The clients by the names of their wires."""
    return {name: found for name in offered(CLIENTS) if (found := client_of(name)) is not None}
