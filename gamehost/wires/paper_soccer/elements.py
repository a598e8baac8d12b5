"""
Divides a stream of bytes into whole XML elements, and makes trees of them. Input and output are values; nothing here
uses a connection.

The buffer stores at most one unfinished piece of bounded size. Some constructs are not allowed in a message of this
wire: a DOCTYPE, a comment, CDATA, a processing instruction, too much depth, too many elements. The first of them ends
the stream, and so does a wrong end tag.

Expat parses the elements, and its callbacks count them and build the tree. Expat gets the bytes only up to the last
`>`, because it parses an unfinished tag again whenever more bytes come. So this happens only if a value contains a `>`.
A tag of 16 KiB full of `>` that comes byte by byte costs about 0.3 s, and such segments count as 4 MiB against the rate
limit. Bytes after the last `>` are only searched for a `<` that is not allowed there. Each element has a parser of its
own, so no parser stores names for longer.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any
from xml.parsers import expat
from xml.parsers.expat.errors import XML_ERROR_DUPLICATE_ATTRIBUTE, XML_ERROR_TAG_MISMATCH, codes

from msgspec import Struct

from gamehost.wires.framing import OtherProtocol, WireError, may_be_mark, may_become_other_protocol, other_protocol

#: The longest message, in bytes. 316 points need 7 KiB as the document writes them; 16 KiB leave room for other
#: spellings.
MESSAGE_LIMIT = 16_384
#: The deepest nesting of elements. A valid message has three levels.
DEPTH_LIMIT = 8
#: The most points in a message. The pitch has this number of segments, so no move has more points.
POINT_LIMIT = 316
#: The most elements in a message: enough for the longest move, and one more.
ELEMENT_LIMIT = 320
#: The most elements and the deepest nesting in a message of a remote game. Points count as elements like all others
#: there.
REMOTE_ELEMENT_LIMIT = 2_048
REMOTE_DEPTH_LIMIT = 16
#: The most elements that the host itself reads in a message of a remote game. The end of a game with all its players
#: needs the most.
MOST_READ = 80
#: The most attributes of an element. An element with a few more than it may have still gets an answer with a reason.
ATTRIBUTE_LIMIT = 48
#: The longest XML declaration, in bytes. With both its options it has 56 bytes.
DECLARATION_LIMIT = 128

#: In a remote game, the elements with a content that only players and master understand.
OPAQUE = frozenset({"move", "gameState"})

_SPACE = re.compile(rb"[ \t\r]*+")
_NAME_START = re.compile(rb"[A-Za-z_:\x80-\xff]")
_NAME = re.compile(rb"[^ \t\r\n/>]*+")
# A whole tag.
_TAG = re.compile(rb"<(?:[^<>\"']++|\"[^<\"]*+\"|'[^<']*+')*+>")
# A `<` that does not begin a tag, or a `<` inside a tag.
_ODD = re.compile(rb"<(?:([^A-Za-z_:/\x80-\xff])|[^<>]*+<)")
_POINT = re.compile(rb"<point[ \t\r\n/>]")
# A line with a call for help, and bytes that can become such a line. The words are those of `framing.HELP_WORDS`.
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
# Inside a tag: the name of an attribute, and its value.
_ATTRIBUTE = re.compile(rb"([^ \t\r\n<>\"'=/]++)([ \t\r\n]*+=[ \t\r\n]*+(?:\"[^<\"]*+\"|'[^<']*+'))")
# A text between quotes. Inside a tag it is a value. Between tags it contains no `<`, so it cannot reach into a tag.
_QUOTED = re.compile(rb"\"[^\"<]*+\"|'[^'<]*+'")
# Before prefixes are checked, each value with more bytes than this is replaced by a short one.
_SHORT = 64

_WHITE = " \t\r\n"
_NOT_XML = "expected XML messages in UTF-8 without a byte order mark; type help for an example"
_NO_MARKUP = "expected elements and text; no DOCTYPE, comment, CDATA or processing instruction"
_NO_DECLARATION = 'expected <?xml version="1.0" encoding="UTF-8"?> once, or nothing, in front of a message'
_TOO_LONG = f"a message longer than {MESSAGE_LIMIT} bytes"
_NOT_WELL_FORMED = "not well-formed XML"
_IN_TAG = "not well-formed: < in a tag"

_TWICE, _MISMATCH = codes[XML_ERROR_DUPLICATE_ATTRIBUTE], codes[XML_ERROR_TAG_MISMATCH]


class PieceKind(Enum):
    """The kinds of pieces into which the bytes of a client are divided."""

    ELEMENT = "element"
    #: One or more `<point/>` on one line, and a line end: a move without a message around it.
    POINTS = "points"
    #: Points without a message, with something other than a line end after them.
    STRAY_POINTS = "stray points"
    #: A line with a word by which people ask for help.
    HELP = "help"
    BLANK_LINE = "blank line"


class Content(Struct):
    """The position of an element with a game's own content in its message, as offsets in bytes."""

    start: int
    #: The end of the start tag, and the beginning of the end tag. If the element is empty, both are its end.
    begun: int
    ended: int
    stop: int


