"""
What follows from what one seat knows: the actions that it may take now, and its view after an event.

A seat does not know the kinds of the enemy's pieces, and no rule of moving asks for them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve

from gamehost.games.base import Seat, any_of
from gamehost.games.chance import Chance, shuffled
from gamehost.games.stratego.actions import Action, Move, Place, PlaceRows, Ready
from gamehost.games.stratego.events import (
    Board,
    Fought,
    Moved,
    Opened,
    Over,
    Phase,
    Placed,
    PlacedAll,
    Playing,
    ReadySet,
    Situation,
)
from gamehost.games.stratego.rules import (
    BARE,
    BOMB,
    COUNTS,
    DEPTH,
    FLAG,
    HOME,
    OTHER,
    PIECES,
    WAYS,
    WIDTH,
    Position,
    Walk,
    codes,
    nowhere,
    seen,
)

#: An enemy's piece, as its seat is shown it.
ENEMY = "#"
#: How a watcher sees the pieces of each side.
SIDES = "rb"


def board_with(squares: str, seat: Seat, kinds: Mapping[int, str]) -> bytes:
    """A seat's board with the enemy's pieces filled in. A piece without a kind is taken for a bomb."""
    board = bytearray(squares.encode("ascii"))
    for square, mark in enumerate(squares):
        if mark == ENEMY:
            board[square] = codes(OTHER[seat], kinds.get(square, BOMB))[0]
        elif mark not in ".~":
            board[square] = codes(seat, mark)[0]
    return bytes(board)


def position_of(view: Situation, seat: Seat) -> Position:
    """The position of a seat that is to move, for the rules of moving. The kinds of the enemy are made up."""
    walk = view.walk or Walk(-1, ())
    return Position(board_with(view.squares, seat, {}), seat, 0, (walk, walk))


def legal(view: Situation, seat: Seat) -> Iterator[Action] | None:
    """
    The moves of the seat whose turn it is. In the set-up: single placements, where there was one.

    :return: `None`: a whole set-up may be sent, and there are too many
    """
    if view.phase is Phase.PLAY:
        return _moves(view, seat) if view.turn == seat else iter(())
    if view.phase is Phase.OVER or (view.ready[seat] and view.singly):
        return iter(())
    return _placements(view, seat) if view.singly else None


def _moves(view: Situation, seat: Seat) -> Iterator[Action]:
    for source, target in position_of(view, seat).legal_moves():
        yield move_between(source, target)


def move_between(source: int, target: int) -> Move:
    """A move by the numbers of its squares."""
    return Move(source % WIDTH, source // WIDTH, target % WIDTH, target // WIDTH)


def _placements(view: Situation, seat: Seat) -> Iterator[Action]:
    left = COUNTS - Counter(view.squares)
    if not left:
        yield Ready()
    for square in range(HOME[seat] * WIDTH, (HOME[seat] + DEPTH) * WIDTH):
        if view.squares[square] == ".":
            for piece in left:
                yield Place(piece, square % WIDTH, square // WIDTH)


def random_action(view: Situation, seat: Seat, below: Callable[[int], int]) -> Action | None:
    """One of the legal actions; for a side on which nothing stands, all forty pieces in any order."""
    listed = legal(view, seat)
    if listed is not None:
        return any_of(listed, below)
    if view.ready[seat]:
        return None
    return PlaceRows(any_rows(below))


def any_rows(below: Callable[[int], int]) -> tuple[str, ...]:
    """All forty pieces of a side in any order, as rows."""
    left = list(COUNTS.elements())
    pieces = "".join(left.pop(below(len(left))) for _ in range(PIECES))
    return tuple(pieces[start : start + WIDTH] for start in range(0, PIECES, WIDTH))


def any_kinds(squares: str, seat: Seat, chance: Chance) -> Mapping[int, str]:
    """Kinds that the enemy's pieces on a board may have, by square. Who stands beyond the own rows has moved."""
    first = HOME[OTHER[seat]] * WIDTH
    enemies = [square for square, mark in enumerate(squares) if mark == ENEMY]
    home = shuffled([square for square in enemies if first <= square < first + PIECES], chance)
    away = [square for square in enemies if square not in home]
    movers = shuffled([kind for kind in COUNTS.elements() if kind not in (FLAG, BOMB)], chance)
    kinds = dict(zip(away, movers, strict=False))
    rest = shuffled([*movers[len(away) :], *BOMB * COUNTS[BOMB]], chance)
    return {**kinds, **dict(zip(home, [FLAG, *rest], strict=False))}


def follow(view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
    """The view after an event that this seat, or a watcher, was told."""
    match event:
        case Situation():
            return event
        case Opened(two_squares):
            walk = None if seat is None else nowhere(two_squares)
            return Situation(seat, Phase.SETUP, seen(BARE, seat), (False, False), None, None, walk)
        case _ if view is None:
            return None
        case Moved() | Fought():
            return _moved(view, event)
        case Over(result):
            return evolve(view, phase=Phase.OVER, turn=None, result=result)
    return _set_up(view, event)


def _moved(view: Situation, event: Moved | Fought) -> Situation:
    move, walk = event.move, view.walk
    start, end = move.y * WIDTH + move.x, move.to_y * WIDTH + move.to_x
    if event.seat == view.seat and walk is not None:
        walk = walk.on(start, end, WAYS[start][end][1])
    board = list(view.squares)
    winner = event.winner if isinstance(event, Fought) else "attacker"
    if winner != "defender":
        board[end] = "." if winner == "tie" else board[start]
    board[start] = "."
    return evolve(view, squares="".join(board), turn=event.next, walk=walk)


def _set_up(view: Situation, event: Any) -> Situation:
    match event:
        case Placed(piece, x, y):
            return evolve(view, squares=_with(view.squares, y * WIDTH + x, piece), singly=True)
        case PlacedAll(rows) if view.seat is not None:
            return evolve(view, squares=_with(view.squares, HOME[view.seat] * WIDTH, "".join(rows)))
        case ReadySet(ready):
            return evolve(view, ready=(view.ready[0] or ready == 0, view.ready[1] or ready == 1))
        case Playing():
            squares = view.squares
            for side, piece in enumerate(SIDES) if view.seat is None else ():
                squares = _with(squares, HOME[side] * WIDTH, piece * PIECES)
            return evolve(view, phase=Phase.PLAY, squares=squares, ready=(True, True), turn=event.next)
        case Board(squares):
            return evolve(view, squares=squares)
    return view


def _with(squares: str, at: int, pieces: str) -> str:
    return squares[:at] + pieces + squares[at + len(pieces) :]
