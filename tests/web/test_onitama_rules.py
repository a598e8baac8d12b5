"""The rules of Onitama that the browser knows, held against the host's."""

import random
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.onitama.cards import VECTORS
from gamehost.games.onitama.face import FACE
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.onitama.position import Exchange, Position
from gamehost.players.base import SeededChance
from tests.kit.javascript import evaluate

MODULE = "games/onitama.js"
POSITIONS = 2000
#: Follows each match, and gives each view with the legal actions.
FOLLOW = """
(module.useCards(data.cards), data.matches.map((events) => {
  let view = null;
  return events.map((event) => {
    view = module.default.after(view, event);
    return { view, actions: module.legal(view).sort() };
  });
}))
"""
#: Presses the cells of one action after the other, and gives what each press leads to.
PRESS = """
(module.useCards(data.cards), data.presses.map((ids) => {
  let choice = null;
  let pressed = null;
  for (const id of ids) {
    pressed = module.default.press(data.view, { mine: data.seat, can: true, choice }, id);
    choice = pressed?.choice ?? null;
  }
  return pressed;
}))
"""


def actions(position: Position) -> list[str]:
    """All legal actions, in the notation."""
    moves = [str(move) for move in position.moves()]
    return sorted(moves or [str(Exchange(card)) for card in position.hands[position.turn]])


def plain(message: Any) -> Any:
    """A message as the page reads it."""
    return msgspec.json.decode(msgspec.json.encode(message))


def played(seed: int) -> tuple[list[Any], list[Any]]:
    """A match at random: its events, and what the page should know after each, as long as the match goes on."""
    rng = random.Random(seed)
    master = ONITAMA.new_master(2, {"max_plies": "60"}, SeededChance(seed))
    events = [plain(FACE.event(to.event)) for to in master.begin(0)]
    known = [{"view": plain(FACE.view(master.view(None))), "actions": actions(master.position)}]  # type: ignore[arg-type]
    while master.result is None:
        action = ONITAMA.read(rng.choice(actions(master.position)).encode())
        events += [plain(FACE.event(to.event)) for to in master.act(Seat(master.position.turn), action, 0)]
        known.append({"view": plain(FACE.view(master.view(None))), "actions": actions(master.position)})  # type: ignore[arg-type]
    return events, known


class OnitamaRulesTests(SynchronousTestCase):
    """What node finds is what the host's master finds."""

    def test_views_and_actions_are_the_hosts(self) -> None:
        """Over 2,000 positions of matches at random, views and legal actions are the same."""
        matches: list[Any] = []
        known: list[Any] = []
        seed = 0
        while sum(map(len, matches)) < POSITIONS:
            events, expected = played(seed)
            matches.append(events)
            known.append(expected)
            seed += 1
        found = evaluate(MODULE, FOLLOW, {"cards": VECTORS, "matches": matches})
        for told, expected in zip(found, known, strict=True):
            self.assertEqual(told, expected)

    def test_seat_that_cannot_move(self) -> None:
        """A seat that cannot move gives a card back."""
        view: dict[str, Any] = {
            "board": "K" + "." * 23 + "k",
            "hands": [["tiger", "crab"], ["eel", "ox"]],
            "spare": "boar",
            "turn": 0,
        }
        blocked = {**view, "hands": [["crane", "cobra"], ["eel", "ox"]], "board": "..K.." + "." * 19 + "k"}
        stuck = {**blocked, "board": "K...." + "P" + "." * 18 + "k", "hands": [["rabbit", "tiger"], ["eel", "ox"]]}
        for one in (view, blocked, stuck):
            hands = (tuple(one["hands"][0]), tuple(one["hands"][1]))
            position = Position(hands, one["spare"], one["board"], one["turn"])
            data = {"cards": VECTORS, "view": one}
            told = evaluate(MODULE, "(module.useCards(data.cards), module.legal(data.view).sort())", data)
            self.assertEqual(told, actions(position))

    def test_exchange_for_the_spare(self) -> None:
        """A card that was given for the spare is the spare then; a card of the pack leaves the spare where it is."""
        view = {"board": "", "hands": [["boar", "ox"], ["crab", "eel"]], "spare": "tiger", "turn": 0}
        for new, spare in (("tiger", "ox"), ("frog", "tiger")):
            event = {"kind": "exchanged", "seat": 0, "old": "ox", "new": new}
            told = evaluate(MODULE, "module.default.after(data.view, data.event)", {"view": view, "event": event})
            self.assertEqual((told["hands"], told["spare"]), ([["boar", new], ["crab", "eel"]], spare))

    def test_presses(self) -> None:
        """A piece and a square, or a card first; two cards that lead there are a choice; a second press takes back."""
        view = {
            "board": "PPKPP...............ppkpp",
            "hands": [["boar", "ox"], ["crab", "eel"]],
            "spare": "tiger",
            "turn": 0,
        }
        presses = [
            ["c1", "c2"],
            ["c1", "c2", "with ox"],
            ["card boar", "c1", "c2"],
            ["c1", "card ox", "c2"],
            ["c1", "c1"],
            ["a5"],
            ["c1", "d4"],
            ["c1", "cancel"],
        ]
        data = {"cards": VECTORS, "view": view, "seat": 0, "presses": presses}
        event = {"kind": "moved", "seat": 0, "from": "c1", "to": "c2"}
        self.assertEqual(
            evaluate(MODULE, PRESS, data),
            [
                {"choice": {"from": "c1", "to": "c2"}},
                {"act": "ox c1 c2", "event": {**event, "card": "ox"}},
                {"act": "boar c1 c2", "event": {**event, "card": "boar"}},
                {"act": "ox c1 c2", "event": {**event, "card": "ox"}},
                {"choice": None},
                None,
                {"choice": None},
                {"choice": None},
            ],
        )
