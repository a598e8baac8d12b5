"""
How tests and transcripts write a wire's messages: lines as they are, anything else in words.

A `MessageText` belongs to one connection, because a wire may count its messages.
"""

from typing import ClassVar, Protocol


class MessageText(Protocol):
    """Words for people, bytes for the connection."""

    def said(self, line: str) -> bytes:
        """What a client sends."""

    def heard(self, data: bytes) -> list[str]:
        """What the client hears, as far as it is whole; the rest is kept for the next call."""

    @property
    def unread(self) -> bytes:
        """What has come of a message that is not whole."""


class Lines:
    """A wire of lines needs no other words. A subclass may have another end of a line."""

    END: ClassVar[bytes] = b"\n"

    def __init__(self) -> None:
        self._unread = b""

    @property
    def unread(self) -> bytes:
        """A line without its end."""
        return self._unread

    def said(self, line: str) -> bytes:
        """A line with its end."""
        return line.encode("utf-8") + self.END

    def heard(self, data: bytes) -> list[str]:
        """The lines that are whole now, without their ends."""
        *lines, self._unread = (self._unread + data).split(self.END)
        return [line.decode("utf-8") for line in lines]
