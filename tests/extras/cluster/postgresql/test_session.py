"""A session with a database, the names of databases, their schemas, and the runs of members: who lives, and is taken over."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban
from gamehost.extras.cluster import postgresql
from gamehost.extras.cluster.postgresql import beside, is_postgresql, members, require_psycopg, shown
from gamehost.extras.cluster.postgresql import session as under_test
from gamehost.extras.cluster.postgresql import store as writing
from gamehost.extras.cluster.postgresql.members import (
    ClusterAddress,
    begin_run,
    lock_cluster,
    look,
    take_numbers,
    take_over,
)
from gamehost.extras.cluster.postgresql.registry import carry_out_group
from gamehost.extras.cluster.postgresql.session import (
    LOCK_CLASS,
    LineLost,
    Session,
    check_for_writing,
    connect,
    has_tables,
    make_tables,
    schema,
    transaction,
)
from gamehost.journal.records import (
    HOUSE_ADDRESS,
    SeatRecord,
    StoreUnusable,
    TableHeader,
    TableId,
)
from gamehost.storage.contents import (
    AddAccount,
    StoreFailed,
    change_account,
    delete_account,
    drop_ban,
    put_ban,
    rename_account,
)
from gamehost.storage.copying import inspecting
from gamehost.storage.durable import DurableJournal
from gamehost.storage.names import Answer, Claim
from gamehost.storage.questions import Sql
from gamehost.storage.schema import SCHEMA_NUMBER, fingerprint_of
from tests.kit.accounts import account
from tests.kit.journal_contract import END, MOVE, OPENING, PUT_AWAY, nothing
from tests.kit.postgresql import ClusterCase, PostgresCase


class Sessions(PostgresCase):
    def session(self) -> Session:
        session = connect(self.url)
        self.addCleanup(session.close)
        return session


class CheckTests(Sessions):
    """A database that would not keep what it is given is refused."""

    def refused(self) -> str:
        return str(self.assertRaises(StoreUnusable, check_for_writing, self.session(), self.session))

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
        self.assertEqual(session.rows("SHOW cursor_tuple_fraction"), [("1",)])

    def test_time_limits_of_the_database_do_not_count(self) -> None:
        """An idle host is not disconnected, and a slow commit is not given up by the database."""
        self.sql(f"ALTER DATABASE {self.database} SET statement_timeout = '100ms'")
        self.assertEqual(self.session().rows("SELECT 1 FROM pg_sleep(0.11)"), [(1,)])

    def test_settings_on_which_meaning_depends_are_those_of_the_session(self) -> None:
        """Whatever the database or the role has by default. A session that cannot have them is refused."""
        others = {
            "array_nulls": "off",
            "bytea_output": "escape",
            "client_encoding": "LATIN1",
            "datestyle": "German",
            "default_transaction_deferrable": "on",
            "default_transaction_isolation": "serializable",
            "intervalstyle": "iso_8601",
            "row_security": "on",
            "session_replication_role": "replica",
            "standard_conforming_strings": "off",
            "transform_null_equals": "on",
        }
        self.assertEqual(others.keys(), under_test._MEANING.keys())
        for name, value in others.items():
            self.sql(f"ALTER DATABASE {self.database} SET {name} = {value}")
        session = self.session()
        for name, wanted in under_test._MEANING.items():
            self.assertEqual(session.rows(f"SHOW {name}"), [(wanted,)])
        check_for_writing(session, self.session)
        self.sql("CREATE ROLE plain LOGIN")
        self.addCleanup(self.sql, "DROP ROLE plain")
        self.url = self.server.url(self.database, "plain")
        words = str(self.assertRaises(StoreUnusable, self.session))
        self.assertIn("the setting session_replication_role of this session is 'replica', and cannot be changed", words)
        self.assertIn("permission denied", words)

    def test_bytes_mean_the_same_under_every_setting(self) -> None:
        """Alone, and in an array."""
        every = bytes(range(256))
        self.sql(f"ALTER DATABASE {self.database} SET standard_conforming_strings = off")
        session = self.session()
        for value in ("on", "off"):
            session.run(f"SET standard_conforming_strings = {value}")
            self.assertEqual(session.rows("SELECT ?::bytea", (every,)), [(every,)])
            self.assertEqual(session.rows("SELECT unnest(?::bytea[])", ([every, b"\\x41"],)), [(every,), (b"\\x41",)])
        for kind in ("int8", "int4", "bytea", "text"):
            self.assertEqual(session.rows(f"SELECT cardinality(?::{kind}[])", ([],)), [(0,)])

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
        self.assertFalse(has_tables(session))
        for _ in range(2):
            make_tables(session)
            self.assertTrue(has_tables(session))
        self.assertEqual(session.rows("SELECT seconds FROM uptime"), [(0,)])
        self.assertEqual(session.rows("SELECT * FROM gamehost_schema"), [(SCHEMA_NUMBER, fingerprint_of(schema()))])

    def test_two_at_once(self) -> None:
        """The second one waits until the first one is done, and finds the tables."""
        first, second = connect(self.url), connect(self.url)
        self.addCleanup(first.close)
        self.addCleanup(second.close)
        with ThreadPoolExecutor() as threads, transaction(first):
            first.rows("SELECT pg_advisory_xact_lock(%s, -1)", (LOCK_CLASS,))
            made = threads.submit(make_tables, second)
            while not self.sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
                pass
            first.run(schema())
            first.run("INSERT INTO gamehost_schema VALUES (%s, %s)", (SCHEMA_NUMBER, fingerprint_of(schema())))
            first.run("COMMIT; BEGIN")
            made.result()
        self.assertTrue(has_tables(second))

    def test_other_databases_are_left_alone(self) -> None:
        self.sql("CREATE TABLE recipe(words text)")
        self.assertIn("a database, but not a journal of gamehost", self.refusal())
        self.assertEqual(self.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), [("recipe",)])

    def test_other_schemas_are_refused(self) -> None:
        """For a host alone and a member of a cluster, and nothing is changed."""
        self.stop(self.start())
        for change, words in (
            ("UPDATE gamehost_schema SET version = 2", r"it has schema 2 \([0-9a-f]{16}\), and gamehost"),
            (
                "UPDATE gamehost_schema SET version = 1, fingerprint = repeat('0', 16)",
                r"it has schema 1 \(0{16}\), and",
            ),
            ("UPDATE gamehost_schema SET fingerprint = chr(27)", "'gamehost_schema' must have one row"),
            ("DELETE FROM gamehost_schema", "'gamehost_schema' must have one row"),
            ("INSERT INTO gamehost_schema VALUES (1, repeat('0', 16)), (1, repeat('0', 16))", "must have one row"),
            ("DELETE FROM gamehost_schema; ALTER TABLE gamehost_schema DROP fingerprint", "must have one row"),
            (
                "INSERT INTO gamehost_schema VALUES (7)",
                "it has schema 7, and gamehost .*; keep the release that made it, or",
            ),
        ):
            self.sql(change)
            before = self.sql("SELECT * FROM gamehost_schema")
            for cluster in (None, ClusterAddress("tcp:10.0.0.1:8990", "token")):
                self.assertRegex(self.refusal(cluster=cluster), words)
            self.assertEqual(self.sql("SELECT * FROM gamehost_schema"), before)
        self.assertEqual(self.sql("SELECT count(*) FROM member"), [(1,)])


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
        for named, expected in (
            ("postgresql://ann@db/games", "postgresql://ann@db/games"),
            ("postgresql://ann:canary@db:5432/games", "postgresql://ann:***@db:5432/games"),
            ("postgresql://ann:can@ary@a,b/games?x=1", "postgresql://ann:***@a,b/games?x=1"),
            ("postgresql:///games?password=canary&host=db", "postgresql:///games?password=***&host=db"),
            ("postgresql:///games?host=db&PASSWORD=canary", "postgresql:///games?host=db&PASSWORD=***"),
            ("postgresql://db/games?sslpassword=canary", "postgresql://db/games?sslpassword=***"),
            ("a:b@c.sqlite", "a:b@c.sqlite"),
        ):
            self.assertEqual(shown(named), expected)

    def test_small_files_are_in_the_working_folder(self) -> None:
        """Under the database's name, if that can be a name of a file."""
        for named, expected in (
            ("games.sqlite", "games.sqlite"),
            ("postgresql://ann@db/games", "gamehost-games"),
            ("postgresql://ann@db/../games", "gamehost-postgresql"),
            ("postgresql://", "gamehost-postgresql"),
        ):
            self.assertEqual(beside(named), Path(expected))

    def test_without_the_library(self) -> None:
        """One sentence says what is wrong with it, and what to install: here with pip, and on Debian."""
        require_psycopg()

        def refusal(load: Callable[[str], Any]) -> str:
            self.patch(postgresql, "import_module", load)
            return str(self.assertRaises(StoreUnusable, require_psycopg))

        def missing(name: str) -> Any:
            raise ModuleNotFoundError(name)

        def without_libpq(name: str) -> Any:
            raise ImportError("no pq wrapper available.\nAttempts made:\n- planted")

        for load, found in (
            (missing, "none is installed"),
            (without_libpq, "the one that is installed cannot be loaded"),
            (lambda name: SimpleNamespace(__version__="3.1.7"), "3.1.7 is installed"),
        ):
            words = refusal(load)
            self.assertIn(f"needs psycopg 3.2 or newer, and {found}", words)
            self.assertIn(
                "pip install 'gamehost[postgresql]' where the host is installed; the package for Debian", words
            )
            self.assertNotIn("\n", words)
        for version in ("3.2", "3.10.1", "4.0.0.dev1"):
            self.patch(postgresql, "import_module", lambda name, one=version: SimpleNamespace(__version__=one))
            require_psycopg()


