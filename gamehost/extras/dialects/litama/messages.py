"""
The messages of the wire: one frozen class each.

Each message has the command that an error about it names, and the whole text for the successor's errors.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from msgspec import Struct, json

from gamehost.wires.framing import UndecodableLine


class Command(Struct, frozen=True):
    """Client: a command."""

    NAME: ClassVar[str] = ""

    #: As it was sent.
    text: str
    #: 24 hex digits, if it is right; as it was sent.
    match_id: str = ""


class Create(Command, frozen=True):
    """Client: create a match that waits, under this name."""

    NAME = "create"
    name: str = ""


class Join(Command, frozen=True):
    """Client: begin the match that waits under this id."""

    NAME = "join"
    name: str = ""


class State(Command, frozen=True):
    """Client: asks for the state of a match."""

    NAME = "state"


class MakeMove(Command, frozen=True):
    """Client: play a card in the match, for the seat of the token."""

    NAME = "move"
    token: str = ""
    #: The card and both squares; anything else is no move.
    words: tuple[str, ...] = ()


class Spectate(Command, frozen=True):
    """Client: send the state of the match, now and after each change. With a token the seat is taken (extension)."""

    NAME = "spectate"
    token: str = ""


class Unknown(Command, frozen=True):
    """Client: not a command."""


#: In the order in which the prefixes are compared.
COMMANDS: tuple[type[Command], ...] = (Create, Join, State, MakeMove, Spectate)


class Entered(Struct, frozen=True):
    """Server: the answer to `create` or `join`. The token is the right to move, and must not be shown to anybody else."""

    command: str
    match_id: str
    token: str
    index: int


class Done(Struct, frozen=True):
    """Server: the client's `move` or `spectate` was carried out."""

    command: str
    match_id: str


class Standing(Struct, frozen=True, dict=True):
    """Server: `state`, the state of a match. The fields are in the protocol's order."""

    fields: Mapping[str, Any]

    @cached_property
    def text(self) -> bytes:
        """The message as JSON. It has all moves of the match, so it is written once for all receivers."""
        return json.encode(self.fields)


class Failed(Struct, frozen=True):
    """Server: an error. `command` is that of the client, or the whole text if it is none."""

    match_id: str
    error: str
    command: str
    #: The client's text, which the successor sends in place of command and id.
    query: str = ""


Message = Create | Join | State | MakeMove | Spectate | Unknown | Entered | Done | Standing | Failed | UndecodableLine
