"""The client libraries for other languages, with a host in a process of its own: JavaScript and Java."""

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.plugins import GAMES
from gamehost.testing.cases import Mixin, PropertyCase
from tests import long
from tests.kit.process import CLIENTS, PATIENCE, ROOT, HostProcess, compiled_java, java, node, play_through_a_kill

PLAYED = ("onitama", "paper-soccer", "stratego", "eriantys")
LOST = "the match has ended while the connection was lost"


class LibraryTests(Mixin):
    """What both libraries do. A subclass says how its programs are run."""

    #: The bot of the documentation, the first one, and a program that makes every mistake.
    bot: Sequence[str]
    mistakes: Sequence[str]

    def first_bot(self, port: int) -> Sequence[str]:
        raise NotImplementedError

    def run_program(self, command: Sequence[str], status: int = 0) -> str:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def test_all_games_against_house_players(self) -> None:
        """One bot of sixty lines plays them all, one after another. So does the first bot of the page, its one game."""
        with HostProcess("--house=1", wires=["open"]) as host:
            port = host.ports["open"]
            printed = self.run_program([*self.bot, "ann", *PLAYED, "--house", "random", "--port", str(port)])
            self.assertEqual(
                re.findall(r"^ann: (\S+) won by (?:ann|random\.\d+|nobody): .", printed, re.M), list(PLAYED), printed
            )
            self.assertRegex(self.run_program(self.first_bot(port)), r"(won|lost): \w")

    def test_they_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        """kill -9 in the middle of a match: both come back with their keys, and end the match that they have begun."""
        folder = Path(self.mktemp()).absolute()
        both = [[*self.bot, name, "stratego", "onitama", "--port", "PORT"] for name in ("ann", "bob")]
        printed = play_through_a_kill("open", folder, *both)
        ann, bob = (re.findall(r"(\S+ won by .*)", one) for one in printed)
        self.assertEqual([one.split()[0] for one in ann], ["stratego", "onitama"], printed)
        self.assertEqual(ann, bob)
        self.assertNotIn(LOST, "".join(printed))

    def test_what_a_mistake_is_answered(self) -> None:
        """What is wrong is named: a game, a level, an action, a value, a port, a moment. Who has the key has the seat."""
        with HostProcess("--house=1", wires=["open", "onitama"]) as host:
            wrong = host.ports["onitama"]
            printed = self.run_program([*self.mistakes, str(host.ports["open"]), str(wrong)])
        for words, line in zip(
            (
                "onitama, ",
                "expected one of random, easy, medium, hard",
                'the host has refused 3 actions in a row; the last one is "ox z9": ',
                "choose gave null; expected an action as a string",
                f"127.0.0.1:{wrong} does not speak the open wire, whose port is 8889 by default",
                "the same table",
                "logged in",
                "there is no connection, or the log-in is not answered yet",
            ),
            printed.splitlines(),
            strict=True,
        ):
            self.assertIn(words, line)


class JavaScriptTests(LibraryTests, SynchronousTestCase):
    def setUp(self) -> None:
        self.bot = [*node(), str(CLIENTS / "js" / "all_games_bot.js")]
        script = Path(__file__).with_name("client_mistakes.js")
        self.mistakes = [*node(), str(script), str(CLIENTS / "js" / "gamehost.js")]

    def first_bot(self, port: int) -> Sequence[str]:
        text = (CLIENTS / "js" / "first_bot.js").read_text("utf-8")
        path = Path(self.mktemp()).absolute().with_suffix(".mjs")
        library = (CLIENTS / "js" / "gamehost.js").as_uri()
        path.write_text(text.replace("./gamehost.js", library).replace('"ann"', f'"ann", {{ port: {port} }}'), "utf-8")
        return [*node(), str(path)]


class JavaCase(SynchronousTestCase):
    """The library, its bots and the programs of these tests, compiled once for all tests of the class."""

    folder: tempfile.TemporaryDirectory[str] | None = None

    @classmethod
    def tearDownClass(cls) -> None:
        if cls.folder is not None:
            cls.folder.cleanup()
            cls.folder = None

    def setUp(self) -> None:
        cls = type(self)
        if cls.folder is None:
            java()  # skips
            cls.folder = tempfile.TemporaryDirectory()
            programs = [ROOT / "tests" / "java" / name for name in ("JsonLines.java", "Mistakes.java")]
            compiled_java(Path(cls.folder.name), *programs)
        self.classes = Path(cls.folder.name)


class JavaTests(LibraryTests, JavaCase):
    @long
    def test_all_games_against_house_players(self) -> None:
        super().test_all_games_against_house_players()

    def setUp(self) -> None:
        super().setUp()
        self.bot = [*java(self.classes), "AllGamesBot"]
        self.mistakes = [*java(self.classes), "Mistakes"]

    def first_bot(self, port: int) -> Sequence[str]:
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        text = (CLIENTS / "java" / "FirstBot.java").read_text("utf-8")
        (folder / "FirstBot.java").write_text(text.replace("8889", str(port)), "utf-8")
        return [*java(self.classes), str(folder / "FirstBot.java")]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text(max_size=4), values, max_size=4),
    max_leaves=12,
)
#: What is not JSON, or is not read, and what is said of it.
REFUSED = (
    ("", "character 1: expected more"),
    ("{", "character 2: expected more"),
    ('{"a":1,}', "character 8: expected a key"),
    ('{"a" 1}', "character 6: expected :"),
    ('{"a":1,"a":2}', "character 11: expected each key once"),
    ("[1,]", "character 4: expected a value"),
    ("[1 2]", "character 4: expected a comma or ]"),
    ("[1]]", "character 4: expected nothing more"),
    ("01", "character 2: expected nothing more"),
    ("1.", "character 3: expected a value"),
    (".5", "character 1: expected a value"),
    ("+1", "character 1: expected a value"),
    ("1e", "character 3: expected a value"),
    ("-", "character 2: expected a value"),
    ("NaN", "character 1: expected a value"),
    ("nul", "character 1: expected a value"),
    ("9223372036854775808", "character 1: expected a number of at most 64 bits"),
    ('"a', "character 3: expected more"),
    ('"\t"', "character 2: expected no control character in a text"),
    ('"\\x"', "character 3: expected an escape of JSON"),
    ('"\\u12g4"', "character 3: expected an escape of JSON"),
    ("[" * 65, "character 65: expected at most 64 values inside each other"),
)


class JsonTests(JavaCase, PropertyCase):
    def setUp(self) -> None:
        super().setUp()
        command = [*java(self.classes), "JsonLines"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.addCleanup(process.communicate)
        self.process = process

    def answer(self, text: str) -> str:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().removesuffix("\n")

    @long
    @given(VALUES, st.booleans())
    def test_what_is_read_is_written_again(self, value: Any, ascii_only: bool) -> None:
        self.assertEqual(json.loads(self.answer(json.dumps(value, ensure_ascii=ascii_only))), value)

    def test_what_is_refused(self) -> None:
        for text, why in REFUSED:
            self.assertEqual(self.answer(text), f"refused: JSON, {why}", text)
        self.assertEqual(self.answer(' { "a" : [ 1 , 2.5e1 , "\\/\\u0041" ] } '), '{"a":[1,25.0,"/A"]}')


class BotTests(SynchronousTestCase):
    def test_sixty_lines(self) -> None:
        self.assertLessEqual(set(PLAYED), GAMES.keys())
        for path in (CLIENTS / "js" / "all_games_bot.js", CLIENTS / "java" / "AllGamesBot.java"):
            self.assertLessEqual(len(path.read_text("utf-8").splitlines()), 60, path.name)
