"""A cluster of three processes in trouble, under play on all wires. `make test-cluster` runs it, in about four minutes."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.cluster import Cluster
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


class FaultTests(ClusterCase):
    """Members with a fault are found out by the same trials."""

    def trouble(self, trouble: str, times: int, fault: str, **more: object) -> str:
        """What is said of a fault."""
        module = "tests.kit.faulty_hosts.members" if fault else "tests.kit.faulty_hosts.acknowledges_early"
        cluster = {"environment": {"FAULT": fault}}
        return str(
            self.failure(run, trouble, times, self.new_server(), self.folder, module=module, more=cluster, **more)
        )

    def failure(self, trial: Callable[..., object], *arguments: object, **more: object) -> AssertionError:
        """What a trial finds."""
        found: AssertionError = self.assertRaises(AssertionError, trial, *arguments, **more)
        say(str(found).splitlines()[0])
        return found

    def test_told_before_it_is_durable(self) -> None:
        """A move that is told 50 ms before it is written is not in the journal yet."""
        self.assertIn("does not follow from the journal", self.trouble("kills", 5, ""))

    def test_a_take_over_from_the_living(self) -> None:
        """A member that is taken over ends."""
        self.assertIn("a member has ended", self.trouble("restarts", 3, "take from the living"))

    def test_no_restraint_after_a_restart(self) -> None:
        """Who connects first finds the locks of the others free."""
        self.assertRegex(self.trouble("restarts", 5, "judge at once"), "ended|were lost|had not gone on")

    def test_a_lock_that_is_not_taken_again(self) -> None:
        """A member without its lock is taken for dead."""
        self.assertIn("a member has ended", self.trouble("restarts", 1, "forget the lock"))

    def test_relays_to_a_member_that_hangs(self) -> None:
        """Those who are relayed to it do not know that they must come back."""
        self.assertIn("had not gone on", self.trouble("hangs", 3, "keep relays"))

    def test_a_member_that_hangs_is_not_cut_off(self) -> None:
        """Its tables do not go on."""
        self.assertIn("had not gone on", self.trouble("hangs", 1, "stay silent"))

    def test_claims_without_the_lock(self) -> None:
        """Two members take one name."""
        module, environment = "tests.kit.faulty_hosts.members", {"FAULT": "claim without a lock"}
        server = self.new_server()
        with Cluster(server, self.folder, ["onitama"], 3, MEETING, module, environment) as cluster:
            self.failure(one_name, cluster, 20)


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
