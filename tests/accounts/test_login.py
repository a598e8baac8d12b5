"""The log-in service: who may try how often, in which order those wait who have to, and what a log-in gives."""

import hmac
from collections import Counter
from contextlib import nullcontext

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import (
    LoginAttempt,
    LoginRefused,
    LoginService,
    QuotaLines,
    WorkQueue,
)
from gamehost.accounts.names import name_of
from gamehost.accounts.passwords import CHEAP, Account, Cost, Digest
from gamehost.accounts.proofs import PROOF_DAYS, SECONDS_PER_DAY, MemoryProofs, ProvenLogins
from gamehost.limits import Limits
from gamehost.testing.cases import PropertyCase
from tests.kit.accounts import AWAY, HOME, ServiceCase


class LogInTests(ServiceCase):
    def test_a_free_name_becomes_an_account(self) -> None:
        self.assertEqual(self.judged("Ann", "secret"), "Ann")
        account = self.accounts.find("ann")
        assert account is not None
        self.assertTrue(account.digest.fits(b"secret"))
        self.assertEqual(account.digest.cost, CHEAP)

    def test_a_known_name_has_to_match(self) -> None:
        """In whatever case it is written; the answer is the name as it was first written."""
        self.judged("Ann", "secret")
        self.assert_refused(self.judged("Ann", "Secret"), "wrong password")
        self.assertEqual(self.judged("aNN", "secret"), "Ann")

    def test_what_cannot_be_is_refused_without_work(self) -> None:
        self.guests.add("guest")
        for name, password, words in (
            ("ann", "", "an empty password"),
            ("ann", "a" * 129, "1 to 128 printable ASCII"),
            ("Guest", "secret", "in use by a guest"),
        ):
            self.assert_refused(self.judged(name, password), words)
        self.assertEqual((self.worker.done, self.accounts.people), (0, {}))

    def test_new_names_and_strong_passwords(self) -> None:
        """They are asked of new accounts. A refusal costs a try, so that nobody learns which names are accounts for nothing."""
        self.login_service = self.new_service(failures_per_hour="20")
        self.accounts.add(Account("..", Digest.of(b"old", CHEAP)), lambda owner: None)
        for name, password, strong, words in (
            ("guest.7", "long enough", False, "names to guests"),
            ("...", "long enough", False, "not dots alone"),
            ("ann", "seven77", True, "at least 8 characters"),
            ("Annabelle", "aNNABELLE", True, "not its name"),
            ("..", "new", True, "wrong password"),
        ):
            self.assert_refused(self.judged(name, password, strong=strong), words)
        self.assertEqual(self.judged("..", "old", strong=True), "..")
        self.assertEqual(self.judged("ann", "eight888", strong=True), "ann")
        self.assertEqual(self.judged("bob", "b"), "bob")
        self.assertEqual(self.login_service._failures._buckets.of("192.0.2.1", 0.0).missing, 5)

    def test_new_account_waits_until_it_is_durable(self) -> None:
        self.accounts.late = True
        first, _ = self.begin("ann", "secret")
        self.worker.release()
        second, _ = self.begin("ann", "secret")
        self.worker.release()
        self.assertEqual((first, second), ([], []))
        self.accounts.release()
        self.assertEqual((first, second), (["ann"], ["ann"]))

    def test_two_register_the_same_name_at_once(self) -> None:
        for other, expected in (("secret", "ann"), ("other", LoginRefused("wrong password"))):
            self.setUp()
            first, _ = self.begin("ann", "secret")
            second, _ = self.begin("Ann", other, AWAY)
            self.worker.release()
            self.assertEqual((first, second), (["ann"], [expected]))
            account = self.accounts.find("ann")
            assert account is not None
            self.assertTrue(account.digest.fits(b"secret"))

    def test_a_name_that_another_host_registers_meanwhile(self) -> None:
        """Only the store knows. The account is not made, and the password is checked against the other one."""
        there = Account("ANN", Digest.of(b"secret", CHEAP))
        for password, expected in (("secret", "ANN"), ("other", LoginRefused("wrong password"))):
            self.setUp()
            self.accounts.late = True
            first, _ = self.begin("ann", password)
            self.worker.release()
            self.accounts.people["ann"] = there
            self.accounts.release()
            self.worker.release()
            self.assertEqual((first, self.accounts.people), ([expected], {"ann": there}))

    def test_a_guest_who_comes_while_the_password_is_worked_on_keeps_the_name(self) -> None:
        answers, _ = self.begin("ann", "secret")
        self.guests.add("ann")
        self.worker.release()
        self.assert_refused(answers[0], "in use by a guest")
        self.assertEqual(self.accounts.people, {})

    def test_who_is_gone_is_not_answered(self) -> None:
        first, attempt = self.begin("ann", "secret")
        second, waiting = self.begin("bob", "secret")
        attempt.cancel()
        waiting.cancel()
        self.worker.release()
        self.assertEqual((first, second, self.accounts.people, self.worker.done), ([], [], {}, 1))

    def test_work_that_fails_refuses_that_log_in_alone(self) -> None:
        self.login_service = LoginService(
            self.accounts, set[str]().__contains__, self.clock, self.worker, Limits(), nullcontext(), Cost(n=3)
        )
        self.assert_refused(self.judged("ann", "canary"), "a fault of the host")
        [failure] = self.flushLoggedErrors(ValueError)
        self.assertNotIn("canary", failure.getTraceback())
        self.assert_refused(self.judged("ann", "canary"), "a fault of the host")
        self.flushLoggedErrors(ValueError)

    def test_digests_are_renewed_when_they_should_cost_more(self) -> None:
        self.accounts.add(Account("ann", Digest.of(b"secret", Cost(n=2, r=1, p=1))), lambda owner: None)
        costly = Cost(n=4, r=1, p=1)
        self.login_service = LoginService(
            self.accounts, set[str]().__contains__, self.clock, self.worker, Limits(), nullcontext(), costly
        )
        self.judged("ann", "wrong")
        self.assertEqual(self.accounts.people["ann"].digest.cost, CHEAP)
        self.assertEqual(self.judged("ann", "secret"), "ann")
        self.assertEqual(self.accounts.people["ann"].digest.cost, costly)
        self.login_service = self.new_service()
        self.assertEqual(self.judged("ann", "secret"), "ann")
        self.assertEqual(self.accounts.people["ann"].digest.cost, costly)

    def test_closed_service_stores_nothing(self) -> None:
        answers, _ = self.begin("ann", "secret")
        queued, _ = self.begin("bob", "secret")
        self.login_service.close()
        self.worker.release()
        self.assertEqual((answers, queued, self.accounts.people), ([], [], {}))


