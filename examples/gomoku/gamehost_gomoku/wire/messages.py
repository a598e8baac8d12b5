"""The messages of the wire: one frozen class for each, with its fields in the order of the line."""

from msgspec import Struct

from gamehost.wires.framing import Blank, UndecodableLine


class Name(Struct, frozen=True):
    """Client: log in under this name. `NAME ann`."""

    name: str


class Play(Struct, frozen=True):
    """Client: place a stone. `PLAY h8`."""

    point: str


class Resign(Struct, frozen=True):
    """Client: give the match up. `RESIGN`."""


class Malformed(Struct, frozen=True):
    """A client's line that is no message. The line is not kept, because it must not be sent back."""

    #: What was expected, for the refusal.
    expected: str


class Waiting(Struct, frozen=True):
    """Server: logged in, and no opponent yet. `WAITING ann`."""

    name: str


class Game(Struct, frozen=True):
    """Server: the match begins. `GAME ann bob 15`: Black, White, and the points on each side of the board."""

    black: str
    white: str
    size: str


class Played(Struct, frozen=True):
    """Server, to both: a stone was placed. `PLAYED ann h8`."""

    name: str
    point: str


class Refused(Struct, frozen=True):
    """Server: the last message had no effect. `REFUSED a stone stands there already`."""

    reason: str


class Away(Struct, frozen=True):
    """Server: the other player's connection is lost; the seat is kept for some time. `AWAY bob`."""

    name: str


class Back(Struct, frozen=True):
    """Server, to both: a player is back. `BACK bob ann bob 15 h8,j9`: who; then as in `GAME`; then all moves, or `-`."""

    name: str
    black: str
    white: str
    size: str
    moves: str


class Over(Struct, frozen=True):
    """Server, to both: the match is over. `OVER ann five in a row`: the winner, or `-`, and why."""

    winner: str
    why: str


class Closing(Struct, frozen=True):
    """Server: the connection ends. `CLOSING the host is stopping`."""

    reason: str


ClientMessage = Name | Play | Resign | Malformed | UndecodableLine | Blank
ServerMessage = Waiting | Game | Played | Refused | Away | Back | Over | Closing
Message = ClientMessage | ServerMessage
