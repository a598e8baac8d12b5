"""
Servers for the checker in memory: a host whose messages a test may change, and a checker with the same clock.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve
from twisted.internet.defer import Deferred, succeed

from gamehost.checker.base import Grade
from gamehost.checker.check import Report
from gamehost.checker.server_check import ServerCheck
from gamehost.checker.server_run import ServerChecks, ServerUnderTest
from gamehost.games.base import Game
from gamehost.plugins import WIRES
from tests.kit.checked_client import CHECKS
from tests.kit.memory_host import Client, MemoryHost

#: The checks of servers, by the wire's name.
SERVER_CHECKS: Mapping[str, ServerChecks] = {
    wire.name: wire.server_checks() for wire in WIRES if wire.server_checks is not None
}

#: Changes a message on its way: what is sent or heard in its place.
Fault = Callable[["Faulty", Any], Sequence[Any]]
#: The clock makes a step of this many seconds when nothing is due sooner.
LONG_STEP = 0.05
#: Seconds for which the clock goes on at most, for each scenario.
WHOLE = 300.0
#: Random numbers are dealt by this prime, so that they differ and repeat.
PRIME = 7919


class Faulty:
    """
    A server's end of one connection, with one fault.

    :ivar number: of the connection, from 0
    :ivar heard: the messages that have come
    """

    def __init__(self, codec: Any, number: int, said: Fault | None, heard: Fault | None) -> None:
        self._codec = codec
        self._said = said
        self._heard = heard
        self.number = number
        self.heard: list[Any] = []
        self.peer: Any = None

    # -- as a codec

    @property
    def unfinished(self) -> bool:
        return bool(self._codec.unfinished)

    def feed(self, data: bytes) -> Iterator[Any]:
        for message in self._codec.feed(data):
            self.heard.append(message)
            yield from (message,) if self._heard is None else self._heard(self, message)

    def encode(self, message: Any) -> bytes:
        return bytes(self._codec.encode(message))

    # -- as a peer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.peer, name)

    def say(self, message: Any) -> None:
        """Send a message, or something else."""
        for one in (message,) if self._said is None else self._said(self, message):
            self.peer.say(one)

    refuse = say


class _FaultyConfig:
    """A wire's configuration that makes such connections."""

    def __init__(self, config: Any, said: Fault | None, heard: Fault | None) -> None:
        self._config = config
        self._faults = said, heard
        self._made: list[Faulty] = []

    def new_codec(self) -> Any:
        self._made.append(Faulty(self._config.new_codec(), len(self._made), *self._faults))
        return self._made[-1]

    def new_conversation(self, peer: Any, lobby: Any) -> Any:
        """The conversation of the connection whose codec was made last."""
        self._made[-1].peer = peer
        return self._config.new_conversation(self._made[-1], lobby)


class _End:
    """The checker's end of a connection, as a transport."""

    disconnected = False

    def __init__(self, client: Client, line: Any) -> None:
        self._client = client
        self._line = line

    def write(self, data: bytes) -> None:
        self._client.transport.receive(data)

    def loseConnection(self) -> None:
        if not self.disconnected:
            self.disconnected = True
            self._client.transport.hang_up()

    def pump(self) -> None:
        """Give the checker what the host has written."""
        data = self._client.transport.read()
        if data and not self.disconnected:
            self._line.dataReceived(data)
        if self._client.closed and not self.disconnected:
            self.disconnected = True
            self._line.connectionLost(None)


def check_server(
    wire: str,
    cases: Sequence[str] = (),
    said: Fault | None = None,
    heard: Fault | None = None,
    strict: bool = False,
    seed: int = 1,
    settings: dict[str, str] | None = None,
    extensions: bool | None = None,
    game: Game[Any, Any] | None = None,
) -> Report:
    """
    Check this project's own host, or one with a fault.

    :param cases: the names of the scenarios; none: all
    :param game: plays instead of the wire's own
    :param extensions: whether the host has them; by default a strict check meets a host that has none
    """
    draws, step = iter(range(1, 1_000_000)), PRIME + 2 * (seed - 1)
    host_settings = {"limits.unlimited": "yes", **(settings or {})}
    host = MemoryHost(
        host_settings, strict=strict if extensions is None else not extensions, rng=lambda n: next(draws) * step % n
    )
    factory = host.factories[wire]
    config: Any = factory.config
    if game is not None:
        config = evolve(config, queue=evolve(config.queue, game=game))
    factory.config = _FaultyConfig(config, said, heard)
    ends: list[_End] = []

    def dial(line: Any) -> Deferred[Any]:
        end = _End(host.connect(wire), line)
        line.makeConnection(end)
        ends.append(end)
        return succeed(None)

    checks = SERVER_CHECKS[wire]
    chosen = [one for one in checks.cases if not cases or one.scenario.name in cases]
    server = ServerUnderTest(
        host.clock, factory.wire, CHECKS[wire], checks, dial, strict, dict(settings or {}), "correct horse"
    )
    reports: list[Report] = []
    failures: list[Any] = []
    ServerCheck(server, chosen, seed).run().addCallbacks(reports.append, failures.append)
    while not reports and not failures and host.clock.seconds() < WHOLE * len(chosen):
        _step(host, ends)
    assert reports, f"the check does not end: {failures}"
    return reports[0]


def _step(host: MemoryHost, ends: list[_End]) -> None:
    """Carry what was written, and go on to what is due next."""
    for end in list(ends):
        end.pump()
    ends[:] = [end for end in ends if not end.disconnected]
    now = host.clock.seconds()
    due = min((call.getTime() for call in host.clock.getDelayedCalls()), default=now + LONG_STEP)
    host.clock.advance(min(LONG_STEP, max(0.0, due - now)))


def breaches(report: Report) -> list[str]:
    """The titles of all findings that are no notes."""
    return [finding.title for finding, _ in report.findings if finding.grade is not Grade.NOTE]
