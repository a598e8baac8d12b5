"""A table in a later run of the host."""

from gamehost.journal.records import EntryKind, TableId
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import MemoryHost
from tests.tables.test_table import TableCase


class RestartTests(TableCase):
    """A new run of the host on the old journal."""

    def test_everything_is_as_it_was(self) -> None:
        """Position, luck and turn; both come back, one after the other."""
        world = self.world(rng=lambda n: 3)
        ann, _ = self.seat(world)
        ann.say("+2")
        again = self.world(journal=world.journal.restarted(), rng=lambda n: 3)
        bob = self.back(again, "bob")
        self.assertEqual(bob.heard(), ["back 1 2 3", "away 0 already"])
        ann = self.back(again, "ann")
        self.assertEqual(ann.heard(), ["back 0 2 3"])
        self.assertEqual(bob.ask("+1"), ["count 3 3"])

    def test_first_grace_is_two_minutes_at_least(self) -> None:
        """Everybody must find their way back; later losses have the usual grace."""
        world = self.world()
        self.seat(world)
        again = self.world(journal=world.journal.restarted())
        again.wait(3600)
        ann = self.back(again, "ann")
        ann.heard()
        again.wait(119.9)
        bob = self.back(again, "bob")
        bob.drop()
        ann.heard()
        again.wait(60.1)
        self.assertEqual(ann.heard(), ["over (0,) left"])

    def test_down_time_is_charged_to_nobody(self) -> None:
        """The move clock goes on from the last entry, on a machine whose clock starts at 0 again."""
        world = self.world(move_time="10")
        ann, _ = self.seat(world)
        world.wait(6)
        ann.say("+1")
        again = self.world(journal=world.journal.restarted(), move_time="10")
        again.wait(7200)
        bob = self.back(again, "bob")
        again.wait(9.9)
        self.assertEqual(bob.heard(), ["back 1 1 9", "away 0 already"])
        again.wait(0.2)
        self.assertEqual(bob.heard(), ["over (0,) time"])

    def test_a_table_that_nobody_was_told_of_is_put_away(self) -> None:
        """Killed between the opening and the beginning: nobody sits there."""
        journal = RecordingJournal(late=True)
        self.seat(self.world(journal=journal))
        journal.entries[1].clear()  # type: ignore[index]
        again = self.world(journal=journal.restarted())
        self.assertEqual(again.unfinished, [])
        again.journal.release()
        self.assertEqual(again.journal.entries[1][-1].kind, EntryKind.ARCHIVED)  # type: ignore[index]

    def ended_untold(self) -> MemoryHost:
        """The next run of a host that ended between the commit of the last move and the telling of it."""
        journal = RecordingJournal(late=True)
        world = self.world(journal=journal)
        ann, bob = (world.connect("toy") for _ in range(2))
        ann.say("hi ann")
        bob.say("hi bob")
        journal.release()
        for number in range(10):
            if not journal.entries[TableId(1)][-1].outcome:
                (ann, bob)[number % 2].say("+2")
        self.assertTrue(journal.entries[TableId(1)][-1].outcome, "the match has ended")
        self.assertFalse([line for line in ann.heard() + bob.heard() if line.startswith("over")])
        return self.world(journal=journal.restarted())

    def test_an_end_that_nobody_heard_of_is_told_to_each_who_comes_back(self) -> None:
        """Once; then the player is free to play again, and the table is forgotten when all have been told."""
        world = self.ended_untold()
        world.journal.late = False
        ann = self.back(world, "ann")
        self.assertEqual([line.split()[0] for line in ann.heard()], ["back", "over"])
        self.assertEqual(world.unfinished, [1])
        ann.say("hi ann")
        self.assertNotIn("over", " ".join(ann.heard()))
        bob = self.back(world, "bob")
        self.assertEqual([line.split()[0] for line in bob.heard()], ["back", "over"])
        self.assertEqual(world.unfinished, [])
        self.assertEqual(world.journal.restarted().records(), [])

    def test_an_end_is_told_to_nobody_twice(self) -> None:
        """A player who heard it in one run of the host does not hear it in the next one, whoever else is missing."""
        world = self.ended_untold()
        world.journal.late = False
        self.assertIn("over", " ".join(self.back(world, "ann").heard()))
        again = self.world(journal=world.journal.restarted())
        ann = again.connect("toy")
        ann.say("hi ann")
        self.assertNotIn("over", " ".join(ann.heard()))
        self.assertEqual([line.split()[0] for line in self.back(again, "bob").heard()], ["back", "over"])
        self.assertEqual((again.unfinished, again.journal.restarted().records()), ([], []))

    def test_the_end_is_noted_once(self) -> None:
        """For each player who hears it but the last one, and then for the table."""
        world = self.ended_untold()
        noted: list[tuple[int, int | None]] = []
        self.patch(world.journal, "told", lambda table, seat=None: noted.append((table, seat)))
        world.journal.late = False
        for name in ("ann", "bob"):
            self.back(world, name)
        self.assertEqual(noted, [(1, 0), (1, None)])

    def test_an_end_that_nobody_asks_for_is_kept_for_a_day(self) -> None:
        """Then the table and the names are forgotten."""
        world = self.ended_untold()
        world.wait(86_398)
        self.assertEqual(world.unfinished, [1])
        world.wait(2)
        world.journal.release()
        self.assertEqual((world.unfinished, len(world.lobby.registry)), ([], 0))
        self.assertEqual(world.journal.restarted().records(), [])

    def test_an_end_that_was_told_is_not_told_again(self) -> None:
        """The next run of the host knows nothing of it."""
        world = self.world()
        ann, bob = self.seat(world)
        for _ in range(3):
            ann.say("+2")
            bob.say("+2")
        self.assertIn("over", " ".join(ann.heard()))
        self.assertEqual(world.journal.restarted().records(), [])

    def test_a_record_that_cannot_be_followed_keeps_only_its_table_down(self) -> None:
        """Row 144: the fault is logged, the record kept, and the others resume."""
        world = self.world()
        ann, _ = self.seat(world)
        ann.say("+2")
        self.seat_more(world)
        journal = world.journal.restarted()
        journal.entries[1].append(journal.entries[1][-1])  # type: ignore[index]
        again = self.world(journal=journal)
        self.assertEqual(self.back(again, "ann").heard(), ["suspended"])
        self.assertEqual(self.back(again, "carl").heard()[0].split()[0], "back")
        self.assertEqual(again.unfinished, [2])
        self.assertEqual(len(journal.entries[1]), 3)  # type: ignore[index]

    def seat_more(self, world: MemoryHost) -> None:
        for name in ("carl", "dora"):
            world.connect("toy").say(f"hi {name}")
