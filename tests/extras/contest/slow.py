"""
Contests of real players of known strength: `make test-contest-strength CONTESTS=100`; 15 s each.

All games are played: by the rules, each move chosen by a house player, paired, written down and rated by the contest. Only
wire and processes are left out. `strengths.json` has how often each player beats each in games of their own, and
`python -m tests.extras.contest.slow GAMES` makes it anew.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

from attrs import frozen
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.contest.contest import Contest, ContestJournal
from gamehost.extras.contest.judging import Decision, shares_of
from gamehost.extras.contest.plan import Entrant, Plan
from gamehost.extras.contest.ratings import POINTS, Shares
from gamehost.extras.contest.run import ContestRun
from gamehost.extras.contest.standings import standings
from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.play import new_player
from gamehost.players.base import Level, Player, SeededChance
from tests.kit.contests import most_likely
from tests.kit.players import play_match


@frozen
class Strength:
    """A level of the house. So many of 100 moves it makes at random."""

    level: Level
    careless: int = 0


#: The strongest one first. The bots of docs/bots play as `random` does. Level hard is left out: a game takes it 1.4 s.
PLAYERS: Mapping[str, Strength] = {
    "medium": Strength(Level.MEDIUM),
    "easy": Strength(Level.EASY),
    "easy-9": Strength(Level.EASY, 9),
    "easy-27": Strength(Level.EASY, 27),
    "easy-46": Strength(Level.EASY, 46),
    "easy-65": Strength(Level.EASY, 65),
    "easy-86": Strength(Level.EASY, 86),
    "random": Strength(Level.RANDOM),
}
TABLE = Path(__file__).with_name("strengths.json")
#: Games of each two in a contest, half of them with each seat.
GAMES = 28


class CarelessPlayer:
    """A player that does not always think."""

    def __init__(self, seat: Seat, strength: Strength, seed: int) -> None:
        self._careful = new_player(ONITAMA.name, seat, strength.level, seed)
        self._careless = new_player(ONITAMA.name, seat, Level.RANDOM, seed)
        self._chance, self._share = SeededChance(seed + 5), strength.careless

    def hear(self, event: Any) -> None:
        self._careful.hear(event)
        self._careless.hear(event)

    def answer(self) -> bytes | None:
        careless = self._chance.below(100) < self._share
        return (self._careless if careless else self._careful).answer()

    def refused(self, notation: bytes) -> None:
        raise AssertionError(notation)


def play(names: Sequence[str], seed: int) -> tuple[float, ...]:
    players: list[Player] = [
        CarelessPlayer(Seat(seat), PLAYERS[name], seed * 10 + seat) for seat, name in enumerate(names)
    ]
    return shares_of(play_match(ONITAMA, players, SeededChance(seed)).result, 2)


def made(games: int) -> dict[str, Any]:
    """How many points each player has against each in so many games in the first seat, from games of their own."""
    points: dict[str, dict[str, float]] = {one: {} for one in PLAYERS}
    for number, (one, other) in enumerate(permutations(PLAYERS, 2)):
        # No contest has these seeds: theirs have 48 bits.
        points[one][other] = sum(play((one, other), (number + 1) << 48 | game)[0] for game in range(games))
    return {"made by": f"python -m tests.extras.contest.slow {games}", "games": games, "points": points}


def truth() -> list[float]:
    """The ratings that these games give, with the average 0."""
    table, names = json.loads(TABLE.read_text("utf-8")), [*PLAYERS]
    outcomes = []
    for one, others in table["points"].items():
        for other, points in others.items():
            for game in range(table["games"]):
                share = max(0.0, min(1.0, points - game))
                outcomes.append(Shares((names.index(one), names.index(other)), (share, 1 - share)))
    logs = most_likely(len(names), outcomes)
    return [POINTS * (one - sum(logs) / len(logs)) for one in logs]


class PlayedGame:
    record = None

    def __init__(
        self,
        reactor: Clock,
        *,
        names: Sequence[str],
        seed: int,
        decided: Callable[[Decision], None],
        **more: object,
    ) -> None:
        self.stop = lambda: None
        self.start = lambda: reactor.callLater(0, lambda: decided(Decision(play(names, seed), "rules", "")))


class StrengthTests(SynchronousTestCase):
    timeout = 7_200
    CONTESTS = int(os.environ.get("GAMEHOST_CONTESTS", "20"))
    SEED = int(os.environ.get("GAMEHOST_SEED", "1"))

    def contest(self, seed: int) -> Contest:
        """A contest to its end. They enter the weakest first, so that no tie is broken for the order that is expected."""
        entrants = tuple(Entrant(name, ("in", "process")) for name in reversed([*PLAYERS]))
        plan = Plan("onitama", "onitama", entrants, rounds=GAMES // 2, pairs=True, seed=seed)
        clock, ends, journal = Clock(), list[str](), ContestJournal(Path(self.mktemp()))
        new_game: Any = partial(PlayedGame, clock)
        run = ContestRun(clock, journal.open(plan), journal, new_game, 2, lambda what: None, ends.append)
        run.start()
        while not ends:
            clock.advance(0)
        journal.close()
        self.assertEqual((ends, len(run.contest.played)), ([""], GAMES * len(PLAYERS) * (len(PLAYERS) - 1) // 2))
        return run.contest

    def test_players_of_known_strength_come_out_in_order(self) -> None:
        """In 95 of 100 contests, and 90 to 98 of 100 intervals hold the truth."""
        known = dict(zip(PLAYERS, truth(), strict=True))
        self.assertEqual([*known.values()], sorted(known.values(), reverse=True))
        print(", ".join(f"{name} {value:+.0f}" for name, value in known.items()))
        in_order = held = 0
        for seed in range(self.SEED, self.SEED + self.CONTESTS):
            table = standings(self.contest(seed))
            names = [one.name for one in table]
            true = sum(one.rating.low <= known[one.name] <= one.rating.high for one in table)
            in_order += names == [*PLAYERS]
            held += true
            print(f"seed {seed}: {true} intervals hold the truth; {' '.join(names)}", flush=True)
        intervals = self.CONTESTS * len(PLAYERS)
        print(f"{in_order} of {self.CONTESTS} contests in order; {held} of {intervals} intervals hold the truth")
        self.assertGreaterEqual(in_order, 0.95 * self.CONTESTS)
        self.assertTrue(0.90 <= held / intervals <= 0.98, held / intervals)


if __name__ == "__main__":
    TABLE.write_text(json.dumps(made(int(sys.argv[1])), indent=1) + "\n", "utf-8")
