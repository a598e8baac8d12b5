"""One scenario with one server: what is judged beside the messages themselves."""

from collections.abc import Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker import server_run
from gamehost.wires.framing import WireError
from gamehost.wires.onitama import messages as m
from tests.kit.checked_server import Faulty, breaches, check_server


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
        self.assertEqual(first.outcomes[0].tape.lines, second.outcomes[0].tape.lines)

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
