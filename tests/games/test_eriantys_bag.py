"""What is in the bag: how many of each colour, in no order, and of that nobody is told more than how many in all."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.eriantys import events
from gamehost.games.eriantys.position import Position
from tests.kit.games.eriantys_table import new_position


class BagTests(SynchronousTestCase):
    """Row 131."""

    def test_row_131_the_bag_has_no_order(self) -> None:
        """There is no next student before one is drawn: the bag is five counts, for the host itself, too."""
        bag = new_position().bag
        self.assertEqual(len(bag), 5)
        self.assertTrue(all(type(count) is int for count in bag))

    def test_events_hold_its_size_alone(self) -> None:
        """No event has the bag or a whole position in it; the board for all has one number."""
        found = []
        for name, kind in vars(events).items():
            if isinstance(kind, type) and attrs.has(kind) and kind.__module__ == events.__name__:
                for field in attrs.fields(attrs.resolve_types(kind)):
                    self.assertIsNot(field.type, Position, name)
                    if "bag" in field.name:
                        found.append((name, field.type))
        self.assertEqual(found, [("Board", int)])
