"""
What is said on one connection, line by line: who said it, what it means, and whether it breaks the document.

The bytes pass elsewhere (`gamehost.checker.relay`). A trace only looks at copies of them.
"""

import json
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import attrs
import msgspec
from attrs import frozen

from gamehost.checker.base import Grade, Said, TranscriptLine, WireChecks
from gamehost.checker.transcript import RecordingCodec, Transcript, Watcher
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError

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


#: The columns of what was said, before what it means.
WIDTH = 34
_RED, _PLAIN = "\x1b[31m", "\x1b[0m"


class Form(StrEnum):
    """How a trace is printed."""

    TEXT = "text"
    JSON = "json"


@frozen
class TraceLine:
    """One message, or one event of the connection."""

    #: The time of day, as it is printed.
    at: str
    #: Who the client is: the number of the connection, or the name that it has logged in with.
    client: str
    #: `client`, `host`, or empty for an event.
    sender: str
    text: str
    meaning: str
    grade: Grade | None = None

    def as_text(self, colour: bool = False) -> str:
        """For a person, in one line."""
        arrow = {"client": f"{self.client} > host", "host": f"{self.client} < host"}.get(self.sender, self.client)
        mark = "" if self.grade is None else f"{self.grade.value.upper()}: "
        if mark and colour:
            mark = f"{_RED}{mark}{_PLAIN}"
        return f"{self.at}  {arrow:14} {self.text:{WIDTH}} {mark}{self.meaning}".rstrip()

    def as_json(self) -> str:
        """For a program, in one line."""
        return json.dumps(
            {
                "at": self.at,
                "client": self.client,
                "from": self.sender,
                "text": self.text,
                "meaning": self.meaning,
                "grade": None if self.grade is None else self.grade.value,
            },
            ensure_ascii=False,
        )


class _Said(Watcher):
    """Hears one direction."""

    def __init__(self, hear: Callable[[Any, bytes], None]) -> None:
        self._hear = hear

    def said(self, message: Any, raw: bytes) -> None:
        self._hear(message, raw)


class Trace:
    """
    The trace of one connection.

    :param name: the connection, until its client has logged in
    :param at: a time in seconds since 1970 as it is printed
    :param tell: called with each line
    """

    def __init__(
        self,
        wire: Wire[Any],
        checks: WireChecks,
        name: str,
        at: Callable[[float], str],
        tell: Callable[[TraceLine], None],
    ) -> None:
        assert wire.client_codec is not None
        self.name = name
        self._at = at
        #: When what is read now has passed, in seconds since 1970.
        self._seconds = 0.0
        self._tell = tell
        self._transcript = Transcript(checks, lambda: 0.0, wire.client_codec().encode)
        self._client = RecordingCodec(wire.configure({}).new_codec(), _Said(self._client_says))
        self._host = RecordingCodec(wire.client_codec(), _Said(self._host_says))
        #: The directions that can still be read.
        self._readable = {"client", "host"}

    def client_sent(self, data: bytes, seconds: float = 0.0) -> None:
        """Bytes of the client, which passed at this time."""
        self._read("client", self._client, data, seconds)

    def host_sent(self, data: bytes, seconds: float = 0.0) -> None:
        """Bytes of the server."""
        self._read("host", self._host, data, seconds)

    def event(self, words: str, seconds: float = 0.0) -> None:
        """Something happened to the connection."""
        self._tell(TraceLine(self._at(seconds), self.name, "", "", words))

    def _read(self, sender: str, codec: RecordingCodec, data: bytes, seconds: float) -> None:
        if sender not in self._readable:
            return
        self._seconds = seconds
        try:
            for _ in codec.feed(data):
                pass
        except WireError as error:
            self._readable.discard(sender)
            words = f"{error}; what comes after this is passed on and not read"
            self._tell(TraceLine(self._at(seconds), self.name, sender, "", words, Grade.BREACH))

    def _client_says(self, message: Any, raw: bytes) -> None:
        before = len(self._transcript.lines)
        said = self._transcript.said(message, raw)
        named = (
            getattr(message, "username", None) or getattr(message, "nick", None) or getattr(message, "nickname", None)
        )
        if isinstance(named, str) and named:
            self.name = named.split(":")[0]
        elif said.grade is None and said.meaning.startswith("logs in as "):
            self.name = said.meaning.removeprefix("logs in as ")
        self._tell_new(before, said.grade)

    def _host_says(self, message: Any, raw: bytes) -> None:
        before = len(self._transcript.lines)
        heard = self._transcript.heard(message, raw)
        self._tell_new(before, heard.grade)

    def _tell_new(self, before: int, grade: Grade | None) -> None:
        lines: list[TranscriptLine] = self._transcript.lines[before:]
        self._transcript.lines.clear()
        for line in lines:
            self._tell(TraceLine(self._at(self._seconds), self.name, line.sender, line.text, line.meaning, grade))
