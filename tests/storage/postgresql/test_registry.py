"""The registry of a member of a cluster."""

from functools import partial
from typing import Any

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.journal.records import StoreUnusable, TableId
from gamehost.storage import names as judging
from gamehost.storage.changes import StoreFailed
from gamehost.storage.names import Answer, Claim, Registry, Release, Request, Rows, Transfer, Wait, WaitNoLonger
from gamehost.storage.notes import AddAccount, DeleteAccount, PutBan
from gamehost.storage.postgresql import registry
from gamehost.storage.postgresql import registry as name_rows
from gamehost.storage.postgresql.registry import PostgresRegistry, carry_out_group, read_offers
from gamehost.storage.postgresql.session import LineLost
from gamehost.testing.cases import PropertyCase
from tests.kit.postgresql_members import RegistryCase
from tests.kit.registry_contract import RecordingWatcher, RegistryContract


class PostgresRegistryTests(RegistryCase, RegistryContract, PropertyCase):
    """`RegistryContract` for PostgreSQL."""

    tables = 0

    def open_table(self, registry: Registry, *names: str) -> TableId:
        self.tables += 1
        return self.living[registry.epoch].open_table(self.tables, *names)

    def put_account(self, registry: Registry, account: Account) -> None:
        self.living[registry.epoch].store.commit([AddAccount(account)])

    def drop_account(self, registry: Registry, account: Account) -> None:
        self.living[registry.epoch].store.commit([DeleteAccount(account.key)])

    def put_ban(self, registry: Registry, ban: Ban) -> None:
        self.living[registry.epoch].store.commit([PutBan(ban)])


