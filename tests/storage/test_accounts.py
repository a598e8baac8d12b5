"""Accounts, proofs and bans that outlive the process."""

import shutil
import sqlite3
from contextlib import closing

from gamehost.accounts.bans import BanStore
from gamehost.accounts.passwords import Account, Accounts, Cost, Digest
from gamehost.accounts.proofs import Proof
from gamehost.storage.database import APPLICATION, schemas, statements
from gamehost.storage.durable import DurableJournal, StoredAccounts
from gamehost.storage.memory import MemoryJournal
from gamehost.storage.sidecar import sidecar_path
from gamehost.testing.cases import PropertyCase
from tests.kit.accounts import CHEAP, AccountsContract, BansContract, account, nobody
from tests.kit.journals import rows
from tests.storage.test_sqlite import StoreCase


class StoredAccountsTests(AccountsContract, StoreCase, PropertyCase):
    """`AccountsContract` for SQLite, and what only a disk can do."""

    def new_book(self) -> Accounts:
        self.journal = self.start()
        return StoredAccounts(self.journal)

    def settle(self) -> None:
        self.pump.settle(self.journal)
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
        self.settle()
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
            self.pump.settle(journal)
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
        """The journal of a new store."""
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
        """Nor in what lies beside it."""
        book = self.new_book()
        book.add(account("ann", b"canary-in-the-mine"), nobody)
        self.settle()
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
        self.settle()
        self.assertEqual(rows(self.journal, "PRAGMA user_version"), [(len(schemas()),)])

    def test_the_store_decides_who_gets_a_key(self) -> None:
        """An account of which this process does not know is found when its key is asked for."""
        first, taken, owners = account("ann"), account("ANN"), list[Account]()
        book = self.new_book()
        twin = StoredAccounts(self.journal)
        book.add(first, owners.append)
        twin.add(taken, owners.append)
        self.assertEqual(twin.find("ann"), taken)
        self.settle()
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
        self.settle()
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
        self.settle()
        self.assertEqual((owners, book.find("ann"), book._pending, book._learned), ([mine], None, {}, {}))
        book.add(changed, owners.append)
        book.learn("ann", other)
        book.learn("zoe", None)
        book.rename(changed, "zoe", lambda: None)
        book.learn("zoe", other)
        self.settle()
        self.assertEqual((book.find("ann"), book.find("zoe")), (other, other))


class MemoryAccountsTests(AccountsContract, PropertyCase):
    """`AccountsContract` for accounts that end with the host."""

    def new_book(self) -> Accounts:
        return StoredAccounts(MemoryJournal())


class StoredBansTests(BansContract, StoreCase, PropertyCase):
    """`BansContract` for SQLite."""

    def new_store(self) -> BanStore:
        self.journal = self.start()
        return self.journal

    def restarted(self) -> BanStore:
        self.stop(self.journal)
        return self.new_store()

    def settle(self) -> None:
        self.pump.settle(self.journal)
        self.assertEqual(self.pump.broken, [])
