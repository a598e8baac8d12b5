"""Hosts on PostgreSQL, as processes: a database that restarts under play, and two hosts on one database."""

import io
import random
import signal
import subprocess
import sys
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from attrs import define
from twisted.trial.unittest import SynchronousTestCase

from gamehost.plugins import REGISTRY
from tests import long
from tests.kit import try_cluster
from tests.kit.cluster import Cluster, Member, end
from tests.kit.kills import Pair, restart_under_play
from tests.kit.postgresql import the_server
from tests.kit.process import HostProcess, Socket
from tests.kit.try_cluster import HOSTS, introduction, main, options, ports

# Two hosts on one database, as processes: strangers meet across them, and their match outlives its host.


@define(eq=False)
class Doors:
    """The members, one after the other, as a pair of players knows its host."""

    members: "cycle[Member]"

    def connect(self, wire: str) -> Socket:
        return next(self.members).connect(wire)


def doors(*members: Member) -> Any:
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


class OneDatabaseTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = the_server()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def refusal(self, database: str, *options: str) -> str:
        host = HostProcess(*options, wires=["onitama"], folder=self.folder, store=self.server.url(database))
        error = self.assertRaises(AssertionError, host.__enter__)
        host.__exit__(None, None, None)
        self.assertNotIn("listening", str(error))
        return str(error)

    @long
    def test_a_host_alone_on_the_database_of_a_cluster(self) -> None:
        """It is refused, and told who has the database. The members go on, also over kill -9 of one of them."""
        with Cluster(self.server, self.folder, ["onitama"], size=2) as cluster:
            for _ in range(2):
                words = self.refusal(cluster.database)
                self.assertIn("the members of a cluster have this journal open (", words)
                self.assertIn("start this host with --cluster, too, or stop all of them first", words)
                if len(cluster.alive) > 1:
                    end(cluster.alive[1], signal.SIGKILL)
            self.assertEqual(len(cluster.alive), 1)

    def test_a_cluster_on_the_database_of_a_host_alone(self) -> None:
        """The same, the other way; and two hosts alone."""
        database = self.server.new_database()
        with HostProcess(wires=["onitama"], folder=self.folder, store=self.server.url(database)) as host:
            words = self.refusal(database, "--cluster=tcp:127.0.0.1:0")
            self.assertIn("a host without --cluster (connected from 127.0.0.1", words)
            self.assertIn("stop it, and start it with --cluster, too", words)
            self.assertIn("another host (connected from 127.0.0.1", self.refusal(database))
            self.assertEqual(host.process.poll(), None)


# A host on PostgreSQL over real sockets: the database restarts under play, and the host is killed.


class PlayTests(SynchronousTestCase):
    """Once; `tests.slow_kills` does it more often, and with a host that answers before the commit."""

    def test_the_database_restarts_under_play(self) -> None:
        """The players notice a pause. After kill -9, the next host knows every move."""
        server = the_server()
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        seen = restart_under_play(1, 5, folder, server)
        self.assertGreater(seen.moves, 2)
        self.assertLess(seen.longest, 10.0)


# `make cluster`: what its hosts listen on, and what whoever tries it is told. `tests.slow_cluster` starts them.


class OptionsTests(SynchronousTestCase):
    def test_ports(self) -> None:
        """Each wire and the pages have a port at each host, and no two of them share one."""
        self.assertEqual(set(ports(0)), {*(wire.name for wire in REGISTRY.own), "web"})
        all_ports = [port for number in range(HOSTS) for port in ports(number * try_cluster.APART).values()]
        self.assertEqual(len(all_ports), len(set(all_ports)))
        self.assertEqual(ports(200)["stratego-lines"], 9090)

    def test_options(self) -> None:
        """All hosts have one store, and each has a socket and ports of its own."""
        own = ["--store=postgresql:///games", "--cluster=tcp:127.0.0.1:0", "--admin=/folder/2.admin", "--shift=1100"]
        self.assertEqual(options(1, 1000, "postgresql:///games", Path("/folder")), own)

    def test_introduction(self) -> None:
        member = "3  vm  tcp:127.0.0.1:40000"
        words = f"{member}  pid 7  nc 127.0.0.1 8888    http://127.0.0.1:8080/  other wires: the usual ports"
        self.assertEqual(introduction(0, member, 7, 0), words)
        self.assertIn("other wires: the usual ports + 1200", introduction(2, member, 7, 1000))

    def test_all_have_ended(self) -> None:
        """It waits for Enter, and says so once; it ends if there is no input that could start a host."""
        said: list[str] = []
        tried = try_cluster.TriedCluster(0, "memory", Path(), said.append)
        for number in range(HOSTS):
            process = subprocess.Popen(["sh", "-c", "kill -KILL $$"])
            process.wait()
            host: Any = SimpleNamespace(process=process, member=f"{number}", end="was ended by SIGKILL")
            tried.hosts.append(host)
        for host in tried.hosts:
            tried.ended(host)
        self.assertEqual(
            [words for words in said if "was ended" not in words],
            ["no host is left: Enter starts them again, Ctrl-C ends everything"],
        )
        self.assertFalse(tried.over.is_set())
        tried.start_again([])
        self.assertEqual(said[-1], "no host is left, and there is no input to start one: everything ends")
        self.assertTrue(tried.over.is_set())

    def test_no_postgresql(self) -> None:
        """It says what to install, and starts nothing."""
        self.patch(try_cluster, "missing", lambda: "planted: apt install postgresql")
        errors = io.StringIO()
        self.patch(sys, "stderr", errors)
        self.assertEqual(main([]), 1)
        self.assertEqual(errors.getvalue(), "make cluster: planted: apt install postgresql\n")
