"""
Cuts a stream of bytes into whole XML elements, before any parser sees them. Pure: bytes in, pieces out.

The buffer keeps at most one unfinished piece of bounded size. It looks at every byte a bounded number of times, however
the stream is cut into segments. Some things cannot be in a message of this wire: a DOCTYPE, a comment, CDATA, a processing
instruction, too much depth, too many elements. They end the stream where they begin, and so does a wrong end tag. The
parser finds out whether a piece is well-formed otherwise.
"""

import re
from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from gamehost.wires.framing import OtherProtocol, WireError
from gamehost.wires.guidance import may_become_other_protocol, other_protocol

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
#: The longest XML declaration in bytes: with both its options it has 56.
DECLARATION_LIMIT = 128

_SPACE = re.compile(rb"[ \t\r]*+")
# What of a tag can be passed over at once: up to its end, or to a quote that is not closed yet.
_IN_TAG = re.compile(rb"(?:[^<>\"']++|\"[^<\"]*+\"|'[^<']*+')*+")
_IN_QUOTES = {0x22: re.compile(rb'[<"]'), 0x27: re.compile(rb"[<']")}
_NAME_START = re.compile(rb"[A-Za-z_:\x80-\xff]")
_POINT = re.compile(rb"<point[ \t\r\n/>]")
# The name in a tag, whether it begins or ends an element.
_NAME = re.compile(rb"</?([^ \t\r\n/>]*+)")
# A line with a call for help, and the bytes that can become one. `guidance.HELP_WORDS` has the words.
_HELP = re.compile(rb"(?:help|quit|exit|\?)[ \t]{0,8}\r?\n", re.IGNORECASE)
_HELP_BEGUN = re.compile(rb"(?:h|he|hel|q|qu|qui|e|ex|exi|(?:help|quit|exit|\?)(?:[ \t]{0,8}\r?))\Z", re.IGNORECASE)
_DECLARATION = re.compile(
    rb"<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:\"1\.0\"|'1\.0')"
    rb"(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:\"(?i:utf-8)\"|'(?i:utf-8)'))?"
    rb"(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:\"(?:yes|no)\"|'(?:yes|no)'))?"
    rb"[ \t\r\n]*\?>"
)
_ATTRIBUTES = (
    rb"(?:[ \t\r\n]++(?:type|nick|gameType|id|x|y)[ \t\r\n]*+=[ \t\r\n]*+(?:\"[^<\"]*+\"|'[^<']*+')){0,4}+[ \t\r\n]*+"
)
#: The elements of the messages that clients send.
KNOWN_NAMES = frozenset((b"message", b"playerLogin", b"gameId", b"move", b"point"))
#: A tag of which this wire knows every name.
KNOWN_TAG = re.compile(
    rb"<(?:(?:message|playerLogin|gameId|move|point)%b/?|/(?:message|playerLogin|gameId|move|point)[ \t\r\n]*+)>"
    % _ATTRIBUTES
)
#: A whole move as most clients write it. It is cut out in one step, because nearly all messages are such moves.
_PLAIN_MOVE = re.compile(
    rb"<message%(a)b>%(w)b(?:<gameId%(a)b(?:/>|>%(w)b</gameId%(w)b>)%(w)b)?+"
    rb"<move%(a)b>%(w)b(?:<point%(a)b(?:/>|>%(w)b</point%(w)b>)%(w)b){1,316}+</move%(w)b>%(w)b</message%(w)b>"
    % {b"a": _ATTRIBUTES, b"w": rb"[ \t\r\n]*+"}
)

_NOT_XML = "expected XML messages in UTF-8 without a byte order mark; type help for an example"
_NO_MARKUP = "expected elements and text; no DOCTYPE, comment, CDATA or processing instruction"
_NO_DECLARATION = 'expected <?xml version="1.0" encoding="UTF-8"?> once, or nothing, in front of a message'
_TOO_LONG = f"a message longer than {MESSAGE_LIMIT} bytes"


class TokenKind(Enum):
    """The kind of a piece."""

    ELEMENT = "element"
    #: One or more `<point/>` in a row, and a line end.
    POINTS = "points"
    #: The same, but something other than a line end follows.
    STRAY_POINTS = "stray points"
    #: A line with a word by which people ask for help.
    HELP = "help"
    BLANK_LINE = "blank line"


class Piece(Struct, frozen=True):
    """One piece of the stream."""

    kind: TokenKind
    data: bytes = b""
    #: Whether all names in it are ones of this wire.
    known: bool = True
    #: Whether it stands on the same line as the piece before it.
    same_line: bool = False


_BLANK_LINE = Piece(TokenKind.BLANK_LINE)

_LINE_END, _SLASH, _LESS, _MORE, _QUESTION, _BANG = b"\n/<>?!"


