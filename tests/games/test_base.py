"""Luck as masters get it: from the system, from a script, from the journal; and orders drawn from it."""

from collections import Counter
from itertools import permutations, product
from math import factorial

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.chance import JournalledChance, ScriptedChance, SystemChance, shuffled
from gamehost.testing.cases import PropertyCase


class SystemChanceTests(SynchronousTestCase):
    """Luck from the operating system."""

    def test_in_range(self) -> None:
        """Outcomes are from 0 to n-1, and with enough draws each of them comes."""
        chance = SystemChance()
        self.assertEqual({chance.below(1) for _ in range(20)}, {0})
        # Not to see one of five in a thousand draws happens once in 10^96 runs.
        self.assertEqual({chance.below(5) for _ in range(1000)}, set(range(5)))

    def test_nothing_to_choose_from(self) -> None:
        """There is no number below 0 or 0; that is a fault of who asks, and nothing is kept of it."""
        chance = SystemChance()
        for n in (0, -1):
            self.assertRaises(ValueError, chance.below, n)
        self.assertEqual(chance.take(), ())

    def test_taken_once(self) -> None:
        """The outcomes are kept in order until they are taken, and then no more."""
        chance = SystemChance()
        drawn = [chance.below(1000) for _ in range(5)]
        self.assertEqual(chance.take(), tuple(drawn))
        self.assertEqual(chance.take(), ())
        later = chance.below(1000)
        self.assertEqual(chance.take(), (later,))


class ScriptedChanceTests(SynchronousTestCase):
    """Luck that is known beforehand."""

    def test_as_written(self) -> None:
        """The script's outcomes come in its order, those fed later after them; what is left can be seen."""
        chance = ScriptedChance([2, 0])
        self.assertEqual(chance.below(3), 2)
        chance.feed([4])
        self.assertEqual(chance.unused, (0, 4))
        self.assertEqual([chance.below(5), chance.below(5)], [0, 4])
        self.assertEqual(chance.unused, ())

    def test_used_up(self) -> None:
        """Asking for more than the script holds is an error."""
        self.assertRaises(ValueError, ScriptedChance().below, 2)

    def test_does_not_fit(self) -> None:
        """An outcome that this draw cannot have is an error."""
        for outcome in (2, -1):
            self.assertRaises(ValueError, ScriptedChance([outcome]).below, 2)


class JournalledChanceTests(SynchronousTestCase):
    """Live draws are kept; replayed ones come from the record and are not kept again."""

    def test_live(self) -> None:
        """Outside a replay it draws from the system, and keeps what it gave."""
        chance = JournalledChance()
        drawn = [chance.below(1000) for _ in range(3)]
        self.assertEqual(chance.take(), tuple(drawn))

    def test_replay(self) -> None:
        """A step gets the outcomes of the record; after it luck is live again, and nothing of the record is taken."""
        chance = JournalledChance()
        got: list[int] = []
        chance.replay((7, 3), lambda: got.extend((chance.below(8), chance.below(4))))
        self.assertEqual(got, [7, 3])
        self.assertEqual(chance.take(), ())
        live = chance.below(10)
        self.assertEqual(chance.take(), (live,))

    def test_a_record_that_does_not_fit(self) -> None:
        """A step that draws more, less or something else is an error, and luck is live again after it."""
        for drawn, draws in (((1,), (2, 2)), ((1, 0), (2,)), ((5,), (2,)), ((), (2,))):
            chance = JournalledChance()
            self.assertRaises(
                ValueError, chance.replay, drawn, lambda draws=draws, chance=chance: [*map(chance.below, draws)]
            )
            live = chance.below(10)
            self.assertEqual(chance.take(), (live,))

    def test_row_133_a_step_that_fails(self) -> None:
        """The step's own error is the one that is seen."""
        chance = JournalledChance()
        self.assertRaises(KeyError, chance.replay, (1,), {}.popitem)
        chance.below(10)
        self.assertEqual(len(chance.take()), 1)


class Highest:
    """Luck that gives the highest number, and knows what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def below(self, n: int) -> int:
        self.asked.append(n)
        return n - 1


class ShuffledTests(PropertyCase):
    """Every order is as likely as the others."""

    def test_what_is_asked_for(self) -> None:
        """One draw a place, from the last to the second, among the items that are left for it."""
        chance = Highest()
        self.assertEqual(shuffled("abcd", chance), list("abcd"))
        self.assertEqual(chance.asked, [4, 3, 2])

    def test_every_order_from_exactly_one_script(self) -> None:
        """All scripts that n items can ask for give all n! orders, each once: even draws make even orders."""
        for n in range(6):
            scripts = list(product(*(range(bound) for bound in range(n, 1, -1))))
            orders = Counter(tuple(shuffled(range(n), ScriptedChance(script))) for script in scripts)
            self.assertEqual(len(scripts), factorial(n))
            self.assertEqual(orders, Counter(permutations(range(n))))

    def test_row_132_evenly_spread(self) -> None:
        """With the system's luck 24000 orders of four are spread evenly: no further off than one run in 10^12 would be."""
        counts = Counter(tuple(shuffled("abcd", SystemChance())) for _ in range(24_000))
        self.assertEqual(len(counts), 24)
        chi_square = sum((count - 1000) ** 2 / 1000 for count in counts.values())
        # 23 degrees of freedom: the mean is 23; 108 is passed with a probability of 10^-12.
        self.assertLess(chi_square, 108)

    @given(st.lists(st.integers(0, 5), max_size=30))
    def test_the_same_items(self, items: list[int]) -> None:
        """Nothing is lost or doubled, the items given stay as they are, and n - 1 draws are made."""
        chance = SystemChance()
        before = list(items)
        self.assertEqual(Counter(shuffled(items, chance)), Counter(items))
        self.assertEqual(items, before)
        self.assertEqual(len(chance.take()), max(0, len(items) - 1))
