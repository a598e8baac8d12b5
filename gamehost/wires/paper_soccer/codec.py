"""
Reads and writes XML messages: those of Paper Soccer, and those of the players and masters of remote games.

A piece of the stream that is not well-formed ends the connection. A well-formed piece that is not a message of this
wire becomes `Malformed`, and the connection continues. Messages are written with format strings from checked values.

In a remote game, the content of a move or state is a part of the received bytes, which the host passes on. The host
writes the elements around the content itself. In the loose dialect, the host also passes on the element with the
content, and ignores unknown elements and attributes around it.
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

#: Text -> coordinate. Texts with a plus sign, leading zeros, -0 or more than three digits are not valid.
COORDINATES: Mapping[str, int] = {str(number): number for number in range(-999, 1000)}

RESULTS: Mapping[str, bool] = {"winner": True, "loser": False}
_LOOSE_RESULTS: Mapping[str, bool] = {**RESULTS, "looser": False}

# Every message needs these two members. Looking up a member of an enum takes longer than a global name.
_BUILT_IN, _LOOSE = m.Dialect.BUILT_IN, m.Dialect.LOOSE

# The beginnings of log-ins. The answer to a log-in decides the dialect of a connection.
_TYPE = rb"<message[ \t\r\n]+type[ \t\r\n]*=[ \t\r\n]*(?:\"%(t)b\"|'%(t)b')"
_MASTER_LOGIN = re.compile(_TYPE % {b"t": b"gameMasterLogin"})
_LOG_IN = re.compile(_TYPE % {b"t": b"(?:player|gameMaster)Login"})

#: The tag of a point, without its `>`, as most clients write it -> the point. The corners of this range are not on the
#: pitch; the rules refuse them.
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
    Reads a move to points of the pitch, or a log-in, if it is written as most clients write it; `None`: the parser must
    read it.

    Nearly all messages are such moves, so reading them without the parser saves time. A log-in costs as much in the
    parser as all moves of a short match.
    """
    tags = data.split(b">")
    if tags[0] not in _USUAL_BEGINNINGS:
        log_in = _USUAL_LOG_IN.fullmatch(data)
        return None if log_in is None else m.PlayerLogin(log_in[1].decode("ascii"), log_in[2].decode("ascii"))
    # The three last parts of a whole move: its two end tags, and nothing behind the last `>`.
    if tags[-3:] != [b"</move", b"</message", b""]:
        return None
    game_id = None
    # The tag of the game's id may stand in front of the move.
    if tags[1] != b"<move":
        given = _USUAL_ID.fullmatch(tags.pop(1))
        if given is None or tags[1] != b"<move":
            return None
        game_id = (given[1] or given[2]).decode("ascii")
    try:
        points = tuple([_USUAL_POINTS[tag] for tag in tags[2:-3]])
    # A point is written in another way, or is not near the pitch.
    except KeyError:
        return None
    return m.Move(points, game_id) if 0 < len(points) <= POINT_LIMIT else None


