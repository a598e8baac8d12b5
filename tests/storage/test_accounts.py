"""The book of accounts on disk: what all books do, another life, and stores that are older than accounts."""

import sqlite3
from contextlib import closing

from gamehost.accounts.passwords import Account, Accounts, Cost, Digest
from gamehost.accounts.proofs import Proof
from gamehost.storage.accounts import SqliteAccounts, SqliteProofs
from gamehost.storage.database import APPLICATION, schemas, statements
from gamehost.storage.sqlite import SqliteJournal
from gamehost.testing.cases import PropertyCase
from tests.kit.accounts_contract import CHEAP, AccountsContract, account
from tests.storage.test_sqlite import StoreCase


class SqliteAccountsTests(AccountsContract, StoreCase, PropertyCase):
    """`AccountsContract` for SQLite, and what only a disk can do."""

    def new_book(self) -> Accounts:
        self.journal = self.start()
        return SqliteAccounts(self.journal)

    def settle(self) -> None:
        self.pump.settle(self.journal)
        self.assertEqual(self.pump.broken, [])

    def test_everything_is_there_in_another_life(self) -> None:
        """Names as they were written, digests with what they cost, and the password still fits."""
        book = self.new_book()
        book.add(account("Ann"), lambda: None)
        book.add(account("Žofie"), lambda: None)
        book.change(Account("Ann", Digest.of(b"other", Cost(n=4, r=2, p=3))), lambda: None)
        self.stop(self.journal)
        later = SqliteAccounts(self.start())
        ann, zofie = later.find("ann"), later.find("žofie")
        assert ann is not None and zofie is not None
        self.assertEqual((ann.name, zofie.name), ("Ann", "Žofie"))
        self.assertEqual((ann.digest.cost, zofie.digest.cost), (Cost(n=4, r=2, p=3), CHEAP))
        self.assertTrue(ann.digest.fits(b"other") and zofie.digest.fits(b"secret"))
        self.assertFalse(ann.digest.fits(b"secret"))

    def test_proofs_are_there_in_another_life(self) -> None:
        """As they were put last, and not those that were dropped."""
        proofs = SqliteProofs(self.start_journal())
        kept = Proof("ann", True, b"a", 20_001)
        for proof in (Proof("ann", True, b"a", 20_000), kept, Proof("ann", False, b"b", 20_000)):
            proofs.put_proof(proof)
        proofs.drop_proof(Proof("ann", False, b"b", 20_000))
        self.stop(self.journal)
        self.assertEqual(list(SqliteProofs(self.start()).proofs()), [kept])

    def start_journal(self) -> SqliteJournal:
        """The journal of a new store."""
        self.journal = self.start()
        return self.journal

    def test_accounts_and_tables_are_kept_in_one_order(self) -> None:
        """One writer: an account that was added before a move is durable before it."""
        book = self.new_book()
        called: list[str] = []
        book.add(account("ann"), lambda: called.append("ann"))
        self.play(self.journal, 1)
        self.assertEqual(called, ["ann"])

    def test_the_password_is_not_in_the_file(self) -> None:
        """Nor in what lies beside it."""
        book = self.new_book()
        book.add(account("ann", b"canary-in-the-mine"), lambda: None)
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
        book.add(account("ann"), lambda: None)
        self.settle()
        self.assertEqual(self.journal.rows("PRAGMA user_version"), [(len(schemas()),)])

    def test_the_store_itself_keeps_keys_apart(self) -> None:
        """Were the book wrong, the key of the table would stop it: the host ends rather than have a name twice."""
        book = self.new_book()
        book.add(account("ann"), lambda: None)
        twin = SqliteAccounts.__new__(SqliteAccounts)
        twin._journal, twin._accounts = self.journal, {}
        twin.add(account("ann"), self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertIn("UNIQUE constraint failed: account.key", self.pump.broken[0])
