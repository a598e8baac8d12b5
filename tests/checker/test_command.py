"""The command line of `gamehost check`, without a client."""

import io
import sys
from collections.abc import Sequence
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.command import Progress, main
from gamehost.plugins import WIRES
from gamehost.wires.base import Wire
from tests.checker.wires.onitama_clients import SoundClient
from tests.kit.checked_client import CHECKS, check


class CommandTests(SynchronousTestCase):
    """What can be wrong on it, and what needs no client."""

    def setUp(self) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self.patch(sys, "stdout", self.out)
        self.patch(sys, "stderr", self.err)

    def ends(self, *arguments: str, wires: Sequence[Wire[Any]] = WIRES) -> Any:
        """The exit status."""
        try:
            return main(arguments, wires, None)
        except SystemExit as end:
            return end.code

    def test_list(self) -> None:
        """Every scenario with a sentence."""
        self.assertEqual(self.ends("onitama", "--list"), 0)
        for scenario in CHECKS["onitama"].scenarios:
            self.assertIn(f"{scenario.name:24} {scenario.tries}\n", self.out.getvalue())

    def test_list_for_servers(self) -> None:
        """Those of a server are others."""
        self.assertEqual(self.ends("onitama", "--server", "localhost:1", "--list"), 0)
        self.assertIn("returns-in-own-turn", self.out.getvalue())

    def test_mistakes(self) -> None:
        """Each one in a line that says what was expected."""
        for arguments, words in (
            (("chess", "--wait"), "no wire 'chess'"),
            (("onitama",), "expected either a COMMAND behind -- or --wait"),
            (("onitama", "--wait", "--", "bot"), "expected either a COMMAND behind -- or --wait"),
            (("onitama", "--scenario", "nonsense", "--", "bot"), "no scenario 'nonsense'"),
            (("onitama", "--server", "localhost"), "expected --server HOST:PORT"),
            (("onitama", "--server", "localhost:1", "--set", "deal"), "--set NAME=VALUE"),
            (("onitama", "--server", "localhost:1", "--wait"), "expected one of --server, --wait and a COMMAND"),
            (("onitama", "--server", "localhost:1", "--scenario", "nonsense"), "no scenario 'nonsense'"),
        ):
            self.assertEqual(self.ends(*arguments), 2)
            self.assertIn(words, self.err.getvalue())

    def test_a_wire_without_checks_of_servers(self) -> None:
        """The wires that have some are named."""
        wires = [wire if wire.name == "onitama" else evolve(wire, server_checks=None) for wire in WIRES]
        self.assertEqual(self.ends("eriantys", "--server", "localhost:1", wires=wires), 2)
        self.assertIn("no checks of servers for eriantys", self.err.getvalue())
        self.assertIn("there are for onitama", self.err.getvalue())

    def test_progress(self) -> None:
        """A line for each scenario where there is no terminal."""
        progress = Progress(1)
        progress.ended(check(SoundClient, ["wins"]).outcomes[0])
        self.assertEqual(self.err.getvalue(), "1/1 wins: ok\n")
