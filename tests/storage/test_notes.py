"""What is in a store of either engine beside the tables' records."""

import sqlite3
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account, Cost, Digest
from gamehost.accounts.proofs import Proof
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.storage.database import SqliteDatabase, migrate
from gamehost.storage.notes import (
    AddAccount,
    ChangeAccount,
    DeleteAccount,
    DropBan,
    DropProof,
    Note,
    PutBan,
    PutProof,
    RenameAccount,
    Sleep,
    Told,
    Uptime,
    read_accounts,
    read_bans,
    read_proofs,
    read_uptime,
)
from gamehost.storage.reads import Database, Sql
from tests.kit.postgresql import PostgresCase

TABLE = TableId(7)


class NotesContract(SynchronousTestCase):
    """Each note, written and read back."""

    connected: Database

    def write(self, *notes: Note) -> None:
        for note in notes:
            note.write(self.connected)

    def live(self) -> list[Any]:
        return self.connected.rows("SELECT game, since, told FROM live")

    def test_unfinished_tables(self) -> None:
        """Since when they sleep, and who was told their end."""
        self.connected.run(Sql("INSERT INTO live(game) VALUES (7)", "INSERT INTO live(game, owner) VALUES (7, 1)"))
        self.write(Sleep(TABLE, 30))
        self.assertEqual(self.live(), [(7, 30, 0)])
        self.write(Sleep(TABLE, None), Told(TABLE, Seat(0)), Told(TABLE, Seat(2)), Told(TABLE, Seat(2)))
        self.assertEqual(self.live(), [(7, None, 0b101)])
        self.write(Told(TABLE, None))
        self.assertEqual(self.live(), [])

    def test_uptime(self) -> None:
        """There is one number."""
        self.write(Uptime(5), Uptime(6))
        self.assertEqual(read_uptime(self.connected), 6)

    def test_accounts(self) -> None:
        """A key is given once, and a digest is replaced."""
        first = Account("Ann", Digest(Cost(2, 1, 1), b"salt", b"hash"))
        second = Account("ANN", Digest(Cost(4, 1, 1), b"other", b"other"))
        notes = AddAccount(first), AddAccount(second)
        self.write(*notes)
        self.assertEqual([note.added for note in notes], [True, False])
        self.assertEqual([note.owner for note in notes], [first, first])
        self.assertEqual(list(read_accounts(self.connected)), [first])
        changed = Account("Ann", second.digest)
        self.write(ChangeAccount(changed))
        self.assertEqual(list(read_accounts(self.connected)), [changed])

    def test_other_names(self) -> None:
        """An account is renamed if the key is free. One that is deleted is not read again."""
        ann, bob = (Account(name, Digest(Cost(2, 1, 1), b"salt", b"hash")) for name in ("ann", "bob"))
        self.write(AddAccount(ann), AddAccount(bob))
        carl = Account("Carl", ann.digest)
        self.write(RenameAccount(Account("BOB", ann.digest), "ann"), RenameAccount(carl, "ann"))
        self.assertEqual(set(read_accounts(self.connected)), {carl, bob})
        self.write(DeleteAccount("carl"), DeleteAccount("bob"), AddAccount(bob), DeleteAccount("bob"))
        self.assertEqual(list(read_accounts(self.connected)), [])

    def test_proofs(self) -> None:
        """The last one with its key and digest counts."""
        older, newer = Proof("ann", True, b"a", 1), Proof("ann", True, b"a", 2)
        self.write(PutProof(older), PutProof(newer), PutProof(Proof("bob", False, b"b", 2)))
        self.write(DropProof(Proof("bob", False, b"b", 1)), DropProof(Proof("ann", False, b"b", 1)))
        self.assertEqual(list(read_proofs(self.connected)), [newer])

    def test_bans(self) -> None:
        """The last one with its key counts."""
        older, newer = Ban("name:ann", "Ann", 1, 2), Ban("name:ann", "ann", 3)
        other = Ban("network:192.0.2.0/24", "192.0.2.0/24", 5, 6)
        self.write(PutBan(older), PutBan(newer), PutBan(other), DropBan("name:bob"))
        self.assertEqual(list(read_bans(self.connected)), [newer, other])
        self.write(DropBan("name:ann"))
        self.assertEqual(list(read_bans(self.connected)), [other])


class SqliteTests(NotesContract):
    """In a file."""

    def setUp(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.addCleanup(self.connection.close)
        migrate(self.connection, 0)
        self.connected = SqliteDatabase(self.connection)

    def test_a_row_is_left_of_a_deleted_account(self) -> None:
        """Accounts are counted. It has no name and no digest."""
        self.write(AddAccount(Account("ann", Digest(Cost(2, 1, 1), b"salt", b"hash"))), DeleteAccount("ann"))
        self.assertEqual(self.connected.rows("SELECT name, salt, hash FROM account"), [("", b"", b"")])

    def test_nothing_is_left_half_read(self) -> None:
        """A cursor that is left half read would keep the file open."""
        self.write(AddAccount(Account("ann", Digest(Cost(2, 1, 1), b"s", b"h"))))
        accounts = read_accounts(self.connected)
        self.connection.close()
        self.assertEqual([one.name for one in accounts], ["ann"])


class PostgresTests(PostgresCase, NotesContract):
    """In a database."""

    def setUp(self) -> None:
        super().setUp()
        from gamehost.storage.postgresql.session import connect, migrate

        self.connected = session = connect(self.url)
        self.addCleanup(session.close)
        migrate(session)

    def test_uptime_does_not_go_back(self) -> None:
        """Another member of a cluster has noted a later one."""
        self.write(Uptime(6), Uptime(5))
        self.assertEqual(read_uptime(self.connected), 6)


del NotesContract
