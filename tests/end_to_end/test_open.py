"""The open wire over real sockets: a killed host, a unix socket, a port that is in use, and the client library's bots."""

import asyncio
import importlib.util
import json
import socket
import sys
import tempfile
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.asyncio_client import Client, Connect, tcp, unix
from gamehost.client.core import Lost
from tests.kit.process import PATIENCE, ROOT, Bots, HostProcess, Socket, play_through_a_kill, winners

# The open wire over real sockets: a killed host, a unix socket, and a port that is in use.


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


# The client library over real sockets: the bots of its page, and people who come back.


BOTS = ROOT / "docs" / "bots"
GAMES = 2


def bot(name: str, *more: str) -> list[str]:
    """The command of the bot for all games."""
    return [sys.executable, str(BOTS / "all_games_bot.py"), name, *more]


def module() -> ModuleType:
    """The same bot, as a module."""
    spec = importlib.util.spec_from_file_location("all_games_bot", BOTS / "all_games_bot.py")
    assert spec is not None and spec.loader is not None
    bot_module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bot_module)
    return bot_module


class ClientTests(SynchronousTestCase):
    """The bots, with a host in a process of its own."""

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

    def test_two_bots_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        """kill -9 in the middle of a match: the bots come back, and play all their games."""
        folder = Path(self.mktemp()).absolute()
        more = ("--port", "PORT", "--games", str(GAMES), "--game", "stratego")
        printed = play_through_a_kill("open", folder, bot("ann", *more), bot("bob", *more))
        ann, bob = map(winners, printed)
        self.assertEqual(len(ann), GAMES)
        self.assertEqual(ann, bob)

    def test_the_bot_on_twisted(self) -> None:
        """It plays with the bot on asyncio."""
        with HostProcess(wires=["open"]) as host:
            port = str(host.ports["open"])
            twisted = [sys.executable, str(BOTS / "onitama_twisted_bot.py"), "ann", f"tcp:127.0.0.1:{port}"]
            with Bots(twisted, bot("bob", "--port", port)) as bots:
                ann, bob = map(winners, bots.finish())
        self.assertEqual(len(ann), 1)
        self.assertEqual(ann, bob)

    def test_the_first_bot_of_the_page(self) -> None:
        """It runs as it is printed, but for the port."""
        page = (ROOT / "docs" / "client.rst").read_text("utf-8")
        text = page[page.index("    import asyncio") : page.index("Run it with ``python first.py``")]
        with HostProcess(wires=["open"]) as host:
            program = textwrap.dedent(text).replace("8889", str(host.ports["open"]))
            with Bots([sys.executable, "-c", program]) as bots:
                [printed] = bots.finish()
        self.assertEqual(printed.count("hears Over"), 2, printed)

    def test_nobody_listens(self) -> None:
        """A port and a socket at which nobody listens are lost connections."""

        async def connect(way: Connect) -> None:
            client = Client(way, None, lambda: 0.5)
            lost = await anext(client)
            assert isinstance(lost, Lost)
            self.assertEqual(lost.again, 0.5)
            await client.close()

        for way in (unix("/nonexistent/open"), tcp("127.0.0.1", 1)):
            asyncio.run(connect(way))