class _Reading:
    """
    One message that is being read from the tree of its elements.

    :param root: the outermost element
    :param piece: the received bytes, from which the content of a remote game is cut
    """

    def __init__(self, root: Element, piece: Piece, dialect: m.Dialect) -> None:
        self.root = root
        self.remote = dialect is not _BUILT_IN
        self.loose = dialect is _LOOSE
        self._piece = piece

    def attributes(self, element: Element, *names: str) -> list[str]:
        """
        Returns the values of these attributes of an element; a missing attribute has empty text.

        :raises Wrong: the element has other attributes
        """
        found = element.attributes
        # Nearly all elements have only expected attributes, so the check itself is in another method.
        for name in found:
            if name not in names:
                self._check_unknown(element, names)
        return [found.get(name, "") for name in names]

    def _check_unknown(self, element: Element, names: Collection[str]) -> None:
        """
        Checks an element that has other attributes than these. The loose dialect ignores them.

        :raises Wrong: they are not allowed
        """
        declares = any(name.partition(":")[0] == "xmlns" for name in element.attributes)
        # The host cuts the content out of the message, so a declaration around the content would be lost. In the loose
        # dialect it is passed on together with the element.
        if self.remote and declares and not (self.loose and element.tag in OPAQUE):
            raise Wrong("a prefix must be declared inside the content that uses it")
        if not self.loose:
            only = f"{' and '.join(names)}, and no other attributes" if names else "no attributes"
            raise Wrong(f"<{element.tag}> has {only}")

    def leaf(self, element: Element, *names: str) -> list[str]:
        """
        Returns the values of these attributes of an element without children and text.

        :raises Wrong: the element has other attributes, children or text
        """
        if element.children or element.has_text:
            raise Wrong(f"<{element.tag}> is empty")
        return self.attributes(element, *names)

    def children(self, *tags: str) -> dict[str, Element]:
        """
        Returns the elements of the message by their tags.

        :param tags: the tags that are allowed, each at most once
        :raises Wrong: the message has other elements, or text between them
        """
        # Only to raise `Wrong` if the root has other attributes.
        self.attributes(self.root, "type")
        found: dict[str, Element] = {}
        for child in self.root.children:
            # Loose clients may send several `<move>` elements, which are passed on together.
            repeated = child.tag in found and not (self.loose and child.tag == "move")
            if child.tag not in tags or repeated:
                expected = " and ".join(f"<{tag}>" for tag in tags) or "nothing"
                raise Wrong(f"expected {expected} in this type of message{', each once' if self.remote else ''}")
            found[child.tag] = child
        if self.root.has_text:
            raise Wrong("expected elements only, and no text between them")
        return found

    def game_id(self, found: Mapping[str, Element]) -> str | None:
        """Returns the id of the game; `None`: the client has left it out."""
        element = found.get("gameId")
        if element is None:
            return None
        (game_id,) = self.leaf(element, "id")
        # In a remote game, a missing id is empty text, which no game has.
        if not self.remote and "id" not in element.attributes:
            raise Wrong('expected <gameId id="..."/>')
        return game_id

    def content(self) -> bytes:
        """
        Returns the part of the message that the host passes on, from the elements with a game's own content. The
        message has at least one of them, all with the same tag.
        """
        data, contents = self._piece.data, self._piece.contents
        for element in self.root.children:
            if element.tag in OPAQUE:
                # Only to raise `Wrong` if the element has attributes that its dialect does not allow.
                self.attributes(element)
        # The loose dialect passes on the elements themselves, the other one only what is inside.
        if self.loose:
            return b"".join([data[one.start : one.stop] for one in contents])
        return data[contents[0].begun : contents[0].ended]


def _points(move: Element) -> tuple[m.Point, ...]:
    """
    Returns the points of a move.

    :raises Wrong: the element contains anything else, or no point
    """
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
    """
    Returns the values of the attributes of a log-in.

    :param tag: the element in the log-in
    :param expected: an example of its attributes, for the error message
    :param names: the names of its attributes
    """
    login = reading.children(tag).get(tag)
    if login is None:
        raise Wrong(f"expected <{tag} {expected}/>")
    return reading.leaf(login, *names)


def _player_login(reading: _Reading) -> m.Message:
    """Returns the log-in of a player."""
    game_type = "..." if reading.remote else "paper soccer"
    return m.PlayerLogin(*_log_in(reading, "playerLogin", f'nick="..." gameType="{game_type}"', "nick", "gameType"))


def _master_login(reading: _Reading) -> m.Message:
    """Returns the log-in of a master."""
    expected = 'id="..." gameType="..." playersMin="2" playersMax="2"'
    names = ("id", "gameType", "playersMin", "playersMax")
    return m.GameMasterLogin(*_log_in(reading, "gameMasterLogin", expected, *names))


def _move(reading: _Reading) -> m.Message:
    """
    Returns a move: its points, or in a remote game the content as it was received.

    :raises Wrong: the message is not a correct move
    """
    found = reading.children("gameId", "move")
    if reading.remote:
        if "move" not in found:
            raise Wrong("expected <move>")
        return m.RemoteMove(reading.content(), reading.game_id(found))
    if "move" not in found:
        raise Wrong("expected <move> with points")
    # Only to raise `Wrong` if the element has attributes.
    reading.attributes(found["move"])
    return m.Move(_points(found["move"]), reading.game_id(found))


