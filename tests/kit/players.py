"""
Whole matches between players, and what every game's players are checked for.

A match gives each player the events of its own seat and nothing else.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import frozen
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Game, GameMaster, IllegalAction, Result, Seat, To
from gamehost.games.chance import Chance
from gamehost.players.base import Level, Player, SeededChance
from gamehost.players.registry import new_player

#: So many actions of one match at most. A match that needs more is a fault of the players.
MOST_ACTIONS = 20_000


class Stuck(Exception):
    """Nobody answers, somebody is refused, or there is no end."""


@frozen
class Played:
    """A whole match."""

    result: Result
    #: Seat and notation, in order.
    actions: tuple[tuple[Seat, bytes], ...]


def tell(players: Sequence[Player], told: Sequence[To[Any]]) -> None:
    """Give each event to the players of its audience."""
    for one in told:
        for seat in range(len(players)) if one.audience is None else one.audience:
            players[seat].hear(one.event)


def one_action(game: Game[Any, Any], master: GameMaster[Any, Any], players: Sequence[Player]) -> tuple[Seat, bytes]:
    """
    Let the first player act who has an answer.

    :raises Stuck: nobody has one, or it is refused
    """
    for number, player in enumerate(players):
        notation = player.answer()
        if notation is not None:
            seat = Seat(number)
            try:
                tell(players, master.act(seat, game.read(notation), 0))
            except IllegalAction as refusal:
                raise Stuck(f"{notation!r} of seat {number} is refused: {refusal}") from None
            return seat, notation
    raise Stuck("nobody has an answer")


def play_match(
    game: Game[Any, Any],
    players: Sequence[Player],
    chance: Chance,
    settings: Mapping[str, str] | None = None,
    most: int = MOST_ACTIONS,
) -> Played:
    """
    Play a match to its end.

    :raises Stuck: a player is refused or silent, or the match has too many actions
    """
    master = game.new_master(len(players), settings or {}, chance)
    tell(players, master.begin(0))
    actions: list[tuple[Seat, bytes]] = []
    while master.result is None:
        if len(actions) == most:
            raise Stuck(f"no end after {most} actions")
        actions.append(one_action(game, master, players))
    return Played(master.result, tuple(actions))


def players_of(game: str, levels: Sequence[Level], seed: int, effort: float = 1.0) -> list[Player]:
    """A player for each seat."""
    return [
        new_player(game, Seat(number), level, seed * 10 + number, effort=effort) for number, level in enumerate(levels)
    ]


def match_of(
    game: Game[Any, Any],
    levels: Sequence[Level],
    seed: int,
    settings: Mapping[str, str] | None = None,
    effort: float = 1.0,
) -> Played:
    """A whole match between players of these levels; everything in it follows from the seed."""
    return play_match(game, players_of(game.name, levels, seed, effort), SeededChance(seed), settings)


def pairs() -> list[tuple[Level, Level]]:
    """All pairs of levels, each in both orders."""
    return [(one, other) for one in Level for other in Level]


def check_whole_matches(
    test: SynchronousTestCase,
    game: Game[Any, Any],
    levels: Sequence[Sequence[Level]],
    seeds: Sequence[int],
    settings: Callable[[int], Mapping[str, str]] = lambda seed: {},
    effort: float = 1.0,
) -> None:
    """Matches of each of these line-ups come to an end by the rules, and no action is refused."""
    for line_up in levels:
        for seed in seeds:
            played = match_of(game, line_up, seed, settings(seed), effort)
            test.assertNotEqual(played.actions, ())
            test.assertEqual(played.result.cause.value, "rules", (line_up, seed))


def slow_line_ups() -> list[tuple[tuple[Level, Level], int]]:
    """
    Pairs of levels, with the number of matches that a slow module plays.

    `GAMEHOST_MATCHES` changes the number, which is 1,000 for random and easy. Pairs with medium play a fifth of it, and pairs
    with hard a fiftieth.
    """
    matches = int(os.environ.get("GAMEHOST_MATCHES", "1000"))
    share = {Level.RANDOM: 1, Level.EASY: 1, Level.MEDIUM: 5, Level.HARD: 50}
    return [(pair, max(1, matches // max(share[level] for level in pair))) for pair in pairs()]
