"""The open wire over real sockets: a killed host, a unix socket, and a port that is in use."""

import json
import socket
import tempfile
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import HostProcess, Socket


def say(client: Socket, **message: Any) -> None:
    """A message of a client."""
    client.say(json.dumps(message))


def hear(client: Socket, kind: str) -> dict[str, Any]:
    """The next message of this kind; what comes before it is skipped."""
    while line := client.hear():
        message: dict[str, Any] = json.loads(line)
        if message["is"] == kind:
            return message
    raise AssertionError(f"the connection ended before {kind}")


class OpenTests(SynchronousTestCase):
    """A host as a process."""

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def host(self, *options: str) -> HostProcess:
        """A host that keeps its store in this test's folder."""
        deal = ("--set", "onitama.deal=boar,ox/crab,eel/tiger")
        return HostProcess(*deal, *options, wires=["open"], folder=self.folder, store="store.sqlite")

    def test_a_seat_is_kept_over_a_kill(self) -> None:
        """With the key, at the position that both were told."""
        with self.host() as host:
            port = host.ports["open"]
            ann, bob = host.connect("open"), host.connect("open")
            keys = []
            for name, client in (("ann", ann), ("bob", bob)):
                say(client, do="enter", name=name)
                keys.append(hear(client, "entered")["key"])
                say(client, do="seek", game="onitama")
            say(ann, do="act", table=hear(ann, "seated")["table"], action="ox c1 c2")
            hear(bob, "event")
            self.assertEqual(hear(bob, "event")["event"]["card"], "ox")
            host.kill()
        with self.host(f"--open=tcp:{port}:interface=127.0.0.1") as host:
            bob = host.connect("open")
            say(bob, do="enter", name="bob", key=keys[1])
            self.assertEqual(hear(bob, "entered")["table"], 1)
            self.assertEqual(hear(bob, "back")["view"]["board"], "PP.PP..K............ppkpp")
            say(bob, do="act", table=1, action="crab a5 a4", id=1)
            self.assertEqual(hear(bob, "event")["event"]["to"], "a4")
            host.stop()
            self.assertEqual(hear(bob, "bye")["again"], 5.0)

    def test_a_unix_socket(self) -> None:
        """The same lines."""
        # The address of a unix socket has at most 107 bytes, and trial's own folders can be longer.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "open.sock"
        with self.host(f"--open=unix:{path}"):
            client = socket.socket(socket.AF_UNIX)
            self.addCleanup(client.close)
            client.settimeout(10)
            client.connect(str(path))
            client.sendall(b'{"do":"ping","id":7}\n')
            self.assertEqual(client.recv(100), b'{"is":"pong","id":7}\n')

    def test_a_port_that_is_in_use(self) -> None:
        """It is named in the log and left out. The host starts all the same."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with self.host("--open=", f"--open=tcp:{port}:interface=127.0.0.1") as host:
                self.assertIn(f"--open: cannot listen on tcp:{port}:interface=127.0.0.1", host.log)
                self.assertIn("this port is left out", host.log)
