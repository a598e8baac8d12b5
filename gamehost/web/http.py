"""
Requests over HTTP, the checks that decide whether this host accepts a request, and the answers. Nothing here uses a
connection or the reactor. Also the files of the pages, which are read and compressed once, at the start.

A page of another site can make a browser send requests to this host. If a name of that site points to this host, these
requests look like those of our own pages. So a browser's socket must come from a page of this host. And a request must
name the host by an address, by `localhost`, or by a name that the owner has set, because no other site can make such a
name point to this host.

The addresses of the files have a hash over all of them, so browsers may cache them for ever: a new release has new
addresses. Modules import each other by relative names, so the imported names have the hash, too. All pages
are one HTML file, which is called the shell. Placeholders in the shell are replaced: `/static/HASH/` by the address of
the files, `GAMES` by the games of this host as JSON, `WAYS` by its ports, and `PHRASES` by the phrases for players.

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
    """The client that sends a request: its address, and whether others can read what it sends."""

    #: The address without the port; empty if the transport has no addresses.
    address: str
    #: Whether the connection of the visitor is known to be encrypted.
    https: bool
    #: Whether the visitor may send a password, because no other program can read it.
    private: bool


class Asked(Struct, frozen=True):
    """A request of a client, as a site reads it. It has no body."""

    #: `GET`, for instance.
    method: str
    #: The decoded parts of the path between the slashes; `/` has none.
    path: tuple[str, ...]
    #: The arguments after the question mark, by their names.
    query: Mapping[str, str]
    #: The headers by their names in lower case. The values of several headers with one name are joined with commas.
    headers: Mapping[str, str]
    visitor: Visitor
    #: The version of HTTP: `HTTP/1.1`, for instance.
    version: str = "HTTP/1.1"


@frozen
class Answer:
    """The answer to a request, before the server adds the headers that all answers have."""

    #: The number that says how the request ended: 200, for instance.
    status: int
    body: bytes = b""
    #: The header `Content-Type`.
    kind: str = "text/plain; charset=utf-8"
    #: The header `Cache-Control`.
    cache: str = NEVER
    #: Further headers, only for this answer.
    headers: Mapping[str, str] = field(factory=dict)
    #: The body, compressed with gzip; `None`: only the plain body is sent.
    packed: bytes | None = None
    #: Identifies the body for caches; empty: the body is sent each time.
    etag: str = ""


def packed(body: bytes, level: int = 6) -> bytes | None:
    """
    Returns a body compressed with gzip; or `None` if compression saves too little. The same body always gives the same
    bytes.
    """
    small = gzip.compress(body, level, mtime=0) if len(body) >= WORTH_PACKING else body
    return small if len(small) < len(body) * 0.9 else None


def found(
    body: bytes, kind: str, cache: str = ASK_AGAIN, headers: Mapping[str, str] = FOR_EVERYBODY, level: int = 6
) -> Answer:
    """
    Returns an answer with status 200 and this body. Browsers may keep the body. Its `ETag` is a weak one, because the
    compressed body has the same tag.

    :param kind: the header `Content-Type`
    :param cache: the header `Cache-Control`
    :param level: the level of compression of gzip, 1 to 9
    """
    etag = f'W/"{blake2b(body, digest_size=12).hexdigest()}"'
    return Answer(200, body, kind, cache=cache, headers=headers, packed=packed(body, level), etag=etag)


def refused(status: int, why: str, headers: Mapping[str, str] = {}) -> Answer:
    """Returns an answer that refuses a request. Its body is the status and the reason, as plain text."""
    return Answer(status, f"{status} {HTTPStatus(status).phrase}: {why}\n".encode(), headers=headers)


def written(status: int, headers: Mapping[str, str], body: bytes, version: str = "HTTP/1.1") -> bytes:
    """Returns the bytes of an answer on the connection: its status line, its headers and its body."""
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{version} {status} {HTTPStatus(status).phrase}\r\n{head}\r\n".encode("latin-1") + body


def split_path(raw: bytes) -> tuple[str, ...]:
    """
    Returns the decoded parts of a path. An escaped slash does not separate parts.

    :raises BadPath: the path does not begin with a slash, or has a part that no path of this host has
    """
    if not raw.startswith(b"/"):
        raise BadPath("expected a path that begins with a slash")
    parts = raw[1:].split(b"/")
    if parts[-1] == b"":
        # A slash at the end makes no part.
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
    Returns the arguments after the question mark, as text. If several arguments have one name, the last one counts.

    :param arguments: the arguments as Twisted has read them; `None` if there are none
    :raises BadPath: an argument is not UTF-8
    """
    try:
        return {name.decode("utf-8"): values[-1].decode("utf-8") for name, values in (arguments or {}).items()}
    except UnicodeDecodeError:
        raise BadPath("expected arguments in UTF-8") from None


#: The header `Host`: a name or an address, and perhaps a port.
_HOST = re.compile(r"([a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?", re.ASCII)


