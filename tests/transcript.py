"""
Transcripts: what people with netcat see, as text that is test and documentation.

`C1: line` is said on connection 1, which is made when it is first named; `S1: line` is what it must hear next. `C1 drops`
loses a connection, `60 s pass` lets time pass, `# Settings: a=b c=d` are those of the host. All that is heard must be there.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from attrs import field, frozen

HOME = Path(__file__).parent / "transcripts"

_STEP = re.compile(r"(?P<side>[CS])(?P<number>[0-9]+): (?P<line>.*)")
_DROP = re.compile(r"C(?P<number>[0-9]+) drops")
_PASS = re.compile(r"(?P<seconds>[0-9.]+) s pass")


@frozen
class Says:
    """A client says a line."""

    number: int
    line: str


@frozen
class Hears:
    """A client must hear a line."""

    number: int
    line: str


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
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("# Settings: "):
                settings = dict(word.split("=", 1) for word in line.removeprefix("# Settings: ").split())
            elif line and not line.startswith("#"):
                steps.append(_step(line))
        return cls(path.stem, path.parent.name, tuple(steps), settings)


def _step(line: str) -> Step:
    if (match := _STEP.fullmatch(line)) is not None:
        kind = Says if match["side"] == "C" else Hears
        return kind(int(match["number"]), match["line"])
    if (match := _DROP.fullmatch(line)) is not None:
        return Drops(int(match["number"]))
    if (match := _PASS.fullmatch(line)) is not None:
        return Passes(float(match["seconds"]))
    raise ValueError(f"not a line of a transcript: {line!r}")


def transcripts(wire: str) -> Iterator[Transcript]:
    """All transcripts of a wire, by its name."""
    for path in sorted((HOME / wire).glob("*.txt")):
        yield Transcript.read(path)