class WorkTests(ServiceCase):
    def test_one_at_a_time_and_no_more_than_32_wait(self) -> None:
        self.login_service = self.new_service(failures_per_hour="1000", accounts_per_address="1000")
        answers = [self.begin(f"ann{number}", "secret")[0] for number in range(34)]
        self.assertEqual(len(self.worker.held), 1)
        self.assertEqual(self.login_service.waiting_for_worker, 33)
        self.assertEqual([bool(answer) for answer in answers], [False] * 33 + [True])
        self.assert_refused(answers[33][0], "too many log-ins at once")
        self.accounts.add(Account("Zoe", Digest.of(b"secret", CHEAP)), lambda owner: None)
        zoe, _ = self.begin("zoe", "secret", AWAY)
        self.worker.release(3)
        self.assertEqual(zoe, ["Zoe"])
        self.worker.release()
        self.assertEqual([answer[0] for answer in answers[:33]], [f"ann{number}" for number in range(33)])
        self.assertEqual((self.worker.done, len(self.accounts.people)), (34, 34))

    def test_coming_again_costs_no_work(self) -> None:
        """A right password is recognised for 30 days, after a restart too; a wrong one costs what it always does."""
        self.judged("ann", "secret")
        self.assertEqual(self.worker.done, 1)
        self.assertEqual(self.judged("ann", "secret"), "ann")
        self.assertEqual(self.worker.done, 1)
        self.assert_refused(self.judged("ann", "secreT"), "wrong password")
        self.assertEqual(self.worker.done, 2)
        self.login_service = self.new_service()
        self.assertEqual(self.judged("ann", "secret"), "ann")
        self.assertEqual(self.worker.done, 2)
        self.clock.advance(PROOF_DAYS * SECONDS_PER_DAY)
        self.assertEqual(self.judged("ann", "secret"), "ann")
        self.assertEqual(self.worker.done, 3)

    def test_unknown_name_costs_the_work_of_a_wrong_password(self) -> None:
        """Where it cannot become an account the same work is done; each is told what holds."""
        self.login_service = self.new_service(accounts_per_address="1")
        self.judged("ann", "secret")
        unknown = self.judged("bob", "guess")
        self.assertEqual(self.worker.done, 2)
        wrong = self.judged("ann", "guess")
        self.assertEqual(self.worker.done, 3)
        self.assert_refused(unknown, "no new accounts from your address")
        self.assert_refused(wrong, "wrong password")
        self.assertEqual(list(self.accounts.people), ["ann"])


