"""
Draws the pictures of the docs: `python -m tests.kit.pictures`, or `make pictures`.

Each is made from a match between house players, whose text is beside it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gamehost.games.base import Seat
from gamehost.journal.notation import read_notation
from gamehost.journal.pictures import picture
from tests.client.test_views import PLAYERS
from tests.kit.sources import ROOT

FOLDER = ROOT / "docs" / "games" / "pictures"

#: The name of the game, the text and the picture -> what is drawn: see `picture`.
PICTURES: Mapping[str, Mapping[str, Any]] = {
    "onitama": {"until": 9},
    "paper-soccer": {},
    "stratego": {"until": 120, "seat": Seat(0)},
    "eriantys": {"until": 100},
}


def pictures() -> Iterator[tuple[Path, str]]:
    """Each picture, and its file."""
    for name, changes in PICTURES.items():
        match = read_notation((FOLDER / f"{name}.txt").read_text("ascii"))
        drawn = picture(PLAYERS[name].game, match.record, date=match.date, moves=False, **changes)
        yield FOLDER / f"{name}.svg", drawn


if __name__ == "__main__":
    for path, drawn in pictures():
        path.write_text(drawn, "ascii")
