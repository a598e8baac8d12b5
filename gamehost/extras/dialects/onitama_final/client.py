"""
The client's side of the wire: the codec, and a program that plays.

The program has a position of its own, and makes each move on it that the server reports. It needs this position when a
player passes: the server's message names only the card that the player gives. The card that the player receives is the
spare card of the position.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import astuple

from gamehost.extras.dialects.onitama_final import MESSAGE_LIMIT
from gamehost.extras.dialects.onitama_final import messages as m
from gamehost.extras.dialects.onitama_final.codec import MessageBuffer, parse
from gamehost.extras.dialects.onitama_final.conversation import PIECES, row_and_column, square_at
from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA, Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.rules import BLACK, SIDE, START, WHITE, Exchange, Move, Position, card_named
from gamehost.programs.clients import WireClient
from gamehost.programs.wire_player import ANSWERED_WITHIN, NOBODY, ProgramError, WirePlayer, won
from gamehost.wires.framing import WireError

#: The number of fields of the `RECONNECT` to a player that is back.
RESTORE_FIELDS = 34

_SIMPLE = {
    command: kind
    for kind, command in m.SERVER_COMMANDS.items()
    if kind not in (m.Start, m.Restore, m.Ping, m.Reconnect)
}
_SAID = {kind: command for command, (kind, _, _) in m.CLIENT_COMMANDS.items()}


def read_server(text: str) -> m.Message:
    """
    Reads the server's message in a text.

    :raises WireError: it is not a message of the server
    """
    command, *words = text.split("|")
    match command, words:
        case m.PING, [m.PING]:
            return m.Ping()
        case "START", [black, white, *cards] if len(cards) == 5:
            return m.Start(black, white, _five(cards))
        case "RECONNECT", [name]:
            return m.Reconnect(name)
        case "RECONNECT", [black, white, *rest] if len(words) == RESTORE_FIELDS:
            return m.Restore(black, white, _five(rest[:5]), _flag(rest[5]), _flag(rest[6]), tuple(rest[7:]))
    # All other messages have a fixed number of fields.
    kind = _SIMPLE.get(command)
    if kind is None or len(words) != len(kind.__struct_fields__):
        raise WireError("not a message of the server")
    message: m.Message = kind(*words)
    return message


def _five(cards: list[str]) -> tuple[str, str, str, str, str]:
    one, two, three, four, five = cards
    return one, two, three, four, five


def _flag(word: str) -> bool:
    if word not in ("0", "1"):
        raise WireError("expected 1 or 0")
    return word == "1"


class FinalClientCodec:
    """The codec of one connection, on the client's side. A message that cannot be read is an error at once."""

    def __init__(self) -> None:
        self._messages = MessageBuffer()

    @property
    def unfinished(self) -> bool:
        return self._messages.unfinished

    def feed(self, data: bytes) -> Iterator[m.Message]:
        """
        Yields the server's messages that are complete now.

        :raises WireError: the bytes are not a message of the server
        """
        for message in self._messages.feed(data):
            try:
                text = message.decode("utf-8")
            except UnicodeDecodeError:
                raise WireError("a message that is not UTF-8") from None
            yield read_server(text)

    def encode(self, message: m.Message) -> bytes:
        """
        Returns the bytes with which a client sends a message.

        :raises WireError: it is not a client's message, or the server would refuse it
        """
        match message:
            case m.Ping():
                text = f"{m.PING}|{m.PING}"
            case m.Login() | m.MakeMove() | m.MakePass():
                text = "|".join((_SAID[type(message)], *astuple(message)))
            case _:
                raise WireError(f"a client does not say {type(message).__name__}")
        # Reads the text as the server does.
        if parse(text) != message or "\0" in text:
            raise WireError("a field has a pipe, a zero byte or white space")
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError:
            raise WireError("a field cannot be written in UTF-8") from None
        if len(data) > MESSAGE_LIMIT:
            raise WireError(f"a message longer than {MESSAGE_LIMIT} bytes")
        return data + b"\0"


