"""The registry of a member of a cluster."""

from collections.abc import Callable, Collection
from contextlib import nullcontext
from functools import partial
from threading import Thread
from typing import Any

from attrs import define, evolve, field
from hypothesis import given
from hypothesis import strategies as st

from gamehost.accounts.bans import Ban
from gamehost.accounts.passwords import Account
from gamehost.extras.cluster.postgresql import members, registry
from gamehost.extras.cluster.postgresql import store as under_test
from gamehost.extras.cluster.postgresql.members import (
    look,
    mark_lost,
    take_over,
)
from gamehost.extras.cluster.postgresql.registry import PostgresRegistry, carry_out_group, first_group, read_offers
from gamehost.extras.cluster.postgresql.session import LineLost, Session, connect
from gamehost.journal.records import Leave, StoreUnusable, TableId
from gamehost.storage.contents import AddAccount, StoreFailed, delete_account, put_ban
from gamehost.storage.names import (
    Answer,
    AnyRequest,
    Claim,
    NewNumbers,
    Registry,
    Release,
    Request,
    Transfer,
    Wait,
    WaitNoLonger,
)
from gamehost.storage.own import PutLeave
from gamehost.storage.row_codec import Head
from gamehost.testing.cases import PropertyCase
from tests.kit.memory_registry import Rows, carry_out
from tests.kit.postgresql import RegistryCase
from tests.kit.registry_contract import RecordingWatcher, RegistryContract


class PostgresRegistryTests(RegistryCase, RegistryContract, PropertyCase):
    tables = 0

    def open_table(self, registry: Registry, *names: str) -> TableId:
        self.tables += 1
        return self.living[registry.epoch].open_table(self.tables, *names)

    def put_account(self, registry: Registry, account: Account) -> None:
        self.living[registry.epoch].store.commit([AddAccount(account)])

    def drop_account(self, registry: Registry, account: Account) -> None:
        self.living[registry.epoch].store.commit([delete_account(account.key)])

    def put_ban(self, registry: Registry, ban: Ban) -> None:
        self.living[registry.epoch].store.commit([put_ban(ban)])

    def put_leave(self, registry: Registry, leave: Leave) -> None:
        self.living[registry.epoch].store.commit([PutLeave(leave)])


