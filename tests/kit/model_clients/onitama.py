"""A speaker of the pipes of Onitama."""

import random
from collections.abc import Sequence

from attrs import evolve

from gamehost.games.base import Seat
from gamehost.games.onitama.cards import SQUARE_NAMED, SQUARES, Card
from gamehost.games.onitama.master import Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.position import Exchange, Move, Position
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.base import ModelClient
from tests.kit.sigkill import position_of

COLOURS = ("white", "black")
START = "ppkpp/...../...../...../PPKPP"


def cards(position: Position) -> str:
    """The cards as the wire's page writes them."""
    white, black = (",".join(sorted(hand)) for hand in position.hands)
    return f"white={white};black={black};spare={position.spare}"


class OnitamaClient(ModelClient):
    """Follows the position from START or RECONNECT on."""

    wire = "onitama"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._position: Position | None = None
        self._seat = 0

    def connected(self) -> None:
        super().connected()
        self._position = None

    def log_in(self) -> Sequence[str]:
        return [f"LOGIN|{self.name}"]

    def hear(self, line: str) -> None:
        match line.split("|"):
            case ["WAITING", _]:
                self.inside = True
            case ["START", white, _, dealt]:
                self.inside = True
                self._seat = 0 if white == self.name else 1
                self._position = position_of(START, dealt, 0)
            case ["RECONNECT", name, colour, board, held, on_turn]:
                self.inside = True
                seat = COLOURS.index(colour)
                self._seat = seat if name == self.name else 1 - seat
                self._position = position_of(board, held, seat if on_turn == name else 1 - seat)
            case ["MOVE_WAS_MADE", card, start, end] if self._position is not None:
                self._position = self._position.after(Move(Card(card), SQUARE_NAMED[start], SQUARE_NAMED[end]))
            case ["STALEMATE_CARD", old, new] if self._position is not None:
                self._position = self._position.exchanged(Card(old), Card(new))
            case ["GAME_OVER", _]:
                self.inside = False
                self._position = None

    def move(self, rng: random.Random) -> Sequence[str]:
        position = self._position
        if position is None or position.turn != self._seat:
            return ()
        return self._any(position, rng)

    def guess(self, rng: random.Random) -> Sequence[str]:
        if self._position is None:
            return self.nonsense(rng)
        return self._any(evolve(self._position, turn=self._seat), rng)

    def _any(self, position: Position, rng: random.Random) -> Sequence[str]:
        moves: list[Move | Exchange] = list(position.moves())
        return [self.in_words(rng.choice(moves or [Exchange(card) for card in position.hands[self._seat]]))]

    def in_words(self, action: Move | Exchange) -> str:
        """An action as this wire has it."""
        match action:
            case Move(card, start, end):
                return f"MAKE_MOVE|{card}|{SQUARES[start]}|{SQUARES[end]}"
            case Exchange(card):
                return f"STALEMATE|{card}"

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        return [
            rng.choice(
                ("MAKE_MOVE|tiger|a1|a5", "MAKE_MOVE|a1|a2", "STALEMATE|lion", "LOGIN|b o b", "HELLO", "GAME_OVER|ann")
            )
        ]

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case Dealt(position):
                return [f"START|{names[0]}|{names[1]}|{cards(position)}"]
            case Moved(_, Move(card, start, end)):
                return [f"MOVE_WAS_MADE|{card}|{SQUARES[start]}|{SQUARES[end]}"]
            case Exchanged(_, old, new):
                return [f"STALEMATE_CARD|{old}|{new}"]
            case Back(back, Situation(position)):
                board = "/".join(position.rows())
                return [
                    f"RECONNECT|{names[back]}|{COLOURS[back]}|{board}|{cards(position)}|{names[position.turn]}",
                ]
            case Over(result):
                return [f"GAME_OVER|{names[result.winners[0]] if result.winners else 'draw'}"]
        raise AssertionError(f"nothing is known of {type(event).__name__}")

    @staticmethod
    def chatter(line: str) -> bool:
        return line.split("|")[0] in ("INVALID_MOVE", "ERROR", "WAITING", "LOGOUT")

    @staticmethod
    def waits(line: str) -> bool:
        return line.startswith("WAITING|")
