"""
Reads and writes XML messages: those of Paper Soccer, and those of remote games, of their players and their masters.

A piece of the stream that is not well-formed ends the connection. A well-formed piece that is no message of this wire
is `Malformed`, and the connection continues. Messages are written with format strings from checked values.

In a remote game a content is a slice of the received bytes, and the envelope around it is written again. In the loose
dialect the elements around contents belong to the slice, and unknown parts of the envelope are ignored.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import product

from gamehost.wires.framing import BLANK, LastEncoded, WireError
from gamehost.wires.paper_soccer import messages as m
from gamehost.wires.paper_soccer.elements import (
    MESSAGE_LIMIT,
    OPAQUE,
    POINT_LIMIT,
    Element,
    MessageBuffer,
    Piece,
    PieceKind,
    Wrong,
    envelope,
)

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

#: Text -> coordinate: no plus sign, no zeros in front, no -0, three digits at most.
COORDINATES: Mapping[str, int] = {str(number): number for number in range(-999, 1000)}

RESULTS: Mapping[str, bool] = {"winner": True, "loser": False}
_LOOSE_RESULTS: Mapping[str, bool] = {**RESULTS, "looser": False}

# Looking up a member of an enum takes long, and these two are looked up for every message.
_BUILT_IN, _LOOSE = m.Dialect.BUILT_IN, m.Dialect.LOOSE

# The log-ins, which decide the dialect of a connection.
_TYPE = rb"<message[ \t\r\n]+type[ \t\r\n]*=[ \t\r\n]*(?:\"%(t)b\"|'%(t)b')"
_MASTER_LOGIN = re.compile(_TYPE % {b"t": b"gameMasterLogin"})
_LOG_IN = re.compile(_TYPE % {b"t": b"(?:player|gameMaster)Login"})

#: The tag of a point of the pitch, up to its end, as most clients write it. The corners of this range are no points of
#: the pitch; the rules refuse them.
_USUAL_POINTS = {
    tag % point: point
    for point in product(range(-4, 5), range(-6, 7))
    for tag in (
        b'<point x="%d" y="%d"/',
        b'<point x="%d" y="%d" /',
        b"<point x='%d' y='%d'/",
        b"<point x='%d' y='%d' /",
    )
}
_USUAL_ID = re.compile(rb"<gameId id=(?:\"([0-9]++)\"|'([0-9]++)') ?/")
_USUAL_LOG_IN = re.compile(
    rb"<message type=\"playerLogin\"><playerLogin nick=\"([\w.-]++)\" gameType=\"([\w. -]++)\" ?/></message>", re.ASCII
)
_USUAL_BEGINNINGS = (b'<message type="move"', b"<message type='move'")


# -- reading


def _usual(data: bytes) -> m.Move | m.PlayerLogin | None:
    """
    A move to points of the pitch, or a log-in, if it is written as most clients write it; `None`: it needs the parser.

    Nearly all messages are such moves, so they are read without a parser or a pattern. A log-in that is parsed costs a short
    match as much as its moves.
    """
    tags = data.split(b">")
    if tags[0] not in _USUAL_BEGINNINGS:
        log_in = _USUAL_LOG_IN.fullmatch(data)
        return None if log_in is None else m.PlayerLogin(log_in[1].decode("ascii"), log_in[2].decode("ascii"))
    if tags[-3:] != [b"</move", b"</message", b""]:
        return None
    game_id = None
    if tags[1] != b"<move":
        given = _USUAL_ID.fullmatch(tags.pop(1))
        if given is None or tags[1] != b"<move":
            return None
        game_id = (given[1] or given[2]).decode("ascii")
    try:
        points = tuple([_USUAL_POINTS[tag] for tag in tags[2:-3]])
    except KeyError:
        return None
    return m.Move(points, game_id) if 0 < len(points) <= POINT_LIMIT else None


class _Reading:
    """
    One message that is being read.

    :param piece: the received bytes, from which the contents of a remote game are cut
    """

    def __init__(self, root: Element, piece: Piece, dialect: m.Dialect) -> None:
        self.root = root
        self.remote = dialect is not _BUILT_IN
        self.loose = dialect is _LOOSE
        self._piece = piece

    def attributes(self, element: Element, *names: str) -> list[str]:
        """The values of these attributes of an element; a missing attribute has empty text."""
        found = element.attributes
        for name in found:
            if name not in names:
                self._check_unknown(element, names)
        return [found.get(name, "") for name in names]

    def _check_unknown(self, element: Element, names: Collection[str]) -> None:
        declares = any(name.partition(":")[0] == "xmlns" for name in element.attributes)
        if self.remote and declares and not (self.loose and element.tag in OPAQUE):
            raise Wrong("a prefix must be declared inside the content that uses it")
        if not self.loose:
            only = f"{' and '.join(names)}, and no other attributes" if names else "no attributes"
            raise Wrong(f"<{element.tag}> has {only}")

    def leaf(self, element: Element, *names: str) -> list[str]:
        """The same, of an element that is empty."""
        if element.children or element.has_text:
            raise Wrong(f"<{element.tag}> is empty")
        return self.attributes(element, *names)

    def children(self, *tags: str) -> dict[str, Element]:
        """The elements of the message by tag: no others, each at most once, and no text between them."""
        self.attributes(self.root, "type")
        found: dict[str, Element] = {}
        for child in self.root.children:
            repeated = child.tag in found and not (self.loose and child.tag == "move")
            if child.tag not in tags or repeated:
                expected = " and ".join(f"<{tag}>" for tag in tags) or "nothing"
                raise Wrong(f"expected {expected} in this type of message{', each once' if self.remote else ''}")
            found[child.tag] = child
        if self.root.has_text:
            raise Wrong("expected elements only, and no text between them")
        return found

    def game_id(self, found: Mapping[str, Element]) -> str | None:
        """The game's id; `None`: it is left out."""
        element = found.get("gameId")
        if element is None:
            return None
        (game_id,) = self.leaf(element, "id")
        if not self.remote and "id" not in element.attributes:
            raise Wrong('expected <gameId id="..."/>')
        return game_id

    def content(self) -> bytes:
        """The part of the elements with contents that is passed on; the message has one or more, with one tag."""
        data, contents = self._piece.data, self._piece.contents
        for element in self.root.children:
            if element.tag in OPAQUE:
                self.attributes(element)
        if self.loose:
            return b"".join([data[one.start : one.stop] for one in contents])
        return data[contents[0].begun : contents[0].ended]


