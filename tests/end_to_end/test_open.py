"""The open wire over real sockets, and over those of pages: hosts that are killed, ports, and the client library's bots."""

import asyncio
import importlib.util
import json
import socket
import ssl
import sys
import tempfile
import textwrap
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from types import ModuleType
from typing import Any

from twisted.trial.unittest import SkipTest, SynchronousTestCase
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from gamehost.client.asyncio_client import Client as AsyncioClient
from gamehost.client.asyncio_client import Connect, tcp, unix
from gamehost.client.core import Lost
from tests import long
from tests.kit.process import PATIENCE, ROOT, Bots, HostProcess, Socket, play_through_a_kill, winners

# The open wire over real sockets: a unix socket, and a port that is in use.


def say(client: Socket, **message: Any) -> None:
    client.say(json.dumps(message))


def hear(client: Socket, kind: str) -> dict[str, Any]:
    """The next message of this kind; what comes before it is skipped."""
    while line := client.hear():
        message: dict[str, Any] = json.loads(line)
        if message["is"] == kind:
            return message
    raise AssertionError(f"the connection ended before {kind}")


class OpenTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def host(self, *options: str) -> HostProcess:
        deal = ("--set", "onitama.deal=boar,ox/crab,eel/tiger")
        return HostProcess(*deal, *options, wires=["open"], folder=self.folder, store="store.sqlite")

    def test_a_unix_socket(self) -> None:
        # The address of a unix socket has at most 107 bytes, and trial's own folders can be longer.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "open.sock"
        with self.host(f"--open=unix:{path}"):
            client = socket.socket(socket.AF_UNIX)
            self.addCleanup(client.close)
            client.settimeout(PATIENCE)
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


# The client library over real sockets: the bots of its page, and people who come back.


BOTS = ROOT / "docs" / "bots"
GAMES = 2


def bot(name: str, *more: str) -> list[str]:
    return [sys.executable, str(BOTS / "all_games_bot.py"), name, *more]


def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("all_games_bot", BOTS / "all_games_bot.py")
    assert spec is not None and spec.loader is not None
    bot_module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bot_module)
    return bot_module


class ClientTests(SynchronousTestCase):
    @long
    def test_all_games_over_tcp(self) -> None:
        """Two bots in one process play all games, one after another."""

        async def play(port: int) -> None:
            for game in all_games.CHOICES:
                both = [all_games.play(tcp("127.0.0.1", port), name, game) for name in ("ann", "bob")]
                ann, bob = await asyncio.wait_for(asyncio.gather(*both), PATIENCE)
                self.assertEqual(ann, bob)
                self.assertEqual(len(ann), 1)

        all_games = module()
        all_games.__dict__["print"] = lambda *words, **more: None
        with HostProcess(wires=["open"]) as host:
            asyncio.run(play(host.ports["open"]))

    @long
    def test_two_bots_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        """kill -9 in the middle of a match: the bots come back, and play all their games."""
        folder = Path(self.mktemp()).absolute()
        more = ("--port", "PORT", "--games", str(GAMES), "--game", "stratego")
        printed = play_through_a_kill("open", folder, bot("ann", *more), bot("bob", *more))
        ann, bob = map(winners, printed)
        self.assertEqual(len(ann), GAMES)
        self.assertEqual(ann, bob)

    @long
    def test_the_bot_on_twisted(self) -> None:
        with HostProcess(wires=["open"]) as host:
            port = str(host.ports["open"])
            twisted = [sys.executable, str(BOTS / "onitama_twisted_bot.py"), "ann", "--port", str(port)]
            with Bots(twisted, bot("bob", "--port", port)) as bots:
                ann, bob = map(winners, bots.finish())
        self.assertEqual(len(ann), 1)
        self.assertEqual(ann, bob)

    def test_the_first_bot_of_the_page(self) -> None:
        """It runs as it is printed, but for the port."""
        page = (ROOT / "docs" / "client.rst").read_text("utf-8")
        text = page[page.index("    import asyncio") : page.index("Run it in another terminal with ``")]
        with HostProcess(wires=["open"]) as host:
            program = textwrap.dedent(text).replace("8889", str(host.ports["open"]))
            with Bots([sys.executable, "-c", program]) as bots:
                [printed] = bots.finish()
        self.assertEqual(printed.count("hears Over"), 2, printed)

    def test_nobody_listens(self) -> None:
        async def connect(way: Connect) -> None:
            client = AsyncioClient(way, None, lambda: 0.5)
            lost = await anext(client)
            assert isinstance(lost, Lost)
            self.assertEqual(lost.again, 0.5)
            await client.close()

        for way in (unix("/nonexistent/open"), tcp("127.0.0.1", 1)):
            asyncio.run(connect(way))


