"""What the screens of all games share: styles, widths, lines."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.screen import Style, abridged, columns, cut, listed, padded, wrapped


class TextTests(SynchronousTestCase):
    def test_columns(self) -> None:
        self.assertEqual(columns("ab"), 2)
        self.assertEqual(columns("\u5b57a"), 3)
        self.assertEqual(columns(Style(colour=True).paint("ab", "1;32")), 2)

    def test_cutting_and_padding(self) -> None:
        self.assertEqual(cut("\u5b57\u5b57", 3), "\u5b57")
        self.assertEqual(padded("\u5b57", 4), "\u5b57  ")

    def test_wrapping(self) -> None:
        """Each sentence begins a line; a word that is too long is cut."""
        self.assertEqual(list(wrapped(["one two three", "four"], 8)), ["one two", "three", "four"])
        self.assertEqual(list(wrapped(["a 1234567890 b"], 4)), ["a", "1234", "5678", "90 b"])

    def test_lists_in_sentences(self) -> None:
        self.assertEqual(listed([]), "")
        self.assertEqual(listed(["a"]), "a")
        self.assertEqual(listed(["a", "b", "c"], "or"), "a, b or c")

    def test_long_lists_of_moves(self) -> None:
        self.assertEqual(abridged("abc", 3), ["a", "b", "c"])
        self.assertEqual(abridged("abc", 2), ["a", "b", "... and more."])


class StyleTests(SynchronousTestCase):
    def test_width(self) -> None:
        """A terminal's own word for it is not trusted."""
        self.assertEqual([Style(width=width).width for width in (-1, 0, 40, 80, 65535)], [20, 20, 40, 80, 80])

    def test_characters(self) -> None:
        """ASCII has a question mark for the rest."""
        self.assertEqual(Style(charset="ascii").plain("a\u5b57"), "a?")
        self.assertEqual(Style(charset="ascii").pick("\u00b7", "."), ".")
        self.assertEqual(Style().pick("\u00b7", "."), "\u00b7")

    def test_colours(self) -> None:
        self.assertEqual(Style().paint("a", "1"), "a")
        self.assertEqual(Style(colour=True).paint("a", "1"), "\x1b[1ma\x1b[0m")
