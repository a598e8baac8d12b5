"""What a master tells is checked before it is recorded, and what cannot be told stops its table alone."""

from types import SimpleNamespace
from typing import Any

from attrs import frozen
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat, To
from gamehost.games.eriantys.events import Closing
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.tables import told as told_module
from gamehost.tables.interfaces import Look
from gamehost.tables.told import check_told
from tests.kit.example_game import Counted, ToyMaster
from tests.kit.plugin_games import GOMOKU
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
            [To(event, frozenset({Seat(0)}))],  # type: ignore[arg-type]
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


@frozen
class Unheard:
    """An event of a plug-in for which its messages have nothing."""


class KindsTests(SynchronousTestCase):
    def words(self, *checks: Any) -> list[str]:
        with capturedLogs() as logs:
            for game, event, known in checks:
                check_told(game, [To(event)], 2, known)
        return [formatEvent(one) or "" for one in logs]

    def test_an_event_without_a_message(self) -> None:
        """The log names its kind once. The host's own games have such events on purpose."""
        known = set[Any]()
        [words] = self.words((GOMOKU, Unheard(), known), (GOMOKU, Unheard(), known), (ERIANTYS, Closing(), set()))
        self.assertIn("the messages of gomoku have none for its event Unheard", words)

    def test_what_only_looks_like_one(self) -> None:
        alike: Any = SimpleNamespace(event=Closing(), audience=None)
        wrong = self.assertRaises(TypeError, check_told, ERIANTYS, [alike], 2, set())
        self.assertIn("expected To(event) or To(event, seats)", str(wrong))

    def test_so_many_are_remembered(self) -> None:
        self.patch(told_module, "MOST", 3)
        known = set[Any]()
        for seat in range(5):
            check_told(ERIANTYS, [To(Closing(), (Seat(seat),))], 5, known)
        self.assertEqual(len(known), 3)
