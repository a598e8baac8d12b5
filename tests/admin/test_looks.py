"""Looks at a host: what is told, and that nothing changes."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.backlog import Backlog
from gamehost.storage.memory import MemoryJournal
from tests.kit.admin import AdminHost


class Durable(MemoryJournal):
    """A store with a backlog, as stores on disk have it."""

    def __init__(self, backlog: Backlog) -> None:
        super().__init__()
        self.backlog = backlog


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
        self.assertEqual(status["connections_by_wire"]["onitama"], 3)
        self.assertEqual((status["bans"], status["remote_games"]), (0, 0))

    def test_the_disk(self) -> None:
        """A store on disk has figures of its commits."""
        world = AdminHost()
        backlog = Backlog(lambda: 5.0)
        backlog.add(10, lambda: None)
        for store, commits in ((Durable(backlog), (0, None)), (Durable(backlog), (2, 2.5))):
            if commits[0]:
                for seconds in (0.002, 0.003):
                    backlog.measures.commits.observe(seconds)
                    backlog.measures.groups.observe(3)
            world.host.store = store
            journal = world.ask("status")["journal"]
            self.assertEqual((journal["commits"], journal["mean_commit_ms"]), commits)
            self.assertEqual((journal["waiting_changes"], journal["changes"]), (1, 3 * commits[0]))


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
