"""`CONTRIBUTING.rst`: who follows its tutorials writes exactly the example package."""

import re

from attrs import fields
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import GameMaster
from gamehost.tables import interfaces
from gamehost.wires.base import Wire
from gamehost.wires.conversation import BaseConversation, Peer
from gamehost.wires.framing import LineCodec
from tests.kit.tutorial import EXAMPLE, PAGE, files_of, refreshed

#: What an installation or a run of the tests leaves in the folder.
LEFT_OVER = re.compile(r"(^|/)(__pycache__|build|_trial_temp.*|\.hypothesis|[^/]*\.egg-info)/")


def public(owner: type) -> set[str]:
    """The names that a class defines for its users."""
    return {name for name in vars(owner) if not name.startswith("_")}


class TutorialTests(SynchronousTestCase):
    """The page and the files under `examples/gomoku`."""

    def test_the_tutorials_give_the_example(self) -> None:
        """Every file, and no other one. `python -m tests.kit.tutorial` copies changed files into the page."""
        example = {str(path.relative_to(EXAMPLE)): path for path in EXAMPLE.rglob("*") if path.is_file()}
        texts = {name: path.read_text("utf-8") for name, path in example.items() if not LEFT_OVER.search(name)}
        written = files_of(PAGE.read_text("utf-8"))
        self.assertEqual(set(written), set(texts))
        for name, text in texts.items():
            self.assertEqual(written[name], text, name)

    def test_the_page_names_all_that_a_plug_in_meets(self) -> None:
        """Methods of a master and of a peer, values of a codec, events of a table, fields of a token."""
        page = PAGE.read_text("utf-8")
        events = {"Away", "Left", "Back", "Refused", "Over", "Suspended", "Displaced", "OpenTable", "TableClosed"}
        self.assertTrue(all(hasattr(interfaces, name) for name in events))
        fields_of_wire = {one.name for one in fields(Wire)}
        values = {"LIMIT", "UNREADABLE", "HEARS", "TELLS"}
        for owner in (LineCodec, BaseConversation):
            self.assertTrue(values & set(owner.__annotations__))
        for name in sorted(events | fields_of_wire | values | public(GameMaster) | public(Peer)):
            self.assertRegex(page, rf"``[^`]*\b{name}\b[^`]*``")


class ReadingTests(SynchronousTestCase):
    """How files are read from a page, and put into it."""

    PAGE = (
        "Title\n\nFile ``a.py``::\n\n    x = 1\n\n\n    def f():\n        return x\n\nText.\n\nFile ``b`` is empty.\n"
    )

    def test_read(self) -> None:
        """Without the indent, and with the empty lines between two parts."""
        self.assertEqual(files_of(self.PAGE), {"a.py": "x = 1\n\n\ndef f():\n    return x\n", "b": ""})

    def test_refresh(self) -> None:
        """A file that has changed is in the page again, and the text around it stays."""
        folder = EXAMPLE / "gamehost_gomoku" / "tests"
        page = refreshed(self.PAGE.replace("a.py", "__init__.py"), folder)
        self.assertEqual(files_of(page)["__init__.py"], (folder / "__init__.py").read_text("utf-8"))
        self.assertTrue(page.endswith("\nText.\n\nFile ``b`` is empty.\n"))
