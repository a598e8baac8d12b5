"""
The client's side of the wire `paper-soccer`: the codec for its XML messages, and a program that plays.

The stream is divided into messages by the same buffer as at the server, with the same limits. Unknown elements and attributes
are ignored, so that later servers can send more. Before a message is sent, it is read back with the server's codec.

The program's player always has seat 0, even if the opponent moves first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Moved, Situation
from gamehost.games.paper_soccer.rules import Foul, Position
from gamehost.programs.clients import WireClient
from gamehost.programs.wire_player import ANSWERED_WITHIN, ProgramError, WirePlayer, won
from gamehost.wires.framing import WireError
from gamehost.wires.paper_soccer import messages as m
from gamehost.wires.paper_soccer.codec import COORDINATES, XmlCodec
from gamehost.wires.paper_soccer.elements import (
    POINT_LIMIT,
    Element,
    MessageBuffer,
    Piece,
    PieceKind,
)

#: The number of elements in the longest message: the points of the longest last move, and six elements around them.
ELEMENT_LIMIT = POINT_LIMIT + 6


def _child(element: Element, tag: str) -> Element:
    """
    Returns the child of an element with a tag.

    :raises WireError: there is no such child, or more than one
    """
    found = [child for child in element.children if child.tag == tag]
    if len(found) != 1:
        raise WireError(f"expected one <{tag}> in <{element.tag}>")
    return found[0]


def _attribute(element: Element, name: str) -> str:
    """
    Returns an attribute of an element.

    :raises WireError: the element does not have it
    """
    value: str | None = element.attributes.get(name)
    if value is None:
        raise WireError(f"expected <{element.tag}> with {name}")
    return value


def _points(root: Element) -> tuple[m.Point, ...]:
    """
    Returns the points of a move in a message.

    :raises WireError: a point is not on the board, or something else comes
    """
    points = []
    for point in _child(root, "gameState").children:
        x, y = point.attributes.get("x", ""), point.attributes.get("y", "")
        if point.tag != "point" or x not in COORDINATES or y not in COORDINATES:
            raise WireError('expected points such as <point x="0" y="-1"/> in <gameState>')
        points.append((COORDINATES[x], COORDINATES[y]))
    return tuple(points)


def _game_id(root: Element) -> str:
    return _attribute(_child(root, "gameId"), "id")


def _login_response(root: Element) -> m.Message:
    """Reads the answer to a log-in."""
    accept = _attribute(_child(root, "response"), "accept")
    if accept == "yes":
        return m.LoginResponse()
    error = _child(root, "error")
    try:
        return m.LoginResponse(m.LoginError(int(_attribute(error, "id"))), error.text)
    except ValueError:
        raise WireError("expected an error with an id from 1 to 5") from None


def _game_state(root: Element) -> m.Message:
    """Reads a move, or the end of a match, which comes with the last move."""
    game_id, points = _game_id(root), _points(root)
    # The match continues.
    if not any(child.tag == "gameOver" for child in root.children):
        return m.GameState(game_id, _attribute(_child(root, "nextPlayer"), "nick"), points)
    results = {}
    for player in _child(root, "gameOver").children:
        results[_attribute(player, "result")] = _attribute(player, "nick")
    if results.keys() != {"winner", "loser"}:
        raise WireError("expected a winner and a loser in <gameOver>")
    return m.GameOver(game_id, results["winner"], results["loser"], points)


def _player_left_game(root: Element) -> m.Message:
    return m.PlayerLeftGame(_attribute(_child(root, "player"), "nick"), _game_id(root))


_READERS: Mapping[str, Callable[[Element], m.Message]] = {
    "loginResponse": _login_response,
    "gameState": _game_state,
    "playerLeftGame": _player_left_game,
    "serverShutdown": lambda root: m.ServerShutdown(),
    "error": lambda root: m.Error(root.text),
}


def _read(piece: Piece) -> m.Message:
    """
    Reads a message of the server.

    :raises WireError: it is not a message
    """
    if piece.kind is not PieceKind.ELEMENT:
        raise WireError('expected <message type="...">')
    if piece.twice:
        raise WireError("an attribute is given twice")
    root = piece.root
    reader = _READERS.get(root.attributes.get("type", "")) if root.tag == "message" else None
    if reader is None:
        raise WireError(f'expected <message type="..."> with one of the types {", ".join(_READERS)}')
    return reader(root)


def _escaped(text: str) -> str:
    """Returns a text as it is written in an attribute."""
    for character, reference in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, reference)
    # A reader of XML converts plain tabs and ends of lines in attributes into spaces.
    for character in "\t\n\r":
        text = text.replace(character, f"&#{ord(character)};")
    return text


def _game(game_id: str | None) -> str:
    return "" if game_id is None else f'<gameId id="{_escaped(game_id)}"/>'


def _written(message: m.Message) -> str:
    """
    Writes a message of a client as XML.

    :raises WireError: it is not a client's message
    """
    match message:
        case m.PlayerLogin(nick, game_type):
            login = f'<playerLogin nick="{_escaped(nick)}" gameType="{_escaped(game_type)}"/>'
            return f'<message type="playerLogin">{login}</message>'
        case m.Move(points, game_id):
            elements = "".join(f'<point x="{x}" y="{y}"/>' for x, y in points)
            return f'<message type="move">{_game(game_id)}<move>{elements}</move></message>'
        case m.ThankYou(game_id):
            return f'<message type="thank you">{_game(game_id)}</message>'
        case m.LeaveGame(game_id):
            return f'<message type="leaveGame">{_game(game_id)}</message>'
        case m.Logout():
            return '<message type="logout"/>'
        case m.Error():
            return '<message type="error"/>'
    raise WireError(f"a client does not say {type(message).__name__}")


class XmlClientCodec:
    """Reads the server's XML messages, and writes a client's messages."""

    def __init__(self) -> None:
        self._buffer = MessageBuffer(elements=ELEMENT_LIMIT)

    @property
    def unfinished(self) -> bool:
        return self._buffer.unfinished

    def feed(self, data: bytes) -> Iterator[m.Message]:
        for piece in self._buffer.feed(data):
            if piece.kind is not PieceKind.BLANK_LINE:
                yield _read(piece)

    def encode(self, message: m.Message) -> bytes:
        """
        Returns the bytes with which a client sends a message.

        :raises WireError: it is not a client's message, or the server would refuse it
        """
        text = _written(message)
        try:
            data = text.encode()
            # Reads the bytes as the server does.
            said = list(XmlCodec(strict=True).feed(data))
        except (UnicodeEncodeError, WireError):
            said = []
        if said != [message]:
            raise WireError(f"{type(message).__name__} has a value that the server would refuse")
        return data + b"\n"


_GAME_TYPE = "paper soccer"
_OWN, _OTHER = Seat(0), Seat(1)


class PaperSoccerPlayer(WirePlayer):
    """A program that plays paper soccer on this wire."""

    GAME = PAPER_SOCCER
    ANSWERED_WITHIN = ANSWERED_WITHIN
    _game_id = ""
    #: The seat that makes the next move.
    _next = _OWN

    def begin(self) -> Sequence[Any]:
        return (m.PlayerLogin(self.name, _GAME_TYPE),)

    def again(self) -> Sequence[Any]:
        super().again()
        return (m.ThankYou(self._game_id), m.PlayerLogin(self.name, _GAME_TYPE))

    def hear(self, message: Any) -> Sequence[Any]:
        """
        Handles a message of the server: passes its event to the player. Returns the messages that answer it, which are
        none.

        :raises ProgramError: the server refuses the log-in, stops, or has sent another error
        """
        match message:
            case m.LoginResponse(error, reason) if error is not None:
                raise ProgramError(f"the server refuses the log-in: {reason or error.name}")
            case m.GameState(game_id, following, points):
                self._go_on(game_id, _OWN if following == self.name else _OTHER, points)
            case m.GameOver(_, winner):
                self.end(won(winner))
            # During a match, an error refuses a move.
            case m.Error(text) if self.match is not None:
                self.refused(text)
            case m.Error(text):
                raise ProgramError(f"the server says: {text}")
            case m.ServerShutdown():
                raise ProgramError("the server stops")
        return ()

    def _go_on(self, game_id: str, following: Seat, points: tuple[tuple[int, int], ...]) -> None:
        """
        Handles a state of the match. The first one may come after a lost connection, and then has all points so far.

        :param following: the seat that moves next
        :param points: the points of the last move; in the first state, all points of the match
        """
        # The wire does not name seats, so this side always has the same one.
        if self.match is None:
            self._game_id = game_id
            self.sit_down(_OWN)
            self.tell(Situation(_first(points, following), points, following, None))
        else:
            self.tell(Moved(self._next, points, following))
        self._next = following

    def act(self, action: Any) -> Sequence[Any]:
        return (m.Move(action.points, self._game_id),)


def _first(points: Sequence[tuple[int, int]], following: Seat) -> Seat:
    """
    Returns the seat that has made the first move of the match.

    :param points: all points so far
    :param following: the seat that moves next
    :raises ProgramError: the points are not legal moves
    """
    position = Position()
    try:
        for point in points:
            position = position.step(point)
    except Foul as foul:
        raise ProgramError(f"the server tells of an illegal move: {foul}") from None
    # After all points, this position is the turn of the side that moved first (0) or of the other side.
    return following if position.turn == 0 else Seat(1 - following)


CLIENT = WireClient(XmlClientCodec, PaperSoccerPlayer)
