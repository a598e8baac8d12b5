"""A whole check: which scenarios are played, and what the report says of them."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.base import GENERAL, Grade, Verdict
from gamehost.checker.check import chosen, counted
from tests.checker.wires.onitama_clients import CountsFromTheTop, SoundClient, TrailingSpace
from tests.kit.checked_client import CHECKS, check


class CheckTests(SynchronousTestCase):
    """Scenarios in, report out."""

    def test_chosen(self) -> None:
        """Those that fit the client, or those that were asked for."""
        checks = CHECKS["onitama"]
        names = [scenario.name for scenario in chosen(checks, [], False, False)]
        self.assertIn("first-mover", names)
        self.assertNotIn("own-drop", names)
        self.assertIn("own-drop", [scenario.name for scenario in chosen(checks, [], False, True)])
        self.assertEqual([scenario.name for scenario in chosen(checks, ["own-drop"], False, False)], ["own-drop"])
        self.assertRaises(KeyError, chosen, checks, ["nonsense"], False, False)

    def test_one_cause_is_one_finding(self) -> None:
        """With the names of all its scenarios."""
        report = check(TrailingSpace, ["first-mover", "second-mover"])
        ((finding, names), *rest) = [one for one in report.findings if "MakeMove" in one[0].title]
        self.assertEqual((finding.grade, names, rest), (Grade.FRAGILE, ["first-mover", "second-mover"], []))
        self.assertEqual((report.clean, report.breached), (False, False))
        self.assertEqual(counted(report.outcomes), {Verdict.FRAGILE: 2})

    def test_the_worst_comes_first(self) -> None:
        """And a finding says what the document says."""
        report = check(CountsFromTheTop, ["first-mover"])
        self.assertTrue(report.breached)
        finding, _ = report.findings[0]
        self.assertIs(finding.grade, Grade.BREACH)
        self.assertEqual(finding.law.section, "Client, Make Move")
        self.assertIn("no piece of yours stands on the start square", finding.title)
        self.assertEqual(finding.transcript[-1].sender, "host")
        self.assertIn("no piece of yours", finding.transcript[-2].meaning)

    def test_a_scenario_that_is_played_again_has_another_seed(self) -> None:
        """And so another opponent; the first time does not depend on what else is played."""
        names = ["first-mover", "wins", "first-mover"]
        told = [[line.text for line in one.tape.lines] for one in check(SoundClient, names, seed=3).outcomes]
        [alone] = check(SoundClient, ["first-mover"], seed=3).outcomes
        self.assertEqual(told[0], [line.text for line in alone.tape.lines])
        self.assertNotEqual(told[0], told[2])

    def test_times_can_be_left_out(self) -> None:
        """Everything else stays."""
        report = check(SoundClient, ["first-mover"])
        bare = report.without_times()
        self.assertGreater(report.seconds, 0)
        self.assertEqual((bare.seconds, bare.outcomes[0].seconds, bare.outcomes[0].tape.lines[-1].t), (0.0, 0.0, 0.0))

    def test_every_wire_has_the_general_laws(self) -> None:
        """What is not about one message."""
        for checks in CHECKS.values():
            self.assertLessEqual(set(GENERAL), set(checks.laws))