def _game_state(reading: _Reading) -> m.Message:
    """Returns the state of a remote game that a master has sent."""
    found = reading.children("gameId", "nextPlayer", "gameOver", "gameState")
    # Exactly one of the two must be there.
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
    # Only to raise `Wrong` if the element has attributes that are not allowed.
    reading.attributes(over)
    results = tuple([_result(reading, player) for player in over.children])
    if not results:
        raise Wrong("expected each player in <gameOver>")
    return m.RemoteState(game_id, content, "", results)


def _result(reading: _Reading, player: Element) -> tuple[str, bool]:
    """Returns the nick of a player at the end of a remote game, and whether this player has won."""
    words = _LOOSE_RESULTS if reading.loose else RESULTS
    nick, result = reading.leaf(player, "nick", "result") if player.tag == "player" else ("", "")
    if not nick or result not in words:
        raise Wrong('expected <player nick="..." result="winner"/> or result="loser" in <gameOver>')
    return nick, words[result]


def _player_left(reading: _Reading) -> m.Message:
    """
    Returns the message of a master that puts a player out of a game.

    :raises Wrong: no player is named
    """
    found = reading.children("player", "gameId")
    (nick,) = reading.leaf(found["player"], "nick") if "player" in found else ("",)
    if not nick:
        raise Wrong('expected <player nick="..."/>')
    # An empty id: the message has none.
    return m.PlayerLeftGame(nick, reading.game_id(found) or "")


def _logout(reading: _Reading) -> m.Message:
    """
    Returns a logout.

    :raises Wrong: the message is not empty
    """
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

#: The types of messages of players and masters of remote games.
REMOTE_CLIENT_TYPES = frozenset(_REMOTE_READERS)


def _read_element(root: Element, piece: Piece, dialect: m.Dialect) -> m.Message:
    """Returns the message in an element, by the readers of its dialect."""
    if root.tag != "message":
        raise Wrong('expected <message type="...">')
    reading = _Reading(root, piece, dialect)
    kind = root.attributes.get("type", "")
    if reading.remote:
        readers, of_server = _REMOTE_READERS, m.REMOTE_SERVER_TYPES
        # Loose clients spell this type in another way.
        if reading.loose and kind == "thankYou":
            kind = "thank you"
    else:
        readers, of_server = _READERS, m.SERVER_TYPES
        # Only to raise `Wrong` if the element has other attributes.
        reading.attributes(root, "type")
    if kind in of_server:
        return m.NotForServer(kind)
    if kind not in readers:
        raise Wrong(f"unknown type of message; expected one of {', '.join(readers)}")
    return readers[kind](reading)


def read(piece: Piece, dialect: m.Dialect) -> m.Message:
    """
    Returns the message in a piece.

    :raises WireError: a prefix is not declared, or, in a remote game, an attribute is repeated
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
        # Points without a message are a move that a person has typed.
        points = _points(piece.root)
        # The points themselves were correct, but a line end must follow them.
        if piece.kind is PieceKind.STRAY_POINTS:
            raise Wrong("expected a line end after points without a message, or another point")
        return m.Move(points)
    except Wrong as wrong:
        return m.Malformed(str(wrong))


# -- writing


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


#: Makes the XML of a point. The cache has room for all 105 points of the pitch.
@lru_cache(maxsize=128)
def _point(point: m.Point) -> str:
    x, y = point
    return f'<point x="{x}" y="{y}"/>'


def _game(points: tuple[m.Point, ...]) -> str:
    return f"<gameState>{''.join(map(_point, points))}</gameState>" if points else "<gameState/>"


def written(message: m.Message) -> str:
    """
    Returns a message of the server as XML. The server also sends two messages of clients, as examples to a person that
    asks for help.

    Nicks contain only letters, digits, `_`, `-` and `.`, so only other texts are escaped.
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
    Returns a message of the host in a remote game as XML; `None`: the message is the same in all games.

    Nicks contain only letters, digits, `_`, `-` and `.`, and ids only digits and a dot, so nothing is escaped.
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
            # Results are there only at the end of the game.
            turn = f"<gameOver>{players}</gameOver>" if results else f'<nextPlayer nick="{next_player}"/>'
            state = content if loose else _element("gameState", content)
            return b'<message type="gameState">%b%b</message>' % ((_id(game_id) + turn).encode(), state)
        case m.BeginGame(game_id, nicks):
            players = "".join([f'<player nick="{nick}"/>' for nick in nicks])
            return f'<message type="beginGame">{_id(game_id)}{players}</message>'.encode()
    return None


