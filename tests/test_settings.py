"""Options and settings, from the command line and from a file: what is read, and what is refused with an expectation."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import prometheus_client
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from twisted.application.service import IServiceMaker
from twisted.logger import LogLevel
from twisted.plugin import getPlugins
from twisted.python.usage import UsageError
from twisted.trial.unittest import SynchronousTestCase

from gamehost import __version__
from gamehost.__main__ import main
from gamehost.config import LARGEST_FILE, Options, declared_settings
from gamehost.limits import PROFILES, Limits
from gamehost.lobby.sessions import ResumePolicy
from gamehost.players.base import Level
from gamehost.plugins import RESERVED, WIRES, Registry, Rejected
from gamehost.settings import (
    BadOption,
    from_to,
    milliseconds,
    one_of,
    refuse_unknown,
    seconds,
    setting,
    settings_of,
    whole_number,
    yes_or_no,
)
from gamehost.testing.cases import PropertyCase
from tests.kit.example_game import TOY_WIRE
from tests.kit.fork_server import ROOT, run
from tests.kit.reactors import logged
from tests.test_service import parsed

#: Digits that are not ASCII, and spellings that Python reads as numbers and people do not.
NOT_NUMBERS = (
    "",
    " ",
    " 1",
    "1 ",
    "1\n",
    "+1",
    "1_0",
    "0x1",
    "\u0661",
    "\u00b2",
    "\uff11",
    "one",
    "1e3",
    "nan",
    "inf",
    "--1",
)


class ReadingTests(PropertyCase):
    def refused(self, read: Callable[[str, str], Any], *texts: str) -> None:
        for text in texts:
            error = self.assertRaises(BadOption, read, "depth", text)
            self.assertIn("depth: expected ", str(error), repr(text))
            self.assertTrue(str(error).isprintable(), repr(text))

    def test_a_bad_option_is_a_value_error(self) -> None:
        self.assertTrue(issubclass(BadOption, ValueError))

    def test_whole_numbers(self) -> None:
        """ASCII digits with or without a minus, of a length that is no attack; nothing else."""
        for text, number in (("0", 0), ("-7", -7), ("007", 7), ("9" * 18, 10**18 - 1)):
            self.assertEqual(whole_number("depth", text), number)
        self.refused(whole_number, *NOT_NUMBERS, "1.0", "-", "9" * 19, "1" * 5000)

    @given(st.integers(-(10**18) + 1, 10**18 - 1))
    def test_whole_numbers_are_read_as_written(self, number: int) -> None:
        self.assertEqual(whole_number("depth", str(number)), number)

    def test_bounds_are_included(self) -> None:
        read = from_to(2, 5)
        self.assertEqual([read("depth", text) for text in ("2", "5")], [2, 5])
        self.refused(read, "1", "6", "-2", *NOT_NUMBERS)
        self.assertIn("from 2 to 5", str(self.assertRaises(BadOption, read, "depth", "6")))

    def test_seconds(self) -> None:
        for text, number in (("0", 0.0), ("60", 60.0), ("2.5", 2.5), ("0.000001", 1e-6)):
            self.assertEqual(seconds("depth", text), number)
        self.refused(seconds, *NOT_NUMBERS, "-1", ".5", "5.", "1,5", "1.5.0", "1.0000000", "9" * 13)

    def test_milliseconds(self) -> None:
        for text, number in (("0", 0), ("2.5", 2500), ("0.001", 1), ("0.29", 290), ("86400", 86_400_000)):
            read = milliseconds("depth", text)
            self.assertEqual(read, number)
            self.assertIs(type(read), int)
        self.refused(milliseconds, *NOT_NUMBERS, "-1")

    @given(st.integers(0, 10**9))
    def test_milliseconds_are_exact(self, number: int) -> None:
        self.assertEqual(milliseconds("depth", f"{number // 1000}.{number % 1000:03}"), number)

    def test_yes_or_no(self) -> None:
        for text in ("yes", "true", "on", "1", "YES", "True"):
            self.assertIs(yes_or_no("depth", text), True)
        for text in ("no", "false", "off", "0", "No", "FALSE"):
            self.assertIs(yes_or_no("depth", text), False)
        self.refused(yes_or_no, "", "y", "2", "yes ", "ja")

    def test_one_of(self) -> None:
        read = one_of("any", "never")
        self.assertEqual(read("depth", "any"), "any")
        self.refused(read, "", "Any", "an", "any ", "a\x1b[2J")
        self.assertIn("any, never", str(self.assertRaises(BadOption, read, "depth", "no")))


class SettingTests(PropertyCase):
    def test_the_default_is_for_what_is_not_set(self) -> None:
        self.assertEqual(setting({}, "depth", None, whole_number), None)
        self.assertEqual(setting({"depth": "3"}, "depth", None, whole_number), 3)
        self.assertRaises(BadOption, setting, {"depth": ""}, "depth", None, whole_number)

    def test_unknown_settings(self) -> None:
        refuse_unknown({"a": "1"}, ["b", "a"])
        refuse_unknown({}, [])
        error = self.assertRaises(BadOption, refuse_unknown, {"c": "1"}, ["b", "a"])
        self.assertEqual(str(error), "c: unknown setting; expected one of a, b")

    def test_the_settings_of_one_owner(self) -> None:
        settings = {"onitama.deal": "x", "onitama.strict": "yes", "limits.open": "no", "deal": "y"}
        self.assertEqual(settings_of("onitama", settings, ("deal",)), {"deal": "x"})
        self.assertEqual(settings_of("eriantys", settings, ("deal",)), {})


class OptionsTests(SynchronousTestCase):
    def test_defaults_are_the_documented_ones(self) -> None:
        options = parsed()
        for wire in WIRES:
            self.assertEqual(options[wire.name], [wire.endpoint])
            self.assertIn("interface=127.0.0.1", wire.endpoint)
        self.assertEqual((options["store"], options["grace"]), ("gamehost.sqlite", 60.0))
        self.assertEqual((options["resume"], options["strict"]), (ResumePolicy.SAME_ADDRESS, False))

    def test_all_ports_can_be_moved(self) -> None:
        options = parsed("--shift=1000", "--open=tcp:7000")
        for wire in WIRES:
            if wire.name != "open":
                _, port, interface = wire.endpoint.split(":")
                self.assertEqual(options[wire.name], [f"tcp:{int(port) + 1000}:{interface}"])
        self.assertEqual((options["open"], options["web"]), (["tcp:7000"], ["tcp:9080:interface=127.0.0.1"]))
        self.assertEqual(options.reread()["web"], options["web"])
        self.assertEqual(parsed("--shift=1000", "--web=")["web"], [""])
        self.assertRaises(UsageError, parsed, "--shift=50000")

    def test_a_setting_with_an_option_of_its_own(self) -> None:
        self.assertEqual(parsed("--championship=nim:4")["set"], {"paper-soccer.championship": "nim:4"})
        path = self.mktemp()
        Path(path).write_text('championship = "paper soccer:8"\n')
        self.assertEqual(parsed(f"--config={path}")["set"], {"paper-soccer.championship": "paper soccer:8"})

    def test_bad_options_name_themselves(self) -> None:
        for argument, words in (
            ("--grace=soon", "--grace: expected seconds"),
            ("--move-time=-1", "--move-time: expected seconds"),
            ("--house=soon", "--house: expected seconds"),
            ("--house-level=best", "--house-level: expected one of random, easy, medium, hard"),
            ("--house-processes=0", "--house-processes: expected a whole number from 1"),
            ("--set=onitama.house=soon", "onitama.house: expected seconds"),
            ("--resume=perhaps", "--resume: expected one of same-address, any, never"),
            ("--championship=nim:1", "paper-soccer.championship: expected a type of game and 2 to 64 players"),
            ("--set=onitama.deal", "--set: expected NAME=VALUE"),
            ("--set=onitama.nothing=1", "onitama.nothing: unknown setting"),
            ("--set=nobody.deal=1", "nobody.deal: unknown setting"),
            ("--set=onitama.max_plies=many", "onitama.max_plies: expected a whole number"),
            ("--set=onitama.strict=perhaps", "onitama.strict: expected yes or no"),
            ("--set=limits.connections=0", "limits.connections: expected a whole number from 1"),
        ):
            error = self.assertRaises(UsageError, parsed, argument)
            self.assertIn(words, str(error))

    def test_metrics_need_a_package(self) -> None:
        """It is an extra. Without it the option is refused in words that say what to install; alone, nothing is."""
        self.assertEqual(parsed("--metrics=tcp:0", "--metrics=")["metrics"], ["tcp:0", ""])
        self.addCleanup(sys.modules.update, {"prometheus_client": prometheus_client})
        sys.modules["prometheus_client"] = None  # type: ignore[assignment]
        self.assertEqual(parsed("--metrics=")["metrics"], [""])
        error = self.assertRaises(UsageError, parsed, "--metrics=tcp:0")
        self.assertIn("--metrics needs the package prometheus-client: pip install prometheus-client", str(error))

    def test_file_holds_the_same_options_and_the_command_line_wins(self) -> None:
        """One by one: what the command line does not say stays as the file has it."""
        path = self.mktemp()
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                'grace = 5\nstrict = true\nonitama = ["tcp:1", "tcp:2"]\nstore = "memory"\n'
                '[set]\n"onitama.max_plies" = 9\nlimits.unlimited = true\n[set.onitama]\nseparate = "yes"\n'
            )
        options = parsed(f"--config={path}", "--grace=7", "--set=onitama.max_plies=11")
        self.assertEqual((options["grace"], options["strict"], options["store"]), (7.0, True, "memory"))
        self.assertEqual(options["onitama"], ["tcp:1", "tcp:2"])
        self.assertEqual(
            options["set"], {"onitama.max_plies": "11", "limits.unlimited": "True", "onitama.separate": "yes"}
        )
        self.assertEqual(parsed(f"--config={path}", "--onitama=tcp:3")["onitama"], ["tcp:3"])

    def test_a_setting_that_was_renamed(self) -> None:
        lines = logged(self)
        self.assertTrue(parsed("--set=limits.open=yes").settings.limits.unlimited)
        self.assertEqual(
            lines.of(LogLevel.warn), ["limits.open is now called limits.unlimited; the old name still works"]
        )

    def test_profile(self) -> None:
        """It sets limits, from the command line or from a file; a limit that is set wins over it, wherever it is set."""
        path = self.mktemp()
        with open(path, "w") as file:
            file.write('profile = "class"\n[set]\n"limits.new_burst" = 7\n')
        wide = PROFILES["class"]
        for arguments, texts in (
            ((), {}),
            (("--profile=class",), wide),
            ((f"--config={path}", "--set=limits.open_tables=9"), {**wide, "new_burst": "7", "open_tables": "9"}),
            ((f"--config={path}", "--profile=public"), {"new_burst": "7"}),
        ):
            self.assertEqual(parsed(*arguments).settings.limits, Limits.read(texts), arguments)
        error = self.assertRaises(UsageError, parsed, "--profile=school")
        self.assertEqual(str(error), "--profile: expected one of public, class, got 'school'")

    def test_bad_files_name_themselves(self) -> None:
        for content, words in (
            ("grace = ", "--config: "),
            ("graze = 5", "unknown option 'graze'"),
            ("[limits]\nopen = true", "unknown table [limits]"),
            ('config = "other.toml"', "unknown option 'config'"),
            ("grace = [1, 2]", "grace: expected one value, got [1, 2]"),
            ("[[onitama]]", "onitama: expected a list of texts"),
            ("[[grace]]", "grace: expected one value"),
            ('[set]\n"limits.connections" = [5]', "limits.connections: expected one value, got [5]"),
            (
                '[set]\n"limits.refusals" = 50',
                "limits.refusals: no longer a setting: it is 20 within 20 seconds on every host",
            ),
            ('[set]\n"limits.messages_per_second" = 0', "limits.messages_per_second: expected "),
            ('grace = "soon"', "--grace: expected seconds"),
        ):
            path = self.mktemp()
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            error = self.assertRaises(UsageError, parsed, f"--config={path}")
            self.assertIn(words, str(error))
        error = self.assertRaises(UsageError, parsed, f"--config={self.mktemp()}/none.toml")
        self.assertTrue(str(error).endswith("/none.toml: No such file or directory"), error)
        self.assertRaises(UsageError, parsed, "--config=nowhere.toml")

    def test_what_is_no_file(self) -> None:
        """A pipe without a writer, a device that never ends, a folder: refused at once, at the start and by `reload`."""
        pipe = self.mktemp()
        os.mkfifo(pipe)
        for path, words in (
            (pipe, "this is a pipe or a device; expected a file"),
            ("/dev/zero", "this is a pipe or a device; expected a file"),
            (os.path.dirname(pipe), "Is a directory"),
        ):
            self.assertIn(words, str(self.assertRaises(UsageError, parsed, f"--config={path}")))
        path = self.mktemp()
        Path(path).write_text("grace = 5\n")
        link = Path(self.mktemp())
        link.symlink_to(Path(path).absolute())
        options = parsed(f"--config={link}")
        self.assertEqual(options["grace"], 5.0)
        link.unlink()
        link.symlink_to(Path(pipe).absolute())
        self.assertIn("pipe or a device", str(self.assertRaises(UsageError, options.reread)))

    def test_hostile_files(self) -> None:
        for content, words in (
            ("#" * (LARGEST_FILE + 1), f"the file is too large; expected at most {LARGEST_FILE} bytes"),
            ("a=" + "[" * 5_000, "tables or lists are nested too deep"),
            ("a=" + "{b=" * 5_000, "tables or lists are nested too deep"),
            ("[set." + ".".join("a" * 990) + "]\nb=1", "set: tables are nested too deep"),
            ("set." + ".".join("a" * 20_000) + "=1", "a line has more than 1000 dots"),
            ("\0", "Invalid statement"),
            ('store = "a\\u0000b"', "store: the character NUL is not allowed"),
            ('admin = "a\\u0000b"', "admin: the character NUL is not allowed"),
            ('[set]\n"limits.new_burst" = "7\\u0000"', "limits.new_burst: expected a whole number"),
            ("grace = true", "--grace: expected seconds"),
            ("grace = 2020-01-01", "--grace: expected seconds"),
            ("grace = nan", "--grace: expected seconds"),
            ("set = 1", "--set: expected NAME=VALUE"),
            ("[store]\na = 1", "unknown table [store]"),
        ):
            path = self.mktemp()
            Path(path).write_text(content)
            self.assertIn(words, str(self.assertRaises(UsageError, parsed, f"--config={path}")))
        path = self.mktemp()
        Path(path).write_bytes(b"grace = '\xe9'")
        self.assertIn("'utf-8' codec", str(self.assertRaises(UsageError, parsed, f"--config={path}")))

    def test_help_lists_every_setting_with_words(self) -> None:
        text = Options().getUsage()
        for name, declared in declared_settings().items():
            self.assertIn(name, text)
            self.assertTrue(declared.words)

    def test_plugin_is_known_to_twistd(self) -> None:
        makers = {maker.tapname: maker for maker in getPlugins(IServiceMaker)}
        self.assertIs(makers["gamehost"].options, Options)


class OptionsOfWiresTests(SynchronousTestCase):
    def options(self, *arguments: str, registry: Registry) -> Options:
        options = Options(registry)
        options.parseOptions(list(arguments))
        return options

    def test_a_wire_of_another_package_is_off_until_it_is_asked_for(self) -> None:
        """To install a package opens no port."""
        registry = Registry(WIRES, (TOY_WIRE,))
        self.assertEqual(self.options(registry=registry)["toy"], [])
        self.assertEqual(self.options("--toy=tcp:1", registry=registry)["toy"], ["tcp:1"])
        self.assertIn("[default: off]", " ".join(Options(registry).getUsage().split()))
        self.assertEqual(
            self.options(registry=registry)["onitama"],
            [next(wire.endpoint for wire in WIRES if wire.name == "onitama")],
        )

    def test_a_registry_changes_no_other_options(self) -> None:
        Options(Registry(WIRES, (TOY_WIRE,)))
        self.assertNotIn("toy=", Options().longOpt)
        self.assertRaises(UsageError, parsed, "--toy=tcp:1")

    def test_house_players(self) -> None:
        """After 20 seconds, easy ones, in all games; each of this can be changed, and --strict has none."""
        rules = parsed().settings.house
        self.assertEqual((set(rules.seconds.values()), rules.level, rules.tables), ({20.0}, Level.EASY, 200))
        options = ("--house=5", "--house-level=hard", "--set=onitama.house=0", "--set=limits.house_tables=7")
        rules = parsed(*options).settings.house
        self.assertEqual((rules.seconds["onitama"], rules.seconds["stratego"]), (0.0, 5.0))
        self.assertEqual((rules.level, rules.tables), (Level.HARD, 7))
        self.assertEqual(parsed("--strict").settings.house.seconds, {})
        self.assertEqual(set(parsed("--house=0").settings.house.seconds.values()), {0.0})

    def test_settings_of_another_package(self) -> None:
        """Those of its game and of its wire are known, and `--strict` is not given to a wire that has no such setting."""
        loud = evolve(TOY_WIRE, options={"loud": "yes or no"}, configure=lambda _: TOY_WIRE.configure({}))
        registry = Registry((), (loud,))
        options = self.options("--strict", "--set=toy.goal=7", "--set=toy.loud=yes", registry=registry)
        settings = options.settings
        self.assertEqual(settings.games, {"toy": {"move_time": "3600", "goal": "7"}})
        self.assertEqual(settings.wires, {"toy": {"loud": "yes"}})
        self.assertRaises(UsageError, self.options, "--set=onitama.max_plies=7", registry=registry)

    def test_the_delay_of_those_who_watch(self) -> None:
        """Every game has the setting, beside its own ones. It is the host's: no match has it in its record."""
        settings = parsed("--set=onitama.watch_delay=2.5", "--set=onitama.max_plies=70").settings
        self.assertEqual(settings.watch_delays, {"onitama": 2.5})
        self.assertEqual(settings.games["onitama"], {"move_time": "3600", "max_plies": "70"})
        self.assertIn("stratego.watch_delay", Options().getUsage())
        self.assertRaises(UsageError, parsed, "--set=onitama.watch_delay=-1")

    def test_what_the_pages_show(self) -> None:
        for text, shown in (("finished", True), ("never", False)):
            self.assertIs(parsed(f"--set=web.reveal={text}").settings.reveals, shown)
        self.assertTrue(parsed().settings.reveals)
        self.assertIn("web.reveal", str(self.assertRaises(UsageError, parsed, "--set=web.reveal=always")))

    def test_what_is_left_out_is_named(self) -> None:
        lines = logged(self)
        registry = Registry(WIRES, (), (Rejected("'gomoku' of gamehost-gomoku", "planted"),))
        options = self.options(registry=registry)
        words = "the wire 'gomoku' of gamehost-gomoku is left out: planted"
        self.assertEqual(lines.of(LogLevel.warn), [words])
        self.assertIn(words, options.getUsage())

    def test_names_of_the_host_s_options_are_reserved(self) -> None:
        """All of them, so that no wire takes one away."""
        own = {name.rstrip("=").replace("_", "-") for name in Options(Registry()).longOpt}
        self.assertEqual(own, RESERVED)


