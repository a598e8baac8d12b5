"""
How strong the levels of the players are: each level against the one below, with colours changed.

    python -m benchmarks.ladder [--game onitama] [--games 100] [--effort 1] [--first-seed 1]

Each pair of matches has the same deal, with the levels in both orders. A share has its 95 % interval after Wilson. Times are
CPU seconds of one answer on this machine. There is no limit in seconds, so the matches are the same on every machine.
"""

import argparse
import math
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from attrs import define, field, frozen

from gamehost.games.base import Seat
from gamehost.games.installed import installed
from gamehost.games.play import new_player
from gamehost.players.base import Level, Player, SeededChance
from gamehost.plugins import WIRES
from tests.kit.players import play_match

GAMES = {game.name: game for wire in WIRES for game in wire.games}
#: What a level should reach against the one below, of decided games: by game, and against random.
GOALS: Mapping[str, float] = {"onitama": 0.8, "paper-soccer": 0.8, "stratego": 0.7, "eriantys": 0.7}
AGAINST_RANDOM = 0.9


def wilson(won: int, decided: int, z: float = 1.96) -> tuple[float, float]:
    """The interval in which a share lies, after `won` of `decided` games; by default with a probability of 95 %."""
    if not decided:
        return 0.0, 1.0
    share = won / decided
    middle = share + z * z / (2 * decided)
    width = z * math.sqrt(share * (1 - share) / decided + z * z / (4 * decided * decided))
    whole = 1 + z * z / decided
    return max(0.0, (middle - width) / whole), min(1.0, (middle + width) / whole)


@define(eq=False)
class Timed:
    """A player whose answers are timed."""

    player: Player
    took: list[float] = field(factory=list)

    def hear(self, event: object) -> None:
        self.player.hear(event)

    def refused(self, notation: bytes) -> None:
        self.player.refused(notation)

    def answer(self) -> bytes | None:
        before = time.process_time()
        notation = self.player.answer()
        if notation is not None:
            self.took.append(time.process_time() - before)
        return notation


@frozen
class Score:
    """What a level did against the one below."""

    won: int
    lost: int
    drawn: int
    #: CPU seconds of the answers of the stronger level: mean and longest.
    mean: float
    longest: float
    #: Answers of both sides in a match.
    actions: float

    @property
    def share(self) -> float:
        """Won games among those that were decided."""
        return self.won / max(1, self.won + self.lost)


def encounter(
    game: str, weaker: Level, stronger: Level, games: int, effort: float, settings: Mapping[str, str], first_seed: int
) -> Score:
    """Play so many games; seeds and colours change."""
    won = lost = drawn = actions = 0
    took: list[float] = []
    for number in range(games):
        seed, seat = first_seed + number // 2, number % 2
        levels = (stronger, weaker) if seat == 0 else (weaker, stronger)
        players = [
            Timed(new_player(game, Seat(place), level, 1_000_003 * seed + place, effort=effort))
            for place, level in enumerate(levels)
        ]
        played = play_match(GAMES[game], players, SeededChance(seed), settings)
        winners = played.result.winners
        won, lost = won + (winners == (seat,)), lost + (winners == (1 - seat,))
        drawn += len(winners) != 1
        actions += len(played.actions)
        took += players[seat].took
    return Score(won, lost, drawn, sum(took) / max(1, len(took)), max(took, default=0.0), actions / max(1, games))


def ladder(
    game: str,
    games: int,
    effort: float = 1.0,
    settings: Mapping[str, str] | None = None,
    first_seed: int = 1,
    say: Callable[[str], None] = print,
) -> list[Score]:
    """Every level against the one below, and a line for each."""
    scores = []
    for weaker, stronger in pairwise(Level):
        score = encounter(game, weaker, stronger, games, effort, settings or {}, first_seed)
        low, high = wilson(score.won, score.won + score.lost)
        goal = AGAINST_RANDOM if weaker is Level.RANDOM else GOALS.get(game, 0.8)
        say(
            f"{game}: {stronger} - {weaker}: {score.won} won, {score.lost} lost, {score.drawn} drawn;"
            f" {score.share:.0%} ({low:.0%} to {high:.0%}) of decided games, goal {goal:.0%};"
            f" {score.mean * 1000:.0f} ms an answer, longest {score.longest * 1000:.0f};"
            f" {score.actions:.0f} actions a game"
        )
        scores.append(score)
    return scores


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=sorted(installed().games), action="append", help="default: all")
    parser.add_argument("--games", type=int, default=100, help="of each pair of levels")
    parser.add_argument("--effort", type=float, default=1.0, help="share of each level's nodes")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the match")
    options = parser.parse_args(arguments)
    settings = dict(word.split("=", 1) for word in options.set)
    for game in options.game or sorted(installed().games):
        ladder(game, options.games, options.effort, settings, options.first_seed)


if __name__ == "__main__":
    main()
