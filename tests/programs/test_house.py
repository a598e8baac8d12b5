"""The process of the house players: its lines, and one house player from its call to the end of its match."""

import io
import json
from collections import deque
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, Self

from twisted.internet.defer import Deferred, succeed
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import Lost, NotConnected
from gamehost.games.onitama.face import DealtEvent, MovedEvent
from gamehost.players.base import Level
from gamehost.programs.house import Control, HousePlayer
from gamehost.programs.thinking import Thinking
from gamehost.wires.open import messages as m


class ScriptedClient:
    """A client that hears what the test says."""

    def __init__(self) -> None:
        self.messages: deque[Any] = deque()
        self.waiting: Deferred[Any] | None = None
        self.said: list[Any] = []
        self.closed = self.offline = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        if not self.messages:
            self.waiting = Deferred()
            await self.waiting
        return self.messages.popleft()

    def hear(self, *messages: Any) -> None:
        """The host says this."""
        self.messages.extend(messages)
        if self.waiting is not None:
            waiting, self.waiting = self.waiting, None
            waiting.callback(None)

    def say(self, message: Any) -> None:
        if self.offline:
            raise NotConnected("offline")
        self.said.append(message)

    def close(self) -> Deferred[None]:
        self.closed = True
        return succeed(None)


SEATED = m.Seated(3, "onitama", 1, ["ann", "easy.1"], ["open", "open"], 0)
DEALT = m.Event(3, 1, DealtEvent((["boar", "ox"], ["crab", "eel"]), "tiger"))
MOVED = m.Event(3, 2, MovedEvent(0, "ox", "c1", "c2"))


class HousePlayerTests(SynchronousTestCase):
    """`easy.1` at a table of Onitama."""

    def setUp(self) -> None:
        self.client = ScriptedClient()
        self.soon: list[Any] = []
        self.gone: list[str] = []
        self.thinking = Thinking(lambda work, done: done(work()), lambda: 0.0)
        player = HousePlayer("easy.1", Level.EASY, self.client, self.thinking, 1, self.soon.append, self.gone.append)  # type: ignore[arg-type]
        self.playing = Deferred.fromCoroutine(player.play())

    def later(self) -> None:
        """Everything that has come was heard."""
        soon, self.soon[:] = list(self.soon), []
        for call in soon:
            call()

    def test_a_match(self) -> None:
        """It answers when it is its turn, and is gone after the end."""
        self.client.hear(SEATED, DEALT)
        self.later()
        self.assertEqual(self.client.said, [])
        self.client.hear(MOVED)
        self.assertEqual(self.client.said, [], "not before all was heard")
        self.later()
        [act] = self.client.said
        self.assertEqual((act.table, act.id), (3, 1))
        self.client.hear(m.Refused("not now", 1))
        self.later()
        self.assertEqual(len(self.client.said), 2)
        self.client.hear(m.Over(3, 3, [0], "left", "easy.1 has left"))
        self.successResultOf(self.playing)
        self.assertEqual((self.gone, self.client.closed), (["easy.1"], True))

    def test_a_host_that_does_not_want_it(self) -> None:
        """Then it is gone; after a lost connection it stays."""
        self.client.hear(Lost("gone", 0.5))
        self.assertNoResult(self.playing)
        self.client.hear(Lost("no seat is kept for this name", None))
        self.successResultOf(self.playing)
        self.assertEqual(self.gone, ["easy.1"])

    def test_an_answer_without_a_connection(self) -> None:
        """It is dropped: the program comes back to the seat."""
        self.client.hear(SEATED, DEALT, MOVED)
        self.client.offline = True
        self.later()
        self.assertNoResult(self.playing)

    def test_a_fault_of_a_player(self) -> None:
        """It is reported, and the process goes on."""
        self.client.hear(SEATED, m.Event(3, 1, MovedEvent(0, "ox", "c1", "c2")))
        self.client.hear(DEALT)
        with redirect_stderr(io.StringIO()) as errors:
            self.client.hear(m.Event(3, 2, MovedEvent(0, "ox", "e5", "c2")))
            self.later()
        self.assertNoResult(self.playing)
        self.assertIn("", errors.getvalue())


class ControlTests(SynchronousTestCase):
    """The lines of the host."""

    def test_lines(self) -> None:
        """Where to log in, and who sits down: each of them once at a time. One who is called meanwhile comes again."""
        reactor: Any = MemoryReactorClock()
        reactor.getThreadPool = lambda: None
        control = Control(reactor)
        control.makeConnection(StringTransport())
        self.addCleanup(control.stop)
        with redirect_stdout(io.StringIO()) as output:
            control.dataReceived(json.dumps({"socket": "/nowhere/socket", "secret": "5ec2e7"}).encode() + b"\n")
            control.dataReceived(b"sit easy.1 7\nsit hard.2 8\nsit easy.1 7\nwhat\n")
            reactor.advance(1)
            self.assertEqual(len(reactor.unixClients), 2)
            for _ in range(2):
                control._gone("easy.1")
        self.assertEqual(output.getvalue(), "ready eriantys onitama paper-soccer stratego\nalive\n")
        self.assertEqual([address for address, *_ in reactor.unixClients], ["/nowhere/socket"] * 3)

    def test_a_name_that_is_none(self) -> None:
        """It is reported, and the process goes on."""
        reactor: Any = MemoryReactorClock()
        control = Control(reactor)
        control.makeConnection(StringTransport())
        self.addCleanup(control.stop)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as errors:
            control.dataReceived(b'{"socket": "/nowhere", "secret": "5ec2e7"}\nsit nobody.1 1\n')
        self.assertIn("nobody.1 has failed", errors.getvalue())
