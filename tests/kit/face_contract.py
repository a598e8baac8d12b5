"""What every face must do. A game's face tests derive `class FaceTests(FaceContract, PropertyCase)`."""

import random
from itertools import islice
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.games.face import Face
from gamehost.testing.cases import Mixin
from gamehost.testing.master_contract import MasterContract


class FaceContract(Mixin):
    """The behaviours shared by all faces. Subclasses set `face` and `player`, which knows how to play the game."""

    face: Face
    player: MasterContract

    @given(st.integers(0, 10_000))
    def test_everything_that_a_match_tells_is_a_message_that_reads_back_equal(self, seed: int) -> None:
        """Every event and every view, of seats and of watchers, through JSON and the published types."""
        rng = random.Random(seed)
        seats = self.player.seat_counts[seed % len(self.player.seat_counts)]
        master, steps = self.player.play(seats, rng, 60)
        for step in steps:
            for to in step.events:
                message = self.face.event(to.event)
                if message is not None:
                    text = msgspec.json.encode(message)
                    self.assertEqual(msgspec.json.decode(text, type=self.face.event_type), message)
        for seat in (*map(Seat, range(seats)), None):
            view = self.face.view(master.view(seat))
            self.assertEqual(msgspec.json.decode(msgspec.json.encode(view), type=self.face.view_type), view)

    @given(st.integers(0, 10_000))
    def test_legal_actions_are_messages_that_read_back_equal_and_differ(self, seed: int) -> None:
        """Each action that is listed, and one that is drawn."""
        rng, game = random.Random(seed), self.player.game
        seats = self.player.seat_counts[seed % len(self.player.seat_counts)]
        master, _ = self.player.play(seats, rng, rng.randrange(60))
        for seat in map(Seat, range(seats)):
            view = master.view(seat)
            drawn = game.random_action(view, seat, rng.randrange)
            actions = [*islice(game.legal(view, seat) or (), 300), *([] if drawn is None else [drawn])]
            told: dict[bytes, set[bytes]] = {}
            for action in actions:
                text = msgspec.json.encode(self.face.action(action))
                told.setdefault(text, set()).add(game.write(action))
                self.assertEqual(msgspec.json.decode(text, type=self.face.action_type), self.face.action(action))
            self.assertEqual({len(notations) for notations in told.values()} - {1}, set())

    @given(st.integers(0, 10_000))
    def test_equal_situations_look_alike(self, seed: int) -> None:
        """A face shows its argument and nothing else: no number of a process, no order of a set."""
        seats = self.player.seat_counts[0]
        first, _ = self.player.play(seats, random.Random(seed), 30)
        second, _ = self.player.play(seats, random.Random(seed), 30)
        for seat in (Seat(0), None):
            self.assertEqual(self.face.view(first.view(seat)), self.face.view(second.view(seat)))

    def test_the_schema_can_be_published(self) -> None:
        """Every type has a JSON Schema, and every event its kind."""
        schema = msgspec.json.schema(self.face.event_type)
        self.assertIn("kind", str(schema))
        self.assertTrue(msgspec.json.schema(self.face.view_type))

    def shown(self, master: Any) -> Any:
        """What a watcher sees, as plain JSON values."""
        return msgspec.to_builtins(self.face.view(master.view(None)))