class LineTests(RegistryCase):
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
        self.begin_run()
        self.cut_registry()
        self.until(lambda: len(self.watcher.members) == 2 and len(self.warned) == 2)
        self.living[2].kill()
        looks = self.count_looks()
        self.until(lambda: looks[0] > 2)
        self.assertEqual((self.watcher.epochs, self.watcher.taken), ([1, 2], []))
        self.first._restrained_until = 0.0
        self.until(lambda: self.watcher.epochs == [1] and len(self.watcher.taken) == 1)

    def count_looks(self) -> list[int]:
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
            numbers: list[Any] = []
            self.first.claim("ann", None, self.answers.append)
            self.first.waits("ann", ("onitama", ""), True)
            self.first.new_numbers(2, numbers.append)
            self.until(lambda numbers=numbers: bool(numbers))  # type: ignore[misc]
        self.assertEqual((self.answers, len(self.warned)), ([Answer(1)] * 2, 4))
        self.assertEqual(self.sql("SELECT key, id FROM seeking"), [("ann", 1)])

    def test_an_answer_is_lost_while_somebody_is_taken_over(self) -> None:
        """The host is told once, with all tables and names."""
        second = self.begin_run()
        table = second.open_table(second.store.epoch, "Ann")
        self.sql(f"INSERT INTO session VALUES ('ann', {second.store.epoch})")
        self.lose_answer("take_over")
        self.first._restrained_until = 0.0
        second.kill()
        self.until(lambda: bool(self.watcher.tables))
        looks = self.count_looks()
        self.until(lambda: looks[0] > 2)
        self.assertEqual((self.watcher.tables, self.watcher.taken), ([table], [["#wire onitama", "ann"]]))
        self.assertEqual(self.sql("SELECT key, home FROM session ORDER BY key"), [("#wire onitama", 1), ("ann", 1)])

    def test_this_life_was_ended(self) -> None:
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
        self.sql("DROP TABLE seeking")
        self.pump.until(lambda: bool(self.broken))
        self.assertIn('relation "seeking" does not exist', self.broken[0])

    def test_a_table_that_has_lost_rows(self) -> None:
        """It is taken over, and the log says why nobody plays it on."""
        second = self.begin_run()
        table = second.open_table(1, "Ann")
        self.assertEqual(
            mark_lost(second.store.session, 2, {table: Head(3, b"hash"), 77: Head(0, b"hash")}), [table, 77]
        )
        second.kill()
        self.until(lambda: self.watcher.tables == [table] and len(self.warned) == 2)
        self.assertIn(
            "table 1 is suspended: players received row 3, and the newest one in the database is row 0", self.warned[0]
        )
        self.assertEqual(self.sql("SELECT sum(tables), sum(numbers) FROM member"), [(2, 78)])

    def test_one_that_hangs(self) -> None:
        """The server ends its session when it is silent, and what it had is taken over. Who still starts may be silent."""
        second = self.begin_run()
        self.begin_run()
        table = second.open_table(1, "Ann")
        self.until(lambda: self.watcher.epochs == [1, 2, 3])
        self.patch(under_test, "_SILENCE", under_test._SILENCE.replace("3s", "1ms"))
        self.patch(type(second.store.tables), "last_table", 0)  # a beat asks for it when its session may have ended
        second.store.beat()
        self.until(lambda: self.watcher.tables == [table])
        self.until(lambda: self.watcher.epochs == [1, 3])
        self.assertRaises(LineLost, second.store.session.rows, "SELECT 1")


class WakeTests(RegistryCase):
    def members(self) -> tuple[list[PostgresRegistry], list[RecordingWatcher]]:
        registries, watchers = [self.join(), self.join()], [RecordingWatcher(), RecordingWatcher()]
        for one, watcher in zip(registries, watchers, strict=True):
            one.start(watcher)
            self.until(lambda watcher=watcher: bool(watcher.members))  # type: ignore[misc]
        return registries, watchers

    def test_members_notify_each_other(self) -> None:
        """Of who waits, pages, accounts, bans, and each other. Nobody looks by himself here."""
        self.patch(registry, "LOOK", 1e6)
        self.patch(registry, "LOOK_AT_ALL", 1e6)
        (first, _), (_, watcher) = self.members()
        first.claim("ann", None, lambda answer: None)
        first.waits("ann", QUEUE, True)
        self.until(lambda: watcher.waiting == ["ann"])
        first.waits_no_longer("ann")
        self.until(lambda: watcher.waiting == [])
        for page in ("one", "two"):
            first.show(page)
            self.until(lambda page=page: watcher.pages == {1: page})  # type: ignore[misc]
        self.living[1].store.commit([put_ban(ban := Ban("name:eve", "Eve", 1_700_000_000))])
        self.until(lambda: watcher.bans == [ban])
        third = self.begin_run()
        self.until(lambda: watcher.epochs == [1, 2, 3])
        third.store.close()
        self.until(lambda: watcher.epochs == [1, 2])

    def test_a_notification_is_lost(self) -> None:
        """All is looked at now and then."""
        self.patch(registry, "LOOK_AT_ALL", 0.3)
        (first, _), (_, watcher) = self.members()
        self.patch(registry, "_WAKE", "SELECT 1")
        first.claim("ann", None, lambda answer: None)
        first.waits("ann", QUEUE, True)
        self.until(lambda: watcher.waiting == ["ann"])

    def test_when_nothing_happens(self) -> None:
        """One statement a look."""
        one = self.join()
        one._watcher = RecordingWatcher()
        one._look()
        one._look_at_all = float("inf")
        asked: list[Any] = []
        rows = Session.rows

        def counted(*words: Any) -> Any:
            asked.append(words)
            return rows(*words)

        self.patch(Session, "rows", counted)
        one._look()
        self.assertEqual(len(asked), 1)


