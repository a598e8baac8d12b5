"""The transcripts of this project's own wires."""

from collections.abc import Iterator
from pathlib import Path

from gamehost.testing.transcript import Drops as Drops
from gamehost.testing.transcript import Hears as Hears
from gamehost.testing.transcript import Passes as Passes
from gamehost.testing.transcript import Says as Says
from gamehost.testing.transcript import Step as Step
from gamehost.testing.transcript import Transcript as Transcript
from gamehost.testing.transcript import read_transcripts
from tests.kit.message_text import WORDED

HOME = Path(__file__).parents[1] / "transcripts"


def transcripts(wire: str) -> Iterator[Transcript]:
    """All transcripts of a wire, by its name."""
    return read_transcripts(HOME / wire, wire in WORDED)
