"""The host as a process, over real sockets: the documentation's bot, through a kill and a start, and a stop in good order."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.end_to_end.test_onitama import bot
from tests.kit.process import ROOT, HostProcess

BOT = ROOT / "docs" / "bots" / "eriantys_bot.py"

_WON = re.compile(r"game [0-9]+ won by (.+?):")


class Bots:
    """Bots as processes of their own; a context manager that leaves none behind."""

    def __init__(self, port: int, names: tuple[str, ...], players: int) -> None:
        options = ["--port", str(port), "--players", str(players), "--games", "2"]
        self.processes = [
            subprocess.Popen([sys.executable, str(BOT), name, *options], stdout=subprocess.PIPE, text=True)
            for name in names
        ]

    def __enter__(self) -> "Bots":
        return self

    def __exit__(self, *error: object) -> None:
        for process in self.processes:
            process.kill()
            process.wait(10)
            if process.stdout is not None:
                process.stdout.close()

    def finish(self) -> list[str]:
        """The rest of what each bot prints; all of them end well."""
        printed = [process.communicate(timeout=600)[0] for process in self.processes]
        assert [process.returncode for process in self.processes] == [0] * len(printed), printed
        return printed


class _LeftOff(Exception):
    """Bob has played half a game."""


class EriantysOverSocketsTests(SynchronousTestCase):
    """Whole games."""

    def test_three_bots_play_to_the_end(self) -> None:
        """All agree on who won each game. At the end SIGTERM is told as an error with its reason."""
        names = ("carl", "dora", "eve")
        with HostProcess(wires=["eriantys"]) as host:
            with Bots(host.ports["eriantys"], names, players=3) as bots:
                winners = [_WON.findall(printed) for printed in bots.finish()]
            self.assertEqual(winners, [winners[0]] * 3)
            self.assertEqual(len(winners[0]), 2)
            self.assertTrue(set(" and ".join(winners[0]).split(" and ")) <= set(names))
            watcher = host.connect("eriantys")
            watcher.hear()
            _, seconds = host.stop()
            self.assertLess(seconds, 5)
            last = json.loads(watcher.hear())
            self.assertEqual((last["type"], last["reason"]), ("ErrorMessage", "the host is stopping"))
            self.assertEqual(watcher.hear(), "")
            watcher.close()

    def test_two_bots_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        """kill -9 in the middle of a match: the bots come back, and the same match goes on to its end."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        with HostProcess(wires=["eriantys"], folder=folder, store="store.sqlite") as host:
            port = host.ports["eriantys"]
            with Bots(port, ("ann",), players=2) as first:
                self.assertRaises(_LeftOff, self.half_a_game, port)
                host.kill()
                option = f"--eriantys=tcp:{port}:interface=127.0.0.1"
                with (
                    HostProcess(option, wires=["eriantys"], folder=folder, store="store.sqlite") as again,
                    Bots(port, ("bob",), players=2) as second,
                ):
                    [bob] = second.finish()
                    [ann] = first.finish()
        self.assertIn("resumed 1 table", again.log)
        self.assertIn("ann: no connection", ann)
        self.assertTrue(bob.startswith("bob: playing with "), "the match goes on at once")
        self.assertEqual(len(_WON.findall(ann)), 2)
        self.assertEqual(_WON.findall(ann), _WON.findall(bob))

    def half_a_game(self, port: int) -> None:
        """Bob plays until he is asked for a cloud in round 2, and does not answer: so the match waits for him."""

        class Half(bot("eriantys").Bot):  # type: ignore[misc]
            def replies(self, message: dict[str, Any]) -> Any:
                self.round = message.get("roundNumber", getattr(self, "round", 0))
                if message["type"] == "SelectCloud" and self.round == 2:
                    raise _LeftOff
                return super().replies(message)

            def tell(self, text: str) -> None:
                """Print nothing."""

        bob = Half("bob", port=port)
        bob.creates = False
        bob.run()