class QuotaTests(ServiceCase):
    def guessed(self) -> None:
        """Ann's account is made elsewhere, and others have used up its guesses."""
        self.judged("ann", "secret", AWAY)
        for number in range(5):
            address = HOME if number < 4 else "203.0.113.77"
            answers, _ = self.begin("ann", f"guess{number}", address)
            self.clock.advance(0 if number < 4 else 2.401)
            self.worker.release()
            self.assert_refused(answers[0], "wrong password")

    def test_this_machine_is_not_counted(self) -> None:
        """Somebody who tries things out on the host's own machine makes as many accounts as they like."""
        self.login_service = self.new_service(accounts_per_address="1")
        for number in range(5):
            self.assertEqual(self.judged(f"a{number}", "secret", "127.0.0.1"), f"a{number}")

    def test_three_new_accounts_an_hour_from_an_address(self) -> None:
        self.login_service = self.new_service(accounts_per_address="3")
        for name in ("a1", "a2", "a3"):
            self.assertEqual(self.judged(name, "secret"), name)
        self.assert_refused(self.judged("a4", "secret"), "no new accounts from your address")
        self.assertEqual(self.judged("a4", "secret", AWAY), "a4")
        self.clock.advance(1200)
        self.assertEqual(self.judged("a5", "secret"), "a5")
        self.assert_refused(self.judged("a6", "secret"), "no new accounts")

    def test_so_many_new_accounts_an_hour_in_all(self) -> None:
        """From whatever address; and an address that could not use its own quota keeps it."""
        self.login_service = self.new_service(accounts_per_hour="2")
        for number, expected in enumerate((True, True, False)):
            verdict = self.judged(f"a{number}", "secret", f"192.0.2.{number}")
            self.assertEqual(isinstance(verdict, str), expected)
        self.clock.advance(3600)
        for number in (5, 6):
            self.assertEqual(self.judged(f"a{number}", "secret", "192.0.2.2"), f"a{number}")

    def test_twenty_failures_an_hour_from_an_address(self) -> None:
        """After those a right password has to wait, too: three minutes at most, as nobody else there waits."""
        self.login_service = self.new_service(guesses_per_minute="1000")
        self.judged("ann", "secret", AWAY)
        for number in range(20):
            self.assert_refused(self.judged("ann", f"guess{number}"), "wrong password")
        done = self.worker.done
        answers, _ = self.begin("ann", "secret")
        self.assertEqual(self.judged("ann", "secret", AWAY), "ann")
        self.clock.advance(179)
        self.assertEqual((answers, self.worker.done, len(self.worker.held)), ([], done, 0))
        self.clock.advance(1)
        self.assertEqual(answers, ["ann"])

    def test_failures_are_a_network_s(self) -> None:
        self.login_service = self.new_service(guesses_per_minute="1000")
        self.judged("ann", "secret", AWAY)
        for number in range(20):
            self.assert_refused(self.judged("ann", f"guess{number}", f"2001:db8::{number}"), "wrong password")
        self.assertEqual(self.begin("ann", "secret", "2001:db8::ffff")[0], [])
        self.assertEqual(self.judged("ann", "secret", "2001:db8:0:1::1"), "ann")

    def test_right_passwords_use_nothing_up(self) -> None:
        self.judged("ann", "secret")
        for _ in range(100):
            self.assertEqual(self.judged("ann", "secret"), "ann")

    def test_guesses_in_the_making_count(self) -> None:
        """Twenty of twenty-one that come at once are looked at. The last one waits until its address may fail again."""
        self.login_service = self.new_service(guesses_per_minute="1000")
        self.judged("ann", "secret", AWAY)
        answers = [self.begin("ann", f"guess{number}")[0] for number in range(21)]
        self.worker.release()
        for answer in answers[:20]:
            self.assert_refused(answer[0], "wrong password")
        self.assertEqual((answers[20], self.worker.done), ([], 21))
        self.clock.advance(180)
        self.worker.release()
        self.assert_refused(answers[20][0], "wrong password")

    def test_a_guess_that_waits_counts(self) -> None:
        self.guessed()
        waiting = [self.begin("ann", "guess")[1] for _ in range(16)]
        answers, _ = self.begin("bob", "secret")
        self.assertEqual((answers, len(self.worker.held)), ([], 0))
        self.assertEqual((self.login_service.waiting_for_quota, self.login_service.waiting_for_worker), (17, 0))
        for attempt in waiting:
            attempt.cancel()
        self.clock.advance(0)
        self.worker.release()
        self.assertEqual(answers, ["bob"])

    def test_who_leaves_after_the_comparison_gets_nothing_back(self) -> None:
        """A proved password is answered at once. So a client that gets no answer knows that its guess is wrong."""
        self.judged("ann", "secret", AWAY)
        self.begin("bob", "secret", AWAY)  # the worker is busy
        for number in range(5):
            _, attempt = self.begin("ann", f"guess{number}")
            attempt.cancel()
        self.worker.release()
        answers, attempt = self.begin("ann", "secret")
        self.assertEqual(answers, [])
        self.clock.advance(12)
        self.assertEqual(answers, ["ann"])

    def test_more_than_five_guesses_a_minute_have_to_wait(self) -> None:
        """Each twelve seconds one more is looked at: a delay, and work for none of those that wait."""
        self.guessed()
        answers, _ = self.begin("ann", "guess")
        self.assertEqual(self.worker.release(), 0)
        self.clock.advance(14.3)
        self.assertEqual(self.worker.release(), 0)
        self.clock.advance(0.1)
        self.assertEqual(self.worker.release(), 1)
        self.assert_refused(answers[0], "wrong password")
        answers, _ = self.begin("ann", "guess")
        self.clock.advance(11.9)
        self.assertEqual(self.worker.release(), 0)
        self.clock.advance(0.1)
        self.assertEqual(self.worker.release(), 1)

    def test_an_owner_at_a_new_address_waits_for_no_guesser_who_goes_on(self) -> None:
        """36 guessers at 12 addresses: a log-in waits 9.6 s at most, and after a mistyped one as long. Guesses stay bounded."""
        self.judged("ann", "secret", AWAY)
        guesses = [f"203.0.113.{number}" for number in range(12)] * 3
        told: list[list[str | LoginRefused]] = []
        for address in guesses:
            told.append(self.begin("ann", "guess", address)[0])
        for number in range(60):
            self.clock.advance(6.7)
            self.worker.release()
            if number % 20 == 7:
                wrong, _ = self.begin("ann", "mistyped", f"192.0.2.{100 + number}")
                self.clock.pump([0.1] * 97)
                self.worker.release()
                self.assert_refused(wrong[0], "wrong password")
                right, _ = self.begin("ann", "secret", f"192.0.2.{100 + number}")
                self.clock.pump([0.1] * 97)
                self.worker.release()
                self.assertEqual(right, ["ann"])
        minutes = self.clock.seconds() / 60
        self.assertLessEqual(sum(map(len, told)) + 3, 5 + 5 * minutes)

    def test_a_full_quota_keeps_nobody_waiting(self) -> None:
        """Nothing is left for others where one guess a minute is all."""
        self.login_service = self.new_service(guesses_per_minute="1")
        self.assertEqual(self.judged("ann", "secret"), "ann")
        for _ in range(3):
            self.assert_refused(self.judged("ann", "guess", AWAY), "wrong password")
            self.clock.advance(60)

    def test_who_waits_is_told_for_how_long(self) -> None:
        """The same for a name that nobody has."""
        for name in ("ann", "nobody"):
            waits: list[float] = []
            for number in range(7):
                address = f"203.0.113.{number % 2}"
                self.login_service.log_in(
                    name_of(name), "guess", address, lambda outcome: None, "no", waits=waits.append
                )
                self.worker.release()
            self.assertEqual([round(wait, 1) for wait in waits], [4.8, 16.8, 28.8])
            self.login_service.log_in(
                name_of(name), "guess", "203.0.113.9", lambda outcome: None, "no", waits=waits.append
            )
            self.login_service.log_in(
                name_of(name), "guess", "203.0.113.8", lambda outcome: None, "no", waits=waits.append
            )
            self.assertEqual([round(wait, 1) for wait in waits[3:]], [2.4, 14.4])

    def test_a_stranger_locks_nobody_out(self) -> None:
        """From where the owner has been before nothing is slower; from elsewhere the right password waits its turn."""
        self.guessed()
        stranger, _ = self.begin("ann", "guess")
        self.begin("ann", "guess again")
        self.assertEqual(self.judged("ann", "secret", AWAY), "ann")
        owner, _ = self.begin("ann", "secret", "203.0.113.9")
        self.clock.advance(24)
        self.worker.release()
        self.assertEqual((len(stranger), owner), (1, ["ann"]))

    def test_each_address_has_one_guess_in_a_round(self) -> None:
        """Strangers at many addresses wait for each other. Nobody is refused before the password was looked at."""
        self.guessed()
        addresses = [f"203.0.113.{number}" for number in range(3)]
        answers = {(address, turn): self.begin("ann", "guess", address)[0] for address in addresses for turn in (1, 2)}
        self.assertEqual([*answers.values()], [[]] * 6)
        for number, seen in enumerate([*((a, 1) for a in addresses), *((a, 2) for a in addresses)], 1):
            self.clock.advance(14.41 if number == 1 else 12)
            self.worker.release()
            self.assertEqual(answers[seen], [LoginRefused("wrong password")])
            self.assertEqual(sum(map(len, answers.values())), number)

    def test_who_leaves_the_line_takes_nobody_s_turn(self) -> None:
        self.guessed()
        _, attempt = self.begin("ann", "guess")
        attempt.cancel()
        self.clock.advance(0)
        self.assertEqual(self.clock.getDelayedCalls(), [])
        answers, _ = self.begin("ann", "secret")
        self.clock.advance(14.41)
        self.worker.release()
        self.assertEqual(answers, ["ann"])

    def test_unlimited_lifts_all_of_it(self) -> None:
        """For benchmarks: no quota and no delay, and whoever wants to log in waits, however many do."""
        self.login_service = self.new_service(unlimited="yes")
        for number in range(50):
            self.assertEqual(self.judged(f"ann{number}", "secret"), f"ann{number}")
            self.assertEqual(self.judged("ann0", f"guess{number}"), LoginRefused("wrong password"))
        answers = [self.begin(f"bob{number}", "secret")[0] for number in range(50)]
        self.assertEqual([bool(answer) for answer in answers], [False] * 50)
        self.worker.release()
        self.assertEqual(answers, [[f"bob{number}"] for number in range(50)])


