"""
The tests that every codec must pass, and those for a client's codec: each side reads the messages that the other side
writes.

A wire's codec tests derive `class CodecTests(CodecContract, PropertyCase)`, and `class ClientCodecTests(ClientCodecContract,
PropertyCase)`.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import Mixin
from gamehost.testing.memory_host import Lines, MessageText
from gamehost.wires.framing import BLANK, WireError

#: The bytes that must not be in a line for a terminal.
CONTROL = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")

#: The first bytes of clients of other protocols: HTTP, TLS and SSH.
FOREIGN = (
    b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(64)),
    b"SSH-2.0-OpenSSH_9.2p1\r\n",
)


def chunked(data: bytes, rng: random.Random) -> list[bytes]:
    """Returns these bytes, cut into pieces of random sizes."""
    pieces = []
    while data:
        size = rng.choice((1, 1, 2, 3, 7, 20, 100))
        pieces.append(data[:size])
        data = data[size:]
    return pieces


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Returns these bytes with a few random faults: bytes added, left out, replaced or repeated."""
    result = bytearray(data)
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        at = rng.randrange(len(result) + 1)
        match rng.randrange(5):
            case 0:
                result[at:at] = bytes([rng.randrange(256)])
            case 1:
                del result[at : at + rng.choice((1, 1, 4, 30))]
            case 2:
                # Bytes that some format has a rule for; the last one is a digit that is not ASCII.
                result[at : at + 1] = rng.choice((b"\n", b"\x00", b"\xff", b"|", b"9", b"-", b"\r", b"<", b"\xc2\xb2"))
            case 3:
                piece = bytes(result[at : at + rng.randrange(40)])
                result[at:at] = piece
            case 4:
                result[at:at] = rng.choice(FOREIGN)[:20]
    return bytes(result)


def taken(codec: Any, segment: bytes) -> Iterator[Any]:
    """
    Reads the messages of a segment as a connection does. If the codec has `whole`, that is tried first: it reads a
    segment that is exactly one message. Otherwise, or if it returns `None`, `feed` reads the segment.
    """
    message = codec.whole(segment) if hasattr(codec, "whole") else None
    return codec.feed(segment) if message is None else iter((message,))


def heard_by(feed: Callable[[bytes], Iterable[object]], pieces: Iterable[bytes]) -> list[object]:
    """
    Returns the messages that a codec reads from pieces of a stream. If there is an error, the last item is its text.

    :param feed: returns the messages that are complete after a piece
    """
    messages: list[object] = []
    for piece in pieces:
        try:
            messages.extend(feed(piece))
        except WireError as error:
            return [*messages, str(error)]
    return messages


