"""What a master tells is checked before it is recorded, and what cannot be told stops its table alone."""

from typing import Any

from gamehost.games.base import Seat, To
from gamehost.tables.interfaces import Look
from tests.kit.example_game import Counted, ToyMaster
from tests.tables.test_table import FaultCase


class ToldTests(FaultCase):
    def test_what_is_no_event(self) -> None:
        """The table stops before it is recorded; the mover's connection has nothing of it."""
        event = Counted(1, 0)
        for told in (
            None,
            [event],
            [None],
            [To(None)],
            [To(event), To("+1")],
            [To(To(event))],
            (To(event) for _ in "1"),
            [To(event, (None, Seat(0)))],  # type: ignore[arg-type]
            [To(event, (Seat(0), Seat(2)))],
            [To(event, [Seat(0)])],  # type: ignore[arg-type]
        ):
            world = self.world()
            ann, bob = self.enter(world, "ann", "bob")
            self.patch(ToyMaster, "act", lambda *_, told=told: told)
            ann.say("+1")
            self.assertEqual((len(self.flushLoggedErrors(TypeError, AttributeError)), self.suspended), (1, [1]), told)
            self.assertEqual((ann.heard()[-1], bob.heard()[-1], ann.closed), ("suspended", "suspended", False))
            self.assertEqual([len(entries) for entries in world.journal.entries.values()], [1], told)
            self.suspended.clear()

    def test_what_cannot_be_told(self) -> None:
        """It stops that table once; the mover's connection and the journal have nothing of it."""

        class Deaf:
            def shown(self, look: Look[Any]) -> None:
                pass

            def deliver(self, event: Any, n: int) -> None:
                raise OSError("planted")

        world = self.world()
        ann, bob = self.enter(world, "ann", "bob")
        [table] = world.lobby.tables.values()
        self.assertTrue(table.watch(Deaf()))
        ann.say("+1")
        self.assertEqual((len(self.flushLoggedErrors(OSError)), self.suspended), (2, [1]))
        self.assertEqual((ann.heard()[-1], bob.heard()[-1], ann.closed), ("suspended", "suspended", False))
        self.assertEqual(dict(world.lobby.tables), {})
