"""
The command `gamehost check`: judges a client or a server against the document of its wire.

It plays all scenarios of a wire with one client or one server. The report is text, JSON, JUnit XML or HTML. All four formats
have the same content: the scenarios with their verdicts, and each finding once, with advice.
"""

import argparse
import html
import json
import os
import resource
import secrets
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from attrs import define, evolve, field, frozen
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Factory

from gamehost._twisted import run_until_done
from gamehost.commands.command_line import bar, exit_with_usage_error, print_text
from gamehost.extras.check.base import (
    Finding,
    Grade,
    Outcome,
    Run,
    Scenario,
    TranscriptLine,
    Verdict,
    WireChecks,
    seed_of,
)
from gamehost.extras.check.run import ClientRun, Launcher
from gamehost.extras.check.server_run import (
    LOG_IN_WITHIN,
    PARTING,
    ServerChecks,
    ServerRun,
    ServerUnderTest,
    Unreachable,
    address_of,
    dialled,
    tag,
)
from gamehost.extras.check.transcript import Line
from gamehost.ops import escaped
from gamehost.ops.workers import NOT_RUN as NOT_STARTED
from gamehost.ops.workers import ProgramProcess, adopt_orphans, start_program
from gamehost.programs.clients import judges_of
from gamehost.settings import BadOption, settings_of
from gamehost.wires.base import Wire


@frozen
class Report:
    """The results of a check. The functions `as_...` convert it into text."""

    wire: str
    seed: int
    seconds: float
    outcomes: tuple[Outcome, ...]
    #: Why some scenarios were not played; empty: all were played, or the client never connected.
    given_up: str = ""

    @property
    def findings(self) -> list[tuple[Finding, list[str]]]:
        """Each finding once, the worst first, with the names of the scenarios that have it."""
        merged: dict[tuple[Grade, str, str], tuple[Finding, list[str]]] = {}
        for outcome in self.outcomes:
            # Reversed twice, so that of equal findings of a scenario the first one remains, in the old order.
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
        return any(finding.grade is Grade.BREACH for finding, _ in self.findings)

    def without_times(self) -> "Report":
        """Returns the same report with all times 0. So two checks with the same seed have equal reports."""
        return evolve(self, seconds=0.0, outcomes=tuple(map(_without_times, self.outcomes)))


def _without_times(outcome: Outcome) -> Outcome:
    findings = tuple(evolve(one, transcript=tuple(map(_at_zero, one.transcript))) for one in outcome.findings)
    return evolve(outcome, seconds=0.0, findings=findings, lines=tuple(map(_at_zero, outcome.lines)))


def _at_zero(line: TranscriptLine) -> TranscriptLine:
    return evolve(line, t=0.0)


#: A function that makes the run of a scenario. Its arguments are the scenario, its seed, its number in the list, and a
#: function. The run calls the last one with the outcome, or with the reason why no other scenario can be played either.
NewRun = Callable[[Scenario, int, int, Callable[[Outcome | Exception], None]], Run]


#: If a client has not moved in any of the first scenarios, so many, the others are not played.
FIRST = 4


