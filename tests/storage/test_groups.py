"""Groups of changes: their rows, and where the chains of their tables go on."""

from itertools import repeat

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import Entry, EntryKind, TableId
from gamehost.storage.changes import Change, Sleep
from gamehost.storage.groups import Group, build_group
from gamehost.storage.row_codec import Head, chain_of
from gamehost.testing.journal_contract import END, MOVE, OPENING

ONE, TWO = TableId(1), TableId(2)


def build(*changes: Change) -> Group:
    """The group of some changes. Its rows have the number 3. Table 2 has 5 rows."""
    return build_group(changes, repeat(3), lambda: 12.5, lambda table: {TWO: Head(4, b"12345678")}[table])


class GroupTests(SynchronousTestCase):
    """What is made of changes."""

    def test_rows_follow_each_other(self) -> None:
        """Within the group, and behind what is durable; each has its number."""
        group = build((ONE, OPENING), (TWO, MOVE), (ONE, MOVE), (TWO, MOVE))
        rows = group.rows
        self.assertEqual([(row.seq, row.game, row.n) for row in rows], [(3, 1, 0), (3, 2, 5), (3, 1, 1), (3, 2, 6)])
        self.assertEqual(rows[0].at_ms, 12_500)
        head = chain_of([rows[0], rows[2]])
        assert head is not None
        self.assertEqual(group.heads, {1: Head(*head[:2], (3, OPENING)), 2: Head(6, rows[3].h)})
        self.assertEqual(chain_of([rows[1], rows[3]], Head(4, b"12345678")), group.heads[2])
        self.assertEqual((group.opened, group.archived), ([1], []))

    def test_matches_that_end(self) -> None:
        """With a result, each with its opening, if that is known. A match that was put away has none."""
        group = build((ONE, OPENING), (ONE, END), (TWO, END))
        self.assertEqual(group.ended, [(group.rows[1], (3, OPENING)), (group.rows[2], None)])
        self.assertTrue(group.noted)
        self.assertEqual(build((ONE, OPENING), (ONE, Entry(EntryKind.ARCHIVED, 3))).ended, [])

    def test_chains_that_end(self) -> None:
        """With an outcome, when a table is put away, and when its last player is gone."""
        group = build((ONE, OPENING), (ONE, END), (TWO, Entry(EntryKind.ARCHIVED, 3)))
        self.assertEqual((group.heads, group.archived), ({1: None, 2: None}, [2]))
        group = build((TWO, MOVE), Sleep(TWO, 7), Sleep(TWO, None), (TWO, MOVE))
        self.assertEqual([row.n for row in group.rows], [5, 6])
        self.assertEqual(group.heads, {2: Head(6, group.rows[1].h)})
