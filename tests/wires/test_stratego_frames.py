"""Stratego in binary frames."""

import csv
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import frozen
from twisted.trial.unittest import SynchronousTestCase

from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract, chunked, mutated
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.stratego_frames import WIRE
from gamehost.wires.stratego_frames import messages as m
from gamehost.wires.stratego_frames.codec import PAYLOAD_LIMIT, FramesCodec
from gamehost.wires.stratego_frames.conversation import FramesState
from tests import share
from tests.kit.memory_host import (
    CLIENT_FRAMES,
    HOME,
    SERVER_FRAMES,
    FrameWords,
    Hears,
    MemoryHost,
    Says,
    client_frames,
    frame,
    server_frame,
    transcripts,
    write_utf,
)
from tests.kit.wires.stratego_frames import (
    ANN,
    BOB,
    MOVE_INVALID,
    ON_WIRE,
    PairsContract,
    again,
    all_heard,
    connected,
    in_play,
    moves,
    set_up,
    setups,
    signed_on,
    state,
    the_position,
)
from tests.kit.wires.stratego_frames import WIRE as FRAMES_WIRE


class FramesCodecTests(CodecContract, PropertyCase):
    spreads = True

    def new_codec(self) -> FramesCodec:
        return FramesCodec()

    text = FrameWords
    read = (
        (client_frames('Sign On "Zden\u011bk\\u0000\U0001f600"', 0)[0], m.SignOn("Zden\u011bk\0\U0001f600")),
        (client_frames("Setup 9 (0,-3)", 0)[0], m.Setup("9", 0, -3)),
        (client_frames('Ready "ready"', 0)[0], m.Ready()),
        (client_frames("Move (0,3) (0,4)", 0)[0], m.Move(0, 3, 0, 4)),
    )
    sent = (
        (m.Wait(), 'Wait "wait"'),
        (m.Playing("b\u011b"), 'Playing "b\u011b"'),
        (m.Board("1#.~1#.~1#" * 10), f"Board {'/'.join(['1#.~1#.~1#'] * 10)}"),
        (m.Side("1"), "Side 1"),
        (m.GameOver("ann"), 'Game Over "ann"'),
        (m.Error("\u011b\0\U0001f600"), 'Error "\u011b\\u0000\U0001f600"'),
        (m.Move(0, 3, 0, 4), "Move (0,3) (0,4)"),
        (m.Battle("ann", "3", "8"), 'Battle "ann" 3 8'),
    )

    @property
    def streams(self) -> tuple[bytes, ...]:  # type: ignore[override]
        words = FrameWords()
        good = words.said('Sign On "ann"') + words.said("Setup 9 (0,3)") + words.said("Move (0,3) (0,4)")
        return (good, good + b"\x2a\x02\x00\x00\xff\xff", good + b"GET /", good[:-1] + good)


DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "wires" / "stratego-frames.rst").read_text("utf-8")


class WireTests(WireContract, PropertyCase):
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
        for seed in range(share(60, 300)):
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
    def test_types(self) -> None:
        rows = re.findall(r"^(client|server) +([0-9]+) +([A-Z][A-Za-z ]*?)  ", PAGE, re.MULTILINE)
        listed = {(side, int(kind), name) for side, kind, name in rows}
        known = {("client", kind, name) for name, kind in CLIENT_FRAMES.items()}
        known |= {("server", kind, name) for name, kind in SERVER_FRAMES.items()}
        self.assertEqual(listed, known)

    def test_limits_and_settings(self) -> None:
        self.assertIn(f"2 to {PAYLOAD_LIMIT} for the others", PAGE)
        self.assertIn(WIRE.endpoint, PAGE)
        for name in WIRE.options:
            self.assertIn(f"``stratego-frames.{name}``", PAGE)

    def test_all_transcripts_are_shown(self) -> None:
        for transcript in transcripts(WIRE.name):
            self.assertIn(f"/../tests/transcripts/stratego-frames/{transcript.name}.txt", PAGE)

    def test_settings_that_cannot_be(self) -> None:
        for settings in ({"strictly": "yes"}, {"strict": "perhaps"}, {"separate": ""}):
            self.assertRaises(BadOption, WIRE.configure, settings)


OPEN = {"limits.unlimited": "yes"}


class ReasonTests(SynchronousTestCase):
    def test_one_mistake_is_one_refusal(self) -> None:
        """The Error is not counted: it takes twenty refused moves to end the connection."""
        ann, _ = in_play(MemoryHost())
        all_heard(ann)
        told = ann.ask(*["Move (0,3) (0,10)"] * 19)
        refused = ['Error "there is no such square: x and y are 0 to 9"', MOVE_INVALID]
        self.assertEqual((told, ann.closed), (refused * 19, False))


