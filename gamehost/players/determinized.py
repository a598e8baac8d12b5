"""
Search for games with luck or hidden things: each action is tried in sampled worlds, and the best mean value wins.

A world is one way in which the unknown may be. All actions are tried in the same worlds, so their means can be compared.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from gamehost.players.base import OutOfBudget

A = TypeVar("A")
W = TypeVar("W")


def best_on_average(
    actions: Sequence[A],
    sample: Callable[[], W],
    value: Callable[[W, A], float],
    worlds: int,
    *,
    least: int = 2,
) -> A:
    """
    The action with the best mean value. The first of equal ones is taken.

    After half of the worlds, the worse half of the actions is left out. If the budget ends within a world, that world does not
    count. Without any complete world the first action is taken.

    :param actions: at least one, the most promising first
    :param sample: draws a world
    :param value: of an action in a world; may raise `OutOfBudget`
    :param worlds: how many worlds at most
    :param least: actions that are never left out
    """
    totals = [0.0] * len(actions)
    left = list(range(len(actions)))
    for number in range(worlds):
        if number == worlds // 2 and number > 0 and len(left) > least:
            left.sort(key=lambda place: (-totals[place], place))
            left = sorted(left[: max(least, len(left) // 2)])
        try:
            world = sample()
            values = [value(world, actions[place]) for place in left]
        except OutOfBudget:
            break
        for place, one in zip(left, values, strict=True):
            totals[place] += one
    return actions[max(left, key=lambda place: (totals[place], -place))]
