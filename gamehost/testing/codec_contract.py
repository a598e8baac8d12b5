"""The tests that every codec must pass. A wire's codec tests derive `class CodecTests(CodecContract, PropertyCase)`."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import Mixin
from gamehost.testing.memory_host import Lines, MessageText
from gamehost.wires.framing import BLANK, WireError


class CodecContract(Mixin):
    """
    The behaviours shared by all codecs.

    Subclasses set `streams`, `read` and `sent`, and write `new_codec`.
    """

    #: What clients may send, good and bad: several messages each. The first one is good.
    streams: Sequence[bytes]
    #: Whole messages of clients as bytes, and what the codec reads. Have every type among them, and in the texts every
    #: character that the format has a rule for: separators, quotes, escapes, and letters beyond ASCII.
    read: Sequence[tuple[bytes, Any]]
    #: Messages of the host, and what a client reads, in the words of `text`. Have the same among them.
    sent: Sequence[tuple[Any, str]]
    #: How the words of `sent` are written.
    text: type[MessageText] = Lines
    #: As of the wire.
    spreads: bool = False

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

    def test_messages_of_clients_are_read(self) -> None:
        """Each is read as it should be, alone, and behind all the others on one connection."""
        self.assertTrue(self.read)
        for data, message in self.read:
            self.assertEqual(list(self.new_codec().feed(data)), [message])
        together = b"".join(data for data, _ in self.read)
        self.assertEqual(self.heard([together]), [message for _, message in self.read])

    def test_messages_of_the_host_are_written(self) -> None:
        """A client reads each as it was meant, and is left with nothing unread, byte by byte too."""
        self.assertTrue(self.sent)
        codec, text, slow = self.new_codec(), self.text(), self.text()
        for message, words in self.sent:
            data = codec.encode(message)
            self.assertEqual(text.heard(data), words.split("\n"))
            self.assertEqual(text.unread, b"", f"not a whole message: {message!r}")
            pieces = [slow.heard(data[at : at + 1]) for at in range(len(data))]
            self.assertEqual([line for lines in pieces for line in lines], words.split("\n"))

    def test_byte_by_byte_and_every_cut_hear_the_same(self) -> None:
        """The messages and the error are the same, however the bytes are cut into segments."""
        for stream in self.streams:
            whole = self.heard([stream])
            self.assertTrue(whole)
            self.assertEqual(self.heard(stream[n : n + 1] for n in range(len(stream))), whole)
            for cut in range(len(stream) + 1):
                self.assertEqual(self.heard([stream[:cut], stream[cut:]]), whole, cut)

    def test_messages_one_at_a_time_with_rests_between(self) -> None:
        """An iterator that pauses goes on where it was."""
        for stream in self.streams:
            messages: list[object] = []
            try:
                for message in self.new_codec().feed(stream):
                    messages.append(message)
            except WireError as error:
                messages.append(str(error))
            self.assertEqual(messages, self.heard([stream]))

    @given(st.binary(max_size=600), st.randoms(use_true_random=False))
    def test_any_bytes_raise_nothing_but_wire_error(self, data: bytes, rng: random.Random) -> None:
        """Whatever a client sends: there is a message or a `WireError`, and the same ones however the bytes are cut."""
        cut = rng.randrange(len(data) + 1)
        self.assertEqual(self.heard([data[:cut], data[cut:]]), self.heard([data]))

    def test_a_new_codec_goes_on_between_messages(self) -> None:
        """
        Wherever no message is unfinished, a new codec reads the rest as this one does: so a connection of a wire that
        spreads can go on at another host of a cluster. Blank lines may differ, because nobody hears them.

        A new codec does not know how the connection began, nor which faults were forgiven. So an error may end what one of
        the two reads, and not what the other reads.
        """
        for stream in self.streams if self.spreads else ():
            whole = self._spoken([stream])
            codec, count = self.new_codec(), 0
            for at in range(len(stream)):
                if not codec.unfinished:
                    self._assert_same(self._spoken([stream[at:]]), whole[count:], f"after {at} bytes of {stream!r}")
                try:
                    count += sum(message is not BLANK for message in codec.feed(stream[at : at + 1]))
                except WireError:
                    break

    def _spoken(self, pieces: Iterable[bytes]) -> list[object]:
        """What `heard` gives, without blank lines."""
        return [message for message in self.heard(pieces) if message is not BLANK]

    def _assert_same(self, new: list[object], old: list[object], where: str) -> None:
        """The same messages, as far as neither list has an error; a list that ends in no error is not the shorter one."""
        for one, other in ((new, old), (old, new)):
            if one and isinstance(one[-1], str) and len(one) <= len(other):
                one, other = one[:-1], other[: len(one) - 1]
                self.assertEqual(one, other, where)
                return
        self.assertEqual(new, old, where)

    def test_unfinished_tells_a_begun_message(self) -> None:
        """A message is unfinished from its first byte on, until its last one."""
        codec = self.new_codec()
        self.assertFalse(codec.unfinished)
        list(codec.feed(self.streams[0][:1]))
        self.assertTrue(codec.unfinished)
        list(codec.feed(self.streams[0][1:]))
        self.assertFalse(codec.unfinished)
