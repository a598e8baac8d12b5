"""
The names of a contest's files besides its journal, and the functions that write and read them.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

#: The file with the checker's findings on the programs before the contest, by the names of the players.
CHECKS = "checks.json"
#: The folder with the programs' output.
OUTPUT = "output"
#: The folder with the bytes between programs and host in worst games, and the file with what `gamehost trace` says of them.
TRAFFIC, TRACES = "traffic", "traces.json"


def replace_file(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """
    Writes a file at once: a reader finds the old file or the whole new file, and never a part. A symbolic link at this path
    is replaced, and not followed.

    :param mode: the access rights of the new file, limited by the umask of the process
    :raises OSError: the file cannot be written
    """
    new = path.with_name(path.name + ".new")
    # A process that was killed may have left such a file behind. With `O_EXCL`, a link at this path is not followed.
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
    new.replace(path)


def own_folder(path: Path) -> Path:
    """
    Makes a folder of the contest if it is missing, and returns its path. A symbolic link at this path is removed, because
    it could lead anywhere.

    :raises OSError: the folder cannot be made
    """
    if path.is_symlink():
        path.unlink()
    path.mkdir(parents=True, exist_ok=True)
    return path


def output_name(game: str, player: int) -> str:
    """
    Returns the name of the file with the output of a program in a game.

    :param game: the id of the game
    :param player: the number of the player, from 0
    """
    return f"{game}.{player + 1}.txt"


def write_outputs(folder: Path, game: str, players: Sequence[int], outputs: Sequence[bytes]) -> None:
    """
    Stores the end of the output of each program of a game.

    :param folder: the folder of the contest
    :param outputs: the output of each player's program
    :raises OSError: a file cannot be written
    """
    for player, output in zip(players, outputs, strict=False):
        # There are fewer outputs than players if not all programs were started.
        if output:
            text = output.decode("utf-8", "replace")
            replace_file(own_folder(folder / OUTPUT) / output_name(game, player), text)


def read_found(folder: Path, name: str) -> Mapping[str, Any]:
    """
    Returns the content of the file `CHECKS` or `TRACES`, by the names of the players; empty: the file is missing or damaged.
    """
    try:
        found = json.loads((folder / name).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
