"""The messages of the wire: one frozen class for each, with its fields in the order of the line."""

from attrs import frozen

from gamehost.wires.framing import Blank, UndecodableLine


@frozen
class Name:
    """Client: log in under this name. `NAME ann`."""

    name: str


@frozen
class Play:
    """Client: place a stone. `PLAY h8`."""

    point: str


@frozen
class Resign:
    """Client: give the match up. `RESIGN`."""


@frozen
class Malformed:
    """A client's line that is no message. The line is not kept, because it must not be sent back."""

    #: What was expected, for the refusal.
    expected: str


@frozen
class Waiting:
    """Server: logged in, and no opponent yet. `WAITING ann`."""

    name: str


@frozen
class Game:
    """Server: the match begins. `GAME ann bob 15`: Black, White, and the points on each side of the board."""

    black: str
    white: str
    size: str


@frozen
class Played:
    """Server, to both: a stone was placed. `PLAYED ann h8`."""

    name: str
    point: str


@frozen
class Refused:
    """Server: the last message had no effect. `REFUSED a stone stands there already`."""

    reason: str


@frozen
class Away:
    """Server: the other player's connection is lost; the seat is kept for some time. `AWAY bob`."""

    name: str


@frozen
class Back:
    """Server, to both: a player is back. `BACK bob ann bob 15 h8,j9`: who; then as in `GAME`; then all moves, or `-`."""

    name: str
    black: str
    white: str
    size: str
    moves: str


@frozen
class Over:
    """Server, to both: the match is over. `OVER ann five in a row`: the winner, or `-`, and why."""

    winner: str
    why: str


@frozen
class Closing:
    """Server: the connection ends. `CLOSING the host is stopping`."""

    reason: str


ClientMessage = Name | Play | Resign | Malformed | UndecodableLine | Blank
ServerMessage = Waiting | Game | Played | Refused | Away | Back | Over | Closing
Message = ClientMessage | ServerMessage
