"""The rules of Paper Soccer that the browser knows, held against the host's."""

import random
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.face import FACE
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Move
from gamehost.games.paper_soccer.position import Position
from gamehost.players.base import SeededChance
from tests.kit.javascript import evaluate

MODULE = "games/paper-soccer.js"
POSITIONS = 2000
#: Plays the points of each match, and gives the position after each.
STEPS = """
data.map((points) => {
  let here = module.start();
  return [null, ...points].map((point) => {
    if (point) here = module.step(here, point);
    return { ball: here.ball, side: here.side, winner: here.winner, steps: module.steps(here).sort() };
  });
})
"""
#: Follows a match by its events.
FOLLOW = """
data.map((event) => (globalThis.view = module.default.after(globalThis.view ?? null, event)))
"""
PRESS = """
data.presses.map((ids) => {
  let choice = null;
  let pressed = null;
  for (const id of ids) {
    pressed = module.default.press(data.view, { mine: 0, can: true, choice }, id);
    choice = pressed?.choice ?? null;
  }
  return pressed;
})
"""


def known(position: Position) -> dict[str, Any]:
    """What the page should know of a position. Lists of points are in the order of their texts, as JavaScript sorts."""
    steps = sorted(([x, y] for x, y in position.steps()), key=lambda point: f"{point[0]},{point[1]}")
    winner = None if position.ending is None else int(position.ending.winner)
    return {"ball": list(position.ball), "side": int(position.turn), "winner": winner, "steps": steps}


class PaperSoccerRulesTests(SynchronousTestCase):
    """What node finds is what the host's master finds."""

    def test_positions_are_the_hosts(self) -> None:
        """Over 2,000 positions of games at random, the ball, the side, the steps and the winner are the same."""
        rng = random.Random(5)
        games: list[list[Any]] = []
        expected: list[list[Any]] = []
        while sum(map(len, expected)) < POSITIONS:
            position, points, found = Position(), [], [known(Position())]
            while position.ending is None:
                points.append(rng.choice(list(position.steps())))
                position = position.step(points[-1])
                found.append(known(position))
            games.append(points)
            expected.append(found)
        for told, right in zip(evaluate(MODULE, STEPS, games), expected, strict=True):
            # After the end only the winner counts.
            self.assertEqual(told[:-1], right[:-1])
            self.assertEqual(told[-1]["winner"], right[-1]["winner"])

    def test_views_are_the_hosts(self) -> None:
        """The view follows the events of a whole match."""
        rng = random.Random(8)
        master = PAPER_SOCCER.new_master(2, {}, SeededChance(3))
        events = [to.event for to in master.begin(0)]
        views = [FACE.view(master.view(None))]  # type: ignore[arg-type]
        position = Position()
        while master.result is None:
            points, here = [], position
            while here.turn == position.turn and here.ending is None:
                points.append(rng.choice(list(here.steps())))
                here = here.step(points[-1])
            position = here
            events += [to.event for to in master.act(Seat(views[-1].next or 0), Move(tuple(points)), 0)]
            views.append(FACE.view(master.view(None)))  # type: ignore[arg-type]
        told = evaluate(MODULE, FOLLOW, [msgspec.to_builtins(FACE.event(event)) for event in events])
        self.assertEqual(told, [msgspec.json.decode(msgspec.json.encode(view)) for view in views])

    def test_presses(self) -> None:
        """A move is played point by point until the ball stops; the ball takes the last line back."""
        view = {"first": 0, "moves": [[[0, 1]], [[1, 1]]], "next": 0}
        presses = [["0,2"], ["0,0"], ["0,0", "1,0"], ["0,0", "0,0"], ["3,3"], ["0,0", "cancel"], ["1,1"]]
        event = {"kind": "moved", "seat": 0, "next": 1}
        self.assertEqual(
            evaluate(MODULE, PRESS, {"view": view, "presses": presses}),
            [
                {"act": "0,2", "event": {**event, "points": [[0, 2]]}},
                {"choice": [[0, 0]]},
                {"act": "0,0 1,0", "event": {**event, "points": [[0, 0], [1, 0]]}},
                {"choice": []},
                None,
                {"choice": []},
                None,
            ],
        )
