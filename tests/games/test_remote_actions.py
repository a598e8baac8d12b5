"""The notation of remote games: one printable line for any content, and back."""

from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.games.remote.actions import Action, Finish, Move, Next, PutOut, read, write
from gamehost.testing.cases import PropertyCase

SEATS = st.integers(0, 63).map(Seat)
CONTENTS = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("\\{}\n\r\t \x00\x7f\u2028\U0001f600"))).map(
    str.encode
)
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Move, CONTENTS),
    st.builds(Next, SEATS, CONTENTS),
    st.builds(Finish, st.lists(st.tuples(SEATS, st.booleans()), min_size=1).map(tuple), CONTENTS),
    st.builds(PutOut, SEATS),
)


class NotationTests(PropertyCase):
    """What the journal has."""

    def test_words(self) -> None:
        """As people read it."""
        for action, written in (
            (Move(b"<take n='3'/>"), "move <take n='3'/>"),
            (Move(b""), "move"),
            (Next(Seat(0), b"a\\\r\n\t{b} "), r"next 0 a\\\r\n\t\x7bb\x7d\x20"),
            (Next(Seat(12), b""), "next 12"),
            (Finish(((Seat(0), True), (Seat(1), False)), b" "), r"over 0+,1- \x20"),
            (PutOut(Seat(1)), "out 1"),
        ):
            self.assertEqual(write(action), written.encode())
            self.assertEqual(read(written.encode()), action)

    @given(ACTIONS)
    def test_inverse(self, action: Action) -> None:
        """Any content is one printable line without braces, and reads back."""
        notation = write(action)
        text = notation.decode()
        self.assertTrue(text.isprintable() and text == text.strip() and not set(text) & set("{}"), text)
        self.assertEqual(read(notation), action)

    def test_others_are_refused(self) -> None:
        """What is none of the four, and escapes that are none."""
        for notation in (
            b"",
            b"move ",
            b"jump",
            b"next",
            b"next x",
            b"over",
            b"over 0",
            b"over 0+,",
            b"out",
            b"out 1 x",
        ):
            self.assertRaises(ValueError, read, notation)
        for content in ("\\", "\\q", "\\x4", "\\ud800", "\\U00110000"):
            self.assertRaises(ValueError, read, f"move {content}".encode())
        self.assertRaises(ValueError, read, b"move \xff")
