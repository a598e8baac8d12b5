"""
Clients for the checker in memory: a checker with a clock that is advanced by the test, and clients without processes.

A client is a `MemoryClient`: it gets bytes and sends bytes. A client with a fault is a subclass that overrides one method.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from twisted.internet.protocol import Factory
from twisted.internet.task import Clock

from gamehost.checker.base import Grade, Scenario, WireChecks
from gamehost.checker.check import Check, Report, chosen
from gamehost.checker.line import Line
from gamehost.checker.run import BaseRun, RunningClient
from gamehost.plugins import WIRES
from gamehost.testing.transport import StrictTransport

#: The checks of clients, by the wire's name.
CHECKS: Mapping[str, WireChecks] = {wire.name: wire.checks() for wire in WIRES if wire.checks is not None}

#: Seconds for which the clock goes on at most, and its step. All of a scenario's own times are longer.
WHOLE = 600.0
STEP = 0.001
#: The clock makes a longer step when nothing is due sooner.
LONG_STEP = 0.05


class MemoryClient:
    """
    One client, over all of its connections.

    :param name: under which it logs in
    """

    #: The wire's name.
    wire: ClassVar[str]
    #: How many matches are over, and whether one is under way.
    over = 0
    in_match = False

    def __init__(self, name: str, launcher: "MemoryLauncher") -> None:
        self.name = name
        self._launcher = launcher
        self.ended = False

    # -- what a client does; faults override these

    def starts(self) -> bool:
        """The program has started. Whether it connects."""
        return True

    def connected(self) -> None:
        """The connection is there."""

    def received(self, data: bytes) -> None:
        """Bytes have come, as one segment."""

    def lost(self) -> None:
        """The connection is lost: between two matches nobody has to come back."""
        if self.ended:
            return
        if self.over and not self.in_match:
            self.end()
        else:
            self.later(0.5, self._launcher.connect)

    # -- what it can use

    def send(self, data: bytes) -> None:
        """Send bytes, as one segment."""
        if not self.ended:
            self._launcher.send(data)

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        """Do something later, if the client has not ended by then."""
        self._launcher.clock.callLater(seconds, lambda: None if self.ended else call())

    def end(self, status: int = 0, words: str = "") -> None:
        """End the program."""
        if not self.ended:
            self.ended = True
            self._launcher.client_ended(status, words)


class TriesForEver(MemoryClient):
    """A fault of any client: it tries for ever to reach a host that is gone."""

    def lost(self) -> None:
        self.later(1.0, self.lost)


class _Running:
    def __init__(self, client: MemoryClient) -> None:
        self._client = client

    def stop(self) -> None:
        self._client.ended = True


class MemoryLauncher:
    """Gives one client connections in memory."""

    by_hand = False
    failed = False
    #: Seconds until a client that cannot connect gives up.
    patience = 20.0

    def __init__(self, clock: Clock, client: Callable[[str, "MemoryLauncher"], MemoryClient]) -> None:
        self.clock = clock
        self._new_client = client
        self._factory: Factory[Line] | None = None
        self._refused_since: float | None = None
        self._transport: StrictTransport | None = None

    def start(self, run: BaseRun, factory: "Factory[Line]") -> RunningClient:
        """Start the client, which connects soon."""
        self._run, self._factory = run, factory
        self._client = self._new_client("tester", self)
        self.clock.callLater(0, lambda: self.connect() if self._client.starts() else None)
        return _Running(self._client)

    def refuse_connections(self) -> None:
        """The host is gone."""
        self._factory = None

    def connect(self) -> None:
        """Connect, or try again later."""
        client = self._client
        if client.ended:
            return
        if self._factory is None:
            if self._refused_since is None:
                self._refused_since = self.clock.seconds()
            if self.clock.seconds() - self._refused_since > self.patience:
                client.end(1, "the host is gone")
            else:
                self.clock.callLater(1.0, self.connect)
            return
        line: Any = self._factory.buildProtocol(None)
        self._transport = transport = StrictTransport(self.clock, "192.0.2.3")
        transport.protocol = line
        line.makeConnection(transport)
        self._pump(transport)
        client.connected()

    def send(self, data: bytes) -> None:
        """The client sends a segment."""
        if self._transport is not None and not self._transport.disconnected:
            self._transport.receive(data)

    def hang_up(self) -> None:
        """The client closes its connection, if it has one."""
        if self._transport is not None and not self._transport.disconnected:
            self._transport.hang_up()

    def passed(self, data: bytes) -> None:
        """The host's bytes have come to the client, as one segment."""

    def client_ended(self, status: int, words: str) -> None:
        """The client's program has ended, and its connection with it."""
        self.clock.callLater(0, self.hang_up)
        self.clock.callLater(0, self._run.client_ended, status, words)

    def _pump(self, transport: StrictTransport) -> None:
        """Give the client what the host has written, again and again."""
        data = transport.read()
        if data and not self._client.ended:
            self.passed(data)
            try:
                self._client.received(data)
            except Exception as error:
                # As a program ends that meets what it did not expect.
                self._client.end(1, f"{type(error).__name__}: {error}")
        if transport.disconnected:
            if not self._client.ended:
                self._client.lost()
            return
        self.clock.callLater(STEP / 2, self._pump, transport)


def check(
    client: Callable[[str, MemoryLauncher], MemoryClient],
    scenarios: Sequence[str | Scenario] = (),
    seed: int = 1,
    wire: str | None = None,
) -> Report:
    """
    Check a client in memory.

    :param scenarios: those to play, or their names; none: all that are not slow
    """
    name: str = wire or client.wire  # type: ignore[attr-defined]
    clock = Clock()
    checks = CHECKS[name]
    (found,) = (one for one in WIRES if one.name == name)
    wanted = [one for one in scenarios if isinstance(one, Scenario)]
    wanted = wanted or chosen(checks, [str(one) for one in scenarios], slow=False, reconnect=True)
    reports: list[Report] = []
    Check(clock, found, checks, wanted, lambda: MemoryLauncher(clock, client), seed, 1).run().addCallback(
        reports.append
    )
    while not reports and clock.seconds() < WHOLE * len(wanted):
        due = min((call.getTime() for call in clock.getDelayedCalls()), default=clock.seconds() + LONG_STEP)
        clock.advance(max(0.0, due - clock.seconds()))
    assert reports, "the check does not end"
    return reports[0]


def titles(report: Report, *grades: Grade) -> list[str]:
    """The titles of the findings of these grades; none: of all but notes."""
    wanted = grades or (Grade.BREACH, Grade.FRAGILE)
    return [finding.title for finding, _ in report.findings if finding.grade in wanted]
