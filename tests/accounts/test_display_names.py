"""Display names: what a person types as a name, and the name that all wires have for it."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import (
    LONGEST_NAME,
    LONGEST_SHOWN,
    NameFault,
    NameRefused,
    checked_name,
    suggested,
    typed_name,
)

#: Letters of a script from right to left.
NOUR, DIN = "\u0646\u0648\u0631", "\u0627\u0644\u062f\u064a\u0646"

#: What was typed, the name, and the display name where it differs from that.
TYPED = (
    ("ann", "ann", ""),
    ("Jan van der Meer", "Jan_van_der_Meer", "Jan van der Meer"),
    ("\u0141ukasz \u017b\u00f3\u0142w", "\u0141ukasz_\u017b\u00f3\u0142w", "\u0141ukasz \u017b\u00f3\u0142w"),
    ("Nicol\u00f2 D'Elia", "Nicol\u00f2_D_Elia", "Nicol\u00f2 D'Elia"),
    ("Nicolo\u0300 D\u2019Elia", "Nicol\u00f2_D_Elia", "Nicol\u00f2 D'Elia"),  # as phones type it
    ("  Jean-Luc Jr. ", "Jean-Luc_Jr", "Jean-Luc Jr."),
    ("Maximiliaan van der Meer-J", "Maximiliaan_van_der", "Maximiliaan van der Meer-J"),
    ("w" * 30, "w" * 20, "w" * 30),
    ("\u5c0f\u660e \u738b", "\u5c0f\u660e_\u738b", "\u5c0f\u660e \u738b"),
    (f"{NOUR} {DIN}", f"{NOUR}_{DIN}", f"{NOUR} {DIN}"),
    ("R2_D2", "R2_D2", ""),
)

#: What is refused, a part of the reason, and what would be taken.
REFUSED = (
    ("w" * 31, NameFault.TOO_LONG, "at most 30 characters, and not 31", "w" * 30),
    ("Jan  Meer", NameFault.INVALID, "single spaces only", "Jan Meer"),
    ("Jan 2", NameFault.INVALID, 'has no "2"', "Jan_2"),
    ("J@n", NameFault.INVALID, 'no "@"', "J n"),
    ("a\tb", NameFault.INVALID, "no U+0009", "a b"),
    ("Jan\u202eMeer", NameFault.INVALID, "no U+202E", "Jan Meer"),
    ("\u0430nn smith", NameFault.INVALID, "letters of one script", ""),
    ("tie", NameFault.INVALID, "not a word such as tie", ""),
    ("easy.1", NameFault.INVALID, "the host's own players", ""),
    ("' -", NameFault.INVALID, "letters", ""),
    ("", NameFault.INVALID, "letters", ""),
)


class DisplayNameTests(SynchronousTestCase):
    def test_what_is_taken(self) -> None:
        for text, name, shown in TYPED:
            found = typed_name(text)
            self.assertEqual((found.text, found.shown), (name, shown), text)
            self.assertEqual((found.key, found.skeleton), (checked_name(name).key, checked_name(name).skeleton))

    def test_what_is_refused(self) -> None:
        """The reason says what was wrong, and repeats no character that does not print."""
        for text, fault, words, other in REFUSED:
            refusal = self.assertRaises(NameRefused, typed_name, text)
            self.assertEqual(refusal.fault, fault)
            self.assertIn(words, str(refusal), text)
            self.assertTrue(str(refusal).isprintable())
            self.assertEqual(suggested(text), other)

    @given(st.text(max_size=50))
    def test_the_name_is_one_for_all_wires(self, text: str) -> None:
        """It is no longer than a name, and a display name differs from it in signs and length alone."""
        try:
            name = typed_name(text)
        except NameRefused:
            return
        self.assertEqual(checked_name(name.text).text, name.text)
        self.assertLessEqual(len(name.text), LONGEST_NAME)
        self.assertLessEqual(len(name.shown), LONGEST_SHOWN)
        self.assertTrue(all(unicodedata.category(one)[0] in "LN" or one in " '-._" for one in name.shown))
        if name.shown:
            self.assertTrue(name.shown.replace(" ", "_").replace("'", "_").startswith(name.text))

    @given(st.text(max_size=120))
    def test_what_is_suggested_is_taken(self, text: str) -> None:
        other = suggested(text)
        if other:
            typed_name(other)
