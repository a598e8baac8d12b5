"""Checks: equal states have equal texts, others have others, and what has no text of its own is refused."""

from enum import Enum, IntEnum, StrEnum
from typing import Any

from attrs import define, evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.chance import ScriptedChance
from gamehost.journal.replay import canonical_text, fingerprint
from gamehost.testing.cases import PropertyCase
from tests.kit.example_game import TOY


class Side(Enum):
    """A plain enumeration."""

    LEFT = 1
    RIGHT = 2


class Digit(IntEnum):
    """One whose members are numbers."""

    THREE = 3


class Word(StrEnum):
    """One whose members are texts."""

    THREE = "three"


@frozen
class Spot:
    """A value."""

    x: int
    y: int


@frozen
class Mark:
    """Another with the same fields."""

    x: int
    y: int


@frozen
class Nothing:
    """A value without fields."""


@define(eq=False)
class Thing:
    """A thing, which is compared by identity."""

    x: int


_scalars = st.none() | st.integers() | st.text("ab:,()x1", max_size=4) | st.binary(max_size=2) | st.sampled_from(Side)
_values: st.SearchStrategy[Any] = st.recursive(
    _scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.frozensets(inner, max_size=3)
        | st.builds(Spot, inner, inner)
        | st.builds(Mark, inner, inner)
    ),
    max_leaves=6,
)


class TextTests(PropertyCase):
    """What `canonical_text` says of itself."""

    @given(_values, _values)
    def test_same_texts_are_of_same_values(self, one: Any, other: Any) -> None:
        """Two values have one text if they are equal, and only then."""
        self.assertEqual(canonical_text(one) == canonical_text(other), one == other)

    @given(st.lists(st.text(max_size=3), unique=True), st.randoms(use_true_random=False))
    def test_order_of_sets_and_mappings_does_not_matter(self, words: list[str], rng: Any) -> None:
        """However they were filled."""
        shuffled = rng.sample(words, len(words))
        self.assertEqual(canonical_text(set(words)), canonical_text(set(shuffled)))
        self.assertEqual(
            canonical_text({word: len(word) for word in words}), canonical_text({word: len(word) for word in shuffled})
        )

    def test_equal_values_of_other_types(self) -> None:
        """A move as a wire read it may hold a plain number where a journal's holds a member."""
        self.assertEqual(canonical_text([Digit.THREE, Word.THREE, True]), canonical_text((3, "three", 1)))
        self.assertEqual(canonical_text(bytearray(b"a")), canonical_text(b"a"))

    def test_these_are_the_texts(self) -> None:
        """They do not change by accident: the checks of all journals would."""
        self.assertEqual(
            canonical_text((None, -1, "a,b", b"\x01", Side.LEFT, Spot(1, 2), Nothing(), {3, 20}, {"k": [0]})),
            "(-,-1,3:a,b,x01,Side.LEFT,Spot(1,2),Nothing(),{20,3},{(1:k,(0))})",
        )

    def test_what_has_no_text_is_refused(self) -> None:
        """Fractions, and things that are what they are by their address."""
        for value in (0.5, object(), Thing(1), [Thing], lambda: None):
            self.assertRaises(TypeError, canonical_text, value)


class CheckTests(PropertyCase):
    """What `fingerprint` says of itself."""

    def setUp(self) -> None:
        self.master = TOY.new_master(2, {"move_time": "5"}, ScriptedChance([1]))
        self.master.begin(0)
        self.check = fingerprint(self.master)

    def changed(self, what: str, value: object) -> bytes:
        """The check after one attribute became something else."""
        setattr(self.master, what, value)
        return fingerprint(self.master)

    def test_eight_bytes_that_stay(self) -> None:
        """The same twice, and the same as another master's that stands there."""
        again = TOY.new_master(2, {"move_time": "5"}, ScriptedChance([1]))
        again.begin(0)
        self.assertEqual((len(self.check), fingerprint(self.master), fingerprint(again)), (8, self.check, self.check))

    def test_state_deadline_and_end_count(self) -> None:
        """Each of them, and who won; the words of the end do not."""
        self.assertNotEqual(self.changed("count", 1), self.check)
        self.assertEqual(self.changed("count", 0), self.check)
        self.assertNotEqual(self.changed("deadline", 1), self.check)
        won = Result((Seat(0),), Cause.RULES, "reached the goal")
        over = self.changed("result", won)
        self.assertNotEqual(self.changed("result", evolve(won, winners=(Seat(1),))), over)
        self.assertNotEqual(self.changed("result", evolve(won, cause=Cause.TIME)), over)
        self.assertEqual(self.changed("result", evolve(won, why="got there")), over)
