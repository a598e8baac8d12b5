"""
From a piece that the scanner has cut to a tree of elements, or a verdict.

The piece is bounded and free of everything but elements, text and references. The parser resolves nothing, loads nothing, and
is shown no name that is not this wire's: it keeps every name that it ever sees, for as long as the process lives.
"""

import re
from typing import Any

from lxml import etree

from gamehost.wires.framing import WireError
from gamehost.wires.paper_soccer_xml.scanner import KNOWN_TAG

#: So many names may stand in tags that are not this wire's: enough to be told what is wrong, and no work to speak of.
NAME_LIMIT = 48

_KNOWN_NAMES = frozenset(
    ("message", "playerLogin", "gameId", "move", "point", "type", "nick", "gameType", "id", "x", "y")
)


class AttributeTwice(Exception):
    """
    A tag has an attribute twice, and nothing else is wrong.

    XML does not allow it; but where the message ends is as clear as before, so the stream can go on.
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
_TAG = re.compile(rb"<[^<>\"']*+(?:(?:\"[^<\"]*+\"|'[^<']*+')[^<>\"']*+)*+>")
# The characters of a name, after the XML specification, section 2.3; what is between quotes is passed over.
_NAME_START = (
    ":A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = re.compile(f"\"[^\"]*+\"|'[^']*+'|([{_NAME_START}][-.0-9\xb7\u0300-\u036f\u203f-\u2040{_NAME_START}]*+)")


def _with_known_names(data: bytes) -> bytes:
    """
    The same with `u1`, `u2`, ... in place of the names in unknown tags.

    The parser keeps every name that it ever sees, for as long as the process lives, so it is not shown a client's own.
    Which names are the same, and so whether the piece is well-formed, does not change; neither does that it is malformed.

    :raises NotThisWire: more names than anyone needs
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
        return match[0] if match[0] in _KNOWN_NAMES else names.setdefault(match[0], f"u{len(names) + 1}")

    def retag(match: re.Match[bytes]) -> bytes:
        tag = match[0]
        return tag if KNOWN_TAG.fullmatch(tag) else _NAME.sub(rename, tag.decode("utf-8")).encode("utf-8")

    return _TAG.sub(retag, data)


def parsed(data: bytes, known: bool) -> Any:
    """
    The root of a piece.

    :param known: whether all its tags are known ones
    :raises NotThisWire: not UTF-8, not well-formed, or with entities
    :raises AttributeTwice: what it says
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise WireError("not UTF-8") from None
    if _OTHER_REFERENCE.search(data):
        raise WireError("expected no entities but &lt; &gt; &amp; &quot; and &apos;")
    try:
        return etree.fromstring(data if known else _with_known_names(data), _PARSER)
    except etree.XMLSyntaxError:
        if all(error.type == etree.ErrorTypes.ERR_ATTRIBUTE_REDEFINED for error in _PARSER.error_log):
            raise AttributeTwice from None
        raise WireError("not well-formed XML") from None
