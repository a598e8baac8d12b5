"""What one member tells another one about a connection."""

import json

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from gamehost.cluster.claiming import LONGEST, Preamble, read_preamble
from gamehost.journal.records import SeatRecord
from gamehost.testing.cases import PropertyCase
from gamehost.wires.framing import WireError

WAITING = SeatRecord("Ann", "onitama", "192.0.2.1", True, "d" * 64)
FULL = Preamble("a token", "onitama", "2001:db8::1", tls=True, skip=3, sequence=4, hops=2, adopt=WAITING)


class PreambleTests(PropertyCase):
    """One line."""

    def test_there_and_back(self) -> None:
        """What is written is read."""
        for preamble in (FULL, evolve(FULL, adopt=None), Preamble("", "web", "")):
            line = preamble.line()
            self.assertTrue(line.endswith(b"\n"))
            self.assertLess(len(line), LONGEST)
            self.assertEqual(read_preamble(line[:-1]), preamble)

    def test_secrets(self) -> None:
        """Tokens and digests are in no log."""
        self.assertNotIn("a token", repr(FULL))
        self.assertNotIn("ddd", repr(FULL))

    @given(st.sampled_from(["token", "wire", "address", "tls", "skip", "sequence", "hops", "adopt"]), st.data())
    def test_other_kinds(self, name: str, data: st.DataObject) -> None:
        """A value of another kind is refused."""
        facts = json.loads(FULL.line())
        kind = type(facts[name])
        kinds: tuple[object, ...] = ("x", 1, -1, 1.5, True, None, [], {})
        others = [value for value in kinds if type(value) is not kind or value == -1]
        if name == "adopt":
            others.remove(None)
        facts[name] = data.draw(st.sampled_from(others))
        self.assertRaises(WireError, read_preamble, json.dumps(facts).encode())

    @given(st.binary(max_size=80))
    def test_garbage(self, line: bytes) -> None:
        """Anything else is refused, in one way."""
        self.assertRaises(WireError, read_preamble, line)

    def test_other_names(self) -> None:
        """Facts that are missing, and facts that nobody knows, are refused."""
        facts: dict[str, object] = json.loads(FULL.line())
        less = {key: value for key, value in facts.items() if key != "token"}
        cases: list[object] = [{**facts, "more": 1}, less, [], "x", 3]
        for changed in cases:
            self.assertRaises(WireError, read_preamble, json.dumps(changed).encode())
        self.assertRaises(WireError, read_preamble, b"[" * 3000)
