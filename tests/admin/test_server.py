"""The socket: who may ask, what a request is, and answers of any length."""

import os
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.testing import MemoryReactorClock
from twisted.logger import LogLevel
from twisted.trial.unittest import SynchronousTestCase

from gamehost.admin.server import LONGEST_REQUEST, AdminService, NotDone, Request, read_request
from gamehost.commands import admin
from gamehost.commands.admin import Verb
from gamehost.ops import NO_TEXT
from tests.kit.admin import AdminHost
from tests.kit.reactors import logged


class ServerCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = AdminHost()
        self.later: Deferred[Any] = Deferred()
        runs: dict[str, Any] = {
            "echo": lambda host, request: dict(request.arguments),
            "refuse": self.refuse,
            "fail": self.fault,
            "later": lambda host, request: self.later,
            "count": self.count,
            "steps": self.steps,
            "name": lambda host, request: {"name": request.text("name")},
            "file": lambda host, request: {"file": str(request.path("file"))},
        }
        self.world.factory.run_of = runs.__getitem__
        self.patch(admin, "REQUESTS", {name: Verb(acts=name in ("echo", "refuse")) for name in runs})
        self.log = logged(self)

    def refuse(self, host: Any, request: Any) -> Any:
        raise NotDone("planted")

    def fault(self, host: Any, request: Any) -> Any:
        raise ZeroDivisionError

    def count(self, host: Any, request: Any) -> Generator[Any, Any, Any]:
        for number in range(request.number("to")):
            yield {"number": number}
        return {"counted": request.number("to")}

    def steps(self, host: Any, request: Any) -> Generator[Any, Any, Any]:
        yield {"first": (yield succeed(1))}
        yield {"second": (yield self.later)}
        return {}


class AnswerTests(ServerCase):
    def test_an_answer_now_and_later(self) -> None:
        """The second request waits for the answer to the first one, in the same segment too."""
        owner = self.world.owner()
        requests = b'{"command": "later"}\n{"command": "echo", "arguments": {"a": 1}}\n'
        self.assertEqual(owner.send(requests), [])
        self.later.callback({"b": 2})
        self.assertEqual(owner.heard(), [{"end": {"b": 2}}, {"end": {"a": 1}}])

    def test_a_long_answer_comes_in_pieces_as_the_client_reads(self) -> None:
        owner = self.world.owner()
        owner.protocol.dataReceived(b'{"command": "count", "arguments": {"to": 1000}}\n')
        producer: Any = owner.transport.producer
        producer.resumeProducing()
        self.assertLess(len(owner.transport.value().splitlines()), 1000)
        *items, end = owner.heard()
        self.assertEqual([one["item"]["number"] for one in items], list(range(1000)))
        self.assertEqual(end, {"end": {"counted": 1000}})
        self.assertEqual(owner.ask("echo"), [{"end": {}}])

    def test_a_long_answer_that_waits(self) -> None:
        owner = self.world.owner()
        self.assertEqual(owner.ask("steps"), [{"item": {"first": 1}}])
        self.later.callback(2)
        self.assertEqual(owner.heard(), [{"item": {"second": 2}}, {"end": {}}])

    def test_what_is_not_done(self) -> None:
        owner = self.world.owner()
        self.assertEqual(owner.ask("refuse"), [{"error": "planted", "status": 1}])
        self.assertEqual(owner.ask("fail"), [{"error": "a fault of the host; its log has it", "status": 70}])
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        [answer] = owner.ask("dance")
        self.assertIn("unknown command 'dance'; expected one of status, ", answer["error"])
        [answer] = owner.ask("count")
        self.assertEqual(answer["error"], "to: expected a whole number")
        [answer] = owner.ask("name", name="\udcc5")
        self.assertEqual(answer["error"], f"name: {NO_TEXT}")
        self.assertEqual(owner.ask("file", file="\udcc5"), [{"end": {"file": "\udcc5"}}])

    def test_the_answer_to_a_client_that_is_gone_is_dropped(self) -> None:
        for command in ("later", "steps", "count"):
            owner = self.world.owner()
            owner.ask(command, to=1)
            owner.protocol.connectionLost()
            owner.transport.clear()
        self.later.callback({})
        self.assertEqual(self.world.factory.connections, set())

    def test_a_request_that_is_too_long(self) -> None:
        owner = self.world.owner()
        [answer] = owner.send(b"x" * (LONGEST_REQUEST + 1))
        self.assertIn("bytes at most", answer["error"])
        self.assertTrue(owner.transport.disconnecting)

    def test_acts_are_logged(self) -> None:
        owner = self.world.owner()
        owner.ask("echo", name="ann", password="swordfish")
        owner.ask("refuse")
        owner.ask("count", to=1)
        lines = [line for line in self.log.of(LogLevel.info) if line.startswith("admin:")]
        self.assertEqual(
            lines, ["admin: echo name='ann' outcome='done' user=0", "admin: refuse outcome='planted' user=0"]
        )


