"""
Clients for the checker in memory: a checker with a clock that is advanced by the test, and clients without processes.

A client is a `MemoryClient`: it gets bytes and sends bytes. A client with a fault is a subclass that overrides one method.
"""

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from types import UnionType
from typing import Any, ClassVar

from msgspec.structs import replace
from twisted.internet.defer import Deferred, succeed
from twisted.internet.protocol import Factory
from twisted.internet.task import Clock

from gamehost.extras.check.base import GENERAL, Grade, Scenario, WireChecks
from gamehost.extras.check.command import Report, as_json, as_text, check_of_client, check_of_server, chosen
from gamehost.extras.check.run import ClientRun, Launcher
from gamehost.extras.check.server_run import ServerChecks, ServerUnderTest
from gamehost.extras.check.transcript import Line
from gamehost.plugins import WIRES
from gamehost.programs.clients import judges_of
from gamehost.testing.cases import Mixin
from gamehost.testing.memory_host import StrictTransport
from gamehost.wires.base import Wire
from tests.kit.memory_host import Client, MemoryHost

#: The checks of clients, by the wire's name.
CHECKS: Mapping[str, WireChecks] = {
    wire.name: judges.clients for wire in WIRES if (judges := judges_of(wire.name)) is not None
}

#: Seconds for which the clock goes on at most, and its step. All of a scenario's own times are longer.
WHOLE = 600.0
STEP = 0.001
#: The clock makes a longer step when nothing is due sooner.
LONG_STEP = 0.05


class MemoryClient:
    """One client, over all of its connections, and the name under which it logs in."""

    #: The wire's name.
    wire: ClassVar[str]
    #: How many matches it plays, how many are over, and whether one is under way.
    matches = 1
    over = 0
    in_match = False

    def __init__(self, name: str, launcher: "MemoryLauncher") -> None:
        self.name = name
        self._launcher = launcher
        self.ended = False
        self.rng = random.Random(5)

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
        if not self.ended:
            self._launcher.send(data)

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        self._launcher.clock.callLater(seconds, lambda: None if self.ended else call())

    def end(self, status: int = 0, words: str = "") -> None:
        if not self.ended:
            self.ended = True
            self._launcher.client_ended(status, words)


# Faults of any client.


def with_fault(fault: type[MemoryClient], sound: type[MemoryClient]) -> type[Any]:
    return type(fault.__name__, (fault, sound), {})


class NeverReads(MemoryClient):
    def received(self, data: bytes) -> None:
        pass


class NeverEnds(MemoryClient):
    matches = 1

    def end(self, status: int = 0, words: str = "") -> None:
        pass

    def lost(self) -> None:
        pass


class NeverGivesUp(MemoryClient):
    """Tries for ever to reach a host that is gone."""

    def lost(self) -> None:
        self.later(1.0, self.lost)


