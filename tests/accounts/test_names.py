"""Names: what may be one, which are the same, and which look alike."""

import contextlib
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.python.monkey import MonkeyPatcher
from twisted.trial.unittest import SynchronousTestCase

import gamehost
from gamehost.accounts import names
from gamehost.accounts.bans import BanRefused, ban_key
from gamehost.accounts.login import LoginOutcome, LoginRefused
from gamehost.accounts.names import (
    _TABLE,
    KEY_OF_NOBODY,
    LONGEST_NAME,
    LONGEST_TEXT,
    LookAlikes,
    NameFault,
    NameRefused,
    check_new_name,
    checked_name,
    composed,
    key_of,
    mended,
    name_of,
    sought_key,
)
from gamehost.testing.cases import PropertyCase
from tests.kit.accounts import ServiceCase
from tests.kit.memory_host import Client, MemoryHost

#: Names as people of all scripts have them.
NAMES = st.text(st.characters(categories=("L", "Nd")) | st.sampled_from("_-."), min_size=1, max_size=LONGEST_NAME)


def fault(text: str) -> NameFault | None:
    """What is wrong with a name; `None`: nothing."""
    try:
        checked_name(text)
    except NameRefused as refusal:
        return refusal.fault
    return None


class Counting:
    """The module `unicodedata`, with a count of the characters that it has worked on."""

    def __init__(self) -> None:
        self.characters = 0

    def normalize(self, form: Any, text: str) -> str:
        made = unicodedata.normalize(form, text)
        self.characters += max(len(text), len(made))
        return made

    def category(self, character: str) -> str:
        self.characters += 1
        return unicodedata.category(character)

    def name(self, character: str, default: str) -> str:
        self.characters += 1
        return unicodedata.name(character, default)


class LongTextTests(SynchronousTestCase):
    """Normalization takes the square of the length of a text of combining marks. So lengths are checked before it."""

    #: What is repeated in a text: marks in the wrong order, a letter with three marks, and letters that become several.
    HOSTILE = (
        "\u0301\u0316",
        "\u1f80",
        "\u03c9\u0313\u0300\u0345",
        "\u0390",
        "\ufdfa",
        "\ufdf2",
        "\u01c6",
        "\u1100\u1161\u11a8",
        "\u0958",
        "\ufb2c",
        "\U0001d160",
        "\U0001f600",
    )

    def work(self, function: Callable[[str], object], text: str) -> int:
        """How many characters a function has looked up or normalized."""
        counting = Counting()
        self.patch(names, "unicodedata", counting)
        with contextlib.suppress(NameRefused, BanRefused):
            function(text)
        return counting.characters

    def test_hostile_texts_cost_three_times_as_much_as_plain_letters_at_most(self) -> None:
        for function in (checked_name, name_of, mended, key_of, sought_key, composed):
            for length in (*range(1, 100), 4_000, 16_000):
                plain = self.work(function, "a" * length)
                for repeated in self.HOSTILE:
                    text = (repeated * length)[:length]
                    with self.subTest(function=function.__name__, length=length, repeated=repeated):
                        self.assertLessEqual(self.work(function, text), max(3 * plain, 12 * LONGEST_NAME))

    def test_no_work_grows_with_a_long_text(self) -> None:
        for function in (checked_name, name_of, mended, key_of, sought_key, composed, ban_key):
            for repeated in (*self.HOSTILE, "a"):
                most = self.work(function, (repeated * 100)[:100])
                self.assertEqual(self.work(function, (repeated * 16_000)[:16_000]), most)

    def test_nothing_else_normalizes(self) -> None:
        """A new module gets the bound with the functions for names: it cannot normalize by itself."""
        package = Path(gamehost.__file__).parent
        found = {
            str(path.relative_to(package))
            for path in package.rglob("*.py")
            if re.search(r"\b(normalize|is_normalized)\b", path.read_text("utf-8"))
            and "unicodedata" in path.read_text("utf-8")
        }
        self.assertEqual(found, {"accounts/names.py"})

    def test_a_name_is_too_long_in_each_form_or_in_none(self) -> None:
        for decomposed in ("\u1f80", "e\u0302\u0301", "\u1100\u1161\u11a8", "\u0390"):
            name = unicodedata.normalize("NFC", decomposed)
            for form in ("NFC", "NFD"):
                self.assertEqual(
                    checked_name(unicodedata.normalize(form, name * LONGEST_NAME)).text, name * LONGEST_NAME
                )
                self.assertEqual(fault(unicodedata.normalize(form, name * (LONGEST_NAME + 1))), NameFault.TOO_LONG)

    def test_no_character_is_longer_in_its_decomposition(self) -> None:
        longest = max(len(unicodedata.normalize("NFD", chr(number))) for number in range(sys.maxunicode + 1))
        self.assertEqual(longest * LONGEST_NAME, LONGEST_TEXT)

    def test_nobody_is_found_under_what_is_no_name(self) -> None:
        for text in ("", "a b", "a" * 21, "\u0301", "\u0301" * 16_000, "a\n", "\ufdfa"):
            self.assertEqual(sought_key(text), KEY_OF_NOBODY)
        self.assertEqual(key_of("a" * (LONGEST_TEXT + 1)), KEY_OF_NOBODY)
        self.assertEqual(
            [sought_key(text) for text in ("Ann", "ＡＮＮ", "easy.1", "Easy", "tie")],
            ["ann", "ann", "easy.1", "easy", "tie"],
        )
        self.assertEqual(fault(KEY_OF_NOBODY), NameFault.INVALID)

    def test_ligatures_count_as_their_letters(self) -> None:
        self.assertEqual(checked_name("\ufb03" * 6).key, "ffi" * 6)
        self.assertEqual(fault("\ufb03" * 7), NameFault.TOO_LONG)
        self.assertEqual(fault("\ufdfa"), NameFault.INVALID)


