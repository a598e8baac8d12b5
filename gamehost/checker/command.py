"""
The command `gamehost check`: judges a client or a server against the document of its wire.
"""

import argparse
import os
import secrets
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gamehost.checker.base import Scenario, WireChecks
from gamehost.checker.check import FORMATS, MARKS, Check, Report, check_of_client, check_of_server, chosen, line_of
from gamehost.checker.clients import ProcessLauncher, WaitingLauncher
from gamehost.checker.run import Launcher, Outcome
from gamehost.checker.server_run import ServerChecks, ServerUnderTest, address_of, dialled
from gamehost.commands.command_line import exit_with_usage_error, print_text
from gamehost.wires.base import Wire

#: The exit status: no breach; breaches; the client could not be run.
CLEAN, BREACHED, NOT_RUN = 0, 1, 2

EPILOG = """\
{host}, {port}, {name}, {password} and {seed} in COMMAND are filled in; the environment has them too, as GAMEHOST_HOST,
GAMEHOST_PORT and so on. The exit status is 0 if there is no breach, 1 if there is one, 2 if the client could not be run.

  gamehost check onitama -- python my_client.py {name} --port {port}
  gamehost check onitama --wait
  gamehost check onitama --server 127.0.0.1:9000
"""


def parser(wires: Sequence[Wire[Any]]) -> argparse.ArgumentParser:
    """The options of the command."""
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
        "--set", action="append", default=[], metavar="NAME=VALUE", help="with --server: a setting that the server has"
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


def main(arguments: Sequence[str], wires: Sequence[Wire[Any]], reactor: Any) -> int:
    """
    Do what the command line says.

    :return: the exit status
    """
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    options = parser(wires).parse_args(words[:end])
    options.command = words[end + 1 :]
    wire = next((wire for wire in wires if wire.name == options.wire), None)
    if wire is None or wire.checks is None:
        exit_with_usage_error(f"no wire {options.wire!r}", f"there are checks for {_names(wires)}")
    checks: WireChecks | ServerChecks = wire.checks()
    if options.server is not None:
        if wire.server_checks is None:
            exit_with_usage_error(
                f"no checks of servers for {wire.name}", f"there are for {_names(wires, servers=True)}"
            )
        checks = wire.server_checks()
    if options.list:
        print_text("".join(f"{one.name:24} {one.tries}\n" for one in checks.scenarios))
        return CLEAN
    if [bool(options.command), options.wait, options.server is not None].count(True) != 1:
        exit_with_usage_error(
            "expected a COMMAND behind --, --wait or --server", "gamehost check --help shows examples"
        )
    try:
        scenarios = chosen(checks, options.scenario, options.slow, options.reconnect)
    except KeyError as error:
        server = " --server X:1" if options.server is not None else ""
        exit_with_usage_error(
            f"no scenario {error.args[0]!r}", f"gamehost check {options.wire}{server} --list lists them"
        )
    if options.server is None and options.strict:
        scenarios = [scenario for scenario in scenarios if scenario.strict]
    scenarios *= max(1, options.games)
    progress = Progress(len(scenarios))
    seed = options.seed if options.seed is not None else secrets.randbelow(2**32)
    launchers: list[Launcher] = []
    if isinstance(checks, WireChecks):
        check = _check_client(reactor, options, wire, checks, scenarios, seed, progress, launchers)
    else:
        check = check_of_server(_server(reactor, options, wire, checks), scenarios, seed, progress.ended)
    report = _play(reactor, check, lambda why: progress.say(f"gamehost check: {options.server}: {why}"))
    if report is None:
        return NOT_RUN  # interrupted, or there is no such server
    return _tell(options, report, any(made.failed for made in launchers))


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
    The check of a client.

    :param launchers: all that are made are added to these
    """

    def launcher() -> Launcher:
        made: Launcher
        if options.wait:
            made = WaitingLauncher(reactor, options.port, progress.say)
        else:
            made = ProcessLauncher(reactor, options.command, options.name, options.password)
        launchers.append(made)
        return made

    at_once = 1 if options.wait else options.jobs or 3 * (os.cpu_count() or 1)
    return check_of_client(reactor, wire, checks, scenarios, launcher, seed, at_once, progress.ended)


def _server(reactor: Any, options: argparse.Namespace, wire: Wire[Any], checks: ServerChecks) -> ServerUnderTest:
    """
    The server under test.

    :raises SystemExit: its address or a setting cannot be read
    """
    assert wire.checks is not None
    try:
        host, port = address_of(options.server)
        settings = dict(one.split("=", 1) for one in options.set)
    except ValueError:
        exit_with_usage_error(
            "expected --server HOST:PORT and --set NAME=VALUE", "gamehost check --help shows examples"
        )
    return ServerUnderTest(
        *(reactor, wire, wire.checks(), checks, dialled(reactor, host, port)),
        strict=options.strict,
        settings=settings,
        password=options.password,
    )


def _play(reactor: Any, check: Check, failed: Callable[[str], None]) -> Report | None:
    """
    Run the reactor until the check is over; `None`: it has no report.

    :param failed: called with the reason
    """
    reports: list[Report] = []

    def done(report: Any) -> None:
        if isinstance(report, Report):
            reports.append(report)
        else:
            failed(report.getErrorMessage())
        reactor.callLater(0, reactor.stop)

    reactor.callWhenRunning(lambda: check.run().addBoth(done))
    reactor.run()
    return reports[0] if reports else None


def _names(wires: Sequence[Wire[Any]], servers: bool = False) -> str:
    """The wires that have checks of clients, or of servers."""
    return ", ".join(
        sorted(wire.name for wire in wires if (wire.server_checks if servers else wire.checks) is not None)
    )


def _tell(options: argparse.Namespace, report: Report, failed: bool) -> int:
    if options.seed is not None:
        report = report.without_times()
    if options.keep is not None:
        _keep(options.keep, report)
    print_text(FORMATS[options.format](report))
    if failed:
        return NOT_RUN
    return BREACHED if report.breached else CLEAN


def _keep(folder: Path, report: Report) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, outcome in enumerate(report.outcomes):
        lines = "".join(line_of(line) + "\n" for line in outcome.lines)
        name = f"{number + 1:02}-{outcome.scenario.name}.txt"
        (folder / name).write_text(f"{outcome.scenario.tries}\nverdict: {outcome.verdict.value}\n\n{lines}", "utf-8")


class Progress:
    """Tells on standard error how far a check is: in one line on a terminal, in a line each elsewhere."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._done = 0
        self._terminal = sys.stderr.isatty()

    def say(self, text: str) -> None:
        """Tell the user something."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def ended(self, outcome: Outcome) -> None:
        """A scenario has ended."""
        self._done += 1
        if self._terminal:
            bar = "#" * round(30 * self._done / self._most)
            end = "\n" if self._done == self._most else ""
            sys.stderr.write(f"\r[{bar:30}] {self._done}/{self._most} {outcome.scenario.name:24}{end}")
            sys.stderr.flush()
        else:
            self.say(f"{self._done}/{self._most} {outcome.scenario.name}: {MARKS[outcome.verdict]}")