@define(eq=False)
class Check:
    """
    Plays scenarios with a client or a server, several at the same time, and makes the report.

    :param new_run: makes the run of each scenario
    :param at_once: how many scenarios are played at the same time
    :param pause: the seconds between two scenarios
    :param progress: called after each scenario, with its outcome
    :param answers_within: how many seconds a server has for its first answer; 0: a client is checked
    """

    _clock: IReactorTime
    _checks: WireChecks | ServerChecks
    _scenarios: Sequence[Scenario]
    _new_run: NewRun
    _seed: int
    _at_once: int = 4
    _pause: float = 0.0
    _progress: Callable[[Outcome], None] = lambda outcome: None
    _answers_within: float = 0.0
    _outcomes: dict[int, Outcome] = field(factory=dict)
    _runs: list[Run] = field(factory=list)
    _next: int = 0
    _began: float = 0.0
    _given_up: str = ""
    #: How many scenarios have ended without another one that was started in their place.
    _free: int = 0
    _done: Deferred[Report] = field(factory=Deferred)

    def run(self) -> Deferred[Report]:
        """Plays all scenarios. The result fires with the report, or fails with the reason why a server cannot be checked."""
        self._began = self._clock.seconds()
        for _ in range(min(self._at_once, len(self._scenarios))):
            self._start()
        if not self._scenarios:
            self._done.callback(self._report())
        return self._done

    def _start(self) -> None:
        """
        Starts the next scenario, or skips it if the client or server has shown no sign of life so far. Does nothing if
        all scenarios were started.
        """
        number, self._next = self._next, self._next + 1
        if number >= len(self._scenarios):
            return
        scenario = self._scenarios[number]
        if self._never_there() or self._hopeless():
            section = self._checks.laws[scenario.law].section
            self._ended(number, Outcome(scenario, Verdict.SKIPPED, (), 0.0, (), section))
            return
        # A scenario that is played several times gets another seed each time.
        seed = seed_of(self._seed, scenario.name, self._scenarios[:number].count(scenario))
        run = self._new_run(scenario, seed, number, partial(self._ended, number))
        self._runs.append(run)
        run.start()

    def _ended(self, number: int, outcome: Outcome | Exception) -> None:
        """
        Called when a scenario has ended. The check is over after the last one; otherwise another scenario starts after
        a pause.

        :param outcome: an exception: the server cannot be checked, and the check fails
        """
        if isinstance(outcome, Exception):
            self._done.errback(outcome)
            return
        self._outcomes[number] = outcome
        self._progress(outcome)
        # Skipped scenarios count as ended.
        if len(self._outcomes) == len(self._scenarios):
            self._done.callback(self._report())
        else:
            self._free += 1
            self._clock.callLater(self._pause, self._go_on)

    def _go_on(self) -> None:
        """
        Starts other scenarios in the place of ended ones. If the client has not moved in the first scenarios, it waits
        until all running ones have ended, since the check may have to give up.
        """
        ended = len(self._outcomes)
        # No scenario runs, or enough have ended to judge the client, or the client has moved.
        if ended == self._next or ended >= FIRST or self._moved:
            free, self._free = self._free, 0
            for _ in range(free):
                self._start()

    def _never_there(self) -> bool:
        """Returns whether the client has not connected, or the server not answered, in enough scenarios."""
        # The first scenarios, which begin together: all of them must have ended, and the time for the first answer is over.
        enough = min(self._at_once, len(self._scenarios))
        over = self._clock.seconds() - self._began >= self._answers_within
        return over and len(self._outcomes) >= enough and not any(run.connected for run in self._runs)

    @property
    def _moved(self) -> bool:
        return any(run.moved for run in self._runs)

    def _hopeless(self) -> bool:
        """Returns whether all of the first scenarios have ended with a breach, and the client has not moved in any."""
        ended = len(self._outcomes)
        breaches = all(outcome.verdict is Verdict.BREACH for outcome in self._outcomes.values())
        if not self._given_up and ended >= FIRST and breaches and not self._moved:
            self._given_up = (
                f"The client has not moved in any of the first {ended} scenarios, and the others were not played. "
                "Mend this first."
            )
        return bool(self._given_up)

    def _report(self) -> Report:
        """Makes the report from the outcomes of all scenarios."""
        outcomes = tuple(self._outcomes[number] for number in range(len(self._scenarios)))
        if outcomes and self._never_there():
            # All scenarios have the same fault. Report it once, and skip the others.
            # The first outcome with a finding.
            told = next((outcome for outcome in outcomes if outcome.findings), outcomes[0])
            outcomes = tuple(
                self._told(one) if one is told else evolve(one, verdict=Verdict.SKIPPED, findings=())
                for one in outcomes
            )
        seconds = self._clock.seconds() - self._began
        return Report(self._checks.wire, self._seed, seconds, outcomes, self._given_up)

    def _told(self, outcome: Outcome) -> Outcome:
        """Returns the outcome that represents all scenarios. For a server, it says for how long no log-in was answered."""
        if not self._answers_within:
            return outcome
        more = f" No other log-in was answered either, for {self._answers_within:g} s."
        return evolve(outcome, findings=tuple(evolve(one, happened=one.happened + more) for one in outcome.findings))


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
    Makes the check of a client.

    :param launcher: makes a launcher for each scenario
    """

    def new_run(scenario: Scenario, seed: int, number: int, done: Callable[[Outcome], None]) -> Run:
        """Makes the run of a scenario."""
        return ClientRun(clock, wire, checks, scenario=scenario, launcher=launcher(), seed=seed, done=done)

    return Check(clock, checks, scenarios, new_run, seed, at_once, progress=progress)


def check_of_server(
    server: ServerUnderTest,
    scenarios: Sequence[Scenario],
    seed: int,
    progress: Callable[[Outcome], None] = lambda outcome: None,
) -> Check:
    """
    Makes the check of a server. Its scenarios are played one after the other, with a pause in between, because many
    servers play one match at a time.
    """

    def new_run(scenario: Scenario, of_one: int, number: int, done: Callable[[Outcome | Unreachable], None]) -> Run:
        """
        Makes the run of a scenario. The names of its players get a tag, so that they differ from the names of other
        scenarios.
        """
        return ServerRun(server, scenario, of_one, tag(seed, number), done)

    return Check(
        server.clock,
        server.checks,
        scenarios,
        new_run=new_run,
        seed=seed,
        at_once=1,
        pause=PARTING,
        progress=progress,
        answers_within=LOG_IN_WITHIN,
    )


def chosen(
    checks: WireChecks | ServerChecks, names: Iterable[str], slow: bool = False, reconnect: bool = False
) -> list[Scenario]:
    """
    Returns the scenarios that are to be played.

    :param names: the names of the wanted scenarios; empty: all that fit the options
    :raises KeyError: no scenario has this name
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
    """Returns how many scenarios have each verdict. Verdicts without scenarios are left out."""
    verdicts = [outcome.verdict for outcome in outcomes]
    return {verdict: verdicts.count(verdict) for verdict in Verdict if verdict in verdicts}


