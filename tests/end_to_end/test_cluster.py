"""Two hosts on one database, as processes: strangers meet across them, and their match outlives its host."""

import random
import signal
from itertools import cycle
from pathlib import Path
from typing import Any, cast

from attrs import define
from twisted.trial.unittest import SynchronousTestCase

from tests.kit.cluster import Cluster, Member, end
from tests.kit.postgresql import the_server
from tests.kit.process import Socket
from tests.kit.sigkill import Pair


@define(eq=False)
class Doors:
    """The members, one after the other, as a pair of players knows its host."""

    members: "cycle[Member]"

    def connect(self, wire: str) -> Socket:
        """A connection to the next member."""
        return next(self.members).connect(wire)


def doors(*members: Member) -> Any:
    """Each player at another one of these."""
    return Doors(cycle(members))


class ClusterTests(SynchronousTestCase):
    """Once, and on one wire; `tests.slow_cluster` does it on all wires and with all troubles."""

    def test_strangers_meet_and_the_match_outlives_its_host(self) -> None:
        """They log in at two members. The member that has the table is killed, and they play on through the other one."""
        server = the_server()
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        pair = Pair(("ann", "bob"), random.Random(3))
        with Cluster(server, folder, ["onitama"], size=2) as cluster:
            pair.log_in(doors(*cluster.alive))
            self.assertIsNotNone(pair.known)
            for _ in range(3):
                pair.move()
            owner = cast(Member, cluster.owner_of("ann"))
            self.assertIs(cluster.owner_of("bob"), owner)
            end(owner, signal.SIGKILL)
            pair.read_what_came()
            pair.close()
            pair.log_in(doors(*cluster.alive))
            pair.move()
            self.assertEqual(pair.moves, 4)
            pair.close()
            self.assertIn("no faults", cluster.verify())
