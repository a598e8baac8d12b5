"""The look at a cluster: who is told to be in it, and that no secret is."""

import json
from collections.abc import Sequence
from typing import Any

from attrs import frozen
from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.members import Member
from tests.kit.admin import AdminHost

#: Three members. The one that is asked is the second.
MEMBERS = (
    Member(3, "a.example", "tcp:10.0.0.1:8990", "secret-3"),
    Member(5, "b.example", "tcp:10.0.0.2:8990", "secret-5"),
    Member(6, "c.example", "tcp:10.0.0.3:8990", "secret-6"),
)


@frozen
class _State:
    """What a host knows of its cluster."""

    epoch: int = 5
    members: Sequence[Member] = MEMBERS
    relays_out: int = 7
    relays_in: int = 2


#: In the place of a `Cluster`.
State: Any = _State


class ClusterTests(SynchronousTestCase):
    """A member, and a host alone."""

    def test_members(self) -> None:
        """The leader comes first, and the member that is asked is marked."""
        world = AdminHost()
        world.match()
        world.host.cluster = State()
        items = world.items("cluster")
        marks = [(one["epoch"], one["leader"], one["this"]) for one in items]
        self.assertEqual(marks, [(3, True, False), (5, False, True), (6, False, False)])
        self.assertEqual((items[1]["name"], items[1]["address"]), ("b.example", "tcp:10.0.0.2:8990"))
        figures = {"epoch": 5, "people": 2, "tables": 1, "tables_asleep": 0, "relays_out": 7, "relays_in": 2}
        self.assertEqual(world.ask("cluster"), figures)

    def test_status(self) -> None:
        """It has the figures, and none for a host alone."""
        world = AdminHost()
        self.assertIsNone(world.ask("status")["cluster"])
        world.host.cluster = State()
        figures = {"epoch": 5, "members": 3, "leader": 3, "relays_out": 7, "relays_in": 2}
        self.assertEqual(world.ask("status")["cluster"], figures)
        world.host.cluster = State(members=())
        self.assertIsNone(world.ask("status")["cluster"]["leader"])

    def test_tokens(self) -> None:
        """What proves that a connection comes from a member is not told."""
        world = AdminHost()
        world.host.cluster = State()
        self.assertNotIn("secret", json.dumps([world.owner().ask(command) for command in ("cluster", "status")]))

    def test_alone(self) -> None:
        """A host alone says that it is alone."""
        refused = AdminHost().error("cluster")
        self.assertEqual(refused, "this host is no member of a cluster: it was started without --cluster")

    def test_what_another_member_may_have(self) -> None:
        """A player or a match that is not here may be there."""
        world = AdminHost()
        asked: Sequence[tuple[str, dict[str, Any]]] = (("kick", {"name": "ann"}), ("show", {"table": 7}))
        for command, arguments in asked:
            world.host.cluster = None
            self.assertNotIn("cluster", world.error(command, **arguments))
            world.host.cluster = State()
            self.assertIn("other members of the cluster", world.error(command, **arguments))