# The report as text, JSON, JUnit XML and HTML.


#: How a verdict is marked in the text.
MARKS: Mapping[Verdict, str] = {
    Verdict.PASS: "ok",
    Verdict.BREACH: "BREACH",
    Verdict.FRAGILE: "FRAGILE",
    Verdict.NOTE: "note",
    Verdict.SKIPPED: "skipped",
}
_ARROWS = {"client": "client >", "host": "       <", "": "       *"}


def line_of(line: TranscriptLine) -> str:
    text = f"{line.text}   " if line.text else ""
    return escaped(f"{line.t:8.3f} {_ARROWS[line.sender]} {text}{line.meaning}".rstrip())


def as_text(report: Report) -> str:
    """Returns the report as plain text: a line for each scenario, then each finding."""
    width = max((len(outcome.scenario.name) for outcome in report.outcomes), default=0)
    lines = [
        f"{MARKS[outcome.verdict]:8} {outcome.scenario.name:{width}} {outcome.seconds:6.1f} s  {outcome.scenario.tries}"
        for outcome in report.outcomes
    ]
    for finding, names in report.findings:
        lines += ["", f"{finding.grade.value.upper()}: {finding.title}", f"  in: {', '.join(names)}"]
        lines += [f"  happened: {finding.happened}", f"  {finding.law.source}: {finding.law.says}"]
        lines += [f"  what to do: {finding.law.do}", "  the last messages:"]
        lines += [f"    {line_of(line)}" for line in finding.transcript]
    counts = ", ".join(f"{count} {verdict.value}" for verdict, count in counted(report.outcomes).items())
    lines += ["", report.given_up] if report.given_up else []
    lines += ["", f"{report.wire}, seed {report.seed}, {report.seconds:.1f} s: {counts or 'no scenario was played'}"]
    # The texts come from a server and are printed on a terminal.
    return "".join(f"{escaped(line)}\n" for line in lines)