class Element(Struct):
    """An XML element with its attributes and children."""

    tag: str
    attributes: Mapping[str, str]
    children: "list[Element]" = []
    #: The text directly inside the element.
    text: str = ""

    @property
    def has_text(self) -> bool:
        """Whether the element directly contains more than white space."""
        return bool(self.text.strip(_WHITE))


class Wrong(Exception):
    """
    A fault in a message that ends at a known place, so the connection can continue. The text describes the fault, and repeats
    nothing of the message.
    """


class Piece(Struct, frozen=True):
    """A whole piece of the stream: an element, some points, a blank line or a call for help."""

    kind: PieceKind
    data: bytes
    #: The element, or an element made around the points. In a message of a remote game, elements with a game's own
    #: content are empty here.
    root: Element
    #: Whether this piece is on the same line as the piece before it.
    same_line: bool = False
    #: The elements with a game's own content.
    contents: tuple[Content, ...] = ()
    #: Whether a tag has the same attribute twice. XML does not allow this. It is the only XML error after which the
    #: stream can still be read.
    twice: bool = False
    #: The message, if it was read without the parser.
    message: Any = None


_NONE = Element("", {})
_BLANK_LINE, _HELP_ASKED = Piece(PieceKind.BLANK_LINE, b"", _NONE), Piece(PieceKind.HELP, b"", _NONE)

_LINE_END, _LESS, _QUESTION, _BANG = b"\n<?!"
_MESSAGE, _MESSAGE_END = b"<message", b"</message>"


class MessageBounds(Struct, frozen=True):
    """The most elements and points of a message, and its deepest nesting."""

    elements: int = ELEMENT_LIMIT
    points: int = POINT_LIMIT
    depth: int = DEPTH_LIMIT


_REMOTE_LIMITS = MessageBounds(REMOTE_ELEMENT_LIMIT, REMOTE_ELEMENT_LIMIT, REMOTE_DEPTH_LIMIT)


