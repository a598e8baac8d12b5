"""Accounts, proofs and bans that outlive the process."""

import shutil
import sqlite3
from contextlib import closing
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban, BanStore
from gamehost.accounts.passwords import Account, Accounts, Cost, Digest
from gamehost.accounts.proofs import Proof
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.storage.database import APPLICATION, SqliteDatabase, migrate, schemas, statements
from gamehost.storage.durable import DurableJournal, StoredAccounts
from gamehost.storage.memory import MemoryJournal
from gamehost.storage.notes import (
    AddAccount,
    Note,
    Sleep,
    Told,
    change_account,
    delete_account,
    drop_ban,
    drop_proof,
    put_ban,
    put_proof,
    put_uptime,
    read_accounts,
    read_bans,
    read_proofs,
    read_uptime,
    rename_account,
)
from gamehost.storage.reads import Database, Sql
from gamehost.storage.sidecar import sidecar_path
from gamehost.testing.cases import PropertyCase
from tests.kit.accounts import CHEAP, AccountsContract, BansContract, account, nobody
from tests.kit.journals import rows
from tests.kit.postgresql import PostgresCase
from tests.storage.test_sqlite import StoreCase


class StoredAccountsTests(AccountsContract, StoreCase, PropertyCase):
    def new_book(self) -> Accounts:
        self.journal = self.start()
        return StoredAccounts(self.journal)

    def until_idle(self) -> None:
        self.pump.until_idle(self.journal)
        self.assertEqual(self.pump.broken, [])

    def test_everything_is_there_in_another_life(self) -> None:
        """Names as they were written, digests with what they cost, and the password still fits."""
        book = self.new_book()
        book.add(account("Ann"), nobody)
        book.add(account("Žofie"), nobody)
        book.change(Account("Ann", Digest.of(b"other", Cost(n=4, r=2, p=3))), lambda: None)
        self.stop(self.journal)
        later = StoredAccounts(self.start())
        ann, zofie = later.find("ann"), later.find("žofie")
        assert ann is not None and zofie is not None
        self.assertEqual((ann.name, zofie.name), ("Ann", "Žofie"))
        self.assertEqual((ann.digest.cost, zofie.digest.cost), (Cost(n=4, r=2, p=3), CHEAP))
        self.assertTrue(ann.digest.fits(b"other") and zofie.digest.fits(b"secret"))
        self.assertFalse(ann.digest.fits(b"secret"))

    def test_changes_are_there_in_another_life(self) -> None:
        """A new name and a deleted account; also after a kill, when the mark still counts the account."""
        book = self.new_book()
        for name in ("ann", "bob", "carl"):
            book.add(account(name), nobody)
        ann, bob = book.find("ann"), book.find("bob")
        assert ann is not None and bob is not None
        book.rename(ann, "Zoe", lambda: None)
        book.delete(bob, lambda: None)
        self.until_idle()
        killed = self.folder / "killed.sqlite"
        for suffix in ("", "-wal", ".hwm", ".last"):
            shutil.copy(sidecar_path(self.path, suffix), sidecar_path(killed, suffix))
        self.stop(self.journal)
        for path in (self.path, killed):
            journal = self.start(path)
            later = StoredAccounts(journal)
            self.assertEqual(sorted(later.names()), ["Zoe", "carl"])
            zoe = later.find("zoe")
            self.assertTrue(zoe is not None and zoe.digest.fits(b"secret"))
            later.add(account("bob"), nobody)
            self.pump.until_idle(journal)
            self.assertNotIn(bob.digest.hash, [row[0] for row in rows(journal, "SELECT hash FROM account")])

    def test_proofs_are_there_in_another_life(self) -> None:
        """As they were put last, and not those that were dropped."""
        proofs = self.start_journal()
        kept = Proof("ann", True, b"a", 20_001)
        for proof in (Proof("ann", True, b"a", 20_000), kept, Proof("ann", False, b"b", 20_000)):
            proofs.put_proof(proof)
        proofs.drop_proof(Proof("ann", False, b"b", 20_000))
        self.stop(self.journal)
        self.assertEqual(list(self.start().proofs()), [kept])

    def start_journal(self) -> DurableJournal:
        self.journal = self.start()
        return self.journal

    def test_accounts_and_tables_are_kept_in_one_order(self) -> None:
        """One writer: an account that was added before a move is durable before it."""
        book = self.new_book()
        called: list[str] = []
        book.add(account("ann"), lambda owner: called.append(owner.name))
        self.play(self.journal, 1)
        self.assertEqual(called, ["ann"])

    def test_the_password_is_not_in_the_file(self) -> None:
        book = self.new_book()
        book.add(account("ann", b"canary-in-the-mine"), nobody)
        self.until_idle()
        for path in self.folder.iterdir():
            self.assertNotIn(b"canary", path.read_bytes(), path.name)
        self.assertIn(b"ann", b"".join(path.read_bytes() for path in self.folder.iterdir()))

    def test_a_store_without_accounts_gets_them(self) -> None:
        """A store of the first schema is brought up to date when it is opened, its tables as they were."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as old:
            for statement in statements(schemas()[0]):
                old.execute(statement)
            old.execute(f"PRAGMA application_id={APPLICATION}")
            old.execute("PRAGMA user_version=1")
        book = self.new_book()
        book.add(account("ann"), nobody)
        self.until_idle()
        self.assertEqual(rows(self.journal, "PRAGMA user_version"), [(len(schemas()),)])

    def test_the_store_decides_who_gets_a_key(self) -> None:
        """An account of which this process does not know is found when its key is asked for."""
        first, taken, owners = account("ann"), account("ANN"), list[Account]()
        book = self.new_book()
        twin = StoredAccounts(self.journal)
        book.add(first, owners.append)
        twin.add(taken, owners.append)
        self.assertEqual(twin.find("ann"), taken)
        self.until_idle()
        self.assertEqual((owners, twin.find("ann")), ([first, first], first))

    def test_what_other_members_change_is_learned(self) -> None:
        """An account that is new, has another digest or another name, or is gone. Nothing is written."""
        self.new_book()
        book, seen = StoredAccounts(self.journal), list[tuple[Account | None, Account | None]]()
        book.learned = lambda before, after: seen.append((before, after))
        first, again, renamed = account("Ann"), account("Ann", b"other"), account("ANN")
        for learned in (first, again, again, renamed, None, None):
            book.learn("ann", learned)
            self.assertIs(book.find("ann"), learned)
        self.assertEqual(seen, [(None, first), (first, again), (again, renamed), (renamed, None)])
        self.until_idle()
        self.assertEqual(list(StoredAccounts(self.journal).names()), [])

    def test_own_changes_come_first(self) -> None:
        """Until they are durable. What was learned last counts then, also if the key had another owner."""
        self.new_book()
        book, owners = StoredAccounts(self.journal), list[Account]()
        mine, changed, other = account("ann"), account("ann", b"changed"), account("Ann", b"other")
        book.add(mine, owners.append)
        book.learn("ann", other)
        book.change(changed, lambda: self.assertEqual(book.find("ann"), changed))
        book.learn("ann", None)
        book.learn("bob", other)
        self.assertEqual((book.find("ann"), book.find("bob")), (changed, other))
        self.until_idle()
        self.assertEqual((owners, book.find("ann"), book._pending, book._learned), ([mine], None, {}, {}))
        book.add(changed, owners.append)
        book.learn("ann", other)
        book.learn("zoe", None)
        book.rename(changed, "zoe", lambda: None)
        book.learn("zoe", other)
        self.until_idle()
        self.assertEqual((book.find("ann"), book.find("zoe")), (other, other))


class MemoryAccountsTests(AccountsContract, PropertyCase):
    def new_book(self) -> Accounts:
        return StoredAccounts(MemoryJournal())


class StoredBansTests(BansContract, StoreCase, PropertyCase):
    def new_store(self) -> BanStore:
        self.journal = self.start()
        return self.journal

    def restarted(self) -> BanStore:
        self.stop(self.journal)
        return self.new_store()

    def until_idle(self) -> None:
        self.pump.until_idle(self.journal)
        self.assertEqual(self.pump.broken, [])


TABLE = TableId(7)


class NotesContract(SynchronousTestCase):
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
        self.write(put_uptime(5), put_uptime(6))
        self.assertEqual(read_uptime(self.connected), 6)

    def test_accounts(self) -> None:
        first = Account("Ann", Digest(Cost(2, 1, 1), b"salt", b"hash"))
        second = Account("ANN", Digest(Cost(4, 1, 1), b"other", b"other"))
        notes = AddAccount(first), AddAccount(second)
        self.write(*notes)
        self.assertEqual([note.added for note in notes], [True, False])
        self.assertEqual([note.owner for note in notes], [first, first])
        self.assertEqual(list(read_accounts(self.connected)), [first])
        changed = Account("Ann", second.digest)
        self.write(change_account(changed))
        self.assertEqual(list(read_accounts(self.connected)), [changed])

    def test_other_names(self) -> None:
        """An account is renamed if the key is free. One that is deleted is not read again."""
        ann, bob = (Account(name, Digest(Cost(2, 1, 1), b"salt", b"hash")) for name in ("ann", "bob"))
        self.write(AddAccount(ann), AddAccount(bob))
        carl = Account("Carl", ann.digest)
        self.write(rename_account(Account("BOB", ann.digest), "ann"), rename_account(carl, "ann"))
        self.assertEqual(set(read_accounts(self.connected)), {carl, bob})
        self.write(delete_account("carl"), delete_account("bob"), AddAccount(bob), delete_account("bob"))
        self.assertEqual(list(read_accounts(self.connected)), [])

    def test_proofs(self) -> None:
        older, newer = Proof("ann", True, b"a", 1), Proof("ann", True, b"a", 2)
        self.write(put_proof(older), put_proof(newer), put_proof(Proof("bob", False, b"b", 2)))
        self.write(drop_proof(Proof("bob", False, b"b", 1)), drop_proof(Proof("ann", False, b"b", 1)))
        self.assertEqual(list(read_proofs(self.connected)), [newer])

    def test_bans(self) -> None:
        older, newer = Ban("name:ann", "Ann", 1, 2), Ban("name:ann", "ann", 3)
        other = Ban("network:192.0.2.0/24", "192.0.2.0/24", 5, 6)
        self.write(put_ban(older), put_ban(newer), put_ban(other), drop_ban("name:bob"))
        self.assertEqual(list(read_bans(self.connected)), [newer, other])
        self.write(drop_ban("name:ann"))
        self.assertEqual(list(read_bans(self.connected)), [other])


class SqliteTests(NotesContract):
    def setUp(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.addCleanup(self.connection.close)
        migrate(self.connection, 0)
        self.connected = SqliteDatabase(self.connection)

    def test_a_row_is_left_of_a_deleted_account(self) -> None:
        """Accounts are counted. It has no name and no digest."""
        self.write(AddAccount(Account("ann", Digest(Cost(2, 1, 1), b"salt", b"hash"))), delete_account("ann"))
        self.assertEqual(self.connected.rows("SELECT name, salt, hash FROM account"), [("", b"", b"")])

    def test_nothing_is_left_half_read(self) -> None:
        """A cursor that is left half read would keep the file open."""
        self.write(AddAccount(Account("ann", Digest(Cost(2, 1, 1), b"s", b"h"))))
        accounts = read_accounts(self.connected)
        self.connection.close()
        self.assertEqual([one.name for one in accounts], ["ann"])


class PostgresTests(PostgresCase, NotesContract):
    def setUp(self) -> None:
        super().setUp()
        from gamehost.storage.postgresql.session import connect, migrate

        self.connected = session = connect(self.url)
        self.addCleanup(session.close)
        migrate(session)

    def test_uptime_does_not_go_back(self) -> None:
        """Another member of a cluster has noted a later one."""
        self.write(put_uptime(6), put_uptime(5))
        self.assertEqual(read_uptime(self.connected), 6)


del NotesContract