def as_data(report: Report) -> dict[str, Any]:
    """Returns the report as values for JSON."""
    return {
        "wire": report.wire,
        "seed": report.seed,
        "seconds": round(report.seconds, 1),
        "clean": report.clean,
        "scenarios": [
            {
                "name": outcome.scenario.name,
                "tries": outcome.scenario.tries,
                "section": outcome.section,
                "verdict": outcome.verdict.value,
                "seconds": round(outcome.seconds, 1),
            }
            for outcome in report.outcomes
        ],
        "findings": [_finding_as_data(finding, names) for finding, names in report.findings],
    }


def _finding_as_data(finding: Finding, names: list[str]) -> dict[str, Any]:
    """
    Returns a finding as values for JSON.

    :param names: the scenarios that have it
    """
    return {
        "grade": finding.grade.value,
        "title": finding.title,
        "section": finding.law.section,
        "happened": finding.happened,
        "expected": finding.law.says,
        "do": finding.law.do,
        "scenarios": names,
        "transcript": [
            {"t": round(line.t, 3), "from": line.sender, "text": line.text, "meaning": line.meaning}
            for line in finding.transcript
        ],
    }


def as_json(report: Report) -> str:
    return json.dumps(as_data(report), ensure_ascii=False, indent=2) + "\n"


def as_junit(report: Report) -> str:
    """
    Returns the report as JUnit XML, for continuous integration. Each scenario is a test case. Breaches and fragile messages
    count as failures.
    """
    failing = (Verdict.BREACH, Verdict.FRAGILE)
    failures = sum(outcome.verdict in failing for outcome in report.outcomes)
    skipped = sum(outcome.verdict is Verdict.SKIPPED for outcome in report.outcomes)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="gamehost check {report.wire}" tests="{len(report.outcomes)}" failures="{failures}"'
        f' skipped="{skipped}" time="{report.seconds:.1f}">',
    ]
    for outcome in report.outcomes:
        name = quoteattr(outcome.scenario.name)
        lines.append(f'  <testcase classname="{report.wire}" name={name} time="{outcome.seconds:.1f}">')
        for finding in outcome.findings:
            if finding.grade is not Grade.NOTE:
                lines.append(f"    <failure message={quoteattr(finding.title)}>{escape(_failure(finding))}</failure>")
        if outcome.verdict is Verdict.SKIPPED:
            lines.append("    <skipped/>")
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>"]) + "\n"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _failure(finding: Finding) -> str:
    law = finding.law
    last = "\n".join(map(line_of, finding.transcript))
    return f"{finding.happened}\n{_capital(law.source)}: {law.says}\nWhat to do: {law.do}\n{last}\n"


_STYLE = (
    ":root{color-scheme:light dark}*{box-sizing:border-box}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}"
    "h1{font-size:1.5rem}ul.totals{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;padding:0}"
    "ul.totals li{border:1px solid #8888;border-radius:.25rem;padding:.25rem .75rem}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .5rem;"
    "border-bottom:1px solid #8888}th,td:nth-child(1),td:nth-child(2),td:nth-child(5){white-space:nowrap}"
    "pre{white-space:pre-wrap;font-size:.875rem;padding:.5rem;border:1px solid #8888}"
    ".breach{color:#b3261e;font-weight:bold}.fragile{color:#8a5a00;font-weight:bold}"
    "@media(prefers-color-scheme:dark){.breach{color:#ff8a80}.fragile{color:#ffc266}}"
    "@media(max-width:40rem){tr{display:block;padding:.5rem 0;border-bottom:1px solid #8888}tr:first-child{display:none}"
    "td{display:inline;border:0;padding:0 .5rem 0 0}td:nth-child(3){display:block}}"
)