class CodecContract(Mixin):
    """
    The tests that every codec of a host must pass.

    A subclass sets `streams`, `read` and `sent`, and writes `new_codec`.
    """

    #: Bytes that clients may send, good and bad: several messages each. The first one is good.
    streams: Sequence[bytes]
    #: Whole messages of clients as bytes, and the message that the codec reads. They include every type. Their texts
    #: include every character that the format has a rule for: separators, quotes, escapes, and letters beyond ASCII.
    read: Sequence[tuple[bytes, Any]]
    #: Messages of the host, and the text that a client reads, as `text` writes it. They include the same as `read`.
    sent: Sequence[tuple[Any, str]]
    #: Translates the bytes of messages into the texts of `sent`.
    text: type[MessageText] = Lines
    #: The value of `Wire.spreads`.
    spreads: bool = False

    def new_codec(self) -> Any:
        """Returns a new codec, for one connection."""
        raise NotImplementedError

    def heard(self, pieces: Iterable[bytes]) -> list[object]:
        """Returns what a new codec reads from pieces of a stream. See `heard_by`."""
        return heard_by(partial(taken, self.new_codec()), pieces)

    def test_messages_of_clients_are_read(self) -> None:
        """The codec reads each message correctly: alone, and after all the others on one connection."""
        self.assertTrue(self.read)
        for data, message in self.read:
            self.assertEqual(list(self.new_codec().feed(data)), [message])
        together = b"".join(data for data, _ in self.read)
        self.assertEqual(self.heard([together]), [message for _, message in self.read])

    def test_messages_of_the_host_are_written(self) -> None:
        """A client reads each message correctly and to its last byte, also if the bytes arrive one by one."""
        self.assertTrue(self.sent)
        # `text` gets whole messages, and `slow` gets the bytes one by one.
        codec, text, slow = self.new_codec(), self.text(), self.text()
        for message, words in self.sent:
            data = codec.encode(message)
            self.assertEqual(text.heard(data), words.split("\n"))
            self.assertEqual(text.unread, b"", f"not a whole message: {message!r}")
            pieces = [slow.heard(data[at : at + 1]) for at in range(len(data))]
            self.assertEqual([line for lines in pieces for line in lines], words.split("\n"))

    def test_byte_by_byte_and_every_cut_hear_the_same(self) -> None:
        """The messages and the error do not depend on the cuts between segments."""
        for stream in self.streams:
            whole = self.heard([stream])
            self.assertTrue(whole)
            self.assertEqual(self.heard(stream[n : n + 1] for n in range(len(stream))), whole)
            for cut in range(len(stream) + 1):
                self.assertEqual(self.heard([stream[:cut], stream[cut:]]), whole, cut)

    def test_messages_in_segments_of_their_own(self) -> None:
        """
        The codec reads a message that is alone in a segment as it reads the message in a longer segment. With `whole`, a
        codec uses different code for the two.
        """
        for data, message in self.read:
            # After a good stream, so that the codec is in the middle of a connection.
            self.assertEqual(self.heard([self.streams[0], data])[-1:], [message])
            self.assertEqual(
                self.heard([self.streams[0], data, data])[-2:], self.heard([self.streams[0], data + data])[-2:]
            )

    def test_messages_one_at_a_time_with_rests_between(self) -> None:
        """If the reader pauses between two messages of a segment, it receives the same messages."""
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
        """
        Any bytes of a client give messages or a `WireError`. The result does not depend on the cuts between segments.
        """
        cut = rng.randrange(len(data) + 1)
        self.assertEqual(self.heard([data[:cut], data[cut:]]), self.heard([data]))

    def test_a_new_codec_goes_on_between_messages(self) -> None:
        """
        At each place where no message is unfinished, a new codec reads the rest as this one does. So a connection of a
        wire that spreads can continue at another host of a cluster. Blank lines may differ, because no conversation
        receives them.

        A new codec does not know the beginning of the connection, nor the faults that were forgiven. So one of the two may
        end with an error where the other one does not.
        """
        for stream in self.streams if self.spreads else ():
            # The messages of the whole stream. `count` is how many of them `codec` has read so far.
            whole = self._spoken([stream])
            codec, count = self.new_codec(), 0
            for at in range(len(stream)):
                if not codec.unfinished:
                    # A new codec reads the rest of the stream.
                    self._assert_same(self._spoken([stream[at:]]), whole[count:], f"after {at} bytes of {stream!r}")
                try:
                    count += sum(message is not BLANK for message in codec.feed(stream[at : at + 1]))
                except WireError:
                    break

    def _spoken(self, pieces: Iterable[bytes]) -> list[object]:
        """Returns the result of `heard`, without blank lines."""
        return [message for message in self.heard(pieces) if message is not BLANK]

    def _assert_same(self, new: list[object], old: list[object], where: str) -> None:
        """
        Checks that two codecs have read the same messages up to the first error. After an error of one codec, the other
        may have read more.
        """
        for one, other in ((new, old), (old, new)):
            if one and isinstance(one[-1], str) and len(one) <= len(other):  # this one ends with an error
                one, other = one[:-1], other[: len(one) - 1]
                # Only the messages before the error are compared.
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


#: The longest stream, in bytes, that is cut at every place. Longer ones are cut at random.
EVERY_CUT = 400

_MESSAGES = st.randoms(use_true_random=False)


