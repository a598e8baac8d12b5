"""
The tests that every client's codec must pass: what one side writes, the other side reads.

A wire's tests derive `class ClientCodecTests(ClientCodecContract, PropertyCase)`.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import Mixin
from gamehost.testing.wire_connections import chunked, mutated
from gamehost.wires.framing import WireError

#: The longest stream, in bytes, that is cut at every place. Longer ones are cut at random.
EVERY_CUT = 400

_MESSAGES = st.randoms(use_true_random=False)


class ClientCodecContract(Mixin):
    """
    The law of codecs in both directions.

    Subclasses set `server_messages` and `client_messages`, and write `new_codec` and `new_client_codec`.
    """

    #: What the server may say: type -> what to draw of it. Every type of the wire, in a form that a server can mean.
    server_messages: Mapping[type, st.SearchStrategy[Any]]
    #: What a client may say, in the same way, with values that a server would refuse among them.
    client_messages: Mapping[type, st.SearchStrategy[Any]]

    def new_codec(self) -> Any:
        """The server's codec for one connection."""
        raise NotImplementedError

    def new_client_codec(self) -> Any:
        """The client's codec for one connection."""
        raise NotImplementedError

    def _drawn(self, data: st.DataObject, strategies: Mapping[type, st.SearchStrategy[Any]]) -> list[Any]:
        self.assertTrue(strategies)
        kinds = data.draw(st.lists(st.sampled_from(list(strategies)), min_size=1, max_size=4))
        return [data.draw(strategies[kind]) for kind in kinds]

    def _heard(self, codec: Any, pieces: Iterable[bytes]) -> list[object]:
        """The messages in these pieces, and the error that ended them, if one did."""
        messages: list[object] = []
        for piece in pieces:
            try:
                messages.extend(codec.feed(piece))
            except WireError as error:
                return [*messages, str(error)]
        return messages

    def _heard_by_client(self, pieces: Iterable[bytes]) -> list[object]:
        return self._heard(self.new_client_codec(), pieces)

    def _assert_heard(self, stream: bytes, messages: Sequence[object], rng: random.Random) -> None:
        self.assertEqual(self._heard_by_client([stream]), messages)
        self.assertEqual(self._heard_by_client(stream[n : n + 1] for n in range(len(stream))), messages)
        self.assertEqual(self._heard_by_client(chunked(stream, rng)), messages)
        cuts = range(len(stream)) if len(stream) <= EVERY_CUT else sorted(rng.sample(range(len(stream)), 20))
        for cut in cuts:
            self.assertEqual(self._heard_by_client([stream[:cut], stream[cut:]]), messages, cut)

    @given(st.data(), _MESSAGES)
    def test_what_the_server_writes_is_read(self, data: st.DataObject, rng: random.Random) -> None:
        """The client reads each message as it was meant: whole, byte by byte, and cut anywhere."""
        messages = self._drawn(data, self.server_messages)
        codec = self.new_codec()
        self._assert_heard(b"".join([codec.encode(message) for message in messages]), messages, rng)

    @given(st.data())
    def test_each_message_of_the_server_is_read(self, data: st.DataObject) -> None:
        """None of the types is left out by luck; and a message is unfinished from its first byte until its last one."""
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
        """The server reads each message as it was meant, and the client refuses to write any other."""
        client = self.new_client_codec()
        said, messages = [], []
        for message in self._drawn(data, self.client_messages):
            try:
                said.append(client.encode(message))
            except WireError:
                continue
            messages.append(message)
        self.assertEqual(self._heard(self.new_codec(), [b"".join(said)]), messages)

    def test_each_message_of_a_client_is_written(self) -> None:
        """Of every type there is a message that can be written."""

        @given(st.data())
        def some(data: st.DataObject) -> None:
            for kind, strategy in self.client_messages.items():
                try:
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
            for kind, strategy in self.server_messages.items():
                if kind not in self.client_messages:
                    self.assertRaises(WireError, self.new_client_codec().encode, data.draw(strategy))

        some()

    @given(st.binary(max_size=600), _MESSAGES)
    def test_any_bytes_raise_nothing_but_wire_error(self, data: bytes, rng: random.Random) -> None:
        """Whatever a server sends: there is a message or a `WireError`, and the same ones however the bytes are cut."""
        self.assertEqual(self._heard_by_client(chunked(data, rng)), self._heard_by_client([data]))

    @given(st.data(), _MESSAGES)
    def test_nearly_right_bytes_raise_nothing_but_wire_error(self, data: st.DataObject, rng: random.Random) -> None:
        """The same for streams that are nearly what a server sends."""
        codec = self.new_codec()
        said = b"".join([codec.encode(message) for message in self._drawn(data, self.server_messages)])
        stream = mutated(said, rng)
        whole = self._heard_by_client([stream])
        self.assertEqual(self._heard_by_client(chunked(stream, rng)), whole)
        self.assertEqual(self._heard_by_client(stream[n : n + 1] for n in range(len(stream))), whole)