def as_html(report: Report) -> str:
    """Returns the report as an HTML page in a single file. It can be read on a telephone."""
    rows = "".join(
        f"<tr><td class={outcome.verdict.value}>{MARKS[outcome.verdict]}</td><td>{html.escape(outcome.scenario.name)}</td>"
        f"<td>{html.escape(outcome.scenario.tries)}</td><td>{html.escape(outcome.section)}</td>"
        f"<td>{outcome.seconds:.1f} s</td></tr>\n"
        for outcome in report.outcomes
    )
    findings = "".join(_finding_as_html(finding, names) for finding, names in report.findings) or "<p>None.</p>"
    given_up = f"<p>{html.escape(report.given_up)}</p>" if report.given_up else ""
    title = f"gamehost check {report.wire}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,'
        f'initial-scale=1"><title>{title}</title><style>{_STYLE}</style></head>'
        f"<body><h1>{title}</h1>\n{_totals_as_html(report)}<p>Seed {report.seed}, {report.seconds:.1f} s.</p>\n"
        f"<h2>Findings</h2>\n{findings}{given_up}<h2>Scenarios</h2><table><tr><th>Verdict"
        f"</th><th>Scenario</th><th>What is tried</th><th>Section</th><th>Time</th></tr>\n{rows}</table></body></html>\n"
    )


def _totals_as_html(report: Report) -> str:
    """Returns HTML with the numbers of findings of each grade, and of scenarios with each verdict."""
    grades = [finding.grade for finding, _ in report.findings]
    verdicts = ", ".join(f"{count} {verdict.value}" for verdict, count in counted(report.outcomes).items())
    found = ", ".join(f"{grades.count(grade)} {grade.value}" for grade in Grade if grade in grades)
    totals = (
        "clean" if report.clean else "not clean",
        f"findings: {found or 'none'}",
        f"{len(report.outcomes)} scenarios: {verdicts or 'none was played'}",
    )
    return f'<ul class="totals">{"".join(f"<li>{words}</li>" for words in totals)}</ul>\n'


def _finding_as_html(finding: Finding, names: list[str]) -> str:
    """
    Returns a finding as HTML.

    :param names: the scenarios that have it
    """
    law = finding.law
    parts = [f'<h3><span class="{finding.grade.value}">{finding.grade.value}</span>: {html.escape(finding.title)}</h3>']
    for label, text in (
        ("Scenarios", ", ".join(names)),
        ("What happened", finding.happened),
        (_capital(law.source), law.says),
        ("What to do", law.do),
    ):
        parts.append(f"<p><strong>{html.escape(label)}:</strong> {html.escape(text)}</p>")
    parts.append(f"<pre>{html.escape(chr(10).join(map(line_of, finding.transcript)))}</pre>\n")
    return "".join(parts)


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": as_text,
    "json": as_json,
    "junit": as_junit,
    "html": as_html,
}


# The client under test: a command, or one that a person starts.


class ProcessLauncher(Launcher):
    """
    Starts a command for one scenario, and listens for it on a free port of this machine.

    :param command: the words of the command
    """

    def __init__(self, reactor: Any, command: Sequence[str], name: str, password: str) -> None:
        """
        Makes a launcher that starts the client as a process.

        :param command: the client's command, in which `{host}`, `{port}`, `{name}` and `{password}` are replaced
        """
        super().__init__(reactor)
        self._command = command
        self._process: ProgramProcess | None = None
        self._values = {"host": "127.0.0.1", "name": name, "password": password}

    def start(self, run: ClientRun, factory: "Factory[Line]") -> None:
        values = {**self._values, "port": str(self.listen(0, factory)), "seed": str(run.seed)}
        environment = run.checks.environment(run.scenario)
        self._process = start_program(self._reactor, self._command, values, partial(self._ended, run), environment)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _ended(self, run: ClientRun, process: ProgramProcess) -> None:
        assert process.status is not None
        self.failed = process.status in NOT_STARTED
        run.client_ended(process.status, process.words)


