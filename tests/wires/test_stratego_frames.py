"""The binary frames as a wire among wires, from bytes to bytes; its transcripts and its page."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract, chunked, mutated
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.stratego_frames.codec import PAYLOAD_LIMIT
from gamehost.wires.stratego_frames.conversation import WIRE
from tests.kit.memory_host import MemoryHost
from tests.kit.transcript import HOME, Hears, Says, transcripts
from tests.kit.wires.stratego_frames_table import ANN, BOB, again, in_play, moves, set_up, the_position
from tests.kit.wires.stratego_frames_words import (
    CLIENT_FRAMES,
    SERVER_FRAMES,
    FrameWords,
    client_frames,
    frame,
    server_frame,
    write_utf,
)

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "wires" / "stratego-frames.rst").read_text("utf-8")


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

    wire = WIRE
    transcripts = HOME
    text = FrameWords
    begun = frame(1, b"\x00\xfe" + b"a" * 254)[:9]
    too_long = frame(1, b"\x00\xff" + b"a" * 255)

    silent = {
        "late": "it crossed with the end of the match on its way: the player is told the end and nothing else",
        "away": "in play the document has no words for it; the clock of the match goes on",
        "back": "in play the document has no words for it; the clock of the match goes on",
    }
    nonsense = (
        *(frame(1, write_utf(text)) for text in ("\x1b[2Jcanary", "canary\x07", "canary\0")),
        frame(3, write_utf("canary\x1b")),
        frame(2, b"\0c\0\0\0\1\0\0\0\1"),
    )

    def log_in(self, name: str) -> bytes:
        return frame(1, write_utf(name))

    def set_up(self, first: Client, second: Client) -> None:
        set_up(first, ANN, 0)
        set_up(second, BOB, 6)

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, client_frames("Move (0,3) (0,4)", 0)[0]

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, client_frames("Move (0,3) (0,9)", 0)[0]

    def situations(self) -> Mapping[str, Callable[[], Situation]]:
        return {**super().situations(), "set-up": self.matched}

    def corpus(self) -> Sequence[bytes]:
        """What clients say in the transcripts, without the placements that are like those before them."""
        streams = []
        for transcript in transcripts(self.wire.name):
            for number in range(1, 5):
                said = [step.line for step in transcript.steps if isinstance(step, Says) and step.number == number]
                short = [line for line in said if len(line) < len("Setup 8888899999 (0,2)") or line.endswith(",1)")]
                streams.append(b"".join(map(FrameWords().said, short)))
        return list(filter(None, streams))

    def test_fuzz_in_play(self) -> None:
        """Nearly valid moves in a game raise nothing, and give both players the same however they are cut."""
        world = MemoryHost()
        in_play(world)
        self._journal = world.journal
        position = the_position(world)
        for seed in range(300):
            rng = random.Random(seed)
            said = [next(moves(position, rng)) for _ in range(3)] + ["Move (0,3) (0,5)", 'Ready "ready"']
            data = mutated(b"".join(client_frames(line, 0)[0] for line in said), rng)
            whole = self._answers_in_play([data])
            self.assertEqual(self._answers_in_play([data[n : n + 1] for n in range(len(data))]), whole, (seed, data))
            self.assertEqual(self._answers_in_play(chunked(data, rng)), whole, (seed, data))

    def _answers_in_play(self, pieces: list[bytes]) -> tuple[bytes, bytes]:
        # A game in play, without having to play it so far.
        world = MemoryHost({"limits.unlimited": "yes"}, journal=self._journal.restarted())
        (ann, _), (bob, _) = again(world, "ann"), again(world, "bob")
        for piece in pieces:
            if not ann.closed:
                ann.send(piece)
        return ann.transport.read(), bob.transport.read()


class TranscriptTests(SynchronousTestCase):
    """Words and bytes in the files that the page shows."""

    def test_bytes_are_those_of_the_words(self) -> None:
        """Wherever a file has bytes, they are the frame that the words stand for, with its number."""
        checked = 0
        for transcript in transcripts(WIRE.name):
            said: dict[int, FrameWords] = {}
            heard: dict[int, int] = {}
            for step in transcript.steps:
                if isinstance(step, Says):
                    data = said.setdefault(step.number, FrameWords()).said(step.line)
                elif isinstance(step, Hears):
                    sequence = heard.get(step.number, 0)
                    heard[step.number] = sequence + 1
                    data = server_frame(step.line, sequence)
                else:
                    continue
                if step.bytes:
                    self.assertEqual(step.bytes, data.hex(" ").upper(), f"{transcript.name}: {step.line}")
                    checked += 1
        self.assertGreater(checked, 100)


class PageTests(SynchronousTestCase):
    """What the page says of types, limits and settings."""

    def test_types(self) -> None:
        """The table of frames has all of them."""
        rows = re.findall(r"^(client|server) +([0-9]+) +([A-Z][A-Za-z ]*?)  ", PAGE, re.MULTILINE)
        listed = {(side, int(kind), name) for side, kind, name in rows}
        known = {("client", kind, name) for name, kind in CLIENT_FRAMES.items()}
        known |= {("server", kind, name) for name, kind in SERVER_FRAMES.items()}
        self.assertEqual(listed, known)

    def test_limits_and_settings(self) -> None:
        """The size limit, the endpoint, and every setting are there."""
        self.assertIn(f"2 to {PAYLOAD_LIMIT} for the others", PAGE)
        self.assertIn(WIRE.endpoint, PAGE)
        for name in WIRE.options:
            self.assertIn(f"``stratego-frames.{name}``", PAGE)

    def test_all_transcripts_are_shown(self) -> None:
        """Each file under tests/transcripts is in the page."""
        for transcript in transcripts(WIRE.name):
            self.assertIn(f"/../tests/transcripts/stratego-frames/{transcript.name}.txt", PAGE)

    def test_settings_that_cannot_be(self) -> None:
        """Unknown ones, and values that are neither yes nor no."""
        for settings in ({"strictly": "yes"}, {"strict": "perhaps"}, {"separate": ""}):
            self.assertRaises(BadOption, WIRE.configure, settings)
