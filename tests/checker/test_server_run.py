"""The check of a server."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker import server_run
from gamehost.checker.check import check_of_server, chosen
from gamehost.checker.server_run import ServerUnderTest, Unreachable, address_of, differences, tag
from gamehost.plugins import WIRES
from gamehost.wires.framing import WireError
from gamehost.wires.onitama import messages as m
from tests.kit.checker import CHECKS, SERVER_CHECKS, Faulty, breaches, check_server


def hangs_up(end: Faulty, message: Any) -> Sequence[Any]:
    if isinstance(message, m.Login):
        raise WireError("tired")
    return [message]


class ServerRunTests(SynchronousTestCase):
    """Closed connections, findings and transcripts."""

    def test_a_closed_connection(self) -> None:
        """A server that closes after a good log-in is found."""
        report = check_server("onitama", ["crosswise"], heard=hangs_up)
        self.assertEqual(breaches(report), ["the server closes the connection"])

    def test_findings_have_a_section_and_a_transcript(self) -> None:
        """As those of clients have."""
        report = check_server("onitama", ["refusals"], said=lambda end, one: [] if _is_refusal(one) else [one])
        (finding,) = report.outcomes[0].findings
        self.assertEqual(finding.law.section, "Server, Invalid Move")
        self.assertIn("after a move that ends where it began", finding.title)
        self.assertEqual(finding.transcript[-1].sender, "client")
        self.assertIn("ann", finding.transcript[-1].meaning)

    def test_the_same_seed_gives_the_same_report(self) -> None:
        """Move by move."""
        first, second = (check_server("onitama", ["whole-match"], seed=5) for _ in range(2))
        self.assertEqual(first.outcomes[0].lines, second.outcomes[0].lines)

    def test_a_slow_server(self) -> None:
        """A scenario has an end. It is no fault to be slow."""
        self.patch(server_run, "WHOLE", 0.5)
        report = check_server("onitama", ["out-of-turn"])
        self.assertEqual([finding.title for finding, _ in report.findings], ["the scenario was very long"])
        self.assertTrue(report.clean)

    def test_a_server_that_says_nothing(self) -> None:
        """It has five seconds for each answer."""
        report = check_server("eriantys", ["crosswise"], said=lambda end, one: [])
        self.assertEqual(breaches(report), ["CommunicationMessage is missing"])
        self.assertLess(report.seconds, 10)


def _is_refusal(message: Any) -> bool:
    return isinstance(message, m.InvalidMove)


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
        self.assertEqual([one.name for one in chosen(checks, ["bytes"])], ["bytes"])
        self.assertEqual(len(chosen(checks, [])), len(checks.scenarios))
        self.assertRaises(KeyError, chosen, checks, ["nonsense"])

    def test_names_of_players(self) -> None:
        """They differ in all scenarios of a check, however many there are."""
        self.assertEqual(len({tag(5, number) for number in range(500)}), 500)
        self.assertRegex(tag(2**32 - 1, 3), "^[a-z]{4}$")

    def test_no_server(self) -> None:
        """The check fails, and says why."""
        (wire,) = (one for one in WIRES if one.name == "onitama")
        checks = SERVER_CHECKS["onitama"]
        server = ServerUnderTest(Clock(), wire, CHECKS["onitama"], checks, refused, False, {})
        failure = self.failureResultOf(check_of_server(server, checks.scenarios, 1).run(), Unreachable)
        self.assertEqual(failure.getErrorMessage(), "connection refused")


class Part(Struct, frozen=True):
    """A value with parts."""

    count: int
    marks: dict[str, int]


class Whole(Struct, frozen=True):
    """A message with parts."""

    parts: tuple[Part, ...]
    names: tuple[str, ...] = ()


class DifferencesTests(SynchronousTestCase):
    """Each by its way into the message."""

    def test_equal(self) -> None:
        """There is none."""
        self.assertEqual(list(differences(Whole(()), Whole(()))), [])

    def test_flat(self) -> None:
        """Each field by its name."""
        got, expected = m.MoveWasMade("ox", "a1", "a2"), m.MoveWasMade("ox", "a1", "b2")
        self.assertEqual(list(differences(got, expected)), [(["end"], "end is 'a2', expected 'b2'")])

    def test_parts(self) -> None:
        """Places of a list are told, and do not make another finding."""
        got = Whole((Part(1, {"red": 2}), Part(1, {"red": 2})))
        expected = Whole((Part(1, {"red": 2}), Part(3, {"red": 4})))
        self.assertEqual(
            list(differences(got, expected)),
            [
                (["parts", "count"], "parts[1].count is 1, expected 3"),
                (["parts", "marks"], "parts[1].marks.red is 2, expected 4"),
            ],
        )

    def test_what_cannot_be_compared_part_by_part(self) -> None:
        """It is told as a whole."""
        self.assertEqual(
            list(differences(Whole((), ("ann", "bob")), Whole((Part(1, {}),), ("bob",)))),
            [
                (["parts"], "parts is (), expected (Part(count=1, marks={}),)"),
                (["names"], "names is ('ann', 'bob'), expected ('bob',)"),
            ],
        )
