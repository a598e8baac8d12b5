"""
The tests that every wire must pass. A wire's test module derives `class WireTests(WireContract, PropertyCase)`.

The hooks that it fills in are those of `gamehost.testing.wire_hooks.WireHooks`. The least that a wire of lines needs:

    class WireTests(WireContract, PropertyCase):
        wire = WIRE
        transcripts = Path(__file__).parent / "transcripts"
        begun = b"hi aaaa"
        too_long = b"hi " + b"a" * 38 + b"\\n"

        def log_in(self, name: str) -> bytes:
            return f"hi {name}\\n".encode()

        def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
            return first, b"+1\\n"

        def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
            return first, b"+7\\n"
"""

from gamehost.testing.wire_cluster import AdoptionContract, ClaimsContract, HandoverContract, OwnerContract
from gamehost.testing.wire_connections import ConnectionContract, FuzzingContract
from gamehost.testing.wire_connections import chunked as chunked
from gamehost.testing.wire_connections import mutated as mutated
from gamehost.testing.wire_matches import AnswersContract, MatchContract


class WireContract(
    ConnectionContract,
    MatchContract,
    AnswersContract,
    OwnerContract,
    ClaimsContract,
    AdoptionContract,
    HandoverContract,
    FuzzingContract,
):
    """The behaviours that all wires share."""
