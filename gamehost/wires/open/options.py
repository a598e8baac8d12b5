"""What all connections of the open wire share."""

from collections.abc import Mapping

from msgspec import Struct

from gamehost.wires.seeking import PlayedGame


class OpenOptions(Struct, frozen=True):
    """The games of a listener."""

    #: The wire's name, for the lobby.
    wire: str
    #: By their names.
    games: Mapping[str, PlayedGame]