class StartTests(ClusterCase):
    def test_everything_is_taken_over(self) -> None:
        """Also from a host that was alone: each name with a seat is noted, those of house players too."""
        alone = self.start()
        table = alone.new_table()
        house = SeatRecord("easy.1", "open", HOUSE_ADDRESS)
        alone.open(table, TableHeader("onitama", 1, (SeatRecord("\u017dofie", "onitama"), house)), nothing)
        gone = self.play(alone, 0)
        self.pump.until_idle(alone)
        self.stop(alone)
        self.sql(f"UPDATE event SET body = 'x' WHERE game = {gone}")
        self.sql("INSERT INTO session VALUES ('old', 1); INSERT INTO change(kind, key) VALUES ('ban', 'x')")
        self.sql("INSERT INTO seeking(key, game, pool, home, movable) VALUES ('old', 'onitama', '', 1, true)")
        epoch = members.begin_run(self.session, "machine", ClusterAddress("a", "b", {"onitama"}))
        self.assertEqual(self.owners(), [(table, epoch), (gone, epoch)])
        self.assertEqual(self.sessions(), [("#wire open", epoch), ("easy.1", epoch), ("\u017eofie", epoch)])
        self.assertEqual(self.sql("SELECT (SELECT count(*) FROM change), (SELECT count(*) FROM seeking)"), [(0, 0)])
        self.assertEqual([seen.epoch for seen in look(self.session)], [epoch])
        self.assertEqual(take_numbers(self.session, 3), [3, 4, 5])

    def test_others_live(self) -> None:
        """Nothing is taken, also of those who have ended: that is the leader's."""
        first, second = self.member(1), self.member(2)
        own, table = self.seated(first, "Eve", "Fay"), self.seated(second, "Ann", "Bob")
        self.kill(second)
        third = self.member(3)
        self.assertEqual(self.owners(), [(own, 1), (table, 2)])
        self.assertEqual([seen.epoch for seen in look(self.session)], [1, 2, 3])
        self.assertEqual(list(third.unfinished()), [])

    def test_a_host_alone(self) -> None:
        first, second = self.member(1), self.member(2)
        tables = [self.seated(one, "Ann", "Bob") for one in (first, second)]
        self.kill(first)
        self.stop(second)
        alone = self.start()
        self.assertEqual(([one.table for one in alone.unfinished()], self.sessions()), (sorted(tables), []))
        self.assertEqual([seen.epoch for seen in look(self.session)], [3])