def _points(move: Element) -> tuple[m.Point, ...]:
    points = []
    for point in move.children:
        if point.tag != "point":
            raise Wrong("expected <point>s and nothing else in a move")
        if point.children or point.has_text:
            raise Wrong("<point> is empty")
        attributes = point.attributes
        x, y = attributes.get("x", ""), attributes.get("y", "")
        if len(attributes) != 2 or x not in COORDINATES or y not in COORDINATES:
            raise Wrong("expected points such as <point x='0' y='-1'/>, in whole numbers")
        points.append((COORDINATES[x], COORDINATES[y]))
    if move.has_text:
        raise Wrong("expected elements only, and no text between them")
    if not points:
        raise Wrong("a move has one point or more")
    return tuple(points)


def _log_in(reading: _Reading, tag: str, expected: str, *names: str) -> list[str]:
    """The values of the element that a log-in has; `expected`: how they are written."""
    login = reading.children(tag).get(tag)
    if login is None:
        raise Wrong(f"expected <{tag} {expected}/>")
    return reading.leaf(login, *names)


def _player_login(reading: _Reading) -> m.Message:
    game_type = "..." if reading.remote else "paper soccer"
    return m.PlayerLogin(*_log_in(reading, "playerLogin", f'nick="..." gameType="{game_type}"', "nick", "gameType"))


def _master_login(reading: _Reading) -> m.Message:
    expected = 'id="..." gameType="..." playersMin="2" playersMax="2"'
    names = ("id", "gameType", "playersMin", "playersMax")
    return m.GameMasterLogin(*_log_in(reading, "gameMasterLogin", expected, *names))


