"""A program on the wire of Onitama."""

from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.onitama.cards import SIDE, SQUARE_NAMED, SQUARES, card_named
from gamehost.games.onitama.master import ONITAMA, Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.position import Move, Position
from gamehost.programs.wire_player import NOBODY, ProgramError, WirePlayer, won
from gamehost.wires.onitama_pipes import messages as m

_COLOURS = ("white", "black")


class OnitamaPlayer(WirePlayer):
    """Logs in, and follows the board by the moves."""

    GAME = ONITAMA
    _turn = 0

    def begin(self) -> Sequence[Any]:
        return (m.Login(self.name),)

    def again(self) -> Sequence[Any]:
        super().again()
        return (m.Login(self.name),)

    def hear(self, message: Any) -> Sequence[Any]:
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
        if colour not in _COLOURS:
            raise ProgramError("RECONNECT names no colour; expected white or black")
        rows = board.split("/")
        if len(rows) != SIDE:
            raise ProgramError("RECONNECT has a board that is not five rows with slashes between them")
        seat = Seat(_COLOURS.index(colour))
        self._turn = seat if on_turn == self.name else 1 - seat
        self.sit_down(seat)
        self.tell(Situation(Position(*_hands(cards), "".join(reversed(rows)), self._turn)))

    def act(self, action: Any) -> Sequence[Any]:
        if isinstance(action, Move):
            return (m.MakeMove(action.card, SQUARES[action.start], SQUARES[action.end]),)
        return (m.Stalemate(action.card),)


def _card(name: str) -> Any:
    card = card_named(name)
    if card is None:
        raise ProgramError("the server names a card that there is not")
    return card


def _square(name: str) -> Any:
    if name not in SQUARE_NAMED:
        raise ProgramError("the server names a square that there is not")
    return SQUARE_NAMED[name]


def _hands(cards: str | None) -> tuple[Any, Any]:
    """The hands and the spare card in `white=boar,ox;black=crab,eel;spare=tiger`."""
    if cards is None:
        raise ProgramError("the server does not say which cards are dealt (START without its third field)")
    dealt: Mapping[str, list[str]] = {
        side: names.split(",") for side, _, names in (part.partition("=") for part in cards.split(";"))
    }
    if {side: len(names) for side, names in dealt.items()} != {"white": 2, "black": 2, "spare": 1}:
        raise ProgramError("the server deals cards otherwise than white=boar,ox;black=crab,eel;spare=tiger")
    hands = tuple((_card(dealt[side][0]), _card(dealt[side][1])) for side in _COLOURS)
    return hands, _card(dealt["spare"][0])
