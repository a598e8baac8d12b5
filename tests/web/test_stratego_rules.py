"""The rules of Stratego that the browser knows, held against the host's."""

import random
from collections import Counter
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Move, PlaceRows, read, square_name
from gamehost.games.stratego.face import FACE
from gamehost.games.stratego.game import STRATEGO
from gamehost.games.stratego.master import StrategoMaster
from gamehost.games.stratego.pieces import KINDS
from gamehost.players.base import SeededChance
from gamehost.players.stratego_setups import any_set_up, set_up
from tests.kit.javascript import evaluate

MODULE = "games/stratego-rules.js"
POSITIONS = 2000
#: Follows each match for both seats and a watcher; after each move, the board and the legal moves of the seat to move.
FOLLOW = """
data.map(({told, seat, turns}) => {
  let view = null;
  return told.map((events) => {
    for (const event of events) view = module.follow(view, event, seat);
    const moves = seat === null ? [] : [...module.legalMoves(view, seat, turns)];
    const actions = moves.flatMap(([from, to]) => to.map((end) => module.moveAction(from, end)));
    return { board: view.board, turn: view.turn, moves: actions.sort() };
  });
})
"""


def expected(master: StrategoMaster, seat: Seat | None) -> dict[str, Any]:
    """What the browser should know."""
    position = master.position
    assert position is not None
    seen = master.view(seat).squares
    signs = {".": "", "~": "~", "r": "0?", "b": "1?", "#": f"{1 - (seat or 0)}?"}
    moves = []
    if seat is not None and position.turn == seat and master.result is None:
        names = [square_name(square % 10, square // 10) for square in range(100)]
        moves = sorted(f"{names[start]}-{names[end]}" for start, end in position.legal_moves())
    turn = None if master.result else position.turn
    return {"board": [signs.get(sign, f"{seat}{sign}") for sign in seen], "turn": turn, "moves": moves}


def told(events: Any, seat: Seat | None) -> list[Any]:
    """What a seat hears of events, as its page reads them."""
    messages = [FACE.event(to.event) for to in events if to.audience is None or seat in to.audience]
    return [msgspec.to_builtins(message) for message in messages if message is not None]


class Played:
    """A match at random, as each seat and a watcher hears it."""

    def __init__(self, seed: int, turns: int, length: int) -> None:
        rng, chance = random.Random(seed), SeededChance(seed)
        master = STRATEGO.new_master(2, {"two_squares": str(turns)}, chance)
        self.lookers = (Seat(0), Seat(1), None)
        self.told: dict[Seat | None, list[list[Any]]] = {seat: [[]] for seat in self.lookers}
        self.expected: dict[Seat | None, list[dict[str, Any]]] = {seat: [] for seat in self.lookers}
        self.hear(master.begin(0))
        for seat in (Seat(0), Seat(1)):
            rows = set_up(seat, chance) if seed % 2 else any_set_up(chance)
            self.hear(master.act(seat, PlaceRows(rows), 0))
        self.note(master)
        favourite = None
        while master.result is None and length:
            position = master.position
            assert position is not None
            moves = list(position.legal_moves())
            # One that goes to and fro as often as it may meets the two-squares rule.
            back = [move for move in moves if move[0] == favourite] if rng.random() < 0.7 else []
            start, end = rng.choice(back or moves)
            favourite = end if rng.random() < 0.5 else favourite
            seat = position.turn
            self.hear(master.act(seat, Move(start % 10, start // 10, end % 10, end // 10), 0))
            self.note(master)
            length -= 1

    def hear(self, events: Any) -> None:
        for seat in self.lookers:
            self.told[seat][-1] += told(events, seat)

    def note(self, master: StrategoMaster) -> None:
        for seat in self.lookers:
            self.expected[seat].append(expected(master, seat))
            self.told[seat].append([])


class RulesTests(SynchronousTestCase):
    """What a page shows before the host has answered is what the host will say."""

    def test_views_and_moves_are_the_host_s(self) -> None:
        """Over many positions of matches at random, for both players and for a watcher."""
        wanted, data, answers = POSITIONS, [], []
        seed = 0
        while wanted > 0:
            seed += 1
            turns = (3, 5, 0)[seed % 3]
            match = Played(seed, turns, 240)
            wanted -= len(match.expected[None])
            for seat in match.lookers:
                data.append({"told": match.told[seat][:-1], "seat": seat, "turns": turns})
                answers.append(match.expected[seat])
        for found, right in zip(evaluate(MODULE, FOLLOW, data), answers, strict=True):
            for number, (one, other) in enumerate(zip(found, right, strict=True)):
                self.assertEqual(one, other, number)

    def test_set_ups_are_whole(self) -> None:
        """Every preset, and what Shuffle gives, are forty pieces, and the host reads the action."""
        counts = Counter({kind.id: kind.count for kind in KINDS.values()})
        for seat in (0, 1):
            for rows, action in evaluate(
                MODULE,
                f"[...Object.keys(module.PRESETS).map((name) => module.presetRows(name, {seat})),"
                f" ...Array.from({{length: 50}}, () => module.shuffledRows({seat}))]"
                ".map((rows) => [rows, module.rowsAction([...rows.join('')])])",
            ):
                self.assertEqual(Counter("".join(rows)), counts)
                self.assertEqual(read(action.encode()), PlaceRows(tuple(rows)))