#: The squares of RECONNECT as the game writes them.
SQUARES: Mapping[str, str] = {square: piece for piece, square in PIECES.items()}


class FinalPlayer(WirePlayer):
    """A program that plays Onitama on this wire."""

    GAME = ONITAMA
    ANSWERED_WITHIN = ANSWERED_WITHIN
    ALIVE_EVERY = 10.0
    _position: Position | None = None

    def begin(self) -> Sequence[Any]:
        return (m.Login(self.name),)

    def alive(self) -> Sequence[Any]:
        return (m.Ping(),)

    def hear(self, message: Any) -> Sequence[Any]:
        """
        Handles a message of the server: passes its event to the player. Returns the messages that answer it, which are
        none.

        :raises ProgramError: the server has sent an error, or a message that cannot be right
        """
        match message:
            case m.Start(_, white, cards):
                self._position = _dealt(cards, START, WHITE)
                self.sit_down(Seat(WHITE if white == self.name else BLACK))
                self.tell(Dealt(self._position))
            case m.MoveWasMade() | m.PassWasMade():
                self.tell(self._happened(message))
            case m.Restore(_, _, cards, white_is_you, white_to_move, board):
                self._position = _dealt(cards, _upwards(board), WHITE if white_to_move else BLACK)
                self.sit_down(Seat(WHITE if white_is_you else BLACK))
                self.tell(Situation(self._position))
            case m.InvalidMove(why):
                self.refused(why)
            case m.GameOver(winner):
                self.end(NOBODY if winner == "draw" else won(winner))
            case m.Failed(why):
                raise ProgramError(f"the server says: {why}")
        return ()

    def _happened(self, message: m.MoveWasMade | m.PassWasMade) -> Moved | Exchanged:
        """
        Makes a reported move or pass on the program's own position, and returns its event.

        :raises ProgramError: there is no match, or the move is not legal
        """
        position = self._position
        if position is None:
            raise ProgramError("the server sends events of a match that has not begun")
        seat, card = Seat(position.turn), card_named(message.card)
        if isinstance(message, m.PassWasMade):
            if card not in position.hands[seat]:
                raise ProgramError("the server tells of a pass with a card that the player does not have")
            self._position = position.exchanged(card, position.spare)
            return Exchanged(seat, card, position.spare)
        start = square_at(message.start_row, message.start_column)
        end = square_at(message.end_row, message.end_column)
        move = None if card is None or start is None or end is None else Move(card, start, end)
        if move is None or position.why_not(move) is not None:
            raise ProgramError("the server tells of an illegal move")
        self._position = position.after(move)
        return Moved(seat, move)

    def act(self, action: Any) -> Sequence[Any]:
        if isinstance(action, Exchange):
            return (m.MakePass(action.card),)
        return (m.MakeMove(action.card, *row_and_column(action.start), *row_and_column(action.end)),)


def _dealt(cards: Sequence[str], board: str, turn: int) -> Position:
    """
    Returns the position with the cards of a message: two of Black, the spare, two of White.

    :raises ProgramError: there is no such card
    """
    known = [card for card in map(card_named, cards) if card is not None]
    # Unknown names were left out.
    if len(known) != len(cards):
        raise ProgramError("the server names a card that there is not")
    black, spare, white = (known[0], known[1]), known[2], (known[3], known[4])
    return Position((white, black), spare, board, turn)


def _upwards(board: Sequence[str]) -> str:
    """
    Returns the board in the game's notation, from the squares of RECONNECT. The wire's first row is the game's last one.

    :raises ProgramError: a square cannot be read
    """
    if not SQUARES.keys() >= set(board):
        raise ProgramError("RECONNECT has a square that is not bP, bK, wP, wK or --")
    rows = ["".join(SQUARES[square] for square in board[at : at + SIDE]) for at in range(0, SIDE * SIDE, SIDE)]
    return "".join(reversed(rows))


CLIENT = WireClient(FinalClientCodec, FinalPlayer)
