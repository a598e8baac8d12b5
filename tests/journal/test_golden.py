"""Golden journals are replayed by every later version, to the same end."""

import copy

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.position import Move, Position
from gamehost.journal.replay import NotFollowed
from gamehost.plugins import GAMES
from tests.kit.golden import entries, records, replay


class GoldenTests(SynchronousTestCase):
    """The files under tests/golden."""

    def test_every_golden_match_ends_as_it_did(self) -> None:
        """What each seat sees at the end is what it saw then, to the letter."""
        for file, record in records():
            game = GAMES.get(record["game"])
            if game is not None and game.version == record["version"]:
                self.assertEqual(replay(game, record), record["views"], file)

    def test_every_game_has_some(self) -> None:
        """A game whose journals no test replays is not finished; nor is one that has none with checks."""
        there = {(one["game"], one["version"]) for _, one in records() if any(entry.check for entry in entries(one))}
        for name, game in GAMES.items():
            self.assertIn((name, game.version), there)

    def test_a_changed_record_is_found_out(self) -> None:
        """An action left out, or another draw, does not pass for the same."""
        record = next(record for _, record in records() if record["game"] == "onitama" and record["entries"][0][4])
        game = GAMES[record["game"]]
        for change in range(2):
            planted = copy.deepcopy(record)
            if change == 0:
                del planted["entries"][3]
            else:
                planted["entries"][0][4] = planted["entries"][0][4][::-1]
            try:
                self.assertNotEqual(replay(game, planted), record["views"])
            except ValueError:
                continue

    def test_a_changed_rule_is_found_out(self) -> None:
        """Two cards of a hand in the place of each other: a check shows it at the first move, and not only the end."""
        real = Position.after

        def after(position: Position, move: Move) -> Position:
            white, black = (after := real(position, move)).hands
            return evolve(after, hands=(white, (black[1], black[0])))

        self.patch(Position, "after", after)
        game = GAMES["onitama"]
        found = []
        for file, record in records():
            if record["game"] == game.name:
                try:
                    replay(game, record)
                except NotFollowed as error:
                    found.append((file, str(error)))
        self.assertEqual({file for file, _ in found}, {"onitama-1.2.jsonl"})
        self.assertIn("entry 2: its moves give another position", found[0][1])
