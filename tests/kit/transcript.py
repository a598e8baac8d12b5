"""
Transcripts: what people with netcat see, as text that is test and documentation.

`C1: line` is said on connection 1, which is made when it is first named; `S1: line` is what it must hear next, and
`S1 10 times: line` ten times. `C1 drops` loses a connection, `60 s pass` lets time pass, `# Settings: a=b c=d` are those of
the host. All that is heard must be there; a line that ends in `…` may go on in any way. A wire that is not made of lines has a
spelling: its messages stand here in words, and after `=`, where that helps a reader, in bytes.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from attrs import field, frozen

from tests.kit.message_text import WORDED

HOME = Path(__file__).parents[1] / "transcripts"

_STEP = re.compile(r"(?P<side>[CS])(?P<number>[0-9]+)( (?P<times>[0-9]+) times)?: (?P<line>.*)")
_BYTES = re.compile(r"(?P<words>.*?) += (?P<bytes>[0-9A-F]{2}( [0-9A-F]{2})*)", re.ASCII)
_DROP = re.compile(r"C(?P<number>[0-9]+) drops")
_PASS = re.compile(r"(?P<seconds>[0-9.]+) s pass")


@frozen
class Says:
    """A client says a line."""

    number: int
    line: str
    #: The same in hexadecimal, where the file has it.
    bytes: str = ""


@frozen
class Hears:
    """A client must hear a line."""

    number: int
    line: str
    #: As in `Says`.
    bytes: str = ""

    def fits(self, heard: str) -> bool:
        """Whether this is what was heard."""
        return heard == self.line or (self.line.endswith("…") and heard.startswith(self.line[:-1]))


@frozen
class Drops:
    """A connection is lost."""

    number: int


@frozen
class Passes:
    """Time passes."""

    seconds: float


Step = Says | Hears | Drops | Passes


@frozen
class Transcript:
    """One file."""

    name: str
    wire: str
    steps: tuple[Step, ...]
    settings: dict[str, str] = field(factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Transcript":
        """
        :raises ValueError: a line is none of a transcript's
        """
        steps: list[Step] = []
        settings: dict[str, str] = {}
        wire = path.parent.name
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("# Settings: "):
                settings = dict(word.split("=", 1) for word in line.removeprefix("# Settings: ").split())
            elif line and not line.startswith("#"):
                steps += _steps(line, wire in WORDED)
        return cls(path.stem, wire, tuple(steps), settings)


def _steps(line: str, worded: bool) -> list[Step]:
    if (match := _STEP.fullmatch(line)) is not None:
        kind = Says if match["side"] == "C" else Hears
        message, in_bytes = match["line"], ""
        if worded and (spelled := _BYTES.fullmatch(message)) is not None:
            message, in_bytes = spelled["words"], spelled["bytes"]
        return [kind(int(match["number"]), message, in_bytes)] * int(match["times"] or 1)
    if (match := _DROP.fullmatch(line)) is not None:
        return [Drops(int(match["number"]))]
    if (match := _PASS.fullmatch(line)) is not None:
        return [Passes(float(match["seconds"]))]
    raise ValueError(f"not a line of a transcript: {line!r}")


def transcripts(wire: str) -> Iterator[Transcript]:
    """All transcripts of a wire, by its name."""
    for path in sorted((HOME / wire).glob("*.txt")):
        yield Transcript.read(path)
