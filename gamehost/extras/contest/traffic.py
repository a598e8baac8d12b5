"""
Stores the bytes between the programs and the host of a contest, for `gamehost trace`. No result depends on these files.

The size is limited: only the first bytes of each connection are stored, only the first connections of a game, and only the
worst game of each entrant.
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

#: How many bytes of a connection are stored, and how many connections of a game.
MOST_BYTES, MOST_CONNECTIONS = 100_000, 20
#: A segment counts as so many bytes more than it has.
SEGMENT = 100
#: The most seconds for tracing all worst games. Then how many lines of a trace are shown: the first marked lines, and the
#: last lines.
TRACE_SECONDS, MOST_MARKED, LAST_LINES = 60, 10, 40


@define(eq=False)
class HeardBytes:
    """
    Records the bytes of one connection, in both directions.

    :param seconds: returns the time
    """

    _seconds: Callable[[], float]
    #: The name of the player that was allowed to log in on the connection; empty: none was.
    name: str = ""
    #: The recorded segments: the time, the sender (`client` or `host`), and the bytes.
    pieces: list[tuple[float, str, bytes]] = field(factory=list)
    #: How many bytes may still be recorded.
    _left: int = MOST_BYTES

    def listen(self, connection: Any) -> None:
        """
        Starts to record a connection: replaces the methods of its protocol through which data and the transport come.

        :param connection: a protocol without a transport yet

        :param connection: a protocol without a transport yet
        """
        connection.dataReceived = partial(self._pass_on, "client", connection.dataReceived)
        connection.makeConnection = partial(self._made, connection.makeConnection)

    def _made(self, make: Callable[[Any], None], transport: Any) -> None:
        """Records also what the host writes to the new transport."""
        transport.write = partial(self._pass_on, "host", transport.write)
        make(transport)

    def _pass_on(self, sender: str, to: Callable[[bytes], None], data: bytes) -> None:
        """Records a segment, as long as there is room, and passes it to its receiver."""
        if self._left > 0:
            self.pieces.append((self._seconds(), sender, data[: self._left]))
            # The stored form of a segment is longer than its bytes.
            self._left -= len(data) + SEGMENT
        to(data)


def worst_game(contest: Contest, player: int) -> Played | None:
    """
    Returns the game from which an entrant's author can learn most; `None`: the entrant has won all its games. This is the
    game with the fewest points. Of several such games, one that ended by a fault is chosen first, then the shortest one.
    """

    def place(one: Played) -> tuple[float, bool, int, int]:
        # A game that ended by the rules or by its number of moves shows no fault, so it comes later.
        share = one.shares[one.players.index(player)]
        return share, one.cause in (Cause.RULES.value, MOVES), one.moves, one.round

    mine = [one for one in contest.played.values() if player in one.players]
    worst = min(mine, key=place, default=None)
    # The worst share is a whole point: all games were won.
    return None if worst is None or place(worst)[0] == 1.0 else worst


def traffic_name(game: str, player: int) -> str:
    """Returns the name of the file with the recorded bytes of an entrant's game."""
    return f"{game}.{player + 1}.jsonl"


def store_traffic(folder: Path, contest: Contest, one: Played, heard: Sequence[HeardBytes]) -> None:
    """
    Stores the recorded bytes of a decided game for those of its players that have no worse game. The file replaces that of
    the player's earlier worst game.

    :param folder: the folder of the contest
    :param heard: the recorded connections of the game
    :raises OSError: a file cannot be written
    """
    for player, share in zip(one.players, one.shares, strict=True):
        own = [connection for connection in heard if connection.name == contest.plan.names[player]]
        if share == 1.0 or not own or worst_game(contest, player) is not one:
            continue
        # A player has one file. Its name is the id of the game and the player's number.
        for path in own_folder(folder / TRAFFIC).glob(f"*.{player + 1}.jsonl"):
            path.unlink()
        replace_file(folder / TRAFFIC / traffic_name(one.id, player), "".join(_lines(own)))


def _lines(heard: Sequence[HeardBytes]) -> list[str]:
    """Returns a line of JSON for each segment of some connections, in the order of time."""
    began = min((piece[0] for one in heard for piece in one.pieces), default=0.0)
    found = [(*piece, number) for number, one in enumerate(heard, 1) for piece in one.pieces]
    # A sort by time only, which keeps the order of equal times.
    found.sort(key=lambda piece: piece[0])
    return [
        json.dumps(
            {
                "at": round(at - began, 4),
                "connection": number,
                "from": sender,
                "bytes": b64encode(data).decode(),
            }
        )
        + "\n"
        for at, sender, data, number in found
    ]


def trace_worst_games(folder: Path, contest: Contest) -> None:
    """
    Runs `gamehost trace` on the stored bytes of each entrant's worst game, and writes the traces to a file of the contest.

    :param folder: the folder of the contest
    :raises OSError: the file cannot be written
    """
    # Find the file of each entrant's worst game.
    paths = {}
    for player, name in enumerate(contest.plan.names):
        one = worst_game(contest, player)
        path = folder / TRAFFIC / traffic_name("" if one is None else one.id, player)
        if one is not None and path.exists():
            paths[name] = path
    if paths:
        traced = _traced(contest.plan.wire, [*paths.values()])
        # The id of the game is the file's name without the player's number and the ending.
        found = {
            name: {"game": path.name.rpartition(".")[0].rpartition(".")[0], "lines": shown(traced.get(str(path), ()))}
            for name, path in paths.items()
        }
        replace_file(folder / TRACES, json.dumps(found, indent=1) + "\n")


def _traced(wire: str, paths: Sequence[Path]) -> Mapping[str, Sequence[str]]:
    """
    Runs `gamehost trace` on some files.

    :returns: the lines of the trace of each file, by its path. Files without a trace are left out. Empty: the command has
        failed
    """
    command = [sys.executable, "-m", "gamehost", "trace", wire, "--read", *map(str, paths)]
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    with suppress(subprocess.SubprocessError):
        done = subprocess.run(command, capture_output=True, text=True, timeout=TRACE_SECONDS, check=True)
        # Before the trace of each file, the command writes a line with the file's path.
        known = {f"{path}:": str(path) for path in paths}
        for line in done.stdout.splitlines():
            if line in known:
                lines = found.setdefault(known[line], [])
            else:
                lines.append(line)
    return found


#: The words that mark a line of a trace as a finding.
_MARKS = ("BREACH:", "FRAGILE:")


def shown(lines: Sequence[str]) -> list[str]:
    """
    Returns the lines of a trace that a page shows: the first lines that are marked as faults, and the last lines. `...`
    stands for gaps.
    """
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
