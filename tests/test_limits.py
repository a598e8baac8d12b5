"""The limits of a host: each can be set, has a reason and is documented; profiles change some of them."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.limits import LIMITS, PROFILES, Limits, RemoteLimits
from gamehost.settings import BadOption


class LimitsTests(SynchronousTestCase):
    def test_nothing_set_is_all_defaults(self) -> None:
        self.assertEqual(Limits.read({}), Limits())

    def test_every_limit_can_be_set(self) -> None:
        self.assertEqual(Limits.read({"unlimited": "yes"}), Limits(unlimited=True))
        for name, limit in LIMITS.items():
            if name != "unlimited":
                text = "15" if name == "password_work" else "2000"
                read = getattr(Limits.read({name: text}), name)
                self.assertEqual(read, int(text))
                self.assertIs(type(read), type(limit.default), name)
        self.assertRaises(TypeError, Limits, no_such_limit=1)

    def test_every_limit_says_why(self) -> None:
        """The words of each tell its unit and, after a colon, the reason; a yes or no tells what it does."""
        for name, limit in LIMITS.items():
            self.assertIn(": ", limit.words, name)

    def test_no_few_addresses_use_up_what_is_there_for_all(self) -> None:
        """Each total has a share for one address beside it, and six addresses do not have all of it."""
        limits = Limits()
        for total, share in (
            (limits.connections, limits.connections_per_address),
            (limits.http_connections, limits.http_connections_per_address),
            (limits.watchers, limits.watchers_per_address),
            (limits.house_tables, limits.house_tables_per_address),
            (limits.accounts_per_hour, limits.accounts_per_address),
            (limits.masters, RemoteLimits().masters_per_address),
        ):
            assert total is not None and share is not None
            self.assertLess(6 * share, total)

    def test_every_limit_is_in_the_documentation(self) -> None:
        page = (Path(__file__).parents[1] / "docs" / "options.rst").read_text("utf-8")
        for name in LIMITS:
            self.assertIn(f"``limits.{name}``", page)

    def test_profiles(self) -> None:
        """Each can be used. The one for a class only widens limits; the public one is all defaults."""
        self.assertEqual(Limits.read(PROFILES["public"]), Limits())
        wide = Limits.read(PROFILES["class"])
        for name in PROFILES["class"].keys() - {"keyless_resume_seconds"}:
            self.assertGreater(getattr(wide, name), getattr(Limits(), name), name)

    def test_an_address_keeps_every_match_of_its_connections(self) -> None:
        """With one of its connections at each table, a restart archives none."""
        for profile in PROFILES.values():
            limits = Limits.read(profile)
            self.assertGreaterEqual(limits.sleeping_tables_per_address, limits.connections_per_address)

    def test_profiles_are_in_the_documentation(self) -> None:
        """A table has each limit in which they differ, in this order, and nothing else."""
        page = (Path(__file__).parents[1] / "docs" / "options.rst").read_text("utf-8")
        rows = [
            f"   * - ``limits.{name}``\n     - {getattr(Limits(), name):g}\n     - {text}\n"
            for name, text in PROFILES["class"].items()
        ]
        head = "   * - limit\n     - ``public``\n     - ``class``\n"
        self.assertIn(head + "".join(rows) + "\n", page)

    def test_refused(self) -> None:
        bad = {
            "no_such_limit": "1",
            "unlimited": "perhaps",
            "connections": "0",
            "messages_per_turn": "10001",
            "queue_bytes": "1023",
            "login_seconds": "-1",
            "new_per_second": "inf",
        }
        for name, text in bad.items():
            self.assertIn(name, str(self.assertRaises(BadOption, Limits.read, {name: text})))

    def test_a_rate_of_zero_is_refused(self) -> None:
        """Nothing could ever be sent at it, and waiting times are divided by it."""
        for name in LIMITS:
            if name.endswith("per_second"):
                error = self.assertRaises(BadOption, Limits.read, {name: "0"})
                self.assertIn(f"{name}: expected a number a second greater than 0", str(error))
