"""The pipe-separated wire as a whole, from bytes to bytes."""

from tests.properties import PropertyCase
from tests.wire_contract import WireContract

DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

    name = "onitama"
    host_settings = DEAL
    begun = b"LOGIN|aaaaa"
    too_long = b"LOGIN|" + b"a" * 251 + b"\n"

    def log_in(self, name: str) -> bytes:
        return f"LOGIN|{name}\n".encode()
