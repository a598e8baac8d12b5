"""
What is asked over HTTP, and what is answered: values that know no connection. Pure.
"""

import gzip
from collections.abc import Mapping
from hashlib import blake2b
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote_to_bytes

from attrs import field, frozen
from msgspec import Struct

#: Bodies of fewer bytes are not compressed: they fit one packet.
WORTH_PACKING = 512

#: Answers that never change.
FOR_EVER = "public, max-age=31536000, immutable"
#: Answers that are asked for again each time, and not sent again if they are the same.
ASK_AGAIN = "no-cache"
#: Answers that are old at once.
NEVER = "no-store"

#: Other sites may read these answers: everybody may know them.
FOR_EVERYBODY: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


class BadPath(ValueError):
    """A path that is no path. The message repeats nothing of it."""


@frozen
class Visitor:
    """Who asks."""

    #: Without the port; empty if the transport has no addresses.
    address: str
    #: Whether the way to the visitor is encrypted, as far as is known.
    https: bool
    #: Whether a password may be sent: nobody else can read it.
    private: bool


class Asked(Struct, frozen=True):
    """One request."""

    method: str
    #: The parts between the slashes, decoded; `/` has none.
    path: tuple[str, ...]
    query: Mapping[str, str]
    #: By their names in lower case. Of several headers with one name the values stand behind each other, with commas.
    headers: Mapping[str, str]
    visitor: Visitor
    #: `HTTP/1.1`, for instance.
    version: str = "HTTP/1.1"

    def wants(self, header: str, word: str) -> bool:
        """Whether a header with a list of words has this one, in whatever case."""
        words = self.headers.get(header, "").split(",")
        return any(one.partition(";")[0].strip().lower() == word for one in words)


@frozen
class Answer:
    """One response."""

    status: int
    body: bytes = b""
    kind: str = "text/plain; charset=utf-8"
    cache: str = NEVER
    headers: Mapping[str, str] = field(factory=dict)
    #: The body, compressed with gzip; `None`: only the plain one is sent.
    packed: bytes | None = None
    #: Identifies the body; empty: it is sent each time.
    etag: str = ""


def tag(body: bytes) -> str:
    """An `ETag`. It is a weak one, because the compressed body has the same."""
    return f'W/"{blake2b(body, digest_size=12).hexdigest()}"'


def packed(body: bytes, level: int = 6) -> bytes | None:
    """A body compressed with gzip, the same bytes each time; `None`: it is not worth it."""
    small = gzip.compress(body, level, mtime=0) if len(body) >= WORTH_PACKING else body
    return small if len(small) < len(body) * 0.9 else None


def found(
    body: bytes, kind: str, cache: str = ASK_AGAIN, headers: Mapping[str, str] = FOR_EVERYBODY, level: int = 6
) -> Answer:
    """An answer with a body that browsers may keep."""
    return Answer(200, body, kind, cache, headers, packed(body, level), tag(body))


def refused(status: int, why: str, headers: Mapping[str, str] = {}) -> Answer:
    """An error, in words."""
    return Answer(status, f"{status} {HTTPStatus(status).phrase}: {why}\n".encode(), headers=headers)


def written(status: int, headers: Mapping[str, str], body: bytes, version: str = "HTTP/1.1") -> bytes:
    """A response as it is sent."""
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{version} {status} {HTTPStatus(status).phrase}\r\n{head}\r\n".encode("latin-1") + body


def split_path(raw: bytes) -> tuple[str, ...]:
    """
    The parts of a path, decoded. An escaped slash does not divide.

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
    The arguments behind the question mark; of several with one name, the last.

    :raises BadPath: they are not UTF-8
    """
    try:
        return {name.decode("utf-8"): values[-1].decode("utf-8") for name, values in (arguments or {}).items()}
    except UnicodeDecodeError:
        raise BadPath("expected arguments in UTF-8") from None
