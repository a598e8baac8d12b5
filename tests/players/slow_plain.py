"""
How strong the host's own player is in games that bring none: each level against random, with the seats changed.

    python -m tests.players.slow_plain [--game kuhn] [--level easy] [--matches 120] [--effort 1.0]

A level is offered for a game if the lower end of the 95 % interval of its share is above the goal. A game says which it offers
(`gamehost.players.base.LimitsLevels`). The status is 1 if it offers a level that does not reach its goal. All matches of all
levels take hours; with an effort of 0.25 a level has a quarter of its search nodes, as on a busy host.
"""

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from benchmarks.ladder import wilson
from gamehost.games.base import Game, Seat
from gamehost.games.play import PlainPlayer, levels_of
from gamehost.players.base import Level, SeededChance, Thinking
from tests.kit.players import play_match
from tests.kit.plugin_games import FLEET, GOMOKU, KUHN, TOWERS

GAMES: Mapping[str, Game[Any, Any]] = {game.name: game for game in (KUHN, GOMOKU, FLEET, TOWERS)}
#: The lower end of the interval must be above this share of all matches. A drawn match is half a victory.
GOALS: Mapping[Level, float] = {Level.EASY: 0.55, Level.MEDIUM: 0.70, Level.HARD: 0.80}


def points(game: Game[Any, Any], level: Level, seed: int, effort: float = 1.0) -> float:
    """What a level gets in one match against random: 1, a half or 0."""
    levels = (level, Level.RANDOM) if seed % 2 else (Level.RANDOM, level)
    players = [
        PlainPlayer(game, Seat(seat), one, Thinking(SeededChance(seed * 10 + seat), None, effort))
        for seat, one in enumerate(levels)
    ]
    winners = play_match(game, players, SeededChance(seed)).result.winners
    return 0.5 if len(winners) != 1 else float(levels[winners[0]] is level)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the plain player against random.")
    parser.add_argument("--game", choices=GAMES)
    parser.add_argument("--level", choices=[level.value for level in GOALS])
    parser.add_argument("--matches", type=int, default=120)
    parser.add_argument(
        "--effort", type=float, default=1.0, help="the share of the search nodes of a level; default 1.0"
    )
    asked = parser.parse_args()
    failed = False
    for game in GAMES.values() if asked.game is None else (GAMES[asked.game],):
        for level, goal in GOALS.items():
            if asked.level in (None, level.value):
                won = sum(points(game, level, seed, asked.effort) for seed in range(asked.matches))
                low, high = wilson(round(won), asked.matches)
                reached, offered = low > goal, level.value in levels_of(game)
                words = f"{won:g} of {asked.matches}, {low:.0%} to {high:.0%}, goal {goal:.0%}"
                print(f"{game.name:8} {level.value:7} {words}: {'offered' if offered else 'not offered'}", flush=True)
                failed = failed or (offered and not reached)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