def _move(reading: _Reading) -> m.Message:
    found = reading.children("gameId", "move")
    if reading.remote:
        if "move" not in found:
            raise Wrong("expected <move>")
        return m.RemoteMove(reading.content(), reading.game_id(found))
    if "move" not in found:
        raise Wrong("expected <move> with points")
    reading.attributes(found["move"])
    return m.Move(_points(found["move"]), reading.game_id(found))


def _game_state(reading: _Reading) -> m.Message:
    found = reading.children("gameId", "nextPlayer", "gameOver", "gameState")
    if ("nextPlayer" in found) is ("gameOver" in found):
        raise Wrong("expected either <nextPlayer> or <gameOver>")
    if "gameState" not in found and not reading.loose:
        raise Wrong("expected <gameState>")
    content = reading.content() if "gameState" in found else b""
    game_id = reading.game_id(found)
    if "nextPlayer" in found:
        (nick,) = reading.leaf(found["nextPlayer"], "nick")
        if not nick:
            raise Wrong('expected <nextPlayer nick="..."/>')
        return m.RemoteState(game_id, content, nick)
    over = found["gameOver"]
    reading.attributes(over)
    results = tuple([_result(reading, player) for player in over.children])
    if not results:
        raise Wrong("expected each player in <gameOver>")
    return m.RemoteState(game_id, content, "", results)


def _result(reading: _Reading, player: Element) -> tuple[str, bool]:
    words = _LOOSE_RESULTS if reading.loose else RESULTS
    nick, result = reading.leaf(player, "nick", "result") if player.tag == "player" else ("", "")
    if not nick or result not in words:
        raise Wrong('expected <player nick="..." result="winner"/> or result="loser" in <gameOver>')
    return nick, words[result]


def _player_left(reading: _Reading) -> m.Message:
    found = reading.children("player", "gameId")
    (nick,) = reading.leaf(found["player"], "nick") if "player" in found else ("",)
    if not nick:
        raise Wrong('expected <player nick="..."/>')
    return m.PlayerLeftGame(nick, reading.game_id(found) or "")


def _logout(reading: _Reading) -> m.Message:
    if reading.remote:
        reading.children()
    else:
        reading.leaf(reading.root, "type")
    return m.Logout()


_READERS: Mapping[str, Callable[[_Reading], m.Message]] = {
    "playerLogin": _player_login,
    "move": _move,
    "thank you": lambda reading: m.ThankYou(reading.game_id(reading.children("gameId"))),
    "leaveGame": lambda reading: m.LeaveGame(reading.game_id(reading.children("gameId"))),
    "logout": _logout,
    "error": lambda reading: m.Error(),
}
assert _READERS.keys() == m.CLIENT_TYPES.keys()

_REMOTE_READERS: Mapping[str, Callable[[_Reading], m.Message]] = {
    "playerLogin": _player_login,
    "gameMasterLogin": _master_login,
    "move": _move,
    "gameState": _game_state,
    "playerLeftGame": _player_left,
    **{kind: _READERS[kind] for kind in ("thank you", "leaveGame", "logout", "error")},
}

#: The messages of players and masters of remote games.
REMOTE_CLIENT_TYPES = frozenset(_REMOTE_READERS)


def _read_element(root: Element, piece: Piece, dialect: m.Dialect) -> m.Message:
    if root.tag != "message":
        raise Wrong('expected <message type="...">')
    reading = _Reading(root, piece, dialect)
    kind = root.attributes.get("type", "")
    if reading.remote:
        readers, of_server = _REMOTE_READERS, m.REMOTE_SERVER_TYPES
        if reading.loose and kind == "thankYou":
            kind = "thank you"
    else:
        readers, of_server = _READERS, m.SERVER_TYPES
        reading.attributes(root, "type")
    if kind in of_server:
        return m.NotForServer(kind)
    if kind not in readers:
        raise Wrong(f"unknown type of message; expected one of {', '.join(readers)}")
    return readers[kind](reading)


