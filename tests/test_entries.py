"""Parts that packages offer through entry points: found, refused with a reason, and never in the place of the host's own."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from twisted.internet.task import Clock
from twisted.python.usage import UsageError
from twisted.trial.unittest import SynchronousTestCase

from gamehost.__main__ import usage
from gamehost.config import Options
from gamehost.entries import VERBS, PartUnusable, Verb, entries_of, loaded, offered
from gamehost.plugins import WIRES, Registry, find_notifiers
from gamehost.tap import make_host

TOY = """
from gamehost.entries import Verb
TOY = Verb("gamehost toy  plays with a toy\\n", lambda words, wires, reactor: len(words))
NEEDY = Verb("gamehost needy  needs more\\n", lambda *_: 0, needs={"no_such_module_of_toys": "toys[more]"})

from gamehost.lobby.notifiers import NotifierKind
from gamehost.settings import Setting
CHAT = NotifierKind("chat", {"chat": Setting(None, "a chat"), "chat-room": Setting("lobby", "its room")}, dict)
GREEDY = NotifierKind("greedy", {"greedy": Setting(None, "takes"), "grace": Setting(1.0, "another's")}, dict)
"""
ENTRIES = """
[gamehost.verbs]
toy = toy_verbs:TOY
needy = toy_verbs:NEEDY
torn = toy_verbs:NOTHING
number = toy_verbs:VERSION
trace = toy_verbs:TOY
[gamehost.notifiers]
chat = toy_verbs:CHAT
chatter = toy_verbs:CHAT
greedy = toy_verbs:GREEDY
push = toy_verbs:CHAT
torn = toy_verbs:NOTHING
"""


@contextmanager
def package() -> Iterator[None]:
    """A package with verbs is installed."""
    with TemporaryDirectory() as name:
        (Path(name) / "toy_verbs.py").write_text(f"{TOY}VERSION = 1\n", "utf-8")
        metadata = Path(name) / "toys-1.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1\n", "utf-8")
        (metadata / "entry_points.txt").write_text(ENTRIES, "utf-8")
        sys.path.append(name)
        entries_of.cache_clear()
        try:
            yield
        finally:
            sys.path.remove(name)
            sys.modules.pop("toy_verbs", None)
            entries_of.cache_clear()


class NotifiersTests(SynchronousTestCase):
    def test_a_notifier_of_another_package(self) -> None:
        """Its options are the host's. One that takes a name away is left out with a reason."""
        with package():
            kinds, rejected = find_notifiers(WIRES)
        self.assertEqual([kind.name for kind in kinds], ["mail", "push", "chat"])
        self.assertNotIn("chat-room", kinds[1].options)
        reasons = {str(one).partition(" is left out: ")[2] for one in rejected}
        self.assertEqual(len(reasons), 3)
        for words in ("an option with the name 'chatter'", "--grace is an option", "cannot be imported"):
            self.assertTrue([one for one in reasons if words in one], (words, reasons))
        options = Options(Registry(WIRES, notifiers=kinds))
        options.parseOptions(["--chat=here"])
        self.assertEqual((options["chat"], options["chat-room"], options["push"]), ("here", "lobby", None))

    def test_a_host_without_a_store_that_lasts(self) -> None:
        options = Options()
        options.parseOptions(["--store=memory", "--mail=smtp://localhost/a@example.org"])
        error = self.assertRaises(UsageError, make_host, options, Clock())
        self.assertIn("--mail needs a store that lasts", str(error))


class VerbsTests(SynchronousTestCase):
    def test_a_verb_of_another_package(self) -> None:
        self.assertIsNone(loaded(VERBS, "toy", Verb))
        with package():
            verb = loaded(VERBS, "toy", Verb)
            assert verb is not None
            self.assertEqual(verb.main(["a", "b"], (), None), 2)
            self.assertIn("gamehost toy  plays with a toy\n", usage())

    def test_what_cannot_be_used(self) -> None:
        """It is named with its reason in the help, and the other verbs stay."""
        with package():
            error = self.assertRaises(PartUnusable, loaded, VERBS, "torn", Verb)
            self.assertIn("toy_verbs:NOTHING cannot be imported: AttributeError", str(error))
            error = self.assertRaises(PartUnusable, loaded, VERBS, "number", Verb)
            self.assertEqual(str(error), "toy_verbs:VERSION has the type int; expected a gamehost.entries.Verb")
            text = usage()
        self.assertIn("gamehost torn                cannot be used: toy_verbs:NOTHING cannot be imported", text)
        self.assertIn("gamehost needy               needs more: pip install toys[more]\n", text)
        self.assertIn("gamehost [run] [options]", text)

    def test_the_host_s_own_names(self) -> None:
        own = offered(VERBS)["trace"].value
        with package():
            self.assertEqual(offered(VERBS)["trace"].value, own)
