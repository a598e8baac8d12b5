"""
Converts positions and moves of Onitama into the form of this wire, and back.

The stamp of the side card at the beginning names the colour that moves first. In the game, White moves first, so White has this
colour. The wire shows the board from blue's side, so the board is turned if White is red.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, Card, Move, Position

#: The cards with a blue stamp. All others are red.
BLUE_CARDS = frozenset({"rabbit", "monkey", "goose", "crab", "crane", "tiger", "ox", "eel"})
COLOURS = ("blue", "red")


def seat_of_blue(start: Position) -> int:
    """Returns the seat that is blue in a match that begins with a position."""
    return 0 if start.spare in BLUE_CARDS else 1


def colour_of(start: Position, seat: int) -> str:
    """Returns the colour of a seat in a match that begins with a position."""
    return COLOURS[seat ^ seat_of_blue(start)]


def _digits(board: str, blue: int) -> str:
    """
    Returns the board as 25 digits from a1 to e5: 0 for an empty square, 1 and 2 for blue's pupil and master, 3 and 4 for red's.

    :param blue: the seat that is blue
    """
    white, black = ("12", "34") if blue == 0 else ("34", "12")
    digits = board.translate(str.maketrans(".PKpk", "0" + white + black))
    return digits if blue == 0 else digits[::-1]


def read_board(digits: str, blue: int) -> str:
    """
    Reads a board from the digits of a `state`. The board of the game is returned, seen from White's side, with `.` for
    an empty square.

    :param blue: the seat that is blue
    :raises ValueError: the text does not have 25 digits from 0 to 4
    """
    if len(digits) != len(SQUARES) or not set(digits) <= set("01234"):
        raise ValueError("expected 25 digits from 0 to 4")
    board = digits.translate(str.maketrans("01234", ".PKpk" if blue == 0 else ".pkPK"))
    # A board that is turned by 180 degrees has its squares in the opposite order.
    return board if blue == 0 else board[::-1]


def turned(square: int, blue: int) -> int:
    """Converts a square of the game into a square of the wire, or back: the board is turned if White is not blue."""
    return square if blue == 0 else len(SQUARES) - 1 - square


def _cards(position: Position, blue: int) -> Mapping[str, Any]:
    """Returns the cards of both colours and the side card, as fields of a `state`."""
    return {"blue": position.hands[blue], "red": position.hands[1 - blue], "side": position.spare}


def written(move: Move, blue: int) -> str:
    """Returns a move as a `state` lists it, such as `boar:a1a2`."""
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
    Returns the fields of a `state` for a match that has begun.

    :param names: the names of White and Black
    :param indices: the indices of White and Black; 0 for the creator of the match
    :param start: the position at the beginning
    :param now: the current position
    :param moves: the moves from `start` to `now`
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
    """Returns the fields of a `state` for a match that waits. Both colours have the name of the creator."""
    names = {"blue": name, "red": name}
    return {"messageType": "state", "matchId": match_id, "gameState": "waiting for player", "usernames": names}


def read_move(start: Position, words: Sequence[str]) -> Move | None:
    """
    Reads a move.

    :param start: the position at the beginning of the match
    :param words: a card, and two squares such as `a1b2`
    :returns: `None`: the words have another form
    """
    # The squares must be small letters.
    if len(words) != 2 or not words[0] or not words[1].islower():
        return None
    begin, end = SQUARE_NAMED.get(words[1][:2]), SQUARE_NAMED.get(words[1][2:])
    blue = seat_of_blue(start)
    return None if begin is None or end is None else Move(Card(words[0]), turned(begin, blue), turned(end, blue))