class OpeningTests(RegistryCase):
    def test_a_database_that_stays_away(self) -> None:
        now = [0.0]

        def connect(store: str) -> Any:
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
        url = self.server.url("nothing")
        error = self.assertRaises(StoreUnusable, PostgresRegistry, 1, url, self.pump.from_thread, self.fail)
        self.assertIn(f"{url}: there is no connection to the database", str(error))

    def test_a_stop_before_the_start(self) -> None:
        stopped: list[bool] = []
        self.join().stop(lambda: stopped.append(True))
        self.assertEqual(stopped, [True])


QUEUE = ("onitama", "")


class GroupCase(RegistryCase):
    """Groups of requests of members that live, each with a session of its own."""

    count = 2

    def setUp(self) -> None:
        super().setUp()
        self.sessions = {number: self.begin_run().store.session for number in range(1, self.count + 1)}
        for session in self.sessions.values():
            session.run("SET lock_timeout = '20s'")  # an error of the test

    def do(self, me: int, *requests: Request, gone: Collection[int] = ()) -> list[int | bool | None]:
        results: list[int | bool | None] = []
        while left := requests[len(results) :]:
            found = carry_out_group(self.sessions[me], first_group(left), me, gone)[0]
            results += [one.home if isinstance(one, Answer) else one for one in found]
        return results

    def rows(self) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
        homes = self.sql("SELECT key, home FROM session ORDER BY key")
        return homes, self.sql("SELECT key, game, pool, home, movable FROM seeking ORDER BY id")


class GroupTests(GroupCase):
    def test_groups_can_be_carried_out_again(self) -> None:
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
        self.assertEqual(homes, [("ann", 1), ("tim", 2), ("tom", 1)])
        waiting = [("ann", "onitama", "", 1, False), ("tom", "onitama", "final", 1, True)]
        self.assertEqual((offers, [offer.key for offer in read_offers(self.sessions[2])]), (waiting, ["ann", "tom"]))

    def test_who_lives(self) -> None:
        """A claim has no answer if the home has ended, or is known to be gone; nor is a name moved to such a member."""
        self.do(1, Claim("ann", None))
        self.assertEqual(self.do(2, Claim("ann", None), Claim("bob", None)), [1, 2])
        self.assertEqual(self.do(2, Claim("ann", None), Transfer("bob", 1), gone=(1,)), [None, False])
        self.sql("UPDATE member SET ended = now() WHERE epoch = 1")
        self.assertEqual(self.do(2, Claim("ann", None), Transfer("bob", 1)), [None, False])
        self.assertRaises(StoreFailed, self.do, 1, Claim("tom", None))
        self.assertEqual(self.rows()[0], [("ann", 1), ("bob", 2)])

    def test_what_is_one_group(self) -> None:
        """A name comes once in each list, and a claim with a queue behind nothing that changes who waits."""
        wait = Wait("ann", QUEUE, True)
        cases: list[tuple[list[AnyRequest], int]] = [
            ([Claim("ann", None), wait, WaitNoLonger("bob"), Release(["bob", "eve"]), Claim("tom", None), wait], 5),
            ([Claim("ann", None), Claim("ann", None)], 1),
            ([Release(["ann", "bob"]), Claim("bob", None)], 1),
            ([Claim("bob", QUEUE), Claim("eve", QUEUE), wait, Claim("tom", QUEUE)], 3),
            ([Claim("ann", None), NewNumbers(3)], 1),
        ]
        for requests, first in cases:
            self.assertEqual(len(first_group(requests)), first, f"{requests}")

    def test_as_in_memory(self) -> None:
        """Whatever two members ask, the results and the rows are those of the model. Member 3 has ended."""
        self.begin_run()
        self.sql("UPDATE member SET ended = now() WHERE epoch = 3")

        @given(st.lists(st.tuples(st.integers(1, 2), st.lists(requests, min_size=1, max_size=6)), max_size=8))
        def check(groups: list[tuple[int, list[Request]]]) -> None:
            self.sql("DELETE FROM session; DELETE FROM seeking")
            self.sql("INSERT INTO session VALUES ('old', 3)")
            model = Rows({"old": 3}, {}, {1, 2})
            for me, group in groups:
                results, model = carry_out(group, model, me)
                self.assertEqual(self.do(me, *group), results)
                homes = sorted(model.homes.items())
                offers = [(one.key, *one.queue, one.home, one.movable) for one in model.offers.values()]
                self.assertEqual(self.rows(), (homes, offers))
                numbered = {key: evolve(one, order=n) for n, (key, one) in enumerate(model.offers.items(), 1)}
                model = Rows(model.homes, numbered, model.living)

        check()