class _UnfinishedElement:
    """
    The element that is being read: its parser, and the tree so far. All offsets are positions in the buffer.

    :param rest: the bytes of the buffer, which grow
    :param begin: the position of the element in these bytes
    :param remote: whether the host finds elements with a game's own content, and does not read them
    :param before: the point before this element in the same piece
    """

    __slots__ = (
        *("_base", "_elements", "_in_content", "_limits", "_open", "_parser", "_points", "_remote", "_rest"),
        *("contents", "ended", "fed", "twice"),
    )

    def __init__(
        self,
        rest: bytearray,
        begin: int,
        limits: MessageBounds,
        remote: bool,
        before: "_UnfinishedElement | None" = None,
    ) -> None:
        self._rest = rest
        self._limits = limits
        self._remote = remote
        self._elements: int = before._elements if before else 0
        self._points: int = before._points if before else 0
        #: The position up to which the parser has read. If it is inside an unfinished tag, the beginning of this tag.
        self.fed = begin
        #: The end of the element; -1: the element is not complete.
        self.ended = -1
        self.contents: list[Content] = []
        #: Whether the parser is inside one of the elements in `contents`.
        self._in_content = False
        self.twice = False
        #: The elements that have begun and not ended, inside an artificial element around all of them.
        self._open = [Element("", {})]
        self._begin_parser(begin)

    @property
    def root(self) -> Element:
        return self._open[0].children[0]

    def _begin_parser(self, at: int, tag: bytes = b"") -> None:
        """
        Makes a new parser that continues at this position, as if it had read everything before.

        :param at: the position
        :param tag: the last tag before the position, if it must still be parsed
        """
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        opened = b""
        if len(self._open) > 1:
            # The start tags of all open elements let the new parser continue inside them.
            opened = b"".join([b"<%b>" % element.tag.encode() for element in self._open[1:]])
            # There are no callbacks yet, so these tags are not counted again.
            parser.Parse(opened)
        #: The difference between the parser's offsets and positions in the message.
        self._base = at - len(opened) - len(tag)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.CommentHandler = self._markup
        parser.StartCdataSectionHandler = self._markup
        parser.ProcessingInstructionHandler = self._markup

    def feed(self, stop: int) -> None:
        """
        Parses the bytes up to `stop`, or up to the end of the element.

        :param stop: the position behind a `>`
        :raises WireError: the bytes are not well-formed or not UTF-8, a limit is exceeded, or a construct is not
            allowed in a message
        """
        data = self._rest[self.fed : stop]
        while True:
            try:
                self._parser.Parse(data)
            except expat.ExpatError as error:
                # An error behind the end of the element belongs to the next piece, and is ignored here.
                if self.ended < 0:
                    # The position of the error. It cannot be in front of the bytes that are new to the parser.
                    at = max(self._base + self._parser.ErrorByteIndex, self.fed)
                    # An attribute is repeated: parse the tag again with other names for its attributes.
                    if error.code == _TWICE and not self._remote:
                        data = self._read_again(at, stop)
                        continue
                    raise WireError(self._fault(error.code, at)) from None
            break
        if self.ended >= 0:
            del self._parser  # the parser and this object refer to each other; this ends the circle
            return
        self.fed = self._base + self._parser.CurrentByteIndex
        # The last tag is not complete: its `>` is inside a value.
        if self.fed < stop:
            _check_tags(self._rest, self.fed, stop)
            # Some versions of Expat do not continue in an unfinished tag before much more of it has come.
            self._begin_parser(self.fed)

    def _read_again(self, at: int, stop: int) -> bytearray:
        """
        Returns the bytes to parse instead of a tag with a repeated attribute and the bytes behind it. Each attribute of
        the tag gets another name.
        """
        # The message is refused later, when it is complete; the rest of the stream can be read.
        self.twice = True
        rest, numbers = self._rest, itertools.count()
        tag = _TAG.match(rest, rest.rindex(b"<", 0, at))
        assert tag is not None
        self.fed = tag.start()
        single = _ATTRIBUTE.sub(lambda one: b"%b_%d%b" % (one[1], next(numbers), one[2]), tag[0])
        self._begin_parser(tag.end(), single)
        return bytearray(single) + rest[tag.end() : stop]

    def _fault(self, code: int, at: int) -> str:
        """
        Describes an error of the parser. The description must not depend on how many bytes have come so far.

        :param code: Expat's number of the error
        :param at: the position of the error
        :raises WireError: a `<` is at a position where it is not allowed
        """
        rest = self._rest
        if code == _MISMATCH:
            name = _NAME.match(rest, at)
            begun = self._open[-1].tag
            # Names that are not of this wire are not repeated in the error.
            if name is not None and name[0] in KNOWN_NAMES and begun.encode() in KNOWN_NAMES:
                return f"not well-formed: </{name[0].decode('ascii')}> ends <{begun}>"
            return "not well-formed: an end tag with another name than its start tag"
        # Errors are looked for in the whole tag, in a certain order, so that the answer does not depend on the
        # segments.
        until = rest.index(b">", at) + 1
        _check_tags(rest, self.fed, until)
        try:
            rest[self.fed : until].decode("utf-8")
        except UnicodeDecodeError:
            return "not UTF-8"
        if _OTHER_REFERENCE.search(rest, self.fed, until):
            return "expected no entities but &lt; &gt; &amp; &quot; and &apos;"
        return _IN_TAG if rest[at] == _LESS else _NOT_WELL_FORMED

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        """
        Called at each start tag: counts the element, and adds it to the tree.

        :raises WireError: a limit is exceeded
        """
        limits, deep = self._limits, len(self._open)
        self._elements += 1
        self._points += tag == "point"
        if self._points > limits.points:
            raise WireError(f"a message of more than {limits.points} points")
        if self._elements > limits.elements:
            raise WireError(f"a message of more than {limits.elements} elements")
        if deep > limits.depth:
            raise WireError(f"elements more than {limits.depth} deep")
        element = Element(tag, attributes)
        # Inside a game's own content, elements are only counted.
        if not self._in_content:
            if len(attributes) > ATTRIBUTE_LIMIT:
                raise WireError(f"an element with more than {ATTRIBUTE_LIMIT} attributes")
            self._open[-1].children.append(element)
            # A game's own content begins here: note its position, and add nothing of it to the tree.
            if self._remote and deep == 2 and tag in OPAQUE:
                self._in_content = True
                begin = self._base + self._parser.CurrentByteIndex
                whole = _TAG.match(self._rest, begin)
                assert whole is not None
                # All three ends are the end of the start tag for now; `_end` corrects them, unless the element is
                # empty.
                self.contents.append(Content(begin, *[whole.end()] * 3))
        self._open.append(element)

    def _end(self, tag: str) -> None:
        """Called at the end of each element: notes the end of the message, or the end of a game's own content."""
        element = self._open.pop()
        deep = len(self._open)
        # Neither the message nor a game's own content ends here.
        if deep > 2 or (deep == 2 and not self._in_content):
            return
        # For an empty element the parser gives the position of its end; for an end tag, the position of its beginning.
        at = self._base + self._parser.CurrentByteIndex
        empty = self._rest.endswith(b"/>", 0, at)
        # The message itself ends.
        if deep == 1:
            empty = empty and not element.children and not element.text
            self.ended = at if empty else self._rest.index(b">", at) + 1
        else:
            self._in_content = False
            content = self.contents[-1]
            # An element such as `<move/>` has its positions already.
            if not empty or at > content.begun:
                content.ended = at
                content.stop = self._rest.index(b">", at) + 1

    def _text(self, some: str) -> None:
        """Called for each text: adds it to the present element."""
        if not self._in_content:
            self._open[-1].text += some

    def _markup(self, *ignored: str) -> None:
        """Called for a construct that is not allowed in a message."""
        # Behind the end of the element, it belongs to the next piece.
        if self.ended < 0:
            raise WireError(_NO_MARKUP)


