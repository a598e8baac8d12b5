"""What all connections of the open wire share."""

from collections.abc import Mapping

from attrs import frozen

from gamehost.wires.seeking import PlayedGame


@frozen
class OpenOptions:
    """The games of a listener."""

    #: The wire's name, for the lobby.
    wire: str
    #: By their names.
    games: Mapping[str, PlayedGame]
