"""
Requests over HTTP, access to them, and their answers: values that know no connection. Also the files of the pages, read
and compressed once, at the start. Pure.

A page of another site can make a browser send requests to this host. If a name of that site points to this host, these
requests look like those of our own pages. So a browser's socket must come from a page of this host. And a request must
name the host by an address, by `localhost`, or by a name that the owner has set, because no other site can make such a
name point to this host.

The addresses of the files have a hash over all of them, so browsers may cache them for ever: a new release has new
addresses. Modules import each other by relative names, so the imported names have the hash, too. In the shell,
placeholders are replaced: `/static/HASH/` by the address of the files, `GAMES` by the games of this host as JSON,
`WAYS` by its ports, and `PHRASES` by the phrases for players.

A game brings its own board: `board.js` and `board.css` in its folder, and other files that they need, with names that
begin with `board`. They are served at `/static/HASH/games/NAME/`, and beside them `help.txt`, the game's rules.
"""

import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from html import escape
from http import HTTPStatus
from importlib.resources import files
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote_to_bytes

from attrs import field, frozen
from msgspec import Struct
from msgspec.json import encode

from gamehost.games.base import Game, JournalledChance, Offer, offers_of
from gamehost.games.installed import files_of
from gamehost.games.play import help_of, levels_of
from gamehost.lobby.queues import PHRASES, TALKING_WIRES
from gamehost.net.endpoints import Network, is_among
from gamehost.players.base import Level
from gamehost.rates import address_of, is_loopback
from gamehost.settings import Settings, milliseconds
from gamehost.wires.origins import origin_of, read_origin

#: Bodies with fewer bytes are not compressed, because they fit into one packet.
WORTH_PACKING = 512

#: Answers that never change.
FOR_EVER = "public, max-age=31536000, immutable"
#: A browser asks for these answers each time, and receives them again only if they have changed.
ASK_AGAIN = "no-cache"
#: Answers that must not be cached.
NEVER = "no-store"

#: Pages of other sites may read these answers, because they are public.
FOR_EVERYBODY: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


class BadPath(ValueError):
    """The path of a request is malformed. The message repeats nothing of it."""


@frozen
class Visitor:
    #: Without the port; empty if the transport has no addresses.
    address: str
    #: Whether the connection of the visitor is known to be encrypted.
    https: bool
    #: Whether the visitor may send a password, because no other program can read it.
    private: bool


class Asked(Struct, frozen=True):
    method: str
    #: The decoded parts of the path between the slashes; `/` has none.
    path: tuple[str, ...]
    query: Mapping[str, str]
    #: The headers by their names in lower case. The values of several headers with one name are joined with commas.
    headers: Mapping[str, str]
    visitor: Visitor
    #: `HTTP/1.1`, for instance.
    version: str = "HTTP/1.1"


@frozen
class Answer:
    status: int
    body: bytes = b""
    kind: str = "text/plain; charset=utf-8"
    cache: str = NEVER
    headers: Mapping[str, str] = field(factory=dict)
    #: The body, compressed with gzip; `None`: only the plain one is sent.
    packed: bytes | None = None
    #: Identifies the body for caches; empty: the body is sent each time.
    etag: str = ""


def packed(body: bytes, level: int = 6) -> bytes | None:
    """A body compressed with gzip, the same bytes each time; `None`: it is not worth it."""
    small = gzip.compress(body, level, mtime=0) if len(body) >= WORTH_PACKING else body
    return small if len(small) < len(body) * 0.9 else None


def found(
    body: bytes, kind: str, cache: str = ASK_AGAIN, headers: Mapping[str, str] = FOR_EVERYBODY, level: int = 6
) -> Answer:
    """
    An answer with a body that browsers may keep. Its `ETag` is a weak one, because the compressed body has the same
    tag.
    """
    etag = f'W/"{blake2b(body, digest_size=12).hexdigest()}"'
    return Answer(200, body, kind, cache=cache, headers=headers, packed=packed(body, level), etag=etag)


def refused(status: int, why: str, headers: Mapping[str, str] = {}) -> Answer:
    """An answer with an error in words."""
    return Answer(status, f"{status} {HTTPStatus(status).phrase}: {why}\n".encode(), headers=headers)


