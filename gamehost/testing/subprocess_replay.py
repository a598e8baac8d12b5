"""
Replays a record in another process, which has another hash seed and other addresses.

The game is pickled, so it must be importable there by its name.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.games.base import Game
from gamehost.games.chance import JournalledChance
from gamehost.journal.records import Entry
from gamehost.journal.replay import NotFollowed, fingerprint, replay


def checked_elsewhere(
    game: Game[Any, Any], seats: int, settings: Mapping[str, str], entries: Sequence[Entry], hash_seed: int
) -> str:
    """The fingerprint in hexadecimal, after a process with this hash seed has replayed a record; or why it could not."""
    done = subprocess.run(
        [sys.executable, "-m", "gamehost.testing.subprocess_replay"],
        input=pickle.dumps((game, seats, dict(settings), tuple(entries))),
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        timeout=30,
        check=True,
    )
    return done.stdout.decode("utf-8").strip()


def _main() -> None:
    game, seats, settings, entries = pickle.load(sys.stdin.buffer)
    chance = JournalledChance()
    try:
        print(fingerprint(replay(game, game.new_master(seats, settings, chance), chance, entries)).hex())
    except NotFollowed as error:
        print(error)


if __name__ == "__main__":
    _main()
