"""
The client's side of the wire `stratego-frames`: the codec for its binary frames, and a program that plays.

Sequence numbers of the server are ignored, as the server ignores those of a client. Messages about battles do not name squares,
so the program finds the squares of an enemy's attack by the boards before and after it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from struct import error as StructError
from typing import Any

from gamehost.extras.bots.wires.stratego_lines import attacked, other, square_of
from gamehost.games.base import Seat
from gamehost.games.stratego import rules as e
from gamehost.games.stratego.master import STRATEGO
from gamehost.games.stratego.rules import HOME, Place, PlaceRows, Survivor
from gamehost.games.stratego.rules import Move as GameMove
from gamehost.programs.clients import WireClient
from gamehost.programs.wire_player import ANSWERED_WITHIN, NOBODY, ProgramError, WirePlayer, won
from gamehost.wires.framing import FrameBuffer, WireError, from_modified_utf8, java_string
from gamehost.wires.stratego_frames import messages as m
from gamehost.wires.stratego_frames.codec import (
    HEADER,
    MARK,
    MOVE,
    PAYLOAD_LIMIT,
    PLAIN,
    SETUP,
    SIZE,
)

#: The largest payload of the server in bytes. The longest ones are sentences for people, of a few hundred bytes.
SERVER_PAYLOAD_LIMIT = 4096

#: How many squares a board has. Each square is one char of Java.
SQUARES = 100

#: The bytes of a char of Java.
_CHAR = 2
_FIXED: Mapping[type, int] = {m.Move: MOVE.size, m.Board: SQUARES * _CHAR, m.Side: _CHAR}
_KINDS: Mapping[int, type] = {number: kind for kind, number in m.SERVER_FRAMES.items()}
_TYPES: Mapping[type, int] = {kind: number for number, kind in m.CLIENT_FRAMES.items()}


def payload_size(header: bytes) -> int:
    """
    Returns how many bytes follow a frame's header.

    :raises WireError: no frame of the server has this header
    """
    _, number, _, size = HEADER.unpack(header)
    kind = _KINDS.get(number)
    if kind is None:
        raise WireError("a server sends frames of type 1 to 10, 15 (Error) or 16 (Side)")
    # `None`: the size depends on the content.
    fixed = _FIXED.get(kind)
    if fixed is not None and size != fixed:
        raise WireError(f"the payload of {kind.__name__} has {fixed} bytes")
    if not SIZE.size <= size <= SERVER_PAYLOAD_LIMIT:
        raise WireError(f"the payload of {kind.__name__} has {SIZE.size} to {SERVER_PAYLOAD_LIMIT} bytes")
    return int(size)


def _chars(data: bytes) -> str:
    """
    Reads chars of Java.

    :raises WireError: the bytes are not UTF-16
    """
    try:
        return data.decode("utf-16-be")
    except UnicodeDecodeError:
        raise WireError("chars that are not UTF-16") from None


def _string(data: bytes) -> str:
    """
    Reads a String of Java: its size, and its bytes in modified UTF-8.

    :raises WireError: the bytes are something else
    """
    if SIZE.unpack_from(data)[0] != len(data) - SIZE.size:
        raise WireError("a String whose size is not that of the payload")
    try:
        return from_modified_utf8(data[SIZE.size :])
    except WireError:
        raise WireError("a String that is not modified UTF-8") from None


def _battle(payload: bytes) -> m.Battle:
    """Reads the payload of a battle: the name of the winner, and both pieces."""
    # The last two chars are the pieces; all before them is the name.
    winner, pieces = payload[: -2 * _CHAR], payload[-2 * _CHAR :]
    if len(winner) < SIZE.size:
        raise WireError("the payload of Battle is a String and two chars")
    letters = _chars(pieces)
    if len(letters) != 2:
        raise WireError("chars that are not UTF-16")
    return m.Battle(_string(winner), *letters)


def _board(payload: bytes) -> m.Board:
    """Reads the message with the whole board."""
    squares = _chars(payload)
    if len(squares) != SQUARES:
        raise WireError(f"a board has {SQUARES} chars")
    return m.Board(squares)


_READERS: Mapping[type, Callable[[bytes], m.FromServer]] = {
    m.Playing: lambda payload: m.Playing(_string(payload)),
    m.Move: lambda payload: m.Move(*MOVE.unpack(payload)),
    m.Board: _board,
    m.Battle: _battle,
    m.GameOver: lambda payload: m.GameOver(_string(payload)),
    m.Error: lambda payload: m.Error(_string(payload)),
    m.Side: lambda payload: m.Side(_chars(payload)),
}


def _read(frame: bytes) -> m.FromServer:
    """
    Reads a frame of the server.

    :raises WireError: its payload is wrong
    """
    kind, payload = _KINDS[frame[1]], frame[HEADER.size :]
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(payload)
    # Messages without values have one fixed text.
    if _string(payload) != PLAIN[kind]:
        raise WireError(f'the payload of {kind.__name__} is the String "{PLAIN[kind]}"')
    message: m.FromServer = kind()
    return message


def _piece(text: str) -> int:
    if len(text) != 1 or ord(text) > 0xFFFF:
        raise WireError("a piece is one char")
    return ord(text)


def _text(text: str) -> bytes:
    """
    Writes a String of Java.

    :raises WireError: the text cannot be written, or is too long
    """
    try:
        data = java_string(text)
    except (WireError, StructError):
        raise WireError("text that cannot be written as a String") from None
    if len(data) > PAYLOAD_LIMIT:
        raise WireError(f"a payload that is a String has at most {PAYLOAD_LIMIT} bytes")
    return data


def _payload(message: m.Message) -> bytes:
    """
    Writes the payload of a client's message.

    :raises WireError: it is not a client's message, or a value cannot be written
    """
    match message:
        case m.SignOn(str(username)):
            return _text(username)
        case m.Setup(piece, x, y):
            return SETUP.pack(_piece(piece), x, y)
        case m.Ready(text):
            return _text(text)
        case m.Move(x, y, to_x, to_y):
            return MOVE.pack(x, y, to_x, to_y)
        case m.Resign():
            return b""
    raise WireError(f"a client does not say {message!r}")


class FramesClientCodec:
    """Reads the server's frames, and writes a client's frames."""

    def __init__(self) -> None:
        self._frames = FrameBuffer(HEADER.size, payload_size, MARK)
        self._sequence = 0

    @property
    def unfinished(self) -> bool:
        return self._frames.unfinished

    def feed(self, data: bytes) -> Iterator[m.Message]:
        for frame in self._frames.feed(data):
            yield _read(frame)

    def encode(self, message: m.Message) -> bytes:
        """Returns a client's message as the next frame of the connection. Each call uses the next sequence number."""
        try:
            payload = _payload(message)
        except StructError:
            raise WireError("a coordinate that is not a whole number of 32 bits") from None
        sequence = self._sequence
        self._sequence = (sequence + 1) & 0xFFFF
        return HEADER.pack(MARK, _TYPES[type(message)], sequence, len(payload)) + payload