class ClusterLockTests(ClusterCase):
    """The lock of the cluster, and the numbers of tables."""

    def test_one_at_a_time(self) -> None:
        """Whoever starts keeps all others from that, and from taking somebody over. Names are claimed meanwhile."""
        self.member(1)
        self.stop(self.member(2))
        other = self.new_session()
        other.run("SET lock_timeout = 1")
        with transaction(self.session):
            lock_cluster(self.session)
            self.assertRaises(StoreFailed, members.begin_run, other, "machine", ClusterAddress("a", "b"))
            self.assertIsNone(take_over(other, 1, 2))
            self.assertEqual(carry_out_group(other, [Claim("ann", None)], 1, ())[0], [Answer(1)])
        self.assertEqual(take_over(other, 1, 2), ([], []))

    def test_who_says_nothing(self) -> None:
        """A member that hangs while it has the lock is ended by the server."""
        self.patch(members, "_SILENCE", members._SILENCE.replace("3s", "1ms"))
        with self.assertRaises(LineLost), transaction(self.session):
            lock_cluster(self.session)
            other = self.new_session()
            with transaction(other):
                other.rows("SELECT pg_advisory_xact_lock(%s::int, %s::int)", (LOCK_CLASS, members.CLUSTER_LOCK))
            self.session.rows("SELECT 1")

    def test_numbers_of_tables(self) -> None:
        """Each is given once, whoever asks for how many, and also if the first journal counted without the sequence."""
        self.assertEqual([take_numbers(self.session, count) for count in (1, 64, 2)], [[1], [*range(2, 66)], [66, 67]])
        self.stop(self.start())
        self.member(2)
        self.assertEqual(take_numbers(self.new_session(), 2), [132, 133])


