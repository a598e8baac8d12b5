"""The limits of a host: each can be set, has a reason and is documented; profiles change some of them."""

import re

from twisted.python.usage import UsageError
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import KNOWN_GUESSES_PER_MINUTE
from gamehost.limits import FORMER, LIMITS, PROFILES, Limits
from gamehost.lobby.questions import QuestionLimits
from gamehost.lobby.remote_game import RemoteLimits
from gamehost.net.connection import CLOSING_SECONDS
from gamehost.net.context import LOGIN_PATIENCE_SECONDS, ConnectionBounds
from gamehost.net.limiter import MOST_HEADERS, MOST_HEADERS_PER_ADDRESS
from gamehost.net.streams import MESSAGE_SECONDS, MESSAGES_PER_TURN, STALLED_SECONDS
from gamehost.rates import MESSAGES_SECONDS
from gamehost.settings import BadOption
from gamehost.tables.gallery import MOST_PER_TABLE, MOST_PER_WATCHER
from tests.kit.sources import ROOT
from tests.test_service import parsed


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

    def test_a_former_limit_is_refused_with_what_holds_now(self) -> None:
        """Its value, as it is beside what it bounds, or the limit that it is a part of."""
        asked, masters, bounds = QuestionLimits(), RemoteLimits(), ConnectionBounds()
        fixed: dict[str, float | None] = {
            "login_patience_seconds": LOGIN_PATIENCE_SECONDS,
            "message_seconds": MESSAGE_SECONDS,
            "questions": asked.most,
            "answer_bytes": asked.kept_bytes,
            "header_connections": MOST_HEADERS,
            "header_connections_per_address": MOST_HEADERS_PER_ADDRESS,
            "messages_burst": MESSAGES_SECONDS,
            "bytes_per_second": bounds.bytes_per_second,
            "bytes_burst": bounds.bytes_at_once,
            "messages_per_turn": MESSAGES_PER_TURN,
            "refusals": bounds.refusals,
            "queue_bytes": bounds.unread_bytes,
            "stalled_seconds": STALLED_SECONDS,
            "close_seconds": CLOSING_SECONDS,
            "known_guesses_per_minute": KNOWN_GUESSES_PER_MINUTE,
            "watchers_per_table": MOST_PER_TABLE,
            "watched_tables": MOST_PER_WATCHER,
            "masters": masters.masters,
            "master_games": masters.games,
        }
        self.assertEqual(fixed.keys(), FORMER.keys())
        self.assertFalse(FORMER.keys() & LIMITS)
        for name, value in fixed.items():
            self.assertIn(f"it is {value:.10g} ", FORMER[name] + " ", name)
            told = str(self.assertRaises(UsageError, parsed, f"--set=limits.{name}=7"))
            self.assertEqual(told, f"--set limits.{name}: no longer a setting: {FORMER[name]}")
            for other in re.findall(r"limits\.(\w+)", FORMER[name]):
                self.assertIn(other, LIMITS)

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
            (RemoteLimits().masters, RemoteLimits().masters_per_address),
        ):
            assert total is not None and share is not None
            self.assertLess(6 * share, total)

    def test_an_owner_can_say_when_to_change_each(self) -> None:
        """The page says it of every limit. What nobody would change is a constant beside what it bounds."""
        page = (ROOT / "docs" / "options.rst").read_text("utf-8")
        words = page.partition("When to change which limit:")[2].partition("The words of a limit")[0]
        said = {*re.findall(r"``limits\.(\w+)``", words), *PROFILES["class"]}
        self.assertEqual(said, LIMITS.keys())

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

    def test_refused(self) -> None:
        bad = {
            "no_such_limit": "1",
            "unlimited": "perhaps",
            "connections": "0",
            "house_tables": "1000001",
            "remote_bytes": "1023",
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