def read(piece: Piece, dialect: m.Dialect) -> m.Message:
    """
    The message in a piece.

    :raises WireError: a prefix is not declared, or, in a remote game, an attribute is there twice
    """
    if piece.kind is PieceKind.BLANK_LINE:
        return BLANK
    if piece.kind is PieceKind.HELP:
        return m.HelpAsked()
    try:
        if dialect is not _BUILT_IN:
            if piece.kind is not PieceKind.ELEMENT:
                raise Wrong('expected <message type="...">')
            return _read_element(envelope(piece), piece, dialect)
        if piece.twice:
            raise Wrong("an attribute is given twice")
        if piece.kind is PieceKind.ELEMENT:
            return _read_element(piece.root, piece, dialect)
        points = _points(piece.root)
        if piece.kind is PieceKind.STRAY_POINTS:
            raise Wrong("expected a line end after points without a message, or another point")
        return m.Move(points)
    except Wrong as wrong:
        return m.Malformed(str(wrong))


# -- writing


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


#: The pitch has 105 points.
@lru_cache(maxsize=128)
def _point(point: m.Point) -> str:
    x, y = point
    return f'<point x="{x}" y="{y}"/>'


def _game(points: tuple[m.Point, ...]) -> str:
    return f"<gameState>{''.join(map(_point, points))}</gameState>" if points else "<gameState/>"


def written(message: m.Message) -> str:
    """
    A message of the server as XML, or one of the two examples for a person that asks for help.

    Nicks hold only letters, digits, `_`, `-` and `.`, so texts are all that needs escaping.
    """
    match message:
        case m.GameOver(game_id, winner, loser, points):
            return (
                f'<message type="gameState"><gameId id="{game_id}"/><gameOver><player nick="{winner}" result="winner"/>'
                f'<player nick="{loser}" result="loser"/></gameOver>{_game(points)}</message>'
            )
        case m.LoginResponse(None):
            return '<message type="loginResponse"><response accept="yes"/></message>'
        case m.LoginResponse(error, reason) if error is not None:
            why = f">{_escaped(reason)}</error>" if reason else "/>"
            return f'<message type="loginResponse"><response accept="no"/><error id="{error.value}"{why}</message>'
        case m.PlayerLeftGame(nick, game_id):
            return f'<message type="playerLeftGame"><player nick="{nick}"/><gameId id="{game_id}"/></message>'
        case m.ServerShutdown():
            return '<message type="serverShutdown"/>'
        case m.Error(""):
            return '<message type="error"/>'
        case m.Error(text):
            return f'<message type="error">{_escaped(text)}</message>'
        case m.ChampionsList(standing):
            rows = [f'<player nick="{nick}" won="{won}" lost="{lost}"/>' for nick, won, lost in standing]
            return f'<message type="championsList">{"".join(rows)}</message>'
        case m.PlayerLogin(nick, game_type):
            return f'<message type="playerLogin"><playerLogin nick="{nick}" gameType="{game_type}"/></message>'
        case m.Move(points, None):
            return "".join(map(_point, points))
    raise TypeError(f"a server does not say {type(message).__name__}")


def _element(tag: str, content: bytes) -> bytes:
    name = tag.encode("ascii")
    return b"<%b>%b</%b>" % (name, content, name) if content else b"<%b/>" % name


def _id(game_id: str | None) -> str:
    return f'<gameId id="{game_id}"/>'


def _written_remote(message: m.Message, loose: bool) -> bytes | None:
    """
    A message of the host in a remote game as XML; `None`: it is no such message.

    Nicks hold only letters, digits, `_`, `-` and `.`, and ids digits and a dot, so nothing needs escaping.
    """
    match message:
        case m.RemoteMove(content, game_id):
            body = _id(game_id).encode("ascii") + (content if loose else _element("move", content))
            return b'<message type="move">%b</message>' % body
        case m.RemoteState(game_id, content, next_player, results):
            lost = "looser" if loose else "loser"
            players = "".join(
                [f'<player nick="{nick}" result="{"winner" if won else lost}"/>' for nick, won in results]
            )
            turn = f"<gameOver>{players}</gameOver>" if results else f'<nextPlayer nick="{next_player}"/>'
            state = content if loose else _element("gameState", content)
            return b'<message type="gameState">%b%b</message>' % ((_id(game_id) + turn).encode(), state)
        case m.BeginGame(game_id, nicks):
            players = "".join([f'<player nick="{nick}"/>' for nick in nicks])
            return f'<message type="beginGame">{_id(game_id)}{players}</message>'.encode()
    return None


