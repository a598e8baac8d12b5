"""Origins of pages, as browsers send them (RFC 6454), and how they are compared."""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from gamehost.settings import BadOption

_ORIGIN = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?", re.ASCII)
_HOST = re.compile(r"([a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?", re.ASCII)
#: The ports that browsers leave out.
_USUAL: Mapping[str, str] = {"http": "80", "https": "443"}


class Origin(NamedTuple):
    """Equal origins are equal here: the usual port is said, a final dot is not, and letters are small."""

    scheme: str
    name: str
    port: str


def web_origin(name: str, text: str) -> str:
    """
    An origin as browsers write it: `https://games.example.org`.

    :raises BadOption: it is none
    """
    match = _ORIGIN.fullmatch(text)
    if match is None or match[3] == _USUAL[match[1]]:
        raise BadOption(f"{name}: expected an origin such as https://games.example.org, got {text!r}")
    return text


def origin_of(scheme: str, host: str | None) -> Origin | None:
    """
    The origin of the pages of a host; `None`: it is none.

    :param host: with or without a port, as in the header `Host`
    """
    match = _HOST.fullmatch(host or "")
    return (
        None
        if match is None
        else Origin(scheme, match[1].lower().removesuffix("."), match[2] or _USUAL.get(scheme, ""))
    )


def read_origin(text: str) -> Origin | None:
    """The origin in the header of this name; `None`: it is none, such as the `null` of a page in a file."""
    scheme, _, host = text.partition("://")
    return origin_of(scheme.lower(), host)


def allowed_origins(name: str, text: str) -> Collection[Origin] | None:
    """
    Origins with commas between them; `None`: any, which is `*`.

    :raises BadOption: one of them is none
    """
    if text == "*":
        return None
    read = (read_origin(web_origin(name, one.strip())) for one in text.split(","))
    return frozenset(one for one in read if one is not None)
