"""
Ten whole games by the two test bots of each bridge, and ten more while the host is killed again and again.

The environment may have another number of games as GAMEHOST_GAMES.
"""

import os
import time
from typing import Any

from tests.end_to_end.test_bridge import PYTHON, BridgeCase, perl_bot, python_bot

GAMES = int(os.environ.get("GAMEHOST_GAMES", "10"))
#: Seconds of play before each kill, and how often the host is killed.
PLAYED, KILLS = 0.7, 5


class SlowBridgeTests(BridgeCase):
    timeout = 1_200

    def two(self, port: int, protocol: str) -> list[Any]:
        bots = {"ann": python_bot(protocol), "bob": perl_bot(protocol)}
        return [self.bridge(port, protocol, name, bot, f"--games={GAMES}") for name, bot in bots.items()]

    def test_ten_games(self) -> None:
        for protocol in PYTHON:
            with self.host() as host:
                results = [self.results(one) for one in self.two(host.ports["open"], protocol)]
            self.assertEqual(results[0], results[1])
            self.assertEqual(["(rules)" in words for words in results[0]], [True] * GAMES)
            print(protocol, results[0])

    def test_ten_games_and_kills(self) -> None:
        """Every game is played to its end by the rules, or has ended at the moment of a kill."""
        for protocol in PYTHON:
            with self.host(store=f"{protocol}.sqlite") as host:
                port = host.ports["open"]
                running = self.two(port, protocol)
                host.until("table 1: [a-z-]+ begins")
                time.sleep(PLAYED)
                host.kill()
            for kill in range(KILLS):
                with self.host(f"--open=tcp:{port}:interface=127.0.0.1", store=f"{protocol}.sqlite") as host:
                    if kill < KILLS - 1:
                        time.sleep(PLAYED)
                        host.kill()
                    else:
                        told = [self.printed(one, within=300.0) for one in running]
            for lines in told:
                self.assertEqual([line for line in lines if "resigned" in line], [])
                ends = [line for line in lines if " won (" in line or "does not say how" in line]
                self.assertEqual(len(ends), GAMES)
                self.assertLessEqual(sum("(rules)" not in line for line in ends), KILLS)
            print(protocol, "connections lost:", [sum("lost" in line for line in lines) for lines in told])
