"""What the browser knows of Eriantys, held against the host's master."""

import copy
import random
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import IllegalChoice, read
from gamehost.games.eriantys.face import FACE
from gamehost.games.eriantys.master import ERIANTYS, EriantysMaster
from gamehost.games.eriantys.phases import Play
from gamehost.players.base import SeededChance
from tests.kit.games.eriantys_player import any_action
from tests.kit.javascript import evaluate

MODULE = "games/eriantys-rules.js"
POSITIONS = 2000
COLOURS = ("yellow", "blue", "green", "red", "pink")
#: All actions that can be right anywhere.
EVERY = [
    *(f"tower {tower}" for tower in ("black", "white", "grey")),
    *(f"student {colour}" for colour in (*COLOURS, "none")),
    *(f"wizard {number}" for number in range(6)),
    *(f"assistant {number}" for number in range(12)),
    *(f"destination {number}" for number in range(14)),
    *(f"steps {number}" for number in range(9)),
    *(f"cloud {number}" for number in range(5)),
    *(f"character {number}" for number in range(1, 14)),
]
FOLLOW = """
data.map(({told, seat, colours}) => {
  let view = null;
  return told.map((events, number) => {
    for (const event of events) view = module.follow(view, event);
    return {
      answers: module.answers(view, colours[number]).sort(), turn: view.turn, stage: view.stage,
      task: module.task(view), details: module.details(view), request: view.request,
    };
  });
})
"""
#: The stage of a page, by what the master asks.
STAGES = {
    "ask-tower": "choices",
    "ask-wizard": "choices",
    "ask-assistant": "planning",
    "ask-student": "students",
    "ask-steps": "steps",
    "ask-cloud": "cloud",
}


def plain(message: Any) -> Any:
    """A message as a page reads it."""
    return msgspec.json.decode(msgspec.json.encode(message))


def possible(master: EriantysMaster, seat: Seat) -> list[str]:
    """All actions that the master accepts from a seat now, without those that only drop the choice of a student."""
    found = []
    dealt = master.position is not None
    for notation in EVERY:
        if dealt == notation.startswith(("tower", "wizard")):
            continue
        trial = copy.copy(master)
        try:
            told = trial.act(seat, read(notation.encode()), 0)
        except IllegalChoice:
            continue
        if type(told[0].event).__name__ != "Denied":
            found.append(notation)
    return sorted(found)


class Played:
    """A match at random, as each seat and a watcher hears it, and what was possible at each moment."""

    def __init__(self, seed: int, seats: int, length: int) -> None:
        rng = random.Random(seed)
        settings = {"expert": "yes" if seed % 3 else "no"}
        master = ERIANTYS.new_master(seats, settings, SeededChance(seed))
        self.lookers: tuple[Seat | None, ...] = (*map(Seat, range(seats)), None)
        self.told: dict[Seat | None, list[list[Any]]] = {seat: [] for seat in self.lookers}
        self.colours: list[str | None] = []
        self.moments: list[tuple[Seat, list[str], Any]] = []
        self.note(master, master.begin(0))
        for _ in range(length):
            choice = any_action(master, rng)
            if choice is None:
                break
            events = master.act(*choice, 0)
            if master.result is not None:
                break
            self.note(master, events)

    def note(self, master: EriantysMaster, events: Any) -> None:
        for seat in self.lookers:
            messages = [FACE.event(to.event) for to in events if to.audience is None or seat in to.audience]
            self.told[seat].append([plain(message) for message in messages if message is not None])
        state, request = master._state, master.request
        assert request is not None
        picked = state.picked if isinstance(state, Play) else None
        self.colours.append(None if picked is None else COLOURS[picked])
        asked = plain(FACE.event(request))
        self.moments.append((request.seat, possible(master, request.seat), asked))


class RulesTests(SynchronousTestCase):
    """What lights up on a page is what the host accepts."""

    def test_answers_are_those_that_the_host_accepts(self) -> None:
        """Over many positions of matches at random, for two to four players, with characters and without."""
        matches: list[Played] = []
        while sum(len(match.moments) for match in matches) < POSITIONS:
            matches.append(Played(len(matches), 2 + len(matches) % 3, 250))
        data = [
            {"told": match.told[seat], "seat": seat, "colours": match.colours}
            for match in matches
            for seat in match.lookers
        ]
        found = iter(evaluate(MODULE, FOLLOW, data))
        for match in matches:
            for seat in match.lookers:
                for number, (one, moment) in enumerate(zip(next(found), match.moments, strict=True)):
                    self.compare(one, moment, seat, number)

    def compare(self, found: Any, moment: tuple[Seat, list[str], Any], seat: Seat | None, number: int) -> None:
        """One moment on the page of one seat."""
        asked, accepted, request = moment
        self.assertTrue(found["task"] and found["details"], number)
        if seat != asked:
            self.assertEqual((found["answers"], found["request"]), ([], None), number)
        else:
            self.assertEqual(found["request"], request, number)
            swap = request["kind"] == "ask-card-student" and not request["mayStop"]
            # The minstrel's full table is known to the host alone.
            self.assertTrue(
                set(accepted) <= set(found["answers"]) if swap else accepted == found["answers"],
                (number, accepted, found["answers"]),
            )
        if found["stage"] != "choices":
            self.assertEqual(found["turn"], asked, (seat, number, request))
            self.assertEqual(found["stage"], STAGES.get(request["kind"], found["stage"]), (seat, number))
