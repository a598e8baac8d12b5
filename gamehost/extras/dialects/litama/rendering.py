"""
A position of Onitama as this wire has it: colours by the stamp of the side card, and the board from blue's side.

White of the game begins, so White has the colour of the stamp. If that is red, the board is turned.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, Card, Move, Position

#: The cards with a blue stamp. All others are red.
BLUE_CARDS = frozenset({"rabbit", "monkey", "goose", "crab", "crane", "tiger", "ox", "eel"})
COLOURS = ("blue", "red")


def seat_of_blue(start: Position) -> int:
    """The seat that is blue in a match with this start."""
    return 0 if start.spare in BLUE_CARDS else 1


def colour_of(start: Position, seat: int) -> str:
    return COLOURS[seat ^ seat_of_blue(start)]


def _digits(board: str, blue: int) -> str:
    """25 digits from a1 to e5: 0 empty, 1 and 2 blue's pupil and master, 3 and 4 red's."""
    white, black = ("12", "34") if blue == 0 else ("34", "12")
    digits = board.translate(str.maketrans(".PKpk", "0" + white + black))
    return digits if blue == 0 else digits[::-1]


def read_board(digits: str, blue: int) -> str:
    """
    The opposite of the board in `standing`.

    :raises ValueError: not 25 of these digits
    """
    if len(digits) != len(SQUARES) or not set(digits) <= set("01234"):
        raise ValueError("expected 25 digits from 0 to 4")
    board = digits.translate(str.maketrans("01234", ".PKpk" if blue == 0 else ".pkPK"))
    return board if blue == 0 else board[::-1]


def turned(square: int, blue: int) -> int:
    """A square as the other side numbers it, if White is not blue."""
    return square if blue == 0 else len(SQUARES) - 1 - square


def _cards(position: Position, blue: int) -> Mapping[str, Any]:
    return {"blue": position.hands[blue], "red": position.hands[1 - blue], "side": position.spare}


def written(move: Move, blue: int) -> str:
    """A move of the match so far, as `boar:a1a2`."""
    return f"{move.card}:{SQUARES[turned(move.start, blue)]}{SQUARES[turned(move.end, blue)]}"


def standing(
    match_id: str,
    names: Sequence[str],
    indices: Sequence[int],
    start: Position,
    now: Position,
    moves: Sequence[str],
    winner: str | None,
) -> Mapping[str, Any]:
    """
    The fields of `state` for a match that has begun.

    :param names: of White and Black
    :param indices: of both, 0 for the creator of the match
    :param moves: the match so far, from `start` to `now`
    :param winner: `blue`, `red`, or `none`; `None`: the match has not ended
    """
    blue = seat_of_blue(start)
    return {
        "messageType": "state",
        "usernames": {"blue": names[blue], "red": names[1 - blue]},
        "indices": {"blue": indices[blue], "red": indices[1 - blue]},
        "matchId": match_id,
        "currentTurn": colour_of(start, now.turn),
        "cards": _cards(now, blue),
        "startingCards": _cards(start, blue),
        "moves": moves,
        "board": _digits(now.board, blue),
        "gameState": "in progress" if winner is None else "ended",
        "winner": winner or "none",
    }


def waiting(match_id: str, name: str) -> Mapping[str, Any]:
    """The fields of `state` for a match that waits: both names are its creator's."""
    names = {"blue": name, "red": name}
    return {"messageType": "state", "matchId": match_id, "gameState": "waiting for player", "usernames": names}


def read_move(start: Position, words: Sequence[str]) -> Move | None:
    """The move in a card and two squares, `a1b2`; `None`: it is not given properly."""
    if len(words) != 2 or not words[0] or not words[1].islower():
        return None
    begin, end = SQUARE_NAMED.get(words[1][:2]), SQUARE_NAMED.get(words[1][2:])
    blue = seat_of_blue(start)
    return None if begin is None or end is None else Move(Card(words[0]), turned(begin, blue), turned(end, blue))