class WrongCommandLineTests(SynchronousTestCase):
    def test_one_line_and_status_2(self) -> None:
        """Under `gamehost` and `twistd`: what was wrong, and where help is; nothing on standard output."""
        twistd = [sys.executable, "-c", "from twisted.scripts.twistd import run; run()", "--pidfile=", "-n"]
        under_twistd = [*twistd, "gamehost", "--grace=x"]
        for ended in (
            run("gamehost", "--grace=x"),
            subprocess.run(under_twistd, capture_output=True, text=True, cwd=ROOT, timeout=120),
        ):
            self.assertEqual((ended.returncode, ended.stdout), (2, ""))
            [line] = ended.stderr.splitlines()
            self.assertEqual(
                line,
                "gamehost: --grace: expected seconds, such as 60 or 2.5, got 'x' (gamehost run --help lists the options)",
            )

    def test_hostile_values(self) -> None:
        for argument, words in (
            ("--set=lim\x1b[2J=1", "--set lim\\x1b[2J: unknown setting"),
            ("--set=limits.new_burst=\x1b[2J", "expected a whole number, got '\\x1b[2J'"),
            ("--set=limits.new_burst=" + "9" * 100_000, " ... "),
        ):
            ended = run("gamehost", "run", "--store=memory", argument)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(words, ended.stderr)
            self.assertTrue(ended.stderr.rstrip("\n").isprintable() and len(ended.stderr) < 1_200)

    def test_wrong_endpoint(self) -> None:
        ended = run("gamehost", "--store=memory", "--onitama=nonsense")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("gamehost: --onitama: 'nonsense' is not an endpoint", ended.stderr)
        self.assertNotIn("Traceback", ended.stderr + ended.stdout)

    def test_help_into_a_pipe_that_is_closed(self) -> None:
        command = f"{sys.executable} -m gamehost run --help | head -n 1"
        ended = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT, timeout=120)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertTrue(ended.stdout.startswith("Usage: "))

    def test_version_is_the_host_s(self) -> None:
        output = StringIO()
        with redirect_stdout(output):
            self.assertRaises(SystemExit, parsed, "--version")
        self.assertEqual(output.getvalue(), f"gamehost {__version__}\n")

    def test_words_that_are_no_options_are_named(self) -> None:
        error = self.assertRaises(UsageError, parsed, "onitama")
        self.assertEqual(str(error), "unexpected word 'onitama'; expected options alone")

    def test_under_twistd_the_line_is_written_at_once(self) -> None:
        """Twisted would print the whole help text before it."""
        output = StringIO()
        options = Options()
        options.parent = Options()
        with redirect_stderr(output):
            error = self.assertRaises(SystemExit, options.parseOptions, ["--no-such-option"])
        self.assertEqual(error.code, 2)
        self.assertTrue(output.getvalue().startswith("gamehost: option --no-such-option not recognized"))


