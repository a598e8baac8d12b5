"""The search for passwords, and hosts that leak them. Run by name: `python -m twisted.trial tests.slow_password_leaks`."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.altered_hosts import LEAKS
from tests.kit.password_leaks import Leak, Search, search, spellings


class CanaryTests(SynchronousTestCase):
    """`tests.kit.password_leaks`, and its teeth."""

    timeout = 300

    def test_nothing_is_found(self) -> None:
        """A thousand sessions, with faults among them whose tracebacks are searched too."""
        people, looked = search(1000, seed=1)
        self.assertGreater(min(people.heard["auth-ok"], people.heard["auth-err"]), 50)
        self.assertGreater(looked.faults, 0)

    def test_each_leak_is_found(self) -> None:
        """In the log, in the store, beside it; whole or in part; whatever it is written in."""
        for leak in LEAKS:
            self.assertRaises(Leak, search, 200, 1, f"tests.kit.altered_hosts:{leak}")

    def test_all_spellings_are_found(self) -> None:
        """In the middle of anything."""
        for form in spellings("Canary12"):
            looking = Search(pieces=["Canary12"])
            looking.look("here", b"..." + form + b"...")
            self.assertEqual(len(looking.found), 1, form)
