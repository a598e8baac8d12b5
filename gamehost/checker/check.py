"""
All scenarios of a wire with one client or one server, and what came of them.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from attrs import evolve, frozen
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from gamehost.checker.base import Finding, Grade, Scenario, TranscriptLine, Verdict, WireChecks, seed_of
from gamehost.checker.run import ClientRun, Launcher, Outcome, Run
from gamehost.checker.server_run import PARTING, ServerChecks, ServerRun, ServerUnderTest, Unreachable, tag
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
    return evolve(outcome, seconds=0.0, findings=findings, lines=tuple(map(_at_zero, outcome.lines)))


def _at_zero(line: TranscriptLine) -> TranscriptLine:
    return evolve(line, t=0.0)


#: Makes the run of a scenario: from the scenario, its seed, its number in the list, and what is called with the outcome, or
#: with the reason why no other scenario can be played either.
NewRun = Callable[[Scenario, int, int, Callable[[Outcome | Exception], None]], Run]


class Check:
    """
    Plays scenarios with a client or a server.

    :param new_run: makes the run of each scenario
    :param at_once: so many scenarios are played at the same time
    :param pause: seconds between two scenarios
    :param progress: called after each scenario, with its outcome
    """

    def __init__(
        self,
        clock: IReactorTime,
        checks: WireChecks | ServerChecks,
        scenarios: Sequence[Scenario],
        new_run: NewRun,
        seed: int,
        at_once: int = 4,
        pause: float = 0.0,
        progress: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self._clock = clock
        self._checks = checks
        self._scenarios = list(scenarios)
        self._new_run = new_run
        self._seed = seed
        self._at_once = at_once
        self._pause = pause
        self._progress = progress
        self._outcomes: dict[int, Outcome] = {}
        self._runs: list[Run] = []
        self._next = 0
        self._began = clock.seconds()
        self._done: Deferred[Report] = Deferred()

    def run(self) -> Deferred[Report]:
        """Play them all. Fires with the report; fails with the reason why a server cannot be checked."""
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
            self._ended(number, Outcome(scenario, Verdict.SKIPPED, (), 0.0, (), section))
            return
        seed = seed_of(self._seed, scenario.name, self._scenarios[:number].count(scenario))
        run = self._new_run(scenario, seed, number, partial(self._ended, number))
        self._runs.append(run)
        run.start()

    def _ended(self, number: int, outcome: Outcome | Exception) -> None:
        if isinstance(outcome, Exception):
            self._done.errback(outcome)
            return
        self._outcomes[number] = outcome
        self._progress(outcome)
        if len(self._outcomes) == len(self._scenarios):
            self._done.callback(self._report())
        else:
            self._clock.callLater(self._pause, self._start)

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
        return Report(self._checks.wire, self._seed, self._clock.seconds() - self._began, outcomes)


def check_of_client(
    clock: IReactorTime,
    wire: Wire[Any],
    checks: WireChecks,
    scenarios: Sequence[Scenario],
    launcher: Callable[[], Launcher],
    seed: int,
    at_once: int = 4,
    progress: Callable[[Outcome], None] = lambda outcome: None,
) -> Check:
    """
    The check of a client.

    :param launcher: makes a launcher for each scenario
    """

    def new_run(scenario: Scenario, seed: int, number: int, done: Callable[[Outcome], None]) -> Run:
        return ClientRun(clock, wire, checks, scenario, launcher(), seed, done)

    return Check(clock, checks, scenarios, new_run, seed, at_once, progress=progress)


def check_of_server(
    server: ServerUnderTest,
    scenarios: Sequence[Scenario],
    seed: int,
    progress: Callable[[Outcome], None] = lambda outcome: None,
) -> Check:
    """The check of a server, one scenario after the other."""

    def new_run(scenario: Scenario, of_one: int, number: int, done: Callable[[Outcome | Unreachable], None]) -> Run:
        return ServerRun(server, scenario, of_one, tag(seed, number), done)

    return Check(server.clock, server.checks, scenarios, new_run, seed, 1, PARTING, progress)


def chosen(
    checks: WireChecks | ServerChecks, names: Iterable[str], slow: bool = False, reconnect: bool = False
) -> list[Scenario]:
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