class WaitingLauncher(Launcher):
    """
    Starts no client, but waits for one that a person starts.

    :param port: to listen on; 0: a free one
    :param say: prints the next step for the person
    """

    by_hand = True

    def __init__(self, reactor: Any, port: int, say: Callable[[str], None]) -> None:
        super().__init__(reactor)
        self._number = port
        self._say = say

    def start(self, run: ClientRun, factory: "Factory[Line]") -> None:
        port = self.listen(self._number, factory)
        self._say(f"{run.scenario.name}: connect your client to 127.0.0.1 port {port}")


# The command.


#: The exit statuses: no breach; breaches; the client could not be run.
CLEAN, BREACHED, NOT_RUN = 0, 1, 2

EPILOG = """\
{host}, {port}, {name}, {password} and {seed} in COMMAND are filled in; the environment has them too, as GAMEHOST_HOST,
GAMEHOST_PORT and so on. The exit status is 0 if there is no breach, 1 if there is one, 2 if the client could not be run.

  gamehost check onitama -- python my_client.py {name} --port {port}
  gamehost check onitama --wait
  gamehost check onitama --server 127.0.0.1:9000
"""


def parser(wires: Sequence[Wire[Any]]) -> argparse.ArgumentParser:
    """
    Makes the parser of the command line.

    :param wires: the installed wires, which the help text lists
    """
    made = argparse.ArgumentParser(
        prog="gamehost check",
        usage="gamehost check WIRE [options] (-- COMMAND ... | --wait | --server HOST:PORT | --list)",
        description="Plays your client or server through what its document allows, and names each breach with its section.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("wire", metavar="WIRE", help=_names(wires))
    made.add_argument("--wait", action="store_true", help="start no client; wait for one that you connect by hand")
    made.add_argument(
        "--server", metavar="HOST:PORT", help=f"check a server, as both clients: {_names(wires, servers=True)}"
    )
    made.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the host or of the server",
    )
    made.add_argument("--list", action="store_true", help="list the scenarios and end")
    made.add_argument("--scenario", action="append", default=[], metavar="NAME", help="play this one only; repeatable")
    made.add_argument("--games", type=int, default=1, metavar="N", help="play the whole list N times with other seeds")
    made.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same report; its times are 0")
    made.add_argument(
        "--reconnect", action="store_true", help="the client comes back by itself: cut its connection too"
    )
    made.add_argument(
        "--strict", action="store_true", help="play the strict scenarios only; a server may send no extensions"
    )
    made.add_argument("--slow", action="store_true", help="play the slow scenarios too")
    made.add_argument("--format", choices=sorted(FORMATS), default="text", help="of the report; default text")
    made.add_argument("--keep", type=Path, metavar="DIR", help="write an annotated transcript of each scenario there")
    made.add_argument("--name", default="tester", help="the client's name; default tester")
    made.add_argument("--password", default="correct horse", help="for wires with accounts")
    made.add_argument("--port", type=int, default=0, help="the port for --wait; default: a free one")
    made.add_argument("--jobs", type=int, default=0, metavar="N", help="scenarios at the same time; default 3 a core")
    return made


def _read(words: list[str], wires: Sequence[Wire[Any]]) -> argparse.Namespace:
    """Parses the command line. The words after `--` are the client's command."""
    end = words.index("--") if "--" in words else len(words)
    options = parser(wires).parse_args(words[:end])
    options.command = words[end + 1 :]
    return options


