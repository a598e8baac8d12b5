"""Accounts, proofs and bans that outlive the process."""

import shutil
import sqlite3
from collections.abc import Callable
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import BanStore
from gamehost.accounts.passwords import Account, Accounts, Cost, Digest
from gamehost.accounts.remembered import MemoryRemembered, RememberedStore
from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.storage import names as numbers
from gamehost.storage.contents import (
    AddAccount,
    Note,
    Sleep,
    Told,
    change_account,
    delete_account,
    put_uptime,
    read_accounts,
    read_uptime,
    rename_account,
)
from gamehost.storage.database import SqliteDatabase, make_tables
from gamehost.storage.durable import StoredAccounts
from gamehost.storage.memory import MemoryJournal
from gamehost.storage.names import (
    ASK_UNTIL,
    BLOCK,
    Answer,
    Asked,
    Claim,
    NewNumbers,
    Offer,
    Registry,
    Release,
    Seen,
    TableNumbers,
    Transfer,
    Wait,
    WaitNoLonger,
    look_at,
    meeting_place,
)
from gamehost.storage.questions import Database, Sql
from gamehost.storage.remembered import StoredRemembered
from gamehost.storage.sidecar import sidecar_path
from gamehost.testing.cases import PropertyCase
from tests.kit.accounts import (
    KEY_OF_A_DEVICE,
    AccountsContract,
    BansContract,
    RememberedContract,
    StoredAccountsContract,
    account,
    nobody,
)
from tests.kit.journals import rows
from tests.kit.postgresql import PostgresCase
from tests.kit.registry_contract import RecordingWatcher
from tests.storage.test_sqlite import StoreCase


class StoredAccountsTests(StoreCase, StoredAccountsContract, PropertyCase):
    def until_idle(self) -> None:
        self.pump.until_idle(self.journal)
        self.assertEqual(self.pump.broken, [])

    def test_changes_are_there_in_another_life(self) -> None:
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

    def test_what_other_members_change_is_learned(self) -> None:
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


class MemoryRememberedTests(RememberedContract, PropertyCase):
    def new_store(self) -> RememberedStore:
        return MemoryRemembered()


class StoredRememberedTests(RememberedContract, StoreCase, PropertyCase):
    def new_store(self) -> RememberedStore:
        self.journal = self.start()
        return StoredRemembered(self.journal)

    def until_idle(self) -> None:
        self.pump.until_idle(self.journal)
        self.assertEqual(self.pump.broken, [])

    def test_a_key_counts_in_the_next_life(self) -> None:
        """The file has nothing that logs in."""
        self.logins()
        ann = account("ann")
        self.remember(ann, KEY_OF_A_DEVICE)
        self.stop(self.journal)
        for path in self.folder.iterdir():
            self.assertNotIn(bytes.fromhex(KEY_OF_A_DEVICE), path.read_bytes())
            self.assertNotIn(KEY_OF_A_DEVICE.encode(), path.read_bytes())
        self.logins()
        self.assertTrue(self.counts(ann, KEY_OF_A_DEVICE))


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

    def test_unfinished_tables_know_who_was_told_their_end(self) -> None:
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
        ann, bob = (Account(name, Digest(Cost(2, 1, 1), b"salt", b"hash")) for name in ("ann", "bob"))
        self.write(AddAccount(ann), AddAccount(bob))
        carl = Account("Carl", ann.digest)
        self.write(rename_account(Account("BOB", ann.digest), "ann"), rename_account(carl, "ann"))
        self.assertEqual(set(read_accounts(self.connected)), {carl, bob})
        self.write(delete_account("carl"), delete_account("bob"), AddAccount(bob), delete_account("bob"))
        self.assertEqual(list(read_accounts(self.connected)), [])