def written(status: int, headers: Mapping[str, str], body: bytes, version: str = "HTTP/1.1") -> bytes:
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{version} {status} {HTTPStatus(status).phrase}\r\n{head}\r\n".encode("latin-1") + body


def split_path(raw: bytes) -> tuple[str, ...]:
    """
    The decoded parts of a path. An escaped slash does not separate parts.

    :raises BadPath: it does not begin with a slash, or has a part that no path of this host has
    """
    if not raw.startswith(b"/"):
        raise BadPath("expected a path that begins with a slash")
    parts = raw[1:].split(b"/")
    if parts[-1] == b"":
        parts.pop()
    try:
        decoded = tuple(unquote_to_bytes(part).decode("utf-8") for part in parts)
    except UnicodeDecodeError:
        raise BadPath("expected a path in UTF-8") from None
    for part in decoded:
        if part in ("", ".", "..") or not part.isprintable():
            raise BadPath("expected a path without empty parts, dots and control characters")
    return decoded


def read_query(arguments: Mapping[bytes, list[bytes]] | Any) -> dict[str, str]:
    """
    The arguments after the question mark. If several have one name, the last one counts.

    :raises BadPath: they are not UTF-8
    """
    try:
        return {name.decode("utf-8"): values[-1].decode("utf-8") for name, values in (arguments or {}).items()}
    except UnicodeDecodeError:
        raise BadPath("expected arguments in UTF-8") from None


_HOST = re.compile(r"([a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?", re.ASCII)


class Access(Struct, frozen=True):
    """
    The names of a listener, and its trusted proxies.

    :param advice: the advice to people that use another name of the host
    """

    #: The origins of its pages, as its owner has named them.
    origins: Sequence[str] = ()
    #: The trusted proxies: the host uses their headers.
    trusted: Sequence[Network] = ()
    advice: str = "an owner can give it one with --web-origin"

    def visitor(self, peer: str, tls: bool, headers: Mapping[str, str]) -> Visitor:
        """
        The visitor of a request.

        :param peer: the address that the connection comes from; empty at a Unix socket
        :param headers: as of `Asked`
        """
        if not is_forwarded(headers):
            return Visitor(peer, tls, tls or _is_loopback(peer))
        if not self.trusts(peer):
            # Another program, perhaps of this machine, has read the request.
            return Visitor(peer, tls, tls)
        https = tls or headers.get("x-forwarded-proto") == "https"
        return Visitor(_last_hop(headers.get("x-forwarded-for", "")) or peer, https, https)

    def trusts(self, peer: str) -> bool:
        """Whether this is the address of a trusted proxy."""
        return not peer or is_among(peer, self.trusted)

    def may_be_many(self, peer: str) -> bool:
        """Whether many clients may share this address: it is a proxy's, or this machine's own."""
        return self.trusts(peer) or _is_loopback(peer)

    def wrong_host(self, host: str | None, version: str) -> Answer | None:
        """The reason why a request that names this host is refused; `None`: the name is allowed."""
        if host is None:
            return None if version == "HTTP/1.0" else refused(400, "expected the header Host")
        match = _HOST.fullmatch(host)
        if match is None:
            return refused(400, "expected a name, or an address, and a port in the header Host")
        name = match[1].lower().removesuffix(".")
        if name == "localhost" or name.endswith(".localhost") or address_of(name.strip("[]")) is not None:
            return None  # an address, or a name that means the own machine everywhere: no site can have such a name
        # `http` and `https` are not told apart, because a proxy of the owner may not say which was used.
        if any(read_origin(origin) == origin_of(origin.partition("://")[0], host) for origin in self.origins):
            return None
        return refused(421, f"this host does not have that name; {self.advice}")

    def foreign(self, origin: str | None, host: str | None, visitor: Visitor) -> bool:
        """Whether the request comes from a page of another site. Only browsers send an origin."""
        if origin is None:
            return False
        read = read_origin(origin)
        own = origin_of("https" if visitor.https else "http", host)
        return read is None or (read != own and read not in map(read_origin, self.origins))