class LineTests(RegistryCase):
    """The connection is lost, or this life is over."""

    def setUp(self) -> None:
        super().setUp()
        self.first, self.watcher = self.join(), RecordingWatcher()
        self.first.start(self.watcher)
        self.until(lambda: bool(self.watcher.members))
        self.answers: list[Answer | None] = []

    def cut_registry(self) -> None:
        """Have the server end the session of the registry."""
        self.sql(f"SELECT pg_terminate_backend({self.first._session.connection.info.backend_pid}, 5000)")

    def are_answered(self, count: int) -> bool:
        """Whether so many claims are answered, and as many connections were lost and are back."""
        return len(self.answers) == count and len(self.warned) == 2 * count

    def lose_answer(self, name: str) -> None:
        """Have the connection break right after the next call of a function."""
        function = getattr(registry, name)

        def and_lose(*arguments: Any) -> Any:
            result = function(*arguments)
            if patched.__dict__.pop("armed", False):
                raise LineLost("planted")
            return result

        patched = self.patch(registry, name, and_lose)
        patched.__dict__["armed"] = True

    def test_everything_goes_on(self) -> None:
        """A lost connection is opened again, and requests wait. The log says so."""
        for number in range(3):
            self.cut_registry()
            self.first.claim(str(number), None, self.answers.append)
            self.until(partial(self.are_answered, number + 1))
        self.assertEqual(self.answers, [Answer(1)] * 3)
        self.assertIn("is lost; log-ins wait", self.warned[0])
        self.assertIn("is back", self.warned[1])
        self.assertEqual(self.sql("SELECT count(*) FROM session"), [(3,)])

    def test_restraint(self) -> None:
        """After that nobody is judged for a while."""
        self.begin_life()
        self.cut_registry()
        self.until(lambda: len(self.watcher.members) == 2 and len(self.warned) == 2)
        self.living[2].kill()
        looks = self.count_looks()
        self.until(lambda: looks[0] > 2)
        self.assertEqual((self.watcher.epochs, self.watcher.inheritances), ([1, 2], 0))
        self.first._judge._silent_until = 0.0
        self.until(lambda: self.watcher.epochs == [1] and self.watcher.inheritances == 1)

    def count_looks(self) -> list[int]:
        """A list with the number of looks from now on."""
        looks, look = [0], self.first._look

        def counted() -> None:
            look()
            looks[0] += 1
            self.pump.from_thread(lambda: None)

        self.patch(PostgresRegistry, "_look", lambda registry: counted())
        return looks

    def test_an_answer_is_lost(self) -> None:
        """What was carried out is carried out again, with the same answers."""
        for name in ("carry_out_group", "take_numbers"):
            self.lose_answer(name)
            numbers: list[range] = []
            self.first.claim("ann", None, self.answers.append)
            self.first.waits("ann", ("onitama", ""), True)
            self.first.new_numbers(2, numbers.append)
            self.until(lambda numbers=numbers: bool(numbers))  # type: ignore[misc]
        self.assertEqual((self.answers, len(self.warned)), ([Answer(1)] * 2, 4))
        self.assertEqual(self.sql("SELECT key, id FROM seeking"), [("ann", 1)])

    def test_an_answer_is_lost_while_somebody_is_inherited(self) -> None:
        """The host is told once, with all tables. Then the names are settled."""
        for name in ("begin_inheriting", "finish_inheriting"):
            second = self.begin_life()
            epoch = second.life.epoch
            table = second.open_table(epoch, "Ann")
            self.sql(f"INSERT INTO session VALUES ('ann', {epoch})")
            self.lose_answer(name)
            self.first._judge._silent_until = 0.0
            second.kill()
            self.until(lambda table=table: self.watcher.tables[-1:] == [table])  # type: ignore[misc]
            self.until(lambda: self.sql("SELECT home, settled FROM session") == [(1, True)])
            self.sql("DELETE FROM session")
        self.assertEqual(self.watcher.inheritances, 2)

    def test_this_life_was_ended(self) -> None:
        """The host must end, and claims have no answer."""
        self.sql("UPDATE member SET ended = now()")
        self.first.claim("ann", None, self.answers.append)
        self.pump.until(lambda: bool(self.broken))
        self.assertEqual((self.broken, self.answers), (["another host has taken the journal over"], []))
        stopped: list[bool] = []
        self.first.stop(lambda: stopped.append(True))
        self.pump.until(lambda: bool(stopped))

    def test_this_life_is_over_while_the_host_stops(self) -> None:
        """Others take it over as soon as the journal is closed. That is no fault."""
        self.sql("UPDATE member SET ended = now()")
        self.first.claim("ann", None, self.answers.append)
        stopped: list[bool] = []
        self.first.stop(lambda: stopped.append(True))
        self.pump.until(lambda: bool(stopped))
        self.assertEqual(self.broken, [])

    def test_another_error(self) -> None:
        """The host ends with the words of the database."""
        self.sql("DROP TABLE seeking")
        self.pump.until(lambda: bool(self.broken))
        self.assertIn('relation "seeking" does not exist', self.broken[0])

    def test_one_that_hangs(self) -> None:
        """Its session is ended when it has noted nothing for some time, and what it had is inherited."""
        second = self.begin_life()
        table = second.open_table(1, "Ann")
        self.until(lambda: self.watcher.epochs == [1, 2])
        self.patch(judging, "HANGS_AFTER", 0.5)
        self.until(lambda: self.watcher.tables == [table])
        self.assertEqual(self.watcher.epochs, [1])
        self.assertRaises(LineLost, second.store.session.rows, "SELECT 1")


