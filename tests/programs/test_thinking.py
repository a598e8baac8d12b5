"""Thinking for many matches: the more of them wait, the less for each."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from gamehost.programs.thinking import LEAST, Thinking
from gamehost.testing.cases import PropertyCase


def _group_of(group: int, effort: float) -> int:
    return group


class ThinkingTests(PropertyCase):
    """A worker that works when the test says so."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.queue: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
        self.think = Thinking(lambda work, done: self.queue.append((work, done)), self.clock.seconds)
        self.efforts: list[float] = []

    def ask(self) -> None:
        self.think(self.efforts.append, lambda result: None)

    def work(self, seconds: float = 0.0) -> None:
        """Do the first of the queue; it takes so long."""
        work, done = self.queue.pop(0)
        result = work()
        self.clock.advance(seconds)
        done(result)

    def test_alone(self) -> None:
        """One that is alone has the whole effort of its level."""
        self.ask()
        self.work()
        self.assertEqual((self.efforts, self.think.waiting), ([1.0], 0))

    def test_many(self) -> None:
        """Each takes its share of a second, so the last one is not late."""
        for _ in range(50):
            self.ask()
        while self.queue:
            before = len(self.efforts)
            work, done = self.queue.pop(0)
            work()
            self.clock.advance(self.efforts[before])
            done(None)
        self.assertEqual(len(self.efforts), 50)
        self.assertLess(self.clock.seconds(), 2.0)
        self.assertGreaterEqual(min(self.efforts), LEAST)

    def test_late(self) -> None:
        """One that has waited too long answers with the least effort."""
        self.ask()
        self.ask()
        self.work(5.0)
        self.work()
        self.assertEqual(self.efforts[1:], [LEAST])

    def test_groups_take_turns(self) -> None:
        """Sixty hard matches of one group, of 0.18 seconds each, keep another one waiting for the one that is thought about."""
        answered: list[tuple[str, float]] = []

        def ask(who: str, group: int) -> None:
            self.think(self.efforts.append, lambda result: answered.append((who, self.clock.seconds())), group)

        for _ in range(60):
            ask("many", 1)
        ask("one", 2)
        while self.queue:
            self.work(0.18)
        self.assertEqual((len(answered), self.think.waiting), (61, 0))
        # The first of the sixty has begun before the other one came.
        self.assertEqual([who for who, _ in answered].index("one"), 1)
        self.assertLess(dict(answered)["one"], 0.4)

    @given(st.lists(st.integers(1, 4), min_size=1, max_size=40))
    def test_nobody_waits_for_two_of_another_group(self, groups: list[int]) -> None:
        """Between two answers of a group that waits, each other group has one at most."""
        self.setUp()
        done: list[int] = []
        for group in groups:
            self.think(partial(_group_of, group), done.append, group)
        while self.queue:
            self.work()
        self.assertEqual(sorted(done), sorted(groups))
        for group in set(groups):
            turns = [number for number, one in enumerate(done) if one == group]
            for first, second in pairwise(turns):
                between = done[first + 1 : second]
                self.assertEqual(len(between), len(set(between)))
