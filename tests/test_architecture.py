"""The pages about the code: the packages, modules and names on them are those of the code."""

import importlib
import re
from importlib.util import find_spec

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.sources import ROOT
from tests.test_layers import LAYERS

PAGE = (ROOT / "docs" / "architecture.rst").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.rst").read_text("utf-8")


def exists(name: str) -> bool:
    """Whether this is a module, or something in one."""
    module, _, attribute = name.rpartition(".")
    if "." not in name or find_spec(module) is None:
        return False
    return hasattr(importlib.import_module(module), attribute) or find_spec(name) is not None


class PagesTests(SynchronousTestCase):
    """`docs/architecture.rst` and `CONTRIBUTING.rst`."""

    def test_layers(self) -> None:
        """The table has the rows that the imports are checked against."""
        table = PAGE.partition(":name: layers")[2].partition("\n\nGames, messages")[0]
        rows = [re.findall(r"``gamehost\.(\w+)``", row) for row in re.findall(r"^   \* - (.*)$", table, re.M)[1:]]
        self.assertEqual([set(row) for row in rows], [set(row) for row in LAYERS])

    def test_names(self) -> None:
        """Every module and class of the package that a page names is there."""
        for page in (PAGE, CONTRIBUTING):
            names = set(re.findall(r"``(gamehost(?:\.\w+)+)``", page)) - {"gamehost.wires.NAME"}
            self.assertIn("gamehost.games.base", page)
            self.assertEqual([name for name in sorted(names) if not exists(name)], [])
        self.assertFalse(exists("gamehost.games.cellar"))

    def test_files(self) -> None:
        """Every file and folder of the repository that a page names is there."""
        for page in (PAGE, CONTRIBUTING):
            paths = set(re.findall(r"``((?:tests|docs|examples|contrib|gamehost|newsfragments)/[\w./-]*\w)``", page))
            unknown = [
                path for path in sorted(paths) if not re.search(r"NAME|WIRE", path) and not (ROOT / path).exists()
            ]
            self.assertEqual(unknown, [])