def main(arguments: Sequence[str], wires: Sequence[Wire[Any]], reactor: Any) -> int:
    """
    Runs `gamehost check` with some arguments.

    :return: the exit status
    """
    options = _read(list(arguments), wires)
    wire = next((wire for wire in wires if wire.name == options.wire), None)
    judges = judges_of(options.wire)
    if wire is None or judges is None:
        exit_with_usage_error(f"no wire {options.wire!r}", f"there are checks for {_names(wires)}")
    checks: WireChecks | ServerChecks = judges.clients
    if options.server is not None:
        if judges.servers is None:
            exit_with_usage_error(
                f"{wire.name} has checks of clients only", f"checks of servers: {_names(wires, servers=True)}"
            )
        checks = judges.servers
    if options.list:
        print_text("".join(f"{one.name:24} {one.tries}\n" for one in checks.scenarios))
        return CLEAN
    # Exactly one of the three must be given.
    if [bool(options.command), options.wait, options.server is not None].count(True) != 1:
        exit_with_usage_error(
            "expected a COMMAND behind --, --wait or --server", "gamehost check --help shows examples"
        )
    try:
        scenarios = chosen(checks, options.scenario, options.slow, options.reconnect)
    except KeyError as error:
        # For the hint: the list of a server's scenarios needs the option `--server`, with any address.
        server = " --server X:1" if options.server is not None else ""
        exit_with_usage_error(
            f"no scenario {error.args[0]!r}", f"gamehost check {options.wire}{server} --list lists them"
        )
    if options.server is None and options.strict:
        scenarios = [scenario for scenario in scenarios if scenario.strict]
    if options.server is None:
        scenarios = with_settings(scenarios, options.set, wire)
    scenarios *= max(1, options.games)
    progress = Progress(len(scenarios))
    seed = options.seed if options.seed is not None else secrets.randbelow(2**32)
    # `_check_client` adds each launcher, so that it can be asked at the end whether a program could not be started.
    launchers: list[Launcher] = []
    if isinstance(checks, WireChecks):
        check = _check_client(reactor, options, wire, checks, scenarios, seed, progress=progress, launchers=launchers)
    else:
        check = check_of_server(_server(reactor, options, wire, checks), scenarios, seed, progress.ended)
    report = _play(reactor, check, lambda why: progress.say(f"gamehost check: {options.server}: {why}"))
    if report is None:
        return NOT_RUN  # interrupted, or there is no such server
    if options.command:
        progress.say(f"the largest process of the client had {_largest_process()} MiB of memory")
    return _print_report(options, report, any(made.failed for made in launchers))


def _largest_process() -> int:
    """Returns the memory of the largest ended child process of this command, in MiB."""
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return largest >> (20 if sys.platform == "darwin" else 10)  # Linux counts in KiB


def _check_client(
    reactor: Any,
    options: argparse.Namespace,
    wire: Wire[Any],
    checks: WireChecks,
    scenarios: list[Scenario],
    seed: int,
    progress: "Progress",
    launchers: list[Launcher],
) -> Check:
    """
    Makes the check of a client.

    :param launchers: a list to which each launcher is added
    """

    def launcher() -> Launcher:
        """Makes the launcher of one scenario."""
        made: Launcher
        if options.wait:
            made = WaitingLauncher(reactor, options.port, progress.say)
        else:
            made = ProcessLauncher(reactor, options.command, options.name, options.password)
        launchers.append(made)
        return made

    adopt_orphans()
    # A person can only connect one client at a time.
    at_once = 1 if options.wait else options.jobs or 3 * (os.cpu_count() or 1)
    return check_of_client(
        reactor,
        wire,
        checks,
        scenarios=scenarios,
        launcher=launcher,
        seed=seed,
        at_once=at_once,
        progress=progress.ended,
    )


def with_settings(scenarios: Sequence[Scenario], given: Sequence[str], wire: Wire[Any]) -> list[Scenario]:
    """
    Returns the scenarios for a client with some settings of the host. A scenario's own settings have priority.

    :param given: the settings, each as `NAME=VALUE`
    :raises SystemExit: a setting is unknown or cannot be used
    """
    found = dict(text.split("=", 1) for text in given if "=" in text)
    known = [f"{wire.name}.{name}" for name in wire.options]
    known += [f"{game.name}.{name}" for game in wire.games for name in game.options]
    if bad := [text for text in given if "=" not in text or text.partition("=")[0] not in known]:
        exit_with_usage_error(
            f"no setting {bad[0]!r}", f"expected --set NAME=VALUE with {', '.join(sorted(set(known)))}"
        )
    try:
        # Results are not used: these calls raise `BadOption` if a value is wrong.
        for game in wire.games:
            game.check(settings_of(game.name, found, game.options))
        wire.configure(settings_of(wire.name, found, wire.options))
    except BadOption as error:
        exit_with_usage_error(error, "expected another value with --set")
    return [evolve(one, settings={**found, **one.settings}) for one in scenarios]