class OpeningTests(RegistryCase):
    """Before the thread is there."""

    def test_a_database_that_stays_away(self) -> None:
        """The registry gives up after ten seconds."""
        now = [0.0]

        def connect() -> Any:
            raise LineLost("planted")

        def sleep(seconds: float) -> None:
            now[0] += seconds

        one = self.join()
        one._connect, one._clock, one._sleep = connect, lambda: now[0], sleep
        error = self.assertRaises(StoreFailed, one._reconnect)
        self.assertIn("was lost, and is not back: planted", str(error))
        self.assertGreater(now[0], 9.8)
        self.assertLess(now[0], 10.1)

    def test_a_database_that_is_not_there(self) -> None:
        """The owner of the host is told which one."""
        url = self.server.url("nothing")
        error = self.assertRaises(StoreUnusable, registry.open_registry, url, 1, self.pump.from_thread, self.fail)
        self.assertIn(f"{url}: there is no connection to the database", str(error))

    def test_a_stop_before_the_start(self) -> None:
        """It takes effect at once."""
        stopped: list[bool] = []
        self.join().stop(lambda: stopped.append(True))
        self.assertEqual(stopped, [True])


QUEUE = ("onitama", "")


class GroupTests(RegistryCase):
    """Groups of two members, 1 and 2."""

    def setUp(self) -> None:
        super().setUp()
        self.sessions = {number: self.begin_life().store.session for number in (1, 2)}

    def do(self, me: int, *requests: Request, gone: tuple[int, ...] = ()) -> list[int | bool | None]:
        """The results of a group."""
        return carry_out_group(self.sessions[me], requests, me, gone)[0]

    def rows(self) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
        """Everything in the tables."""
        homes = self.sql("SELECT key, home, settled FROM session ORDER BY key")
        return homes, self.sql("SELECT key, game, pool, home, movable, id FROM seeking ORDER BY id")

    def test_groups_can_be_carried_out_again(self) -> None:
        """The results are the same, and the rows too."""
        for me, group in (
            (1, [Claim("ann", None), Claim("bob", QUEUE), Wait("ann", QUEUE, True), Release(["bob"])]),
            (2, [Claim("eve", QUEUE), Claim("ann", None), Claim("tom", None)]),
            (2, [Wait("tom", QUEUE, False)]),
            (1, [Wait("ann", QUEUE, False), WaitNoLonger("tom"), Release(["tom"])]),
            (2, [Transfer("tom", 1), Claim("tim", None), Transfer("tim", 7)]),
            (1, [Wait("tom", ("onitama", "final"), True)]),
        ):
            results = self.do(me, *group)
            rows = self.rows()
            self.assertEqual((self.do(me, *group), self.rows()), (results, rows))
        homes, offers = self.rows()
        self.assertEqual(homes, [("ann", 1, True), ("tim", 2, True), ("tom", 1, True)])
        waiting = [("ann", "onitama", "", 1, False, 1), ("tom", "onitama", "final", 1, True, 3)]
        self.assertEqual((offers, [offer.key for offer in read_offers(self.sessions[2])]), (waiting, ["ann", "tom"]))

    def test_who_lives(self) -> None:
        """A claim has no answer if the home has ended, or is known to be gone; nor is a name moved to such a member."""
        self.do(1, Claim("ann", None))
        self.assertEqual(self.do(2, Claim("ann", None), Claim("bob", None)), [1, 2])
        self.assertEqual(self.do(2, Claim("ann", None), Transfer("bob", 1), gone=(1,)), [None, False])
        self.sql("UPDATE member SET ended = now() WHERE epoch = 1")
        self.assertEqual(self.do(2, Claim("ann", None), Transfer("bob", 1)), [None, False])
        self.assertRaises(StoreFailed, self.do, 1, Claim("tom", None))
        self.assertEqual(self.rows()[0], [("ann", 1, True), ("bob", 2, True)])

    def test_a_row_that_was_not_read(self) -> None:
        """If somebody writes without the lock, the group is refused. Nothing of it is left."""
        read = name_rows._read

        def and_be_late(*arguments: object) -> Rows:
            rows = read(*arguments)  # type: ignore[arg-type]
            self.sql("INSERT INTO session VALUES ('ann', 2)")
            return rows

        self.patch(name_rows, "_read", and_be_late)
        self.assertRaises(StoreFailed, self.do, 1, Claim("bob", None), Claim("ann", None))
        self.assertEqual(self.rows()[0], [("ann", 2, True)])
