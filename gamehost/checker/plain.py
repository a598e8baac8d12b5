"""
The reading of a wire that brings no checks of its own: the name of each message, with secrets hidden.
"""

from typing import Any

import attrs
import msgspec

from gamehost.checker.base import Grade, Said, WireChecks

#: Fields that are never shown.
SECRETS = ("password", "key", "code")
HIDDEN = "***"
#: The server's messages that refuse what a client has sent, on the wires without checks of their own.
REFUSALS = ("Refused", "Sorry", "Failed", "InvalidMove", "ErrorMessage")


class PlainReading:
    """Says the name of each message."""

    def redacted(self, message: Any) -> Any:
        """The message with its secrets hidden."""
        hidden = {name: HIDDEN for name in SECRETS if isinstance(getattr(message, name, None), str)}
        if not hidden:
            return message
        if isinstance(message, msgspec.Struct):
            return msgspec.structs.replace(message, **hidden)
        return attrs.evolve(message, **hidden)

    def said(self, message: Any) -> Said:
        """The name of a client's message."""
        return Said(type(message).__name__)

    def heard(self, message: Any) -> Said:
        """The name of a server's message. A refusal is marked."""
        name = type(message).__name__
        return Said(name, Grade.BREACH if name in REFUSALS else None)


def plain_checks(wire: str) -> WireChecks:
    """Checks without scenarios, for a wire that has none."""
    return WireChecks(wire, {}, (), PlainReading)
