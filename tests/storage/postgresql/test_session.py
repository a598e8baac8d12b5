"""A session with a database, the names of databases, and their schemas."""

from itertools import repeat
from pathlib import Path
from typing import Any

import psycopg
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.journal.records import StoreUnusable, TableId, TableRecord
from gamehost.storage import postgresql
from gamehost.storage.contents import (
    AddAccount,
    StoreFailed,
    build_group,
    change_account,
    delete_account,
    drop_ban,
    put_ban,
    rename_account,
)
from gamehost.storage.postgresql import beside, is_postgresql, require_psycopg, shown
from gamehost.storage.postgresql import session as under_test
from gamehost.storage.postgresql.members import ClusterAddress, begin_run
from gamehost.storage.postgresql.session import (
    LineLost,
    Session,
    check_for_writing,
    connect,
    migrate,
    schema_version,
    schemas,
)
from gamehost.storage.questions import COLUMNS, Sql
from gamehost.storage.row_codec import Head
from tests.kit.accounts import account
from tests.kit.journal_contract import MOVE, OPENING, nothing
from tests.kit.postgresql import PostgresCase


class Sessions(PostgresCase):
    def session(self, **more: Any) -> Session:
        session = connect(self.url, **more)
        self.addCleanup(session.close)
        return session


class CheckTests(Sessions):
    """A database that would not keep what it is given is refused."""

    def refused(self, **more: str) -> str:
        session = self.session(**more)
        return str(self.assertRaises(StoreUnusable, check_for_writing, session, self.session))

    def test_a_sound_database(self) -> None:
        """A commit that is too quick is set right for the session; one that waits for a standby's answer stays."""
        for value, expected in (("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")):
            self.sql(f"ALTER DATABASE {self.database} SET synchronous_commit = {value}")
            session = self.session()
            check_for_writing(session, self.session)
            self.assertEqual(session.rows("SHOW synchronous_commit"), [(expected,)])
        self.assertEqual(session.rows("SHOW statement_timeout"), [("0",)])
        self.assertEqual(session.rows("SHOW client_connection_check_interval"), [("1s",)])
        self.assertEqual(session.rows("SHOW jit"), [("off",)])

    def test_time_limits_of_the_database_do_not_count(self) -> None:
        """An idle host is not disconnected, and a slow commit is not given up by the database."""
        self.sql(f"ALTER DATABASE {self.database} SET statement_timeout = '100ms'")
        self.assertEqual(self.session().rows("SELECT 1 FROM pg_sleep(0.11)"), [(1,)])

    def test_a_database_that_can_only_be_read(self) -> None:
        """As a standby, and as one that its owner has closed."""
        self.sql(f"ALTER DATABASE {self.database} SET default_transaction_read_only = on")
        self.assertIn("this database can only be read", self.refused())

    def test_an_encoding_without_all_names(self) -> None:
        database = self.server.new_database("ENCODING 'LATIN1' TEMPLATE template0")
        self.addCleanup(self.server.drop, database)
        self.url = self.server.url(database)
        self.assertIn("encoded in LATIN1; expected UTF8", self.refused())

    def test_a_server_that_does_not_wait_for_its_disk(self) -> None:
        for setting in ("fsync", "full_page_writes"):
            self.set_server(setting, "off")
            words = self.refused()
            self.set_server(setting, "on")
            self.assertIn(f"the server's setting {setting} is off", words)

    def set_server(self, setting: str, value: str) -> None:
        self.sql(f"ALTER SYSTEM SET {setting} = {value}")
        self.sql("SELECT pg_reload_conf()")
        while self.session().rows(f"SHOW {setting}") != [(value,)]:
            pass  # the server reads its file in its own time

    def test_a_pooler_in_transaction_mode(self) -> None:
        """It would give the next transaction another session, so it is found out with a second connection."""
        real, busy = self.session(), 0

        class Pooled(Session):
            """Each transaction has the first session that is free."""

            def rows(self, sql: Sql | str, parameters: Any = ()) -> list[Any]:
                return [(busy + 1,)] if "backend_pid" in str(sql) else real.rows(sql, parameters)

            def run(self, sql: Sql | str, parameters: Any = ()) -> int:
                nonlocal busy
                busy += sql == "BEGIN"
                return 0

        error = self.assertRaises(
            StoreUnusable, check_for_writing, Pooled(real.connection), lambda: Pooled(connect(self.url).connection)
        )
        self.assertIn("pooler in transaction mode", str(error))


