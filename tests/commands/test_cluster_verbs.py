"""The verb about a cluster, and how its answer is shown."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.commands.admin_verbs import VERBS
from gamehost.commands.cluster_verbs import CLUSTER_VERBS
from gamehost.storage.members import Member
from tests.admin.test_cluster import MEMBERS, State
from tests.kit.admin import AdminHost


class ShownTests(SynchronousTestCase):
    """Each answer of a member, as text."""

    def setUp(self) -> None:
        self.world = AdminHost()

    def lines(self) -> list[str]:
        *items, end = self.world.owner().ask("cluster")
        verb = CLUSTER_VERBS["cluster"]
        return [*(line for one in items for line in verb.item(one["item"])), *verb.end(end["end"])]

    def test_cluster(self) -> None:
        """One line for each member, and two about the one that is asked."""
        self.world.host.cluster = State()
        self.assertEqual(
            self.lines(),
            [
                "3  a.example  tcp:10.0.0.1:8990  (the leader)",
                "5  b.example  tcp:10.0.0.2:8990  (this member)",
                "6  c.example  tcp:10.0.0.3:8990",
                "this member: people: 0; tables: 0, and 0 asleep",
                "this member: relayed connections: 7 to other members, 2 from them",
            ],
        )

    def test_the_leader_is_asked(self) -> None:
        """Both marks stand in one line, and names from the database cannot control the terminal."""
        self.world.host.cluster = State(3, [Member(3, "a\x1b", "tcp:10.0.0.1:8990", "")])
        self.assertEqual(self.lines()[0], "3  a\\x1b  tcp:10.0.0.1:8990  (the leader, this member)")

    def test_status(self) -> None:
        """One line, but none for a host alone, or of an older release."""
        status = self.world.ask("status")
        older = {name: value for name, value in status.items() if name != "cluster"}
        for facts in (status, older):
            self.assertNotIn("cluster", "".join(VERBS["status"].end(facts)))
        relays = "relayed connections: 7 to other members, 2 from them"
        for state, words in (
            (State(), f"cluster: 3 members; this one is number 5, the leader is number 3; {relays}"),
            (State(members=MEMBERS[1:]), f"cluster: 2 members; this one is number 5, the leader; {relays}"),
        ):
            self.world.host.cluster = state
            self.assertIn(words, [*VERBS["status"].end(self.world.ask("status"))])
