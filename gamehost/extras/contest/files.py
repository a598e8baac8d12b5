"""
The files of a contest beside its journal: how they are written, and what they are called.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

#: What the checker has said of the programs before the contest, by their names.
CHECKS = "checks.json"
#: The folder of what programs wrote.
OUTPUT = "output"
#: The folder of what programs and host have said in worst games, and what `gamehost trace` says of it.
TRAFFIC, TRACES = "traffic", "traces.json"


def replace_file(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """
    A reader finds the old file or the new one, and never a part of one. A link in its place is replaced, and not followed.

    :param mode: who may read and write a new file, as far as the process lets them

    :raises OSError: it cannot be written
    """
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
    new.replace(path)


def own_folder(path: Path) -> Path:
    """
    A folder of the contest, which is made if there is none. A link in its place, which could lead anywhere, is removed.

    :raises OSError: it cannot be made
    """
    if path.is_symlink():
        path.unlink()
    path.mkdir(parents=True, exist_ok=True)
    return path


def output_name(game: str, player: int) -> str:
    """The file with the output of a program in a game."""
    return f"{game}.{player + 1}.txt"


def write_outputs(folder: Path, game: str, players: Sequence[int], outputs: Sequence[bytes]) -> None:
    """
    Store what the programs of a game wrote, the end of it.

    :raises OSError: it cannot be written
    """
    for player, output in zip(players, outputs, strict=False):
        if output:
            text = output.decode("utf-8", "replace")
            replace_file(own_folder(folder / OUTPUT) / output_name(game, player), text)


def read_found(folder: Path, name: str) -> Mapping[str, Any]:
    """The content of `CHECKS` or `TRACES`, by the names of the players. It is empty if there is no such file."""
    try:
        found = json.loads((folder / name).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
