"""
Floods of the HTTP ports of the house: forms of many megabytes, headers that are too long, and GETs as fast as they are
answered. And how long games of a contest take beside them, for `python -m benchmarks.abuse contest`.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from socket import socket

from benchmarks.attackers import Attack, Found, under_way
from benchmarks.network import Network, connection
from tests.kit.sources import ROOT

CONNECTIONS = 4
SOURCE = "7.1"
#: Bytes of one form.
FORM = 16 << 20

#: Games that are measured, and the commands of the players.
GAMES = 12
BOT = f"{sys.executable} {ROOT}/docs/bots/onitama_bot.py {{name}} --port {{port}}"


def flood(pieces: Callable[[], Sequence[bytes]], port: int, seconds: float) -> Found:
    """
    A few connections, from one address, send these again and again, read what is answered, and come back when they are closed.

    :param pieces: what one connection sends, in order, and then from the second piece on
    """
    ends = time.monotonic() + seconds
    sent = answered = made = 0
    open_ones: dict[socket, tuple[int, bytes]] = {}
    while time.monotonic() < ends:
        for _ in range(CONNECTIONS - len(open_ones)):
            with suppress(OSError):
                one = connection(port, SOURCE)
                one.setblocking(False)
                open_ones[one] = 0, b""
                made += 1
        for one, (place, left) in list(open_ones.items()):
            try:
                with suppress(BlockingIOError):
                    if not (answer := one.recv(65_536)):
                        raise OSError
                    answered += answer.count(b"HTTP/1.1 ")
                if not left:
                    among = pieces()
                    left, place = among[min(place, len(among) - 1)], place + 1
                with suppress(BlockingIOError):
                    size = one.send(left)
                    sent, left = sent + size, left[size:]
                open_ones[one] = place, left
            except OSError:
                one.close()
                del open_ones[one]
        time.sleep(0.001)
    for one in open_ones:
        one.close()
    return {"MiB taken": sent / 2**20, "connections": made, "answers": answered}


def _head(method: str, path: str, *headers: str) -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


_FORM = [
    _head("POST", "/metrics", "Content-Type: application/x-www-form-urlencoded", f"Content-Length: {FORM}"),
    b"a=1&" * 16_384,
]
_LONG = [b"GET / HTTP/1.1\r\nX: ", b"x" * 65_536]

forms: Attack = partial(flood, lambda: _FORM)
long_headers: Attack = partial(flood, lambda: _LONG)


def gets(path: str) -> Attack:
    """GETs of one path, sixteen in a piece."""
    pieces = [_head("GET", path) * 16]
    return partial(flood, lambda: pieces)


def contest_page(network: Network) -> None:
    """How long games of a contest take while its page is flooded."""
    print(f"\nthe page of a contest: seconds of {GAMES} games of two programs, one after the other")
    attacks: dict[str, Sequence[Attack]] = {
        "nobody attacks": (),
        "pictures of a game": (gets("/live/1.1.svg"), gets("/live/2.1.svg")),
        "forms of 16 MiB": (forms,),
        "all of these": (gets("/live/1.1.svg"), gets("/contest"), forms, long_headers),
    }
    for name, attacking in attacks.items():
        with tempfile.TemporaryDirectory() as folder:
            seconds, found = _games(Path(folder), attacking, network)
        each = " ".join(f"{one:.2f}" for one in sorted(seconds))
        answers = sum(one["answers"] for one in found)
        print(f"{name:24}{each}  ({answers:.0f} answers)", flush=True)


def _games(folder: Path, attacks: Sequence[Attack], network: Network) -> tuple[list[float], list[Found]]:
    address = "0.0.0.0" if network.space else "127.0.0.1"
    words = ["--wire=onitama", "--seed=1", "--no-check", f"--web={address}:0", f"--rounds={GAMES}", "--concurrency=1"]
    command = [sys.executable, "-m", "gamehost", "contest", f"--out={folder}", *words]
    command += [f"--player={player}={BOT}" for player in ("ann", "bob")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as contest:
        assert contest.stdout is not None
        found = re.search(r":(\d+)/contest", contest.stdout.readline())
        assert found is not None
        with under_way(attacks, [int(found[1])] * len(attacks), 10, network) as answers:
            contest.stdout.read()
    games = json.loads((folder / "results.json").read_text())["games"]
    return [game["seconds"] for game in games], answers
