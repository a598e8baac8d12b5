"""The whole product of states and frames, against the table that the documentation prints."""

import csv
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen
from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.stratego_frames.conversation import FramesConversation, State
from gamehost.wires.stratego_frames.messages import CLIENT_FRAMES
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.stratego_frames_table import (
    ANN,
    BOB,
    CONNECTED,
    again,
    all_heard,
    connected,
    in_play,
    set_up,
    setups,
    signed_on,
    state,
)
from tests.kit.wires.stratego_frames_words import SERVER_FRAMES

PAGE = Path(__file__).parents[2] / "docs" / "wires" / "stratego-frames.rst"

FRAMES = ("Sign On", "Setup", "Ready", "Move", "Resign")
#: What may be said in each state that is sensible there, and tried in all.
SENSIBLE = {"Sign On": 'Sign On "cat"', "Setup": "Setup 9 (0,3)", "Ready": 'Ready "ready"', "Move": "Move (0,3) (0,4)"}
SENSIBLE["Resign"] = "Resign"


@frozen
class Row:
    """A row of the table."""

    state: str
    frame: str
    answer: str
    if_strict: str
    then: str


def table() -> Iterator[Row]:
    """The rows that the page prints."""
    block = PAGE.read_text("utf-8").partition(":name: stratego-frames-states\n\n")[2].partition("\n\n")[0]
    for cells in csv.reader(line.strip() for line in block.splitlines()):
        yield Row(*(cell.strip() for cell in cells))


def brought_to(world: MemoryHost, state: State, frame: str) -> Client:
    """A connection in a state, in which the frame has all that it needs to be sensible."""
    if state is State.OUTSIDE:
        return connected(world)
    if state is State.WAITING:
        return again(world, "ann")[0]
    if state is State.SETUP:
        ann, _ = signed_on(world)
        if frame == "Ready":
            ann.ask(*setups(ANN, 0))
        return ann
    ann, _ = in_play(world)
    if state is State.AFTER:
        assert ann.ask("Move (1,3) (1,6)")[-1] == 'Game Over "ann"'
    return ann


def name_of(line: str) -> str:
    """The name of a frame in words."""
    return max((name for name in SERVER_FRAMES if line.startswith(name)), key=len)


class StateTests(SynchronousTestCase):
    """Every frame in every state."""

    def answered(self, row: Row, strict: bool) -> tuple[str, str]:
        """What a frame is answered in a state, and the state after it."""
        world = MemoryHost(strict=strict)
        client = brought_to(world, State(row.state), row.frame)
        self.assertEqual(state(client), State(row.state))
        all_heard(client)
        names = " ".join(map(name_of, client.ask(SENSIBLE[row.frame])))
        after = state(client).value
        if client.transport.disconnecting or client.closed:
            return (names + " hangs up").strip(), after
        return names or "nothing", after

    def test_the_table_has_all(self) -> None:
        """Every state with every frame, once each."""
        rows = [(row.state, row.frame) for row in table()]
        self.assertEqual(sorted(rows), sorted((one.value, frame) for one in State for frame in FRAMES))
        self.assertEqual(len(FRAMES), len(CLIENT_FRAMES))

    def test_the_table_is_true(self) -> None:
        """What the page prints is what happens."""
        for row in table():
            self.assertEqual(self.answered(row, strict=False), (row.answer, row.then), row)

    def test_the_strict_table_is_true(self) -> None:
        """In strict mode, too; no frame is there that the document does not have."""
        for row in table():
            then = row.state if row.if_strict == "hangs up" else row.then
            self.assertEqual(self.answered(row, strict=True), (row.if_strict, then), row)
            self.assertNotIn("Error", row.if_strict)

    def test_what_is_out_of_place_changes_nothing(self) -> None:
        """After everything that can be refused, the same game goes on."""
        for one in State:
            world = MemoryHost({"limits.unlimited": "yes"})
            client = brought_to(world, one, "Move")
            for frame in FRAMES:
                if (one, list(CLIENT_FRAMES.values())[FRAMES.index(frame)]) not in FramesConversation.HEARS:
                    self.assertEqual(len(client.ask(SENSIBLE[frame])), 1)
                    self.assertEqual(state(client), one)

    def test_signing_on_to_somebody_who_waits(self) -> None:
        """The other way out of `outside` and `after`: Connected, to both."""
        world = MemoryHost()
        cat, _ = again(world, "cat")
        dan, told = again(world, "dan")
        self.assertEqual((cat.heard(), told), ([CONNECTED], [CONNECTED]))
        self.assertEqual((state(cat), state(dan)), (State.SETUP, State.SETUP))

    def test_both_ready(self) -> None:
        """The way from the set-up to play, for both at once."""
        ann, bob = signed_on(MemoryHost())
        set_up(ann, ANN, 0)
        self.assertEqual((state(ann), state(bob)), (State.SETUP, State.SETUP))
        set_up(bob, BOB, 6)
        self.assertEqual((state(ann), state(bob)), (State.PLAYING, State.PLAYING))
