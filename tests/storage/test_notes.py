"""What is in an SQLite store beside the tables' records."""

import sqlite3
from contextlib import closing
from typing import Any, get_args

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account, Cost, Digest
from gamehost.accounts.proofs import Proof
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.storage.changes import (
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
)
from gamehost.storage.database import migrate
from gamehost.storage.notes import _write, read_accounts, read_bans, read_proofs, write_note

TABLE = TableId(7)


class NotesTests(SynchronousTestCase):
    """Each note, written and read back."""

    def setUp(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.addCleanup(self.connection.close)
        migrate(self.connection, 0)

    def write(self, *notes: Note) -> list[int]:
        return [write_note(self.connection, note) for note in notes]

    def live(self) -> list[Any]:
        return self.connection.execute("SELECT game, since, told FROM live").fetchall()

    def test_a_store_can_write_every_note(self) -> None:
        """And nothing that is not one."""
        for kind in get_args(Note):
            self.assertIsNot(_write.dispatch(kind), _write.dispatch(object), kind)
        nonsense: Any = "nonsense"
        self.assertRaises(TypeError, write_note, self.connection, nonsense)

    def test_unfinished_tables(self) -> None:
        """Since when they sleep, and who was told their end."""
        self.connection.execute("INSERT INTO live(game) VALUES (7)")
        self.write(Sleep(TABLE, 30))
        self.assertEqual(self.live(), [(7, 30, 0)])
        self.write(Sleep(TABLE, None), Told(TABLE, Seat(0)), Told(TABLE, Seat(2)), Told(TABLE, Seat(2)))
        self.assertEqual(self.live(), [(7, None, 0b101)])
        self.write(Told(TABLE, None))
        self.assertEqual(self.live(), [])

    def test_uptime(self) -> None:
        """There is one number."""
        self.write(Uptime(5), Uptime(6))
        self.assertEqual(self.connection.execute("SELECT seconds FROM uptime").fetchall(), [(6,)])

    def test_accounts(self) -> None:
        """A key is given once, and a digest is replaced."""
        first = Account("Ann", Digest(Cost(2, 1, 1), b"salt", b"hash"))
        second = Account("ANN", Digest(Cost(4, 1, 1), b"other", b"other"))
        notes = AddAccount(first), AddAccount(second)
        self.assertEqual(self.write(*notes), [1, 0])
        self.assertEqual([note.owner for note in notes], [first, first])
        self.assertEqual(list(read_accounts(self.connection)), [first])
        changed = Account("Ann", second.digest)
        self.write(ChangeAccount(changed))
        self.assertEqual(list(read_accounts(self.connection)), [changed])

    def test_other_names(self) -> None:
        """An account is renamed if the key is free. Of one that is deleted, a row without a name and a digest is left."""
        ann, bob = (Account(name, Digest(Cost(2, 1, 1), b"salt", b"hash")) for name in ("ann", "bob"))
        self.write(AddAccount(ann), AddAccount(bob))
        carl = Account("Carl", ann.digest)
        self.write(RenameAccount(Account("BOB", ann.digest), "ann"), RenameAccount(carl, "ann"))
        self.assertEqual(list(read_accounts(self.connection)), [carl, bob])
        self.write(DeleteAccount("carl"), DeleteAccount("bob"), AddAccount(bob), DeleteAccount("bob"))
        self.assertEqual(list(read_accounts(self.connection)), [])
        left = self.connection.execute("SELECT name, salt, hash FROM account").fetchall()
        self.assertEqual(left, [("", b"", b"")] * 3)

    def test_proofs(self) -> None:
        """The last one with its key and digest counts."""
        older, newer = Proof("ann", True, b"a", 1), Proof("ann", True, b"a", 2)
        self.write(PutProof(older), PutProof(newer), PutProof(Proof("bob", False, b"b", 2)))
        self.write(DropProof(Proof("bob", False, b"b", 1)), DropProof(Proof("ann", False, b"b", 1)))
        self.assertEqual(list(read_proofs(self.connection)), [newer])

    def test_bans(self) -> None:
        """The last one with its key counts."""
        older, newer = Ban("name:ann", "Ann", 1, 2), Ban("name:ann", "ann", 3)
        other = Ban("network:192.0.2.0/24", "192.0.2.0/24", 5, 6)
        self.write(PutBan(older), PutBan(newer), PutBan(other), DropBan("name:bob"))
        self.assertEqual(list(read_bans(self.connection)), [newer, other])
        self.write(DropBan("name:ann"))
        self.assertEqual(list(read_bans(self.connection)), [other])


class ClosingTests(SynchronousTestCase):
    """A store is read at once."""

    def test_nothing_is_left_half_read(self) -> None:
        """A cursor that is left half read would keep the file open."""
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            migrate(connection, 0)
            write_note(connection, AddAccount(Account("ann", Digest(Cost(2, 1, 1), b"s", b"h"))))
            accounts = read_accounts(connection)
        self.assertEqual([one.name for one in accounts], ["ann"])