class MemoryLauncher(Launcher):
    """Gives one client connections in memory."""

    #: Seconds until a client that cannot connect gives up.
    patience = 20.0

    def __init__(self, clock: Clock, client: Callable[[str, "MemoryLauncher"], MemoryClient]) -> None:
        self.clock = clock
        self._new_client = client
        self._factory: Factory[Line] | None = None
        self._refused_since: float | None = None
        self._transport: StrictTransport | None = None

    def start(self, run: ClientRun, factory: "Factory[Line]") -> None:
        self._run, self._factory = run, factory
        self._client = self._new_client("tester", self)
        self.clock.callLater(0, lambda: self.connect() if self._client.starts() else None)

    def refuse_connections(self) -> None:
        self._factory = None

    def stop(self) -> None:
        """The client ends, whatever it does."""
        self._client.ended = True

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
        self._transport = transport = _Transport(self.clock, self._pump)
        transport.protocol = line
        line.makeConnection(transport)
        client.connected()

    def send(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.disconnected:
            self._transport.receive(data)

    def hang_up(self) -> None:
        if self._transport is not None and not self._transport.disconnected:
            self._transport.hang_up()

    def passed(self, data: bytes) -> None:
        """The host's bytes have come to the client, as one segment."""

    def client_ended(self, status: int, words: str) -> None:
        """The client's program has ended, and its connection with it."""
        self.clock.callLater(0, self.hang_up)
        self.clock.callLater(0, self._run.client_ended, status, words)

    def _pump(self, transport: "_Transport") -> None:
        """Give the client what the host has written, as one segment, and tell it of the end."""
        data = transport.read()
        if data and not self._client.ended:
            self.passed(data)
            try:
                self._client.received(data)
            except Exception as error:
                # As a program ends that meets what it did not expect.
                self._client.end(1, f"{type(error).__name__}: {error}")
        if transport.disconnected and not self._client.ended:
            self._client.lost()


class _Transport(StrictTransport):
    def __init__(self, clock: Clock, pump: Callable[["_Transport"], None]) -> None:
        super().__init__(clock, "192.0.2.3")
        self._pump = pump
        self._due = False

    def write(self, data: bytes) -> None:
        super().write(data)
        self._pump_soon()

    def _lost(self, reason: Exception) -> None:
        if not self.disconnected:
            super()._lost(reason)
            self._pump_soon()

    def _pump_soon(self) -> None:
        if not self._due:
            self._due = True
            self._clock.callLater(STEP / 2, self._pump_now)

    def _pump_now(self) -> None:
        self._due = False
        self._pump(self)


def check(
    client: Callable[[str, MemoryLauncher], MemoryClient],
    scenarios: Sequence[str | Scenario] = (),
    seed: int = 1,
    wire: str | tuple[Wire[Any], WireChecks] | None = None,
) -> Report:
    """Check a client in memory, in these scenarios or all that are not slow, on its own wire or another one."""
    clock = Clock()
    if isinstance(wire, tuple):
        found, checks = wire
    else:
        name: str = wire or client.wire  # type: ignore[attr-defined]
        (found,), checks = (one for one in WIRES if one.name == name), CHECKS[name]
    wanted = [one for one in scenarios if isinstance(one, Scenario)]
    wanted = wanted or chosen(checks, [str(one) for one in scenarios], slow=False, reconnect=True)
    reports: list[Report] = []
    check_of_client(clock, found, checks, wanted, lambda: MemoryLauncher(clock, client), seed, 1).run().addCallback(
        reports.append
    )
    while not reports and clock.seconds() < WHOLE * len(wanted):
        due = min((call.getTime() for call in clock.getDelayedCalls()), default=clock.seconds() + LONG_STEP)
        clock.advance(max(0.0, due - clock.seconds()))
    assert reports, "the check does not end"
    return reports[0]


def titles(report: Report, *grades: Grade) -> list[str]:
    wanted = grades or (Grade.BREACH, Grade.FRAGILE)
    return [finding.title for finding, _ in report.findings if finding.grade in wanted]


# What the checks of every wire must do: find planted faults, and nothing in a sound client.
#
# The suite plays each faulty client in one scenario, the one that should find it. `make test-checker` plays more seeds, and the
# whole list of scenarios.


#: Different seeds for a sound client and for the host.
SEEDS = int(os.environ.get("GAMEHOST_CHECKER_SEEDS", "1"))


class CheckerContract(Mixin):
    """Subclasses set `sound` and `crippled`, and are test cases."""

    sound: type[MemoryClient]
    #: A client with one fault -> the name of the scenario that must find it.
    crippled: Mapping[Any, str]

    def test_a_sound_client_is_clean(self) -> None:
        for seed in range(1, SEEDS + 1):
            report = check(self.sound, seed=seed)
            self.assertEqual([(one.title, names) for one, names in report.findings], [], as_json(report))
            self.assertTrue(all(outcome.verdict.value != "skipped" for outcome in report.outcomes))

    def test_planted_faults_are_found(self) -> None:
        """Each by the scenario that should find it."""
        missed = [
            f"{client.__name__} in {scenario}"
            for client, scenario in self.crippled.items()
            if not titles(check(client, [scenario]))
        ]
        self.assertEqual(missed, [])

    def test_the_same_seed_gives_the_same_report(self) -> None:
        """Byte for byte, and all that was said."""
        scenarios = CHECKS[self.sound.wire].scenarios
        led = [one.name for one in scenarios if one.opponent is not None or one.lay is not None]
        names = [scenarios[0].name, *led[:1]]
        first, second = (check(self.sound, names, seed=3).without_times() for _ in range(2))
        self.assertEqual(as_json(first), as_json(second))
        said, again = ([line.text for one in report.outcomes for line in one.lines] for report in (first, second))
        self.assertEqual(said, again)

    def test_laws(self) -> None:
        checks = CHECKS[self.sound.wire]
        self.assertLessEqual({scenario.law for scenario in checks.scenarios} | set(GENERAL), set(checks.laws))
        self.assertEqual(len({scenario.name for scenario in checks.scenarios}), len(checks.scenarios))


# Servers for the checker in memory: a host whose messages a test may change, and a checker with the same clock.


#: The checks of servers, by the wire's name.
SERVER_CHECKS: Mapping[str, ServerChecks] = {
    wire.name: judges.servers
    for wire in WIRES
    if (judges := judges_of(wire.name)) is not None and judges.servers is not None
}

#: Changes a message on its way: what is sent or heard in its place.
Fault = Callable[["Faulty", Any], Sequence[Any]]
#: Seconds for which the clock goes on at most, for each scenario.
WHOLE_SERVER_RUN = 300.0
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
        for one in self._changed(message):
            self.peer.say(one)

    refuse = say

    def _changed(self, message: Any) -> Sequence[Any]:
        return (message,) if self._said is None else self._said(self, message)


def instead(kind: type | UnionType, put: Callable[[Faulty, Any], Sequence[Any]]) -> Fault:
    """What is put in the place of messages of a type."""
    return lambda end, message: put(end, message) if isinstance(message, kind) else [message]


def changed(kind: type, **fields: Callable[[Any], Any]) -> Fault:
    """Messages of a type have other values, each made of the message."""
    return instead(kind, lambda end, message: [replace(message, **{key: of(message) for key, of in fields.items()})])


def forgotten(kind: type | UnionType, when: Callable[[Faulty], bool] = lambda end: True) -> Fault:
    """Messages of a type are left out, all or some."""
    return instead(kind, lambda end, message: [] if when(end) else [message])


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
) -> Report:
    """
    Check this project's own host, or one with a fault.

    :param cases: the names of the scenarios; none: all
    :param extensions: whether the host has them; by default a strict check meets a host that has none
    """
    draws, step = iter(range(1, 1_000_000)), PRIME + 2 * (seed - 1)
    host_settings = {"limits.unlimited": "yes", **(settings or {})}
    host = MemoryHost(
        host_settings, strict=strict if extensions is None else not extensions, rng=lambda n: next(draws) * step % n
    )
    factory = host.factories[wire]
    factory.config = _FaultyConfig(factory.config, said, heard)
    ends: list[_End] = []

    def dial(line: Any) -> Deferred[Any]:
        end = _End(host.connect(wire), line)
        line.makeConnection(end)
        ends.append(end)
        return succeed(None)

    checks = SERVER_CHECKS[wire]
    chosen = [one for one in checks.scenarios if not cases or one.name in cases]
    server = ServerUnderTest(
        host.clock, factory.wire, CHECKS[wire], checks, dial, strict, dict(settings or {}), "correct horse"
    )
    reports: list[Report] = []
    failures: list[Any] = []
    check_of_server(server, chosen, seed).run().addCallbacks(reports.append, failures.append)
    while not reports and not failures and host.clock.seconds() < WHOLE_SERVER_RUN * len(chosen):
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


# What the checks of servers of every wire must do: find planted faults, and nothing in this project's own host.


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
        report = check_server(self.wire, settings=self.strict_settings, extensions=False)
        self.assertEqual(breaches(report), [], as_text(report))

    def test_planted_faults_are_found(self) -> None:
        """Each by the scenario that should find it, and named."""
        faults = {**self.sends_wrong, **self.hears_wrong}
        for fault, (case, words) in faults.items():
            said, heard = (fault, None) if fault in self.sends_wrong else (None, fault)
            found = breaches(check_server(self.wire, [case], said, heard))
            self.assertTrue(any(words in title for title in found), (case, words, found))

    def test_the_same_seed_gives_the_same_report(self) -> None:
        first, second = (as_json(check_server(self.wire, ["crosswise"], seed=3).without_times()) for _ in range(2))
        self.assertEqual(first, second)

    def test_laws(self) -> None:
        checks = SERVER_CHECKS[self.wire]
        self.assertLessEqual({one.law for one in checks.scenarios} | {"turn", "framing"}, set(checks.laws))
        self.assertEqual(len({one.name for one in checks.scenarios}), len(checks.scenarios))