_TIE = "tie"
_READY = "ready"


class StrategoFramesPlayer(WirePlayer):
    """A program that plays Stratego on this wire."""

    GAME = STRATEGO
    ANSWERED_WITHIN = ANSWERED_WITHIN

    _seat = Seat(1)
    #: The seat that moves next.
    _turn = Seat(0)
    #: The last board, as this side sees it.
    _squares = ""
    #: The reason of the last refusal.
    _reason = ""
    _phase = e.Phase.OVER
    #: The piece that is being placed alone. This happens after a lost connection.
    _place: Place | None = None
    #: The own move that was sent last.
    _sent: GameMove | None = None
    #: The battle with a board that has not come yet.
    _battle: m.Battle | None = None
    #: Whether a board must follow the last message.
    _board_due = False
    #: Whether the last message was that the set-up is complete. The server refuses it if it has received it before.
    _stands = False

    def think(self) -> Sequence[Any]:
        return () if self._board_due else super().think()

    def begin(self) -> Sequence[Any]:
        self._seat = Seat(1)
        return (m.SignOn(self.name),)

    def hear(self, message: Any) -> Sequence[Any]:
        """
        Handles a message of the server: passes its event to the player. Returns the messages that answer it, which are
        none.

        :raises ProgramError: the server refuses the log-in or the set-up
        """
        match message:
            case m.Wait() if self.match is None:
                # A player that has waited is the first one, if the server does not say the side.
                self._seat = Seat(0)
            case m.Connected() if self.match is None:
                self._open(self._seat)
            case m.Side(side) if side in ("1", "2"):
                self._side(Seat(int(side) - 1))
            case m.Playing(username):
                self._begin(username)
            # Only a piece that is placed alone waits for this answer.
            case m.PlacementValid() if self._place is not None:
                self._placed(self._place)
            # `_stands`: the set-up was complete already, so its refusal does not matter.
            case m.PlacementInvalid() if not self._stands:
                raise ProgramError(f"the server refuses the set-up: {self._reason or 'it does not say why'}")
            case m.MoveInvalid():
                self.refused(self._reason)
            case m.Move() | m.Battle() | m.Board():
                self._follow(message)
            case m.GameOver(winner):
                self._phase = e.Phase.OVER
                self.end(NOBODY if winner == _TIE else won(winner))
            # The reason belongs to the refusal that follows.
            case m.Error(reason):
                self._reason = reason
                if self.match is None:
                    raise ProgramError(f"the server says: {reason}")
        return ()

    def _open(self, seat: Seat) -> None:
        """Begins the set-up of a match."""
        self._seat = seat
        self._phase = e.Phase.SETUP
        self._squares = ""
        self._battle = None
        self._board_due = False
        self._stands = False
        self.sit_down(seat)
        self.tell(e.Opened())

    def _side(self, seat: Seat) -> None:
        """Handles the side that the server names."""
        if self.match is None:
            # The match has begun on an earlier connection. `Playing` and a board follow.
            self._seat = seat
            self._squares = ""
            self._phase = e.Phase.OVER
            self.sit_down(seat)
        # The player had another seat until now.
        elif self._phase is e.Phase.SETUP and seat != self._seat:
            self._open(seat)

    def _begin(self, username: str) -> None:
        """
        Begins the play after the set-up, or continues it after a lost connection. A board follows.

        :param username: the player that moves next
        """
        self._turn, self._board_due = self._seat if username == self.name else other(self._seat), True
        if self._phase is e.Phase.SETUP:
            self.tell(e.ReadySet(self._seat), e.Playing(self._turn, self._turn))
            self._phase = e.Phase.PLAY

    def _follow(self, message: Any) -> None:
        """Follows a move, a battle or a board."""
        # After a move or a battle, a board follows. Until then the player does not think.
        self._board_due = not isinstance(message, m.Board)
        match message:
            case m.Move(x, y, to_x, to_y):
                self.tell(e.Moved(self._turn, GameMove(x, y, to_x, to_y), other(self._turn)))
                self._turn = other(self._turn)
            case m.Battle():
                # The board after it shows from where the attack came.
                self._battle = message
            case m.Board(squares) if self._phase is e.Phase.OVER:
                # The first board of a match that has begun on an earlier connection.
                self._phase = e.Phase.PLAY
                self.tell(e.Situation(self._seat, e.Phase.PLAY, squares, (True, True), self._turn, None))
                self._squares = squares
            case m.Board(squares) if self._phase is e.Phase.SETUP:
                self._set_up(squares)
            case m.Board(squares):
                if self._battle is not None:
                    self._fought(self._battle, squares)
                self.tell(e.Board(squares))
                self._squares, self._battle = squares, None

    def _set_up(self, squares: str) -> None:
        """Passes the board during the set-up to the player."""
        self._squares = squares
        self.tell(e.Situation(self._seat, e.Phase.SETUP, squares, (False, False), None, None))

    def _placed(self, place: Place) -> None:
        square, self._place = square_of(place.x, place.y), None
        self._set_up(self._squares[:square] + place.piece + self._squares[square + 1 :])

    def _fought(self, battle: m.Battle, squares: str) -> None:
        """
        Passes a battle to the player. If the enemy's move cannot be found, the player receives only the new position.

        :param squares: the board after the battle
        """
        turn, self._turn = self._turn, other(self._turn)
        mine = turn == self._seat
        winner: Survivor = "tie"
        if battle.winner != _TIE:
            winner = "attacker" if (battle.winner == self.name) == mine else "defender"
        # The wire does not say from where the attack came. The own move is known; the enemy's is found by the boards.
        move = self._sent
        if not mine:
            move = attacked(self._squares, squares, self._seat, battle.attacker, battle.defender, winner)
        if move is not None:
            self.tell(e.Fought(turn, move, battle.attacker, battle.defender, winner, self._turn))
        else:
            self.tell(e.Situation(self._seat, e.Phase.PLAY, squares, (True, True), self._turn, None))

    def act(self, action: Any) -> Sequence[Any]:
        """
        Returns the messages that carry out an action of the player: its set-up, a single piece, a move, or that its
        set-up is complete.
        """
        self._reason = ""
        match action:
            case PlaceRows(rows):
                first = HOME[self._seat]
                return (
                    *(m.Setup(piece, x, first + y) for y, row in enumerate(rows) for x, piece in enumerate(row)),
                    m.Ready(_READY),
                )
            case Place(piece, x, y):
                self._place, self._stands = action, False
                return (m.Setup(piece, x, y),)
            case GameMove(x, y, to_x, to_y):
                self._sent = action
                return (m.Move(x, y, to_x, to_y),)
        # All other actions mean that the set-up is complete.
        self._stands = True
        return (m.Ready(_READY),)


CLIENT = WireClient(FramesClientCodec, StrategoFramesPlayer)