COUNTED = "SELECT sum(tables), sum(numbers) FROM member"
LISTED = "SELECT count(*), sum(game) FROM live"


class UnfinishedTests(PostgresCase):
    def next_run(self, **more: Any) -> DurableJournal:
        """A host with a match of two moves, one whose end nobody was told, and one that is over."""
        journal = self.start(**more)
        tables = [self.play(journal, 2) for _ in range(3)]
        for table in tables[1:]:
            journal.append(table, END, nothing)
        journal.told(tables[2])
        self.until_idle(journal)
        return journal

    def after_a_life(self) -> None:
        self.empty()
        self.sql("ALTER SEQUENCE member_epoch_seq RESTART")
        self.stop(self.next_run())

    def test_nothing_was_changed(self) -> None:
        """In every way in which tables begin, end, sleep, are taken over and given up, the numbers stay right."""
        clusters = [ClusterAddress(f"tcp:10.0.0.{number}:8990", "token") for number in (1, 2)]
        for cluster in (None, clusters[0], None):
            journal = self.next_run(cluster=cluster)
            table = journal.new_table()
            journal.open(table, OPENING, nothing)
            journal.append(table, PUT_AWAY, nothing)
            self.until_idle(journal)
            self.assertEqual(self.sql(COUNTED), self.sql(LISTED))
            self.stop(journal)
            self.assertEqual(self.sql(COUNTED), self.sql(LISTED))
        one, other = (self.next_run(cluster=cluster) for cluster in clusters)
        self.stop(other)
        session = connect(self.url)
        self.addCleanup(session.close)
        for _ in range(2):
            found = take_over(session, one.epoch, other.epoch)
            self.assertEqual(found and len(found[0]), 2)
            self.assertEqual(self.sql(COUNTED), self.sql(LISTED))
        self.stop(one)
        self.stop(self.start())
        self.sql("UPDATE event SET at_ms = at_ms + 1 WHERE game = 1")
        self.stop(self.start(accept_loss=True))
        self.assertEqual(self.sql(COUNTED), self.sql(LISTED))

    def test_what_was_changed(self) -> None:
        """A row that was taken away or changed, and a table that was taken from the list or brought back to it."""
        durable = "row {} was durable, and is missing or was changed"
        for change, words in (
            ("DELETE FROM event WHERE game = 1 AND n = 2", "table 1: " + durable.format(2)),
            ("DELETE FROM event WHERE game = 1 AND n > 0", "table 1: " + durable.format(2)),
            ("DELETE FROM event WHERE game = 2 AND n = 3", "table 2: " + durable.format(3)),
            ("UPDATE event SET body = '' WHERE game = 1 AND n = 2", "table 1: row 2 does not match its hash"),
            (
                "DELETE FROM live WHERE game = 1",
                "list of unfinished tables was changed: it has 1 tables, and 2 were durable",
            ),
            ("DELETE FROM live", "it has 0 tables, and 2 were durable"),
            ("INSERT INTO live(game, owner) VALUES (3, 1)", "it has 3 tables, and 2 were durable"),
            ("UPDATE live SET game = 3 WHERE game = 2", "was changed: other tables are in it"),
        ):
            self.after_a_life()
            self.assertEqual(len(self.sql("SELECT n FROM live WHERE h IS NOT NULL")), 2)
            self.sql(change)
            for cluster in (None, ClusterAddress("tcp:10.0.0.1:8990", "token")):
                refusal = self.refusal(cluster=cluster)
                self.assertIn(words, refusal, change)
                self.assertIn("run gamehost journal verify", refusal)
                self.assertNotIn("--accept-loss", refusal)
            with inspecting(self.url) as journal:
                self.assertTrue(any(words in fault for fault in journal.verify().faults), change)
            self.stop(self.start(accept_loss=True))
            self.stop(self.start())

    def test_other_defaults_of_the_database(self) -> None:
        """A lost connection is a pause, and the next start finds everything, whatever settings a session begins with."""
        for setting in ("standard_conforming_strings = off", "default_transaction_isolation = serializable"):
            self.sql(f"ALTER DATABASE {self.database} SET {setting}")
            journal = self.next_run()
            table = self.play(journal, 2)
            self.until_idle(journal)
            self.cut()
            journal.append(table, MOVE, nothing)
            self.until_idle(journal)
            self.assertEqual(self.pump.broken, [])
            self.stop(journal)
            self.stop(self.start())
            with inspecting(self.url) as reader:
                self.assertEqual(reader.verify().faults, [])
            self.sql(f"ALTER DATABASE {self.database} RESET ALL")

    def test_up_time_is_one_row(self) -> None:
        for statement, number in (("DELETE FROM uptime", 0), ("INSERT INTO uptime VALUES (7), (8)", 2)):
            self.sql(statement)
            words = f"its table 'uptime' has {number} rows instead of one"
            self.assertIn(words, self.refusal())
            with inspecting(self.url) as journal:
                self.assertIn(words, " ".join(journal.verify().faults))

    def test_a_killed_host(self) -> None:
        """It has noted the newest rows about once a second, some tables at a time, those that waited longest first."""
        self.patch(writing, "NOTED_AT_ONCE", 2)
        self.patch(writing, "NOTE_EVERY", 0.0)
        now = [0.0]
        journal = self.start(clock=lambda: now[0])
        tables = [self.play(journal, 1) for _ in range(3)]
        for _ in range(4):  # each commit behind the time of the next mark writes one
            now[0] += 1.0
            journal.append(tables[0], MOVE, nothing)
            self.until_idle(journal)
        noted = dict(self.sql("SELECT game, n FROM live"))
        self.assertEqual(noted[tables[1]], 1)
        self.assertGreaterEqual(noted[tables[0]], 1)
        self.cut()
        self.sql(f"DELETE FROM event WHERE game = {tables[1]} AND n = 1")
        journal.append(tables[0], MOVE, nothing)
        self.pump.until(lambda: bool(self.pump.broken))
        self.assertIn("the database has lost the newest rows of 1 tables", self.pump.broken[0])
        self.stop(journal)
        self.pump.broken.clear()
        self.cut()
        self.sql("UPDATE live SET lost = false")  # as if it was killed before it could note this
        self.assertIn(f"table {tables[1]}: row 1 was durable", self.refusal())

    def test_a_table_that_is_loaded_later(self) -> None:
        """The records that a start leaves out are compared when a player comes."""
        self.after_a_life()
        journal = self.start()
        self.sql("DELETE FROM event WHERE game = 1 AND n = 2")
        found: list[Any] = []
        journal.load(TableId(1), partial(found.append))
        self.until_idle(journal)
        self.assertEqual(found, ["table 1: row 2 was durable, and is missing or was changed"])


