"""Options and settings, from the command line and from a file."""

import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import prometheus_client
from attrs import evolve
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
from tests.kit.example_game import TOY_WIRE
from tests.kit.process import ROOT
from tests.kit.reactors import logged
from tests.test_tap import parsed


class OptionsTests(SynchronousTestCase):
    """The command line, and the file."""

    def test_defaults_are_the_documented_ones(self) -> None:
        """Every wire on its port, on this machine alone; a store; a minute of grace."""
        options = parsed()
        for wire in WIRES:
            self.assertEqual(options[wire.name], [wire.endpoint])
            self.assertIn("interface=127.0.0.1", wire.endpoint)
        self.assertEqual((options["store"], options["grace"]), ("gamehost.sqlite", 60.0))
        self.assertEqual((options["resume"], options["strict"]), (ResumePolicy.SAME_ADDRESS, False))

    def test_a_setting_with_an_option_of_its_own(self) -> None:
        """`--championship=TYPE:N`, on the command line and in a file, is a setting of its wire."""
        self.assertEqual(parsed("--championship=nim:4")["set"], {"paper-soccer.championship": "nim:4"})
        path = self.mktemp()
        Path(path).write_text('championship = "paper soccer:8"\n')
        self.assertEqual(parsed(f"--config={path}")["set"], {"paper-soccer.championship": "paper soccer:8"})

    def test_bad_options_name_themselves(self) -> None:
        """Before anything is opened, in words a host's owner can act on."""
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
        self.assertIn("--metrics needs the package prometheus-client: pip install 'gamehost[metrics]'", str(error))

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
        """The old name goes on working, and the log says the new one."""
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
        """Missing, not TOML, or with something that is not an option."""
        for content, words in (
            ("grace = ", "--config: "),
            ("graze = 5", "unknown option 'graze'"),
            ("[limits]\nopen = true", "unknown table [limits]"),
            ('config = "other.toml"', "unknown option 'config'"),
            ("grace = [1, 2]", "grace: expected one value, got [1, 2]"),
            ("[[onitama]]", "onitama: expected a list of texts"),
            ("[[grace]]", "grace: expected one value"),
            ('[set]\n"limits.connections" = [5]', "limits.connections: expected one value, got [5]"),
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
        """Large, deep, with NUL or with control characters: one line of words, and neither time nor memory."""
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
        """Games, wires and limits."""
        text = Options().getUsage()
        for name, declared in declared_settings().items():
            self.assertIn(name, text)
            self.assertTrue(declared.words)

    def test_plugin_is_known_to_twistd(self) -> None:
        """`twistd gamehost` finds it."""
        makers = {maker.tapname: maker for maker in getPlugins(IServiceMaker)}
        self.assertIs(makers["gamehost"].options, Options)


class OptionsOfWiresTests(SynchronousTestCase):
    """What the wires of a registry add to the command line."""

    def options(self, *arguments: str, registry: Registry) -> Options:
        """Options from a command line, for a host with these wires."""
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
        """The class of the options stays as it is."""
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
        """What was hidden in a match is shown afterwards, unless the owner forbids it."""
        for text, shown in (("finished", True), ("never", False)):
            self.assertIs(parsed(f"--set=web.reveal={text}").settings.reveals, shown)
        self.assertTrue(parsed().settings.reveals)
        self.assertIn("web.reveal", str(self.assertRaises(UsageError, parsed, "--set=web.reveal=always")))

    def test_what_is_left_out_is_named(self) -> None:
        """In the log of a start, and in the help text; the start goes on."""
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
    """What the shell of a host's owner sees."""

    def run_host(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The process, at its end."""
        command = [sys.executable, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=120)

    def test_one_line_and_status_2(self) -> None:
        """Under `gamehost` and `twistd`: what was wrong, and where help is; nothing on standard output."""
        for start in (["-m", "gamehost"], ["-m", "twisted.scripts.twistd"]):
            if start[-1] != "gamehost":
                start = ["-c", "from twisted.scripts.twistd import run; run()", "--pidfile=", "-n", "gamehost"]
            ended = self.run_host(*start, "--grace=x")
            self.assertEqual((ended.returncode, ended.stdout), (2, ""))
            [line] = ended.stderr.splitlines()
            self.assertEqual(
                line,
                "gamehost: --grace: expected seconds, such as 60 or 2.5, got 'x' (gamehost run --help lists the options)",
            )

    def test_hostile_values(self) -> None:
        """What they quote is short, and has no control characters for the terminal."""
        for argument, words in (
            ("--set=lim\x1b[2J=1", "--set lim\\x1b[2J: unknown setting"),
            ("--set=limits.new_burst=\x1b[2J", "expected a whole number, got '\\x1b[2J'"),
            ("--set=limits.new_burst=" + "9" * 100_000, " ... "),
        ):
            ended = self.run_host("-m", "gamehost", "run", "--store=memory", argument)
            self.assertEqual(ended.returncode, 2)
            self.assertIn(words, ended.stderr)
            self.assertTrue(ended.stderr.rstrip("\n").isprintable() and len(ended.stderr) < 1_200)

    def test_wrong_endpoint(self) -> None:
        """It is found later, and ends the start in the same way."""
        ended = self.run_host("-m", "gamehost", "--store=memory", "--onitama=nonsense")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("gamehost: --onitama: 'nonsense' is not an endpoint", ended.stderr)
        self.assertNotIn("Traceback", ended.stderr + ended.stdout)

    def test_help_into_a_pipe_that_is_closed(self) -> None:
        """As `head` closes it: no traceback."""
        command = f"{sys.executable} -m gamehost run --help | head -n 1"
        ended = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT, timeout=120)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertTrue(ended.stdout.startswith("Usage: "))

    def test_version_is_the_host_s(self) -> None:
        """And not Twisted's."""
        output = StringIO()
        with redirect_stdout(output):
            self.assertRaises(SystemExit, parsed, "--version")
        self.assertEqual(output.getvalue(), f"gamehost {__version__}\n")

    def test_words_that_are_no_options(self) -> None:
        """They are named."""
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
    """The command `gamehost`."""

    def test_unknown_verb(self) -> None:
        """One line and status 2."""
        output = StringIO()
        with redirect_stderr(output):
            error = self.assertRaises(SystemExit, main, ["play"])
        self.assertEqual(error.code, 2)
        self.assertEqual(output.getvalue(), "gamehost: unknown verb 'play' (gamehost --help lists the verbs)\n")

    def test_help(self) -> None:
        """It names the verbs."""
        output = StringIO()
        with redirect_stdout(output):
            main(["--help"])
        self.assertIn("gamehost journal VERB", output.getvalue())

    def test_version(self) -> None:
        """One line."""
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
