"""
The bytes between the programs and the host of a contest, for `gamehost trace`. No result depends on them.

The size is bounded: the first bytes of each connection, the first connections of each game, and the worst game of each entrant.
"""

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from attrs import define, field

from gamehost.extras.contest.contest import Contest
from gamehost.extras.contest.entries import Played
from gamehost.extras.contest.files import TRACES, TRAFFIC, own_folder, replace_file
from gamehost.extras.contest.judging import MOVES
from gamehost.games.base import Cause

#: Bytes of a connection that are stored, and connections of a game.
MOST_BYTES, MOST_CONNECTIONS = 100_000, 20
#: Bytes for which a segment counts beside its own.
SEGMENT = 100
#: Seconds in which all worst games are traced, and the lines of one that are shown: the first marked ones, and the last ones.
TRACE_SECONDS, MOST_MARKED, LAST_LINES = 60, 10, 40


@define(eq=False)
class HeardBytes:
    """
    The bytes of one connection, both ways.

    :param seconds: the time
    """

    _seconds: Callable[[], float]
    #: The player whose seat the connection has; empty: it has none.
    name: str = ""
    #: When, by whom (`client` or `host`), and the bytes.
    pieces: list[tuple[float, str, bytes]] = field(factory=list)
    _left: int = MOST_BYTES

    def listen(self, connection: Any) -> None:
        """Listen to a connection that is not made yet."""
        connection.dataReceived = partial(self._pass_on, "client", connection.dataReceived)
        connection.makeConnection = partial(self._made, connection.makeConnection)

    def _made(self, make: Callable[[Any], None], transport: Any) -> None:
        transport.write = partial(self._pass_on, "host", transport.write)
        make(transport)

    def _pass_on(self, sender: str, to: Callable[[bytes], None], data: bytes) -> None:
        if self._left > 0:
            self.pieces.append((self._seconds(), sender, data[: self._left]))
            self._left -= len(data) + SEGMENT
        to(data)


def worst_game(contest: Contest, player: int) -> Played | None:
    """
    The game that teaches an entrant most; `None`: it has won all. A lost game comes first, then a game with a fault, then a
    short game.
    """

    def place(one: Played) -> tuple[float, bool, int, int]:
        share = one.shares[one.players.index(player)]
        return share, one.cause in (Cause.RULES.value, MOVES), one.moves, one.round

    mine = [one for one in contest.played.values() if player in one.players]
    worst = min(mine, key=place, default=None)
    return None if worst is None or place(worst)[0] == 1.0 else worst


def traffic_name(game: str, player: int) -> str:
    """The file with the messages of an entrant's game."""
    return f"{game}.{player + 1}.jsonl"


def store_traffic(folder: Path, contest: Contest, one: Played, heard: Sequence[HeardBytes]) -> None:
    """
    Store the messages of a counted game for each player that it is the worst game of, in place of an earlier one.

    :raises OSError: it cannot be written
    """
    for player, share in zip(one.players, one.shares, strict=True):
        own = [connection for connection in heard if connection.name == contest.plan.names[player]]
        if share == 1.0 or not own or worst_game(contest, player) is not one:
            continue
        for path in own_folder(folder / TRAFFIC).glob(f"*.{player + 1}.jsonl"):
            path.unlink()
        replace_file(folder / TRAFFIC / traffic_name(one.id, player), "".join(_lines(own)))


def _lines(heard: Sequence[HeardBytes]) -> list[str]:
    """Each segment as a line of JSON, in order."""
    began = min((piece[0] for one in heard for piece in one.pieces), default=0.0)
    found = [(*piece, number) for number, one in enumerate(heard, 1) for piece in one.pieces]
    found.sort(key=lambda piece: piece[0])
    return [
        json.dumps(
            {
                **{"at": round(at - began, 4), "connection": number, "from": sender},
                "bytes": b64encode(data).decode(),
            }
        )
        + "\n"
        for at, sender, data, number in found
    ]


def trace_worst_games(folder: Path, contest: Contest) -> None:
    """
    Let `gamehost trace` say what the worst game of each entrant means, as far as it was stored, and write that down.

    :raises OSError: it cannot be written
    """
    paths = {}
    for player, name in enumerate(contest.plan.names):
        one = worst_game(contest, player)
        path = folder / TRAFFIC / traffic_name("" if one is None else one.id, player)
        if one is not None and path.exists():
            paths[name] = path
    if paths:
        traced = _traced(contest.plan.wire, [*paths.values()])
        found = {
            name: {"game": path.name.rpartition(".")[0].rpartition(".")[0], "lines": shown(traced.get(str(path), ()))}
            for name, path in paths.items()
        }
        replace_file(folder / TRACES, json.dumps(found, indent=1) + "\n")


def _traced(wire: str, paths: Sequence[Path]) -> Mapping[str, Sequence[str]]:
    """The lines of a trace of each file, by its path; empty: it cannot be traced here."""
    command = [sys.executable, "-m", "gamehost", "trace", wire, "--read", *map(str, paths)]
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    with suppress(subprocess.SubprocessError):
        done = subprocess.run(command, capture_output=True, text=True, timeout=TRACE_SECONDS, check=True)
        known = {f"{path}:": str(path) for path in paths}
        for line in done.stdout.splitlines():
            if line in known:
                lines = found.setdefault(known[line], [])
            else:
                lines.append(line)
    return found


#: How a line of a trace is marked.
_MARKS = ("BREACH:", "FRAGILE:")


def shown(lines: Sequence[str]) -> list[str]:
    """The lines of a trace that a page shows: the first marked ones, and the last ones."""
    marked = [number for number, line in enumerate(lines) if any(mark in line for mark in _MARKS)][:MOST_MARKED]
    last = range(max(0, len(lines) - LAST_LINES), len(lines))
    found: list[str] = []
    before = -1
    for number in sorted({*marked, *last}):
        if number > before + 1:
            found.append("...")
        found.append(lines[number])
        before = number
    return found