class ErrorTests(Sessions):
    def test_a_process_that_stood_still(self) -> None:
        """It takes its own time for the server's silence. So a connection that is late is tried once more."""
        real: Any = psycopg.connect
        left = 1

        def late(info: str, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left >= 0:
                raise psycopg.errors.ConnectionTimeout("connection timeout expired")
            return real(info, **more)

        self.patch(psycopg, "connect", late)
        self.assertEqual(self.session().rows("SELECT 1"), [(1,)])
        left = 2
        self.assertRaises(LineLost, connect, self.url)

    def test_an_error_of_a_statement(self) -> None:
        session = self.session()
        for sql in ("SELECT nonsense", "SELECT 1 / 0"):
            self.assertRaises(StoreFailed, session.rows, sql)
            self.assertRaises(StoreFailed, session.run, sql)
        session.prepare(b"broken", "SELECT 1 / $1::int8")
        self.assertRaises(StoreFailed, session.run_prepared, b"broken", [bytes(8)])
        self.assertEqual(session.rows("SELECT 1"), [(1,)])

    def test_a_session_that_the_server_has_ended(self) -> None:
        calls: list[Any] = [
            lambda session: session.rows("SELECT 1"),
            lambda session: session.run("SELECT 1"),
            lambda session: session.run_prepared(b"one", []),
            lambda session: session.prepare(b"two", "SELECT 2"),
        ]
        for call in calls:
            session = self.session()
            session.prepare(b"one", "SELECT 1")
            self.cut()
            self.assertRaises(LineLost, call, session)
            self.assertRaises(LineLost, call, session)

    def test_no_server(self) -> None:
        """Nothing listens there; and a name that cannot be read."""
        self.assertRaises(LineLost, connect, "postgresql://gamehost@127.0.0.1:1/games")
        error = self.assertRaises(StoreUnusable, connect, "postgresql://ann:canary@[::1/games")
        self.assertIn("not the name of a database", str(error))
        self.assertNotIn("canary", str(error))


class LockTests(Sessions):
    def test_one_session_has_a_lock(self) -> None:
        """Until it ends. Others wait as long as they want to."""
        now = [0.0]

        def sleep(seconds: float) -> None:
            now[0] += seconds
            if now[0] > 1.0:
                first.close()

        first, second = self.session(), self.session()
        self.assertTrue(first.lock(7, 0.0, lambda: now[0], sleep))
        self.assertFalse(second.lock(7, 0.5, lambda: now[0], sleep))
        self.assertRegex(second.owner_of_lock(7), r"^ \(connected from 127.0.0.1 since 2\d\d\d-")
        self.assertEqual(second.owner_of_lock(8), "")
        self.assertTrue(second.lock(7, 100.0, lambda: now[0], sleep))


class SchemaTests(PostgresCase):
    def new_database(self) -> str:
        return self.server.new_database()

    def test_once(self) -> None:
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
            self.until_idle(journal)
            self.assertEqual(loaded, [TableRecord(TableId(1), OPENING, (MOVE,))])
            self.assertEqual([one.name for one in journal.accounts()], ["Ann"])
            self.stop(journal)
        self.assertEqual(session.rows("SELECT key, home FROM session ORDER BY key"), [("ann", 3), ("bob", 3)])

    def earlier_release(self) -> None:
        """A database of schema 1: with a table and an account."""
        session = connect(self.url)
        self.patch(under_test, "schemas", lambda: [schemas()[0]])
        migrate(session)
        self.patch(under_test, "schemas", schemas)
        self.assertEqual(schema_version(session), 1)
        session.run("INSERT INTO member(name) VALUES ('a machine')")
        group = build_group(
            [(TableId(1), OPENING), (TableId(1), MOVE)], repeat(1), lambda: 0.0, {}, lambda table: Head(0, b"")
        )
        for row in group.rows:
            session.run(f"INSERT INTO event({COLUMNS.postgresql}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", row)
        session.run("INSERT INTO live(game, owner) VALUES (1, 1)")
        AddAccount(account("Ann")).write(session)
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
    def test_while_there_is_a_cluster(self) -> None:
        """Both keys of a new name, and each key of other changes. A host alone notes nothing."""
        for cluster, expected in (
            (None, []),
            (ClusterAddress("a", "b"), ["ann", "ann", "ann", "eve", "eve", "ann", "ann"]),
        ):
            journal = self.start(cluster=cluster)
            for change in (
                AddAccount(account("Ann")),
                change_account(account("Ann")),
                rename_account(account("Eve"), "ann"),
                delete_account("eve"),
                put_ban(Ban("ann", "Ann", 1, 2)),
                drop_ban("ann"),
            ):
                journal.also(change, nothing)
            self.until_idle(journal)
            self.stop(journal)
            noted = self.sql("SELECT kind, key FROM change ORDER BY id")
            self.assertEqual([key for _, key in noted], expected)
        self.assertEqual([kind for kind, _ in noted], ["account"] * 5 + ["ban"] * 2)

    def test_the_order_is_that_of_the_commits(self) -> None:
        """Who changes something waits for whoever does so. So nobody reads past a change that is not committed yet."""
        one, other = connect(self.url), connect(self.url)
        self.addCleanup(one.close)
        self.addCleanup(other.close)
        begin_run(one, "machine", ClusterAddress("a", "b"))
        one.run("BEGIN")
        put_ban(Ban("ann", "Ann", 1, 2)).write(one)
        other.run("SET lock_timeout = 1")
        self.assertRaises(StoreFailed, AddAccount(account("Eve")).write, other)
        one.run("COMMIT")
        AddAccount(account("Eve")).write(other)
        self.assertEqual(self.sql("SELECT kind FROM change ORDER BY id"), [("ban",), ("account",)])

    def test_the_list_does_not_grow_for_ever(self) -> None:
        """What all members have read long ago is removed."""
        session = connect(self.url)
        self.addCleanup(session.close)
        begin_run(session, "machine", ClusterAddress("a", "b"))
        self.sql("INSERT INTO change(kind, key) VALUES ('ban', 'old'), ('ban', 'new')")
        self.sql("ALTER TABLE change ALTER COLUMN id RESTART WITH 100002")
        put_ban(Ban("ann", "Ann", 1, 2)).write(session)
        self.assertEqual(self.sql("SELECT id, key FROM change ORDER BY id"), [(100002, "ann")])


class UrlTests(SynchronousTestCase):
    def test_which_stores_are_databases(self) -> None:
        for store in ("postgresql://", "postgres://a/b", "postgresql:///gamehost?service=gamehost"):
            self.assertTrue(is_postgresql(store), store)
        for store in ("memory", "gamehost.sqlite", "postgresql", "/srv/postgresql://a", ""):
            self.assertFalse(is_postgresql(store), store)

    def test_no_password_is_shown(self) -> None:
        for store, expected in (
            ("postgresql://ann@db/games", "postgresql://ann@db/games"),
            ("postgresql://ann:canary@db:5432/games", "postgresql://ann:***@db:5432/games"),
            ("postgresql://ann:can@ary@a,b/games?x=1", "postgresql://ann:***@a,b/games?x=1"),
            ("postgresql:///games?password=canary&host=db", "postgresql:///games?password=***&host=db"),
            ("postgresql:///games?host=db&PASSWORD=canary", "postgresql:///games?host=db&PASSWORD=***"),
            ("postgresql://db/games?sslpassword=canary", "postgresql://db/games?sslpassword=***"),
            ("a:b@c.sqlite", "a:b@c.sqlite"),
        ):
            self.assertEqual(shown(store), expected)

    def test_small_files_are_in_the_working_folder(self) -> None:
        """Under the database's name, if that can be a name of a file."""
        for store, expected in (
            ("games.sqlite", "games.sqlite"),
            ("postgresql://ann@db/games", "gamehost-games"),
            ("postgresql://ann@db/../games", "gamehost-postgresql"),
            ("postgresql://", "gamehost-postgresql"),
        ):
            self.assertEqual(beside(store), Path(expected))

    def test_without_the_library(self) -> None:
        require_psycopg()
        self.patch(postgresql, "find_spec", lambda name: None)
        error = self.assertRaises(StoreUnusable, require_psycopg)
        self.assertIn("pip install 'psycopg[binary]'", str(error))
