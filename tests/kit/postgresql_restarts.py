"""
Restarts of the database under play: nothing that was acknowledged is lost, nothing is there twice, and nobody is disconnected.

`python -m tests.kit.postgresql_restarts 10 1` does it ten times, with a server of its own.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

from attrs import frozen

from tests.kit.postgresql import PostgresServer, new_server, require_postgresql
from tests.kit.process import HostProcess
from tests.kit.sigkill import Lost, Pair


@frozen
class Restarts:
    """What was seen."""

    #: Moves that were acknowledged.
    moves: int
    #: Seconds that the database was away, and seconds that a move took, at most.
    away: float
    longest: float


def restart_under_play(
    times: int, seed: int, folder: Path, server: PostgresServer, module: str = "gamehost"
) -> Restarts:
    """
    Kill the database so often while a move is under way, start it again, and play on over the same connections.

    In the end the host is killed, and the next one must have the position that the players were told of.

    :raises Lost: a move is missing, or is there twice
    :raises ConnectionError: the host has ended, or has disconnected a player
    """
    rng, moves, away, longest = random.Random(seed), 0, 0.0, 0.0
    pair, database = Pair(("ann", "bob"), rng), server.new_database()
    store = server.url(database)
    with HostProcess(*Pair.options, wires=["onitama"], folder=folder, store=store, module=module) as host:
        pair.log_in(host)
        for _ in range(times):
            for _ in range(rng.randrange(1, 20)):
                moves += _move(pair, host)
            began = time.monotonic()
            server.stop()
            restarted = _restart_during_a_move(pair, host, server)
            moves += 1
            away = max(away, restarted - began)
            longest = max(longest, time.monotonic() - began)
        host.kill()
    pair.read_what_came()
    pair.close()
    with HostProcess(*Pair.options, wires=["onitama"], folder=folder, store=store) as host:
        pair.log_in(host)
    gaps = server.execute("SELECT game FROM event GROUP BY game HAVING count(*) != max(n) + 1", database)
    if gaps:
        raise Lost(f"tables with gaps: {gaps}")
    return Restarts(moves, away, longest)


def _move(pair: Pair, host: HostProcess) -> int:
    if pair.known is None:
        pair.close()
        pair.log_in(host)
    pair.move()
    return 1


def _restart_during_a_move(pair: Pair, host: HostProcess, server: PostgresServer) -> float:
    """Send a move to a host whose database is away, start that, and wait for the acknowledgement; when it was started."""
    if pair.known is None:
        server.start()
        restarted = time.monotonic()
        _move(pair, host)
        return restarted
    position = pair.known
    quiet = [move for move in position.moves() if position.after(move).won is None]
    pair.send(pair.rng.choice(sorted(quiet or position.moves(), key=str)))
    time.sleep(pair.rng.random() * 0.1)
    for player in pair.sockets:
        player.socket.setblocking(False)
        try:
            early = player.socket.recv(4096)
        except BlockingIOError:
            early = b"\n"
        player.socket.settimeout(20)
        if early.strip():
            raise Lost(f"told before it was durable: {early!r}")
    server.start()
    restarted = time.monotonic()
    pair.hear_answers()
    return restarted


if __name__ == "__main__":
    require_postgresql()
    own = new_server()
    try:
        with tempfile.TemporaryDirectory() as temporary:
            seen = restart_under_play(int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1, Path(temporary), own)
    finally:
        own.remove()
    print(
        f"{sys.argv[1]} restarts, {seen.moves} moves acknowledged: none lost, none twice, nobody disconnected; "
        f"the database was away for up to {seen.away:.2f} s, the longest move took {seen.longest:.2f} s"
    )
