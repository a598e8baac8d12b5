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
from gamehost.wires.paper_soccer.parser import TAG

#: The elements whose contents are the game's own.
OPAQUE = frozenset({"move", "gameState"})

#: The most elements that the host reads in one message: those of an end with all its players.
MOST_PARTS = 80

#: The first tag of a content as the document has it.
_BEGUN = re.compile(rb"<(move|gameState)[ \t\r\n]*+>")
#: A text between quotes. In a tag it is a value, and a quote in a text cannot reach into a tag.
_QUOTED = re.compile(rb"\"[^\"<]*+\"|'[^'<]*+'")
#: Bytes of the longest value that is not given a short name before prefixes are checked.
_SHORT = 64


class _Shortener:
    """Gives equal long values the same short name, and different ones different names."""

    def __init__(self) -> None:
        self._names: dict[bytes, bytes] = {}

    def __call__(self, found: re.Match[bytes]) -> bytes:
        if len(found[0]) <= _SHORT:
            return found[0]
        return self._names.setdefault(found[0], b'"u%d"' % len(self._names))


class NotOpaque(Exception):
    """A message has text, or too many elements, where the host reads. The text says what was expected."""


@define(eq=False)
class Part:
    """An element that the host reads, or one that holds a content."""

    tag: str
    attributes: Mapping[str, str]
    #: Where the element begins.
    start: int
    children: "list[Part]" = field(factory=list)
    #: What stands between its tags, and the element as a whole. Both are set when it has ended.
    content: bytes = b""
    whole: bytes = b""
    #: Where its first tag ends.
    begun: int = 0

    @property
    def declares(self) -> bool:
        """Whether it declares a name space."""
        return any(name.partition(":")[0] == "xmlns" for name in self.attributes)


class _Reader:
    """The handlers of expat for one message. Inside a content they count elements, and do nothing else."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._open: list[Part] = []
        self._parts = 0
        #: How many elements of the content are open.
        self._inside = 0
        self.root: Part | None = None
        self.fault = ""
        self._read_envelope()

    def read(self) -> Part:
        self._parser.Parse(self._data, True)
        assert self.root is not None
        return self.root

    def _read_envelope(self) -> None:
        parser = self._parser
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._ends
        parser.CharacterDataHandler = self._text

    def _skip_content(self) -> None:
        parser = self._parser
        parser.StartElementHandler = self._deeper
        parser.EndElementHandler = self._shallower
        parser.CharacterDataHandler = None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        part = Part(tag, attributes, self._parser.CurrentByteIndex)
        if self._open:
            self._open[-1].children.append(part)
        else:
            self.root = part
        begun = TAG.match(self._data, part.start)
        assert begun is not None
        part.begun = begun.end()
        self._open.append(part)
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise NotOpaque(f"expected at most {MOST_PARTS} elements outside the content")
        if len(self._open) == 2 and tag in OPAQUE:
            self._skip_content()

    def _ends(self, tag: str) -> None:
        part, data = self._open.pop(), self._data
        if data.endswith(b"/>", part.start, part.begun):
            part.whole = data[part.start : part.begun]
            return
        at = self._parser.CurrentByteIndex
        end = TAG.match(data, at)
        assert end is not None
        part.content, part.whole = data[part.begun : at], data[part.start : end.end()]

    def _deeper(self, tag: str, attributes: dict[str, str]) -> None:
        self._inside += 1

    def _shallower(self, tag: str) -> None:
        if self._inside:
            self._inside -= 1
        else:
            self._ends(tag)
            self._read_envelope()

    def _text(self, text: str) -> None:
        if text.strip(" \t\r\n") and self._open[0].attributes.get("type") != "error":
            self.fault = "expected elements only, and no text between them"


def _check_prefixes(data: bytes) -> None:
    """
    :raises ExpatError: not well-formed, or a prefix is not declared
    """
    if b":" in data:
        # Each name would be written with its name space, so long ones are given short names first.
        data = _QUOTED.sub(_Shortener(), data)
    expat.ParserCreate("utf-8", " ").Parse(data, True)


def outline(data: bytes, whole: bool = True) -> Part:
    """
    The outermost element of a message.

    :param whole: whether the elements around the contents are wanted
    :raises WireError: not well-formed XML in UTF-8; a prefix that is not declared is an example
    :raises NotOpaque: there is text between the elements that the host reads, or there are too many of them
    """
    return (None if whole else _usual_outline(data)) or _outline(data)


def _usual_outline(data: bytes) -> Part | None:
    """
    The same for a message with one content and nothing odd around it; `None`: it is another one.

    No function is called for an element of the content, so a content of many elements costs little.
    """
    begun = _BEGUN.search(data)
    end = -1 if begun is None else data.rfind(b"</" + begun[1])
    if begun is None or end < begun.end():
        return None
    content = data[begun.end() : end]
    try:
        # Alone: nothing in it may end the element around it, or use a prefix from outside.
        _check_prefixes(b"<c>%b</c>" % content)
        root = _outline(data[: begun.end()] + data[end:])
    except (expat.ExpatError, WireError, NotOpaque):
        return None
    for part in root.children:
        if part.tag.encode() == begun[1] and not part.content:
            part.content = content
            return root
    return None


def _outline(data: bytes) -> Part:
    reader = _Reader(data)
    try:
        root = reader.read()
        if b":" in data:
            _check_prefixes(data)
    except expat.ExpatError:
        raise WireError("not well-formed XML") from None
    if reader.fault:
        raise NotOpaque(reader.fault)
    return root