class SecrecyTests(ServiceCase):
    def test_attempts_and_service_show_no_password(self) -> None:
        answers, attempt = self.begin("ann", "canary-1")
        self.assertNotIn("canary", repr(attempt) + repr(vars(self.login_service)))
        self.worker.release()
        self.assertEqual((answers, attempt.password), (["ann"], b""))
        self.assertNotIn("canary", repr(attempt) + repr(vars(self.login_service)) + repr(vars(self.accounts)))

    def test_comparisons_take_the_same_time(self) -> None:
        compared: list[bool] = []
        real = hmac.compare_digest

        def noting(one: bytes, other: bytes) -> bool:
            compared.append(real(one, other))
            return compared[-1]

        self.patch(hmac, "compare_digest", noting)
        for password in ("secret", "secret", "wrong"):
            self.judged("ann", password)
        self.assertEqual(compared, [True, False, False])


class OwnerTests(ServiceCase):
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
        """The addresses of the owner are known to the host after a restart; strangers are many and wait for each other."""
        self.judged("ann", "secret")
        self.login_service = self.new_service()
        for number in range(40):
            self.begin("ann", "guess", f"203.0.113.{number}")
        self.assertEqual(self.judged("ann", "secret"), "ann")

    def test_an_account_with_a_seat_is_not_refused_by_its_address(self) -> None:
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
        self.guesses: list[tuple[str, str, list[str | LoginRefused]]] = []
        return service

    def wait(self, seconds: float) -> None:
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
        others = {where for name, where, answers in self.guesses if name and not answers}
        if self.proven.knows("ann", address):
            return 0.5 * (self.MOST + 1)
        if address not in self.OTHERS:
            # A guesser's second try leaves nothing, and hers leaves a part of a token.
            return 12.0 * (len(others) + 1) + 2.5
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
        """From any address, whatever comes before. Each run of the host compares no more guesses than allowed."""
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


