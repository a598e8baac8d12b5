"""The moves of a match have the same numbers on the pages, run by node, and in the console."""

import random
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.chance import JournalledChance
from gamehost.games.play import screen_of
from gamehost.journal.history import History
from gamehost.players.base import SeededChance
from gamehost.wires.console.matches import Replay
from gamehost.wires.seeking import PLAYED
from tests.kit.browser import STATIC, evaluate

ENTRIES = 120
#: The entry of each position of the slider but the first one, and the lines of the list with their entries.
MOVES = """
await (async () => {
  const { addMove, stopsOf } = await import(data.moves);
  globalThis.fetch = async () => ({ json: async () => ({ cards: [] }) });
  await module.default.load?.();
  return data.matches.map((log) => {
    const moves = [];
    let view = null;
    log.forEach((entry, index) => {
      addMove(moves, module.default, entry, index, view);
      view = module.default.after(view, entry.event, null);
    });
    return { stops: stopsOf(module.default, log).slice(1).map((one) => one.n), lines: moves.map(({ n, text }) => [n, text]) };
  });
})()
"""


class NumberTests(SynchronousTestCase):
    """One number means one thing everywhere."""

    def check(self, name: str, seats: int = 2, **settings: str) -> list[tuple[bytes, str]]:
        """Play at random, compare the numbers, and give each action with its line in the list."""
        played = next(one for one in PLAYED if one.game.name == name)
        game, logs, records = played.game, list[Any](), list[tuple[History[Any], dict[int, bytes]]]()
        for seed in range(4):
            luck = SeededChance(seed)
            master = game.new_master(seats, settings, JournalledChance(random.Random(seed).randrange))
            told, actions = [(1, to.event) for to in master.begin(0) if to.audience is None], dict[int, bytes]()
            for n in range(2, ENTRIES):
                chosen = (
                    (Seat(seat), game.random_action(master.view(Seat(seat)), Seat(seat), luck.below))
                    for seat in range(seats)
                )
                seat, action = next((seat, action) for seat, action in chosen if action is not None)
                actions[n] = game.write(action)
                told += [(n, to.event) for to in master.act(seat, action, 0) if to.audience is None]
                if master.result is not None:
                    break
            messages = ((n, played.messages.event(event)) for n, event in told)
            log = [{"n": n, "event": event} for n, event in messages if event is not None]
            logs.append(msgspec.json.decode(msgspec.json.encode(log)))
            records.append((History(ENTRIES, tuple(told), None, ("ann", "bob", "cid")[:seats]), actions))
        screen, lines = screen_of(game), list[tuple[bytes, str]]()
        found = evaluate(name, MOVES, {"moves": (STATIC / "moves.js").as_uri(), "matches": logs})
        for (told_to_all, actions), one in zip(records, found, strict=True):
            replay = Replay(lambda: screen(None, ("ann", "bob", "cid")[:seats]), played, told_to_all)
            moves = [n for n, _ in one["lines"]]
            self.assertEqual(one["stops"], moves)
            self.assertEqual(len(moves), replay.length)
            self.assertEqual([replay.move_of(n) for n in moves], list(range(1, len(moves) + 1)))
            lines += [(actions[n], text) for n, text in one["lines"]]
        return lines

    def test_every_action_is_a_move(self) -> None:
        self.assertEqual({text for _, text in self.check("onitama") if not text}, set())
        self.check("paper-soccer")

    def test_a_set_up_is_no_move(self) -> None:
        lines = self.check("stratego")
        self.assertEqual({len(action) for action, _ in lines} - {5, 6, 7}, set())

    def test_eriantys(self) -> None:
        """A student and where it goes are one move, and the list says it; also where Mother Nature goes, and which cloud."""
        words = {b"assistant": "assistant ", b"steps": "Mother Nature to island ", b"cloud": "cloud "}
        for seats in (2, 3):
            for action, text in self.check("eriantys", seats, expert="yes"):
                kind, _, value = action.partition(b" ")
                if kind == b"destination":
                    self.assertRegex(text, "(to dining room|to island|tile to island|tower|no change|Herald)")
                elif kind in words:
                    self.assertIn(words[kind], text, action)
                if kind == b"cloud":
                    self.assertIn(f"cloud {int(value) + 1}", text)
