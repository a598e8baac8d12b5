"""The log-in service: who is let in, what it costs, and what strangers can and cannot do."""

import hmac
from contextlib import nullcontext

from gamehost.accounts.login import LoginRefused, LoginService
from gamehost.accounts.passwords import Account, Cost, Digest
from gamehost.accounts.proofs import PROOF_DAYS, SECONDS_PER_DAY
from gamehost.limits import Limits
from tests.kit.accounts_contract import CHEAP
from tests.kit.login_service import AWAY, ServiceCase


class LogInTests(ServiceCase):
    """Names and passwords."""

    def test_a_free_name_becomes_an_account(self) -> None:
        """With the password as a digest of what the limits say it costs."""
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
        """Names and passwords that are none, and a guest's name."""
        self.guests.add("guest")
        for name, password, words in (
            ("", "secret", "a name has 1 to 20"),
            ("a b", "secret", "a name has 1 to 20"),
            ("a" * 21, "secret", "at most 20"),
            ("tie", "secret", "a name is not"),
            ("ann", "", "an empty password"),
            ("ann", "a" * 129, "1 to 128 printable ASCII"),
            ("Guest", "secret", "in use by a guest"),
        ):
            self.assert_refused(self.judged(name, password), words)
        self.assertEqual((self.worker.done, self.accounts.accounts), (0, {}))

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
        """Nobody is let in before it is durable, whoever knows the password."""
        self.accounts.late = True
        first, _ = self.begin("ann", "secret")
        self.worker.release()
        second, _ = self.begin("ann", "secret")
        self.worker.release()
        self.assertEqual((first, second), ([], []))
        self.accounts.release()
        self.assertEqual((first, second), (["ann"], ["ann"]))

    def test_row_52_two_register_the_same_name_at_once(self) -> None:
        """The first one wins; the other one's password is then checked against the winner's."""
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
            self.accounts.accounts["ann"] = there
            self.accounts.release()
            self.worker.release()
            self.assertEqual((first, self.accounts.accounts), ([expected], {"ann": there}))

    def test_a_guest_who_comes_while_the_password_is_worked_on_keeps_the_name(self) -> None:
        """The account is not made, and no quota is used."""
        answers, _ = self.begin("ann", "secret")
        self.guests.add("ann")
        self.worker.release()
        self.assert_refused(answers[0], "in use by a guest")
        self.assertEqual(self.accounts.accounts, {})

    def test_who_is_gone_is_not_answered(self) -> None:
        """Whether they wait, or their password is being worked on; no account is made."""
        first, attempt = self.begin("ann", "secret")
        second, waiting = self.begin("bob", "secret")
        attempt.cancel()
        waiting.cancel()
        self.worker.release()
        self.assertEqual((first, second, self.accounts.accounts, self.worker.done), ([], [], {}, 1))

    def test_work_that_fails_refuses_that_log_in_alone(self) -> None:
        """As with too little memory: it is logged, and the service goes on."""
        self.login_service = LoginService(
            self.accounts, set[str]().__contains__, self.clock, self.worker, Limits(), nullcontext(), Cost(n=3)
        )
        self.assert_refused(self.judged("ann", "canary"), "a fault of the host")
        [failure] = self.flushLoggedErrors(ValueError)
        self.assertNotIn("canary", failure.getTraceback())
        self.assert_refused(self.judged("ann", "canary"), "a fault of the host")
        self.flushLoggedErrors(ValueError)

    def test_digests_are_renewed_when_they_should_cost_more(self) -> None:
        """At the next log-in with the right password; never at a wrong one, and never downwards."""
        self.accounts.add(Account("ann", Digest.of(b"secret", Cost(n=2, r=1, p=1))), lambda owner: None)
        costly = Cost(n=4, r=1, p=1)
        self.login_service = LoginService(
            self.accounts, set[str]().__contains__, self.clock, self.worker, Limits(), nullcontext(), costly
        )
        self.judged("ann", "wrong")
        self.assertEqual(self.accounts.accounts["ann"].digest.cost, CHEAP)
        self.assertEqual(self.judged("ann", "secret"), "ann")
        self.assertEqual(self.accounts.accounts["ann"].digest.cost, costly)
        self.login_service = self.new_service()
        self.assertEqual(self.judged("ann", "secret"), "ann")
        self.assertEqual(self.accounts.accounts["ann"].digest.cost, costly)

    def test_closed_service_stores_nothing(self) -> None:
        """What is being worked on when the host stops comes to nothing; nobody is told."""
        answers, _ = self.begin("ann", "secret")
        queued, _ = self.begin("bob", "secret")
        self.login_service.close()
        self.worker.release()
        self.assertEqual((answers, queued, self.accounts.accounts), ([], [], {}))