def _encode(message: m.Message) -> bytes:
    if type(message) is m.GameState:  # nearly all messages: to match them by their parts takes three times as long
        head = f'<message type="gameState"><gameId id="{message.game_id}"/><nextPlayer nick="{message.next_player}"/>'
        return f"{head}{_game(message.points)}</message>".encode()
    return written(message).encode()


#: A message to both players is written once.
_LAST: LastEncoded[m.Message] = LastEncoded()


class XmlCodec:
    """
    Turns the bytes of one connection into messages, and messages into bytes.

    An accepted log-in that is written decides how the messages behind it are read.

    :param declaration: put an XML declaration in front of each message
    :param strict: read nothing that is not in the document; a call for help is then broken XML
    :param loose: the types of games with players and masters that speak the loose dialect, in lower case
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
        self._buffer = MessageBuffer(self._guided, usual=_usual)
        self._dialect = _BUILT_IN
        self._loose = loose
        #: Whether the last piece was refused and was outside a message.
        self._refused = False
        self._prefix = DECLARATION.encode("ascii") if declaration else b""
        self._end = b"\n" if line_ends else b""

    @property
    def unfinished(self) -> bool:
        return self._buffer.unfinished

    def feed(self, data: bytes) -> Iterator[m.Message]:
        """
        The messages that are complete now.

        :raises WireError: past a limit, or not well-formed XML in UTF-8 of elements and text alone
        """
        for piece in self._buffer.feed(data):
            message = self._read(piece) if piece.message is None else piece.message
            # A person types one line: elements behind a refused one on the same line are part of the same mistake.
            same_mistake = self._guided and self._refused and piece.same_line and not piece.data.startswith(b"<message")
            if not same_mistake:
                self._refused = type(message) is m.Malformed and not piece.data.startswith(b"<message")
            yield BLANK if same_mistake else message

    def whole(self, data: bytes) -> m.Message | None:
        """As of `gamehost.wires.base.ReadsWhole`: a line with a move or a log-in as most clients write it."""
        if self._dialect is not _BUILT_IN or not data.endswith(b"\n") or len(data) > MESSAGE_LIMIT:
            return None
        message = _usual(data[:-1])
        if message is None or not self._buffer.pass_line():
            return None
        self._refused = False
        return message

    def _read(self, piece: Piece) -> m.Message:
        dialect = self._dialect
        if self._loose and _LOG_IN.match(piece.data):
            # The dialect of a log-in is not known before it is read: its type of game decides.
            with suppress(WireError):  # it is read again, and then its fault is reported
                message = read(piece, _LOOSE)
                if (
                    isinstance(message, m.GameMasterLogin | m.PlayerLogin)
                    and message.game_type.casefold() in self._loose
                ):
                    return message
        if dialect is _BUILT_IN and _MASTER_LOGIN.match(piece.data):
            dialect = m.Dialect.EXACT
        return read(piece, dialect)

    def encode(self, message: m.Message) -> bytes:
        if type(message) is m.LoginResponse and message.error is None:
            self._dialect = message.dialect
            self._buffer.widen(message.dialect is not _BUILT_IN)
        if self._dialect is _BUILT_IN:
            return self._prefix + _LAST.bytes_of(message, _encode) + self._end
        loose = self._dialect is _LOOSE
        data = _written_remote(message, loose) or _LAST.bytes_of(message, _encode)
        if loose and data.endswith(b'"/>') and data.startswith(b"<message"):
            data = data[:-2] + b"></message>"
        return self._prefix + data + self._end
