"""Lines of UTF-8, words between spaces: bytes to messages, and messages to bytes."""

from msgspec.structs import astuple

from gamehost.wires.framing import BLANK, NOT_UTF8, LineCodec
from gamehost_gomoku.wire.messages import Malformed, Message, Name, Play, Resign

#: First word -> the message, and its form in words for a refusal.
FORMS: dict[str, tuple[type[Name] | type[Play] | type[Resign], str]] = {
    "NAME": (Name, "NAME and one name, such as NAME ann"),
    "PLAY": (Play, "PLAY and one point, such as PLAY h8"),
    "RESIGN": (Resign, "RESIGN alone"),
}


class GomokuCodec(LineCodec[Message]):
    """The lines of one connection."""

    LIMIT = 128
    UNREADABLE = "lines that are not UTF-8"

    def read(self, line: bytes) -> Message:
        """The message in a line, which comes without its end."""
        try:
            words = line.decode("utf-8").split(" ")
        except UnicodeDecodeError:
            return NOT_UTF8
        if words == [""]:
            return BLANK
        kind, form = FORMS.get(words[0], (None, f"one of {', '.join(FORMS)}"))
        if kind is None or len(words) - 1 != len(kind.__struct_fields__):
            return Malformed(form)
        return kind(*words[1:])

    def encode(self, message: Message) -> bytes:
        """A server's message as a line, with its end."""
        words = [type(message).__name__.upper(), *astuple(message)]
        return (" ".join(words) + "\n").encode("utf-8")
