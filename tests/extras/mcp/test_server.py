"""
The verb `gamehost mcp`, with the SDK's own client: whole games against house players, with the host killed within each.

They need the extra `mcp`; `make check-mcp` installs it.
"""

import asyncio
import subprocess
import sys
from asyncio import Task
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager, ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.installed import installed
from tests.kit.process import ROOT, HostProcess

skip = None if find_spec("mcp") else "needs more: pip install gamehost[mcp]"
if skip is None:
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

TOOLS = "list_games, rules, seek, join, state, continue_move, random_move, move, wait_for_turn, resign"
#: After so many moves the host is killed: no match of these games can be over yet.
KILLS = {"onitama": 1, "paper-soccer": 1, "stratego": 6, "eriantys": 6}


class Model:
    """What a client of language models does, for one player. It plays at random."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.progress: list[tuple[float, str]] = []
        #: The words of errors that may come while the host is killed.
        self.expected = ("may or may not have been heard", "call again")

    async def call(self, tool: str, **arguments: Any) -> str:
        """The answer, or the words of an error that was expected."""

        async def heard(done: float, total: float | None, words: str | None) -> None:
            self.progress.append((done, words or ""))

        answer = await self._client.call_tool(tool, arguments, progress_callback=heard)
        text = str(answer.content[0].text)
        if answer.is_error and not any(words in text for words in self.expected):
            raise AssertionError(text)
        return text

    async def turn(self) -> str:
        """The state at the next own turn, or at the end."""
        while "call again" in (text := await self.call("wait_for_turn")):
            pass
        return text

    async def move(self) -> str:
        return await self.call("move", move=await self.call("random_move"))


def model(port: int, *more: str) -> AbstractAsyncContextManager[Any]:
    """A client of the SDK that has started `gamehost mcp`."""
    words = ["-m", "gamehost", "mcp", "--to", f"127.0.0.1:{port}", "--name", "ann", *more]
    started: AbstractAsyncContextManager[Any] = Client(
        stdio_client(StdioServerParameters(command=sys.executable, args=words, cwd=ROOT))
    )
    return started


def _run(story: Coroutine[Any, Any, Any]) -> Any:
    """Run it. What fails in it is shown without the groups of the SDK's tasks around it."""
    try:
        return asyncio.run(story)
    except BaseExceptionGroup as group:
        fault: BaseException = group
        while isinstance(fault, BaseExceptionGroup):
            fault = fault.exceptions[0]
        raise fault from None


class ServerTests(SynchronousTestCase):
    def host(self, folder: Path, port: int = 0) -> HostProcess:
        # Random moves may not end a match of Stratego.
        options = ("--house=600", "--set=stratego.max_plies=300", f"--open=tcp:{port}:interface=127.0.0.1")
        return HostProcess(*options, wires=("open",), folder=folder, store="store.sqlite")

    def folder(self) -> Path:
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        return folder

    def test_whole_games_through_a_kill(self) -> None:
        for game in installed().games:
            outcome = _run(self.play(game))
            self.assertIn("The match is over: ", outcome, game)

    async def play(self, game: str) -> str:
        """A match to its end. After some moves the host is killed while a move is under way, and started again."""
        folder = self.folder()
        with ExitStack() as hosts:
            host = hosts.enter_context(self.host(folder))
            port = host.ports["open"]
            async with model(port) as client:
                one = Model(client)
                await one.call("seek", game=game, house="easy")
                for _ in range(KILLS[game]):
                    await one.turn()
                    await one.move()
                await one.turn()
                under_way: Task[str] = asyncio.create_task(one.move())
                await asyncio.to_thread(host.kill)
                await asyncio.to_thread(hosts.enter_context, self.host(folder, port))
                await under_way
                while "is over" not in (text := await one.turn()):
                    await one.move()
        return text

    def test_tools_rules_bounds_and_a_return(self) -> None:
        _run(self.look_around())

    async def look_around(self) -> None:
        folder = self.folder()
        with self.host(folder) as host:
            port, key = host.ports["open"], folder / "ann.key"
            async with model(port, "--key-file", str(key)) as client:
                self.assertEqual(", ".join(tool.name for tool in (await client.list_tools()).tools), TOOLS)
                rules = await client.read_resource("gamehost://rules/onitama")
                self.assertIn("five pieces each", rules.contents[0].text)
                one = Model(client)
                self.assertIn("2 to 4 players", await one.call("list_games"))
                answer = await one.call("seek", game="onitama")
                self.assertIn("Not yet, call again: waiting for other players", answer)
                self.assertTrue(one.progress and one.progress[-1][0] <= 20.5, one.progress)
                self.assertIn("You wait no longer.", await one.call("resign"))
                self.assertIn("against easy.1", await one.call("seek", game="onitama", house="easy"))
                with self.assertRaisesRegex(AssertionError, "That is not a move of Onitama. Type CARD FROM TO"):
                    await one.call("move", move="x")
                states = await asyncio.gather(*(one.call("state") for _ in range(4)))
                self.assertEqual(len(set(states)), 1)
            self.assertEqual(key.stat().st_mode & 0o777, 0o600)
            async with model(port, "--key-file", str(key)) as client:
                self.assertIn("Table ", await Model(client).turn())

    def test_words(self) -> None:
        """The verb says what is wrong with its options, in one line."""
        for words, reason in (
            (["--to", "nowhere", "--name", "ann"], "expected HOST:PORT"),
            (["--to", "127.0.0.1:1", "--name", "ann", "--key-file", "/"], "cannot be read"),
        ):
            told = subprocess.run(
                [sys.executable, "-m", "gamehost", "mcp", *words], cwd=ROOT, capture_output=True, text=True, check=False
            )
            self.assertEqual(told.returncode, 2)
            self.assertIn(reason, told.stderr)
