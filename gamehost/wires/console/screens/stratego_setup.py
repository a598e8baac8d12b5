"""
The set-up of Stratego, as it is typed: `setup random`, `setup classic`, `setup ROWS`, or piece by piece.

Rows are typed as their player sees them: the front row first, each from left to right. The game's notation has them by
ascending numbers, so the rows or the pieces of each are turned round.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from gamehost.games.base import Seat
from gamehost.games.chance import Chance
from gamehost.games.stratego.actions import SQUARE_NAMED, Action, Place, PlaceRows, Ready
from gamehost.games.stratego.face import View
from gamehost.games.stratego.pieces import KINDS
from gamehost.games.stratego.position import WIDTH
from gamehost.games.stratego.setup import HOME
from gamehost.players.base import SeededChance
from gamehost.players.stratego_setups import LIBRARY, set_up
from gamehost.wires.console.screens.base import MoveRefused, listed

#: From the last row to the front, each from left to right as its player sees it.
CLASSIC: Sequence[str] = LIBRARY[0]

_DEPTH = 4
_PIECES = _DEPTH * WIDTH
_PLACE = re.compile(r"(?:PLACE\s+)?([1-9SFB])[\s@]+([A-J](?:10|[1-9]))", re.ASCII)
_ADVICE = "Type setup random, setup classic, or setup and four rows of ten pieces, the front row first"


def home_squares(seat: Seat) -> range:
    """The numbers of the forty squares where a side places its pieces."""
    first = HOME[seat] * WIDTH
    return range(first, first + _PIECES)


def still_to_place(view: View) -> Counter[str]:
    """How many of each kind are not placed yet."""
    left = Counter({kind.id: kind.count for kind in KINDS.values()})
    left.subtract(square for square in view.squares if square in KINDS)
    return left


def listed_set_ups(view: View, seat: Seat) -> Iterator[str]:
    """What can be typed in the set-up."""
    left = still_to_place(view)
    if left.total() == _PIECES:
        yield "setup random"
        yield "setup classic"
    elif not left.total():
        yield "ready"
    for square in home_squares(seat) if left.total() else ():
        if view.squares[square] == ".":
            name = f"{'abcdefghij'[square % WIDTH]}{square // WIDTH + 1}"
            yield from (f"place {kind.lower()} {name}" for kind in KINDS if left[kind])
            return


def read_set_up(text: str, view: View, seat: Seat, chance: Chance) -> Action:
    """
    Read what was typed in the set-up.

    :param chance: for a random set-up
    :raises MoveRefused: it is not a set-up, or not of a side's forty pieces
    """
    word, _, rest = text.strip().upper().partition(" ")
    rest = rest.strip()
    placed = _PIECES - still_to_place(view).total()
    if word == "READY" and not rest:
        if placed < _PIECES:
            raise MoveRefused(f"{_PIECES - placed} of your {_PIECES} pieces are not placed yet. {_ADVICE}.")
        return Ready()
    if found := _PLACE.fullmatch(text.strip().upper()):
        return _place(found[1], found[2], view, seat)
    if word not in ("SETUP", "SET-UP"):
        raise MoveRefused(f"Place your pieces first. {_ADVICE}.")
    if placed and not view.ready[seat]:
        raise MoveRefused("You have begun to place your pieces one by one, so go on in that way: place 9 a4.")
    if rest == "RANDOM":
        return PlaceRows(set_up(seat, SeededChance(chance.below(2**64))))
    return PlaceRows(_turned(CLASSIC[::-1] if rest == "CLASSIC" else _rows(rest), seat))


def _turned(rows: Sequence[str], seat: Seat) -> tuple[str, ...]:
    """Rows as a player sees them, from the front one on, in the order of the game's notation."""
    return tuple(rows[::-1]) if seat == 0 else tuple(row[::-1] for row in rows)


def _rows(text: str) -> list[str]:
    pieces = re.sub(r"[\s/,]+", "", text)
    if len(pieces) != _PIECES or not set(pieces) <= KINDS.keys():
        known = len(pieces) if set(pieces) <= KINDS.keys() else None
        counted = "" if known in (None, 0) else f" You typed {known} pieces."
        raise MoveRefused(f"{_ADVICE}. The pieces are {' '.join(KINDS)}.{counted}")
    counts = Counter(pieces)
    wrong = [
        f"{counts[kind.id]} of {kind.id} ({kind.name}), not {kind.count}"
        for kind in KINDS.values()
        if counts[kind.id] != kind.count
    ]
    if wrong:
        raise MoveRefused(f"A side has forty pieces of fixed kinds. You typed {listed(wrong)}.")
    return [pieces[start : start + WIDTH] for start in range(0, _PIECES, WIDTH)]


def _place(piece: str, name: str, view: View, seat: Seat) -> Place:
    square, squares = SQUARE_NAMED[name], home_squares(seat)
    left = still_to_place(view)
    if view.ready[seat]:
        raise MoveRefused("You are ready, so single pieces can no longer be placed.")
    if square not in squares:
        raise MoveRefused(f"Your pieces are placed on rows {squares[0] // WIDTH + 1} to {squares[-1] // WIDTH + 1}.")
    if view.squares[square] != ".":
        raise MoveRefused(f"One of your pieces is already on {name.lower()}.")
    if not left[piece]:
        kinds = [f"{kind.id} ({kind.name})" for kind in KINDS.values() if left[kind.id]]
        raise MoveRefused(f"No {KINDS[piece].name} is left. Still to place: {listed(kinds)}.")
    return Place(piece, square % WIDTH, square // WIDTH)