class CommandTests(SynchronousTestCase):
    def test_an_unknown_verb_is_one_line_and_status_2(self) -> None:
        output = StringIO()
        with redirect_stderr(output):
            error = self.assertRaises(SystemExit, main, ["play"])
        self.assertEqual(error.code, 2)
        self.assertEqual(output.getvalue(), "gamehost: unknown verb 'play' (gamehost --help lists the verbs)\n")

    def test_help(self) -> None:
        output = StringIO()
        with redirect_stdout(output):
            main(["--help"])
        self.assertIn("gamehost journal VERB", output.getvalue())

    def test_version(self) -> None:
        with redirect_stdout(StringIO()) as output:
            main(["--version"])
        self.assertEqual(output.getvalue(), f"gamehost {__version__}\n")

    def test_quick_verbs_import_little(self) -> None:
        """They start in a tenth of the time that the host takes to be imported: no wire, no game and no Twisted."""
        program = (
            "import sys; from gamehost.__main__ import main\n"
            "try: main(sys.argv[1:])\n"
            "except SystemExit: pass\n"
            "print([name for name in ('twisted', 'gamehost.plugins', 'gamehost.tap') if name in sys.modules])"
        )
        for words in (["--version"], ["journal", "list", "--store=/dev/null/none"]):
            ended = subprocess.run([sys.executable, "-c", program, *words], cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(ended.stdout.splitlines()[-1:], ["[]"], ended.stderr)
