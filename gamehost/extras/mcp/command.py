"""
`gamehost mcp`: a language model plays on a host. The program is a server of the Model Context Protocol on standard input and
output, for one player of the open wire.
"""

import argparse
import asyncio
import os
import re
import ssl
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import UNSET

from gamehost.client.asyncio_client import Client, Connect, tcp, unix
from gamehost.ops import NO_TEXT, escaped, is_text
from gamehost.wires.open.messages import Enter

_PORT = re.compile(r"(tls:)?\[?([^\[\]]+)\]?:([0-9]{1,5})")


def main(argv: Sequence[str], wires: Sequence[Any], reactor: Any) -> int:
    """
    Runs `gamehost mcp`: serves a model until it closes standard input. Every verb receives the wires and the reactor;
    this one uses neither.

    :param argv: the words after `gamehost mcp`
    :returns: the exit status
    :raises SystemExit: the arguments are wrong, or ask for help
    """
    from gamehost.extras.mcp.agent import Agent
    from gamehost.extras.mcp.server import serve

    words = parser().parse_args(argv)
    key = "" if words.key_file is None else _key_in(words.key_file)

    def keep(key: str) -> None:
        if words.key_file is not None:
            _keep(words.key_file, key)

    async def play() -> None:
        client = Client(words.to, Enter(words.name, key or UNSET, agent=True))
        await serve(client, Agent(client, keep))

    with suppress(KeyboardInterrupt):
        asyncio.run(play())
    return 0


def _key_in(path: Path) -> str:
    """Returns the key in a file; empty: there is no file."""
    try:
        return path.read_text("ascii").strip()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        parser().error(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'no key'}")


def _keep(path: Path, key: str) -> None:
    """Stores the key in a file that only its owner can read. An error of the disk is printed, and does not end the match."""
    beside = path.with_name(f"{path.name}.new")
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
            file.write(f"{key}\n")
        beside.replace(path)
    except OSError as error:
        print(f"gamehost mcp: {escaped(str(error))}: the seat cannot be taken back later", file=sys.stderr)


def address(text: str) -> Connect:
    """
    Reads the address of a host's open wire: `HOST:PORT`, `tls:HOST:PORT` or `unix:PATH`.

    :returns: a function that connects to it
    :raises ArgumentTypeError: the text has another form
    """
    if text.startswith("unix:"):
        return unix(text.removeprefix("unix:"))
    found = _PORT.fullmatch(text)
    if found is None or int(found[3]) > 65_535:
        raise argparse.ArgumentTypeError("expected HOST:PORT, such as 127.0.0.1:8889; or tls:HOST:PORT, or unix:PATH")
    return tcp(found[2], int(found[3]), ssl.create_default_context() if found[1] else None)


def _name(text: str) -> str:
    if not is_text(text):
        raise argparse.ArgumentTypeError(NO_TEXT)
    return text


def parser() -> argparse.ArgumentParser:
    """Makes the parser of the command line."""
    made = argparse.ArgumentParser("gamehost mcp", description=" ".join((__doc__ or "").split()))
    made.add_argument(
        "--to", required=True, type=address, metavar="HOST:PORT", help="the open wire of a host; also tls:HOST:PORT"
    )
    made.add_argument("--name", required=True, type=_name, help="the name of the player")
    made.add_argument(
        "--key-file", type=Path, metavar="FILE", help="where the key is stored that takes the seat back after a restart"
    )
    return made
