"""`make cluster`: what its hosts listen on, and what whoever tries it is told. `tests.slow_cluster` starts them."""

import io
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.plugins import REGISTRY
from tests.kit import try_cluster
from tests.kit.try_cluster import HOSTS, introduction, main, options, ports


class OptionsTests(SynchronousTestCase):
    """The hosts of one try."""

    def test_ports(self) -> None:
        """Each wire and the pages have a port at each host, and no two of them share one."""
        self.assertEqual(set(ports(0)), {*(wire.name for wire in REGISTRY.own), "web"})
        all_ports = [port for number in range(HOSTS) for port in ports(number * try_cluster.APART).values()]
        self.assertEqual(len(all_ports), len(set(all_ports)))
        self.assertEqual(ports(200)["stratego-lines"], 9090)

    def test_options(self) -> None:
        """All hosts have one store, and each has a socket and ports of its own."""
        given = options(1, 1000, "postgresql:///games", Path("/folder"))
        self.assertEqual(
            given[:3], ["--store=postgresql:///games", "--cluster=tcp:127.0.0.1:0", "--admin=/folder/2.admin"]
        )
        self.assertIn("--console=tcp:9988:interface=127.0.0.1", given)

    def test_introduction(self) -> None:
        """Where to connect, and which process to kill."""
        words = "host 1  pid 7  nc 127.0.0.1 8888    http://127.0.0.1:8080/  other wires: the usual ports"
        self.assertEqual(introduction(0, 7, 0), words)
        self.assertIn("other wires: the usual ports + 1200", introduction(2, 7, 1000))

    def test_no_postgresql(self) -> None:
        """It says what to install, and starts nothing."""
        self.patch(try_cluster, "missing", lambda: "planted: apt install postgresql")
        errors = io.StringIO()
        self.patch(sys, "stderr", errors)
        self.assertEqual(main([]), 1)
        self.assertEqual(errors.getvalue(), "make cluster: planted: apt install postgresql\n")
