"""The pages of a real host, and sockets that outlive kill -9, as a public client sees them."""

import json
import ssl
import tempfile
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.kit.process import HostProcess

try:
    from tests.kit.process import write_folder
except ImportError:
    write_folder: Any = None  # type: ignore[no-redef]

DEAL = "--set=onitama.deal=boar,ox/crab,eel/tiger"


class Client:
    """A client of the library `websockets`."""

    def __init__(self, port: int, **more: Any) -> None:
        self.socket: ClientConnection = connect(f"ws://127.0.0.1:{port}/socket", **more)

    def ask(self, *kinds: str, **message: Any) -> list[Any]:
        """Say something, and what is heard up to the last of these kinds of messages."""
        if message:
            self.socket.send(json.dumps(message))
        heard: list[Any] = []
        for kind in kinds:
            while not heard or heard[-1]["is"] != kind:
                heard.append(json.loads(self.socket.recv(timeout=10)))
        return heard


class WebTests(SynchronousTestCase):
    """`gamehost run --web=...`."""

    def get(self, host: HostProcess, path: str, **headers: str) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", host.ports["web"], timeout=10)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()

    def test_kill_minus_nine_under_a_page(self) -> None:
        """A seat is taken back with its key, at the position that was shown; the finished match has a record."""
        with tempfile.TemporaryDirectory() as folder:
            store = {"wires": ("web",), "folder": Path(folder), "store": "games.sqlite"}
            with HostProcess(DEAL, **store) as host:  # type: ignore[arg-type]
                ann, bob = (Client(host.ports["web"]) for _ in range(2))
                [entered] = ann.ask("entered", do="enter", name="ann")
                bob.ask("entered", do="enter", name="bob")
                ann.ask("seeking", do="seek", game="onitama")
                bob.ask("event", do="seek", game="onitama")
                ann.ask("event")
                ann.ask("event", do="act", table=1, action="ox c1 c2")
                host.kill()
                self.assertRaises(ConnectionClosed, bob.ask, "nothing")
            with HostProcess(DEAL, **store) as host:  # type: ignore[arg-type]
                ann = Client(host.ports["web"])
                told = ann.ask("back", do="enter", name="ann", key=entered["key"])
                self.assertEqual((told[-1]["n"], told[-1]["view"]["board"][7]), (2, "K"))
                ann.ask("over", do="leave")
                status, body = self.get(host, "/api/matches/1.json")
                record = json.loads(body)
                self.assertEqual((status, record["winners"], record["entries"][1]["action"]), (200, [1], "ox c1 c2"))
                self.assertEqual(json.loads(self.get(host, "/api/matches")[1])["matches"][0]["table"], 1)
                self.assertEqual(self.get(host, "/")[0], 200)
                self.foreign_pages(host)
                host.stop()
                self.assertEqual(ann.ask("bye")[-1]["again"], 5.0)

    def foreign_pages(self, host: HostProcess) -> None:
        """Those of other sites get no socket, and a name of another site that points here gets nothing."""
        port = host.ports["web"]
        for origin in ("http://evil.example", "null"):
            error = self.assertRaises(InvalidStatus, Client, port, additional_headers={"Origin": origin})
            self.assertEqual(error.response.status_code, 403)
        own = Client(port, origin=f"http://127.0.0.1:{port}")
        self.assertEqual(own.ask("pong", do="ping")[-1]["is"], "pong")
        self.assertEqual(self.get(host, "/", Host="evil.example")[0], 421)

    def test_over_tls(self) -> None:
        """Pages and sockets, with passwords."""
        if write_folder is None:
            raise SkipTest("needs the extra tls")
        with tempfile.TemporaryDirectory() as folder:
            write_folder(Path(folder))
            with HostProcess(f"--web=tls:{folder}:0:interface=127.0.0.1", wires=()) as host:
                trusting = ssl.create_default_context()
                trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
                connection = HTTPSConnection("127.0.0.1", host.ports["web"], timeout=10, context=trusting)
                self.addCleanup(connection.close)
                connection.request("GET", "/")
                self.assertEqual(connection.getresponse().status, 200)
                address = f"wss://127.0.0.1:{host.ports['web']}/socket"
                origin: Any = f"https://127.0.0.1:{host.ports['web']}"
                with connect(address, ssl=trusting, origin=origin) as socket:
                    socket.send('{"do":"log-in","name":"ann","password":"secret secret"}')
                    self.assertEqual(json.loads(socket.recv(timeout=10))["is"], "entered")
