"""All scenarios with one server, and how it is named on the command line."""

from typing import Any

from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.server_check import ServerCheck, address_of, chosen_cases, tag
from gamehost.checker.server_run import ServerUnderTest, Unreachable
from gamehost.plugins import WIRES
from tests.kit.checked_client import CHECKS
from tests.kit.checked_server import SERVER_CHECKS


def refused(line: Any) -> Deferred[Any]:
    return fail(OSError("connection refused"))


class ServerCheckTests(SynchronousTestCase):
    """Addresses, names of scenarios, and a server that is not there."""

    def test_addresses(self) -> None:
        """Names, IPv4 and IPv6."""
        self.assertEqual(address_of("localhost:80"), ("localhost", 80))
        self.assertEqual(address_of("[::1]:8893"), ("::1", 8893))
        for text in ("", "localhost", ":80", "localhost:", "localhost:0", "localhost:70000", "localhost:x"):
            self.assertRaises(ValueError, address_of, text)

    def test_names(self) -> None:
        """Each scenario by its name; without names, all."""
        checks = SERVER_CHECKS["onitama"]
        self.assertEqual([one.scenario.name for one in chosen_cases(checks, ["bytes"])], ["bytes"])
        self.assertEqual(len(chosen_cases(checks, [])), len(checks.cases))
        self.assertRaises(KeyError, chosen_cases, checks, ["nonsense"])

    def test_names_of_players(self) -> None:
        """They differ in all scenarios of a check, however many there are."""
        self.assertEqual(len({tag(5, number) for number in range(500)}), 500)
        self.assertRegex(tag(2**32 - 1, 3), "^[a-z]{4}$")

    def test_no_server(self) -> None:
        """The check fails, and says why."""
        (wire,) = (one for one in WIRES if one.name == "onitama")
        checks = SERVER_CHECKS["onitama"]
        server = ServerUnderTest(Clock(), wire, CHECKS["onitama"], checks, refused, False, {})
        failure = self.failureResultOf(ServerCheck(server, checks.cases, 1).run(), Unreachable)
        self.assertEqual(failure.getErrorMessage(), "connection refused")
