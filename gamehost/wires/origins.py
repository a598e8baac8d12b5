"""Origins of web pages, as browsers send them (RFC 6454), and how two origins are compared."""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from gamehost.settings import BadOption

_ORIGIN = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?", re.ASCII)
_HOST = re.compile(r"([a-zA-Z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?", re.ASCII)
#: The default ports, which browsers leave out.
_USUAL: Mapping[str, str] = {"http": "80", "https": "443"}


class Origin(NamedTuple):
    """
    An origin in a normal form, so that equal origins compare equal: with the port, without a final dot, in lower case.
    """

    scheme: str
    name: str
    port: str


def web_origin(name: str, text: str) -> str:
    """
    Returns the text, if it is an origin as browsers write it: `https://games.example.org`.

    :raises BadOption: the text is not an origin
    """
    match = _ORIGIN.fullmatch(text)
    # Browsers leave out the default port, so an origin with this port would never match.
    if match is None or match[3] == _USUAL[match[1]]:
        raise BadOption(f"{name}: expected an origin such as https://games.example.org, got {text!r}")
    return text


def origin_of(scheme: str, host: str | None) -> Origin | None:
    """
    Returns the origin of a host's pages; `None`: the host's name is not valid.

    :param host: with or without a port, as in the header `Host`
    """
    match = _HOST.fullmatch(host or "")
    if match is None:
        return None
    return Origin(scheme, match[1].lower().removesuffix("."), match[2] or _USUAL.get(scheme, ""))


def read_origin(text: str) -> Origin | None:
    """Reads the header `Origin`; `None`: the text is not an origin, such as the `null` of a page in a file."""
    scheme, _, host = text.partition("://")
    return origin_of(scheme.lower(), host)


def allowed_origins(name: str, text: str) -> Collection[Origin] | None:
    """
    Reads origins with commas between them; `None`: every origin is allowed, for the text `*`.

    :raises BadOption: one of them is not an origin
    """
    if text == "*":
        return None
    read = (read_origin(web_origin(name, one.strip())) for one in text.split(","))
    # None of them is `None`, because `web_origin` has checked the texts.
    return frozenset(one for one in read if one is not None)
