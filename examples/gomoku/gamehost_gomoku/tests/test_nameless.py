"""The wire for a protocol of another kind: its lines end in CRLF, and its clients have no names."""

from pathlib import Path
from typing import Any, ClassVar

from attrs import evolve
from msgspec import Struct

from gamehost.accounts.names import NameRefused
from gamehost.settings import Settings, refuse_unknown
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client, Lines
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, common_settings
from gamehost_gomoku.master import GOMOKU
from gamehost_gomoku.wire.codec import GomokuCodec
from gamehost_gomoku.wire.conversation import WIRE, GomokuConversation, State
from gamehost_gomoku.wire.messages import Play, Resign

NAME = "gomoku-nameless"


class Hello(Struct, frozen=True):
    """Client: play against the next one. `HELLO`."""


class NamelessCodec(GomokuCodec):
    def read(self, line: bytes) -> Any:
        return Hello() if line == b"HELLO" else super().read(line)

    def encode(self, message: Any) -> bytes:
        return super().encode(message).replace(b"\n", b"\r\n")


class NamelessConversation(GomokuConversation):
    def hello(self, message: Hello) -> None:
        """The host gives a name, such as guest.1."""
        try:
            session = self.lobby.enter_as("", self._wire, self.peer.address, self)
        except NameRefused as refusal:
            self._refuse(str(refusal))
            return
        self.logged_in(session)
        self.set_state(State.WAITING)
        self.lobby.play(session, self._queue)

    def nobody(self, message: Hello) -> None:
        """Whose log-in it is: that of no name."""

    HEARS: ClassVar[Any] = {
        (State.OUTSIDE, Hello): hello,
        (State.PLAYING, Play): GomokuConversation.play,
        (State.PLAYING, Resign): GomokuConversation.resign,
    }
    CLAIMS: ClassVar[Any] = {(State.OUTSIDE, Hello): nobody}


def configure(settings: Settings) -> CommonWireConfig[Any]:
    refuse_unknown(settings, COMMON_OPTIONS)
    return CommonWireConfig(NAME, NamelessCodec, NamelessConversation, *common_settings(settings, NAME, GOMOKU))


class NamelessLines(Lines):
    END = b"\r\n"


class NamelessTests(WireContract, PropertyCase):
    wire = evolve(WIRE, name=NAME, configure=configure)
    transcripts = Path(__file__).parent / "transcripts"
    text = NamelessLines
    nameless = "the host gives the names"
    impossible_names = ()
    no_return = "nothing says who comes back"
    begun = b"HELLO"
    too_long = b"HELLO" + b"o" * 124 + b"\r\n"
    streams_in_suite = socket_streams = 5

    def log_in(self, name: str) -> bytes:
        return b"HELLO\r\n"

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"PLAY h8\r\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return second, b"PLAY h8\r\n"
