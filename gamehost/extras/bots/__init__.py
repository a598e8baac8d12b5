"""Programs that play on the wires, and bridges to bots of other communities: `gamehost player` and `gamehost bridge`."""

from collections.abc import Sequence
from typing import Any

from gamehost.entries import Verb, imported


def _wires(wires: Sequence[Any]) -> list[str]:
    """Returns the names of the wires for which there is a program that plays."""
    from gamehost.extras.bots.command import playable

    return list(playable(wires))


def _bridges(wires: Sequence[Any]) -> list[str]:
    """Returns the names of the bridges."""
    from gamehost.extras.bots.bridge import bridges

    return list(bridges())


PLAYER = Verb(
    """\
gamehost player WIRE --to HOST:PORT --name NAME
                            play on a server, against whoever comes (gamehost player --help lists the options)
""",
    imported("gamehost.extras.bots.command:main"),
    _wires,
)
BRIDGE = Verb(
    """\
gamehost bridge BRIDGE --to HOST:PORT --name NAME -- COMMAND
                            have a bot of another community play at a host (gamehost bridge --help)
""",
    imported("gamehost.extras.bots.bridge:main"),
    _bridges,
)