class UserTests(SynchronousTestCase):
    def test_the_owner_and_root(self) -> None:
        """And whoever can open the socket, where the system does not tell who it is."""
        for user in (0, os.geteuid(), None):
            self.assertEqual(len(AdminHost(user=user).owner().ask("status")), 1)

    def test_others(self) -> None:
        owner = AdminHost(user=os.geteuid() + 1).owner()
        [answer] = owner.heard()
        self.assertIn("for the user that runs the host alone", answer["error"])
        self.assertTrue(owner.transport.disconnecting)


class _NoSockets(MemoryReactorClock):
    def listenUNIX(
        self, address: Any, factory: Any, backlog: int = 50, mode: int = 0o666, wantPID: bool = False
    ) -> Any:
        raise CannotListenError(None, address, OSError("planted"))


class ServiceTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, path: Path) -> tuple[Any, AdminService]:
        world = AdminHost()
        reactor: Any = MemoryReactorClock()
        service = AdminService(reactor, path)
        service.start(world.host)
        return reactor, service

    def test_listens_where_it_is_told(self) -> None:
        """With a mode that lets nobody else in."""
        reactor, service = self.start(self.folder / "a.admin")
        [(path, _, _, mode, _)] = reactor.unixServers
        self.assertEqual((path, mode), (str(self.folder / "a.admin"), 0o600))
        self.successResultOf(service.stop())

    def test_a_socket_that_cannot_be_made(self) -> None:
        """The log does not say that the host listens there."""
        log = logged(self)
        service = AdminService(_NoSockets(), self.folder / "a.admin")
        service.start(AdminHost().host)
        self.successResultOf(service.stop())
        self.assertEqual([line for line in log.of(LogLevel.info) if "admin listening" in line], [])
        self.assertIn("gamehost admin does not work", "".join(log.of(LogLevel.error)))

    def test_a_long_path(self) -> None:
        folder = self.folder / ("long" * 30)
        folder.mkdir()
        reactor, service = self.start(folder / "a.admin")
        [(path, *_)] = reactor.unixServers
        self.assertLess(len(path), 100)
        self.assertTrue(Path(path).parent.samefile(folder))
        self.successResultOf(service.stop())
        self.assertFalse(Path(path).parent.exists())

    def test_the_host_goes_on_without_a_path_that_cannot_be_used(self) -> None:
        (self.folder / "file").write_text("")
        log = logged(self)
        for path in (self.folder / "file", self.folder / "no" / ("long" * 30) / "a"):
            reactor, service = self.start(path)
            self.assertEqual(reactor.unixServers, [])
            self.successResultOf(service.stop())
        self.assertEqual(len([line for line in log.of(LogLevel.error) if "gamehost admin does not work" in line]), 2)


class ReadTests(SynchronousTestCase):
    def test_request(self) -> None:
        self.assertEqual(read_request(b'{"command": "who"}'), Request("who"))
        self.assertEqual(read_request(b'{"command": "show", "arguments": {"table": 1}}'), Request("show", {"table": 1}))

    def test_what_is_no_request(self) -> None:
        for line in (
            b"",
            b"who",
            b"[" * 50_000,
            b"\xff",
            b"[]",
            b"{}",
            b'{"command": 1}',
            b'{"command": "who", "arguments": []}',
            b'{"command": "who", "argument": {}}',
        ):
            error = self.assertRaises(NotDone, read_request, line)
            self.assertIn("expected", str(error))


class ArgumentTests(SynchronousTestCase):
    def test_kinds(self) -> None:
        request = Request("x", {"text": "a", "number": 1, "flag": True})
        self.assertEqual((request.text("text"), request.number("number"), request.flag("flag")), ("a", 1, True))
        self.assertEqual((request.text("other", "b"), request.flag("other")), ("b", False))

    def test_wrong_kinds(self) -> None:
        request = Request("x", {"text": 1, "number": True, "flag": 1})
        for read, name in ((request.text, "text"), (request.number, "number"), (request.flag, "flag")):
            self.assertIn(f"{name}: expected", str(self.assertRaises(NotDone, read, name)))
        self.assertRaises(NotDone, request.text, "other")
        self.assertRaises(NotDone, request.number, "other")
