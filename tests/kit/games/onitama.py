"""
What the tests of Onitama share: recorded games, counts of other implementations, and ways to set a match up.

Recorded squares are [x, y], counted from 0 at White's left and White's side.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamehost.games.base import Chance, ScriptedChance, Seat, SystemChance
from gamehost.games.onitama.master import ONITAMA, OnitamaMaster, Situation
from gamehost.games.onitama.rules import SIDE, VECTORS, Card, Move, Position, Square

WHITE, BLACK = Seat(0), Seat(1)

_VECTORS = Path(__file__).parents[2] / "vectors"

#: White's, Black's and the spare card, and the number of sequences of 1, 2, ... moves from the start.
PERFT: Sequence[tuple[str, tuple[int, ...]]] = (
    ("boar,ox/elephant,horse/crab", (10, 130, 1989, 28509, 487752)),
    ("dragon,crane/tiger,crab/monkey", (11, 110, 1180, 14764, 190470)),
    ("frog,mantis/monkey,rabbit/tiger", (12, 144, 1584, 20157, 286305)),
    ("eel,cobra/ox,horse/crane", (8, 80, 880, 10912, 135914)),
)


def dealt(deal: str, board: str | None = None, turn: int = 0) -> Position:
    """A position with these cards, as in the setting `deal`."""
    white, black, spare = deal.split("/")
    hands = [[Card(card) for card in hand.split(",")] for hand in (white, black)]
    cards = ((hands[0][0], hands[0][1]), (hands[1][0], hands[1][1])), Card(spare)
    return Position(*cards, turn=turn) if board is None else Position(*cards, board, turn)


def board_of(*rows: str) -> str:
    """A board from its rows as White sees them, the far one first."""
    return "".join(reversed(rows))


def perft(position: Position, depth: int) -> int:
    """The number of sequences of so many moves; a match that is over has none."""
    legal = ONITAMA.legal(Situation(position), Seat(position.turn))
    moves = (action for action in legal if isinstance(action, Move))
    return sum(1 for _ in moves) if depth == 1 else sum(perft(position.after(move), depth - 1) for move in moves)


def begun(deal: str = "", chance: Chance | None = None, **settings: str) -> OnitamaMaster:
    more = {"deal": deal} if deal else {}
    master = ONITAMA.new_master(2, {**more, **settings}, chance or ScriptedChance())
    master.begin(0)
    return master


def recorded_games() -> Iterator[Mapping[str, Any]]:
    with (_VECTORS / "onitama_games.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def recorded_stalemate() -> Mapping[str, Any]:
    """A game from the start to a position where White has no move."""
    content: Mapping[str, Any] = json.loads((_VECTORS / "onitama_stalemate_game.json").read_text(encoding="utf-8"))
    return content


def deal_of(game: Mapping[str, Any]) -> str:
    """A recorded game's cards, as in the setting `deal`."""
    return "/".join((",".join(game["white"]), ",".join(game["black"]), game["spare"]))


def as_move(card: str, start: tuple[int, int], end: tuple[int, int]) -> Move:
    return Move(Card(card), _square(start), _square(end))


def _square(place: tuple[int, int]) -> Square:
    return place[1] * SIDE + place[0]


def wandered(rng: random.Random, most: int = 40) -> Position:
    """A position after up to so many random moves of a random deal; the match may be over."""
    cards = rng.sample(list(VECTORS), 5)
    position = Position(((cards[0], cards[1]), (cards[2], cards[3])), cards[4])
    for _ in range(rng.randrange(most)):
        moves = list(position.moves())
        if position.won is not None or not moves:
            break
        position = position.after(rng.choice(moves))
    return position


# Onitama solved by plain search, to judge what a player has seen.


def wins(position: Position, plies: int) -> bool:
    for move in position.moves():
        after = position.after(move)
        if after.won is not None or (plies >= 3 and loses(after, plies - 1)):
            return True
    return False


def loses(position: Position, plies: int) -> bool:
    moves = list(position.moves())
    for move in moves:
        after = position.after(move)
        if after.won is not None or not wins(after, plies - 1):
            return False
    return bool(moves)


def keeps_win(position: Position, move: Move, plies: int) -> bool:
    """Whether this move wins at once, or leaves the other side lost within the rest of the plies."""
    after = position.after(move)
    return after.won is not None or (plies >= 3 and loses(after, plies - 1))


def random_positions(seed: int) -> Iterator[Position]:
    rng = random.Random(seed)
    while True:
        master = begun(chance=SystemChance(rng.randrange))
        position = master.position
        for _ in range(rng.randrange(2, 40)):
            moves = list(position.moves())
            if not moves or position.won is not None:
                break
            position = position.after(rng.choice(moves))
        if position.won is None and any(position.moves()):
            yield position