class MessageBuffer:
    """
    The received bytes of one connection: divides them into pieces.

    :param guided: whether a call for help is a piece, and whether other protocols are recognized. If not, the first
        byte that is not XML ends the stream
    :param elements: the most elements of a message
    :param usual: reads a message without a parser, if it can; otherwise returns `None`. It is not called in remote
        games
    """

    __slots__ = (
        *("_at", "_declared", "_guided", "_limits", "_line_ends", "_points", "_reading"),
        *("_remote", "_rest", "_same_line", "_seen", "_usual"),
    )

    def __init__(
        self,
        guided: bool = False,
        elements: int = ELEMENT_LIMIT,
        usual: Callable[[bytes], Any] = lambda data: None,
    ) -> None:
        self._guided = guided
        self._limits = MessageBounds(elements)
        self._usual = usual
        self._remote = False
        #: The received bytes, from the beginning of the current piece.
        self._rest = bytearray()
        #: The beginning of the unfinished element. If there is none: the end of the points that still wait for their
        #: line end.
        self._at = 0
        #: Inside an element: the position of the first byte that was not parsed yet.
        self._seen = 0
        self._reading: _UnfinishedElement | None = None
        #: The points that still wait for their line end.
        self._points: list[_UnfinishedElement] = []
        self._declared = False
        #: Whether the next line end belongs to the piece before it, and is not a blank line.
        self._line_ends = False
        #: Whether no line end has come since the last piece.
        self._same_line = False

    @property
    def unfinished(self) -> bool:
        return bool(self._rest) or self._declared

    def widen(self, remote: bool) -> None:
        """
        Changes to the limits of remote games (true), or to those of Paper Soccer. An unfinished message is read again.
        """
        self._remote = remote
        self._limits = _REMOTE_LIMITS if remote else MessageBounds()
        if self._reading is not None:
            self._begin_element(self._at)

    def feed(self, data: bytes) -> Iterator[Piece]:
        """
        Yields the pieces that are complete now. The caller must exhaust the iterator before it feeds more bytes.

        :raises WireError: the bytes after this point must be ignored
        """
        self._rest += data
        while (piece := self._next()) is not None:
            yield piece
        # Only an unfinished piece is left in the buffer now.
        if len(self._rest) > MESSAGE_LIMIT:
            raise WireError(_TOO_LONG)

    def pass_line(self) -> bool:
        """
        Notes that a line with one message was read without the buffer. Returns `False` if earlier bytes wait; then the
        buffer must read the line.
        """
        if self._rest or self._declared:
            return False
        # The line end was read together with the message.
        self._line_ends = self._same_line = False
        return True

    def _next(self) -> Piece | None:
        """Returns the next complete piece; `None`: more bytes are needed."""
        while True:
            found: Piece | bool = self._between() if self._reading is None else self._element(self._reading)
            # `True` means that reading continues; `False` means that more bytes are needed.
            if found is not True:
                return found or None

    # -- between elements

    def _between(self) -> Piece | bool:
        """
        Reads the bytes between two elements. Returns a piece that is complete, or `True` to continue reading, or
        `False` if more bytes are needed.
        """
        rest, points = self._rest, self._at > 0
        # Points belong to one message, which has a limit.
        end = min(len(rest), MESSAGE_LIMIT) if points else len(rest)
        at = _past(_SPACE, rest, self._at, end)
        # Remove the spaces in front of a piece, unless points wait for their line end.
        if points:
            self._at = at
        else:
            del rest[:at]
            end, at = end - at, 0
        if at == end:
            return False
        # The first byte that is not a space decides what begins here.
        if rest[at] == _LINE_END:
            return self._line_end(at)
        if rest[at] != _LESS:
            return self._not_xml()
        # The byte behind `<` decides, and has not come.
        if at + 1 == end:
            return False
        if rest[at + 1] == _QUESTION:
            return self._cut(PieceKind.STRAY_POINTS, at) if points else self._skip_declaration()
        if not _NAME_START.match(rest, at + 1):
            raise WireError(_NO_MARKUP if rest[at + 1] == _BANG else _NOT_XML)
        # Behind points without a message, only another point or a line end may stand.
        if points and not _POINT.match(rest, at, end):
            # The bytes may still become `<point` when more of them come.
            begun = b"<point".startswith(rest[at : min(at + 7, end)])
            return False if begun else self._cut(PieceKind.STRAY_POINTS, at)
        return self._usual_message() or self._begin_element(at)

    def _usual_message(self) -> Piece | None:
        """Returns the message that begins here, if it is complete and can be read without the parser."""
        # Points wait for their line end, or this is a remote game: the parser must read it.
        if self._at or self._remote:
            return None
        stop = self._rest.find(_MESSAGE_END, 0, MESSAGE_LIMIT) + len(_MESSAGE_END)
        message = self._usual(bytes(self._rest[:stop])) if stop >= len(_MESSAGE_END) else None
        return None if message is None else self._cut(PieceKind.ELEMENT, stop, message=message)

    def _not_xml(self) -> Piece | bool:
        """
        Handles bytes that are not XML: a call for help, or the beginning of another protocol. Anything else ends the
        stream.
        """
        rest = self._rest
        # Only a host that helps people looks further, and not behind points.
        if self._guided and not self._at:
            asked = _HELP.match(rest)
            if asked is not None:
                del rest[: asked.end()]
                self._same_line = self._declared = False
                return _HELP_ASKED
            opening = bytes(rest[:16])
            # In XML a form feed is not white space. So the result must not depend on the bytes behind it, which may
            # come later.
            if not opening[:1].isspace() and other_protocol(opening) is not None:
                raise OtherProtocol(opening)
            if _HELP_BEGUN.match(rest) or may_be_mark(rest) or may_become_other_protocol(opening):
                return False
        raise WireError(_NOT_XML)

    def _line_end(self, at: int) -> Piece | bool:
        """
        Returns the points in front of a line end, or a blank line; `True`: the line end belongs to the piece before it.
        """
        # A position above 0: points wait for this line end. `_line_ends`: the piece before it does.
        piece = self._cut(PieceKind.POINTS, at) if at else self._line_ends or _BLANK_LINE
        self._line_ends = self._same_line = False
        del self._rest[:1]
        return piece

    def _skip_declaration(self) -> bool:
        """Removes an XML declaration. Returns `False` if more bytes are needed."""
        rest = self._rest
        stop = rest.find(b"?>", 0, DECLARATION_LIMIT)
        if stop < 0:
            if len(rest) >= DECLARATION_LIMIT or not b"<?xml".startswith(rest[:5]):
                raise WireError(_NO_DECLARATION)
            return False
        if self._declared or not _DECLARATION.fullmatch(rest, 0, stop + 2):
            raise WireError(_NO_DECLARATION)
        # A line end behind the declaration is not a blank line.
        self._declared = self._line_ends = True
        del rest[: stop + 2]
        return True

    def _cut(self, kind: PieceKind, stop: int, reading: _UnfinishedElement | None = None, message: Any = None) -> Piece:
        """
        Removes a piece from the buffer, and returns it.

        :param stop: the end of the piece
        :param reading: the element; `None`: the piece consists of points, or was read without the parser
        :param message: the message that was read without the parser
        """
        data, same_line = bytes(self._rest[:stop]), self._same_line
        if reading is not None:
            piece = Piece(kind, data, reading.root, same_line, tuple(reading.contents), reading.twice)
        elif message is not None:
            piece = Piece(kind, data, _NONE, same_line, message=message)
        else:
            root = Element("move", {}, [point.root for point in self._points])
            piece = Piece(kind, data, root, same_line, twice=any([point.twice for point in self._points]))
            self._points.clear()
        del self._rest[:stop]
        self._at = 0
        self._declared = False
        # The next line end belongs to this piece; before it, another piece may follow on the same line.
        self._line_ends = self._same_line = True
        return piece

    # -- inside an element

    def _begin_element(self, at: int) -> bool:
        """Begins to parse an element at this position. Returns `True`: reading continues."""
        self._at = self._seen = at
        # The elements and points of one line are counted together.
        before = self._points[-1] if self._points else None
        self._reading = _UnfinishedElement(self._rest, at, self._limits, self._remote, before)
        return True

    def _element(self, reading: _UnfinishedElement) -> Piece | bool:
        """
        Parses the bytes of the unfinished element. Returns the piece if the element is complete, `True` after a point,
        or `False` if more bytes are needed.
        """
        rest = self._rest
        end = min(len(rest), MESSAGE_LIMIT)
        while reading.ended < 0:
            seen = self._seen
            # The parser gets bytes only up to a `>` (0: there is none).
            stop = rest.rfind(b">", seen, end) + 1
            if not stop:
                if rest.find(b"<", seen, end) >= 0:
                    _check_tags(rest, reading.fed, end)
                # The last byte is examined again later: if it is a `<`, the byte behind it decides whether it is
                # allowed there.
                self._seen = max(end - 1, seen)
                return False
            # An element without a message is parsed tag by tag, because anything may stand behind it.
            if not rest.startswith(_MESSAGE, self._at):
                stop = rest.find(b">", seen) + 1
            elif (ends := rest.find(_MESSAGE_END, max(seen - len(_MESSAGE_END), self._at), stop)) >= 0:
                # Most messages end at this tag. The bytes behind it belong to the next piece, so they are not parsed
                # now.
                ends += len(_MESSAGE_END)
                stop = ends if ends > seen else stop
            self._seen = stop
            reading.feed(stop)
        self._reading = None
        # A point waits for its line end, or for another point.
        if reading.root.tag != "point":
            return self._cut(PieceKind.ELEMENT, reading.ended, reading)
        self._points.append(reading)
        self._at = reading.ended
        return True


