"""A speaker of the pipes of Onitama."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA, Dealt, Exchanged, Moved, Situation
from gamehost.games.onitama.rules import SQUARES, Card, Move, Position, Square
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.base import ProgramClient

COLOURS = ("white", "black")


def cards(position: Position) -> str:
    """The cards as the wire's page writes them."""
    white, black = (",".join(sorted(hand)) for hand in position.hands)
    return f"white={white};black={black};spare={position.spare}"


def position_of(board: str, cards: str, on_turn: int) -> Position:
    """The position in a RECONNECT or START."""
    held = {
        name: [Card(card) for card in text.split(",")] for name, text in (one.split("=") for one in cards.split(";"))
    }
    squares = "".join(reversed(board.split("/")))
    white, black = held["white"], held["black"]
    return Position(((white[0], white[1]), (black[0], black[1])), held["spare"][0], squares, on_turn)


def moves_in_turn(player: Any) -> Sequence[Any]:
    """What a player of Onitama could do if it were its turn."""
    if player.position is None:
        return ()
    return list(ONITAMA.legal(Situation(replace(player.position, turn=player.seat)), player.seat))


class OnitamaClient(ProgramClient):
    wire = "onitama"
    inside_after = ("Waiting", "Start", "Reconnect")
    senseless = (
        "MAKE_MOVE|tiger|a1|a5",
        "MAKE_MOVE|a1|a2",
        "STALEMATE|lion",
        "LOGIN|b o b",
        "HELLO",
        "GAME_OVER|ann",
    )

    def in_turn(self, player: Any) -> Sequence[Any]:
        return moves_in_turn(player)

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


# A speaker of the final dialect of Onitama.


PIECES = {"wK": "K", "wP": "P", "bK": "k", "bP": "p", "--": "."}


def place(at: Square) -> str:
    """The opposite."""
    return f"{4 - at // 5}|{at % 5}"


def cards_in(position: Position) -> str:
    """Black's cards, the spare, White's cards."""
    white, black = position.hands
    return "|".join((*black, position.spare, *white))


class OnitamaFinalClient(OnitamaClient):
    wire = "onitama-final"
    spaced = True
    inside_after = ("Waiting", "Start", "Restore")
    senseless = (
        "MAKE_MOVE|tiger|0|0|4|0",
        "MAKE_MOVE|ox|5|0",
        "MAKE_PASS|lion",
        "LOGIN|b o b",
        "HELLO",
        "START|ann",
    )

    def in_words(self, data: bytes) -> str:
        return data.decode("utf-8").removesuffix("\0")

    def in_bytes(self, line: str) -> bytes:
        return line.encode("utf-8") + b"\0"

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case Dealt(position):
                return [f"START|{names[1]}|{names[0]}|{cards_in(position)}"]
            case Moved(_, Move(card, start, end)):
                return [f"MOVE_WAS_MADE|{card}|{place(start)}|{place(end)}"]
            case Exchanged(_, old, _):
                return [f"PASS_WAS_MADE|{old}"]
            case Back(back, Situation(position)) if back == seat:
                words = {piece: word for word, piece in PIECES.items()}
                board = "|".join(words[piece] for row in position.rows() for piece in row)
                flags = f"{int(seat == 0)}|{int(position.turn == 0)}"
                return [f"RECONNECT|{names[1]}|{names[0]}|{cards_in(position)}|{flags}|{board}"]
            case Back(back, _):
                return [f"RECONNECT|{names[back]}"]
        return OnitamaClient.told(event, seat, names, table)

    @staticmethod
    def chatter(line: str) -> bool:
        return line.split("|")[0] in ("INVALID_MOVE", "FAILED", "WAITING", "DISCONNECT", "PING")
