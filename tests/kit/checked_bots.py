"""The bots of the documentation, as commands for `gamehost check`."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import SkipTest

from tests.kit import fork_server
from tests.kit.process import ROOT

BOTS = ROOT / "docs" / "bots"
PORT = ("--port", "{port}")


def run(*arguments: str, timeout: float = 120) -> tuple[int, str, str]:
    """The exit status of `gamehost check`, what it printed, and its complaints."""
    ended = fork_server.run("gamehost", "check", *arguments, timeout=timeout)
    return ended.returncode, ended.stdout, ended.stderr


def check(wire: str, scenarios: tuple[str, ...], *command: str, timeout: float = 120) -> tuple[int, Any]:
    """
    The exit status, and the report.

    :param scenarios: their names; none: all, those with a lost connection of the client too
    """
    chosen = [word for name in scenarios for word in ("--scenario", name)] or ["--reconnect"]
    status, printed, complaints = run(wire, *chosen, "--format=json", "--", *command, timeout=timeout)
    return status, json.loads(printed) if printed else complaints


def python_bot(name: str, *words: str) -> list[str]:
    """A bot in Python."""
    return [sys.executable, str(BOTS / f"{name}_bot.py"), "{name}", *words, *PORT]


def node_bot() -> list[str]:
    """
    The bot for Node.

    :raises SkipTest: there is no Node
    """
    node = shutil.which("node")
    if node is None:
        raise SkipTest("there is no node on this machine")
    return [node, str(BOTS / "onitama_bot.js"), "{name}", "1", "127.0.0.1", "{port}"]


def c_bot(folder: Path) -> list[str]:
    """
    The bot in C, compiled into a folder.

    :raises SkipTest: there is no C compiler
    """
    compiler = shutil.which("cc")
    if compiler is None:
        raise SkipTest("there is no C compiler named cc on this machine")
    folder.mkdir(parents=True)
    program = str(folder / "bot")
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *warnings, "-o", program, str(BOTS / "stratego_frames_bot.c")], check=True)
    return [program, "{name}", "127.0.0.1", "{port}", "1"]
