"""
All scenarios of a wire with one client, some of them at once, and what came of them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attrs import evolve, frozen
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from gamehost.checker.base import Finding, Grade, Scenario, TapeLine, Verdict, WireChecks, seed_of
from gamehost.checker.run import Launcher, Outcome, ScenarioRun
from gamehost.checker.tape import Tape
from gamehost.wires.base import Wire


@frozen
class Report:
    """What came of a check."""

    wire: str
    seed: int
    seconds: float
    outcomes: tuple[Outcome, ...]

    @property
    def findings(self) -> list[tuple[Finding, list[str]]]:
        """Each finding once, the worst first, with the names of its scenarios."""
        merged: dict[tuple[Grade, str, str], tuple[Finding, list[str]]] = {}
        for outcome in self.outcomes:
            of_one = {(finding.grade, finding.title, finding.cause): finding for finding in reversed(outcome.findings)}
            for key, finding in reversed(of_one.items()):
                merged.setdefault(key, (finding, []))[1].append(outcome.scenario.name)
        grades = list(Grade)
        return sorted(merged.values(), key=lambda one: grades.index(one[0].grade))

    @property
    def clean(self) -> bool:
        """Whether there is no breach and nothing fragile."""
        return all(finding.grade is Grade.NOTE for finding, _ in self.findings)

    @property
    def breached(self) -> bool:
        """Whether there is a breach."""
        return any(finding.grade is Grade.BREACH for finding, _ in self.findings)

    def without_times(self) -> "Report":
        """The same report with all times 0, so that two runs of one seed can be compared byte for byte."""
        return evolve(self, seconds=0.0, outcomes=tuple(map(_without_times, self.outcomes)))


def _without_times(outcome: Outcome) -> Outcome:
    findings = tuple(evolve(one, transcript=tuple(map(_at_zero, one.transcript))) for one in outcome.findings)
    outcome.tape.lines[:] = map(_at_zero, outcome.tape.lines)
    return evolve(outcome, seconds=0.0, findings=findings)


def _at_zero(line: TapeLine) -> TapeLine:
    return evolve(line, t=0.0)


class Check:
    """
    Plays scenarios with a client.

    :param launcher: makes a launcher for each scenario
    :param at_once: so many scenarios are played at the same time
    :param progress: called after each scenario, with its outcome
    """

    def __init__(
        self,
        clock: IReactorTime,
        wire: Wire[Any],
        checks: WireChecks,
        scenarios: Sequence[Scenario],
        launcher: Callable[[], Launcher],
        seed: int,
        at_once: int = 4,
        progress: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self._clock = clock
        self._wire = wire
        self._checks = checks
        self._scenarios = list(scenarios)
        self._launcher = launcher
        self._seed = seed
        self._at_once = at_once
        self._progress = progress
        self._outcomes: dict[int, Outcome] = {}
        self._runs: list[ScenarioRun] = []
        self._next = 0
        self._began = clock.seconds()
        self._done: Deferred[Report] = Deferred()

    def run(self) -> Deferred[Report]:
        """Play them all. Fires with the report."""
        for _ in range(min(self._at_once, len(self._scenarios))):
            self._start()
        if not self._scenarios:
            self._done.callback(self._report())
        return self._done

    def _start(self) -> None:
        number, self._next = self._next, self._next + 1
        if number >= len(self._scenarios):
            return
        scenario = self._scenarios[number]
        if self._never_there():
            section = self._checks.laws[scenario.law].section
            tape = Tape(self._checks, self._clock.seconds, None)
            self._ended(number, Outcome(scenario, Verdict.SKIPPED, (), 0.0, tape, section))
            return
        seed = seed_of(self._seed, scenario.name, self._scenarios[:number].count(scenario))
        run = ScenarioRun(
            *(self._clock, self._wire, self._checks, scenario, self._launcher(), seed),
            lambda outcome: self._ended(number, outcome),
        )
        self._runs.append(run)
        run.start()

    def _ended(self, number: int, outcome: Outcome) -> None:
        self._outcomes[number] = outcome
        self._progress(outcome)
        if len(self._outcomes) == len(self._scenarios):
            self._done.callback(self._report())
        else:
            self._clock.callLater(0, self._start)

    def _never_there(self) -> bool:
        """Whether enough scenarios have ended, and the client has not connected in any."""
        enough = min(self._at_once, len(self._scenarios))
        return len(self._outcomes) >= enough and not any(run.connected for run in self._runs)

    def _report(self) -> Report:
        outcomes = tuple(self._outcomes[number] for number in range(len(self._scenarios)))
        if outcomes and self._never_there():
            # It is one fault of the client. The other scenarios say nothing about it.
            told = next((outcome for outcome in outcomes if outcome.findings), outcomes[0])
            outcomes = tuple(
                one if one is told else evolve(one, verdict=Verdict.SKIPPED, findings=()) for one in outcomes
            )
        return Report(self._wire.name, self._seed, self._clock.seconds() - self._began, outcomes)


def chosen(checks: WireChecks, names: Iterable[str], slow: bool, reconnect: bool) -> list[Scenario]:
    """
    The scenarios to play.

    :param names: those that were asked for; none: all that fit
    :raises KeyError: there is no scenario of this name
    """
    known = {scenario.name: scenario for scenario in checks.scenarios}
    if wanted := list(names):
        return [known[name] for name in wanted]
    return [
        scenario
        for scenario in checks.scenarios
        if (slow or not scenario.slow) and (reconnect or not scenario.needs_reconnect)
    ]


def counted(outcomes: Iterable[Outcome]) -> dict[Verdict, int]:
    """How many scenarios ended in which way."""
    verdicts = [outcome.verdict for outcome in outcomes]
    return {verdict: verdicts.count(verdict) for verdict in Verdict if verdict in verdicts}