class ClientCodecContract(Mixin):
    """
    The tests that the codecs of a client and of its server must pass together: each side reads what the other side
    writes.

    A subclass sets `server_messages` and `client_messages`, and writes `new_codec` and `new_client_codec`.
    """

    #: For each type of the server's messages, a strategy that draws messages of this type. Their values are values that
    #: a server can send.
    server_messages: Mapping[type, st.SearchStrategy[Any]]
    #: For each type of a client's messages, such a strategy. Some values are values that a server would refuse.
    client_messages: Mapping[type, st.SearchStrategy[Any]]

    def new_codec(self) -> Any:
        """Returns a new codec of the server, for one connection."""
        raise NotImplementedError

    def new_client_codec(self) -> Any:
        """Returns a new codec of the client, for one connection."""
        raise NotImplementedError

    def _drawn(self, data: st.DataObject, strategies: Mapping[type, st.SearchStrategy[Any]]) -> list[Any]:
        """Returns one to four random messages."""
        self.assertTrue(strategies)
        kinds = data.draw(st.lists(st.sampled_from(list(strategies)), min_size=1, max_size=4))
        return [data.draw(strategies[kind]) for kind in kinds]

    def _heard_by_client(self, pieces: Iterable[bytes]) -> list[object]:
        """Returns what a new codec of the client reads from pieces of a stream. See `heard_by`."""
        return heard_by(self.new_client_codec().feed, pieces)

    def _assert_heard(self, stream: bytes, messages: Sequence[object], rng: random.Random) -> None:
        """Checks that the client reads these messages from a stream: whole, byte by byte, and cut at many places."""
        self.assertEqual(self._heard_by_client([stream]), messages)
        self.assertEqual(self._heard_by_client(stream[n : n + 1] for n in range(len(stream))), messages)
        self.assertEqual(self._heard_by_client(chunked(stream, rng)), messages)
        # A long stream is cut at 20 random places only, because that takes less time.
        cuts = range(len(stream)) if len(stream) <= EVERY_CUT else sorted(rng.sample(range(len(stream)), 20))
        for cut in cuts:
            self.assertEqual(self._heard_by_client([stream[:cut], stream[cut:]]), messages, cut)

    @given(st.data(), _MESSAGES)
    def test_what_the_server_writes_is_read(self, data: st.DataObject, rng: random.Random) -> None:
        """The client reads each message correctly: whole, byte by byte, and cut anywhere."""
        messages = self._drawn(data, self.server_messages)
        codec = self.new_codec()
        self._assert_heard(b"".join([codec.encode(message) for message in messages]), messages, rng)

    @given(st.data())
    def test_each_message_of_the_server_is_read(self, data: st.DataObject) -> None:
        """
        The client reads a message of each type correctly. A message is unfinished from its first byte to its last one.
        """
        for kind, strategy in self.server_messages.items():
            message = data.draw(strategy)
            self.assertIs(type(message), kind)
            client, said = self.new_client_codec(), self.new_codec().encode(message)
            self.assertFalse(client.unfinished)
            self.assertEqual(list(client.feed(said[:1])), [])
            self.assertTrue(client.unfinished)
            self.assertEqual(list(client.feed(said[1:])), [message])
            self.assertFalse(client.unfinished)

    @given(st.data())
    def test_what_a_client_writes_is_read(self, data: st.DataObject) -> None:
        """The server reads each message correctly. The client refuses to write messages that the server would refuse."""
        client = self.new_client_codec()
        said, messages = [], []
        for message in self._drawn(data, self.client_messages):
            try:
                said.append(client.encode(message))
            except WireError:
                continue  # a value that a server would refuse
            messages.append(message)
        self.assertEqual(heard_by(self.new_codec().feed, [b"".join(said)]), messages)

    def test_each_message_of_a_client_is_written(self) -> None:
        """For each type of a client's messages, the client's codec can write at least one message."""

        @given(st.data())
        def some(data: st.DataObject) -> None:
            """Hypothesis calls this with many random messages: notes the kinds that the codec can write."""
            for kind, strategy in self.client_messages.items():
                try:
                    # `encode` refuses values that a server would refuse, so each kind is tried many times.
                    self.new_client_codec().encode(data.draw(strategy))
                except WireError:
                    continue
                written.add(kind)

        written: set[type] = set()
        some()
        self.assertEqual(written, set(self.client_messages))

    def test_what_a_server_says_is_not_written(self) -> None:
        """A client's codec refuses every message that only a server says."""

        @given(st.data())
        def some(data: st.DataObject) -> None:
            """Hypothesis calls this with many random messages."""
            for kind, strategy in self.server_messages.items():
                if kind not in self.client_messages:
                    self.assertRaises(WireError, self.new_client_codec().encode, data.draw(strategy))

        some()

    @given(st.binary(max_size=600), _MESSAGES)
    def test_any_bytes_raise_nothing_but_wire_error(self, data: bytes, rng: random.Random) -> None:
        """
        Any bytes of a server give messages or a `WireError`. The result does not depend on the cuts between segments.
        """
        self.assertEqual(self._heard_by_client(chunked(data, rng)), self._heard_by_client([data]))

    @given(st.data(), _MESSAGES)
    def test_nearly_right_bytes_raise_nothing_but_wire_error(self, data: st.DataObject, rng: random.Random) -> None:
        """
        Streams that are nearly what a server sends give messages or a `WireError`. The result does not depend on the
        cuts between segments.
        """
        codec = self.new_codec()
        said = b"".join([codec.encode(message) for message in self._drawn(data, self.server_messages)])
        stream = mutated(said, rng)
        whole = self._heard_by_client([stream])
        self.assertEqual(self._heard_by_client(chunked(stream, rng)), whole)
        self.assertEqual(self._heard_by_client(stream[n : n + 1] for n in range(len(stream))), whole)
