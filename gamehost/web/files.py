"""
The files of the pages, read and compressed once, at the start.

Their addresses have a hash over all of them, so browsers may keep them for ever: a new release has new addresses. Modules
import each other by relative names, and so keep the hash. In the shell `/static/HASH/` stands for the address of the files,
`GAMES` for the games of this host as JSON, `WAYS` for its ports, and `PHRASES` for what players can say to each other.

A game brings its own board: `board.js` and `board.css` in its folder, whoever has written it, and what they need in other files
whose names begin with `board`. They are served at `/static/HASH/games/NAME/`, and beside them `help.txt`, the game's rules.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from html import escape
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from attrs import field, frozen
from msgspec.json import encode

from gamehost.games.base import Game, Offer, offers_of
from gamehost.games.chance import JournalledChance
from gamehost.games.installed import files_of
from gamehost.games.play import help_of
from gamehost.lobby.queues import PHRASES, TALKING_WIRES
from gamehost.settings import Settings, milliseconds
from gamehost.web.http import FOR_EVER, Answer, found

#: The page that all addresses of pages show.
SHELL = "index.html"

#: In the shell, replaced by the address of the files.
PLACEHOLDER = b"/static/HASH/"
#: In the shell, replaced by the games, and by what is run in a terminal to come here.
GAMES, WAYS = b"GAMES", b"WAYS"
#: In the shell, replaced by what players can say, and by the wires on which they can be told it.
SAID = b"PHRASES"

KINDS: Mapping[str, str] = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/vnd.microsoft.icon",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
}


def read_files(games: Iterable[Game[Any, Any]]) -> dict[str, bytes]:
    """The files of the pages and of the games, by their paths with slashes. Files of unknown kinds are left out."""
    found = dict(_walk(files("gamehost.web") / "static", ""))
    for game in games:
        found |= board_files(game)
        found[f"games/{game.name}/help.txt"] = "".join(f"{line}\n" for line in help_of(game)).encode()
    return dict(sorted(found.items()))


def board_files(game: Game[Any, Any]) -> dict[str, bytes]:
    """The files of a game's own board, by their paths with slashes; none: the pages show their plain one."""
    content = files_of(game, "board")
    if "board.js" not in content:
        return {}
    return {f"games/{game.name}/{name}": data for name, data in content.items() if name.rpartition(".")[2] in KINDS}


def times_of(game: Game[Any, Any], settings: Settings) -> dict[str, float]:
    """The seconds in which a player must act with these settings: at the `begin` of a match, and for a `move`. None is 0."""
    master = game.new_master(game.least_seats, settings, JournalledChance(lambda number: 0))
    master.begin(0)
    begin, move = (master.deadline or 0) / 1000, milliseconds("move_time", settings.get("move_time", "0")) / 1000
    return {name: seconds for name, seconds in (("begin", begin), ("move", move)) if seconds and master.deadline}


def described(
    games: Iterable[Game[Any, Any]],
    content: Mapping[str, bytes],
    settings: Mapping[str, Settings] = MappingProxyType({}),
    house: Mapping[str, float] = MappingProxyType({}),
) -> bytes:
    """
    What the pages know of the games before anything else, as JSON in an attribute.

    :param settings: the host's, by game
    :param house: seconds until somebody who waits alone gets a house player, by game
    """
    rows = [
        {
            "name": game.name,
            "seats": [game.least_seats, game.most_seats],
            "board": f"games/{game.name}/board.js" in content,
            "offers": [offer.value for offer in Offer if offer in offers_of(game)],
            "times": times_of(game, settings.get(game.name, {})),
            "house": house.get(game.name, 0),
        }
        for game in games
    ]
    return _attribute(rows)


def _attribute(value: Any) -> bytes:
    """A value as JSON in an attribute."""
    return escape(encode(value).decode()).encode()


def _walk(folder: Any, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.rpartition(".")[2] in KINDS:
            yield f"{prefix}{entry.name}", entry.read_bytes()


def hash_of(content: Mapping[str, bytes]) -> str:
    """A hash over the names and contents of all files."""
    digest = blake2b(digest_size=8)
    for name, data in content.items():
        digest.update(f"{len(name)} {name} {len(data)} ".encode() + data)
    return digest.hexdigest()


@frozen
class StaticFiles:
    """The files of the pages, ready to be sent."""

    hash: str
    shell: Answer
    _answers: Mapping[tuple[str, ...], Answer] = field(repr=False)

    @classmethod
    def pack(
        cls,
        content: Mapping[str, bytes],
        games: Iterable[Game[Any, Any]] = (),
        settings: Mapping[str, Settings] = MappingProxyType({}),
        house: Mapping[str, float] = MappingProxyType({}),
        ways: Mapping[str, str] = MappingProxyType({}),
    ) -> "StaticFiles":
        """
        Compress files.

        :param content: by their paths; one is the shell
        :param settings: the host's, by game
        :param house: as of `described`
        :param ways: what is run in a terminal to reach the wires `console` and `open`, such as `nc HOST 8888`
        """
        digest = hash_of(content)
        shell = content[SHELL].replace(PLACEHOLDER, f"/static/{digest}/".encode())
        shell = shell.replace(GAMES, described(games, content, settings, house)).replace(WAYS, _attribute(dict(ways)))
        shell = shell.replace(SAID, _attribute({"phrases": PHRASES, "wires": sorted(TALKING_WIRES)}))
        answers = {
            tuple(name.split("/")): found(data, KINDS[name.rpartition(".")[2]], FOR_EVER, {}, level=9)
            for name, data in content.items()
            if name != SHELL
        }
        return cls(digest, found(shell, KINDS["html"], headers={}, level=9), answers)

    def file(self, path: tuple[str, ...]) -> Answer | None:
        """The file at a path behind `/static`; `None`: there is none, or it is of another release."""
        return self._answers.get(path[1:]) if path[:1] == (self.hash,) else None