def _check_tags(data: bytearray, at: int, end: int) -> None:
    """
    Checks the positions of `<` in these bytes.

    :raises WireError: a `<` is at a position where it is not allowed
    """
    odd = _ODD.search(data, at, end)
    if odd is not None:
        raise WireError(_NO_MARKUP if odd[1] else _IN_TAG)


def _past(pattern: re.Pattern[bytes], data: bytearray, at: int, end: int) -> int:
    """Returns the end of the match of a pattern that also matches an empty text."""
    passed = pattern.match(data, at, end)
    assert passed is not None
    return passed.end()


# -- messages of remote games


def _with_short_values(data: bytes) -> bytes:
    """
    Replaces each long value by a short one; equal values remain equal. This saves time, because a parser with name
    spaces repeats the whole value in each name.
    """
    names: dict[bytes, bytes] = {}

    def short(value: re.Match[bytes]) -> bytes:
        # Equal long values get the same number.
        return value[0] if len(value[0]) <= _SHORT else names.setdefault(value[0], b'"u%d"' % len(names))

    return _QUOTED.sub(short, data)


def _has_declared_prefixes(data: bytes) -> bool:
    """Whether the message declares all prefixes that it uses."""
    try:
        # A second argument makes a parser that checks prefixes.
        expat.ParserCreate("utf-8", " ").Parse(_with_short_values(data), True)
    except expat.ExpatError:
        return False
    return True


def envelope(piece: Piece) -> Element:
    """
    Returns the outermost element of a message of a remote game. Elements with a game's own content are empty in it.

    :raises WireError: a prefix is not declared, or an attribute is repeated
    :raises Wrong: there is text between the elements that the host reads, or there are too many of these elements
    """
    # Without a colon there can be no prefix, so the slower check is not needed.
    if piece.twice or (b":" in piece.data and not _has_declared_prefixes(piece.data)):
        raise WireError(_NOT_WELL_FORMED)
    read = [piece.root]
    # The list grows while the loop runs, so it visits all levels.
    for element in read:
        read += element.children
        if len(read) > MOST_READ:
            raise Wrong(f"expected at most {MOST_READ} elements outside the content")
    # Only a message of type `error` contains text.
    if piece.root.attributes.get("type") != "error" and any(element.has_text for element in read):
        raise Wrong("expected elements only, and no text between them")
    return piece.root
