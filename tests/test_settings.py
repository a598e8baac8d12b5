"""Settings as text: what is read, and what is refused with a name and an expectation."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.settings import (
    BadOption,
    from_to,
    milliseconds,
    one_of,
    refuse_unknown,
    seconds,
    setting,
    settings_of,
    whole_number,
    yes_or_no,
)
from gamehost.testing.cases import PropertyCase

#: Digits that are not ASCII, and spellings that Python reads as numbers and people do not.
NOT_NUMBERS = (
    "",
    " ",
    " 1",
    "1 ",
    "1\n",
    "+1",
    "1_0",
    "0x1",
    "\u0661",
    "\u00b2",
    "\uff11",
    "one",
    "1e3",
    "nan",
    "inf",
    "--1",
)


class ReadingTests(PropertyCase):
    """One reader after the other."""

    def refused(self, read: Callable[[str, str], Any], *texts: str) -> None:
        """Each text is refused, with the setting's name and what was expected."""
        for text in texts:
            error = self.assertRaises(BadOption, read, "depth", text)
            self.assertIn("depth: expected ", str(error), repr(text))
            self.assertTrue(str(error).isprintable(), repr(text))

    def test_a_bad_option_is_a_value_error(self) -> None:
        """Who knows nothing of settings can catch it all the same."""
        self.assertTrue(issubclass(BadOption, ValueError))

    def test_whole_numbers(self) -> None:
        """ASCII digits with or without a minus, of a length that is no attack; nothing else."""
        for text, number in (("0", 0), ("-7", -7), ("007", 7), ("9" * 18, 10**18 - 1)):
            self.assertEqual(whole_number("depth", text), number)
        self.refused(whole_number, *NOT_NUMBERS, "1.0", "-", "9" * 19, "1" * 5000)

    @given(st.integers(-(10**18) + 1, 10**18 - 1))
    def test_whole_numbers_are_read_as_written(self, number: int) -> None:
        """Every whole number within the length is read."""
        self.assertEqual(whole_number("depth", str(number)), number)

    def test_bounds_are_included(self) -> None:
        """Both ends of a range are in it, and what is outside is told the range."""
        read = from_to(2, 5)
        self.assertEqual([read("depth", text) for text in ("2", "5")], [2, 5])
        self.refused(read, "1", "6", "-2", *NOT_NUMBERS)
        self.assertIn("from 2 to 5", str(self.assertRaises(BadOption, read, "depth", "6")))

    def test_seconds(self) -> None:
        """Whole and decimal seconds from 0 on; no sign, no exponent, no words."""
        for text, number in (("0", 0.0), ("60", 60.0), ("2.5", 2.5), ("0.000001", 1e-6)):
            self.assertEqual(seconds("depth", text), number)
        self.refused(seconds, *NOT_NUMBERS, "-1", ".5", "5.", "1,5", "1.5.0", "1.0000000", "9" * 13)

    def test_milliseconds(self) -> None:
        """Seconds as written, whole milliseconds as used."""
        for text, number in (("0", 0), ("2.5", 2500), ("0.001", 1), ("0.29", 290), ("86400", 86_400_000)):
            read = milliseconds("depth", text)
            self.assertEqual(read, number)
            self.assertIs(type(read), int)
        self.refused(milliseconds, *NOT_NUMBERS, "-1")

    @given(st.integers(0, 10**9))
    def test_milliseconds_are_exact(self, number: int) -> None:
        """No millisecond is lost or gained by the way over decimals."""
        self.assertEqual(milliseconds("depth", f"{number // 1000}.{number % 1000:03}"), number)

    def test_yes_or_no(self) -> None:
        """Four words for each, in any case."""
        for text in ("yes", "true", "on", "1", "YES", "True"):
            self.assertIs(yes_or_no("depth", text), True)
        for text in ("no", "false", "off", "0", "No", "FALSE"):
            self.assertIs(yes_or_no("depth", text), False)
        self.refused(yes_or_no, "", "y", "2", "yes ", "ja")

    def test_one_of(self) -> None:
        """One of the words exactly; a refusal lists them."""
        read = one_of("any", "never")
        self.assertEqual(read("depth", "any"), "any")
        self.refused(read, "", "Any", "an", "any ", "a\x1b[2J")
        self.assertIn("any, never", str(self.assertRaises(BadOption, read, "depth", "no")))


class SettingTests(PropertyCase):
    """Settings by name."""

    def test_the_default_is_for_what_is_not_set(self) -> None:
        """A missing setting is its default; an empty one is not missing."""
        self.assertEqual(setting({}, "depth", None, whole_number), None)
        self.assertEqual(setting({"depth": "3"}, "depth", None, whole_number), 3)
        self.assertRaises(BadOption, setting, {"depth": ""}, "depth", None, whole_number)

    def test_unknown_settings(self) -> None:
        """An unknown name is refused, with those that are known in order; known ones pass."""
        refuse_unknown({"a": "1"}, ["b", "a"])
        refuse_unknown({}, [])
        error = self.assertRaises(BadOption, refuse_unknown, {"c": "1"}, ["b", "a"])
        self.assertEqual(str(error), "c: unknown setting; expected one of a, b")

    def test_the_settings_of_one_owner(self) -> None:
        """Without the prefix; what the owner does not know is another's with the same prefix."""
        settings = {"onitama.deal": "x", "onitama.strict": "yes", "limits.open": "no", "deal": "y"}
        self.assertEqual(settings_of("onitama", settings, ("deal",)), {"deal": "x"})
        self.assertEqual(settings_of("eriantys", settings, ("deal",)), {})
