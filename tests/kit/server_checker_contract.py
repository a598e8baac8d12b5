"""
What the checks of servers of every wire must do: find planted faults, and nothing in this project's own host.
"""

from collections.abc import Mapping
from itertools import product
from typing import ClassVar

from gamehost.checker.report import as_json, as_text
from gamehost.testing.cases import Mixin
from tests.kit.checked_server import SERVER_CHECKS, Fault, breaches, check_server
from tests.kit.checker_contract import SEEDS


class ServerCheckerContract(Mixin):
    """Subclasses set the wire and its faults, and are test cases."""

    wire: ClassVar[str]
    #: What a server does wrong when it sends, and when it hears -> the scenario that finds it, and words of the title.
    sends_wrong: ClassVar[Mapping[Fault, tuple[str, str]]] = {}
    hears_wrong: ClassVar[Mapping[Fault, tuple[str, str]]] = {}
    #: Settings of a strict server that a client cannot learn from its messages.
    strict_settings: ClassVar[dict[str, str]] = {}

    def test_the_host_is_clean(self) -> None:
        """With extensions and without them, in every scenario, with every seed."""
        for seed, strict in product(range(1, SEEDS + 1), (False, True)):
            settings = self.strict_settings if strict else {}
            report = check_server(self.wire, strict=strict, seed=seed, settings=settings)
            self.assertEqual(breaches(report), [], as_text(report))
            self.assertEqual({outcome.verdict.value for outcome in report.outcomes}, {"pass"})

    def test_a_server_without_extensions_is_clean(self) -> None:
        """A check that is not strict does not ask for them."""
        report = check_server(self.wire, settings=self.strict_settings, extensions=False)
        self.assertEqual(breaches(report), [], as_text(report))

    def test_planted_faults_are_found(self) -> None:
        """Each by the scenario that should find it, and named."""
        found = {}
        for said, (case, words) in self.sends_wrong.items():
            found[said.__name__] = words, breaches(check_server(self.wire, [case], said=said))
        for heard, (case, words) in self.hears_wrong.items():
            found[heard.__name__] = words, breaches(check_server(self.wire, [case], heard=heard))
        missed = {name: one for name, one in found.items() if not any(one[0] in title for title in one[1])}
        self.assertEqual(missed, {})
        self.assertGreaterEqual(len(found), 6)

    def test_the_same_seed_gives_the_same_report(self) -> None:
        """Byte for byte, with a server that draws the same."""
        first, second = (as_json(check_server(self.wire, ["crosswise"], seed=3).without_times()) for _ in range(2))
        self.assertEqual(first, second)

    def test_laws(self) -> None:
        """Every scenario rests on a law that there is."""
        checks = SERVER_CHECKS[self.wire]
        self.assertLessEqual({one.scenario.law for one in checks.cases} | {"turn", "framing"}, set(checks.laws))
        self.assertEqual(len({one.scenario.name for one in checks.cases}), len(checks.cases))
