"""A wire for a game that exists, written from CONTRIBUTING and the pages of the games alone: it passes the contract."""

from pathlib import Path

from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from tests.kit.plain_wire import WIRE


class WireTests(WireContract, PropertyCase):
    wire = WIRE
    transcripts = Path(__file__).parents[1] / "testing" / "transcripts"
    host_settings = {"onitama.deal": "boar,ox/crab,eel/tiger"}
    begun = b"name aaaa"
    too_long = b"name " + b"a" * 76 + b"\n"
    streams_in_suite = 200
    socket_streams = 60

    def log_in(self, name: str) -> bytes:
        return f"name {name}\n".encode()

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"play boar c1 c2\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"play boar c1 c3\n"

    def test_it_is_short(self) -> None:
        """At most 250 lines for codec, conversation and token."""
        source = Path(__file__).parents[1] / "kit" / "plain_wire.py"
        self.assertLess(source.read_text("utf-8").count("\n"), 250)
