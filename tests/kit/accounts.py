"""What every store of accounts and of bans must do, and a log-in service whose clock and worker the test controls."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.bans import Ban, BanStore
from gamehost.accounts.login import LoginAttempt, LoginOutcome, LoginRefused, LoginService
from gamehost.accounts.names import Name, checked_name
from gamehost.accounts.passwords import CHEAP, Account, Accounts, Cost, Digest
from gamehost.accounts.proofs import MemoryProofs, Proof, ProvenLogins
from gamehost.accounts.remembered import (
    MOST_REMEMBERED,
    RememberedLogin,
    RememberedLogins,
    RememberedStore,
    remembered_id,
)
from gamehost.limits import Limits
from gamehost.storage.durable import DurableJournal, StoredAccounts
from gamehost.testing.cases import Mixin
from tests.kit.journals import RecordingJournal
from tests.kit.reactors import HeldWorker

# The tests that every store of accounts must pass. Its tests derive `class BookTests(AccountsContract, PropertyCase)`.


def account(name: str, password: bytes = b"secret") -> Account:
    return Account(name, Digest.of(password, CHEAP))


def nobody(owner: Account) -> None:
    """Nobody waits for this account."""


class AccountsContract(Mixin):
    """The behaviours of all stores of accounts. Subclasses write `new_book` and, if callbacks come later, `until_idle`."""

    def new_book(self) -> Accounts:
        raise NotImplementedError

    def until_idle(self) -> None:
        """Wait until everything is durable."""

    def test_what_was_added_is_found(self) -> None:
        """Under its key, which all spellings of its name share; at once."""
        book = self.new_book()
        self.assertIsNone(book.find("ann"))
        ann = account("Ann")
        book.add(ann, nobody)
        self.assertEqual(book.find("ann"), ann)
        self.assertIsNone(book.find("Ann"))

    def test_a_key_is_taken_once(self) -> None:
        """A second account of a key is not added. Whoever adds it is told which one has the key."""
        book = self.new_book()
        ann = account("ann")
        owners: list[Account] = []
        book.add(ann, owners.append)
        book.add(account("ANN"), owners.append)
        self.until_idle()
        self.assertEqual(owners, [ann, ann])
        self.assertEqual(book.find("ann"), ann)

    def test_changed_digest_takes_the_place_of_the_old(self) -> None:
        book = self.new_book()
        self.assertRaises(ValueError, book.change, account("ann"), self.fail)
        book.add(account("ann"), nobody)
        newer, seen = account("ann", b"other"), list[Account | None]()
        book.change(newer, lambda: seen.append(book.find("ann")))
        self.assertEqual(book.find("ann"), newer)
        self.until_idle()
        self.assertEqual(seen, [newer])

    def test_another_name(self) -> None:
        """The password stays; the old key is free, and the new one must be."""
        book = self.new_book()
        ann, bob = account("ann"), account("bob")
        self.assertRaises(ValueError, book.rename, ann, "carl", self.fail)
        book.add(ann, nobody)
        book.add(bob, nobody)
        self.assertRaises(ValueError, book.rename, ann, "BOB", self.fail)
        carl = book.rename(ann, "Carl", lambda: None)
        self.assertEqual((carl.name, carl.digest), ("Carl", ann.digest))
        self.assertEqual((book.find("ann"), book.find("carl")), (None, carl))
        book.rename(carl, "CARL", lambda: None)
        self.assertEqual(sorted(book.names()), ["CARL", "bob"])
        self.until_idle()

    def test_a_deleted_account(self) -> None:
        book = self.new_book()
        self.assertRaises(ValueError, book.delete, account("ann"), self.fail)
        ann, other = account("ann"), account("ANN", b"other")
        book.add(ann, nobody)
        book.delete(ann, lambda: None)
        self.assertIsNone(book.find("ann"))
        owners: list[Account] = []
        book.add(other, owners.append)
        self.until_idle()
        self.assertEqual((owners, list(book.names())), ([other], ["ANN"]))

    def test_callbacks_come_once_in_the_order_of_the_calls(self) -> None:
        book = self.new_book()
        called: list[str] = []
        book.add(account("ann"), lambda owner: called.append(owner.name))
        book.add(account("bob"), lambda owner: called.append(owner.name))
        changed = account("ann")
        book.change(changed, partial(called.append, "ann again"))
        book.delete(book.rename(changed, "carl", partial(called.append, "carl")), partial(called.append, "nobody"))
        self.until_idle()
        self.assertEqual(called, ["ann", "bob", "ann again", "carl", "nobody"])


class StoredAccountsContract(AccountsContract):
    """Accounts that outlive the process, and proofs. Subclasses also write `start` and `stop`."""

    journal: DurableJournal

    def start(self) -> DurableJournal:
        raise NotImplementedError

    def stop(self, journal: DurableJournal) -> None:
        raise NotImplementedError

    def new_book(self) -> Accounts:
        self.journal = self.start()
        return StoredAccounts(self.journal)

    def test_everything_is_there_in_another_life(self) -> None:
        """Names as they were written and as they are shown, digests with what they cost, and proofs."""
        book = self.new_book()
        book.add(Account("Ann", account("Ann").digest, "Ann B"), nobody)
        book.add(account("Žofie"), nobody)
        changed = Account("Ann", Digest.of(b"other", Cost(n=4, r=2, p=3)), "Ann B")
        book.change(changed, lambda: None)
        kept = Proof("ann", True, b"a", 20_001)
        for proof in (Proof("ann", True, b"a", 20_000), kept, Proof("ann", False, b"b", 20_000)):
            self.journal.put_proof(proof)
        self.journal.drop_proof(Proof("ann", False, b"b", 19_999))
        self.stop(self.journal)
        later = self.new_book()
        zofie = later.find("žofie")
        assert zofie is not None
        self.assertEqual((later.find("ann"), zofie.name, zofie.digest.cost), (changed, "Žofie", CHEAP))
        self.assertEqual(list(later.names()), ["Ann", "Žofie"])
        self.assertEqual(list(self.journal.proofs()), [kept])

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


# The tests that every store of remembered log-ins must pass.

KEY_OF_A_DEVICE = "a1" * 32


class RememberedContract(Mixin):
    """All stores of remembered log-ins. Subclasses write `new_store`, and `until_idle` if callbacks come later."""

    def new_store(self) -> RememberedStore:
        raise NotImplementedError

    def until_idle(self) -> None:
        """Wait until everything is durable."""

    def logins(self) -> RememberedLogins:
        self.day = 20_000
        self.logins_of_all = RememberedLogins(self.new_store(), lambda: self.day * 86_400)
        return self.logins_of_all

    def remember(self, owner: Account, key: str, device: str = "") -> None:
        called: list[str] = []
        self.logins_of_all.remember(owner, key, device, partial(called.append, key))
        self.until_idle()
        self.assertEqual(called, [key])

    def counts(self, owner: Account, key: str) -> bool:
        answers: list[RememberedLogin | None] = []
        self.logins_of_all.check(owner, key, answers.append)
        self.until_idle()
        [answer] = answers
        return answer is not None

    def listed(self, owner: Account) -> list[tuple[str, int, int]]:
        answers: list[Sequence[RememberedLogin]] = []
        self.logins_of_all.of(owner, answers.append)
        self.until_idle()
        [found] = answers
        return [(one.device, one.made, one.seen) for one in found]

    def test_a_key_counts_for_its_account_until_nobody_uses_it(self) -> None:
        self.logins()
        ann, bob = account("ann"), account("bob")
        self.remember(ann, KEY_OF_A_DEVICE, "phone")
        for owner, key in (
            (bob, KEY_OF_A_DEVICE),
            (ann, "b" * 64),
            (ann, ""),
            (ann, "\udc80"),
            (ann, KEY_OF_A_DEVICE.upper()),
        ):
            self.assertFalse(self.counts(owner, key), key)
        for later in (89, 89, 1):
            self.day += later
            self.assertTrue(self.counts(ann, KEY_OF_A_DEVICE))
            self.assertEqual(self.listed(ann), [("phone", 20_000, self.day)])
        self.day += 90
        self.assertFalse(self.counts(ann, KEY_OF_A_DEVICE))
        self.assertEqual(self.listed(ann), [])

    def test_a_key_does_not_count_with_another_password(self) -> None:
        """Whoever has changed the account, at this host or at another one."""
        self.logins()
        self.remember(account("ann"), KEY_OF_A_DEVICE)
        self.assertFalse(self.counts(account("ann"), KEY_OF_A_DEVICE))

    def test_log_ins_are_ended_one_by_one_or_all(self) -> None:
        logins, ann, bob = self.logins(), account("ann"), account("bob")
        for n, (owner, device) in enumerate(((ann, "phone"), (ann, "desk"), (ann, "work"), (bob, "phone"))):
            self.remember(owner, f"{n:064x}", device)
        called: list[int] = []
        for n, ids in enumerate(([remembered_id(f"{0:064x}")], [remembered_id(f"{3:064x}")], ["x", ""], [])):
            logins.end(ann, ids, partial(called.append, n))
            self.until_idle()
        self.assertEqual(called, [0, 1, 2, 3])
        self.assertEqual({device for device, _, _ in self.listed(ann)}, {"desk", "work"})
        logins.end_all("ann")
        self.until_idle()
        self.assertEqual((self.listed(ann), self.listed(bob)), ([], [("phone", 20_000, 20_000)]))

    def test_an_account_has_some_log_ins_at_most(self) -> None:
        """The one that was used longest ago ends. Those of other accounts do not."""
        self.logins()
        ann, bob = account("ann"), account("bob")
        self.remember(bob, "b" * 64)
        for n in range(MOST_REMEMBERED + 2):
            self.day = 20_000 + n
            self.remember(ann, f"{n:064x}", str(n))
        days = range(MOST_REMEMBERED + 1, 1, -1)
        self.assertEqual(self.listed(ann), [(str(n), 20_000 + n, 20_000 + n) for n in days])
        self.assertEqual(len(self.listed(bob)), 1)


# The tests that every store of bans must pass. Its tests derive `class BansTests(BansContract, PropertyCase)`.


OLDER = Ban("name:ann", "Ann", 1, 2)
NEWER = Ban("name:ann", "ann", 3)
OTHER = Ban("network:192.0.2.0/24", "192.0.2.0/24", 5, 6)


class BansContract(Mixin):
    """All stores of bans. Subclasses write `new_store`, `restarted`, and `until_idle` if callbacks come later."""

    def new_store(self) -> BanStore:
        raise NotImplementedError

    def restarted(self) -> BanStore:
        raise NotImplementedError

    def until_idle(self) -> None:
        """Wait until everything is durable."""

    def test_a_ban_is_there_in_the_next_life(self) -> None:
        """As it was put last. One that was dropped is not."""
        store = self.new_store()
        self.assertEqual(list(store.bans()), [])
        for ban in (OLDER, OTHER, NEWER):
            store.put_ban(ban, lambda: None)
        store.drop_ban(OTHER.key, lambda: None)
        store.drop_ban("name:nobody", lambda: None)
        self.assertEqual(list(self.restarted().bans()), [NEWER])

    def test_callbacks_come_once_in_the_order_of_the_calls(self) -> None:
        store, called = self.new_store(), list[int]()
        store.put_ban(OLDER, partial(called.append, 1))
        store.drop_ban(OLDER.key, partial(called.append, 2))
        store.drop_ban(OLDER.key, partial(called.append, 3))
        self.until_idle()
        self.assertEqual(called, [1, 2, 3])


# A log-in service whose clock and worker the test controls.


HOME, AWAY = "192.0.2.1", "198.51.100.7"


class ServiceCase(SynchronousTestCase):
    """A service over accounts in memory, with a clock and a worker that the test controls."""

    def setUp(self) -> None:
        self.accounts = RecordingJournal()
        self.clock = Clock()
        self.worker = HeldWorker()
        self.guests: set[str] = set()
        self.seated: set[str] = set()
        self.proofs = MemoryProofs()
        self.login_service = self.new_service()

    def new_service(self, **limits: str) -> LoginService:
        return LoginService(
            self.accounts,
            self.guests.__contains__,
            self.clock,
            self.worker,
            Limits.read(limits),
            nullcontext(),
            CHEAP,
            proven=ProvenLogins(b"key", self.proofs, self.clock.seconds),
            is_seated=self.seated.__contains__,
        )

    def begin(
        self, name: str, password: str, address: str = HOME, strong: bool = False
    ) -> tuple[list[str | LoginRefused], LoginAttempt]:
        """A log-in, and the list that its answer will be in."""
        answers: list[str | LoginRefused] = []

        def answer(outcome: LoginOutcome) -> None:
            answers.append(outcome.text if isinstance(outcome, Name) else outcome)

        return answers, self.login_service.log_in(checked_name(name), password, address, answer, strong=strong)

    def judged(self, name: str, password: str, address: str = HOME, strong: bool = False) -> str | LoginRefused:
        answers, _ = self.begin(name, password, address, strong)
        self.worker.release()
        [answer] = answers
        return answer

    def assert_refused(self, verdict: str | LoginRefused, words: str) -> None:
        assert isinstance(verdict, LoginRefused), verdict
        self.assertIn(words, verdict.reason)
