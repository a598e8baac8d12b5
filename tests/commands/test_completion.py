"""Completion: what bash offers."""

import argparse
import shlex
import subprocess
from contextlib import redirect_stdout
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from gamehost.__main__ import completion_words, main
from gamehost.commands.admin import VERBS
from gamehost.commands.command_line import bash, words_of


class BashTests(SynchronousTestCase):
    """The script, in bash itself."""

    def setUp(self) -> None:
        self.script = bash(completion_words())

    def offers(self, *lines: str) -> list[list[str]]:
        """What is offered for the last word of each line."""
        program = [self.script]
        for line in lines:
            words = ["gamehost", *line.split(" ")]
            program.append(f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; COMPREPLY=()")
            program.append('_gamehost; echo "${COMPREPLY[*]}"')
        ended = subprocess.run(["bash", "-c", "\n".join(program)], capture_output=True, text=True, check=True)
        self.assertEqual(ended.stderr, "")
        return [line.split() for line in ended.stdout.splitlines()]

    def test_words(self) -> None:
        """Verbs, their options, verbs of verbs, wires, and the options of the host."""
        verbs, admin, ban, account, journal, run, check = self.offers(
            "", "admin ", "admin --json ba", "admin account ", "journal li", "run --on", "check oni"
        )
        self.assertLessEqual({"run", "admin", "journal", "completion"}, set(verbs))
        self.assertLessEqual({name.split()[0] for name in VERBS}, set(admin))
        self.assertEqual(sorted(ban), ["backup", "ban", "bans"])
        self.assertIn("list", account)
        self.assertEqual(journal, ["list"])
        self.assertIn("--onitama", run)
        self.assertIn("onitama", check)

    def test_files(self) -> None:
        """Where nothing is offered, bash offers files."""
        self.assertEqual(self.offers("journal list --store=gamehost.sq"), [[]])
        self.assertIn("complete -o default", self.script)

    def test_command(self) -> None:
        """It prints the script, and names what it knows."""
        with redirect_stdout(StringIO()) as output:
            main(["completion", "bash"])
        self.assertEqual(output.getvalue(), self.script)
        error = self.assertRaises(SystemExit, main, ["completion", "fish"])
        self.assertEqual(error.code, 2)

    def test_parsers_below(self) -> None:
        """Each parser with its own words."""
        top = argparse.ArgumentParser(prog="x", add_help=False)
        below = top.add_subparsers().add_parser("one", add_help=False)
        below.add_argument("-s", "--two")
        self.assertEqual(dict(words_of("x", top)), {"x": ["one"], "x/one": ["--two"]})