class NameTests(PropertyCase):
    def test_names(self) -> None:
        for name in (
            "ann",
            "Ann-Marie_2.0",
            "x",
            "7",
            "a..",
            "Žofie",
            "Дмитрий",
            "愛",
            "عمر",
            "١٢٣",
            "nullx",
            "a" * 20,
        ):
            self.assertEqual(checked_name(name).text, name)

    def test_refused_characters(self) -> None:
        bad = " \t\n\r\x00\x07\x1b\x7f\x85\xa0|<>&\"'\\/:;,@#$%+*()" + "\u200b\u200d\u202e\u2066\ufeff\u00ad\u034f"
        bad += "\u0301²½Ⅷ☃😀\ud800\ue000\u2028\u3000\u2800"
        for character in bad:
            for text in (character, f"a{character}", f"{character}a", f"a{character}b"):
                if unicodedata.normalize("NFC", text).isalpha():
                    continue  # an accent that became one letter with the one before it
                self.assertIs(fault(text), NameFault.INVALID, ascii(text))

    def test_letters_that_show_nothing(self) -> None:
        """Unicode counts four fillers among the letters; a name of them would be no name to anybody."""
        for character in "\u115f\u1160\u3164\uffa0":
            for text in (character, f"ann{character}"):
                self.assertIs(fault(text), NameFault.INVALID, ascii(text))

    def test_lengths(self) -> None:
        """One to twenty characters, counted in normal form C."""
        self.assertIs(fault(""), NameFault.INVALID)
        self.assertIs(fault("a" * 20), None)
        self.assertIs(fault("a" * 21), NameFault.TOO_LONG)
        self.assertEqual(checked_name("e\u0301" * 20).text, "é" * 20)
        self.assertIs(fault("e\u0301" * 21), NameFault.TOO_LONG)

    def test_reserved_words(self) -> None:
        for word in ("tie", "none", "draw", "TIE", "Draw", "ｎｏｎｅ"):
            self.assertIs(fault(word), NameFault.INVALID, word)
        self.assertIs(fault("drawn"), None)

    def test_names_of_house_players(self) -> None:
        for name in ("easy.1", "HARD.30", "Random.007", "ｍｅｄｉｕｍ.2", "easy.١"):
            self.assertIs(fault(name), NameFault.INVALID, name)
        for name in ("easy", "easy.", "easy1", "easy.1a", "very.easy.1", "easy.1.2"):
            self.assertIs(fault(name), None, name)

    def test_new_names(self) -> None:
        given = (
            "guest.7",
            "GUEST.7",
            "guest.13.1",
            "easy.13.1",
            "guest.l",
            "guest.IO",
            "hard.1O",
            "ｇuest.7",
            "easy.1",
        )
        for name in (".", "..", "." * 20, *given):
            refusal = self.assertRaises(NameRefused, check_new_name, name_of(name))
            self.assertIs(refusal.fault, NameFault.INVALID, name)
        # Greek letters alone that look like a digit of a guest's name are found by their skeleton.
        self.assertRaises(NameRefused, check_new_name, name_of("guest.\u03bf"))
        self.assertRaises(NameRefused, check_new_name, name_of("MEDIUM.I"))
        for name in (".a", "-", "guest", "guests.7", "guest7", "guest.ann", "easy.going", "guest.1.2.3"):
            check_new_name(name_of(name))

    def test_refusals_are_for_their_reader(self) -> None:
        for text in ("", "sEc ReT", "sEcReT" * 9, "draw"):
            reason = str(self.assertRaises(NameRefused, checked_name, text))
            self.assertIn("a name", reason)
            self.assertNotIn("sEc", reason)

    @given(st.text(max_size=30))
    def test_any_text_is_a_name_or_refused(self, text: str) -> None:
        try:
            name = checked_name(text)
        except NameRefused:
            return
        self.assertEqual((checked_name(name.text), name_of(name.text)), (name, name))
        self.assertTrue(name.text.isprintable() and 1 <= len(name.text) <= LONGEST_NAME)
        self.assertNotIn("|", name.text)


