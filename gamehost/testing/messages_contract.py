"""
The tests that the messages of every game must pass. A game's test module derives
`class MessagesTests(MessagesContract, PropertyCase)`, and gives the contract its messages and its `MasterContract`.
"""

import random
from collections.abc import Mapping
from itertools import islice
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.games.messages import Messages
from gamehost.testing.cases import Mixin, of_matches
from gamehost.testing.master_contract import MasterContract


class MessagesContract(Mixin):
    """
    The tests that the messages of every game must pass.

    A subclass sets `messages`, the value `MESSAGES` in the game's folder; and `player`, a `MasterContract` of the game,
    which plays random matches.
    """

    messages: Messages
    player: MasterContract
    #: Types of events that change a view and have no message. For each, the reason why no client waits for a message.
    untold: Mapping[type, str] = {}

    @of_matches
    @given(st.integers(0, 10_000))
    def test_everything_that_a_match_tells_is_a_message_that_reads_back_equal(self, seed: int) -> None:
        """
        Every event and every view of a match is written as JSON, and read with the published types. The result equals
        the message. This holds for seats and for watchers.
        """
        rng = random.Random(seed)
        seats = self.player.seat_counts[seed % len(self.player.seat_counts)]
        master, steps = self.player.play(seats, rng, 60)
        for step in steps:
            for to in step.events:
                message = self.messages.event(to.event)
                if message is not None:
                    text = msgspec.json.encode(message)
                    self.assertEqual(msgspec.json.decode(text, type=self.messages.event_type), message)
        for seat in (*map(Seat, range(seats)), None):
            view = self.messages.view(master.view(seat))
            self.assertEqual(msgspec.json.decode(msgspec.json.encode(view), type=self.messages.view_type), view)

    @of_matches
    @given(st.integers(0, 10_000))
    def test_who_sees_a_change_is_told_an_event(self, seed: int) -> None:
        """
        A seat, or a watcher, receives a message about each change of its view, except those of `untold`. Without it, a
        client would wait for ever.
        """
        rng = random.Random(seed)
        seats = self.player.seat_counts[seed % len(self.player.seat_counts)]
        before: dict[Seat | None, Any] = {}
        for master, step in self.player.match(seats, rng, 60):
            for seat in (*map(Seat, range(seats)), None):
                view = self.messages.view(master.view(seat))
                told = [to.event for to in step.events if to.audience is None or seat in to.audience]
                if before.get(seat, view) != view:
                    # There is no view before the beginning of the match, so the first one is no change.
                    eye = "a watcher" if seat is None else f"seat {seat}"
                    words = f"{eye} sees a change and is told no message: event() gives None for {told!r}"
                    known = [one for one in told if type(one) in self.untold or self.messages.event(one) is not None]
                    self.assertTrue(known, words)
                before[seat] = view

    @of_matches
    @given(st.integers(0, 10_000))
    def test_legal_actions_are_messages_that_read_back_equal_and_differ(self, seed: int) -> None:
        """
        Each legal action is written as JSON, and read with the published type. The result equals the message. Different
        actions have different messages.
        """
        rng, game = random.Random(seed), self.player.game
        seats = self.player.seat_counts[seed % len(self.player.seat_counts)]
        master, _ = self.player.play(seats, rng, rng.randrange(60))
        for seat in map(Seat, range(seats)):
            view = master.view(seat)
            drawn = game.random_action(view, seat, rng.randrange)
            actions = [*islice(game.legal(view, seat) or (), 300), *([] if drawn is None else [drawn])]
            told: dict[bytes, set[bytes]] = {}
            for action in actions:
                text = msgspec.json.encode(self.messages.action(action))
                told.setdefault(text, set()).add(game.write(action))
                self.assertEqual(
                    msgspec.json.decode(text, type=self.messages.action_type), self.messages.action(action)
                )
            self.assertEqual({len(notations) for notations in told.values()} - {1}, set())

    @of_matches
    @given(st.integers(0, 10_000))
    def test_equal_situations_look_alike(self, seed: int) -> None:
        """The same match, played twice, gives equal messages. They do not depend on the order of a set."""
        seats = self.player.seat_counts[0]
        first, _ = self.player.play(seats, random.Random(seed), 30)
        second, _ = self.player.play(seats, random.Random(seed), 30)
        for seat in (Seat(0), None):
            self.assertEqual(self.messages.view(first.view(seat)), self.messages.view(second.view(seat)))

    def test_the_schema_can_be_published(self) -> None:
        """The types of the events and views have a JSON Schema."""
        schema = msgspec.json.schema(self.messages.event_type)
        self.assertIn("kind", str(schema))
        self.assertTrue(msgspec.json.schema(self.messages.view_type))

    def shown(self, master: Any) -> Any:
        """Returns the view of a watcher, as plain JSON values."""
        return msgspec.to_builtins(self.messages.view(master.view(None)))
