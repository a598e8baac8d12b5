"""A player who gives the match up: the end is told to both players, once the journal has it."""

from gamehost.journal.records import EntryKind
from tests.kit.journals import RecordingJournal
from tests.tables.test_table import TableCase


class ResigningTests(TableCase):
    """`SeatHandle.resign`."""

    def test_both_players_hear_the_end(self) -> None:
        """The one who resigns stays at the table for it; nobody is told before the journal has it."""
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, bob = self.seat(world)
        journal.release()
        ann.heard()
        bob.heard()
        ann.protocol._conversation.handle.resign()  # type: ignore[attr-defined]
        world.until_idle()
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        journal.release()
        world.until_idle()
        self.assertEqual((ann.heard(), bob.heard()), (["over (1,) left"],) * 2)
        self.assertEqual(world.journal.entries[1][-1].kind, EntryKind.FORFEITED)  # type: ignore[index]

    def test_a_second_time_changes_nothing(self) -> None:
        """The match has one end."""
        world = self.world()
        ann, _ = self.seat(world)
        ann.heard()
        handle = ann.protocol._conversation.handle  # type: ignore[attr-defined]
        handle.resign()
        handle.resign()
        world.until_idle()
        self.assertEqual(ann.heard(), ["over (1,) left"])
