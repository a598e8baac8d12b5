"""How tests and transcripts write the messages of this project's own wires."""

from collections.abc import Mapping

from gamehost.testing.message_text import Lines as Lines
from gamehost.testing.message_text import MessageText as MessageText
from tests.kit.wires.console_words import ConsoleWords
from tests.kit.wires.eriantys_java_words import JavaWords
from tests.kit.wires.onitama_final_words import ZeroBytes
from tests.kit.wires.stratego_frames_words import FrameWords

#: The wires that are not made of lines, and their words.
WORDED: Mapping[str, type[MessageText]] = {
    "console": ConsoleWords,
    "eriantys-java": JavaWords,
    "onitama-final": ZeroBytes,
    "stratego-frames": FrameWords,
}


def message_text_of(wire: str) -> MessageText:
    """A spelling for one connection of a wire."""
    return WORDED.get(wire, Lines)()