def _encode(message: m.Message) -> bytes:
    """Returns the bytes of a message that is the same in all games."""
    if type(message) is m.GameState:  # nearly all messages are of this type, and `match` would take three times as long
        head = f'<message type="gameState"><gameId id="{message.game_id}"/><nextPlayer nick="{message.next_player}"/>'
        return f"{head}{_game(message.points)}</message>".encode()
    return written(message).encode()


#: The last message and its bytes. A message to both players is written only once.
_LAST: LastEncoded[m.Message] = LastEncoded()


class XmlCodec:
    """
    Turns the bytes of one connection into messages, and messages into bytes.

    When an accepted log-in is written, its dialect decides how later messages are read.

    :param declaration: whether an XML declaration stands in front of each message
    :param strict: whether only messages of the document are read; then a call for help is an XML error
    :param loose: the types of games with players and masters that use the loose dialect, in lower case
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
        # Whether people get help: the host recognizes calls for help and mistakes on one line.
        self._guided = not strict
        self._buffer = MessageBuffer(self._guided, usual=_usual)
        self._dialect = _BUILT_IN
        self._loose = loose
        #: Whether the last piece was refused, and was not inside a `<message>` element.
        self._refused = False
        self._prefix = DECLARATION.encode("ascii") if declaration else b""
        self._end = b"\n" if line_ends else b""

    @property
    def unfinished(self) -> bool:
        return self._buffer.unfinished

    def feed(self, data: bytes) -> Iterator[m.Message]:
        """
        Yields the messages that are complete now.

        :raises WireError: a limit is exceeded, or the bytes are not well-formed XML in UTF-8 of elements and text only
        """
        for piece in self._buffer.feed(data):
            # The buffer may have read the message without the parser.
            message = self._read(piece) if piece.message is None else piece.message
            # A person types one line. If one element on it is refused, the elements behind it belong to the same
            # mistake.
            same_mistake = self._guided and self._refused and piece.same_line and not piece.data.startswith(b"<message")
            if not same_mistake:
                self._refused = type(message) is m.Malformed and not piece.data.startswith(b"<message")
            # A blank line gets no answer.
            yield BLANK if same_mistake else message

    def whole(self, data: bytes) -> m.Message | None:
        """
        As `gamehost.wires.base.ReadsWhole`: returns the message of a line with a move or a log-in, if it is written as
        most clients write it.
        """
        if self._dialect is not _BUILT_IN or not data.endswith(b"\n") or len(data) > MESSAGE_LIMIT:
            return None
        message = _usual(data[:-1])
        # If earlier bytes wait, `feed` must read the line after them.
        if message is None or not self._buffer.pass_line():
            return None
        self._refused = False
        return message

    def _read(self, piece: Piece) -> m.Message:
        """Returns the message in a piece. A log-in may decide the dialect in which it is read itself."""
        dialect = self._dialect
        if self._loose and _LOG_IN.match(piece.data):
            # The type of game in a log-in decides its dialect. So the log-in is read in the loose dialect first.
            with suppress(WireError):  # the log-in is read again below, and its fault is reported then
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
        """
        Returns the bytes of a message in the dialect of the connection. A message that accepts a log-in decides this
        dialect.
        """
        if type(message) is m.LoginResponse and message.error is None:
            self._dialect = message.dialect
            self._buffer.widen(message.dialect is not _BUILT_IN)
        if self._dialect is _BUILT_IN:
            return self._prefix + _LAST.bytes_of(message, _encode) + self._end
        loose = self._dialect is _LOOSE
        # Messages that are the same in all games are encoded only once.
        data = _written_remote(message, loose) or _LAST.bytes_of(message, _encode)
        # Loose clients cannot read an outermost element without an end tag.
        if loose and data.endswith(b'"/>') and data.startswith(b"<message"):
            data = data[:-2] + b"></message>"
        return self._prefix + data + self._end
