"""
Offers the tools of an `Agent` to a language model: a server of the Model Context Protocol on standard input and output,
with the official SDK.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from gamehost.client.asyncio_client import Client
from gamehost.extras.mcp.agent import WITHIN, Agent, Call, Steps, ToolRefused

#: The seconds between two reports of progress.
_PROGRESS_EVERY = 5.0
_INSTRUCTIONS = """\
You play board games on a host, under the rules of the host. Call list_games, then rules for the game, then seek. After each \
move call wait_for_turn, until the match is over. A tool that says "not yet" is to be called again. An error says why nothing \
has happened: read it, and try another move."""


class Tools:
    """The tools that the model calls. The model reads their docstrings."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        #: Is set when a message has come. Then a new event replaces it.
        self._news = asyncio.Event()

    async def listen(self, messages: AsyncIterator[Any]) -> None:
        """Reads all messages of the host, and passes them to the agent. When it ends, all tools end with the reason."""
        try:
            async for message in messages:
                self._agent.hear(message)
                self._tell()
        except Exception as fault:
            self._agent.end(f"a fault of this program: {type(fault).__name__}: {fault}")
            raise
        finally:
            self._agent.end(self._agent.ended or "the connection to the host is closed")
            self._tell()

    def _tell(self) -> None:
        """Wakes all running tools."""
        self._news.set()
        self._news = asyncio.Event()

    async def _answer(self, ctx: Context[Any, Any], steps: Steps) -> str:
        """Runs a tool to its answer, and reports progress while it waits."""
        clock = asyncio.get_running_loop().time
        began = clock()
        call = Call(self._agent, steps, began)
        try:
            while (text := call.answer(clock())) is None:
                try:
                    # Wait for the next message of the host, and report progress from time to time.
                    await asyncio.wait_for(self._news.wait(), min(_PROGRESS_EVERY, max(0.0, call.until - clock())))
                except TimeoutError:
                    await ctx.report_progress(min(clock() - began, WITHIN), WITHIN, call.waits)
        except ToolRefused as refusal:
            raise ToolError(str(refusal)) from None
        return text

    async def list_games(self, ctx: Context[Any, Any]) -> str:
        """The games that can be played, and how many players each has."""
        return await self._answer(ctx, self._agent.list_games())

    async def rules(self, ctx: Context[Any, Any], game: str) -> str:
        """The rules of a game, how to write its moves, and the settings that seek can have."""
        return await self._answer(ctx, self._agent.rules(game))

    async def seek(
        self,
        ctx: Context[Any, Any],
        game: str,
        house: str = "",
        seats: int = 0,
        settings: dict[str, str | int | bool] | None = None,
        private: bool = False,
    ) -> str:
        """
        Begin a match. house: play against the host itself at once: random, easy, medium or hard; without it, against whoever
        comes. seats: how many players, if the game can have more. private: only those who know the code can join.
        """
        return await self._answer(ctx, self._agent.seek(game, house, seats, settings or {}, private))

    async def join(self, ctx: Context[Any, Any], table: int, code: str = "") -> str:
        """Take a seat at a table that waits for players. code: that of a private table."""
        return await self._answer(ctx, self._agent.join(table, code))

    async def state(self, ctx: Context[Any, Any]) -> str:
        """How the match stands: the board, what happened last, and the legal moves."""
        return await self._answer(ctx, self._agent.state())

    async def continue_move(self, ctx: Context[Any, Any], begun: str) -> str:
        """In a game with moves of several steps: the steps that can follow those that are given, such as 0,1 1,2."""
        return await self._answer(ctx, self._agent.continue_move(begun))

    async def random_move(self, ctx: Context[Any, Any]) -> str:
        """A legal move at random, also where there are too many for a list. It is not played: give it to move."""
        return await self._answer(ctx, self._agent.random_move())

    async def move(self, ctx: Context[Any, Any], move: str) -> str:
        """Play a move, as state lists it."""
        return await self._answer(ctx, self._agent.move(move))

    async def wait_for_turn(self, ctx: Context[Any, Any]) -> str:
        """Wait until it is your turn, or the match is over."""
        return await self._answer(ctx, self._agent.wait_for_turn())

    async def resign(self, ctx: Context[Any, Any]) -> str:
        """Give the match up, or wait for opponents no longer."""
        return await self._answer(ctx, self._agent.resign())

    async def rules_page(self, game: str) -> str:
        """The rules of a game."""
        try:
            # The rules need no answer of the host, so the first step is the last.
            return Call(self._agent, self._agent.rules(game), 0.0).answer(0.0) or ""
        except ToolRefused as refusal:
            raise ValueError(str(refusal)) from None


def server_of(tools: Tools) -> MCPServer:
    """Makes the server with all tools. It does not run yet."""
    made = MCPServer("gamehost", instructions=_INSTRUCTIONS, log_level="WARNING")
    for tool in (
        *(tools.list_games, tools.rules, tools.seek, tools.join, tools.state, tools.continue_move, tools.random_move),
        *(tools.move, tools.wait_for_turn, tools.resign),
    ):
        made.add_tool(tool, structured_output=False)
    made.resource("gamehost://rules/{game}")(tools.rules_page)
    return made


async def serve(client: Client, agent: Agent) -> None:
    """Serves a model until it closes standard input. Then the seat is reserved, as after a lost connection."""
    async with client:
        tools = Tools(agent)
        reading = asyncio.create_task(tools.listen(client))
        try:
            await server_of(tools).run_stdio_async()
        finally:
            # The model has closed standard input. A fault of `listen` was already reported to the tools.
            reading.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await reading
