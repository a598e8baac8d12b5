"""
The installed games, and the optional files in the folder of a game.

A game is represented by an object, its token. The class of the token is defined in a module of the game's folder. The following
files in this folder are optional:

- `messages.py` with `MESSAGES`: the JSON of the game. A game without it is played on a wire of its own only.
- `text.py` with `SCREEN`: draws the game in a terminal, and reads what is typed
- `svg.py` with `picture`: draws the game as a picture
- `player.py` with `PLAYER`: plays the game for the host
- `advice.py` with `because`: says in one sentence why an action is good
- `board.js` and `board.css`: its board in the browser, with more files that have names beginning with `board`
- `bridge.py` with `BRIDGES`: the protocols of other communities' bots that can play the game; those of this package are
  an extra
- `help.rst`: its rules and moves for people, at most 22 lines of 80 ASCII characters, as a literal text

`gamehost.games.play` has a substitute for each missing file. Each file is read when it is first needed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.resources import files
from pkgutil import resolve_name
from typing import Any

from attrs import frozen

from gamehost.entries import PartUnusable, entries_of, importing
from gamehost.games.base import Game

#: The group of entry points by which other packages add their games: `name = module:TOKEN`.
GROUP = "gamehost.games"

#: The host's own games, in the order of lists for people.
OWN: Sequence[str] = (
    "gamehost.games.onitama.master:ONITAMA",
    "gamehost.games.eriantys.master:ERIANTYS",
    "gamehost.games.paper_soccer.master:PAPER_SOCCER",
    "gamehost.games.stratego.master:STRATEGO",
)

#: `NAME` is the form of names of games and wires. Games must not have the names in `RESERVED`, because settings of the host
#: begin with them.
NAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
NAME_WORDS = "expected a lower-case letter, then lower-case letters, digits and hyphens"
RESERVED = frozenset({"limits", "web"})


@frozen
class Installed:
    """All games that can be played, by name; and the games of other packages that cannot be used, with the reasons."""

    games: Mapping[str, Game[Any, Any]]
    rejected: Mapping[str, str]


def find_games(entries: Iterable[EntryPoint]) -> Installed:
    """
    Returns the host's own games, and the games of these entry points. Other packages cannot take the name of one of the host's
    own games.
    """
    games = {game.name: game for game in map(resolve_name, OWN)}
    rejected: dict[str, str] = {}
    for entry in sorted(entries, key=lambda one: (one.name, one.value)):
        try:
            with importing(entry):
                game = entry.load()
                name = game.name
        # The package cannot be imported, or has no such object.
        except PartUnusable as error:
            rejected[entry.name] = str(error)
            continue
        if not isinstance(name, str) or not NAME.fullmatch(name) or name in RESERVED:
            rejected[entry.name] = f"{name!r} is not a name for a game; {NAME_WORDS}"
        elif name != entry.name:
            rejected[entry.name] = (
                f"the entry point is called {entry.name!r} and its game {name!r}; expected the same name"
            )
        elif name in games:
            rejected[entry.name] = f"another game is called {name!r}; expected another name"
        else:
            games[name] = game
    return Installed(games, rejected)


@cache
def installed() -> Installed:
    """Returns the installed games. They are read once: packages that are installed later are found at the next start."""
    return find_games(entries_of(GROUP))


def part(game: Game[Any, Any], module: str, name: str) -> Any:
    """
    Returns a value from an optional module in a game's folder.

    :param game: the game
    :param module: the module, such as `player`
    :param name: the name of the value in the module, such as `PLAYER`
    :return: `None`: the game has no such module
    """
    # The first folder that has the value: the game's own one comes before those of its base classes.
    return next((found for folder in _folders(game) if (found := _part(folder, module, name)) is not None), None)


def home_of(game: Game[Any, Any]) -> str:
    """
    Returns the name of the game's folder, as a package. It is the first folder in which the parts of the game are searched.
    """
    return _folders(game)[0]


def resource(game: Game[Any, Any], name: str) -> str | None:
    """Returns the text of a file in a game's folder, such as `board.js`; `None`: there is no such file."""
    for folder in _folders(game):
        file = files(folder).joinpath(name)
        if file.is_file():
            return file.read_text("utf-8")
    return None


def files_of(game: Game[Any, Any], beginning: str) -> dict[str, bytes]:
    """
    Returns the files in a game's folders with names that begin like this, by their names. Files of the game's own
    folder replace those of the folders of its base classes.
    """
    found: dict[str, bytes] = {}
    # The base classes come first, so that the later update replaces their files.
    for folder in reversed(_folders(game)):
        entries = (entry for entry in files(folder).iterdir() if entry.name.startswith(beginning) and entry.is_file())
        found |= {entry.name: entry.read_bytes() for entry in entries}
    return found


def _folders(game: Game[Any, Any]) -> list[str]:
    """
    Returns the packages in which the parts of a game are searched, the first one first: those of the class of the
    game's object, and of its base classes. So a game that derives from another one inherits its parts.
    """
    # `__mro__`: the class itself, and then its base classes. A module outside of a package has no folder.
    packages = [kind.__module__.rpartition(".")[0] for kind in type(game).__mro__]
    return list(dict.fromkeys(filter(None, packages)))


@cache
def _part(folder: str, module: str, name: str) -> Any:
    """Returns a value of a module, or `None` if there is no such module or value. An error inside the module is raised."""
    where = f"{folder}.{module}"
    try:
        return getattr(import_module(where), name, None)
    except ModuleNotFoundError as error:
        if error.name != where:
            # The module exists, but imports another one that does not.
            raise
        return None
