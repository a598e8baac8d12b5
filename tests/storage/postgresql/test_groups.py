"""How a group of changes is committed."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.accounts.proofs import Proof
from gamehost.storage.changes import Beat, DeleteAccount, DropBan, DropProof, PutBan, PutProof, Sleep, Told, Uptime
from gamehost.storage.postgresql.groups import write_group
from gamehost.testing.journal_contract import MOVE, OPENING
from tests.storage.test_groups import ONE, TWO, build

NOTED = "UPDATE member SET noted = %s WHERE epoch = %s AND ended IS NULL"


class GroupTests(SynchronousTestCase):
    """What the database is asked for."""

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

    def test_what_members_share(self) -> None:
        """One at a time changes accounts, proofs, bans and the up-time. Each member has its own tables and beats."""
        proof = Proof("ann", False, b"digest", 20_000)
        shared = (
            Uptime(1),
            DeleteAccount("ann"),
            PutProof(proof),
            DropProof(proof),
            PutBan(Ban("ann", "Ann", 1)),
            DropBan("ann"),
        )
        for note in (Sleep(ONE, 5), Told(ONE, None), Beat(), *shared):
            session: Any = Recorded()
            write_group(session, build(Sleep(ONE, None), note), 3, 1)
            self.assertEqual("advisory" in session.done[0], note in shared, note)


class Recorded:
    """A session that notes what it is asked for."""

    def __init__(self) -> None:
        self.done: list[str | bytes] = []

    def run(self, sql: str, parameters: object = ()) -> int:
        self.done.append(sql)
        return 1

    def run_prepared(self, name: bytes, parameters: object) -> None:
        self.done.append(name)

    def rows(self, sql: str, parameters: object = ()) -> list[tuple[int]]:
        return [(0,)]
