"""A whole host in memory: a clock that is turned by hand, strict transports, and a client for each connection."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from twisted.internet.address import IPv4Address
from twisted.internet.task import Clock

from gamehost.accounts.login import LoginService, Worker
from gamehost.accounts.passwords import Cost
from gamehost.limits import ConnectionLimiter, Limits
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import ResumePolicy, SessionRegistry
from gamehost.net.connection import WireFactory
from gamehost.net.context import Cork, HostContext
from gamehost.plugins import WIRES
from gamehost.tables.context import TableContext
from gamehost.testing.journals import RecordingJournal
from gamehost.testing.message_text import Lines, MessageText
from gamehost.testing.transport import StrictTransport
from gamehost.wires.base import Wire


class Client:
    """The far end of a connection."""

    def __init__(self, world: "MemoryHost", factory: WireFactory[Any], address: str) -> None:
        self.world = world
        self.transport = StrictTransport(world.clock, address)
        self.protocol = factory.buildProtocol(IPv4Address("TCP", address, 40_000))
        self.transport.protocol = self.protocol
        self.protocol.makeConnection(self.transport)
        self.spelling = world.texts.get(factory.wire.name, Lines)()

    def send(self, data: bytes) -> None:
        """Send bytes, and let the host's turn end."""
        self.transport.receive(data)
        self.world.settle()

    def say(self, *lines: str) -> None:
        """Send whole lines in one segment (messages in words, on a wire that has no lines)."""
        self.send(b"".join(self.spelling.said(line) for line in lines))

    def heard(self) -> list[str]:
        """The whole lines that came since the last call."""
        return self.spelling.heard(self.transport.read())

    def ask(self, *lines: str) -> list[str]:
        """Say lines, and hear what comes."""
        self.heard()
        self.say(*lines)
        return self.heard()

    def drop(self) -> None:
        """Be gone without a word."""
        self.transport.hang_up()
        self.world.settle()

    @property
    def state(self) -> object:
        """Where its conversation is."""
        return self.protocol._conversation.state  # type: ignore[attr-defined]

    @property
    def closed(self) -> bool:
        return self.transport.disconnected


#: A password's work in tests: next to none.
CHEAP = Cost(n=2, r=1, p=1)


def at_once(work: Callable[[], Any], done: Callable[[Any], None]) -> None:
    """A worker that takes no time."""
    done(work())


class MemoryHost:
    """
    A host.

    :param settings: as for `--set`: full names to text
    :param journal: of an earlier life, to go on from
    :param luck: where chance comes from: the same every time, unless a test wants it otherwise
    :param worker: where passwords are worked on
    """

    #: By a wire's name, how tests write its messages, if it is not made of lines.
    texts: ClassVar[Mapping[str, type[MessageText]]] = {}

    def __init__(
        self,
        settings: Mapping[str, str] = {},
        *,
        journal: RecordingJournal | None = None,
        grace: float = 60.0,
        resume: ResumePolicy = ResumePolicy.SAME_ADDRESS,
        strict: bool = False,
        move_time: str = "0",
        wires: tuple[Wire[Any], ...] = tuple(WIRES),
        rng: Callable[[int], int] = lambda n: n - 1,
        worker: Worker = at_once,
    ) -> None:
        self.clock = Clock()
        self.journal = journal or RecordingJournal()
        self.limits = Limits.read(_of("limits", settings))
        games = {wire.game.name: wire.game for wire in wires}
        of_games = {name: {"move_time": move_time, **_of(name, settings, game.options)} for name, game in games.items()}
        cork = Cork()
        registry = SessionRegistry(resume, lambda key: self.journal.find(key) is not None)
        login_service = LoginService(self.journal, registry.is_guest, self.clock, worker, self.limits, cork, CHEAP)
        context = TableContext(self.clock, self.journal, grace, rng=rng)
        self.lobby = Lobby(context, registry, of_games, *self.limits.waiting_tables, login_service=login_service)
        self.context = HostContext(self.clock, self.lobby, self.limits, ConnectionLimiter(self.limits), cork)
        strictly = {"strict": "yes"} if strict else {}
        self.factories = {
            wire.name: WireFactory(wire, strictly | _of(wire.name, settings, wire.options), self.context)
            for wire in wires
        }
        self.lobby.restore(games, self.journal.unfinished())

    def connect(self, wire: str = "onitama", address: str = "192.0.2.1") -> Client:
        """A new connection."""
        return Client(self, self.factories[wire], address)

    def settle(self) -> None:
        """Let everything happen that needs no time."""
        while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
            self.clock.advance(0)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.advance(seconds)
        self.settle()


def _of(owner: str, settings: Mapping[str, str], known: Mapping[str, str] | None = None) -> dict[str, str]:
    """The settings of one owner without their prefix; those it does not know are another's of the same name."""
    prefix = owner + "."
    mine = {name.removeprefix(prefix): text for name, text in settings.items() if name.startswith(prefix)}
    return mine if known is None else {name: text for name, text in mine.items() if name in known}
