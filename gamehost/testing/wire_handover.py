"""
What becomes of a log-in that another host of the cluster hears.

One host has the connection, and hears its messages up to a log-in. Another host gets the bytes from the last place on where
no message was unfinished. It drops the messages that were heard already, and goes on. The client must not notice.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from gamehost.testing.memory_host import Client
from gamehost.testing.wire_answers import conversation_of
from gamehost.testing.wire_fuzzing import chunked
from gamehost.testing.wire_hooks import Situation, WireHooks, received
from gamehost.wires.base import Numbered
from gamehost.wires.framing import BLANK


class _Front:
    """The host that a client has connected to, until a log-in comes."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._codec = client.protocol._codec
        self._conversation: Any = client.protocol._conversation
        self._hear = self._conversation.hear
        self._conversation.hear = self._ask  # type: ignore[method-assign]
        #: What has come since no message was unfinished, and how many of its messages were heard. Blank lines do not count,
        #: because a codec that begins may see more or fewer of them.
        self.data, self.heard = b"", 0
        #: Whether a log-in has come.
        self.over = False

    def _ask(self, message: Any) -> None:
        if self._conversation.claim(message) is not None:
            self.over = True
            self._client.protocol.input.stop()  # a fault behind the log-in is the other host's matter
        else:
            self.heard += message is not BLANK
            self._hear(message)

    def send(self, piece: bytes) -> None:
        """The client sends some bytes."""
        if not self._codec.unfinished:
            self.data, self.heard = b"", 0
        self.data += piece
        self._client.send(piece)


def _go_on(client: Client, front: Client, heard: int) -> None:
    """Have a new connection go on for the one at the other host."""
    received(client)  # the other host has greeted the client
    codec, before = client.protocol._codec, front.protocol._codec
    if isinstance(codec, Numbered) and isinstance(before, Numbered):
        codec.sequence = before.sequence
    conversation: Any = client.protocol._conversation
    hear, left = conversation.hear, heard

    def skip(message: Any) -> None:
        nonlocal left
        if left:
            left -= message is not BLANK
        else:
            hear(message)

    conversation.hear = skip


class HandoverContract(WireHooks):
    """The behaviours of a wire whose log-ins are heard at another host than its first bytes."""

    def assert_unnoticed(self, reach: Callable[[], Situation], pieces: Sequence[bytes]) -> bool:
        """
        A client that sends this is told the same, whether one host hears it all or another one hears the log-in.

        :returns: whether there was a log-in
        """
        alone = reach()
        for piece in pieces:
            alone.client.send(piece)
        situation = reach()
        front, rest = _Front(situation.client), list(pieces)
        while rest and not front.over:
            front.send(rest.pop(0))
        told = situation.client.transport.read()
        closed = situation.client.closed
        if front.over:
            host, client = self.connected(unlimited="yes")
            _go_on(client, situation.client, front.heard)
            for piece in (front.data, *rest):
                client.send(piece)
            told += client.transport.read()
            closed = client.closed
            self.assertEqual(
                conversation_of(Situation(host, client)).state, conversation_of(alone).state, f"after {pieces!r}"
            )
        self.assertEqual((told, closed), (alone.client.transport.read(), alone.client.closed), f"told after {pieces!r}")
        return front.over

    def test_a_log_in_is_heard_at_another_host(self) -> None:
        """However what the client says is cut, and whatever it said before."""
        if not self.wire.spreads:
            return
        rng = random.Random(1)
        ann, impossible = self.log_in("ann"), self.log_in("no/such name")
        self.assertTrue(self.assert_unnoticed(self.connected_only, [ann]), "a log-in claims nothing")
        streams = [*self.corpus(), impossible + ann, *(data + ann for data in self.nonsense)]
        for stream in streams:
            for pieces in ([stream], chunked(stream, rng), [stream[:1], stream[1:]]):
                self.assert_unnoticed(self.connected_only, pieces)

    def test_a_log_in_is_heard_at_another_host_in_strict_mode(self) -> None:
        """The same, with the document's messages only."""
        if "strict" in self.wire.options:
            self.host_settings = {**self.host_settings, f"{self.wire.name}.strict": "yes"}
            self.test_a_log_in_is_heard_at_another_host()

    def test_the_next_log_in_is_heard_at_another_host(self) -> None:
        """After a match a client may go on elsewhere, too."""
        if not self.wire.spreads:
            return
        ann = self.log_in("ann")
        for pieces in ([ann], [ann[:1], ann[1:]], [self.nonsense[0] + ann]):
            self.assert_unnoticed(self.after_match, pieces)
