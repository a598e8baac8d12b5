"""What commands print, and the script with which bash completes their words."""

import argparse
import os
import shlex
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from gamehost.__main__ import completion_words, main
from gamehost.commands.admin import VERBS
from gamehost.commands.command_line import bash, exit_with_usage_error, print_text, while_read, words_of


class PrintingTests(SynchronousTestCase):
    """A text, and a wrong command line."""

    def test_text(self) -> None:
        """As it is."""
        with redirect_stdout(StringIO()) as output:
            print_text("one\ntwo\n")
        self.assertEqual(output.getvalue(), "one\ntwo\n")

    def test_who_has_read_enough(self) -> None:
        """A reader that goes away, as `head` does, is no error, not even when the output is closed."""
        reader, writer = os.pipe()
        os.close(reader)
        after = []
        with open(writer, "w", encoding="utf-8") as output:
            with while_read(output):
                print("one", file=output, flush=True)
                after.append("two")
            print("three", file=output)
        self.assertEqual(after, [])

    def test_usage_error(self) -> None:
        """One line on standard error, and status 2."""
        with redirect_stderr(StringIO()) as output:
            error = self.assertRaises(SystemExit, exit_with_usage_error, "no such thing", "try another")
        self.assertEqual((error.code, output.getvalue()), (2, "gamehost: no such thing (try another)\n"))


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
