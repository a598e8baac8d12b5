"""What others do to the owner of an account who wants to log in, and what the owner notices of it."""

from hypothesis import given
from hypothesis import strategies as st

from gamehost.accounts.login import LoginOutcome, LoginRefused
from gamehost.accounts.proofs import MemoryProofs
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
        """An address that has failed too often lets in who has a seat in a match, and nobody else."""
        self.login_service = self.new_service(guesses_per_minute="1000", failures_per_hour="3")
        for name in ("ann", "bob"):
            self.judged(name, "secret", AWAY)
        for number in range(3):
            self.judged("carl", f"guess{number}", AWAY if not number else HOME)
            self.judged("dave", f"guess{number}")
        self.seated.add("ann")
        self.assertEqual(self.judged("ann", "secret"), "ann")
        self.assert_refused(self.judged("bob", "secret"), "too many failed log-ins")

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


class OwnerPropertyTests(ServiceCase, PropertyCase):
    """What others do, and what the owner of an account notices of it."""

    OTHERS = (HOME, "203.0.113.1", "203.0.113.2", "203.0.113.3")

    @given(
        st.lists(
            st.one_of(
                st.tuples(st.just("guess"), st.sampled_from(OTHERS), st.integers(1, 30)),
                st.tuples(st.just("other"), st.sampled_from(OTHERS), st.integers(1, 30)),
                st.tuples(st.just("wait"), st.just(""), st.integers(1, 90)),
                st.tuples(st.just("restart"), st.just(""), st.just(1)),
                st.tuples(st.just("owner"), st.just(HOME), st.just(1)),
            ),
            max_size=25,
        )
    )
    def test_the_owner_comes_in_and_guessers_have_their_quotas(self, steps: list[tuple[str, str, int]]) -> None:
        """From a known address, whatever comes before; and each life of the host looks at no more guesses than allowed."""
        self.setUp()
        self.judged("ann", "secret")
        guesses: list[tuple[str, list[LoginOutcome]]] = []
        began = self.clock.seconds()

        def assert_quotas() -> None:
            minutes = (self.clock.seconds() - began) / 60
            known = [answer for address, answer in guesses if address == HOME]
            unknown = [answer for address, answer in guesses if address != HOME]
            for answers, rate in ((known, 120), (unknown, 5)):
                looked_at = sum(answer == [LoginRefused("wrong password")] for answer in answers)
                self.assertLessEqual(looked_at, 5 + rate * minutes)

        for step, address, number in [*steps, ("owner", HOME, 1)]:
            if step == "guess":
                # An address has 64 connections, and so have its guesses.
                waiting = sum(not answer for where, answer in guesses if where == address)
                for _ in range(min(number, 60 - waiting)):
                    guesses.append((address, self.begin("ann", "guess", address)[0]))
            elif step == "other":
                for one in range(number):
                    self.begin(f"bob{one}", "guess", address)
            elif step == "wait":
                self.clock.pump([1] * number)
            elif step == "restart":
                assert_quotas()
                self.login_service.close()
                self.worker.held.clear()
                self.login_service = self.new_service()
                guesses, began = [], self.clock.seconds()
            else:
                owner, _ = self.begin("ann", "secret")
                self.clock.pump([1] * 40)
                self.assertEqual(owner, ["ann"])
            self.worker.release()
        assert_quotas()
