"""Long work in slices: nobody waits for the whole of it."""

from collections.abc import Generator

from twisted.trial.unittest import SynchronousTestCase

from gamehost.tables.slices import BETWEEN, SECONDS, STEPS, Slices
from tests.kit.reactors import TurnClock


class SlicesTests(SynchronousTestCase):
    """`Slices`."""

    def setUp(self) -> None:
        self.clock = TurnClock()
        self.slices = Slices(self.clock)
        self.steps: list[str] = []
        self.results: list[object] = []

    def work(self, name: str, steps: int, takes: float = 0.0) -> Generator[None, None, str]:
        """So many steps that take so many seconds each."""
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
        """One slice in each turn, in rounds of all that wait; nothing is left behind."""
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
        """Some steps take longer than others."""
        self.slices.run(self.work("slow", STEPS, SECONDS), self.results.append)
        self.assertEqual(len(self.steps), BETWEEN)
        self.clock.turn()
        self.assertEqual(len(self.steps), 2 * BETWEEN)

    def test_an_error_is_a_result(self) -> None:
        """In the first slice and in a later one; what waits behind it goes on."""

        def fails(steps: int) -> Generator[None, None, None]:
            yield from self.work("fails", steps)
            raise ZeroDivisionError

        self.slices.run(fails(1), self.results.append)
        self.slices.run(fails(STEPS), self.results.append)
        self.slices.run(self.work("a", STEPS), self.results.append)
        self.clock.pump([0, 0])
        self.assertEqual([type(one) for one in self.results], [ZeroDivisionError, ZeroDivisionError, str])

    def test_a_fault_of_who_waits_is_not_the_others(self) -> None:
        """The work behind it goes on."""

        def done(result: object) -> None:
            raise ZeroDivisionError

        self.slices.run(self.work("a", STEPS), done)
        self.slices.run(self.work("b", STEPS), self.results.append)
        self.assertRaises(ZeroDivisionError, self.clock.turn)
        self.clock.turn()
        self.assertEqual(self.results, ["b"])