def is_forwarded(headers: Mapping[str, str]) -> bool:
    """Whether the headers say that a proxy has passed the request on."""
    return "x-forwarded-for" in headers or "x-forwarded-proto" in headers


def _is_loopback(address: str) -> bool:
    """
    Whether this is a loopback address, also an IPv4-mapped one. A Unix socket does not count, because proxies use it.
    """
    return address != "" and is_loopback(address)


def _last_hop(forwarded: str) -> str:
    """The client's address as the nearest proxy has reported it; empty: it cannot be read."""
    last = forwarded.rpartition(",")[2].strip().strip("[]")
    try:
        return str(ip_address(last))
    except ValueError:
        return ""


# The files of the pages.


#: The shell: the one HTML file for all addresses of pages.
SHELL = "index.html"

#: In the shell, replaced by the address of the files.
PLACEHOLDER = b"/static/HASH/"
#: In the shell, replaced by the games, and by the commands to reach this host from a terminal.
GAMES, WAYS = b"GAMES", b"WAYS"
#: In the shell, replaced by the phrases for players, and by the wires on which they can receive them.
SAID = b"PHRASES"

KINDS: Mapping[str, str] = {
    "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/vnd.microsoft.icon",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "xsd": "application/xml",
    "webmanifest": "application/manifest+json",
}


def read_files(games: Iterable[Game[Any, Any]]) -> dict[str, bytes]:
    """The files of the pages and of the games, by their paths with slashes. Files of unknown kinds are left out."""
    found = dict(_walk(files("gamehost.web") / "static", ""))
    for game in games:
        found |= board_files(game)
        found[f"games/{game.name}/help.txt"] = "".join(f"{line}\n" for line in help_of(game)).encode()
    return dict(sorted(found.items()))


def schemas() -> dict[str, Answer]:
    """The XML Schemas of the host's wires, by their names."""
    return {
        file.name: found(file.read_bytes(), KINDS["xsd"])
        for wire in files("gamehost.wires").iterdir()
        if wire.is_dir()
        for file in wire.iterdir()
        if file.name.endswith(".xsd")
    }


def board_files(game: Game[Any, Any]) -> dict[str, bytes]:
    """
    The files of a game's own board, by their paths with slashes. A game without any is shown with the plain board.
    """
    content = files_of(game, "board")
    if "board.js" not in content:
        return {}
    return {f"games/{game.name}/{name}": data for name, data in content.items() if name.rpartition(".")[2] in KINDS}


def times_of(game: Game[Any, Any], settings: Settings) -> dict[str, float]:
    """
    How many seconds a player has with these settings: at the `begin` of a match, and for a `move`. 0: there is no
    limit.
    """
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
    The facts about the games that the pages need first, as JSON in an attribute.

    :param settings: the host's, by game
    :param house: seconds until a player that waits alone gets a house player, by game
    """
    rows = [
        {
            "name": game.name,
            "seats": [game.least_seats, game.most_seats],
            "board": f"games/{game.name}/board.js" in content,
            "offers": [offer.value for offer in (Offer.DRAW, Offer.TAKEBACK) if offer in offers_of(game)],
            "times": times_of(game, settings.get(game.name, {})),
            "house": house.get(game.name, 0),
            "languages": languages_of(game.name, content),
            **_levels(game),
        }
        for game in games
    ]
    return _attribute(rows)


def _levels(game: Game[Any, Any]) -> dict[str, Any]:
    """
    The levels of a game that does not have all of them. `random` is offered to people only if it is the only level.
    """
    offered = levels_of(game)
    return {} if len(offered) == len(Level) else {"levels": [one for one in offered if one != Level.RANDOM] or offered}


_WORDS = re.compile(r"board-words-([a-z]+)\.json")


def languages_of(name: str, content: Mapping[str, bytes]) -> list[str]:
    """The languages in which a game has a catalogue of its words."""
    found = (_WORDS.fullmatch(path.removeprefix(f"games/{name}/")) for path in content)
    return [match[1] for match in found if match]


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
        :param ways: the commands for a terminal to reach the wires `console` and `open`, such as `nc HOST 8888`
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
        """The file at a path below `/static`; `None`: there is none, or the path is of another release."""
        return self._answers.get(path[1:]) if path[:1] == (self.hash,) else None
