"""
Cuts a stream of bytes into whole XML elements, and makes trees of them. Pure: bytes in, pieces out.

The buffer keeps at most one unfinished piece of bounded size. It looks at every byte a bounded number of times, however
the stream is cut into segments. Some things cannot be in a message of this wire: a DOCTYPE, a comment, CDATA, a processing
instruction, too much depth, too many elements. They end the stream where they begin, and so does a wrong end tag.

Expat finds out whether a piece is well-formed otherwise. It gets whole pieces only: it reads an unfinished tag anew with every
segment, so a tag of 16 KiB that comes byte by byte would cost it 0.15 s. Each piece has a parser of its own, so no name is
remembered.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from xml.parsers import expat
from xml.parsers.expat.errors import XML_ERROR_DUPLICATE_ATTRIBUTE, codes

from msgspec import Struct

from gamehost.wires.framing import OtherProtocol, WireError, may_be_mark, may_become_other_protocol, other_protocol

#: The longest message in bytes: 316 points take 7 KiB as the document writes them, 16 KiB leave room for other spellings.
MESSAGE_LIMIT = 16_384
#: A message is three elements deep.
DEPTH_LIMIT = 8
#: The number of segments that can be drawn: a message with more points cannot be a move.
POINT_LIMIT = 316
#: The elements of a message with that many points, and one to spare.
ELEMENT_LIMIT = 320
#: The elements and the depth of a message of a remote game. Points are elements as all others there.
REMOTE_ELEMENT_LIMIT = 2_048
REMOTE_DEPTH_LIMIT = 16
#: The most elements that the host reads in a message of a remote game: those of an end with all its players.
MOST_READ = 80
#: The most attributes of an element: enough for an answer that says what is wrong.
ATTRIBUTE_LIMIT = 48
#: The longest XML declaration in bytes: with both its options it has 56.
DECLARATION_LIMIT = 128

#: The elements whose contents are the game's own in a remote game.
OPAQUE = frozenset({"move", "gameState"})

_OPAQUE_NAMES = frozenset(tag.encode("ascii") for tag in OPAQUE)

_SPACE = re.compile(rb"[ \t\r]*+")
# What comes next in a tag that matters, by the open quote.
_IN_TAG = {0: re.compile(rb"[<>\"']"), 0x22: re.compile(rb'[<"]'), 0x27: re.compile(rb"[<']")}
_NAME_START = re.compile(rb"[A-Za-z_:\x80-\xff]")
# A text and the whole tag behind it: its slash and its name.
_TAG = re.compile(
    rb"[^<]*+<(?:(/)|(?=[A-Za-z_:\x80-\xff]))(?=([^ \t\r\n/>]*+))(?:[^<>\"']++|\"[^<\"]*+\"|'[^<']*+')*+>"
)
_POINT = re.compile(rb"<point[ \t\r\n/>]")
# A line with a call for help, and the bytes that can become one. `guidance.HELP_WORDS` has the words.
_HELP = re.compile(rb"(?:help|quit|exit|\?)[ \t]{0,8}\r?\n", re.IGNORECASE)
_HELP_BEGUN = re.compile(rb"(?:h|he|hel|q|qu|qui|e|ex|exi|(?:help|quit|exit|\?)(?:[ \t]{0,8}\r?))\Z", re.IGNORECASE)
_DECLARATION = re.compile(
    rb"<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:\"1\.0\"|'1\.0')"
    rb"(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:\"(?i:utf-8)\"|'(?i:utf-8)'))?"
    rb"(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:\"(?:yes|no)\"|'(?:yes|no)'))?"
    rb"[ \t\r\n]*\?>"
)
#: The elements of the messages that clients send. A refusal may name them.
KNOWN_NAMES = frozenset((b"message", b"playerLogin", b"gameId", b"move", b"point"))

_OTHER_REFERENCE = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)")
# In a tag: the name of an attribute, and its value.
_ATTRIBUTE = re.compile(rb"([^ \t\r\n<>\"'=/]++)([ \t\r\n]*+=[ \t\r\n]*+(?:\"[^<\"]*+\"|'[^<']*+'))")
# A text between quotes. In a tag it is a value, and a quote in a text cannot reach into a tag.
_QUOTED = re.compile(rb"\"[^\"<]*+\"|'[^'<]*+'")
# Bytes of the longest value that is not given a short name before prefixes are checked.
_SHORT = 64

_WHITE = " \t\r\n"
_NOT_XML = "expected XML messages in UTF-8 without a byte order mark; type help for an example"
_NO_MARKUP = "expected elements and text; no DOCTYPE, comment, CDATA or processing instruction"
_NO_DECLARATION = 'expected <?xml version="1.0" encoding="UTF-8"?> once, or nothing, in front of a message'
_TOO_LONG = f"a message longer than {MESSAGE_LIMIT} bytes"
_NOT_WELL_FORMED = "not well-formed XML"


class PieceKind(Enum):
    ELEMENT = "element"
    #: One or more `<point/>` in a row, and a line end.
    POINTS = "points"
    #: The same, but something other than a line end follows.
    STRAY_POINTS = "stray points"
    #: A line with a word by which people ask for help.
    HELP = "help"
    BLANK_LINE = "blank line"


class Content(Struct):
    """Where an element with a content of a game stands in its message: offsets in bytes."""

    start: int
    #: Where its start tag ends, and where its end tag begins. In an empty element both are its end.
    begun: int
    ended: int
    stop: int


class Piece(Struct, frozen=True):
    kind: PieceKind
    data: bytes = b""
    #: Whether it stands on the same line as the piece before it.
    same_line: bool = False
    #: The elements of the message with contents of a game.
    contents: tuple[Content, ...] = ()


_BLANK_LINE, _HELP_ASKED = Piece(PieceKind.BLANK_LINE), Piece(PieceKind.HELP)

_LINE_END, _SLASH, _LESS, _MORE, _QUESTION, _BANG = b"\n/<>?!"


class MessageBuffer:
    """
    The bytes of one connection.

    :param guided: whether a call for help is a piece, and whether another protocol is told apart from anything else that
        is not XML; if not, the first byte that is not XML ends the stream
    :param elements: the most elements of a message
    """

    __slots__ = (
        *("_at", "_contents", "_declared", "_elements", "_guided", "_line_ends", "_most"),
        *("_names", "_points", "_quote", "_remote", "_rest", "_same_line", "_tag"),
    )

    def __init__(self, guided: bool = False, elements: int = ELEMENT_LIMIT) -> None:
        self._guided = guided
        self._remote = False
        #: The most elements and points of a message, and how deep it may be.
        self._most = (elements, POINT_LIMIT, DEPTH_LIMIT)
        #: From the beginning of the piece on.
        self._rest = bytearray()
        #: Where the scanner goes on. Between elements: the end of the points that no line end has followed yet.
        self._at = 0
        #: Where the unfinished tag begins; -1: there is none.
        self._tag = -1
        #: The open quote in it; 0: none.
        self._quote = 0
        #: The names of the elements that have begun and not ended.
        self._names: list[bytes] = []
        self._contents: list[Content] = []
        self._elements = self._points = 0
        self._declared = False
        #: Whether the next line end belongs to what was before it.
        self._line_ends = False
        #: Whether no line end has come since the last piece.
        self._same_line = False

    @property
    def unfinished(self) -> bool:
        return bool(self._rest) or self._declared

    def widen(self, remote: bool) -> None:
        """Apply the limits of remote games from now on, or those of Paper Soccer."""
        self._remote = remote
        self._most = (
            (REMOTE_ELEMENT_LIMIT, REMOTE_ELEMENT_LIMIT, REMOTE_DEPTH_LIMIT)
            if remote
            else (ELEMENT_LIMIT, POINT_LIMIT, DEPTH_LIMIT)
        )

    def feed(self, data: bytes) -> Iterator[Piece]:
        """
        The pieces that are whole now. The iterator must be exhausted before more is fed.

        :raises WireError: nothing after this point can be trusted
        """
        self._rest += data
        while (piece := self._next()) is not None:
            yield piece
        if len(self._rest) > MESSAGE_LIMIT:
            raise WireError(_TOO_LONG)

    def pass_line(self) -> bool:
        """Pass over a line with one message that was read elsewhere. `False`: something waits before it."""
        if self._rest or self._declared:
            return False
        self._line_ends = self._same_line = False
        return True

    def _next(self) -> Piece | None:
        """The next piece that is whole."""
        while True:
            found: Piece | bool = self._element() if self._tag >= 0 or self._names else self._between()
            if found is not True:
                return found or None

    # -- between elements

    def _between(self) -> Piece | bool:
        """The piece that ends here, or is none of XML; or whether there is something to go on with."""
        rest, points = self._rest, self._at > 0
        end = min(len(rest), MESSAGE_LIMIT) if points else len(rest)
        at = _past(_SPACE, rest, self._at, end)
        if points:
            self._at = at
        else:
            del rest[:at]
            end, at = end - at, 0
        if at == end:
            return False
        if rest[at] == _LINE_END:
            return self._line_end(at)
        if rest[at] != _LESS:
            return self._not_xml()
        if at + 1 == end:
            return False
        if rest[at + 1] == _QUESTION:
            return self._cut(PieceKind.STRAY_POINTS, at) if points else self._skip_declaration()
        if not _NAME_START.match(rest, at + 1):
            raise WireError(_NO_MARKUP if rest[at + 1] == _BANG else _NOT_XML)
        if points and not _POINT.match(rest, at, end):
            begun = b"<point".startswith(rest[at : min(at + 7, end)])
            return False if begun else self._cut(PieceKind.STRAY_POINTS, at)
        self._tag = at
        return True

    def _not_xml(self) -> Piece | bool:
        """A call for help, or what may become one or another protocol; anything else ends the stream."""
        rest = self._rest
        if self._guided and not self._at:
            asked = _HELP.match(rest)
            if asked is not None:
                del rest[: asked.end()]
                self._same_line = self._declared = False
                return _HELP_ASKED
            opening = bytes(rest[:16])
            # A form feed is no white space of XML: what is behind it must make no difference, for it may come later.
            if not opening[:1].isspace() and other_protocol(opening) is not None:
                raise OtherProtocol(opening)
            if _HELP_BEGUN.match(rest) or may_be_mark(rest) or may_become_other_protocol(opening):
                return False
        raise WireError(_NOT_XML)

    def _line_end(self, at: int) -> Piece | bool:
        """The points in front of a line end, or a blank line; or nothing, and there is something to go on with."""
        piece = self._cut(PieceKind.POINTS, at) if at else self._line_ends or _BLANK_LINE
        self._line_ends = self._same_line = False
        del self._rest[:1]
        return piece

    def _skip_declaration(self) -> bool:
        rest = self._rest
        stop = rest.find(b"?>", 0, DECLARATION_LIMIT)
        if stop < 0:
            if len(rest) >= DECLARATION_LIMIT or not b"<?xml".startswith(rest[:5]):
                raise WireError(_NO_DECLARATION)
            return False
        if self._declared or not _DECLARATION.fullmatch(rest, 0, stop + 2):
            raise WireError(_NO_DECLARATION)
        self._declared = self._line_ends = True
        del rest[: stop + 2]
        return True

    def _cut(self, kind: PieceKind, stop: int) -> Piece:
        piece = Piece(kind, bytes(self._rest[:stop]), self._same_line, tuple(self._contents))
        del self._rest[:stop]
        self._at = self._elements = self._points = 0
        self._contents.clear()
        self._declared = False
        self._line_ends = self._same_line = True
        return piece

    # -- in an element

    def _element(self) -> Piece | bool:
        """The element, if it ends; or whether it was a point, so that there is something to go on with."""
        rest = self._rest
        end = min(len(rest), MESSAGE_LIMIT)
        while True:
            whole = _TAG.match(rest, self._at, end) if self._tag in (-1, self._at) else None
            if whole is None:
                if not self._read_tag(end):
                    return False
                whole = _TAG.match(rest, self._tag, self._at)
                assert whole is not None
            slash, name = whole.groups()
            self._at, self._tag = whole.end(), -1
            if slash:
                self._end_tag(name, whole.start(1) - 1)
            else:
                self._start_tag(name, whole.start(2) - 1)
            if not self._names:
                return name == b"point" or self._cut(PieceKind.ELEMENT, self._at)

    def _read_tag(self, end: int) -> bool:
        """Go on in a tag that has not come in one segment, or in the text before it. Whether the tag has ended."""
        rest = self._rest
        if self._tag < 0:
            at = rest.find(b"<", self._at, end)
            self._at = end if at < 0 else at
            if at < 0 or at + 1 == end:
                return False
            if rest[at + 1] != _SLASH and not _NAME_START.match(rest, at + 1):
                raise WireError(_NO_MARKUP)
            self._tag = at
        if self._at == self._tag:
            self._at += 1
        while (found := _IN_TAG[self._quote].search(rest, self._at, end)) is not None:
            self._at = found.end()
            byte = rest[self._at - 1]
            if byte == _LESS:
                raise WireError("not well-formed: < in a tag")
            if byte == _MORE:
                return True
            self._quote = 0 if self._quote else byte
        self._at = end
        return False

    def _start_tag(self, name: bytes, begin: int) -> None:
        names = self._names
        elements, points, deep = self._most
        self._elements += 1
        self._points += name == b"point"
        if self._points > points:
            raise WireError(f"a message of more than {points} points")
        if self._elements > elements:
            raise WireError(f"a message of more than {elements} elements")
        if len(names) == deep:
            raise WireError(f"elements more than {deep} deep")
        if self._remote and len(names) == 1 and name in _OPAQUE_NAMES:
            self._contents.append(Content(begin, self._at, self._at, self._at))
        if self._rest[self._at - 2] != _SLASH:
            names.append(name)

    def _end_tag(self, name: bytes, begin: int) -> None:
        begun = self._names.pop()
        if begun == name:
            if self._remote and len(self._names) == 1 and name in _OPAQUE_NAMES:
                self._contents[-1].ended, self._contents[-1].stop = begin, self._at
        elif begun in KNOWN_NAMES and name in KNOWN_NAMES:
            raise WireError(f"not well-formed: </{name.decode('ascii')}> ends <{begun.decode('ascii')}>")
        else:
            raise WireError("not well-formed: an end tag with another name than its start tag")


def _past(pattern: re.Pattern[bytes], data: bytearray, at: int, end: int) -> int:
    """Where the match of a pattern that can match nothing ends."""
    passed = pattern.match(data, at, end)
    assert passed is not None
    return passed.end()


# -- trees


class Element(Struct):
    tag: str
    attributes: Mapping[str, str]
    children: "list[Element]" = []
    #: The text that stands directly in it.
    text: str = ""

    @property
    def has_text(self) -> bool:
        """Whether there is more than white space directly in it."""
        return bool(self.text.strip(_WHITE))


class Wrong(Exception):
    """Where a message ends is known, so the connection can go on. The text says what is wrong, and repeats nothing of it."""


class AttributeTwice(Wrong):
    """A tag has an attribute twice, and nothing else is wrong. XML does not allow it."""


def parsed(data: bytes) -> Element:
    """
    The root element of a piece.

    :raises WireError: not UTF-8, not well-formed, with entities, or with too many attributes
    :raises AttributeTwice: a tag has an attribute twice, and nothing else is wrong
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise WireError("not UTF-8") from None
    if _OTHER_REFERENCE.search(data):
        raise WireError("expected no entities but &lt; &gt; &amp; &quot; and &apos;")
    try:
        return _tree(data)
    except expat.ExpatError as error:
        if error.code == codes[XML_ERROR_DUPLICATE_ATTRIBUTE] and _is_well_formed(_with_single_attributes(data)):
            raise AttributeTwice("an attribute is given twice") from None
        raise WireError(_NOT_WELL_FORMED) from None


