"""
`docs/plugin-games.rst`: the token, the actions and the events of each game, for those who write a wire for it.

`python -m tests.kit.game_pages` writes it anew.
"""

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

PAGE = Path(__file__).parents[2] / "docs" / "plugin-games.rst"
_HEAD = """\
The games for a wire
====================

Import a game from here if you write a wire for it. `Write a wire <plugin-wire.rst>`_ shows how. Each game has a token,
actions that a seat can take, and events that the master tells. ``Situation`` is the view in ``Back`` and ``Look``.
`What a wire can ask the lobby <lobby.rst>`_ has the rest.
"""
#: The title of a game: its package, and its token.
GAMES: Mapping[str, tuple[str, str]] = {
    "Onitama": ("onitama", "ONITAMA"),
    "Stratego": ("stratego", "STRATEGO"),
    "Eriantys": ("eriantys", "ERIANTYS"),
    "Paper Soccer": ("paper_soccer", "PAPER_SOCCER"),
}


def _line(kind: type) -> str:
    """A class with its fields, and the first sentence about it."""
    words = " ".join((inspect.getdoc(kind) or "").split())
    sentence = words.partition(". ")[0].rstrip(".").replace("`", "``")
    fields = ", ".join(getattr(kind, "__struct_fields__", ()))
    return f"- ``{kind.__name__}({fields})``: {sentence}{'' if sentence.endswith('?') else '.'}"


def _lines(module: Any, names: str) -> Iterator[str]:
    union = getattr(module, names)
    yield from map(_line, get_args(union) or _family(union))


def _family(kind: Any) -> list[type]:
    return [one for below in kind.__subclasses__() for one in _family(below)] or [kind]


def _section(title: str, package: str, token: str) -> str:
    master = import_module(f"gamehost.games.{package}.master")
    elsewhere = {"stratego": "rules", "eriantys": "events"}.get(package, "master")
    events = import_module(f"gamehost.games.{package}.{elsewhere}")
    actions = events if hasattr(events, "Action") else master
    lines = [
        *(title, "-" * len(title), ""),
        f"``from {master.__name__} import {token}``. Actions and events are in ``{events.__name__}``.",
        *("", "A seat acts with:", ""),
        *(_lines(actions, "Action") if hasattr(actions, "Action") else [_line(master.Move)]),
        *("", "The master tells:", ""),
        *_lines(events, "Event"),
    ]
    return "\n".join(lines) + "\n"


def page() -> str:
    return "\n".join([_HEAD, *(_section(title, *names) for title, names in GAMES.items())])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
