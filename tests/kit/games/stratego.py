"""What the tests of Stratego share: set-ups, drawn boards, and ways to play on."""

import random
from collections.abc import Sequence
from typing import Any

from gamehost.games.base import ScriptedChance, Seat, To
from gamehost.games.stratego.master import STRATEGO, StrategoMaster
from gamehost.games.stratego.rules import BARE, KINDS, SECOND, Move, PlaceRows, Position, Ready, codes, opening

RED, BLUE = Seat(0), Seat(1)

#: All forty pieces, as a box holds them.
BOX = "".join(kind.id * kind.count for kind in KINDS.values())

#: Only two of the front row can move at first, and the flag is far away.
POOR = ("F123344455", "5566667777", "8888899999", "999SBBBBBB")
POOR_FAR = ("999SBBBBBB", "8888899999", "5566667777", "F123344455")


def rows_of(pieces: str) -> tuple[str, ...]:
    """Forty ids as four rows."""
    return tuple(pieces[start : start + 10] for start in range(0, 40, 10))


def shuffled_rows(rng: random.Random) -> tuple[str, ...]:
    """All forty pieces in any order."""
    pieces = list(BOX)
    rng.shuffle(pieces)
    return rows_of("".join(pieces))


def from_setups(first: Sequence[str], second: Sequence[str], two_squares: int = 3) -> Position:
    """The position before the first move of two set-ups, rows by ascending y."""
    squares = codes(RED, "".join(first)) + BARE[40:60] + codes(BLUE, "".join(second))
    return opening(squares, two_squares)


def square(name: str) -> int:
    """The number of a square: `A1` is 0, `B1` is 1, `A2` is 10."""
    return "ABCDEFGHIJ".index(name[0]) + 10 * (int(name[1:]) - 1)


def drawn(first: str, second: str = "", two_squares: int = 3) -> Position:
    """A position from words such as `9A4 FJ1`: first the first player's pieces, who is to move, then the second's."""
    squares = bytearray(BARE)
    for seat, words in ((RED, first), (BLUE, second)):
        for word in words.split():
            squares[square(word[1:])] = codes(seat, word[0])[0]
    return opening(bytes(squares), two_squares)


def objection(position: Position, text: str) -> str | None:
    source, target = map(square, text.split("-"))
    return position.objection(source, target)


def played(position: Position, *moves: str) -> Position:
    """The position after moves such as `A4-A5`, each of which must be legal."""
    for text in moves:
        refused = objection(position, text)
        assert refused is None, f"{text}: {refused}"
        source, target = map(square, text.split("-"))
        position, _ = position.after(source, target)
    return position


def shown(position: Position) -> dict[str, str]:
    """Who stands where: square to kind, the second player's with a `'`."""
    pieces = {}
    for number, code in enumerate(position.squares):
        kind = chr(code & ~SECOND)
        if kind in KINDS:
            pieces[f"{'ABCDEFGHIJ'[number % 10]}{number // 10 + 1}"] = kind + ("'" if code & SECOND else "")
    return pieces


def as_action(move: tuple[int, int]) -> Move:
    source, target = move
    return Move(source % 10, source // 10, target % 10, target // 10)


def seated(**settings: str) -> StrategoMaster:
    master = STRATEGO.new_master(2, settings, ScriptedChance())
    master.begin(0)
    return master


def in_play(first: Sequence[str] = POOR, second: Sequence[str] = POOR_FAR, **settings: str) -> StrategoMaster:
    """A master of a match whose set-ups stand; all happened at 0."""
    master = seated(**settings)
    master.act(RED, PlaceRows(tuple(first)), 0)
    master.act(BLUE, PlaceRows(tuple(second)), 0)
    return master


def in_play_from(position: Position, **settings: str) -> StrategoMaster:
    """A master at a position that no set-up leads to at once."""
    master = in_play(**settings)
    master.position = position
    return master


def told(events: Sequence[To[Any]], seat: Seat | None) -> list[Any]:
    """What one seat (a watcher) is told, in order."""
    return [to.event for to in events if to.audience is None or (seat is not None and seat in to.audience)]


READY = Ready()