class ScriptTests(SynchronousTestCase):
    def test_letters_of_two_scripts_that_look_alike(self) -> None:
        for name in ("\u0430nn", "\u0410NN", "b\u03bfb", "\u0562ob", "\u13aann", "\uff41\u0430", "\u0430\u03b1"):
            self.assertIs(fault(name), NameFault.INVALID, ascii(name))

    def test_letters_of_one_script(self) -> None:
        """With digits and marks of any kind; scripts that do not look alike may stand together, as in Japanese."""
        for name in ("анна-1", "Άννα", "Žofie_2", "愛ann", "かなカナ漢字", "عمر1", "ﬁnn"):
            self.assertIsNone(fault(name), name)


class KeyTests(PropertyCase):
    def test_case_width_ligatures_and_accents_make_no_other_name(self) -> None:
        for one, other in (
            ("ann", "ANN"),
            ("ann", "ａｎｎ"),
            ("Straße", "STRASSE"),
            ("ﬁn", "fin"),
            ("é", "e\u0301"),
            ("Σ", "ς"),
        ):
            self.assertEqual(key_of(one), key_of(other))

    def test_other_letters_are_other_names(self) -> None:
        for one, other in (("ann", "anna"), ("a", "а"), ("e", "é"), ("a.b", "ab"), ("1", "l")):
            self.assertNotEqual(key_of(one), key_of(other))

    def test_letters_that_come_apart(self) -> None:
        """Some letters are two in lower case; their key is put together again, so that it is its own key."""
        for letter in "ǰΐΰẖἶᾷ":
            self.assertEqual(key_of(key_of(letter)), key_of(letter))
            self.assertTrue(unicodedata.is_normalized("NFKC", key_of(letter)), letter)

    @given(NAMES)
    def test_a_key_is_its_own(self, name: str) -> None:
        key = key_of(name)
        for form in (
            key,
            name.casefold(),
            *(unicodedata.normalize(kind, name) for kind in ("NFC", "NFD", "NFKC", "NFKD")),
        ):
            self.assertEqual(key_of(form), key, ascii(name))


#: `coc` in Cyrillic, and `HOT` in Greek and Cyrillic.
COC, GREEK_HOT, CYRILLIC_HOT = "\u0441\u043e\u0441", "\u0397\u039f\u03a4", "\u041d\u041e\u0422"


class SkeletonTests(SynchronousTestCase):
    def test_alike(self) -> None:
        for name, latin in ((COC, "coc"), (COC.upper(), "COC"), (GREEK_HOT, "hot"), (CYRILLIC_HOT, "Hot")):
            self.assertEqual(name_of(name).skeleton, key_of(latin), ascii(name))

    def test_digits_and_capitals_that_look_like_letters(self) -> None:
        for name, other in (("0wner", "owner"), ("malIory", "mallory"), ("ma11ory", "mallory"), ("MA11ORY", "Mallory")):
            self.assertEqual(name_of(name).skeleton, key_of(other))
        self.assertNotEqual(name_of("maliory").skeleton, "mallory")

    def test_not_alike(self) -> None:
        for name in ("Ann", "Žofie", "愛", "Дмитрий", CYRILLIC_HOT.lower()):
            self.assertNotIn(name_of(name).skeleton, ("hot", "coc"))
        for name in ("Ann", "Žofie", "愛"):
            self.assertEqual(name_of(name).skeleton, key_of(name))

    def test_the_table(self) -> None:
        self.assertEqual(len(_TABLE), 67)
        for letter, latin in _TABLE.items():
            self.assertIn(unicodedata.name(chr(letter)).partition(" ")[0], ("GREEK", "CYRILLIC"))
            self.assertTrue(chr(latin).isascii() and chr(latin).isalpha())


class LookAlikesTests(SynchronousTestCase):
    def match(self, index: LookAlikes, text: str, *in_use: str) -> bool:
        return index.match(name_of(text), in_use.__contains__)

    def test_another_name_matches_and_the_same_one_does_not(self) -> None:
        index = LookAlikes([GREEK_HOT, "ann"])
        self.assertTrue(self.match(index, "hot"))
        self.assertTrue(self.match(index, CYRILLIC_HOT))
        self.assertFalse(self.match(index, GREEK_HOT.lower()))
        self.assertTrue(self.match(index, COC, "coc"))
        self.assertFalse(self.match(index, "coc", "coc"))
        index.remove(name_of(GREEK_HOT))
        self.assertEqual(len(index), 0)

    def test_a_name_that_is_not_there(self) -> None:
        index = LookAlikes([COC])
        index.remove(name_of(GREEK_HOT))
        self.assertTrue(self.match(index, "coc"))
        index.remove(name_of(COC))
        self.assertFalse(self.match(index, "coc"))
        self.assertEqual(len(index), 0)


