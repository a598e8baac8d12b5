"""What players may do, as the journal keeps it."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.eriantys.events import (
    Action,
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    PlayAssistant,
    UseCharacter,
    read,
    write,
)
from gamehost.games.eriantys.rules import Colour, Tower
from gamehost.testing.cases import PropertyCase

NUMBERED = (ChooseWizard, PlayAssistant, ChooseDestination, ChooseSteps, ChooseCloud, UseCharacter)
ACTIONS = st.one_of(
    st.sampled_from(Tower).map(ChooseTower),
    st.sampled_from([None, *Colour]).map(ChooseStudent),
    *(st.integers().map(kind) for kind in NUMBERED),
)


class NotationTests(PropertyCase):
    """Actions to the journal and back."""

    @given(ACTIONS)
    def test_reads_back(self, action: Action) -> None:
        """Any action, with any number at all, is written as two printable words and read back as it is."""
        notation = write(action)
        self.assertEqual(read(notation), action)
        self.assertTrue(notation.decode("ascii").isprintable())
        self.assertEqual(len(notation.split(b" ")), 2)

    def test_words(self) -> None:
        """The notation of one action of each kind."""
        for action, notation in (
            (ChooseTower(Tower.GREY), b"tower grey"),
            (ChooseWizard(4), b"wizard 4"),
            (PlayAssistant(10), b"assistant 10"),
            (ChooseStudent(Colour.PINK), b"student pink"),
            (ChooseStudent(None), b"student none"),
            (ChooseDestination(0), b"destination 0"),
            (ChooseSteps(3), b"steps 3"),
            (ChooseCloud(2), b"cloud 2"),
            (UseCharacter(12), b"character 12"),
        ):
            self.assertEqual(write(action), notation)
            self.assertEqual(read(notation), action)

    def test_what_is_no_notation(self) -> None:
        """Other words, other numbers and other spacing are refused with a ValueError that does not repeat them."""
        for notation in (
            b"",
            b"tower",
            b"tower red",
            b"tower BLACK",
            b"student",
            b"student grey",
            b"student none ",
            b"wizard 1 2",
            b"wizard  1",
            b"wizard 01",
            b"wizard +1",
            b"wizard 1_0",
            b"wizard -2",
            b"wizard 100",
            b"wizard \xd9\xa3",
            b"wizard 1\n",
            b"move 1",
            b"\xff\xfe",
        ):
            error = self.assertRaises(ValueError, read, notation)
            self.assertIn("expected", str(error))


class NumberTests(SynchronousTestCase):
    """Numbers that are out of every range."""

    def test_far_numbers_are_brought_near(self) -> None:
        """A number beyond anything to choose is taken for one that is just as impossible, and stays short."""
        for kind in NUMBERED:
            self.assertEqual(kind(10**5000), kind(99))
            self.assertEqual(kind(-(10**5000)), kind(-1))
            self.assertNotEqual(kind(12), kind(13))
