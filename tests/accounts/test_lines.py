"""Lines of those who wait for a token: rounds, timers, and what is given back."""

from collections.abc import Callable
from contextlib import nullcontext

from attrs import define, field
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import QuotaLines, Rounds


@define(eq=False)
class Somebody:
    """Somebody who waits."""

    name: str
    leave: Callable[[], None] | None = None
    spent: list[Callable[[], None]] = field(factory=list)


class RoundsTests(SynchronousTestCase):
    """`Rounds`."""

    def test_one_of_each_in_a_round(self) -> None:
        """In the order in which the turn-takers came; each one's own are served by age."""
        rounds: Rounds[str, Somebody] = Rounds()
        for name in ("a1", "a2", "a3", "b1", "c1", "b2"):
            rounds.put(name[0], Somebody(name))
        self.assertEqual([rounds.pop().name for _ in range(4)], ["a1", "b1", "c1", "a2"])
        rounds.put("c", Somebody("c2"))
        self.assertEqual([rounds.pop().name for _ in range(3)], ["b2", "a3", "c2"])
        self.assertFalse(rounds)

    def test_first(self) -> None:
        """Somebody who was nearly served comes next."""
        rounds: Rounds[str, Somebody] = Rounds()
        for name in ("a1", "b1"):
            rounds.put(name[0], Somebody(name))
        rounds.put("b", Somebody("b0"), first=True)
        self.assertEqual([rounds.pop().name for _ in range(3)], ["b0", "a1", "b1"])

    def test_remove(self) -> None:
        """The last one of a turn-taker leaves nothing behind."""
        rounds: Rounds[str, Somebody] = Rounds()
        one = Somebody("a1")
        rounds.put("a", one)
        rounds.remove("a", one)
        self.assertFalse(rounds)


class QuotaLinesTests(SynchronousTestCase):
    """`QuotaLines`."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.served: list[str] = []
        self.lines: QuotaLines[str, str, Somebody] = QuotaLines(0.1, 1, self.clock, nullcontext(), self.serve)

    def serve(self, one: Somebody) -> None:
        self.served.append(one.name)
        if one.name.endswith("right"):
            for back in one.spent:
                back()

    def enter(self, *names: str) -> list[Somebody]:
        """Have some enter the line of one key; the letter of a name takes the turn."""
        somebody = [Somebody(name) for name in names]
        for one in somebody:
            self.lines.enter("key", one.name[0], one)
        return somebody

    def test_a_token_is_waited_for(self) -> None:
        """Each ten seconds there is one; keys have quotas of their own."""
        self.enter("a1", "a2", "b1")
        self.lines.enter("other", "a", Somebody("other"))
        self.assertEqual(self.served, ["a1", "other"])
        self.clock.advance(9.9)
        self.assertEqual(len(self.served), 2)
        self.clock.pump([0.1, 10, 10])
        self.assertEqual(self.served, ["a1", "other", "a2", "b1"])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_token_that_is_given_back(self) -> None:
        """The next one has it at once; a thousand in a row are no deep recursion."""
        self.enter("a1", *(f"a{number}right" for number in range(1000)), "a2")
        self.clock.advance(10)
        self.clock.pump([0] * 1001)
        self.assertEqual(len(self.served), 1002)

    def test_who_leaves(self) -> None:
        """The place is free, and nothing is left if nobody else waits."""
        _, second, third = self.enter("a1", "a2", "b1")
        assert second.leave is not None and third.leave is not None
        second.leave()
        self.clock.advance(10)
        self.assertEqual((self.served, third.leave, self.clock.getDelayedCalls()), (["a1", "b1"], None, []))
        [fourth] = self.enter("c1")
        assert fourth.leave is not None
        fourth.leave()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_close(self) -> None:
        """Nobody is served after that, and no timer is left. Somebody who leaves then does no harm."""
        _, second = self.enter("a1", "a2")
        self.lines.close()
        self.clock.advance(100)
        assert second.leave is not None
        second.leave()
        self.assertEqual((self.served, self.clock.getDelayedCalls()), (["a1"], []))

    def test_a_fault_of_one_is_not_the_others(self) -> None:
        """The line goes on behind somebody who could not be served."""
        self.enter("a1", "b-unlucky", "c1")

        def serve(one: Somebody) -> None:
            if one.name == "b-unlucky":
                raise ZeroDivisionError
            self.served.append(one.name)

        self.patch(self.lines, "_go_on", serve)
        self.assertRaises(ZeroDivisionError, self.clock.advance, 10)
        self.clock.advance(10)
        self.assertEqual(self.served, ["a1", "c1"])
