"""The processes of the house players: the folder, the listener, the calls to the seats, and the end."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from twisted.internet.defer import CancelledError
from twisted.internet.interfaces import IReactorUNIX
from twisted.logger import LogLevel
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import implementer

from gamehost.lobby.questions import NotAnswered
from gamehost.lobby.queues import HouseRefused
from gamehost.lobby.remote_game import RemoteLimits
from gamehost.net.house import HouseService, private_folder
from gamehost.ops import LONGEST_PATH
from tests.kit.memory_host import MemoryHost
from tests.kit.players import RULES
from tests.kit.reactors import SpawningReactor, logged
from tests.lobby.test_house import seek, told


@implementer(IReactorUNIX)
class Reactor(SpawningReactor):
    refusal: OSError | None = None

    def listenUNIX(self, address: Any, factory: Any, *more: Any, **others: Any) -> Any:
        if self.refusal is not None:
            raise self.refusal
        return super().listenUNIX(address, factory, *more, **others)


class HouseServiceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name) / "store-house"
        self.reactor = Reactor()
        self.host = MemoryHost(house_rules=RULES)
        self.lines = logged(self)

    def start(self, processes: int = 1) -> HouseService:
        service = HouseService(self.reactor, ["gamehost", "house-players"], processes, self.folder)
        self.factories = service.start(self.host.context)
        return service

    def test_limits_of_masters_stay(self) -> None:
        self.host.lobby.remote.limits = limits = RemoteLimits()
        self.start()
        self.assertEqual(self.host.lobby.remote.limits, limits)

    def test_the_life_of_a_process(self) -> None:
        service = self.start()
        [process] = self.reactor.processes
        told_first = json.loads(process.written)
        self.assertEqual(told_first, {"socket": str(service.socket), "secret": service.secret})
        early = seek(self.host, "early", house="easy")
        self.assertEqual(told(early)[0]["is"], "seated")
        self.assertRaises(NotAnswered, self.host.lobby.house.study, "", "onitama", "")
        self.assertNotIn(b"sit", process.written)
        process.says(b"ready onitama stratego\nalive\n")
        self.assertIn("house players ready", self.lines.of(LogLevel.info))
        self.assertTrue(process.written.endswith(b"\nsit easy.1 1\n"))
        bob = seek(self.host, "bob", house="hard")
        self.assertEqual(told(bob)[0]["is"], "seated")
        self.assertTrue(process.written.endswith(b"\nsit hard.1 1\n"), process.written)
        self.assertRaises(HouseRefused, self.host.lobby.house.play, None, _game("eriantys"), "easy", 2, {})

    def test_studies(self) -> None:
        service = self.start(2)
        idle, process = self.reactor.processes
        process.says(b"ready onitama\n")
        one, other, last = (service.study(group, '{"game": "onitama"}') for group in (1, 2, 3))
        self.assertTrue(process.written.endswith(b'\nstudy 3 3 {"game": "onitama"}\n'))
        self.assertNotIn(b"study", idle.written)
        process.says(b'studied 2 {"turns": [ ]}\nstudied 1 \n')
        self.assertEqual(self.successResultOf(other), '{"turns": [ ]}')
        self.failureResultOf(one, NotAnswered)
        left = service.study(3, "{}")
        left.cancel()
        self.failureResultOf(left, CancelledError)
        self.assertTrue(process.written.endswith(b"\nstop 4\n"))
        process.says(b'studied 4 {"turns": [ ]}\n')  # it was on its way
        advice = service.advise(1, "{}")
        self.assertTrue(process.written.endswith(b"\nadvise 5 1 {}\n"))
        process.end()
        self.failureResultOf(last, NotAnswered)
        self.failureResultOf(advice, NotAnswered)

    def test_a_process_that_ends_is_replaced_by_one_called_to_all_seats(self) -> None:
        self.start()
        self.reactor.processes[0].says(b"ready onitama\n")
        seek(self.host, "ann", house="easy")
        self.reactor.processes[0].end()
        self.assertEqual(self.host.lobby.house.why_not("onitama"), "house players are not ready: try again in a moment")
        self.reactor.advance(1)
        self.assertNotIn(b"sit", self.reactor.processes[1].written)
        self.reactor.processes[1].says(b"ready onitama\n")
        self.assertIn(b"sit easy.1", self.reactor.processes[1].written)

    def test_two_processes_share_the_house_players(self) -> None:
        self.start(2)
        for process in self.reactor.processes:
            process.says(b"ready onitama\n")
        for name in ("ann", "bob", "carl"):
            seek(self.host, name, house="easy")
        even, odd = self.reactor.processes
        self.assertIn(b"sit easy.2 1\n", even.written)
        self.assertIn(b"sit easy.1 1\nsit easy.3 1\n", odd.written)

    def test_processes_and_folder_are_gone_at_the_end(self) -> None:
        service = self.start()
        self.assertEqual(os.stat(self.folder).st_mode & 0o777, 0o700)
        stopped = service.stop()
        self.assertNoResult(stopped)
        self.reactor.processes[0].end()
        self.successResultOf(stopped)
        self.assertFalse(self.folder.exists())

    def test_what_cannot_be_opened(self) -> None:
        self.folder.write_text("a file")
        service = self.start()
        self.assertIn("there are no house players: ", self.lines.of(LogLevel.error)[0])
        self.assertEqual(self.factories, ())
        self.successResultOf(service.stop())
        self.folder.unlink()
        self.reactor.refusal = OSError("no sockets here")
        service = self.start()
        self.assertIn("no sockets here", self.lines.of(LogLevel.error)[1])
        self.assertEqual((self.reactor.processes, len(self.factories)), ([], 1))
        self.successResultOf(service.stop())

    def test_folders(self) -> None:
        self.folder.mkdir(mode=0o755)
        self.assertEqual(private_folder(self.folder), self.folder)
        self.assertEqual(os.stat(self.folder).st_mode & 0o777, 0o700)
        for folder in (None, self.folder / ("x" * LONGEST_PATH)):
            found = private_folder(folder)
            self.addCleanup(found.rmdir)
            self.assertEqual(os.stat(found).st_mode & 0o777, 0o700)
            self.assertLess(len(str(found / "socket")), LONGEST_PATH)


def _game(name: str) -> Any:
    from gamehost.plugins import GAMES

    return GAMES[name]
