"""
The command `gamehost trace`: shows what a client and a server say to each other, and what it means.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from gamehost.checker.relay import Fault, RelayFactory
from gamehost.checker.trace import Form, Trace, TraceLine, plain_checks
from gamehost.commands.command_line import exit_with_usage_error
from gamehost.net.endpoints import Endpoints
from gamehost.settings import BadOption
from gamehost.wires.base import Wire

EPILOG = """\
Connect your client to the port of --listen instead of the server's. Every byte passes unchanged.

  gamehost trace onitama --listen tcp:9000:interface=127.0.0.1 --to 127.0.0.1:8893
"""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="gamehost trace",
        description="Shows every message between a client and a server, with what it means, and marks what is wrong.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("wire", metavar="WIRE")
    made.add_argument("--listen", required=True, metavar="ENDPOINT", help="where clients connect, such as tcp:9000")
    made.add_argument("--to", required=True, metavar="HOST:PORT", help="the server")
    made.add_argument("--format", choices=[form.value for form in Form], default="text", help="default text")
    made.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="of marks; default auto")
    made.add_argument("--fault", metavar="FAULT", help="disturb the line: cut, join, delay=MS, or drop=P")
    return made


def main(arguments: Sequence[str], wires: Sequence[Wire[Any]], reactor: Any) -> int:
    """
    Do what the command line says, until it is interrupted.

    :return: the exit status
    """
    options = parser().parse_args(list(arguments))
    wire = next((wire for wire in wires if wire.name == options.wire and wire.client_codec is not None), None)
    if wire is None:
        known = ", ".join(sorted(wire.name for wire in wires if wire.client_codec is not None))
        exit_with_usage_error(f"no wire {options.wire!r}", f"these can be traced: {known}")
    host, _, port = options.to.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
        exit_with_usage_error(f"--to: {options.to!r} is not HOST:PORT", "expected one such as 127.0.0.1:8893")
    try:
        fault = Fault() if options.fault is None else Fault.read(options.fault)
    except BadOption as error:
        exit_with_usage_error(f"--fault: {error}", "gamehost trace --help shows an example")
    try:
        endpoint = Endpoints(reactor).make(options.listen)
    except BadOption as error:
        exit_with_usage_error(f"--listen: {error}", "gamehost trace --help shows an example")
    checks = plain_checks(wire.name) if wire.checks is None else wire.checks()
    tell = Printer(Form(options.format), options.color == "always" or (options.color == "auto" and sys.stdout.isatty()))
    factory = RelayFactory(
        *(reactor, host.strip("[]"), int(port)),
        lambda number: Trace(wire, checks, f"client {number}", time_of_day, tell),
        fault,
    )
    status = [0]

    def listens(opened: Any) -> None:
        address = opened.getHost()
        place = f"{address.host}:{address.port}" if hasattr(address, "port") else options.listen
        sys.stderr.write(f"clients of {wire.name} connect to {place}; the server is {options.to}\n")
        sys.stderr.flush()

    def cannot_listen(failure: Any) -> None:
        sys.stderr.write(f"gamehost: --listen: cannot listen on {options.listen}: {failure.getErrorMessage()}\n")
        status[0] = 1
        reactor.stop()

    reactor.callWhenRunning(lambda: endpoint.listen(factory).addCallbacks(listens, cannot_listen))
    reactor.run()
    return status[0]


def time_of_day(seconds: float) -> str:
    """The time of day in milliseconds, as it is printed."""
    return datetime.fromtimestamp(seconds).strftime("%H:%M:%S.%f")[:-3]


class Printer:
    """Prints the lines of a trace on standard output, each at once."""

    def __init__(self, form: Form, colour: bool) -> None:
        self._form = form
        self._colour = colour

    def __call__(self, line: TraceLine) -> None:
        """Print one line."""
        text = line.as_json() if self._form is Form.JSON else line.as_text(self._colour)
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
