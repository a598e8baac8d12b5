"""
An example. A linear policy for Onitama learns by playing against itself, and then plays on a host::

    python -m gamehost.extras.learn.linear --seconds 60 --to 127.0.0.1:8889

The policy has a weight for each pair of a value of the observation and an action. After each match the actions of the winner
become more likely, and those of the other side less (REINFORCE).
"""

import argparse
import asyncio
import time
from typing import Any

import numpy as np

from gamehost.client.asyncio_client import tcp
from gamehost.extras.learn.environment import raw_env
from gamehost.extras.learn.match import play


class LinearPolicy:
    """
    A policy with a weight for each pair of a value and an action. The sum of an action's weights decides its probability.

    :param values: how many values an observation has
    :param actions: how many actions there are
    :param rate: how fast the policy learns
    """

    def __init__(self, values: int, actions: int, rate: float = 0.05, seed: int = 0) -> None:
        self.weights: Any = np.zeros((actions, values + 1), np.float32)
        self._rate, self._luck = rate, np.random.default_rng(seed)

    def chances(self, seen: Any) -> tuple[Any, Any, Any]:
        """Returns the observation as one row, the numbers of the legal actions, and their probabilities."""
        # The 1 at the end is for the constant part of each score.
        row: Any = np.append(seen["observation"].ravel(), 1).astype(np.float32)
        legal = np.flatnonzero(seen["action_mask"])
        scores = self.weights[legal] @ row
        # Softmax. Without the greatest score, large scores would overflow.
        likely = np.exp(scores - scores.max())
        return row, legal, likely / likely.sum()

    def best(self, seen: Any) -> int:
        """Returns the number of the most probable legal action."""
        _, legal, likely = self.chances(seen)
        return int(legal[likely.argmax()])

    def random(self, seen: Any) -> int:
        """Returns the number of a random legal action."""
        return int(self._luck.choice(np.flatnonzero(seen["action_mask"])))

    def match(self, env: Any, seed: int) -> None:
        """Plays a match against itself, and learns from the result."""
        env.reset(seed)
        taken: list[tuple[str, Any, Any, Any, int]] = []
        while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            row, legal, likely = self.chances(env.observe(env.agent_selection))
            # Draw an action by its probability. The sum of the probabilities may be a little less than 1.
            place = min(int(likely.cumsum().searchsorted(self._luck.random())), len(legal) - 1)
            taken.append((env.agent_selection, row, legal, likely, place))
            env.step(legal[place])
        # The last actions have more influence on the result than the first ones, so they change the weights more.
        for back, (agent, row, legal, likely, place) in enumerate(reversed(taken)):
            # The rule REINFORCE: after a victory the action that was taken becomes more probable, after a defeat less.
            change = -likely
            change[place] += 1
            self.weights[legal] += self._rate * 0.9**back * env.rewards[agent] * np.outer(change, row)


def wins(policy: LinearPolicy, env: Any, matches: int) -> float:
    """Plays matches against random actions, with the seats in turn. Returns the share of matches that the policy wins."""
    won = 0
    for seed in range(matches):
        env.reset(seed)
        # The first player has an advantage, so the policy plays both seats.
        own = env.possible_agents[seed % 2]
        while not (env.terminations[own] or env.truncations[own]):
            agent = env.agent_selection
            env.step((policy.best if agent == own else policy.random)(env.observe(agent)))
        won += env.rewards[own] > 0
    return won / matches


def main() -> None:
    """Learns for some time, prints how well the policy plays, and plays on a host if `--to` names one."""
    parser = argparse.ArgumentParser(description="Learn Onitama, and play it on a host.")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to learn (60)")
    parser.add_argument("--to", default="", metavar="HOST:PORT", help="where to play then, by the open wire")
    parser.add_argument("--house", default="random", help="the level of the host's player (random)")
    parser.add_argument("--matches", type=int, default=4, help="how many matches to play there (4)")
    words = parser.parse_args()
    env = raw_env("onitama", most=300)
    policy = LinearPolicy(9 * 5 * 5, 1252)
    print(f"before: wins {wins(policy, env, 200):.0%} against random actions", flush=True)
    end, seed = time.monotonic() + words.seconds, 0
    while time.monotonic() < end:
        seed += 1
        policy.match(env, seed)
    print(f"after {seed} matches: wins {wins(policy, env, 200):.0%}", flush=True)
    host, _, port = words.to.rpartition(":")
    for number in range(words.matches if words.to else 0):
        reward = asyncio.run(play(tcp(host, int(port)), f"linear-{number}", "onitama", policy.best, words.house))
        print({1: "won", 0: "drawn", -1: "lost", None: "stopped"}[reward], flush=True)


if __name__ == "__main__":
    main()
