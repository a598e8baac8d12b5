"""
The client's side of the wire `onitama`: the codec, and a program that plays.

Unlike the server's codec, this one does not remove spaces. The last field of a message may contain pipes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import astuple

from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA, Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.rules import SIDE, SQUARE_NAMED, SQUARES, Move, Position, card_named
from gamehost.programs.clients import WireClient
from gamehost.programs.wire_player import NOBODY, ProgramError, WirePlayer, won
from gamehost.wires.framing import ClientLineCodec, WireError
from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama.codec import LINE_LIMIT, parse

#: The longest line of the server in bytes. The longest ones are sentences for people, of a few hundred bytes.
SERVER_LINE_LIMIT = 4096

#: The server's messages by their commands: the class, and the most and the least number of fields.
_READ: Mapping[str, tuple[type[Any], int, int]] = {
    command: (kind, len(kind.__struct_fields__), len(kind.__struct_fields__) - len(kind.__struct_defaults__))
    for kind, command in m.SERVER_COMMANDS.items()
}
_SAID: Mapping[type, str] = {kind: command for command, (kind, _, _) in m.CLIENT_COMMANDS.items()}


class PipesClientCodec(ClientLineCodec[m.Message]):
    """Reads the server's messages, and writes a client's messages. A message is a line with pipes between its fields."""

    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    def read(self, line: bytes) -> m.Message | None:
        """
        Returns the message of the server in a line; `None`: the line is empty.

        :raises WireError: it is not a message of the server
        """
        if not line:
            return None
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise WireError("a line that is not UTF-8") from None
        command, *rest = text.split("|", 1)
        known = _READ.get(command)
        if known is None:
            raise WireError(f"unknown command; expected one of {', '.join(_READ)}")
        kind, most, least = known
        # The last field may contain pipes.
        words = rest[0].split("|", most - 1) if rest else []
        if len(words) < least:
            raise WireError(f"too few fields in {command}; expected {least}")
        message: m.Message = kind(*words)
        return message

    def line(self, message: m.Message) -> bytes:
        """
        Returns the line with which a client sends a message.

        :raises WireError: it is not a client's message, or the server would refuse it
        """
        match message:
            case m.Login() | m.MakeMove() | m.Stalemate() | m.Resign():
                command = _SAID[type(message)]
                text = "|".join((command, *astuple(message)))
            case _:
                raise WireError(f"a client does not say {type(message).__name__}")
        # Reads the line as the server does.
        if parse(text) != message:
            raise WireError(f"a field of {command} has a pipe, or begins or ends with a space")
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError:
            raise WireError(f"a field of {command} cannot be written in UTF-8") from None


_COLOURS = ("white", "black")


class OnitamaPlayer(WirePlayer):
    """A program that plays Onitama on this wire. It follows whose turn it is, because the messages do not name the mover."""

    GAME = ONITAMA
    #: The seat that moves next.
    _turn = 0

    def begin(self) -> Sequence[Any]:
        return (m.Login(self.name),)

    def hear(self, message: Any) -> Sequence[Any]:
        """
        Handles a message of the server: passes its event to the player. Returns the messages that answer it, which are
        none.

        :raises ProgramError: the server has sent an error, or a message that cannot be right
        """
        match message:
            case m.Start(white, _, cards):
                self.sit_down(Seat(0 if white == self.name else 1))
                self._turn = 0
                self.tell(Dealt(Position(*_hands(cards))))
            case m.MoveWasMade(card, start, end):
                self.tell(Moved(Seat(self._turn), Move(_card(card), _square(start), _square(end))))
                self._turn = 1 - self._turn
            case m.StalemateCard(old, new):
                self.tell(Exchanged(Seat(self._turn), _card(old), _card(new)))
                self._turn = 1 - self._turn
            # The other player's return changes nothing.
            case m.Reconnect(name, colour, board, cards, on_turn) if name == self.name:
                self._come_back(colour, board, cards, on_turn)
            case m.InvalidMove(reason):
                self.refused(reason or "")
            case m.GameOver(winner):
                self.end(NOBODY if winner == "draw" else won(winner))
            case m.Error(reason):
                raise ProgramError(f"the server says: {reason}")
        return ()

    def _come_back(self, colour: str, board: str, cards: str, on_turn: str) -> None:
        """
        Continues a match after a lost connection, from the position that the server sends.

        :param board: the rows of the board with slashes between them
        :raises ProgramError: the server's message cannot be used
        """
        if colour not in _COLOURS:
            raise ProgramError("RECONNECT names no colour; expected white or black")
        rows = board.split("/")
        if len(rows) != SIDE:
            raise ProgramError("RECONNECT has a board that is not five rows with slashes between them")
        seat = Seat(_COLOURS.index(colour))
        self._turn = seat if on_turn == self.name else 1 - seat
        self.sit_down(seat)
        # The server sends the upper row first, and the game counts from the lower one.
        self.tell(Situation(Position(*_hands(cards), "".join(reversed(rows)), self._turn)))

    def act(self, action: Any) -> Sequence[Any]:
        if isinstance(action, Move):
            return (m.MakeMove(action.card, SQUARES[action.start], SQUARES[action.end]),)
        return (m.Stalemate(action.card),)


def _card(name: str) -> Any:
    """
    Returns the card with a name.

    :raises ProgramError: there is no such card
    """
    card = card_named(name)
    if card is None:
        raise ProgramError("the server names a card that there is not")
    return card


def _square(name: str) -> Any:
    """
    Returns the number of the square with a name.

    :raises ProgramError: there is no such square
    """
    if name not in SQUARE_NAMED:
        raise ProgramError("the server names a square that there is not")
    return SQUARE_NAMED[name]


def _hands(cards: str | None) -> tuple[Any, Any]:
    """
    Reads the hands of both sides, and the spare card, from a text such as `white=boar,ox;black=crab,eel;spare=tiger`.

    :raises ProgramError: the server has sent something else
    """
    if cards is None:
        raise ProgramError("the server does not say which cards are dealt (START without its third field)")
    dealt: Mapping[str, list[str]] = {
        side: names.split(",") for side, _, names in (part.partition("=") for part in cards.split(";"))
    }
    if {side: len(names) for side, names in dealt.items()} != {"white": 2, "black": 2, "spare": 1}:
        raise ProgramError("the server deals cards otherwise than white=boar,ox;black=crab,eel;spare=tiger")
    hands = tuple((_card(dealt[side][0]), _card(dealt[side][1])) for side in _COLOURS)
    return hands, _card(dealt["spare"][0])


CLIENT = WireClient(PipesClientCodec, OnitamaPlayer)
