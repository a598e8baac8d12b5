"""
Longer checks of house players at a host in memory, run by name: `python -m twisted.trial tests.programs.slow_house`. About ten
minutes; `GAMEHOST_MATCHES` changes the number of matches.
"""

import os

from twisted.trial.unittest import SynchronousTestCase

from gamehost.players.base import Level
from tests.kit.memory_host import MemoryHost
from tests.kit.players import GAMES, RULES, HouseProcess, WirePerson, play
from tests.programs.test_house import Person, check_pair

MATCHES = int(os.environ.get("GAMEHOST_MATCHES", "1000"))
#: Matches of so many actions cost as much as one of Onitama.
SHARE = {"onitama": 1, "paper-soccer": 1, "eriantys": 20, "stratego": 40}


class SlowHouseTests(SynchronousTestCase):
    def test_many_matches(self) -> None:
        for game in GAMES:
            for number in range(max(1, MATCHES // SHARE[game])):
                host = MemoryHost(house_rules=RULES)
                process = HouseProcess(host, seed=number)
                level = list(Level)[number % len(Level)]
                person = Person(host, game, house=level.value)
                for _ in range(20_000):
                    if not any([person.go_on(), process.until_idle()]):
                        break
                assert person.over is not None or person.program.over is not None, (game, number)
                self.assertEqual([one.refused for one in process.seen if one.refused], [], (game, number))
                self.assertEqual(person.refused, [], (game, number))

    def test_killed_in_thought(self) -> None:
        """100 times in each game, and the table goes on."""
        for game in GAMES:
            killed = number = 0
            while killed < 100:
                number += 1
                host = MemoryHost(house_rules=RULES)
                process = HouseProcess(host, seed=number)
                person = Person(host, game, house="easy")
                for _ in range(20_000):
                    did = person.go_on()
                    for player in process.players.values():
                        # Every second run is one that does not answer.
                        player.asleep = len(process.seen) % 2 == 1
                    did = process.until_idle() or did
                    if any(player.asleep and player.program.match is not None for player in process.players.values()):
                        process.kill()
                        process.restart()
                        killed, did = killed + 1, True
                    if not did:
                        break
                self.assertIsNotNone(person.program.over, (game, number))
                self.assertNotIn("Away", person.told)
                self.assertEqual([one.refused for one in process.seen if one.refused], [])

    def test_all_wires(self) -> None:
        for number in range(max(1, MATCHES // 100)):
            for wire in ("onitama", "paper-soccer", "eriantys", "stratego-lines", "stratego-frames", "open"):
                host = MemoryHost(house_rules=RULES)
                process = HouseProcess(host, seed=number)
                person = WirePerson(host, wire, level=list(Level)[number % len(Level)], seed=number)

                def each(turn: int, process: HouseProcess = process, person: WirePerson = person) -> None:
                    if turn % 37 == 11:
                        process.kill()
                        process.restart()
                    if turn % 37 == 29 and person.program.match is not None:
                        person.drop()

                play(host, [person], process, each)
                self.assertEqual([one.refused for one in process.seen if one.refused], [], (wire, number))

    def test_what_is_hidden_changes_nothing(self) -> None:
        for level in Level:
            for seed in range(20):
                check_pair(self, level, seed, moves=60)
