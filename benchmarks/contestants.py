"""
The servers that `make bench-peers` measures: how each is started, and its load.
"""

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile

from attrs import frozen

from benchmarks.browser import CARRIERS, OpenLoad
from benchmarks.load import Load
from benchmarks.peer_install import INSTALLED, Missing, node
from benchmarks.peer_loads import BoardgameLoad, ColyseusLoad, WordsLoad
from benchmarks.scripts import Script, script_of
from benchmarks.servers import SERVER_CORE, Server, host, on_core, relay
from tests.kit.process import ROOT

#: What a server prints when it can be reached: its port, and how SQLite is set, if it has it.
_READY = re.compile(r"\s*(?P<port>[0-9]+) ?(?P<settings>[a-z0-9 ]*)\s*")

#: The line of a complaint that says what is wrong.
_ERROR = re.compile(r"\w*Error\b")

#: How SQLite is to be set: a log ahead of the data, and each commit waits for the disk.
DURABLE = "wal 2"

#: How many moves a file has: of this comparison's servers, and of the host, which also stores how tables begin.
MOVES, EVENTS = (
    "SELECT count(*) FROM moves",
    "SELECT max(ifnull(max(seq), 0), (SELECT max(seq) FROM event)) FROM recent",
)


#: What a server keeps, in the order in which they are measured.
KINDS = ("relay", "gamehost", "durable", "memory")


@frozen
class Contestant:
    """A server that is measured."""

    name: str
    #: One of `KINDS`.
    kind: str
    #: Starts it with an empty folder for its files.
    start: Callable[[Path], AbstractContextManager[Server]]
    #: The load for this server and so many connections.
    load: Callable[[Server, int], Load]
    #: Counts the moves in its file `store.sqlite`; empty: it has none.
    stored: str = ""


def contestants(python: str | None, with_node: bool) -> list[Contestant]:
    """
    All that can be measured here.

    :param python: the interpreter for servers in Python; `None`: there are none
    """
    found = _ours()
    # Colyseus comes first: what is compared is measured close together.
    if with_node:
        found += _in_node()
    if python is not None:
        found += _in_python(python)
    return sorted(found, key=lambda one: KINDS.index(one.kind))


def _ours() -> list[Contestant]:
    """A bare relay, and the host on three ways: Onitama's own lines, and the open wire by line and from a browser."""
    onitama = script_of("onitama")
    lines, browser = CARRIERS["open"], CARRIERS["browser"]
    return [
        Contestant("bare relay, lines", "relay", lambda folder: relay(onitama), partial(Load, onitama, bare=True)),
        Contestant("gamehost, lines", "gamehost", partial(_host, onitama), partial(Load, onitama), EVENTS),
        Contestant(
            "gamehost, JSON lines", "gamehost", partial(_host, lines), partial(OpenLoad, lines, lines=True), EVENTS
        ),
        Contestant("gamehost, WebSocket", "gamehost", partial(_host, browser), partial(OpenLoad, browser), EVENTS),
    ]


def _host(script: Script, folder: Path) -> AbstractContextManager[Server]:
    return host(script, folder=folder)


def _in_python(python: str) -> list[Contestant]:
    """Servers in Python that store each move before it is told."""
    onitama = script_of("onitama")
    lines, frames = partial(Load, onitama, bare=True), partial(WordsLoad, onitama)

    def durable(name: str, module: str, load: Callable[[Server, int], Load]) -> Contestant:
        def start(folder: Path) -> AbstractContextManager[Server]:
            return peer(name, (python, "-m", f"benchmarks.python.{module}", str(folder / "store.sqlite")), DURABLE)

        return Contestant(name, "durable", start, load, MOVES)

    return [
        durable("asyncio + uvloop, group commit, lines", "lines", lines),
        durable("websockets + uvloop, group commit", "frames", frames),
        durable("FastAPI + aiosqlite", "fast_api", frames),
    ]


def _in_node() -> list[Contestant]:
    """Colyseus and boardgame.io: each with a store, and without one."""
    onitama, own = script_of("onitama"), node()

    def colyseus(name: str, kind: str, *words: str) -> Contestant:
        def start(folder: Path) -> AbstractContextManager[Server]:
            file = (str(folder / "store.sqlite"),) if words else ()
            return peer(name, (own, "colyseus.js", *words, *file), DURABLE if words else "")

        return Contestant(name, kind, start, partial(ColyseusLoad, onitama), MOVES if words else "")

    def boardgame(name: str, kind: str, files: bool) -> Contestant:
        def start(folder: Path) -> AbstractContextManager[Server]:
            return peer(name, (own, "boardgame.js", *([str(folder)] if files else [])), "")

        return Contestant(name, kind, start, partial(BoardgameLoad, onitama))

    return [
        colyseus("Colyseus + node:sqlite, a transaction a turn", "durable", "turn"),
        colyseus("Colyseus + node:sqlite, a transaction a move", "durable", "move"),
        boardgame("boardgame.io + FlatFile, not synced", "durable", files=True),
        colyseus("Colyseus, in memory", "memory"),
        boardgame("boardgame.io, in memory", "memory", files=False),
    ]


@contextmanager
def peer(name: str, command: Sequence[str], settings: str) -> Iterator[Server]:
    """
    A server of this comparison.

    :param settings: how its SQLite is to be set
    :raises Missing: it does not start, or SQLite is set in another way
    """
    with TemporaryFile() as errors, on_core(SERVER_CORE):
        process = subprocess.Popen(
            command,
            cwd=ROOT if command[1].startswith("-") else INSTALLED,
            env={**os.environ, "NODE_ENV": "production"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        with process:
            try:
                assert process.stdout is not None
                ready = next(filter(None, map(_READY.fullmatch, process.stdout)), None)
                if ready is None:
                    errors.seek(0)
                    words = errors.read().decode("utf-8", "replace").splitlines() or ["it says nothing"]
                    raise Missing(f"{name} does not start: {next(filter(_ERROR.match, words), words[-1])}")
                if ready["settings"] != settings:
                    raise Missing(f"SQLite of {name} is set to {ready['settings']!r} instead of {settings!r}")
                yield Server(name, int(ready["port"]), process.pid)
            finally:
                process.kill()