def _tree(data: bytes) -> Element:
    """
    :raises ExpatError: not well-formed
    :raises WireError: an element has too many attributes
    """
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    root = Element("", {})
    inside = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(attributes) > ATTRIBUTE_LIMIT:
            raise WireError(f"an element with more than {ATTRIBUTE_LIMIT} attributes")
        element = Element(tag, attributes)
        inside[-1].children.append(element)
        inside.append(element)

    def end(tag: str) -> None:
        inside.pop()

    def text(some: str) -> None:
        inside[-1].text += some

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.Parse(data, True)
    return root.children[0]


def _is_well_formed(data: bytes, prefixes: bool = False) -> bool:
    """
    :param prefixes: whether the prefixes of names must be declared
    """
    try:
        expat.ParserCreate("utf-8", " " if prefixes else None).Parse(data, True)
    except expat.ExpatError:
        return False
    return True


def _with_single_attributes(data: bytes) -> bytes:
    numbers = itertools.count()

    def renamed(tag: re.Match[bytes]) -> bytes:
        return _ATTRIBUTE.sub(lambda one: b"%b_%d%b" % (one[1], next(numbers), one[2]), tag[0])

    return _TAG.sub(renamed, data)


# -- messages of remote games


def _with_short_values(data: bytes) -> bytes:
    """Equal long values become the same short one, other ones other ones: a parser makes each name with its name space."""
    names: dict[bytes, bytes] = {}

    def short(value: re.Match[bytes]) -> bytes:
        return value[0] if len(value[0]) <= _SHORT else names.setdefault(value[0], b'"u%d"' % len(names))

    return _QUOTED.sub(short, data)


def envelope(piece: Piece) -> Element:
    """
    The outermost element of a message of a remote game. The elements with contents are empty in it.

    The contents of a game are never read. They are checked to be well-formed.

    :raises WireError: not well-formed XML in UTF-8; a prefix that is not declared is an example
    :raises Wrong: there is text between the elements that the host reads, or there are too many of them
    """
    data = piece.data
    if not _is_well_formed(data) or (b":" in data and not _is_well_formed(_with_short_values(data), prefixes=True)):
        raise WireError(_NOT_WELL_FORMED)
    around, at = [], 0
    for content in piece.contents:
        around.append(data[at : content.begun])
        at = content.ended
    around.append(data[at:])
    root = _tree(b"".join(around))
    read = [root]
    for element in read:
        read += element.children
        if len(read) > MOST_READ:
            raise Wrong(f"expected at most {MOST_READ} elements outside the content")
    if root.attributes.get("type") != "error" and any(element.has_text for element in read):
        raise Wrong("expected elements only, and no text between them")
    return root
