"""Turns of busy connections, and long work in slices: nobody waits for the whole of it."""

from collections.abc import Generator

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.fairness import BETWEEN, PAUSE, SECONDS, SHARE, STEPS, FairScheduler, Slices
from tests.kit.reactors import TurnClock


class Chatterbox:
    """Has so many turns to fill, each of which takes so long, and notes its name with each."""

    def __init__(
        self, clock: Clock, turns: FairScheduler, log: list[str], name: str, left: int, takes: float = 0.0, at: str = ""
    ) -> None:
        self.address = at
        self._clock = clock
        self._turns = turns
        self._log = log
        self._takes = takes
        self.name = name
        self.left = left

    def go_on(self) -> None:
        self._log.append(self.name)
        self._clock.rightNow += self._takes
        self.left -= 1
        if self.left > 0:
            self._turns.wait(self)
        elif self.left < 0:
            raise RuntimeError("planted")


class TurnsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.scheduler = FairScheduler(self.clock)
        self.log: list[str] = []

    def waits(self, name: str, left: int, takes: float = 0.0, at: str = "") -> Chatterbox:
        scheduled = Chatterbox(self.clock, self.scheduler, self.log, name, left, takes, at)
        self.scheduler.wait(scheduled)
        return scheduled

    def heard(self, seconds: float = 0.0) -> str:
        self.log.clear()
        self.clock.advance(seconds)
        return "".join(self.log)

    def test_one_turn_each_in_a_round(self) -> None:
        for name, left in (("a", 3), ("b", 1), ("c", 2)):
            self.waits(name, left)
        self.assertEqual([self.heard(), self.heard(PAUSE), self.heard(PAUSE)], ["abc", "ac", "a"])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_round_is_no_longer_than_its_share(self) -> None:
        """However many wait: the next round goes on where this one ended."""
        for name in "abcde":
            self.waits(name, 2, SHARE / 2)
        rounds = [self.heard(PAUSE) for _ in range(5)]
        self.assertEqual(rounds, ["ab", "cd", "ea", "bc", "de"])

    def test_addresses_have_turns(self) -> None:
        """Who comes alone waits for one turn of each address, and not for all connections of one. An IPv6 network is one."""
        for number, name in enumerate("abcdef"):
            self.waits(name, 2, SHARE, f"2001:db8::{number}")
        self.waits("x", 2, SHARE, "192.0.2.1")
        self.waits("y", 1, SHARE, "192.0.2.2")
        self.assertEqual("".join(self.heard(PAUSE) for _ in range(15)), "axybxcdefabcdef")

    def test_pause_begins_when_the_round_is_over(self) -> None:
        """A turn that took too long is not made up for by the others."""
        self.waits("a", 2, 10 * PAUSE)
        self.assertEqual(self.heard(), "a")
        self.assertEqual(self.heard(0.9 * PAUSE), "")
        self.assertEqual(self.heard(0.2 * PAUSE), "a")

    def test_who_comes_again_does_not_shorten_the_pause(self) -> None:
        scheduled = self.waits("a", 1)
        self.assertEqual(self.heard(), "a")
        scheduled.left = 1
        self.scheduler.wait(scheduled)
        self.assertEqual(self.heard(0.9 * PAUSE), "")
        self.assertEqual(self.heard(0.2 * PAUSE), "a")

    def test_who_leaves_has_no_turn(self) -> None:
        """The last to leave takes the timer along; who does not wait may leave, too."""
        a, b = self.waits("a", 1), self.waits("b", 1)
        self.scheduler.leave(a)
        self.assertEqual(self.heard(), "b")
        self.scheduler.leave(b)
        self.scheduler.wait(a)
        self.scheduler.leave(a)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_leaving_in_somebodys_turn(self) -> None:
        """Whoever has their turn may make others leave, all of them at the end."""
        others: list[Chatterbox] = []

        class Bouncer(Chatterbox):
            def go_on(self) -> None:
                super().go_on()
                for other in others:
                    self._turns.leave(other)

        self.scheduler.wait(Bouncer(self.clock, self.scheduler, self.log, "a", 1))
        others += [self.waits("b", 1), self.waits("c", 1)]
        self.assertEqual(self.heard(), "a")
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_a_fault_takes_nobody_elses_turn(self) -> None:
        self.waits("a", 0)
        self.waits("b", 1)
        self.assertRaises(RuntimeError, self.heard)
        self.assertEqual(self.heard(PAUSE), "b")
        self.assertEqual(self.clock.getDelayedCalls(), [])


class SlicesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = TurnClock()
        self.slices = Slices(self.clock)
        self.steps: list[str] = []
        self.results: list[object] = []

    def work(self, name: str, steps: int, takes: float = 0.0) -> Generator[None, None, str]:
        for _ in range(steps):
            self.steps.append(name)
            self.clock.rightNow += takes
            yield
        return name

    def test_short_work_is_done_at_once(self) -> None:
        """Also if other work waits: this is how nearly all of it is."""
        self.slices.run(self.work("long", 3 * STEPS), self.results.append)
        self.slices.run(self.work("short", STEPS - 1), self.results.append)
        self.assertEqual(self.results, ["short"])

    def test_long_work_has_turns(self) -> None:
        for name in ("a", "b"):
            self.slices.run(self.work(name, 3 * STEPS), self.results.append)
        self.assertEqual(len(self.steps), 2 * STEPS)
        for turn, name in enumerate("abab", 3):
            before = len(self.steps)
            self.clock.turn()
            self.assertEqual(self.steps[before:], [name] * STEPS, turn)
        self.assertEqual(self.results, [])
        self.clock.pump([0, 0])
        self.assertEqual((self.results, self.clock.getDelayedCalls()), (["a", "b"], []))

    def test_a_slice_ends_when_its_time_is_up(self) -> None:
        self.slices.run(self.work("slow", STEPS, SECONDS), self.results.append)
        self.assertEqual(len(self.steps), BETWEEN)
        self.clock.turn()
        self.assertEqual(len(self.steps), 2 * BETWEEN)

    def test_an_error_is_a_result(self) -> None:
        def fails(steps: int) -> Generator[None, None, None]:
            yield from self.work("fails", steps)
            raise ZeroDivisionError

        self.slices.run(fails(1), self.results.append)
        self.slices.run(fails(STEPS), self.results.append)
        self.slices.run(self.work("a", STEPS), self.results.append)
        self.clock.pump([0, 0])
        self.assertEqual([type(one) for one in self.results], [ZeroDivisionError, ZeroDivisionError, str])

    def test_a_fault_of_who_waits_is_not_the_others(self) -> None:
        def done(result: object) -> None:
            raise ZeroDivisionError

        self.slices.run(self.work("a", STEPS), done)
        self.slices.run(self.work("b", STEPS), self.results.append)
        self.assertRaises(ZeroDivisionError, self.clock.turn)
        self.clock.turn()
        self.assertEqual(self.results, ["b"])
