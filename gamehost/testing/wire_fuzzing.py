"""Streams that are nearly what clients send, cut in any way."""

import os
import random
import re
from collections.abc import Sequence

from gamehost.testing.message_text import Lines
from gamehost.testing.wire_connections import FOREIGN
from gamehost.testing.wire_hooks import WireHooks

#: How many streams the fuzzer makes for each wire; `make fuzz` asks for more. `None`: as many as the wire's tests say.
FUZZED = int(os.environ["GAMEHOST_FUZZED"]) if "GAMEHOST_FUZZED" in os.environ else None

#: What a line that is shown in a terminal must not hold.
CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")


def chunked(data: bytes, rng: random.Random) -> list[bytes]:
    """The same bytes in pieces of any sizes."""
    pieces = []
    while data:
        size = rng.choice((1, 1, 2, 3, 7, 20, 100))
        pieces.append(data[:size])
        data = data[size:]
    return pieces


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Nearly the same bytes."""
    result = bytearray(data)
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        at = rng.randrange(len(result) + 1)
        match rng.randrange(5):
            case 0:
                result[at:at] = bytes([rng.randrange(256)])
            case 1:
                del result[at : at + rng.choice((1, 1, 4, 30))]
            case 2:
                result[at : at + 1] = rng.choice((b"\n", b"\x00", b"\xff", b"|", b"9", b"-", b"\r", b"<", b"\xc2\xb2"))
            case 3:
                piece = bytes(result[at : at + rng.randrange(40)])
                result[at:at] = piece
            case 4:
                result[at:at] = rng.choice(FOREIGN)[:20]
    return bytes(result)


class FuzzingContract(WireHooks):
    """The behaviours of a wire with streams that are not quite right."""

    #: How many streams are made where nothing else is asked for: about three seconds of work at most.
    streams_in_suite: int = 600

    @property
    def _streams(self) -> int:
        return self.streams_in_suite if FUZZED is None else FUZZED

    def test_fuzz(self) -> None:
        """Rows 1 and 16: nearly valid streams raise nothing, and have the same answers however they are cut."""
        corpus = self.corpus()
        self.assertTrue(corpus)
        for seed in range(self._streams):
            rng = random.Random(seed)
            data = mutated(rng.choice(corpus), rng)
            whole = self._answers([data])
            self.assertEqual(self._answers([data[n : n + 1] for n in range(len(data))]), whole, (seed, data))
            self.assertEqual(self._answers(chunked(data, rng)), whole, (seed, data))

    def test_fuzz_while_waiting(self) -> None:
        """The same for a client that has logged in and waits for another player."""
        corpus = self.corpus()
        for seed in range(self._streams // 4):
            rng = random.Random(seed)
            data = mutated(rng.choice(corpus), rng)
            self.assertEqual(self._answers(chunked(data, rng), True), self._answers([data], True), (seed, data))

    def _answers(self, pieces: Sequence[bytes], waiting: bool = False) -> tuple[bytes, bytes]:
        """What a client, and the opponent it may find, receive when these pieces are sent."""
        if waiting:
            situation = self.waiting()
            world, client = situation.host, situation.client
            other = world.connect(self.wire.name)
        else:
            world, client = self.connected(unlimited="yes")
            other = world.connect(self.wire.name)
            self.join(other, "opponent")
        for piece in pieces:
            if client.transport.disconnecting or client.closed:
                break
            client.send(piece)
        answers = client.transport.read()
        if self.text is Lines:
            self.assertIsNone(CONTROL.search(answers), (pieces, "an answer holds a control byte"))
        return answers, other.transport.read()
