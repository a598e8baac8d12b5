"""The extras offer their parts through entry points: each part can be used, and none is missing."""

from importlib.util import find_spec

from twisted.trial.unittest import SynchronousTestCase

from gamehost.entries import VERBS, Verb, loaded, offered
from gamehost.plugins import WIRES
from gamehost.programs.clients import CHECKS, CLIENTS
from gamehost.storage.databases import kind_of


class OffersTests(SynchronousTestCase):
    def test_each_wire_has_a_client_and_judges(self) -> None:
        """But the console, which people use."""
        names = {wire.name for wire in WIRES} - {"console"}
        self.assertEqual((set(offered(CLIENTS)), set(offered(CHECKS))), (names, names))

    def test_verbs(self) -> None:
        self.assertEqual(set(offered(VERBS)), {"bridge", "check", "contest", "mcp", "player", "trace"})
        for name in offered(VERBS):
            verb = loaded(VERBS, name, Verb)
            assert verb is not None
            self.assertTrue(verb.usage.startswith(f"gamehost {name} "))
            self.assertIsNone(None if name == "mcp" and find_spec("mcp") is None else verb.missing())

    def test_stores(self) -> None:
        self.assertIs(kind_of("postgresql:///games"), kind_of("postgres://127.0.0.1/games"))
        self.assertIsNone(kind_of("gamehost.sqlite"))
        self.assertIsNone(kind_of("memory"))