class ResignTests(SynchronousTestCase):
    def test_during_the_set_up(self) -> None:
        for lines in ((), (*setups(ANN, 0), 'Ready "ready"')):
            ann, bob = signed_on(MemoryHost())
            ann.ask(*lines)
            self.assertEqual(ann.ask("Resign"), ['Game Over "bob"'])
            self.assertEqual(bob.heard()[-1], 'Game Over "bob"')

    def test_with_no_game(self) -> None:
        client = MemoryHost().connect(FRAMES_WIRE)
        self.assertEqual(client.ask("Resign"), ['Error "sign on first"'])
        self.assertEqual(
            client.ask('Sign On "ann"', "Resign")[1:], ['Error "the game has not begun: wait for Connected"']
        )


class LateTests(SynchronousTestCase):
    def test_board_and_end_arrive_together(self) -> None:
        """The Board behind the last Battle goes out with Game Over: no client is asked to move in between."""
        ann, bob = in_play(MemoryHost())
        for player in (ann, bob):
            player.transport.read()
        ann.say("Move (1,3) (1,6)")
        for player in (ann, bob):
            self.assertEqual([line.split(" ")[0] for line in player.heard()], ["Battle", "Board", "Game"])


class StrictTests(SynchronousTestCase):
    def test_strict_transcript_has_no_extension(self) -> None:
        [strict] = [one for one in transcripts(FRAMES_WIRE) if one.name == "strict"]
        extensions = tuple(name for name, kind in SERVER_FRAMES.items() if kind > 10)
        heard = [step.line for step in strict.steps if isinstance(step, Hears)]
        self.assertEqual([line for line in heard if line.startswith(extensions)], [])


class SecretTests(PairsContract, SynchronousTestCase):
    on_wire = ON_WIRE


DOCUMENT = Path(__file__).parents[2] / "docs" / "wires" / "stratego-frames.rst"

FRAMES = ("Sign On", "Setup", "Ready", "Move", "Resign")
#: What may be said in each state that is sensible there, and tried in all.
SENSIBLE = {"Sign On": 'Sign On "cat"', "Setup": "Setup 9 (0,3)", "Ready": 'Ready "ready"', "Move": "Move (0,3) (0,4)"}
SENSIBLE["Resign"] = "Resign"


@frozen
class Row:
    state: str
    frame: str
    answer: str
    if_strict: str
    then: str


def table() -> Iterator[Row]:
    block = DOCUMENT.read_text("utf-8").partition(":name: stratego-frames-states\n\n")[2].partition("\n\n")[0]
    for cells in csv.reader(line.strip() for line in block.splitlines()):
        yield Row(*(cell.strip() for cell in cells))


def brought_to(world: MemoryHost, state: FramesState, frame: str) -> Client:
    """A connection in a state, in which the frame has all that it needs to be sensible."""
    if state is FramesState.OUTSIDE:
        return connected(world)
    if state is FramesState.WAITING:
        return again(world, "ann")[0]
    if state is FramesState.SETUP:
        ann, _ = signed_on(world)
        if frame == "Ready":
            ann.ask(*setups(ANN, 0))
        return ann
    ann, _ = in_play(world)
    if state is FramesState.AFTER:
        assert ann.ask("Move (1,3) (1,6)")[-1] == 'Game Over "ann"'
    return ann


def name_of(line: str) -> str:
    return max((name for name in SERVER_FRAMES if line.startswith(name)), key=len)


class StateTests(SynchronousTestCase):
    def answered(self, row: Row, strict: bool) -> tuple[str, str]:
        world = MemoryHost(strict=strict)
        client = brought_to(world, FramesState(row.state), row.frame)
        self.assertEqual(state(client), FramesState(row.state))
        all_heard(client)
        names = " ".join(map(name_of, client.ask(SENSIBLE[row.frame])))
        after = state(client).value
        if client.transport.disconnecting or client.closed:
            return (names + " hangs up").strip(), after
        return names or "nothing", after

    def test_the_table_has_all(self) -> None:
        rows = [(row.state, row.frame) for row in table()]
        self.assertEqual(sorted(rows), sorted((one.value, frame) for one in FramesState for frame in FRAMES))
        self.assertEqual(len(FRAMES), len(m.CLIENT_FRAMES))

    def test_the_table_is_true(self) -> None:
        for row in table():
            self.assertEqual(self.answered(row, strict=False), (row.answer, row.then), row)

    def test_the_strict_table_is_true(self) -> None:
        for row in table():
            then = row.state if row.if_strict == "hangs up" else row.then
            self.assertEqual(self.answered(row, strict=True), (row.if_strict, then), row)
            self.assertNotIn("Error", row.if_strict)
