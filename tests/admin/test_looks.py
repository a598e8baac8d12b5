"""Looks at a host: what is told, and that nothing changes."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.admin import AdminHost


class StatusTests(SynchronousTestCase):
    """The host as a whole."""

    def test_status(self) -> None:
        """Counts, ports, and the journal."""
        world = AdminHost("--console=tcp:1", "--onitama=tcp:2")
        world.match()
        world.connect().ask("LOGIN|carl")
        world.wait(5)
        status = world.ask("status")
        self.assertEqual((status["people"], status["waiting"], status["tables"]), (3, 1, 1))
        self.assertEqual((status["connections"], status["uptime_seconds"]), (3, 5))
        self.assertIn("onitama", [one["name"] for one in status["listeners"]])
        self.assertEqual(status["journal"], {"pressure": "none", "room": "enough"})
        self.assertIsNone(status["closed"])


class WhoTests(SynchronousTestCase):
    """Those who are here."""

    def test_who(self) -> None:
        """By name, with their table."""
        world = AdminHost()
        world.match("bob", "ann")
        world.connect().ask("LOGIN|carl")
        people = world.items("who")
        seated = [(one["name"], one["table"], one["game"]) for one in people[:2]]
        self.assertEqual(seated, [("ann", 1, "onitama"), ("bob", 1, "onitama")])
        self.assertEqual(people[2]["address"], "192.0.2.1")
        self.assertIsNone(people[2]["table"])