def _server(reactor: Any, options: argparse.Namespace, wire: Wire[Any], checks: ServerChecks) -> ServerUnderTest:
    """
    Returns the server under test, from the options.

    :raises SystemExit: the server's address or a setting cannot be read
    """
    judges = judges_of(wire.name)
    assert judges is not None
    try:
        host, port = address_of(options.server)
        # A setting without `=` raises `ValueError`, too.
        settings = dict(one.split("=", 1) for one in options.set)
    except ValueError:
        exit_with_usage_error(
            "expected --server HOST:PORT and --set NAME=VALUE", "gamehost check --help shows examples"
        )
    return ServerUnderTest(
        reactor,
        wire,
        judges.clients,
        checks=checks,
        dial=dialled(reactor, host, port),
        strict=options.strict,
        settings=settings,
        password=options.password,
    )


def _play(reactor: Any, check: Check, failed: Callable[[str], None]) -> Report | None:
    """
    Runs the reactor until the check is over, and returns the report; `None`: the check has failed or was interrupted.

    :param failed: called with the reason why the check has failed
    """

    def begin() -> "Deferred[Report | None]":
        """Begins the check. A failed check has the result `None`."""
        return check.run().addErrback(lambda failure: failed(failure.getErrorMessage()))

    return run_until_done(reactor, begin, None)


def _names(wires: Sequence[Wire[Any]], servers: bool = False) -> str:
    judged = {wire.name: judges for wire in wires if (judges := judges_of(wire.name)) is not None}
    return ", ".join(sorted(name for name, judges in judged.items() if not servers or judges.servers is not None))


def _print_report(options: argparse.Namespace, report: Report, failed: bool) -> int:
    """
    Prints the report, and returns the exit status.

    :param failed: whether a client could not be started
    """
    # With a given seed, two reports must be equal, and times differ from run to run.
    if options.seed is not None:
        report = report.without_times()
    if options.keep is not None:
        _keep(options.keep, report)
    print_text(FORMATS[options.format](report))
    if failed:
        return NOT_RUN
    return BREACHED if report.breached else CLEAN


def _keep(folder: Path, report: Report) -> None:
    """Writes the transcript of each scenario to a file in a folder, which is made if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, outcome in enumerate(report.outcomes):
        lines = "".join(line_of(line) + "\n" for line in outcome.lines)
        name = f"{number + 1:02}-{outcome.scenario.name}.txt"
        (folder / name).write_text(f"{outcome.scenario.tries}\nverdict: {outcome.verdict.value}\n\n{lines}", "utf-8")


class Progress:
    """
    Prints the progress of a check to standard error. On a terminal, it is one line with a bar, which is overwritten after
    each scenario. Elsewhere, such as in a file, each scenario has a line of its own.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._done = 0
        self._terminal = sys.stderr.isatty()

    def say(self, text: str) -> None:
        sys.stderr.write(f"{escaped(text)}\n")
        sys.stderr.flush()

    def ended(self, outcome: Outcome) -> None:
        """Called after each scenario: shows a bar on a terminal, and otherwise a line."""
        self._done += 1
        if self._terminal:
            end = "\n" if self._done == self._most else ""
            sys.stderr.write(
                f"\r{bar(self._done, self._most)} {self._done}/{self._most} {outcome.scenario.name:24}{end}"
            )
            sys.stderr.flush()
        else:
            self.say(f"{self._done}/{self._most} {outcome.scenario.name}: {MARKS[outcome.verdict]}")