class Access(Struct, frozen=True):
    """
    Decides which requests a listener accepts, by the names of the host, and which client has sent a request, by the
    trusted proxies.

    :param advice: what the answer says to people that have used an unknown name of the host
    """

    #: The origins of its pages, as its owner has named them.
    origins: Sequence[str] = ()
    #: The trusted proxies: the host uses their headers.
    trusted: Sequence[Network] = ()
    advice: str = "an owner can give it one with --web-origin"

    def visitor(self, peer: str, tls: bool, headers: Mapping[str, str]) -> Visitor:
        """
        Returns the client that has sent a request. If a trusted proxy has passed the request on, the proxy's headers
        say which client.

        :param peer: the address that the connection comes from; empty at a Unix socket
        :param tls: whether the connection to this host is encrypted
        :param headers: the headers of the request, as in `Asked`
        """
        if not is_forwarded(headers):
            # Between two programs of this machine, nobody else reads what is sent.
            return Visitor(peer, tls, tls or _is_loopback(peer))
        if not self.trusts(peer):
            # An unknown proxy has passed the request on. Its address says nothing of the way between the client and the
            # proxy, even if the proxy is at this machine. So the request counts as private only if it came here by TLS.
            return Visitor(peer, tls, tls)
        https = tls or headers.get("x-forwarded-proto") == "https"
        return Visitor(_last_hop(headers.get("x-forwarded-for", "")) or peer, https, https)

    def trusts(self, peer: str) -> bool:
        """Whether this is the address of a trusted proxy. All programs at a Unix socket are trusted."""
        return not peer or is_among(peer, self.trusted)

    def may_be_many(self, peer: str) -> bool:
        """Whether many clients may share this address: it is a proxy's, or this machine's own."""
        return self.trusts(peer) or _is_loopback(peer)

    def wrong_host(self, host: str | None, version: str) -> Answer | None:
        """
        Checks by which name a request calls this host.

        :param host: the header `Host`; `None`: the request has none
        :returns: the answer that refuses the request; `None`: the name is allowed
        """
        if host is None:
            return None if version == "HTTP/1.0" else refused(400, "expected the header Host")
        match = _HOST.fullmatch(host)
        if match is None:
            return refused(400, "expected a name, or an address, and a port in the header Host")
        name = match[1].lower().removesuffix(".")
        if name == "localhost" or name.endswith(".localhost") or address_of(name.strip("[]")) is not None:
            return None  # an address, or a name that means the own machine everywhere: no site can have such a name
        # `http` and `https` are treated alike, because a proxy of the owner may not say which of them was used.
        if any(read_origin(origin) == origin_of(origin.partition("://")[0], host) for origin in self.origins):
            return None
        return refused(421, f"this host does not have that name; {self.advice}")

    def foreign(self, origin: str | None, host: str | None, visitor: Visitor) -> bool:
        """
        Whether a request comes from a page of another site.

        :param origin: the header `Origin`; `None`: the client is no browser, because browsers send it
        :param host: the header `Host`
        """
        if origin is None:
            return False
        read = read_origin(origin)
        own = origin_of("https" if visitor.https else "http", host)
        # An origin that cannot be read is foreign. Own are this request's host, and the origins that the owner has
        # named.
        return read is None or (read != own and read not in map(read_origin, self.origins))


def is_forwarded(headers: Mapping[str, str]) -> bool:
    """Whether the headers say that a proxy has passed the request on."""
    return "x-forwarded-for" in headers or "x-forwarded-proto" in headers


def _is_loopback(address: str) -> bool:
    """
    Whether this is a loopback address, also an IPv4-mapped one. False for a Unix socket (an empty address), because
    proxies use Unix sockets.
    """
    return address != "" and is_loopback(address)


def _last_hop(forwarded: str) -> str:
    """
    Returns the client's address, as the nearest proxy has reported it; empty if the address cannot be read.

    :param forwarded: the header `X-Forwarded-For`: addresses with commas, and each proxy has added one at the end
    """
    last = forwarded.rpartition(",")[2].strip().strip("[]")
    try:
        return str(ip_address(last))
    except ValueError:
        return ""


# The files of the pages.


#: The shell: the one HTML file for all addresses of pages.
SHELL = "index.html"

#: A placeholder in the shell. The address of the files replaces it.
PLACEHOLDER = b"/static/HASH/"
#: Placeholders in the shell. The games replace the first. The commands to reach this host from a terminal replace the
#: second.
GAMES, WAYS = b"GAMES", b"WAYS"
#: A placeholder in the shell. The phrases for players replace it, with the wires on which players can receive them.
SAID = b"PHRASES"

#: The header `Content-Type` for each end of a file's name. Other files are not served.
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
    """
    Returns the contents of the files of the pages and of the games, by their paths with slashes. Leaves out files of
    unknown kinds.
    """
    found = dict(_walk(files("gamehost.web") / "static", ""))
    for game in games:
        found |= board_files(game)
        found[f"games/{game.name}/help.txt"] = "".join(f"{line}\n" for line in help_of(game)).encode()
    return dict(sorted(found.items()))