#: Names of which one cannot be new beside the other.
ALIKE = (
    ("coc", COC),
    (COC, "coc"),
    ("owner", "0wner"),
    ("0wner", "owner"),
    ("mallory", "malIory"),
    ("malIory", "ma11ory"),
)


class NewNameTests(SynchronousTestCase):
    REFUSED = "this name looks like another one that is in use"

    def log_in(self, host: MemoryHost, name: str) -> str | LoginRefused:
        answers: list[LoginOutcome] = []
        host.lobby.login_service.log_in(name_of(name), "canary", "192.0.2.1", answers.append)
        host.until_idle()
        [answer] = answers
        return answer if isinstance(answer, LoginRefused) else answer.text

    def test_beside_a_guest(self) -> None:
        for first, second in ALIKE:
            for strict in (False, True):
                host = MemoryHost(strict=strict)
                client = host.connect()
                client.say(f"LOGIN|{first}")
                answer = "".join(host.connect().ask(f"LOGIN|{second}"))
                self.assertIsNone(host.lobby.registry.get(second))
                self.assertIn("" if strict else self.REFUSED, answer)
                client.drop()
                host.connect().say(f"LOGIN|{second}")
                self.assertIsNotNone(host.lobby.registry.get(second))

    def test_beside_an_account(self) -> None:
        for first, second in ALIKE:
            host = MemoryHost()
            self.assertEqual(self.log_in(host, first), first)
            self.assertIsNotNone(host.journal.find(key_of(first)))
            for one in (host, MemoryHost(journal=host.journal)):
                self.assertIn(self.REFUSED, "".join(one.connect().ask(f"LOGIN|{second}")))
                self.assertEqual(self.log_in(one, second), LoginRefused(self.REFUSED))
                self.assertIsNone(one.journal.find(key_of(second)))
                self.assertEqual(self.log_in(one, first), first)


#: How somebody logs in as `Ann`: the wire, and the lines of one log-in each.
LOG_INS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("console", ("name Ann",)),
    ("eriantys", ('{"type":"LoginMessage","nickname":"Ann"}',)),
    ("litama", ("create Ann",)),
    ("onitama", ("LOGIN|Ann",)),
    ("onitama", ("LOGIN|Ann:secret",)),
    ("onitama-final", ("LOGIN|Ann",)),
    ("open", ('{"do":"enter","name":"Ann"}',)),
    ("open", ('{"do":"log-in","name":"Ann","password":"a good one"}',)),
    ("paper-soccer", ('<message type="playerLogin"><playerLogin nick="Ann" gameType="paper soccer"/></message>',)),
    ("stratego-frames", ('Sign On "Ann"',)),
    ("stratego-lines", ("Ann", "secret")),
)


class MadeOnceTests(SynchronousTestCase):
    """A `Name` is made where its text comes in, and everything else takes its keys from there."""

    def keys(self, client: Client, lines: Sequence[str]) -> list[str]:
        """The texts of which a key is computed while a client says something."""
        computed: list[str] = []

        def counted(written_out: str, folded: Callable[[str], str] = names._folded) -> str:
            computed.append(written_out)
            return folded(written_out)

        MonkeyPatcher((names, "_folded", counted)).runWithPatches(client.say, *lines)
        return computed

    def test_a_log_in_computes_two_keys_at_most(self) -> None:
        """Of a new name, and when the player comes again and writes it in capitals: to the account, or as a new guest."""
        for wire, lines in LOG_INS:
            host = MemoryHost()
            for name in ("Ann", "ANN"):
                client = host.connect(wire)
                said = [line.replace("Ann", name) for line in lines]
                computed = self.keys(client, said)
                with self.subTest(wire=wire, said=said):
                    self.assertIsNotNone(host.lobby.registry.get("ann"), client.heard())
                    self.assertLessEqual(len(computed), 2, computed)
                client.drop()
                host.until_idle()


class NewAccountTests(ServiceCase):
    def test_quota(self) -> None:
        """Such a refusal tells of an account, so an address has as many of them as failed log-ins."""
        self.login_service = self.new_service(failures_per_hour="1")
        self.login_service.looks_taken = lambda name: name.text == COC
        self.assert_refused(self.judged(COC, "x"), "looks like another one")
        self.assert_refused(self.judged(COC, "x"), "too many failed log-ins")
