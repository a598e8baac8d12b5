"""The host as a process, over real sockets: the documentation's bots, and a stop in mid-game."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

from twisted.trial.unittest import SynchronousTestCase

from tests.end_to_end.test_onitama import bot
from tests.kit.process import HostProcess, Socket


def games(watcher: Socket) -> list[object]:
    """The games that wait, as the host lists them."""
    watcher.say('{"type":"RequestGames"}')
    answer = json.loads(watcher.hear())
    assert answer["type"] == "AvailableGames", answer
    waiting: list[object] = answer["availableGames"]
    return waiting


def watching(host: HostProcess) -> Socket:
    """Somebody who only logs in."""
    watcher = host.connect("eriantys")
    watcher.say('{"type":"LoginMessage","nickname":"watcher"}')
    for expected in ("ENTER_NICKNAME", "SUCCESS"):
        assert json.loads(watcher.hear())["message"] == expected
    return watcher


class EriantysOverSocketsTests(SynchronousTestCase):
    """Whole games."""

    def test_the_documentation_s_bots_play_to_the_end(self) -> None:
        """Two of them, then three; all agree on who won."""
        play = bot("eriantys").play
        with HostProcess(wires=["eriantys"]) as host, ThreadPoolExecutor(3) as pool:
            watcher = watching(host)
            for names in (("ann", "bob"), ("carl", "dora", "eve")):
                running = [pool.submit(play, names[0], "127.0.0.1", host.ports["eriantys"], len(names), 0)]
                until = time.monotonic() + 20
                while not games(watcher) and time.monotonic() < until:
                    pass
                for name in names[1:]:
                    running.append(pool.submit(play, name, "127.0.0.1", host.ports["eriantys"], len(names), 0))
                winners = [one.result(60) for one in running]
                self.assertTrue(set(winners[0]) <= set(names) and winners[0])
                self.assertEqual(winners, [winners[0]] * len(names))
            _, seconds = host.stop()
            self.assertLess(seconds, 5)
            last = json.loads(watcher.hear())
            self.assertEqual(last["detail"], "the host is stopping; seats at tables are kept")
            self.assertEqual(watcher.hear(), "")
