"""A service on a reactor in memory, and a store whose disk is as slow as a test wants."""

from collections.abc import Callable, Sequence
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import LoginService, at_once
from gamehost.accounts.passwords import CHEAP
from gamehost.limits import Limits
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import ResumePolicy, SessionRegistry
from gamehost.net.context import Cork, HostContext
from gamehost.net.limiter import ConnectionLimiter
from gamehost.ops.workers import SerialWorker
from gamehost.service import GameHostService, Listener
from gamehost.tables.context import TableContext
from gamehost.testing.memory_host import StrictTransport
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.journals import RecordingJournal


class Gone(Exception):
    """What ends a process, in a test."""


class Kept(RecordingJournal):
    """A store whose disk is as slow as a test wants."""

    def __init__(self, late: bool = False) -> None:
        super().__init__(late)
        self.stopped = False
        #: What the next calls of `check` answer; the last of them is that all records were checked.
        self.checks: list[Sequence[str]] = []

    @property
    def all_checked(self) -> bool:
        """Whether nothing is left to be checked."""
        return not self.checks

    def check(self, rows: int, checked: Callable[[Sequence[str], bool], None]) -> None:
        """Answer as the test said."""
        damage = self.checks.pop(0)
        self._answer(lambda: checked(damage, self.all_checked))

    def stop(self, stopped: Callable[[], None]) -> None:
        """Make durable what was taken, and close."""
        self.release()
        self.stopped = True
        stopped()

    def close(self) -> None:
        """The same, at once."""
        self.stop(lambda: None)


class HostCase(SynchronousTestCase):
    """A host of the toy wire on a reactor in memory."""

    def make(self, store: Kept | None = None, grace: float = 60.0) -> GameHostService:
        self.reactor: Any = MemoryReactorClock()
        self.store = store or Kept()

        def build_context() -> tuple[HostContext, Kept]:
            limits = Limits()
            registry, cork = SessionRegistry(ResumePolicy.ANY), Cork()
            login_service = LoginService(self.store, registry.is_guest, self.reactor, at_once, limits, cork, CHEAP)
            lobby = Lobby(
                TableContext(self.reactor, self.store, grace, rng=lambda n: n - 1),
                registry,
                login_service=login_service,
            )
            return HostContext(self.reactor, lobby, limits, ConnectionLimiter(limits), cork), self.store

        from twisted.internet.endpoints import TCP4ServerEndpoint

        listener = Listener("tcp:1", TCP4ServerEndpoint(self.reactor, 1), TOY_WIRE, {})
        return GameHostService({"toy": TOY}, [listener], build_context, self.end, self.end, SerialWorker(self.reactor))

    def end(self, reason: str) -> None:
        raise Gone(reason)

    def connect(self, host: GameHostService, name: str) -> StrictTransport:
        transport = StrictTransport(self.reactor)
        transport.protocol = host.factories[0].buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
        transport.protocol.makeConnection(transport)
        transport.receive(f"hi {name}\n".encode())
        return transport
