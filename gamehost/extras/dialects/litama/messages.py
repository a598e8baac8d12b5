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
    """Sent by the client: a command. This is the base class of all commands."""

    NAME: ClassVar[str] = ""

    #: As it was sent.
    text: str
    #: 24 hex digits, if it is right; as it was sent.
    match_id: str = ""


class Create(Command, frozen=True):
    """Sent by the client: creates a match, which waits for an opponent. The player has this name."""

    NAME = "create"
    name: str = ""


class Join(Command, frozen=True):
    """Sent by the client: joins the match with this id, which waits for an opponent. So the match begins."""

    NAME = "join"
    name: str = ""


class State(Command, frozen=True):
    """Sent by the client: asks for the state of a match."""

    NAME = "state"


class MakeMove(Command, frozen=True):
    """Sent by the client: plays a card in the match, for the seat of the token."""

    NAME = "move"
    token: str = ""
    #: The card and both squares; anything else is no move.
    words: tuple[str, ...] = ()


class Spectate(Command, frozen=True):
    """
    Sent by the client: asks for the state of the match, now and after each change. If there is a token, the client also
    takes the seat of the token (an extension).
    """

    NAME = "spectate"
    token: str = ""


class Unknown(Command, frozen=True):
    """Sent by the client: a text that is not a command."""


#: In the order in which the prefixes are compared.
COMMANDS: tuple[type[Command], ...] = (Create, Join, State, MakeMove, Spectate)


class Entered(Struct, frozen=True):
    """
    Sent by the server: the answer to `create` or `join`. The token is the right to move, and must not be shown to
    anybody else.
    """

    command: str
    match_id: str
    token: str
    index: int


class Done(Struct, frozen=True):
    """Sent by the server: the client's `move` or `spectate` was carried out."""

    command: str
    match_id: str


class Standing(Struct, frozen=True, dict=True):
    """Sent by the server: `state`, the state of a match. The fields are in the protocol's order."""

    fields: Mapping[str, Any]

    @cached_property
    def text(self) -> bytes:
        """The message as JSON. It has all moves of the match, so it is written once for all receivers."""
        return json.encode(self.fields)


class Failed(Struct, frozen=True):
    """
    Sent by the server: an error. `command` is that of the client, or the whole text if the client has sent no command.
    """

    match_id: str
    error: str
    command: str
    #: The client's text, which the successor sends in place of command and id.
    query: str = ""


Message = Create | Join | State | MakeMove | Spectate | Unknown | Entered | Done | Standing | Failed | UndecodableLine
