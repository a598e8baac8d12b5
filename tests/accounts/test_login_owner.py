"""What others do to the owner of an account who wants to log in, and what the owner notices of it."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from gamehost.accounts.login import LoginOutcome, LoginService
from gamehost.accounts.passwords import Account
from gamehost.accounts.proofs import MemoryProofs, ProvenLogins
from gamehost.testing.cases import PropertyCase
from tests.kit.login_service import AWAY, HOME, ServiceCase


class OwnerTests(ServiceCase):
    """Attacks, one by one."""

    def test_two_hundred_right_passwords_at_once(self) -> None:
        """Behind one address that no account knows: a class comes in. All are let in, and nothing is used up."""
        self.login_service = self.new_service(log_ins_waiting="200", accounts_per_address="300", failures_per_hour="1")
        for number in range(200):
            self.judged(f"ann{number}", "secret", AWAY)
        answers = [self.begin(f"ann{number}", "secret") for number in range(200)]
        self.worker.release()
        self.assertEqual([answer for answer, _ in answers], [[f"ann{number}"] for number in range(200)])
        self.assert_refused(self.judged("ann0", "guess", "203.0.113.1"), "wrong password")

    def test_a_classmate_who_guesses_does_not_lock_the_owner_out(self) -> None:
        """From the same address, at her name or at others; after a restart, too. She waits half a minute at most."""
        for restart in (False, True):
            self.judged("ann", "secret")
            for number in range(24):
                self.begin("ann" if number % 2 else f"bob{number}", "guess")
            self.worker.release()
            if restart:
                self.login_service = self.new_service()
            for number in range(60):
                self.begin("ann", f"guess{number}")
            owner, _ = self.begin("ann", "secret")
            self.clock.pump([1] * 40)
            self.assertEqual(owner, ["ann"])
            self.worker.release()

    def test_forty_strangers_and_a_restart(self) -> None:
        """The addresses of the owner are known to the next life of the host; strangers are many and wait for each other."""
        self.judged("ann", "secret")
        self.login_service = self.new_service()
        for number in range(40):
            self.begin("ann", "guess", f"203.0.113.{number}")
        self.assertEqual(self.judged("ann", "secret"), "ann")

    def test_an_account_with_a_seat_is_not_refused_by_its_address(self) -> None:
        """At an address that has failed too often, who has a seat in a match does not wait; others do."""
        self.login_service = self.new_service(guesses_per_minute="1000", failures_per_hour="3")
        for name in ("ann", "bob"):
            self.judged(name, "secret", AWAY)
        for number in range(3):
            self.judged("carl", f"guess{number}", AWAY if not number else HOME)
            self.judged("dave", f"guess{number}")
        self.seated.add("ann")
        self.assertEqual(self.judged("ann", "secret"), "ann")
        bob, _ = self.begin("bob", "secret")
        self.worker.release()
        self.assertEqual(bob, [])
        self.clock.advance(1200)
        self.assertEqual(bob, ["bob"])

    def test_a_flood_of_log_ins_does_not_keep_a_player_out(self) -> None:
        """An account with a seat has a queue of its own, even if nothing is known of its password."""
        self.judged("ann", "secret")
        self.proofs = MemoryProofs()
        self.login_service = self.new_service(failures_per_hour="1000", accounts_per_address="1000")
        for number in range(33):
            self.begin(f"bob{number}", "secret", AWAY)
        self.seated.add("ann")
        owner, _ = self.begin("ann", "secret")
        self.worker.release(2)
        self.assertEqual(owner, ["ann"])


class CountedProofs(ProvenLogins):
    """Notes which wrong passwords of ann were compared, whether somebody is told so or not."""

    compared: Counter[str]

    def fits(self, account: Account, password: bytes) -> bool:
        fits = super().fits(account, password)
        if account.key == "ann" and not fits:
            self.compared[password.decode()] += 1
        return fits


class OwnerPropertyTests(ServiceCase, PropertyCase):
    """What others do, and what the owner of an account notices of it."""

    OTHERS = (HOME, "203.0.113.1", "203.0.113.2", "203.0.113.3")
    #: Known for the account; of the owner alone; shared with guessers.
    OWNERS = (HOME, "192.0.2.200", OTHERS[1])
    #: Connections of each address at once that guess.
    MOST = 6

    def new_service(self, **limits: str) -> LoginService:
        service = super().new_service(**limits)
        service.proven = self.proven = CountedProofs(b"key", self.proofs, self.clock.seconds)
        self.proven.compared = Counter()
        self.began = self.clock.seconds()
        self.guesses: list[tuple[str, str, list[LoginOutcome]]] = []
        return service

    def wait(self, seconds: float) -> None:
        """Let time pass, from timer to timer; the worker is quick."""
        end = self.clock.seconds() + seconds
        while True:
            self.worker.release()
            due = min((call.getTime() for call in self.clock.getDelayedCalls()), default=end)
            if due >= end:
                break
            self.clock.advance(max(due - self.clock.seconds(), 0))
        self.clock.advance(end - self.clock.seconds())
        self.worker.release()

    def guess(self, name: str, address: str, number: int, leave: bool) -> None:
        """Guesses by clients that wait for the answer, or leave at once. A guess says from where it comes."""
        waiting = sum(where == address and not answers for _, where, answers in self.guesses)
        guess = f"{'known' if self.proven.knows('ann', address) else 'unknown'} {address}"
        for one in range(min(number, self.MOST - waiting)):
            answers, attempt = self.begin(name or f"bob{one}", guess, address)
            if leave:
                attempt.cancel()
            else:
                self.guesses.append((name, address, answers))

    def longest_wait(self, address: str, seated: bool) -> float:
        """Seconds that the owner waits at most."""
        others = {where for name, where, answers in self.guesses if name and not answers}
        if self.proven.knows("ann", address):
            return 0.5 * (self.MOST + 1)
        if address not in self.OTHERS:
            return 12.0 * (len(others) + 1)
        # Behind the guesses from her own address: those that may fail once in three minutes, and those that have their rounds.
        return (self.MOST + 1) * ((0 if seated else 180) + 12 * (len(others) + 1))

    def assert_quotas(self, seated: bool) -> None:
        """No more guesses were compared than the quotas allow, and none was answered that was not compared."""
        minutes = (self.clock.seconds() - self.began) / 60
        compared = self.proven.compared
        unknown = {guess: number for guess, number in compared.items() if guess.startswith("unknown")}
        self.assertLessEqual(sum(unknown.values()), 5 + 5 * minutes)
        for guess, number in compared.items():
            self.assertLessEqual(number, 5 + 120 * minutes)
            if guess in unknown and not seated:
                self.assertLessEqual(number, 20 + minutes / 3)
        told = Counter(where for name, where, answers in self.guesses if name and answers)
        for where, number in told.items():
            self.assertLessEqual(number, compared[f"known {where}"] + compared[f"unknown {where}"])

    @given(
        st.lists(
            st.one_of(
                st.tuples(st.just("guess"), st.sampled_from(OTHERS), st.integers(1, 30)),
                st.tuples(st.just("guess and leave"), st.sampled_from(OTHERS), st.integers(1, 30)),
                st.tuples(st.just("other"), st.sampled_from(OTHERS), st.integers(1, 30)),
                st.tuples(st.just("wait"), st.just(""), st.integers(1, 90)),
                st.tuples(st.just("restart"), st.just(""), st.just(1)),
                st.tuples(st.just("owner"), st.sampled_from(OWNERS), st.just(1)),
            ),
            max_size=25,
        ),
        st.sampled_from(OWNERS),
        st.booleans(),
    )
    def test_the_owner_is_never_refused(self, steps: list[tuple[str, str, int]], last: str, seated: bool) -> None:
        """From any address, whatever comes before. Each life of the host compares no more guesses than allowed."""
        self.setUp()
        self.judged("ann", "secret")
        if seated:
            self.seated.add("ann")
        for step, address, number in [*steps, ("owner", last, 1)]:
            if step in ("guess", "guess and leave"):
                self.guess("ann", address, number, leave=step != "guess")
            elif step == "other":
                self.guess("", address, number, leave=False)
            elif step == "wait":
                self.wait(number)
            elif step == "restart":
                self.assert_quotas(seated)
                self.login_service.close()
                self.worker.held.clear()
                self.login_service = self.new_service()
            else:
                owner, _ = self.begin("ann", "secret", address)
                self.wait(0 if owner else self.longest_wait(address, seated))
                self.assertEqual(owner, ["ann"])
        self.assert_quotas(seated)
