"""
The outline of a message of a remote game: its elements with their attributes, and where their contents stand.

The contents of a game are never read. They are checked to be well-formed, and cut out byte for byte. The parser is expat: it
tells the offsets of bytes, and it remembers no name after a message. The scanner has found the end of the message before, and
has refused everything but elements and text.
"""

import re
from collections.abc import Mapping
from xml.parsers import expat

from attrs import define, field

from gamehost.wires.framing import WireError

#: The elements whose contents are the game's own.
OPAQUE = frozenset({"move", "gameState"})

_TAG = re.compile(rb"<[^<>\"']*+(?:(?:\"[^<\"]*+\"|'[^<']*+')[^<>\"']*+)*+>")


class NotOpaque(Exception):
    """A message has text, or declarations of name spaces, where the host reads. The text says what was expected."""


@define(eq=False)
class Part:
    """An element that the host reads, or one that holds a content."""

    tag: str
    attributes: Mapping[str, str]
    #: Where the element begins.
    start: int
    children: "list[Part]" = field(factory=list)
    #: Where the content begins and ends, and where the element ends.
    content_start: int = 0
    content_end: int = 0
    end: int = 0


class _Reader:
    """The handlers of expat for one message."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._parser = parser = expat.ParserCreate("utf-8", " ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._ends
        parser.CharacterDataHandler = self._text
        parser.StartNamespaceDeclHandler = self._declares
        parser.buffer_text = True
        self._open: list[Part] = []
        #: How many elements of the content are open.
        self._inside = 0
        self._declared = False
        self.root: Part | None = None
        self.fault = ""

    def read(self) -> Part:
        self._parser.Parse(self._data, True)
        assert self.root is not None
        return self.root

    @property
    def _in_content(self) -> bool:
        return bool(self._inside) or (len(self._open) > 1 and self._open[-1].tag in OPAQUE)

    def _declares(self, prefix: str | None, uri: str) -> None:
        if not self._in_content:
            self._declared = True

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._in_content:
            self._inside += 1
            return
        part = Part(tag, attributes, self._parser.CurrentByteIndex)
        if self._declared:
            # Only an element that is passed on as a whole may declare something.
            self._declared = False
            part.attributes = {**attributes, "xmlns": ""}
        if self._open:
            self._open[-1].children.append(part)
        else:
            self.root = part
        begun = _TAG.match(self._data, part.start)
        assert begun is not None
        part.content_start = begun.end()
        self._open.append(part)

    def _ends(self, tag: str) -> None:
        if self._inside:
            self._inside -= 1
            return
        part = self._open.pop()
        if self._data.endswith(b"/>", part.start, part.content_start):
            part.content_end = part.end = part.content_start
            return
        at = self._parser.CurrentByteIndex
        end = _TAG.match(self._data, at)
        assert end is not None
        part.content_end, part.end = at, end.end()

    def _text(self, text: str) -> None:
        if not self._in_content and text.strip(" \t\r\n") and self._open[0].attributes.get("type") != "error":
            self.fault = "expected elements only, and no text between them"


def outline(data: bytes) -> Part:
    """
    The outermost element of a message.

    :raises WireError: not well-formed XML in UTF-8; a prefix that is not declared in the content is an example
    :raises NotOpaque: there is text between the elements that the host reads
    """
    reader = _Reader(data)
    try:
        root = reader.read()
    except expat.ExpatError:
        raise WireError("not well-formed XML") from None
    if reader.fault:
        raise NotOpaque(reader.fault)
    return root
