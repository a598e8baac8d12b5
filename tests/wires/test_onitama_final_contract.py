"""What all wires do, asked of the final dialect."""

from gamehost.testing import memory_host
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.onitama_final.conversation import PAUSE, WIRE, State
from tests.kit.transcript import HOME
from tests.kit.wires.onitama_final_words import ZeroBytes

DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}


class PingedHost(memory_host.MemoryHost):
    """A host whose logged-in clients ping every ten seconds while more than half a minute passes."""

    def connect(self, wire: str = "onitama-final", address: str = "192.0.2.1") -> Client:
        client = super().connect(wire, address)
        self.__dict__.setdefault("clients", []).append(client)
        return client

    def wait(self, seconds: float) -> None:
        while seconds > 30:
            super().wait(10)
            seconds -= 10
            for client in self.__dict__.get("clients", ()):
                if not client.closed and not client.transport.disconnecting and client.state is not State.OUTSIDE:
                    client.send(b"PING|PING\0")
        super().wait(seconds)


class WireTests(WireContract, PropertyCase):
    """What all wires do. Before a match is set up, the second behind START passes."""

    wire = WIRE
    transcripts = HOME
    text = ZeroBytes
    host_class = PingedHost
    host_settings = DEAL
    begun = b"LOGIN|aaaaa"
    too_long = b"x" * 256 + b"\0"
    nonsense = (
        *(b"canary\0", b"\x1b[2Jcanary\0", b"canary\x07\0", b"LOGIN|canary\x1b\0", b"LOGIN|canary canary\0"),
        *(b"MAKE_MOVE|\x1b[2Jcanary|4|2|3|2\0", b"MAKE_PASS|canary\x07\0", b"START|canary\x7f\0", b"canary\xff\0"),
    )

    def log_in(self, name: str) -> bytes:
        return f"LOGIN|{name}\0".encode()

    def set_up(self, first: Client, second: Client) -> None:
        first.world.wait(PAUSE)

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"MAKE_MOVE|ox|4|2|3|2\0"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"MAKE_MOVE|ox|4|2|0|2\0"
