"""What all wires do, asked of the pipes."""

from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.onitama.conversation import WIRE
from tests.kit.transcript import HOME

DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

    wire = WIRE
    transcripts = HOME
    host_settings = DEAL
    begun = b"LOGIN|aaaaa"
    too_long = b"LOGIN|" + b"a" * 251 + b"\n"

    silent = {
        "late": "it crossed with the end of the match on its way: the player is told the end and nothing else",
    }
    nonsense = (
        *WireContract.nonsense,
        *(b"MAKE_MOVE|\x1b[2Jcanary|c1|c2\n", b"STALEMATE|canary\x07\n", b"START|canary\x7f\n"),
    )

    def log_in(self, name: str) -> bytes:
        return f"LOGIN|{name}\n".encode()

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"MAKE_MOVE|ox|c1|c2\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"MAKE_MOVE|ox|c1|c5\n"
