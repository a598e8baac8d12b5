"""The client library over real sockets: the bots of its page, and people who come back."""

import asyncio
import importlib.util
import sys
import textwrap
from pathlib import Path
from types import ModuleType

from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.asyncio_client import Client, Connect, tcp, unix
from gamehost.client.core import Lost
from tests.kit.bots import PATIENCE, Bots, play_through_a_kill, winners
from tests.kit.process import ROOT, HostProcess

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
