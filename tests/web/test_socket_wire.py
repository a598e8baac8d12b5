"""The open wire over WebSocket does what all wires do: its contract, its transcripts, and streams that are not quite right."""

from collections.abc import Sequence
from typing import Any

from attrs import evolve

from gamehost.lobby.lobby import Lobby
from gamehost.settings import Settings, refuse_unknown
from gamehost.testing import wire_connections
from gamehost.testing.memory_host import MessageText
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.conversation import Peer
from gamehost.wires.open.conversation import OPTIONS, WIRE, OpenConversation
from gamehost.wires.open.websocket import SocketCodec, SocketConversation, frame_encoder
from tests.kit.web_host import KEY, FrameText, close, frame, message, part
from tests.wires.test_open import WireTests as LineTests

FUZZED = max((wire_connections.FUZZED or 2000) // 10, 100)


class TextsAlone(FrameText):
    """What a page hears: browsers answer pings, and keep closing frames to themselves."""

    def heard(self, data: bytes) -> list[str]:
        texts = [line for line in super().heard(data) if line.startswith("{")]
        return [text.replace("messages that are not JSON", "lines that are not JSON") for text in texts]


class Answering(SocketConversation):
    """A conversation behind its handshake, with a browser that answers pings."""

    def begin(self) -> None:
        OpenConversation.begin(self)


class Opened:
    """Connections behind their handshake."""

    def __init__(self) -> None:
        self._encoder = frame_encoder(OPTIONS)

    def new_codec(self) -> SocketCodec:
        return SocketCodec()

    def new_conversation(self, peer: Peer[Any], lobby: Lobby) -> SocketConversation:
        conversation = Answering(peer, lobby, OPTIONS, self._encoder, KEY, True)
        conversation._switched = True
        return conversation


def configure(settings: Settings) -> Opened:
    """Without settings."""
    refuse_unknown(settings, ())
    return Opened()


def framed(lines: bytes) -> bytes:
    """Lines as texts."""
    return b"".join(message(line) for line in lines.splitlines())


class WireTests(LineTests):
    """The tests of the wire, with each line in a frame."""

    wire = evolve(WIRE, configure=configure)
    text: type[MessageText] = TextsAlone
    begun = frame(1, b'{"do":"enter","name":"aaaaa', length=4096)
    too_long = message(b'{"do":"enter","name":"' + b"a" * 4073 + b'"}')
    nonsense = (
        *(framed(one) for one in LineTests.nonsense if b"\xff" not in one and b"\x00" not in one),
        *(frame(2, b"canary"), message(b"canary\xff"), frame(11, b"canary"), frame(1, b"canary", bits=7)),
        *(message("canary", fin=False) + message("canary"), part("canary"), message("canary\x1b[2J")),
    )

    def log_in(self, name: str) -> bytes:
        return framed(super().log_in(name))

    def logged_in(self, account: bool) -> Situation:
        """Ann, who does not seek opponents."""
        host, client = self.connected(unlimited="yes")
        data = message('{"do":"log-in","name":"ann","password":"secret secret"}') if account else self.log_in("ann")
        client.send(data)
        return Situation(host, client)

    def join(self, client: Any, name: str) -> None:
        client.send(self.log_in(name) + message('{"do":"seek","game":"onitama"}'))

    def join_again(self, client: Any, name: str) -> None:
        client.send(message('{"do":"seek","game":"onitama"}'))

    def legal_action(self, first: Any, second: Any) -> tuple[Any, bytes]:
        client, lines = super().legal_action(first, second)
        return client, framed(lines)

    def illegal_action(self, first: Any, second: Any) -> tuple[Any, bytes]:
        client, lines = super().illegal_action(first, second)
        return client, framed(lines)

    def corpus(self) -> Sequence[bytes]:
        control = frame(9, b"?") + message('{"do":"ping"', fin=False) + frame(10) + part("}", fin=True) + close(1001)
        return [*super().corpus(), control]

    def test_every_message_is_written_whole(self) -> None:
        """The closing frames, too."""
        self.text = FrameText
        super().test_every_message_is_written_whole()

    def test_fuzz(self) -> None:
        """As of lines, with fewer streams: what is behind the frames is the same."""
        self.patch(wire_connections, "FUZZED", FUZZED)
        super().test_fuzz()

    def test_fuzz_while_waiting(self) -> None:
        """The same."""
        self.patch(wire_connections, "FUZZED", FUZZED)
        super().test_fuzz_while_waiting()


del LineTests
