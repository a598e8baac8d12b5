"""
How transcripts and tests write what a wire says: lines as they are, anything else in words.

A spelling belongs to one connection: a wire may count its messages.
"""

from collections.abc import Mapping
from typing import Protocol

from tests.kit.wires.stratego_frames_words import FrameWords


class MessageText(Protocol):
    """Words for people, bytes for the connection."""

    def said(self, line: str) -> bytes:
        """What a client sends."""

    def heard(self, data: bytes) -> list[str]:
        """What the client hears, as far as it is whole; the rest is kept for the next call."""


class Lines:
    """A text wire spells itself."""

    def __init__(self) -> None:
        self._unread = b""

    def said(self, line: str) -> bytes:
        """A line with its end."""
        return (line + "\n").encode("utf-8")

    def heard(self, data: bytes) -> list[str]:
        """The lines that are whole now, without their ends."""
        *lines, self._unread = (self._unread + data).split(b"\n")
        return [line.decode("utf-8") for line in lines]


#: The wires that are not made of lines, and their words.
WORDED: Mapping[str, type[MessageText]] = {"stratego-frames": FrameWords}


def message_text_of(wire: str) -> MessageText:
    """A spelling for one connection of a wire."""
    return WORDED.get(wire, Lines)()