class SqliteTests(NotesContract):
    def setUp(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.addCleanup(self.connection.close)
        make_tables(self.connection)
        self.connected = SqliteDatabase(self.connection)

    def test_a_row_is_left_of_a_deleted_account(self) -> None:
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
        from gamehost.extras.cluster.postgresql.session import connect, make_tables

        self.connected = session = connect(self.url)
        self.addCleanup(session.close)
        make_tables(session)

    def test_uptime_does_not_go_back(self) -> None:
        self.write(put_uptime(6), put_uptime(5))
        self.assertEqual(read_uptime(self.connected), 6)


del NotesContract


# The names, the members and the numbers of tables in a cluster.


QUEUE = ("onitama", "")


def offer(key: str, home: int, order: int, movable: bool = True) -> Offer:
    return Offer(key, QUEUE, home, movable, order)


class MeetingTests(SynchronousTestCase):
    def test_where_players_meet(self) -> None:
        """At the member of a player who cannot be moved, else at that of the oldest offer."""
        self.assertIsNone(meeting_place([]))
        self.assertEqual(meeting_place([offer("ann", 1, 7), offer("bob", 2, 3)]), 2)
        self.assertEqual(meeting_place([offer("ann", 1, 7, False), offer("bob", 2, 3)]), 1)


class TableNumbersTests(SynchronousTestCase):
    """Blocks that are asked for, and blocks that are taken at once because nothing is left."""

    def setUp(self) -> None:
        self.next = 1
        self.asked: list[tuple[int, Callable[[range], None]]] = []
        self.taken_now: list[int] = []
        self.numbers = TableNumbers(self.take_now)
        self.numbers.add(self.block(BLOCK))
        self.numbers.ask = lambda count, given: self.asked.append((count, given))

    def block(self, count: int) -> range:
        self.next += count
        return range(self.next - count, self.next)

    def take_now(self, count: int) -> range:
        self.taken_now.append(count)
        return self.block(count)

    def take(self, count: int) -> list[int]:
        return [self.numbers.take() for _ in range(count)]

    def answer(self) -> None:
        count, given = self.asked.pop()
        given(self.block(count))

    def test_the_next_block_comes_in_time(self) -> None:
        """It is asked for once, when fewer than 64 are left. Nobody waits."""
        self.assertEqual(self.take(40), list(range(1, 41)))
        self.assertEqual([count for count, _ in self.asked], [64])
        self.answer()
        self.assertEqual(self.take(24), list(range(41, 65)))
        self.assertEqual(self.asked, [])
        self.assertEqual(self.take(2), [65, 66])
        self.assertEqual([count for count, _ in self.asked], [64])
        self.assertEqual(self.taken_now, [])

    def test_the_next_block_comes_late(self) -> None:
        self.assertEqual(self.take(65), list(range(1, 66)))
        self.assertEqual(self.taken_now, [128])
        self.answer()
        self.assertEqual(self.take(192 - 65 + 64), list(range(66, 257)))
        self.assertEqual([count for count, _ in self.asked], [128])
        self.assertEqual(self.taken_now, [128])

    def test_nobody_to_ask(self) -> None:
        self.patch(numbers, "LARGEST_BLOCK", 200)
        self.numbers.ask = None
        self.assertEqual(self.take(600), list(range(1, 601)))
        self.assertEqual(self.taken_now, [128, 200, 200, 200])


class Kept(Registry):
    def __init__(self, epoch: int) -> None:
        super().__init__(epoch)
        self.asked: list[Asked] = []

    def _put(self, asked: Asked) -> None:
        self.asked.append(asked)


class RegistryTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.requests = Kept(1)
        self.answers: list[Any] = []

    def answer(self, result: object) -> None:
        self.requests.answer(self.requests.asked.pop(0), result)

    def test_every_request_is_put_in_order(self) -> None:
        keep = self.answers.append
        self.requests.claim("ann", QUEUE, keep)
        self.requests.waits("ann", QUEUE, False)
        self.requests.waits_no_longer("ann")
        self.requests.transfer("ann", 2, keep)
        self.requests.release(["ann", "bob"])
        self.requests.release([])
        self.requests.new_numbers(64, keep)
        wanted = [Claim("ann", QUEUE), Wait("ann", QUEUE, False), WaitNoLonger("ann"), Transfer("ann", 2)]
        more = [Release(("ann", "bob")), NewNumbers(64)]
        self.assertEqual([asked.request for asked in self.requests.asked], [*wanted, *more])
        for result in (Answer(2), None, None, True, None, range(1, 65)):
            self.answer(result)
        self.assertEqual(self.answers, [Answer(2), True, range(1, 65)])

    def test_a_name_is_taken_over_while_it_is_given_away(self) -> None:
        """It was here before, and the release is carried out after that: the host is not told that it is here."""
        watcher = self.requests._watcher = RecordingWatcher()
        self.requests.release(["ann"])
        self.requests.tell_taken_over([], ["ann", "bob"])
        self.answer(None)
        self.requests.tell_taken_over([], ["ann", "bob"])
        self.assertEqual(watcher.taken, [["bob"], ["ann", "bob"]])

    def test_a_name_that_was_given_away_meanwhile(self) -> None:
        """The claim said `here`, and then the host released the name or moved it away: the claim is made again."""
        for give_away in (lambda: self.requests.release(["ann"]), lambda: self.requests.transfer("ann", 2, print)):
            self.requests.asked.clear()
            self.requests.claim("ann", None, self.answers.append)
            self.requests.claim("bob", None, self.answers.append)
            give_away()
            self.answer(Answer(1))
            self.assertEqual(self.answers, [])
            self.assertEqual(self.requests.asked[-1].request, Claim("ann", None))
            self.answer(Answer(1))
            self.requests.asked.pop(0)
            self.answer(Answer(2))
            self.assertEqual(self.answers, [Answer(1), Answer(2)])
            self.answers.clear()

    def test_another_answer_stays(self) -> None:
        for result in (Answer(3), None):
            self.requests.claim("ann", None, self.answers.append)
            self.requests.release(["ann"])
            self.answer(result)
            self.requests.asked.clear()
        self.assertEqual(self.answers, [Answer(3), None])

    def test_claims_are_given_up(self) -> None:
        asked = Asked(Claim("ann", None), self.answers.append)
        self.assertFalse(asked.is_given_up(50.0))
        self.assertFalse(asked.is_given_up(49.9 + ASK_UNTIL))
        self.assertTrue(asked.is_given_up(50.0 + ASK_UNTIL))


class MemberTests(SynchronousTestCase):
    def test_its_token(self) -> None:
        for member in (seen(1), seen(1).member):
            self.assertNotIn("the token", repr(member))
            self.assertIn("tcp:10.0.0.1:8990", repr(member))
            self.assertEqual(member.token, "the token")


def seen(epoch: int, *, ended: bool = False, locked: bool = True) -> Seen:
    return Seen(epoch, "a machine", f"tcp:10.0.0.{epoch}:8990", "the token", ended, locked)


class LookTests(SynchronousTestCase):
    def look(self, *members: Seen, restrained: bool = False) -> tuple[list[int], list[int]]:
        """Who is alive, and who is dead."""
        living, dead = look_at(members, 2, restrained)
        return [one.epoch for one in living], dead

    def test_who_lives(self) -> None:
        """Whoever holds a lock, and was not ended."""
        self.assertEqual(self.look(seen(1), seen(2), seen(3)), ([1, 2, 3], []))
        self.assertEqual(self.look(seen(1, locked=False, ended=True), seen(2), seen(3)), ([2, 3], [1]))
        self.assertEqual(self.look(seen(1), seen(2), seen(3, locked=False)), ([1, 2], [3]))

    def test_restraint(self) -> None:
        """After a lost connection nobody is judged for a while, and all count as living whose run was not ended."""
        members = (seen(1, locked=False), seen(2), seen(3, ended=True, locked=False))
        self.assertEqual(self.look(*members, restrained=True), ([1, 2], [3]))
        self.assertEqual(self.look(*members), ([2], [1, 3]))