keys = st.sampled_from(["ann", "bob", "old", "new"])
queues = st.sampled_from([QUEUE, ("onitama", "final")])
requests = st.one_of(
    st.builds(Claim, keys, st.none() | queues),
    st.builds(Claim, keys, queues),
    st.builds(Wait, keys, queues, st.booleans()),
    st.builds(WaitNoLonger, keys),
    st.builds(Release, st.lists(keys, min_size=1, max_size=2, unique=True)),
    st.builds(Transfer, keys, st.integers(1, 3)),
)


class LockStepTests(GroupCase):
    """What two members ask at once. Each waits for what the other one has not committed yet, or does not see it."""

    count = 3

    def begun(self, me: int, *requests: Request) -> list[int | bool | None]:
        """Carry a group out, and commit it later."""
        self.sessions[me].run("BEGIN")
        return self.do(me, *requests)

    def end(self, me: int, how: str = "COMMIT") -> None:
        self.sessions[me].run(how)

    def blocked(self, call: Callable[[], Any]) -> "Blocked":
        """Something that waits for what others have not committed."""
        count = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        [(before,)], begun = self.sql(count), Blocked(call)
        while self.sql(count) <= [(before,)]:
            self.assertTrue(begun.thread.is_alive(), "it does not wait")
        return begun

    def claim(self, me: int, *keys: str) -> Callable[[], Any]:
        return lambda: self.do(me, *(Claim(key, None) for key in keys))

    def test_two_claim_one_name(self) -> None:
        for end, home in (("COMMIT", 1), ("ROLLBACK", 2)):
            self.assertEqual(self.begun(1, Claim("ann", None)), [1])
            other = self.blocked(self.claim(2, "ann"))
            self.end(1, end)
            self.assertEqual(other.result(), [home])
            self.assertEqual(self.rows()[0], [("ann", home)])
            self.sql("DELETE FROM session")

    def test_names_are_claimed_in_one_order(self) -> None:
        """Who waits for a name has no later one. So two members never wait for each other."""
        self.begun(1, Claim("mia", None))
        second = self.blocked(self.claim(2, "zoe", "mia", "ann"))
        self.assertEqual(self.claim(3, "zoe")(), [3])
        self.end(1, "ROLLBACK")
        self.assertEqual(second.result(), [3, 2, 2])

    def test_a_name_becomes_free(self) -> None:
        """Who claims it meanwhile is told where it was, or waits until it is known."""
        self.claim(1, "ann")()
        self.begun(1, Release(["ann"]))
        other = self.blocked(self.claim(2, "ann"))
        self.end(1)
        self.assertEqual(other.result(), [2])

    def test_a_transfer_while_others_claim(self) -> None:
        """They wait for it. When the player leaves the old member then, that changes nothing."""
        for end, home in (("ROLLBACK", 1), ("COMMIT", 2)):
            self.claim(1, "ann")()
            self.assertEqual(self.begun(1, Transfer("ann", 2)), [True])
            other = self.blocked(self.claim(3, "ann"))
            self.assertEqual(self.claim(2, "bob")(), [2])
            self.end(1, end)
            self.assertEqual(other.result(), [home])
        self.assertEqual(self.do(1, Release(["ann"]), Transfer("ann", 2), Wait("ann", QUEUE, True)), [None, True, None])
        self.assertEqual(self.rows(), ([("ann", 2), ("bob", 2)], []))

    def take_over(self, dead: int) -> None:
        """Member 2 takes another one over, and commits that later."""
        self.sessions[2].run("BEGIN")
        patched = self.patch(members, "transaction", nullcontext)
        take_over(self.sessions[2], 2, dead)
        patched.restore()

    def test_a_claim_while_the_home_is_taken_over(self) -> None:
        """It waits for that. Names with a seat are at the heir then, others are free. Who is taken over claims nothing more."""
        self.claim(1, "ann", "bob", "eve")()
        self.living[1].open_table(1, "Ann", "Dan")
        self.living[1].store.session.close()
        self.sessions[1] = self.new_session()
        self.wait_until_free(1)
        self.assertEqual(self.claim(3, "ann")(), [1])
        self.take_over(1)
        other, late = self.blocked(self.claim(3, "ann", "bob", "dan")), self.blocked(self.claim(1, "tom"))
        self.end(2)
        self.assertEqual(other.result(), [2, 3, 2])
        self.assertRaises(StoreFailed, late.result)
        self.assertEqual(self.claim(3, "eve", "tom")(), [3, 3])

    def test_the_last_claim_of_who_is_taken_over(self) -> None:
        """It was begun before, so it is carried out before; and the name is free then."""
        self.living[1].store.session.close()
        self.wait_until_free(1)
        self.sessions[1] = self.new_session()
        self.begun(1, Claim("ann", None))
        other = self.blocked(lambda: take_over(self.sessions[2], 2, 1))
        self.end(1)
        self.assertEqual(other.result(), ([], []))
        self.assertEqual(self.rows()[0], [])

    def test_a_transfer_to_who_is_taken_over(self) -> None:
        """It comes before, and the name is free then; or the name stays."""
        self.claim(1, "ann", "bob")()
        self.living[3].store.session.close()
        self.wait_until_free(3)
        self.begun(1, Transfer("ann", 3))
        other = self.blocked(lambda: take_over(self.sessions[2], 2, 3))
        self.end(1)
        self.assertEqual(other.result(), ([], []))
        self.sql("UPDATE member SET ended = NULL, heir = NULL WHERE epoch = 3")
        self.take_over(3)
        self.assertEqual(self.do(1, Transfer("bob", 3)), [False])
        self.end(2)
        self.assertEqual(self.rows()[0], [("bob", 1)])

    def test_two_take_over(self) -> None:
        """One of them does."""
        self.living[1].store.session.close()
        self.wait_until_free(1)
        self.take_over(1)
        self.assertIsNone(take_over(self.sessions[3], 3, 1))
        self.end(2)
        self.assertIsNone(take_over(self.sessions[3], 3, 1))
        self.assertEqual(take_over(self.sessions[2], 2, 1), ([], []))

    def wait_until_free(self, epoch: int) -> None:
        while any(seen.epoch == epoch and seen.locked for seen in look(self.sessions[2])):
            pass

    def new_session(self) -> Session:
        session = connect(self.url)
        self.addCleanup(session.close)
        return session


@define(eq=False)
class Blocked:
    """A call in a thread of its own."""

    call: Callable[[], Any]
    thread: Thread = field(init=False)
    _outcome: list[Any] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.thread = Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._outcome.append(self.call())
        except StoreFailed as error:
            self._outcome.append(error)

    def result(self) -> Any:
        self.thread.join()
        [outcome] = self._outcome
        if isinstance(outcome, StoreFailed):
            raise outcome
        return outcome
