"""What every codec must do. A wire's codec tests derive `class CodecTests(CodecContract, PropertyCase)`."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import Mixin
from gamehost.wires.framing import WireError


class CodecContract(Mixin):
    """
    The behaviours shared by all codecs.

    Subclasses set `streams`, what clients may send, good and bad, and write `new_codec`.
    """

    streams: Sequence[bytes]

    def new_codec(self) -> Any:
        """A codec for one connection."""
        raise NotImplementedError

    def heard(self, pieces: Iterable[bytes]) -> list[object]:
        """The messages in these pieces, and the error that ended them, if one did."""
        codec = self.new_codec()
        messages: list[object] = []
        for piece in pieces:
            try:
                messages.extend(codec.feed(piece))
            except WireError as error:
                return [*messages, str(error)]
        return messages

    def test_byte_by_byte_and_every_cut_hear_the_same(self) -> None:
        """However the segments fall, the messages are the same, and so is the error."""
        for stream in self.streams:
            whole = self.heard([stream])
            self.assertTrue(whole)
            self.assertEqual(self.heard(stream[n : n + 1] for n in range(len(stream))), whole)
            for cut in range(len(stream) + 1):
                self.assertEqual(self.heard([stream[:cut], stream[cut:]]), whole, cut)

    def test_messages_one_at_a_time_with_rests_between(self) -> None:
        """An iterator that is left standing goes on where it was."""
        for stream in self.streams:
            messages: list[object] = []
            try:
                for message in self.new_codec().feed(stream):
                    messages.append(message)
            except WireError as error:
                messages.append(str(error))
            self.assertEqual(messages, self.heard([stream]))

    @given(st.binary(max_size=600), st.randoms(use_true_random=False))
    def test_any_bytes_raise_nothing_but_not_this_wire(self, data: bytes, rng: random.Random) -> None:
        """And hear the same in two ways of cutting."""
        cut = rng.randrange(len(data) + 1)
        self.assertEqual(self.heard([data[:cut], data[cut:]]), self.heard([data]))

    def test_unfinished_tells_a_begun_message(self) -> None:
        """Before the first byte there is nothing to wait for, after it there is."""
        codec = self.new_codec()
        self.assertFalse(codec.unfinished)
        list(codec.feed(self.streams[0][:1]))
        self.assertTrue(codec.unfinished)
        list(codec.feed(self.streams[0][1:]))
        self.assertFalse(codec.unfinished)
