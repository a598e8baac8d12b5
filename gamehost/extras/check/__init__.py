"""
`gamehost check` judges a client or a server by the document of its wire. `gamehost trace` shows the messages between a client
and a server.
"""

from collections.abc import Sequence
from typing import Any

from gamehost.entries import Verb, imported


def _judged(wires: Sequence[Any]) -> list[str]:
    """Returns the names of the wires with checks."""
    from gamehost.programs.clients import judges_of

    return [wire.name for wire in wires if judges_of(wire.name) is not None]


def _traced(wires: Sequence[Any]) -> list[str]:
    """Returns the names of the wires that can be traced, which are those with a client."""
    from gamehost.programs.clients import clients

    return [wire.name for wire in wires if wire.name in clients()]


CHECK = Verb(
    """\
gamehost check WIRE -- COMMAND
                            judge your client against the document of its wire (gamehost check --help)
""",
    imported("gamehost.extras.check.command:main"),
    _judged,
)
TRACE = Verb(
    """\
gamehost trace WIRE --listen ENDPOINT --to HOST:PORT
                            show what a client and a server say to each other (gamehost trace --help)
""",
    imported("gamehost.extras.check.trace:main"),
    _traced,
)
