"""
Makes a tree of elements from a piece that the scanner has cut out.

The piece has a bounded size and holds only elements, text and references. The parser resolves nothing and loads nothing. It
keeps every name that it ever sees in memory, so it gets only names of this wire.
"""

import re
from collections.abc import Set
from typing import Any

from lxml import etree

from gamehost.wires.framing import WireError
from gamehost.wires.paper_soccer.scanner import KNOWN_TAG

#: The most names in tags that are not of this wire: enough for an answer that says what is wrong, and little work.
NAME_LIMIT = 48

#: The names in messages of clients.
CLIENT_NAMES: Set[str] = frozenset(
    ("message", "playerLogin", "gameId", "move", "point", "type", "nick", "gameType", "id", "x", "y")
)


class AttributeTwice(Exception):
    """
    A tag has an attribute twice, and nothing else is wrong.

    XML does not allow it. But the end of the message is known, so the connection can go on.
    """


_PARSER = etree.XMLParser(
    encoding="utf-8",
    resolve_entities=False,
    no_network=True,
    load_dtd=False,
    dtd_validation=False,
    huge_tree=False,
    recover=False,
    remove_comments=False,
    remove_pis=False,
)

_OTHER_REFERENCE = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)")
#: A whole tag. A quote in it may contain `>`.
TAG = re.compile(rb"<[^<>\"']*+(?:(?:\"[^<\"]*+\"|'[^<']*+')[^<>\"']*+)*+>")
# The characters of a name, after the XML specification, section 2.3; what is between quotes is passed over.
_NAME_START = (
    ":A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = re.compile(f"\"[^\"]*+\"|'[^']*+'|([{_NAME_START}][-.0-9\xb7\u0300-\u036f\u203f-\u2040{_NAME_START}]*+)")


def _with_known_names(data: bytes, known_names: Set[str]) -> bytes:
    """
    The same with `u1`, `u2`, ... in place of the names in unknown tags.

    The parser keeps every name in memory, so it does not get names that a client has made up. Equal names stay equal, so
    the piece is well-formed if and only if it was before.

    :raises WireError: more names than the limit
    """
    names: dict[str, str] = {}
    count = 0

    def rename(match: re.Match[str]) -> str:
        nonlocal count
        if match[1] is None:
            return match[0]
        count += 1
        if count > NAME_LIMIT:
            raise WireError(f"a message with more than {NAME_LIMIT} names in unknown tags")
        return match[0] if match[0] in known_names else names.setdefault(match[0], f"u{len(names) + 1}")

    def retag(match: re.Match[bytes]) -> bytes:
        tag = match[0]
        return tag if KNOWN_TAG.fullmatch(tag) else _NAME.sub(rename, tag.decode("utf-8")).encode("utf-8")

    return TAG.sub(retag, data)


def parsed(data: bytes, known: bool, names: Set[str] = CLIENT_NAMES) -> Any:
    """
    The root element of a piece.

    :param known: whether all its tags are known ones
    :param names: the names that are kept as they are
    :raises WireError: not UTF-8, not well-formed, or with entities
    :raises AttributeTwice: a tag has an attribute twice, and nothing else is wrong
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise WireError("not UTF-8") from None
    if _OTHER_REFERENCE.search(data):
        raise WireError("expected no entities but &lt; &gt; &amp; &quot; and &apos;")
    try:
        return etree.fromstring(data if known else _with_known_names(data, names), _PARSER)
    except etree.XMLSyntaxError:
        if all(error.type == etree.ErrorTypes.ERR_ATTRIBUTE_REDEFINED for error in _PARSER.error_log):
            raise AttributeTwice from None
        raise WireError("not well-formed XML") from None
