"""The tables of a store in PostgreSQL."""

from itertools import repeat

from gamehost.accounts.bans import Ban
from gamehost.journal.records import TableId, TableRecord
from gamehost.storage.changes import (
    AddAccount,
    ChangeAccount,
    DeleteAccount,
    DropBan,
    PutBan,
    RenameAccount,
    StoreFailed,
)
from gamehost.storage.groups import build_group
from gamehost.storage.postgresql import schema
from gamehost.storage.postgresql.lives import ClusterAddress, begin_life
from gamehost.storage.postgresql.notes import write_note
from gamehost.storage.postgresql.rows import COLUMNS
from gamehost.storage.postgresql.schema import migrate, schema_version, schemas
from gamehost.storage.postgresql.session import connect
from gamehost.storage.row_codec import Head
from gamehost.testing.journal_contract import MOVE, OPENING, nothing
from tests.kit.accounts_contract import account
from tests.kit.postgresql_store import PostgresCase


class SchemaTests(PostgresCase):
    """From an empty database to the newest schema."""

    def new_database(self) -> str:
        return self.server.new_database()

    def test_once(self) -> None:
        """A second time changes nothing."""
        session = connect(self.url)
        self.addCleanup(session.close)
        self.assertEqual(schema_version(session), 0)
        for _ in range(2):
            migrate(session)
            self.assertEqual(schema_version(session), len(schemas()))
        self.assertEqual(session.rows("SELECT seconds FROM uptime"), [(0,)])

    def test_from_the_first_schema(self) -> None:
        """What a host of an earlier release has left is there: for a host alone, and for a cluster."""
        self.earlier_release()
        session = connect(self.url)
        self.addCleanup(session.close)
        migrate(session)
        self.assertEqual(schema_version(session), len(schemas()))
        for cluster in (None, ClusterAddress("tcp:10.0.0.1:8990", "token")):
            journal = self.start(cluster=cluster)
            [table] = [one.table for one in journal.unfinished()]
            loaded: list[object] = []
            journal.load(table, loaded.append)
            self.settle(journal)
            self.assertEqual(loaded, [TableRecord(TableId(1), OPENING, (MOVE,))])
            self.assertEqual([one.name for one in journal.accounts()], ["Ann"])
            self.stop(journal)
        self.assertEqual(session.rows("SELECT key, home FROM session ORDER BY key"), [("ann", 3), ("bob", 3)])

    def earlier_release(self) -> None:
        """A database of schema 1: with a table and an account."""
        session = connect(self.url)
        self.patch(schema, "schemas", lambda: [schemas()[0]])
        migrate(session)
        self.patch(schema, "schemas", schemas)
        self.assertEqual(schema_version(session), 1)
        session.run("INSERT INTO member(name) VALUES ('a machine')")
        group = build_group(
            [(TableId(1), OPENING), (TableId(1), MOVE)], repeat(1), lambda: 0.0, lambda table: Head(0, b"")
        )
        for row in group.rows:
            session.run(f"INSERT INTO event({COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", row)
        session.run("INSERT INTO live(game, owner) VALUES (1, 1)")
        write_note(AddAccount(account("Ann")), session)
        session.close()

    def test_other_databases_are_left_alone(self) -> None:
        """Those of other programs, and those of a newer release."""
        self.sql("CREATE TABLE recipe(words text)")
        self.assertIn("a database, but not a journal of gamehost", self.refusal())
        self.assertEqual(self.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), [("recipe",)])
        self.sql("DROP TABLE recipe")
        self.stop(self.start())
        self.sql("UPDATE gamehost_schema SET version = 99")
        self.assertIn("schema 99", self.refusal())


class ChangeTests(PostgresCase):
    """What is noted of changed accounts and bans."""

    def test_while_there_is_a_cluster(self) -> None:
        """Both keys of a new name, and each key of other changes. A host alone notes nothing."""
        for cluster, expected in (
            (None, []),
            (ClusterAddress("a", "b"), ["ann", "ann", "ann", "eve", "eve", "ann", "ann"]),
        ):
            journal = self.start(cluster=cluster)
            for change in (
                AddAccount(account("Ann")),
                ChangeAccount(account("Ann")),
                RenameAccount(account("Eve"), "ann"),
                DeleteAccount("eve"),
                PutBan(Ban("ann", "Ann", 1, 2)),
                DropBan("ann"),
            ):
                journal.also(change, nothing)
            self.settle(journal)
            self.stop(journal)
            noted = self.sql("SELECT kind, key FROM change ORDER BY id")
            self.assertEqual([key for _, key in noted], expected)
        self.assertEqual([kind for kind, _ in noted], ["account"] * 5 + ["ban"] * 2)

    def test_the_order_is_that_of_the_commits(self) -> None:
        """Who changes something waits for whoever does so. So nobody reads past a change that is not committed yet."""
        one, other = connect(self.url), connect(self.url)
        self.addCleanup(one.close)
        self.addCleanup(other.close)
        begin_life(one, "machine", ClusterAddress("a", "b"))
        one.run("BEGIN")
        write_note(PutBan(Ban("ann", "Ann", 1, 2)), one)
        other.run("SET lock_timeout = 1")
        self.assertRaises(StoreFailed, write_note, AddAccount(account("Eve")), other)
        one.run("COMMIT")
        write_note(AddAccount(account("Eve")), other)
        self.assertEqual(self.sql("SELECT kind FROM change ORDER BY id"), [("ban",), ("account",)])

    def test_the_list_does_not_grow_for_ever(self) -> None:
        """What all members have read long ago is removed."""
        session = connect(self.url)
        self.addCleanup(session.close)
        begin_life(session, "machine", ClusterAddress("a", "b"))
        self.sql("INSERT INTO change(kind, key) VALUES ('ban', 'old'), ('ban', 'new')")
        self.sql("ALTER TABLE change ALTER COLUMN id RESTART WITH 100002")
        write_note(PutBan(Ban("ann", "Ann", 1, 2)), session)
        self.assertEqual(self.sql("SELECT id, key FROM change ORDER BY id"), [(100002, "ann")])