def attempt(name: str, new: bool = False, address: str = "192.0.2.1") -> LoginAttempt:
    return LoginAttempt(name_of(name), address, b"", lambda outcome: None, new=new)


class WorkQueueTests(SynchronousTestCase):
    def test_two_lines_are_served_in_turn(self) -> None:
        """The players of matches have every second piece of work, whatever the others do; within a line it is by age."""
        queue = WorkQueue(None)
        for name in ("a", "b", "c"):
            queue.put(attempt(name), seated=False)
        for name in ("x", "y"):
            queue.put(attempt(name), seated=True)
        self.assertEqual([queue.pop().name.text for _ in range(5)], ["x", "a", "y", "b", "c"])
        self.assertFalse(queue)

    def test_addresses_are_served_in_rounds(self) -> None:
        """Many log-ins from one address do not delay one from elsewhere by more than one of them."""
        queue = WorkQueue(None)
        for name in ("a", "b", "c"):
            queue.put(attempt(name), seated=False)
        queue.put(attempt("z", address="198.51.100.7"), seated=False)
        self.assertEqual([queue.pop().name.text for _ in range(4)], ["a", "z", "b", "c"])

    def test_only_new_names_are_refused(self) -> None:
        queue = WorkQueue(2)
        self.assertEqual([queue.put(attempt(name, new=True), seated=False) for name in "abc"], [True, True, False])
        self.assertEqual([queue.put(attempt(name), seated=False) for name in "xyz"], [True, True, True])
        queue.pop()
        self.assertTrue(queue.put(attempt("d", new=True), seated=False))

    def test_put_back(self) -> None:
        queue = WorkQueue(None)
        queue.put(attempt("a"), seated=False)
        queue.put_back(attempt("b"))
        self.assertEqual([queue.pop().name.text, queue.pop().name.text], ["b", "a"])
        self.assertFalse(queue)