def schemas() -> dict[str, Answer]:
    """Returns an answer with each XML Schema of the host's wires, by the names of the files."""
    return {
        file.name: found(file.read_bytes(), KINDS["xsd"])
        for wire in files("gamehost.wires").iterdir()
        if wire.is_dir()
        for file in wire.iterdir()
        if file.name.endswith(".xsd")
    }


def board_files(game: Game[Any, Any]) -> dict[str, bytes]:
    """
    Returns the contents of the files of a game's own board, by their paths with slashes. Returns no files if the game
    has no `board.js`: then the pages show it with the plain board.
    """
    content = files_of(game, "board")
    if "board.js" not in content:
        return {}
    return {f"games/{game.name}/{name}": data for name, data in content.items() if name.rpartition(".")[2] in KINDS}


def times_of(game: Game[Any, Any], settings: Settings) -> dict[str, float]:
    """
    Returns how many seconds a player has with these settings: for the first step of a match (`begin`), and for a later
    move (`move`). A time without a limit is left out.
    """
    # The game says its first deadline itself: a match of it begins here, and is never played.
    master = game.new_master(game.least_seats, settings, JournalledChance(lambda number: 0))
    master.begin(0)
    if not master.deadline:
        return {}  # without a first deadline, no time is limited
    times = {"begin": master.deadline / 1000, "move": milliseconds("move_time", settings.get("move_time", "0")) / 1000}
    return {name: seconds for name, seconds in times.items() if seconds}


def described(
    games: Iterable[Game[Any, Any]],
    content: Mapping[str, bytes],
    settings: Mapping[str, Settings] = MappingProxyType({}),
    house: Mapping[str, float] = MappingProxyType({}),
) -> bytes:
    """
    Returns the facts about the games that the pages need first, as JSON, escaped for an HTML attribute.

    :param content: the contents of all files, by their paths
    :param settings: the host's settings, by game
    :param house: how many seconds a player waits alone until a house player joins, by game
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
    Returns the levels of the house players of a game that does not have all levels; empty if it has all. The level
    `random` is offered to people only if the game has no other.
    """
    offered = levels_of(game)
    return {} if len(offered) == len(Level) else {"levels": [one for one in offered if one != Level.RANDOM] or offered}


#: The name of a catalogue of a game's words, with its language.
_WORDS = re.compile(r"board-words-([a-z]+)\.json")


def languages_of(name: str, content: Mapping[str, bytes]) -> list[str]:
    """
    Returns the languages in which a game has a catalogue of its words.

    :param name: the name of the game
    :param content: the contents of all files, by their paths
    """
    found = (_WORDS.fullmatch(path.removeprefix(f"games/{name}/")) for path in content)
    return [match[1] for match in found if match]


def _attribute(value: Any) -> bytes:
    """Returns a value as JSON, escaped for an HTML attribute."""
    return escape(encode(value).decode()).encode()


def _walk(folder: Any, prefix: str) -> Iterator[tuple[str, bytes]]:
    """Yields the path and the content of each file in a folder and in its subfolders, if its kind is known."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.rpartition(".")[2] in KINDS:
            yield f"{prefix}{entry.name}", entry.read_bytes()


def hash_of(content: Mapping[str, bytes]) -> str:
    """Returns a hash over the names and contents of all files."""
    digest = blake2b(digest_size=8)
    for name, data in content.items():
        digest.update(f"{len(name)} {name} {len(data)} ".encode() + data)
    return digest.hexdigest()


@frozen
class StaticFiles:
    """The files of the pages, ready to be sent."""

    #: The hash in the addresses of the files.
    hash: str
    #: The one HTML page.
    shell: Answer
    #: The other files, by the parts of their paths.
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
        Makes the answers for all files, compressed. Also replaces the placeholders in the HTML page (the shell) by
        the address of the files and by facts about this host.

        :param content: the contents of the files, by their paths; one of them is the shell
        :param settings: the host's settings, by game
        :param house: as in `described`
        :param ways: the commands for a terminal to reach the wires `console` and `open`, such as `nc HOST 8888`
        """
        digest = hash_of(content)
        shell = content[SHELL].replace(PLACEHOLDER, f"/static/{digest}/".encode())
        shell = shell.replace(GAMES, described(games, content, settings, house)).replace(WAYS, _attribute(dict(ways)))
        shell = shell.replace(SAID, _attribute({"phrases": PHRASES, "wires": sorted(TALKING_WIRES)}))
        # The addresses of these files contain the hash, so browsers may cache them for ever. The shell is asked for
        # each time.
        answers = {
            tuple(name.split("/")): found(data, KINDS[name.rpartition(".")[2]], FOR_EVER, {}, level=9)
            for name, data in content.items()
            if name != SHELL
        }
        return cls(digest, found(shell, KINDS["html"], headers={}, level=9), answers)

    def file(self, path: tuple[str, ...]) -> Answer | None:
        """
        Returns the file at a path below `/static`; or `None` if there is no such file, or the hash in the path is of
        another release.
        """
        # The first part of the path is the hash.
        return self._answers.get(path[1:]) if path[:1] == (self.hash,) else None