class LostTests(PostgresCase):
    """Rows that players were told of are missing when the database is back: their tables are suspended."""

    def test_an_end_that_was_forgotten(self) -> None:
        """A match has ended a moment ago, or sleeps: what its players were told is remembered for a while."""
        journal = self.start()
        ended, asleep, other = (self.play(journal, 2) for _ in range(3))
        journal.append(ended, END, nothing)
        journal.told(ended)
        journal.sleep(asleep, 1)
        self.until_idle(journal)
        self.sql(f"DELETE FROM event WHERE game = {ended} AND n = 3; DELETE FROM event WHERE game = {asleep} AND n = 2")
        self.find_loss(journal, other)
        self.assertIn(f"Suspended: {ended}, {asleep}", self.pump.broken[0])
        self.assertEqual(self.sql("SELECT game FROM live WHERE lost ORDER BY game"), [(ended,), (asleep,)])

    def find_loss(self, journal: DurableJournal, table: TableId) -> None:
        """The connection is lost, and the host finds out what is missing when it plays on at some table."""
        self.cut()
        journal.append(table, MOVE, self.fail)
        self.pump.until(lambda: bool(self.pump.broken))
        self.stop_all()

    def lost(self, journal: DurableJournal) -> list[tuple[int, int, int | None]]:
        found: list[Any] = []
        journal.ask_store(lambda store: store.lost(), found.extend)
        self.until_idle(journal)
        return [(one.table, one.told, one.held) for one in found]

    def test_what_was_lost_is_suspended(self) -> None:
        """From the next start on, until somebody decides. A table whose rows are all gone can only be given up."""
        journal = self.start()
        table, gone, other = (self.play(journal, moves) for moves in (3, 1, 1))
        self.sql(f"DELETE FROM event WHERE game = {table} AND n > 0; DELETE FROM event WHERE game = {gone}")
        self.sql(f"DELETE FROM live WHERE game = {gone}; UPDATE member SET tables = 2, numbers = numbers - {gone}")
        self.find_loss(journal, other)
        self.pump.broken.clear()
        self.warned.clear()
        again = self.start()
        why = f"table {table} is suspended: players received row 3, and the newest one in the database is row 0; "
        self.assertEqual(self.warned[0], why + "gamehost admin lost decides")
        self.assertIn("is no row; ", self.warned[1])
        found = list(again.unfinished())
        self.assertEqual([(one.table, one.begun) for one in found], [(table, True), (other, True)])
        self.assertEqual(self.lost(again), [(table, 3, 0), (gone, 1, None)])
        answers: list[Any] = []
        again.load(table, answers.append)
        for ask in (
            lambda store: store.go_on(gone),
            lambda store: store.go_on(other),
            lambda store: store.end_lost(other),
            lambda store: store.go_on(table).table,
            lambda store: store.end_lost(gone),
        ):
            again.ask_store(ask, answers.append)
        again.load(table, answers.append)
        self.until_idle(again)
        self.assertEqual(answers[:-1], [self.warned[0], None, None, False, table, True])
        self.assertEqual((answers[-1].entries, self.lost(again)), ((), []))
        again.append(table, MOVE, nothing)
        self.until_idle(again)
        self.stop(again)
        self.warned.clear()
        self.stop(self.start())
        self.assertEqual(self.warned, [])