def somebody(name: str) -> LoginAttempt:
    return LoginAttempt(name_of(name), "", b"", lambda outcome: None)


class QuotaLinesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.served: list[str] = []
        self.lines: QuotaLines[str] = QuotaLines(0.1, 1, self.clock, nullcontext(), self.serve)

    def serve(self, one: LoginAttempt) -> None:
        self.served.append(one.name.text)
        if one.name.text.endswith("right"):
            for back in one.spent:
                back()

    def enter(self, *names: str) -> list[LoginAttempt]:
        """Have some enter the line of one key; the letter of a name takes the turn."""
        entered = [somebody(name) for name in names]
        for one in entered:
            self.lines.enter("key", one.name.text[0], one)
        return entered

    def test_a_token_is_waited_for(self) -> None:
        self.enter("a1", "a2", "b1")
        self.lines.enter("other", "a", somebody("other"))
        self.assertEqual(self.served, ["a1", "other"])
        self.clock.advance(9.9)
        self.assertEqual(len(self.served), 2)
        self.clock.pump([0.1, 10, 10])
        self.assertEqual(self.served, ["a1", "other", "a2", "b1"])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_token_that_is_given_back(self) -> None:
        self.enter("a1", *(f"a{number}right" for number in range(1000)), "a2")
        self.clock.advance(10)
        self.clock.pump([0] * 1001)
        self.assertEqual(len(self.served), 1002)

    def test_who_leaves_frees_the_place(self) -> None:
        _, second, third = self.enter("a1", "a2", "b1")
        assert second.leave is not None and third.leave is not None
        second.leave()
        self.clock.advance(10)
        self.assertEqual((self.served, third.leave, self.clock.getDelayedCalls()), (["a1", "b1"], None, []))
        [fourth] = self.enter("c1")
        assert fourth.leave is not None
        fourth.leave()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_nobody_is_served_after_the_end(self) -> None:
        _, second = self.enter("a1", "a2")
        self.lines.close()
        self.clock.advance(100)
        assert second.leave is not None
        second.leave()
        self.assertEqual((self.served, self.clock.getDelayedCalls()), (["a1"], []))

    def test_a_fault_of_one_is_not_the_others(self) -> None:
        self.enter("a1", "b-unlucky", "c1")

        def serve(one: LoginAttempt) -> None:
            if one.name.text == "b-unlucky":
                raise ZeroDivisionError
            self.served.append(one.name.text)

        self.patch(self.lines, "_go_on", serve)
        self.assertRaises(ZeroDivisionError, self.clock.advance, 10)
        self.clock.advance(10)
        self.assertEqual(self.served, ["a1", "c1"])