class WorkTests(ServiceCase):
    """How much a log-in costs, and who waits for whom."""

    def test_row_55_one_at_a_time_and_no_more_than_32_wait(self) -> None:
        """The next new name is refused at once; an account is not."""
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
        self.assertEqual((self.worker.done, len(self.accounts.accounts)), (34, 34))

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
        self.assertEqual(list(self.accounts.accounts), ["ann"])


class QuotaTests(ServiceCase):
    """What is over a quota costs no work."""

    def test_row_49_this_machine_is_not_counted(self) -> None:
        """Somebody who tries things out on the host's own machine makes as many accounts as they like."""
        self.login_service = self.new_service(accounts_per_address="1")
        for number in range(5):
            self.assertEqual(self.judged(f"a{number}", "secret", "127.0.0.1"), f"a{number}")

    def test_row_49_three_new_accounts_an_hour_from_an_address(self) -> None:
        """With a limit of three the fourth has to wait for twenty minutes; other addresses do not."""
        self.login_service = self.new_service(accounts_per_address="3")
        for name in ("a1", "a2", "a3"):
            self.assertEqual(self.judged(name, "secret"), name)
        self.assert_refused(self.judged("a4", "secret"), "no new accounts from your address")
        self.assertEqual(self.judged("a4", "secret", AWAY), "a4")
        self.clock.advance(1200)
        self.assertEqual(self.judged("a5", "secret"), "a5")
        self.assert_refused(self.judged("a6", "secret"), "no new accounts")

    def test_row_49_so_many_new_accounts_an_hour_in_all(self) -> None:
        """From whatever address; and an address that could not use its own quota keeps it."""
        self.login_service = self.new_service(accounts_per_hour="2")
        for number, expected in enumerate((True, True, False)):
            verdict = self.judged(f"a{number}", "secret", f"192.0.2.{number}")
            self.assertEqual(isinstance(verdict, str), expected)
        self.clock.advance(3600)
        for number in (5, 6):
            self.assertEqual(self.judged(f"a{number}", "secret", "192.0.2.2"), f"a{number}")

    def test_row_51_twenty_failures_an_hour_from_an_address(self) -> None:
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
        """In IPv6 another address of the same network has failed as often."""
        self.login_service = self.new_service(guesses_per_minute="1000")
        self.judged("ann", "secret", AWAY)
        for number in range(20):
            self.assert_refused(self.judged("ann", f"guess{number}", f"2001:db8::{number}"), "wrong password")
        self.assertEqual(self.begin("ann", "secret", "2001:db8::ffff")[0], [])
        self.assertEqual(self.judged("ann", "secret", "2001:db8:0:1::1"), "ann")

    def test_right_passwords_use_nothing_up(self) -> None:
        """However often somebody comes back."""
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
        """It holds a token of its address, and gives it back if its client leaves before it is looked at."""
        self.judged("ann", "secret", AWAY)
        for number in range(5):
            self.judged("ann", f"guess{number}")
        waiting = [self.begin("ann", "guess")[1] for _ in range(15)]
        answers, _ = self.begin("bob", "secret")
        self.assertEqual((answers, len(self.worker.held)), ([], 0))
        self.assertEqual((self.login_service.waiting_for_quota, self.login_service.waiting_for_worker), (16, 0))
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

    def test_row_50_more_than_five_guesses_a_minute_have_to_wait(self) -> None:
        """Each twelve seconds one more is looked at: a delay, and work for none of those that wait."""
        self.judged("ann", "secret", AWAY)
        for number in range(5):
            self.assert_refused(self.judged("ann", f"guess{number}"), "wrong password")
        answers, _ = self.begin("ann", "guess")
        self.assertEqual(self.worker.release(), 0)
        self.clock.advance(11.9)
        self.assertEqual(self.worker.release(), 0)
        self.clock.advance(0.1)
        self.assertEqual(self.worker.release(), 1)
        self.assert_refused(answers[0], "wrong password")

    def test_row_50_a_stranger_locks_nobody_out(self) -> None:
        """From where the owner has been before nothing is slower; from elsewhere the right password waits its turn."""
        self.judged("ann", "secret", AWAY)
        for number in range(5):
            self.judged("ann", f"guess{number}")
        stranger, _ = self.begin("ann", "guess")
        self.begin("ann", "guess again")
        self.assertEqual(self.judged("ann", "secret", AWAY), "ann")
        owner, _ = self.begin("ann", "secret", "203.0.113.9")
        self.clock.advance(24)
        self.worker.release()
        self.assertEqual((len(stranger), owner), (1, ["ann"]))

    def test_each_address_has_one_guess_in_a_round(self) -> None:
        """Strangers at many addresses wait for each other. Nobody is refused before the password was looked at."""
        self.judged("ann", "secret", AWAY)
        for number in range(5):
            self.judged("ann", f"guess{number}")
        addresses = [f"203.0.113.{number}" for number in range(3)]
        answers = {(address, turn): self.begin("ann", "guess", address)[0] for address in addresses for turn in (1, 2)}
        self.assertEqual([*answers.values()], [[]] * 6)
        for number, seen in enumerate([*((a, 1) for a in addresses), *((a, 2) for a in addresses)], 1):
            self.clock.advance(12)
            self.worker.release()
            self.assertEqual(answers[seen], [LoginRefused("wrong password")])
            self.assertEqual(sum(map(len, answers.values())), number)

    def test_who_leaves_the_line_takes_nobody_s_turn(self) -> None:
        """The place is free again, and no timer is left."""
        self.judged("ann", "secret", AWAY)
        for number in range(5):
            self.judged("ann", f"guess{number}")
        _, attempt = self.begin("ann", "guess")
        attempt.cancel()
        self.clock.advance(0)
        self.assertEqual(self.clock.getDelayedCalls(), [])
        answers, _ = self.begin("ann", "secret")
        self.clock.advance(12)
        self.worker.release()
        self.assertEqual(answers, ["ann"])

    def test_unlimited_lifts_all_of_it(self) -> None:
        """For benchmarks: no quota and no delay."""
        self.login_service = self.new_service(unlimited="yes")
        for number in range(50):
            self.assertEqual(self.judged(f"ann{number}", "secret"), f"ann{number}")
            self.assertEqual(self.judged("ann0", f"guess{number}"), LoginRefused("wrong password"))

    def test_unlimited_lifts_the_queue_too(self) -> None:
        """Whoever wants to log in waits, however many do."""
        self.login_service = self.new_service(unlimited="yes")
        answers = [self.begin(f"ann{number}", "secret")[0] for number in range(50)]
        self.assertEqual([bool(answer) for answer in answers], [False] * 50)
        self.worker.release()
        self.assertEqual(answers, [[f"ann{number}"] for number in range(50)])


class SecrecyTests(ServiceCase):
    """Nothing of a password is shown."""

    def test_attempts_and_service_show_no_password(self) -> None:
        """While one is judged, and afterwards; digests neither. An answered attempt has forgotten it."""
        answers, attempt = self.begin("ann", "canary-1")
        self.assertNotIn("canary", repr(attempt) + repr(vars(self.login_service)))
        self.worker.release()
        self.assertEqual((answers, attempt.password), (["ann"], b""))
        self.assertNotIn("canary", repr(attempt) + repr(vars(self.login_service)) + repr(vars(self.accounts)))

    def test_comparisons_take_the_same_time(self) -> None:
        """Digests and proofs are compared by `hmac.compare_digest`, wrong ones too."""
        compared: list[bool] = []
        real = hmac.compare_digest

        def noting(one: bytes, other: bytes) -> bool:
            compared.append(real(one, other))
            return compared[-1]

        self.patch(hmac, "compare_digest", noting)
        for password in ("secret", "secret", "wrong"):
            self.judged("ann", password)
        self.assertEqual(compared, [True, False, False])
