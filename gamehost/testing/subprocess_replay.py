"""
A record carried out in another process: with other seeds for its hashes, other addresses, and nothing that this one knows.

What goes there is pickled, so a game is named by where it is defined.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.games.base import Game
from gamehost.games.chance import JournalledChance
from gamehost.journal.fingerprint import fingerprint
from gamehost.journal.records import Entry
from gamehost.journal.replay import NotFollowed, replay


def checked_elsewhere(
    game: Game[Any, Any], seats: int, settings: Mapping[str, str], entries: Sequence[Entry], hash_seed: int
) -> str:
    """The check, in hexadecimal, after a record was replayed in a process with this seed; or why it was not followed."""
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
