"""How many functions the ways through the package pass. Nothing is timed in here."""

import re

from twisted.trial.unittest import SynchronousTestCase

from benchmarks.scripts import script_of
from benchmarks.way import way
from benchmarks.ways import WAYS, start
from tests.kit.sources import ROOT


class WayTests(SynchronousTestCase):
    def test_no_way_becomes_longer(self) -> None:
        """`docs/architecture.rst` has the figures. A start passes the same functions with fewer tables."""
        page = (
            (ROOT / "docs" / "architecture.rst").read_text("utf-8").partition(":name: ways")[2].partition("\nLaws")[0]
        )
        rows = re.findall(r"^   \* - (.+)\n     - (\d+)\n     - (\d+)\n     - \d+ / \d+$", page, re.M)
        self.assertEqual([name for name, *_ in rows], ["a move of Onitama", *WAYS])
        for name, functions, files in rows[1:]:
            found = start(20) if WAYS[name] is start else WAYS[name]()
            self.assertGreater(len(found.calls), 40, name)
            # A few more need no new figure.
            self.assertLessEqual(len(found.calls), int(functions) * 1.02, name)
            self.assertLessEqual(len(found.files), int(files) + 1, name)

    def test_a_move_passes_few_functions(self) -> None:
        """With a real store; the figures of Onitama are those of `docs/architecture.rst`, and none of them must grow."""
        for wire, most in (
            ("onitama", (45, 12)),
            ("stratego-lines", (54, 13)),
            ("stratego-frames", (47, 12)),
            ("paper-soccer", (44, 13)),
        ):
            found = way(script_of(wire), 24)
            self.assertLessEqual(len(found.calls), most[0], wire)
            self.assertLessEqual(len(found.files), most[1], wire)
