"""Groups of changes: their rows, and where the chains of their tables go on."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import Entry, EntryKind, TableId
from gamehost.storage.changes import Change, Sleep, Told
from gamehost.storage.postgresql.groups import Group, build_group, write_group
from gamehost.storage.row_codec import Head, chain_of
from gamehost.testing.journal_contract import END, MOVE, OPENING

NOTED = "UPDATE member SET noted = %s WHERE epoch = %s AND ended IS NULL"
ONE, TWO = TableId(1), TableId(2)


def build(*changes: Change) -> Group:
    """The group of some changes in life 3. Table 2 has 5 rows."""
    return build_group(changes, 3, lambda: 12.5, lambda table: {TWO: Head(4, b"12345678")}[table])


class GroupTests(SynchronousTestCase):
    """What is made of changes."""

    def test_rows_follow_each_other(self) -> None:
        """Within the group, and behind what is durable; each has the number of the life."""
        group = build((ONE, OPENING), (TWO, MOVE), (ONE, MOVE), (TWO, MOVE))
        rows = group.rows
        self.assertEqual([(row.seq, row.game, row.n) for row in rows], [(3, 1, 0), (3, 2, 5), (3, 1, 1), (3, 2, 6)])
        self.assertEqual(rows[0].at_ms, 12_500)
        head = chain_of([rows[0], rows[2]])
        self.assertEqual(group.heads, {1: head, 2: Head(6, rows[3].h)})
        self.assertEqual(chain_of([rows[1], rows[3]], Head(4, b"12345678")), group.heads[2])
        self.assertEqual((group.opened, group.archived), ([1], []))

    def test_chains_that_end(self) -> None:
        """With an outcome, when a table is put away, and when its last player is gone."""
        group = build((ONE, OPENING), (ONE, END), (TWO, Entry(EntryKind.ARCHIVED, 3)))
        self.assertEqual((group.heads, group.archived), ({1: None, 2: None}, [2]))
        group = build((TWO, MOVE), Sleep(TWO, 7), Sleep(TWO, None), (TWO, MOVE))
        self.assertEqual([row.n for row in group.rows], [5, 6])
        self.assertEqual(group.heads, {2: Head(6, group.rows[1].h)})

    def test_one_statement_if_possible(self) -> None:
        """Rows and new tables take one round trip. Nothing takes none."""
        for changes, expected in (
            ([], []),
            ([(TWO, MOVE)], [b"rows"]),
            ([(ONE, OPENING), (TWO, MOVE)], [b"rows_and_tables"]),
            ([(TWO, MOVE), Told(ONE, None)], ["BEGIN", b"rows", "DELETE FROM live WHERE game = %s", NOTED, "COMMIT"]),
        ):
            session: Any = Recorded()
            write_group(session, build(*changes), 3, 1)
            self.assertEqual(session.done, expected)


class Recorded:
    """A session that notes what it is asked for."""

    def __init__(self) -> None:
        self.done: list[str | bytes] = []

    def run(self, sql: str, parameters: object = ()) -> int:
        self.done.append(sql)
        return 1

    def run_prepared(self, name: bytes, parameters: object) -> None:
        self.done.append(name)
