"""How a group of changes is committed."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.changes import Told
from gamehost.storage.postgresql import unfinished
from gamehost.storage.postgresql.notes import write_group
from gamehost.testing.journal_contract import MOVE, OPENING
from tests.storage.test_groups import ONE, TWO, build

REMOVED = unfinished._REMOVE
NOTED = "UPDATE member SET noted = %s WHERE epoch = %s AND ended IS NULL"


class GroupTests(SynchronousTestCase):
    """What the database is asked for."""

    def test_one_statement_if_possible(self) -> None:
        """Rows and new tables take one round trip. Nothing takes none."""
        for changes, expected in (
            ([], []),
            ([(TWO, MOVE)], [b"rows"]),
            ([(ONE, OPENING), (TWO, MOVE)], [b"rows_and_tables"]),
            ([(TWO, MOVE), Told(ONE, None)], ["BEGIN", b"rows", REMOVED, NOTED, "COMMIT"]),
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