# The pages of a real host, and sockets that outlive kill -9, as a public client sees them.


try:
    from tests.kit.process import write_folder
except ImportError:
    write_folder: Any = None  # type: ignore[no-redef]

DEAL = "--set=onitama.deal=boar,ox/crab,eel/tiger"


class PageClient:
    def __init__(self, port: int, **more: Any) -> None:
        self.socket: ClientConnection = connect(f"ws://127.0.0.1:{port}/socket", open_timeout=PATIENCE, **more)

    def ask(self, *kinds: str, **message: Any) -> list[Any]:
        """Say something, and what is heard up to the last of these kinds of messages."""
        if message:
            self.socket.send(json.dumps(message))
        heard: list[Any] = []
        for kind in kinds:
            while not heard or heard[-1]["is"] != kind:
                heard.append(json.loads(self.socket.recv(timeout=PATIENCE)))
        return heard


class WebTests(SynchronousTestCase):
    def get(self, host: HostProcess, path: str, **headers: str) -> tuple[int, bytes]:
        connection = HTTPConnection("127.0.0.1", host.ports["web"], timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()

    def test_kill_minus_nine_under_a_page(self) -> None:
        """A seat is taken back with its key, at the position that was shown; the finished match has a record."""
        with tempfile.TemporaryDirectory() as folder:
            store = {"wires": ("web",), "folder": Path(folder), "store": "games.sqlite"}
            with HostProcess(DEAL, **store) as host:  # type: ignore[arg-type]
                ann, bob = (PageClient(host.ports["web"]) for _ in range(2))
                [entered] = ann.ask("entered", do="enter", name="ann")
                bob.ask("entered", do="enter", name="bob")
                ann.ask("seeking", do="seek", game="onitama")
                bob.ask("event", do="seek", game="onitama")
                ann.ask("event")
                ann.ask("event", do="act", table=1, action="ox c1 c2")
                host.kill()
                self.assertRaises(ConnectionClosed, bob.ask, "nothing")
            with HostProcess(DEAL, **store) as host:  # type: ignore[arg-type]
                ann = PageClient(host.ports["web"])
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
            error = self.assertRaises(InvalidStatus, PageClient, port, additional_headers={"Origin": origin})
            self.assertEqual(error.response.status_code, 403)
        own = PageClient(port, origin=f"http://127.0.0.1:{port}")
        self.assertEqual(own.ask("pong", do="ping")[-1]["is"], "pong")
        self.assertEqual(self.get(host, "/", Host="evil.example")[0], 421)

    def test_over_tls(self) -> None:
        if write_folder is None:
            raise SkipTest("needs the extra tls")
        with tempfile.TemporaryDirectory() as folder:
            write_folder(Path(folder))
            with HostProcess(f"--web=tls:{folder}:0:interface=127.0.0.1", wires=()) as host:
                trusting = ssl.create_default_context()
                trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
                connection = HTTPSConnection("127.0.0.1", host.ports["web"], timeout=PATIENCE, context=trusting)
                self.addCleanup(connection.close)
                connection.request("GET", "/")
                self.assertEqual(connection.getresponse().status, 200)
                address = f"wss://127.0.0.1:{host.ports['web']}/socket"
                origin: Any = f"https://127.0.0.1:{host.ports['web']}"
                with connect(address, ssl=trusting, origin=origin, open_timeout=PATIENCE) as socket:
                    socket.send('{"do":"log-in","name":"ann","password":"secret secret"}')
                    self.assertEqual(json.loads(socket.recv(timeout=PATIENCE))["is"], "entered")