class MessageBuffer:
    """
    The bytes of one connection.

    :param guided: whether a call for help is a piece, and whether another protocol is told apart from anything else that
        is not XML; if not, the first byte that is not XML ends the stream
    :param elements: the most elements of a message
    """

    __slots__ = (
        "_at",
        "_declared",
        "_depth",
        "_elements",
        "_guided",
        "_known",
        "_line_ends",
        "_most_deep",
        "_most_elements",
        "_most_points",
        "_names",
        "_point",
        "_points",
        "_quote",
        "_rest",
        "_run",
        "_same_line",
        "_start",
        "_tag",
    )

    def __init__(self, guided: bool = False, elements: int = ELEMENT_LIMIT) -> None:
        self._guided = guided
        self._most_elements = elements
        self._most_points, self._most_deep = POINT_LIMIT, DEPTH_LIMIT
        self._rest = bytearray()
        #: Where the piece begins, and where the scanner goes on.
        self._start = self._at = 0
        #: Where the unfinished tag begins; -1: there is none.
        self._tag = -1
        #: The open quote in it; 0: none.
        self._quote = 0
        self._depth = 0
        #: The names of the elements that have begun and not ended.
        self._names: list[bytes] = []
        #: Whether the outermost element is a point.
        self._point = False
        #: Whether points have been read that no line end has followed yet.
        self._run = False
        self._declared = False
        #: Whether the next line end belongs to what was before it.
        self._line_ends = False
        #: Whether no line end has come since the last piece.
        self._same_line = False
        self._fresh()

    def _fresh(self) -> None:
        self._elements = self._points = 0
        self._known = True

    @property
    def unfinished(self) -> bool:
        """Whether a message has begun that has not ended."""
        return len(self._rest) > self._start or self._declared

    def widen(self, remote: bool) -> None:
        """Apply the limits of remote games from now on, or those of Paper Soccer."""
        self._most_elements = REMOTE_ELEMENT_LIMIT if remote else ELEMENT_LIMIT
        self._most_points = REMOTE_ELEMENT_LIMIT if remote else POINT_LIMIT
        self._most_deep = REMOTE_DEPTH_LIMIT if remote else DEPTH_LIMIT

    def feed(self, data: bytes) -> Iterator[Piece]:
        """
        The pieces that are whole now. The iterator must be exhausted before more is fed.

        :raises WireError: nothing after this point can be trusted
        """
        self._rest += data
        while (piece := self._next()) is not None:
            yield piece
        start = self._start
        del self._rest[:start]
        self._start = 0
        self._at -= start
        if self._tag >= 0:
            self._tag -= start

    def _next(self) -> Piece | None:
        """The next piece, if it is whole."""
        while True:
            end = min(len(self._rest), self._start + MESSAGE_LIMIT)
            if self._tag >= 0:
                went_on = self._read_tag(end)
                if went_on and self._depth == 0:
                    if not self._point:
                        return self._cut(TokenKind.ELEMENT, self._at)
                    self._run = True
            elif self._depth:
                went_on = self._find_tag(end)
            else:
                piece, went_on = self._between(end)
                if piece is not None:
                    return piece
            if not went_on:
                if len(self._rest) > self._start + MESSAGE_LIMIT:
                    raise WireError(_TOO_LONG)
                return None

    # -- between elements: what is found, and whether there is something to go on with

    def _between(self, end: int) -> tuple[Piece | None, bool]:
        rest = self._rest
        if self._run:
            at = _past(_SPACE, rest, self._at, end)
        else:
            at = self._start = _past(_SPACE, rest, self._at, len(rest))
            end = len(rest)
        self._at = at
        if at == end:
            return None, False
        if rest[at] == _LINE_END:
            return self._line_end(at), True
        if rest[at] != _LESS:
            return self._not_xml(at)
        if at + 1 == end:
            return None, False
        if rest[at + 1] == _QUESTION:
            return (self._cut(TokenKind.STRAY_POINTS, at), True) if self._run else (None, self._skip_declaration(at))
        if not _NAME_START.match(rest, at + 1):
            raise WireError(_NO_MARKUP if rest[at + 1] == _BANG else _NOT_XML)
        if self._run and not _POINT.match(rest, at, end):
            if b"<point".startswith(rest[at : min(at + 7, end)]):
                return None, False
            return self._cut(TokenKind.STRAY_POINTS, at), True
        move = None if self._run else _PLAIN_MOVE.match(rest, at, at + MESSAGE_LIMIT)
        if move is not None:
            self._at = move.end()
            return self._cut(TokenKind.ELEMENT, self._at), True
        self._tag = at
        return None, True

    def _not_xml(self, at: int) -> tuple[Piece | None, bool]:
        """A call for help, or what may become one or another protocol; anything else ends the stream."""
        rest = self._rest
        if self._guided and not self._run:
            asked = _HELP.match(rest, at)
            if asked is not None:
                self._start = self._at = asked.end()
                self._same_line = self._declared = False
                return Piece(TokenKind.HELP), True
            opening = bytes(rest[at : at + 16])
            # A form feed is no white space of XML: what is behind it must make no difference, for it may come later.
            if not opening[:1].isspace() and other_protocol(opening) is not None:
                raise OtherProtocol(opening)
            if _HELP_BEGUN.match(rest, at) or may_become_other_protocol(opening):
                return None, False
        raise WireError(_NOT_XML)

    def _line_end(self, at: int) -> Piece | None:
        piece = None
        if self._run:
            piece = self._cut(TokenKind.POINTS, at)
        elif not self._line_ends:
            piece = _BLANK_LINE
        self._line_ends = self._same_line = False
        self._start = self._at = at + 1
        return piece

    def _skip_declaration(self, at: int) -> bool:
        rest = self._rest
        stop = rest.find(b"?>", at, at + DECLARATION_LIMIT)
        if stop < 0:
            if len(rest) - at >= DECLARATION_LIMIT or not b"<?xml".startswith(rest[at : at + 5]):
                raise WireError(_NO_DECLARATION)
            return False
        if self._declared or not _DECLARATION.fullmatch(rest, at, stop + 2):
            raise WireError(_NO_DECLARATION)
        self._declared = self._line_ends = True
        self._start = self._at = stop + 2
        return True

    def _cut(self, kind: TokenKind, stop: int) -> Piece:
        piece = Piece(kind, bytes(self._rest[self._start : stop]), self._known, self._same_line)
        self._same_line = True
        self._start = stop
        self._run = self._declared = False
        self._line_ends = True
        self._fresh()
        return piece

    # -- in an element

    def _find_tag(self, end: int) -> bool:
        at = self._rest.find(b"<", self._at, end)
        if at < 0:
            self._at = end
            return False
        self._at = at
        if at + 1 == end:
            return False
        if self._rest[at + 1] != _SLASH and not _NAME_START.match(self._rest, at + 1):
            raise WireError(_NO_MARKUP)
        self._tag = at
        return True

    def _read_tag(self, end: int) -> bool:
        rest = self._rest
        if self._at == self._tag:
            known = KNOWN_TAG.match(rest, self._tag, end)
            if known is not None:
                self._tag_ends(known.end(), True)
                return True
            self._at += 1
        while True:
            if self._quote:
                found = _IN_QUOTES[self._quote].search(rest, self._at, end)
                if found is None:
                    self._at = end
                    return False
                self._at = found.end() - 1
                if rest[self._at] == self._quote:
                    self._quote = 0
                    self._at += 1
            self._at = _past(_IN_TAG, rest, self._at, end)
            if self._at == end:
                return False
            byte = rest[self._at]
            if byte == _LESS:
                raise WireError("not well-formed: < in a tag")
            self._at += 1
            if byte == _MORE:
                self._tag_ends(self._at, KNOWN_TAG.fullmatch(rest, self._tag, self._at) is not None)
                return True
            self._quote = byte

    def _tag_ends(self, stop: int, known: bool) -> None:
        rest, tag = self._rest, self._tag
        self._known &= known
        self._tag = -1
        self._at = stop
        if rest[tag + 1] == _SLASH:
            self._depth -= 1
            self._element_ends(self._names.pop(), _name_at(rest, tag))
            return
        point = _POINT.match(rest, tag) is not None
        if self._depth == 0:
            self._point = point
        self._elements += 1
        self._points += point
        if self._points > self._most_points:
            raise WireError(f"a message of more than {self._most_points} points")
        if self._elements > self._most_elements:
            raise WireError(f"a message of more than {self._most_elements} elements")
        if self._depth == self._most_deep:
            raise WireError(f"elements more than {self._most_deep} deep")
        if rest[stop - 2] != _SLASH:
            self._depth += 1
            self._names.append(_name_at(rest, tag))

    @staticmethod
    def _element_ends(begun: bytes, ended: bytes) -> None:
        if begun == ended:
            return
        if begun in KNOWN_NAMES and ended in KNOWN_NAMES:
            raise WireError(f"not well-formed: </{ended.decode('ascii')}> ends <{begun.decode('ascii')}>")
        raise WireError("not well-formed: an end tag with another name than its start tag")


def _name_at(data: bytearray, tag: int) -> bytes:
    """The name in the tag that begins there."""
    name = _NAME.match(data, tag)
    assert name is not None
    return name[1]


def _past(pattern: re.Pattern[bytes], data: bytearray, at: int, end: int) -> int:
    """Where the match of a pattern that can match nothing ends."""
    passed = pattern.match(data, at, end)
    assert passed is not None
    return passed.end()
