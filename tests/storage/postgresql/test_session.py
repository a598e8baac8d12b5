"""Sessions with the database: what is checked at the start, and which errors mean a lost connection."""

from typing import Any

from gamehost.journal.records import StoreUnusable
from gamehost.storage.changes import StoreFailed
from gamehost.storage.postgresql.session import LineLost, Session, check_for_writing, connect
from tests.kit.postgresql_store import PostgresCase


class Sessions(PostgresCase):
    """A test case with a session."""

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
        """Names of players have any letters."""
        database = self.server.new_database("ENCODING 'LATIN1' TEMPLATE template0")
        self.addCleanup(self.server.drop, database)
        self.url = self.server.url(database)
        self.assertIn("encoded in LATIN1; expected UTF8", self.refused())

    def test_a_server_that_does_not_wait_for_its_disk(self) -> None:
        """Each setting by its name."""
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

            def rows(self, sql: str, parameters: Any = ()) -> list[Any]:
                return [(busy + 1,)] if "backend_pid" in sql else real.rows(sql, parameters)

            def run(self, sql: str, parameters: Any = ()) -> int:
                nonlocal busy
                busy += sql == "BEGIN"
                return 0

        error = self.assertRaises(
            StoreUnusable, check_for_writing, Pooled(real.connection), lambda: Pooled(connect(self.url).connection)
        )
        self.assertIn("pooler in transaction mode", str(error))


class ErrorTests(Sessions):
    """Which errors end a session."""

    def test_an_error_of_a_statement(self) -> None:
        """The connection goes on."""
        session = self.session()
        for sql in ("SELECT nonsense", "SELECT 1 / 0"):
            self.assertRaises(StoreFailed, session.rows, sql)
            self.assertRaises(StoreFailed, session.run, sql)
        session.prepare(b"broken", "SELECT 1 / $1::int8")
        self.assertRaises(StoreFailed, session.run_prepared, b"broken", [bytes(8)])
        self.assertEqual(session.rows("SELECT 1"), [(1,)])

    def test_a_session_that_the_server_has_ended(self) -> None:
        """By whatever call it is noticed first."""
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
    """Advisory locks."""

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
