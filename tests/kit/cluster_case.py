"""What the tests of a cluster in memory share."""

from collections.abc import Mapping

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.memory_cluster import MemberHost, World
from tests.kit.memory_host import Client


class ClusterCase(SynchronousTestCase):
    """Two members. The first one leads."""

    members = 2
    settings: Mapping[str, str] = {}

    def setUp(self) -> None:
        self.world = World(self.members, dict(self.settings))
        self.first, self.second = self.world.hosts[:2]

    def log_in(self, host: MemberHost, name: str, wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        """A client that has logged in on a wire of lines."""
        client = host.connect(wire, address)
        client.say(f"LOGIN|{name}")
        self.world.wait(0.1)
        return client

    def match(self) -> tuple[Client, Client]:
        """Ann at the first member, and Bob, who came to the second one."""
        ann = self.log_in(self.first, "ann")
        self.world.wait(0.5)
        bob = self.log_in(self.second, "bob")
        self.assertIn("START|ann|bob", "".join(ann.heard()))
        self.assertIn("START|ann|bob", "".join(bob.heard()))
        return ann, bob

    def homes(self) -> dict[str, int]:
        """The names that have homes, and the members that those are."""
        return {key: home.member for key, home in self.world.database.homes.items()}
