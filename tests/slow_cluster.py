"""A cluster of three processes in trouble, under play on all wires. `make test-cluster` runs it, in about four minutes."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.cluster import Cluster
from tests.kit.cluster_networks import behind, failed_over, pulled
from tests.kit.cluster_starts import crowded
from tests.kit.cluster_trials import MEETING, PORTS, one_name, percentile, run, strangers
from tests.kit.postgresql import PostgresServer, new_server, require_postgresql
from tests.kit.sources import ROOT


def number(name: str, default: int) -> int:
    """How often something is done, from the environment."""
    return int(os.environ.get(f"GAMEHOST_{name}") or default)


def say(line: str) -> None:
    sys.stdout.write(f"\n  {line}\n")
    sys.stdout.flush()


class ClusterCase(SynchronousTestCase):
    timeout = 7200

    def setUp(self) -> None:
        require_postgresql()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def new_server(self) -> PostgresServer:
        server = new_server()
        self.addCleanup(server.remove)
        return server


class MembersTests(ClusterCase):
    def test_kills(self) -> None:
        """kill -9: nothing is lost, nothing is there twice, and every table goes on."""
        say(run("kills", number("KILLS", 12), self.new_server(), self.folder))

    def test_starts(self) -> None:
        say(run("starts", number("STARTS", 1), self.new_server(), self.folder))

    def test_starts_with_many_tables(self) -> None:
        """No member ends but those that are killed, and every table and name is at a living one then."""
        say(crowded(number("CROWDED", 3), number("TABLES", 1000), self.new_server(), self.folder))

    def test_stops(self) -> None:
        say(run("stops", number("STOPS", 2), self.new_server(), self.folder))

    def test_hangs(self) -> None:
        """SIGSTOP: the tables are taken over within 5 s. After SIGCONT the member tells nothing, and ends with status 70."""
        say(run("hangs", number("HANGS", 2), self.new_server(), self.folder))


class DatabaseTests(ClusterCase):
    def test_restarts(self) -> None:
        say(run("restarts", number("RESTARTS", 3), self.new_server(), self.folder))

    def test_fail_overs(self) -> None:
        """A synchronous standby takes over: the same."""
        say(failed_over(number("FAILOVERS", 1), self.folder))

    def test_a_standby_that_is_behind(self) -> None:
        """No table that has lost moves is played on, by whoever is left and by the next runs, and the log names each."""
        say(behind(number("BEHIND", 1), self.folder))


class CableTests(ClusterCase):
    def test_cables(self) -> None:
        say(pulled(number("CABLES", 1), self.folder))


class MeetingTests(ClusterCase):
    def test_one_name(self) -> None:
        with Cluster(self.new_server(), self.folder, ["onitama"], options=MEETING) as cluster:
            one_name(cluster, number("MEETINGS", 100))

    def test_strangers(self) -> None:
        """Two who come to two members meet, whatever wires they are on."""
        with Cluster(self.new_server(), self.folder, PORTS, options=MEETING) as cluster:
            took = strangers(cluster, number("MEETINGS", 100), 1)
        say(f"{len(took)} meetings: {percentile(took, 0.5):.2f} s (median), {percentile(took, 1.0):.2f} s (longest)")


# `make cluster` as a whole: three hosts start, one is killed, then all, and Ctrl-C ends those that were started again and the
# database.


#: Added to all ports, so that a host of this machine may run meanwhile.
SHIFT = 21_000


class TryClusterTests(SynchronousTestCase):
    def test_kill_and_end(self) -> None:
        require_postgresql()
        command = [sys.executable, "-m", "tests.kit.try_cluster", str(SHIFT)]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None and program.stdin is not None
            lines = []
            for line in program.stdout:
                lines.append(line)
                if "Ctrl-C" in line:
                    break
            text = "".join(lines)
            found = re.findall(r"^(\d  \S+  tcp:127.0.0.1:\d+)  pid (\d+)  nc ", text, re.M)
            self.assertEqual(len(found), 3, text)
            members, pids = [member for member, _ in found], [int(pid) for _, pid in found]
            [folder] = re.findall(r"The logs of the hosts are in (\S+)\.$", text, re.M)
            os.kill(pids[0], signal.SIGKILL)
            self.assertEqual(next(program.stdout), f"{members[0]}  was ended by SIGKILL\n")
            program.stdin.write("\n")
            program.stdin.flush()
            again = re.match(r"(4  \S+  tcp:127.0.0.1:\d+)  pid (\d+)  nc ", next(program.stdout))
            assert again is not None
            pids.append(int(again[2]))
            asked = subprocess.run(
                [sys.executable, "-m", "gamehost", "admin", f"--admin={folder}/2.admin", "cluster"],
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertIn("this member", asked.stdout)
            for member in (*members[1:], again[1]):
                self.assertIn(member, asked.stdout)
            for pid in pids[1:]:
                os.kill(pid, signal.SIGKILL)
            words = [next(program.stdout) for _ in range(4)]
            self.assertEqual(words[3], "no host is left: Enter starts them again, Ctrl-C ends everything\n")
            program.stdin.write("\n")
            program.stdin.flush()
            for _ in range(3):
                found_again = re.match(r"\d  \S+  tcp:127.0.0.1:\d+  pid (\d+)  nc ", next(program.stdout))
                assert found_again is not None
                pids.append(int(found_again[1]))
            program.send_signal(signal.SIGINT)
            program.send_signal(signal.SIGINT)
            self.assertEqual(program.wait(60), 0)
        self.assertFalse(Path(folder).exists())
        for pid in pids:
            self.assertRaises(ProcessLookupError, os.kill, pid, 0)
