"""
Reads and writes XML messages.

The scanner cuts the stream into pieces, the parser reads a piece, and this module makes a message of it. A piece that is
not well-formed ends the connection. A piece that is well-formed and no message of this wire is `Malformed`; the connection
goes on. Messages are written with format strings from checked values.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from typing import Any

from gamehost.wires.framing import BLANK, WireError
from gamehost.wires.paper_soccer.messages import (
    CLIENT_TYPES,
    SERVER_TYPES,
    ChampionsList,
    Dialect,
    Error,
    GameMasterLogin,
    GameOver,
    GameState,
    HelpAsked,
    LeaveGame,
    LoginResponse,
    Logout,
    Malformed,
    Message,
    Move,
    NotForServer,
    PlayerLeftGame,
    PlayerLogin,
    Point,
    ServerShutdown,
    ThankYou,
)
from gamehost.wires.paper_soccer.parser import AttributeTwice, parsed
from gamehost.wires.paper_soccer.remote_codec import read_remote, written_remote
from gamehost.wires.paper_soccer.scanner import MessageBuffer, Piece, TokenKind

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

#: Text -> coordinate: no plus sign, no zeros in front, no -0, three digits at most.
COORDINATES: Mapping[str, int] = {str(number): number for number in range(-999, 1000)}

# Looking up a member of an enum takes long, and these two are looked up for every message.
_BUILT_IN, _LOOSE = Dialect.BUILT_IN, Dialect.LOOSE

_WHITE = " \t\r\n"

_NUMBER = rb"(?:0|-?[1-9][0-9]{0,2})"
_USUAL_POINT = rb"<point x=(?:\"%(n)b\" y=\"%(n)b\"|'%(n)b' y='%(n)b')/>" % {b"n": _NUMBER}
#: A move as most clients write it. The parser takes 7 microseconds more for it, a tenth of what a move costs the host.
_USUAL_MOVE = re.compile(
    rb"<message type=(?:\"move\"|'move')>(?:<gameId id=(?:\"([0-9]++)\"|'([0-9]++)')/>)?+<move>((?:%b)++)</move></message>"
    % _USUAL_POINT
)
_COORDINATE = re.compile(_NUMBER)

# Messages that tell which dialect a connection speaks.
_TYPE = rb"<message[ \t\r\n]+type[ \t\r\n]*=[ \t\r\n]*(?:\"%(t)b\"|'%(t)b')"
_MASTER_LOGIN = re.compile(_TYPE % {b"t": b"gameMasterLogin"})
_LOG_IN = re.compile(_TYPE % {b"t": b"(?:player|gameMaster)Login"})


class _Wrong(Exception):
    """Well-formed, but no message of this wire. The text says why."""


# -- reading


def _bare(element: Any) -> None:
    if element.attrib:
        raise _Wrong(f"<{element.tag}> has no attributes")


def _empty(element: Any) -> None:
    if len(element) or (element.text and element.text.strip(_WHITE)):
        raise _Wrong(f"<{element.tag}> is empty")


def _attributes(element: Any, *names: str) -> Mapping[str, str]:
    attributes: Mapping[str, str] = element.attrib
    for name in attributes:
        if name not in names:
            raise _Wrong(f"<{element.tag}> has {' and '.join(names)}, and no other attributes")
    return attributes


def _children(element: Any, *tags: str) -> dict[str, Any]:
    """The children by tag: each of these tags at most once, no other tag, no text."""
    found: dict[str, Any] = {}
    texts = [element.text]
    for child in element:
        if child.tag not in tags or child.tag in found:
            expected = " and ".join(f"<{tag}>" for tag in tags) or "nothing"
            raise _Wrong(f"expected {expected} in this type of message")
        found[child.tag] = child
        texts.append(child.tail)
    _no_text(texts)
    return found


def _no_text(texts: list[str | None]) -> None:
    for text in texts:
        if text and text.strip(_WHITE):
            raise _Wrong("expected elements only, and no text between them")


def _game_id(children: Mapping[str, Any]) -> str | None:
    element = children.get("gameId")
    if element is None:
        return None
    _empty(element)
    game_id = _attributes(element, "id").get("id")
    if game_id is None:
        raise _Wrong('expected <gameId id="..."/>')
    return game_id


def _points(move: Any) -> tuple[Point, ...]:
    points = []
    texts = [move.text]
    for point in move:
        if point.tag != "point":
            raise _Wrong("expected <point>s and nothing else in a move")
        _empty(point)
        attributes = point.attrib
        x, y = attributes.get("x"), attributes.get("y")
        if len(attributes) != 2 or x not in COORDINATES or y not in COORDINATES:
            raise _Wrong("expected points such as <point x='0' y='-1'/>, in whole numbers")
        points.append((COORDINATES[x], COORDINATES[y]))
        texts.append(point.tail)
    _no_text(texts)
    if not points:
        raise _Wrong("a move has one point or more")
    return tuple(points)


def _player_login(root: Any) -> Message:
    login = _children(root, "playerLogin").get("playerLogin")
    if login is None:
        raise _Wrong('expected <playerLogin nick="..." gameType="paper soccer"/>')
    _empty(login)
    attributes = _attributes(login, "nick", "gameType")
    return PlayerLogin(attributes.get("nick", ""), attributes.get("gameType", ""))


def _move(root: Any) -> Message:
    children = _children(root, "gameId", "move")
    move = children.get("move")
    if move is None:
        raise _Wrong("expected <move> with points")
    _bare(move)
    return Move(_points(move), _game_id(children))


def _thank_you(root: Any) -> Message:
    return ThankYou(_game_id(_children(root, "gameId")))


def _leave_game(root: Any) -> Message:
    return LeaveGame(_game_id(_children(root, "gameId")))


def _logout(root: Any) -> Message:
    _empty(root)
    return Logout()


def _error(root: Any) -> Message:
    return Error()


_READERS: Mapping[str, Callable[[Any], Message]] = {
    "playerLogin": _player_login,
    "move": _move,
    "thank you": _thank_you,
    "leaveGame": _leave_game,
    "logout": _logout,
    "error": _error,
}
assert _READERS.keys() == CLIENT_TYPES.keys()


def _read_message(root: Any) -> Message:
    if root.tag != "message":
        raise _Wrong('expected <message type="...">')
    kind = _attributes(root, "type").get("type")
    reader = _READERS.get(kind or "")
    if reader is not None:
        return reader(root)
    if kind in SERVER_TYPES:
        return NotForServer(kind)
    raise _Wrong(f"unknown type of message; expected one of {', '.join(_READERS)}")


def _usual_move(data: bytes) -> Move | None:
    """A move that is written as most clients write it; `None`: the parser must read the piece."""
    usual = _USUAL_MOVE.fullmatch(data)
    if usual is None:
        return None
    game_id = usual[1] or usual[2]
    numbers = map(int, _COORDINATE.findall(usual[3]))
    return Move(tuple(zip(numbers, numbers, strict=True)), None if game_id is None else game_id.decode("ascii"))


def read(piece: Piece) -> Message:
    """
    The message in a piece.

    :raises WireError: not UTF-8, not well-formed, or with entities
    """
    if piece.kind is TokenKind.BLANK_LINE:
        return BLANK
    if piece.kind is TokenKind.HELP:
        return HelpAsked()
    if piece.kind is TokenKind.ELEMENT and (usual := _usual_move(piece.data)) is not None:
        return usual
    try:
        if piece.kind is TokenKind.ELEMENT:
            return _read_message(parsed(piece.data, piece.known))
        points = _points(parsed(b"<move>%b</move>" % piece.data, piece.known))
        if piece.kind is TokenKind.STRAY_POINTS:
            raise _Wrong("expected a line end after points without a message, or another point")
        return Move(points)
    except _Wrong as wrong:
        return Malformed(str(wrong))
    except AttributeTwice:
        return Malformed("an attribute is given twice")


# -- writing


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _game(points: tuple[Point, ...]) -> str:
    if not points:
        return "<gameState/>"
    return f"<gameState>{_elements(points)}</gameState>"


def _elements(points: tuple[Point, ...]) -> str:
    return "".join([f'<point x="{x}" y="{y}"/>' for x, y in points])


def written(message: Message) -> str:
    """
    A message of the server as XML, or one of the two examples for a person who asks for help.

    Nicks hold only letters, digits, `_`, `-` and `.`, so texts are all that needs escaping.
    """
    match message:
        case GameState(game_id, next_player, points):
            return (
                f'<message type="gameState"><gameId id="{game_id}"/><nextPlayer nick="{next_player}"/>'
                f"{_game(points)}</message>"
            )
        case GameOver(game_id, winner, loser, points):
            return (
                f'<message type="gameState"><gameId id="{game_id}"/><gameOver><player nick="{winner}" result="winner"/>'
                f'<player nick="{loser}" result="loser"/></gameOver>{_game(points)}</message>'
            )
        case LoginResponse(None):
            return '<message type="loginResponse"><response accept="yes"/></message>'
        case LoginResponse(error, reason) if error is not None:
            why = f">{_escaped(reason)}</error>" if reason else "/>"
            return f'<message type="loginResponse"><response accept="no"/><error id="{error.value}"{why}</message>'
        case PlayerLeftGame(nick, game_id):
            return f'<message type="playerLeftGame"><player nick="{nick}"/><gameId id="{game_id}"/></message>'
        case ServerShutdown():
            return '<message type="serverShutdown"/>'
        case Error(""):
            return '<message type="error"/>'
        case Error(text):
            return f'<message type="error">{_escaped(text)}</message>'
        case ChampionsList(standing):
            rows = [f'<player nick="{nick}" won="{won}" lost="{lost}"/>' for nick, won, lost in standing]
            return f'<message type="championsList">{"".join(rows)}</message>'
        case PlayerLogin(nick, game_type):
            return f'<message type="playerLogin"><playerLogin nick="{nick}" gameType="{game_type}"/></message>'
        case Move(points, None):
            return _elements(points)
    raise TypeError(f"a server does not say {type(message).__name__}")


class XmlCodec:
    """
    Turns the bytes of one connection into messages, and messages into bytes.

    An accepted log-in that is written decides how the messages behind it are read.

    :param declaration: put an XML declaration in front of each message
    :param strict: read nothing that is not in the document; a call for help is then broken XML
    :param loose: the types of games whose players and masters speak the loose dialect, in lower case
    :param line_ends: whether a line end follows each message
    """

    __slots__ = ("_buffer", "_dialect", "_end", "_guided", "_loose", "_prefix", "_refused")

    def __init__(
        self,
        declaration: bool = False,
        strict: bool = False,
        loose: Collection[str] = (),
        line_ends: bool = True,
    ) -> None:
        self._guided = not strict
        self._buffer = MessageBuffer(self._guided)
        self._dialect = _BUILT_IN
        self._loose = loose
        #: Whether the last piece was refused and stood outside a message.
        self._refused = False
        self._prefix = DECLARATION.encode("ascii") if declaration else b""
        self._end = b"\n" if line_ends else b""

    @property
    def unfinished(self) -> bool:
        """Whether a message has begun that has not ended."""
        return self._buffer.unfinished

    def feed(self, data: bytes) -> Iterator[Message]:
        """
        The messages that are whole now.

        :raises WireError: past a limit, or not well-formed XML in UTF-8 of elements and text alone
        """
        for piece in self._buffer.feed(data):
            message = self._read(piece)
            # A person types one line: elements behind a refused one on the same line are part of the same mistake.
            same_mistake = self._guided and self._refused and piece.same_line and not piece.data.startswith(b"<message")
            if not same_mistake:
                self._refused = type(message) is Malformed and not piece.data.startswith(b"<message")
            yield BLANK if same_mistake else message

    def _read(self, piece: Piece) -> Message:
        if self._loose and (log_in := self._loose_log_in(piece.data)) is not None:
            return log_in
        if self._dialect is _BUILT_IN:
            if not piece.known and _MASTER_LOGIN.match(piece.data):
                return read_remote(piece.data, False)
        elif piece.kind is TokenKind.ELEMENT:
            return read_remote(piece.data, self._dialect is _LOOSE)
        elif piece.kind in (TokenKind.POINTS, TokenKind.STRAY_POINTS):
            return Malformed('expected <message type="...">')
        return read(piece)

    def _loose_log_in(self, data: bytes) -> Message | None:
        """A log-in is read before it is known what the client speaks: its type of game tells. `None`: it is not a loose one."""
        if _LOG_IN.match(data):
            with suppress(WireError):  # it is read again, which says what is wrong
                message = read_remote(data, True)
                if isinstance(message, GameMasterLogin | PlayerLogin) and message.game_type.casefold() in self._loose:
                    return message
        return None

    def encode(self, message: Message) -> bytes:
        """A message of the server as a line."""
        if isinstance(message, LoginResponse) and message.error is None:
            self._dialect = message.dialect
            self._buffer.widen(message.dialect is not _BUILT_IN)
        loose = self._dialect is _LOOSE
        remote = None if self._dialect is _BUILT_IN else written_remote(message, loose)
        data = remote or written(message).encode()
        if loose and data.endswith(b'"/>') and data.startswith(b"<message"):
            data = data[:-2] + b"></message>"
        return b"%b%b%b" % (self._prefix, data, self._end)
