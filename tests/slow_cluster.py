"""A cluster of three processes in trouble, under play on all wires. `make test-cluster` runs it, in about three minutes."""

import os
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.cluster import Cluster, require_cluster
from tests.kit.cluster_meetings import MEETING, one_name, strangers
from tests.kit.cluster_networks import failed_over, pulled
from tests.kit.cluster_trials import PORTS, percentile, run
from tests.kit.postgresql import PostgresServer, new_server, require_postgresql


def number(name: str, default: int) -> int:
    """How often something is done, from the environment."""
    return int(os.environ.get(f"GAMEHOST_{name}") or default)


def say(line: str) -> None:
    """Print what came of a trial."""
    sys.stdout.write(f"\n  {line}\n")
    sys.stdout.flush()


class ClusterCase(SynchronousTestCase):
    """A folder, and a server where it is needed."""

    timeout = 7200

    def setUp(self) -> None:
        require_postgresql()
        require_cluster()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def new_server(self) -> PostgresServer:
        """A server of its own."""
        server = new_server()
        self.addCleanup(server.remove)
        return server


class MembersTests(ClusterCase):
    """Members that are lost."""

    def test_kills(self) -> None:
        """kill -9: nothing is lost, nothing is there twice, and every table goes on."""
        say(run("kills", number("KILLS", 12), self.new_server(), self.folder))

    def test_stops(self) -> None:
        """SIGTERM in turn: nobody loses a seat."""
        say(run("stops", number("STOPS", 2), self.new_server(), self.folder))

    def test_hangs(self) -> None:
        """SIGSTOP: the tables are taken over within 5 s. After SIGCONT the member tells nothing, and ends with status 70."""
        say(run("hangs", number("HANGS", 2), self.new_server(), self.folder))


class DatabaseTests(ClusterCase):
    """A database that is away."""

    def test_restarts(self) -> None:
        """Nobody loses a connection, and no member ends."""
        say(run("restarts", number("RESTARTS", 3), self.new_server(), self.folder))

    def test_fail_overs(self) -> None:
        """A synchronous standby takes over: the same."""
        say(failed_over(number("FAILOVERS", 1), self.folder))


class CableTests(ClusterCase):
    """A machine without a network."""

    def test_cables(self) -> None:
        """Its tables are taken over, and it ends by itself."""
        say(pulled(number("CABLES", 1), self.folder))


class MeetingTests(ClusterCase):
    """Several members at once."""

    def test_one_name(self) -> None:
        """One of three who say the same name is let in."""
        with Cluster(self.new_server(), self.folder, ["onitama"], options=MEETING) as cluster:
            one_name(cluster, number("MEETINGS", 100))

    def test_strangers(self) -> None:
        """Two who come to two members meet, whatever wires they are on."""
        with Cluster(self.new_server(), self.folder, PORTS, options=MEETING) as cluster:
            took = strangers(cluster, number("MEETINGS", 100), 1)
        say(f"{len(took)} meetings: {percentile(took, 0.5):.2f} s (median), {percentile(took, 1.0):.2f} s (longest)")
