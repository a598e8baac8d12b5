"""Names that look alike in different scripts."""

import unicodedata

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import LoginOutcome, LoginRefused
from gamehost.accounts.names import _TABLE, LookAlikes, key_of, skeleton_of
from tests.kit.login_service import ServiceCase
from tests.kit.memory_host import MemoryHost

#: `coc` in Cyrillic, and `HOT` in Greek and Cyrillic.
COC, GREEK_HOT, CYRILLIC_HOT = "\u0441\u043e\u0441", "\u0397\u039f\u03a4", "\u041d\u041e\u0422"


class SkeletonTests(SynchronousTestCase):
    """Which names have the same skeleton."""

    def test_alike(self) -> None:
        """All scripts of the table, and both cases where both look alike."""
        for name, latin in ((COC, "coc"), (COC.upper(), "COC"), (GREEK_HOT, "hot"), (CYRILLIC_HOT, "Hot")):
            self.assertEqual(skeleton_of(name), key_of(latin), ascii(name))

    def test_not_alike(self) -> None:
        """Latin names are their own; so are names with a letter that looks like no Latin one."""
        for name in ("Ann", "Žofie", "愛", "Дмитрий", CYRILLIC_HOT.lower()):
            self.assertNotIn(skeleton_of(name), ("hot", "coc"))
        for name in ("Ann", "Žofie", "愛"):
            self.assertEqual(skeleton_of(name), key_of(name))

    def test_the_table(self) -> None:
        """Greek and Cyrillic letters, and a Latin letter for each."""
        self.assertEqual(len(_TABLE), 67)
        for letter, latin in _TABLE.items():
            self.assertIn(unicodedata.name(chr(letter)).partition(" ")[0], ("GREEK", "CYRILLIC"))
            self.assertTrue(chr(latin).isascii() and chr(latin).isalpha())


class LookAlikesTests(SynchronousTestCase):
    """The index."""

    def test_match(self) -> None:
        """Another name matches, the same one does not; nothing is left of names that were taken out."""
        index = LookAlikes([GREEK_HOT, "ann"])
        self.assertTrue(index.match("hot", lambda key: False))
        self.assertTrue(index.match(CYRILLIC_HOT, lambda key: False))
        self.assertFalse(index.match(GREEK_HOT.lower(), lambda key: False))
        self.assertTrue(index.match(COC, {"coc"}.__contains__))
        self.assertFalse(index.match("coc", {"coc"}.__contains__))
        index.remove(GREEK_HOT)
        self.assertEqual(len(index), 0)

    def test_replace(self) -> None:
        """A name for another one. Either may be missing, and the old one may be gone already."""
        index = LookAlikes()
        for before, after, alike in ((None, COC, True), (COC, GREEK_HOT, False), (COC, COC, True), (COC, None, False)):
            index.replace(before, after)
            self.assertEqual(index.match("coc", lambda key: False), alike)
        index.replace(GREEK_HOT, None)
        self.assertEqual(len(index), 0)


class NewNameTests(SynchronousTestCase):
    """New guests."""

    REFUSED = "this name looks like another one that is in use"

    def log_in(self, host: MemoryHost, name: str) -> LoginOutcome:
        """The log-in of an account, or a new one."""
        answers: list[LoginOutcome] = []
        host.lobby.login_service.log_in(name, "canary", "192.0.2.1", answers.append)
        host.settle()
        [answer] = answers
        return answer

    def test_beside_a_guest(self) -> None:
        """In both orders; free again when the other is gone; also in strict mode."""
        for first, second in (("coc", COC), (COC, "coc")):
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
        """A guest, and another account, in this life of the host and in the next one; the account itself is let in."""
        for first, second in (("coc", COC), (COC, "coc")):
            host = MemoryHost()
            self.assertEqual(self.log_in(host, first), first)
            self.assertIsNotNone(host.journal.find(key_of(first)))
            for one in (host, MemoryHost(journal=host.journal)):
                self.assertIn(self.REFUSED, "".join(one.connect().ask(f"LOGIN|{second}")))
                self.assertEqual(self.log_in(one, second), LoginRefused(self.REFUSED))
                self.assertIsNone(one.journal.find(key_of(second)))
                self.assertEqual(self.log_in(one, first), first)


class NewAccountTests(ServiceCase):
    """What a refused account costs."""

    def test_quota(self) -> None:
        """Such a refusal tells of an account, so it counts as a failed log-in."""
        self.login_service = self.new_service(failures_per_hour="1")
        self.login_service.looks_taken = lambda name: name == COC
        self.assert_refused(self.judged(COC, "x"), "looks like another one")
        self.assert_refused(self.judged(COC, "x"), "too many failed log-ins")
