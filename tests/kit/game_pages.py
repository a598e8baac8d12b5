"""
The last section of each game's page: its token, actions and events, for those who write a wire for it.

`python -m tests.kit.game_pages` writes it anew.
"""

import inspect
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

GAMES = Path(__file__).parents[2] / "docs" / "games"
TITLE = "For a wire of your own"
#: By the page: the package, and its token.
PAGES: Mapping[str, tuple[str, str]] = {
    "onitama": ("onitama", "ONITAMA"),
    "stratego": ("stratego", "STRATEGO"),
    "eriantys": ("eriantys", "ERIANTYS"),
    "paper-soccer": ("paper_soccer", "PAPER_SOCCER"),
}


def _line(kind: type) -> str:
    """A class with its fields, and the first sentence about it."""
    words = " ".join((inspect.getdoc(kind) or "").split())
    sentence = words.partition(". ")[0].rstrip(".").replace("`", "``")
    fields = ", ".join(getattr(kind, "__struct_fields__", ()))
    return f"- ``{kind.__name__}({fields})``: {sentence}{'' if sentence.endswith('?') else '.'}"


def _lines(module: Any, names: str) -> Iterator[str]:
    union = getattr(module, names)
    yield from map(_line, get_args(union) or (union,))


def section(page: str) -> str:
    """The section of a page."""
    package, token = PAGES[page]
    master = import_module(f"gamehost.games.{package}.master")
    events = import_module(f"gamehost.games.{package}.events") if package in ("stratego", "eriantys") else master
    actions = events if hasattr(events, "Action") else master
    lines = [
        *(TITLE, "-" * len(TITLE), ""),
        f"``from {master.__name__} import {token}``. Actions and events are in ``{events.__name__}``.",
        "``Situation`` is the view in ``Back`` and ``Look``. `What a wire can ask the lobby <../lobby.rst>`_ has the rest.",
        *("", "A seat acts with:", ""),
        *(_lines(actions, "Action") if hasattr(actions, "Action") else [_line(master.Move)]),
        *("", "The master tells:", ""),
        *_lines(events, "Event"),
    ]
    return "\n".join(lines) + "\n"


def with_section(text: str, page: str) -> str:
    """A page with its section as it must be."""
    before = text.partition(f"{TITLE}\n{'-' * len(TITLE)}\n")[0].rstrip()
    return f"{before}\n\n{section(page)}"


def main() -> int:
    for page in PAGES:
        path = GAMES / f"{page}.rst"
        path.write_text(with_section(path.read_text("utf-8"), page), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
