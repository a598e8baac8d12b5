"""The wire as a whole, in a host in memory: what all wires must do, and the rest of the protocol."""

from pathlib import Path

from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.testing.wire_contract import WireContract
from gamehost_gomoku.wire.conversation import NAME, WIRE


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

    wire = WIRE
    transcripts = Path(__file__).parent / "transcripts"
    begun = b"NAME aaaaa"
    too_long = b"NAME " + b"a" * 124 + b"\n"

    def log_in(self, name: str) -> bytes:
        return f"NAME {name}\n".encode()

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"PLAY h8\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return second, b"PLAY h8\n"


class ConversationTests(PropertyCase):
    """What no transcript shows."""

    def host(self, *, strict: bool = False) -> MemoryHost:
        """A host with this wire alone."""
        return MemoryHost(wires=(WIRE,), strict=strict)

    def connect(self, host: MemoryHost, *lines: str) -> Client:
        """A client that has sent these lines."""
        client = host.connect(NAME)
        client.say(*lines)
        return client

    def test_names_are_checked(self) -> None:
        """By the rules of the host, for all wires."""
        host = self.host()
        self.connect(host, "NAME ann")
        taken, wrong = self.connect(host, "NAME Ann"), self.connect(host, "NAME a|b")
        self.assertTrue(taken.heard()[0].startswith("REFUSED "))
        self.assertTrue(wrong.heard()[0].startswith("REFUSED a name has 1 to 20 letters"))

    def test_strict(self) -> None:
        """The first wrong message ends the connection."""
        client = self.connect(self.host(strict=True), "HELLO", "NAME ann")
        self.assertEqual(client.heard(), ["CLOSING expected one of NAME, PLAY, RESIGN"])

    def test_the_host_stops(self) -> None:
        """The client is told why the connection ends."""
        host = self.host()
        client = self.connect(host, "NAME ann")
        client.heard()
        host.factories[NAME].close("the host is stopping")
        self.assertEqual(client.heard(), ["CLOSING the host is stopping"])
