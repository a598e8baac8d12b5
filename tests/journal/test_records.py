"""The parts of the record that outlive a program: their numbers and defaults."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader


class RecordTests(SynchronousTestCase):
    """What a journal's files rest on."""

    def test_the_numbers_of_kinds(self) -> None:
        """Files hold these numbers: one may be added, none changed or used anew."""
        self.assertEqual(
            {kind.name: kind.value for kind in EntryKind},
            {"BEGAN": 1, "ACTED": 2, "FORFEITED": 3, "EXPIRED": 4, "ARCHIVED": 5},
        )

    def test_an_entry_is_a_value(self) -> None:
        """Entries are equal by what they say, and what is not said is nothing."""
        self.assertEqual(
            Entry(EntryKind.ACTED, 5, Seat(1), b"tiger c1 c3"), Entry(EntryKind.ACTED, 5, Seat(1), b"tiger c1 c3")
        )
        self.assertNotEqual(Entry(EntryKind.ACTED, 5, Seat(1)), Entry(EntryKind.ACTED, 5, Seat(0)))
        entry = Entry(EntryKind.BEGAN, 0)
        self.assertEqual((entry.seat, entry.notation, entry.drawn, entry.outcome), (None, b"", (), ""))

    def test_records_do_not_change(self) -> None:
        """What was written down stays so."""
        for record, name in (
            (Entry(EntryKind.BEGAN, 0), "at"),
            (SeatRecord("ann", "w"), "name"),
            (TableHeader("g", 1, ()), "game"),
        ):
            self.assertRaises(AttributeError, setattr, record, name, 1)

    def test_openings_share_nothing(self) -> None:
        """Two openings without settings do not have the same ones."""
        self.assertIsNot(TableHeader("g", 1, ()).settings, TableHeader("g", 1, ()).settings)
