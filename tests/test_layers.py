"""
Who may import whom, what stands only once, and how long things may be: read from the sources of the whole package.

The tables here are the architecture as data. Every check is also tried on a few made-up lines that it must refuse.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from twisted.trial.unittest import SynchronousTestCase

from tests.sources import ROOT, Sources, attributes, cycle, function_lengths, imports, parsed, read_sources

_G = "gamehost."

#: Lobby, tables and those who sit there: one house, whose rooms know each other.
HOUSE = tuple(_G + room for room in ("accounts", "desk", "gathering", "lobby", "outbox", "seating", "session", "table"))
_TALK = (*HOUSE, "gamehost.journal", "gamehost.master", "gamehost.options", "gamehost.framing", "gamehost.conversation")

#: Pattern of modules -> patterns of what of the package they may import; `OWN` is their own folder. The first that fits counts.
ROOMS: Mapping[str, Sequence[str]] = {
    "gamehost": (),
    "gamehost.options": (),
    "gamehost.framing": (),
    "gamehost.limits": ("gamehost.options",),
    "gamehost.master": ("gamehost.options",),
    "gamehost.journal": ("gamehost.master",),
    "gamehost.check": ("gamehost.master",),
    "gamehost.replay": ("gamehost.check", "gamehost.journal", "gamehost.master"),
    "gamehost.backroom": (),
    **{room: ("gamehost.journal", "gamehost.master", "gamehost.options", *HOUSE) for room in HOUSE},
    "gamehost.table": (*(_G + room for room in ("check", "journal", "master", "replay")), *HOUSE),
    "gamehost.lobby": (*(_G + room for room in ("journal", "master", "options", "replay")), *HOUSE),
    "gamehost.desk": ("gamehost.limits", *HOUSE),
    "gamehost.gathering": (*(_G + room for room in ("journal", "limits", "master", "options")), *HOUSE),
    "gamehost.bell": ("gamehost.journal",),
    "gamehost.logs": ("gamehost.limits",),
    "gamehost.watchdog": ("gamehost.logs",),
    "gamehost.supervisor": ("gamehost.watchdog",),
    "gamehost.proxy_header": ("gamehost.framing",),
    "gamehost.proxied": ("gamehost.framing", "gamehost.limits", "gamehost.options", "gamehost.proxy_header"),
    "gamehost.tls": ("gamehost.options",),
    "gamehost.endpoints": ("gamehost.options", "gamehost.proxied", "gamehost.tls"),
    "gamehost.games": (),
    "gamehost.games.*": ("gamehost.master", "gamehost.options", "OWN", "OWN.*"),
    "gamehost.storage": (),
    "gamehost.storage.*": (
        "gamehost.accounts",
        "gamehost.journal",
        "gamehost.master",
        "gamehost.options",
        "OWN",
        "OWN.*",
    ),
    "gamehost.journal_command": (
        *(_G + room for room in ("journal", "master", "options", "replay")),
        "gamehost.storage.*",
    ),
    "gamehost.conversation": _TALK,
    "gamehost.wire": (*_TALK, "gamehost.limits", "gamehost.turns"),
    "gamehost.pulse": (),
    "gamehost.turns": (),
    "gamehost.transport": (),
    "gamehost.connection": (
        *_TALK,
        *(_G + room for room in ("limits", "pulse", "transport", "turns", "wire")),
    ),
    "gamehost.eager": (),
    "gamehost.host": (
        *_TALK,
        *(_G + room for room in ("backroom", "connection", "eager", "limits", "supervisor", "watchdog", "wire")),
    ),
    "gamehost.wires": (),
    "gamehost.wires.*.conversation": (*_TALK, "gamehost.games.*", "OWN.*"),
    "gamehost.wires.*.telling": (*_TALK, "gamehost.games.*", "OWN.*"),
    "gamehost.wires.*.wording": ("gamehost.master", "gamehost.games.*", "OWN.*"),
    "gamehost.wires.*.factory": (*_TALK, "gamehost.limits", "gamehost.wire", "gamehost.games.*", "OWN.*"),
    "gamehost.wires.*": ("gamehost.framing", "gamehost.options", "OWN", "OWN.*"),
    "gamehost.tap": ("gamehost", "gamehost.*"),
    "gamehost.__main__": ("gamehost", "gamehost.*"),
}

#: What may import Twisted, and look at the world outside; everything else is pure.
WORLDLY = (
    *(
        _G + room
        for room in ("backroom", "bell", "connection", "conversation", "desk", "eager", "endpoints", "gathering")
    ),
    *(
        _G + room
        for room in ("host", "journal_command", "lobby", "logs", "proxied", "pulse", "supervisor", "table", "tls")
    ),
    *(_G + room for room in ("transport", "turns", "watchdog", "wire")),
    *(
        "gamehost.storage.*",
        "gamehost.wires.*.conversation",
        "gamehost.wires.*.factory",
        "gamehost.tap",
        "gamehost.__main__",
    ),
)

CLOCKS = ("time", "datetime")
#: Clocks, sockets, threads and other processes: not for pure modules.
WORLD = ("twisted", *CLOCKS, "socket", "select", "selectors", "ssl", "asyncio", "threading", "queue", "subprocess")
#: What a game must not know beside that: luck that is in no record, files, the process.
BEYOND_GAMES = ("secrets", "uuid", "os", "sys", "pathlib", "io", "logging", "sqlite3")

#: Who sets timers, and for what.
TIMERS = {
    "gamehost.table": "the time of a game",
    "gamehost.connection": "the deadlines of a connection",
    "gamehost.host": "a look at the disk, ten times a second",
    "gamehost.desk": "guesses that have to wait",
    "gamehost.gathering": "tables that wait too long",
    "gamehost.pulse": "a look at all connections of a listener",
    "gamehost.turns": "the time of those who say much",
    "gamehost.tap": "the end of a turn of the reactor",
    "gamehost.proxied": "a header that must come soon",
    "gamehost.tls": "the end of a broken session",
}

#: Modules that share the tests of another one: they can only be seen at work together.
TOGETHER = {
    "gamehost.outbox": "tests.test_table",
    "gamehost.seating": "tests.test_table",
    "gamehost.conversation": "tests.test_connection",
    "gamehost.transport": "tests.test_connection",
    "gamehost.wire": "tests.test_connection",
    "gamehost.host": "tests.test_tap",
    "gamehost.__main__": "tests.test_tap",
    "gamehost.storage.store": "tests.storage.test_sqlite",
}

#: Modules that have no tests of their own yet.
AWAITED = ("gamehost.__main__",)

LONGEST_FILE = 400
LONGEST_FUNCTION = 50


def fits(name: str, patterns: Sequence[str]) -> bool:
    """Whether a module's name is one of these."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def own_folder(name: str) -> str:
    """The game's, the wire's or the storage's folder that a module is in."""
    depth = 2 if name.startswith("gamehost.storage") else 3
    return ".".join(name.split(".")[:depth])


def breaches(sources: Sources, package: Sources) -> Iterator[str]:
    """Every import of these modules of a package that the tables do not allow, in words."""
    for name, text in sources.items():
        room = next((pattern for pattern in ROOMS if fnmatchcase(name, pattern)), None)
        if room is None:
            yield f"{name} has no room"
            continue
        may = [pattern.replace("OWN", own_folder(name)) for pattern in ROOMS[room]]
        for one in imports(text, package):
            top = one.name.split(".")[0]
            if one.name.startswith("."):
                yield f"{name} imports by a relative name"
            elif top == "gamehost":
                if not fits(one.name, may) or _is_above(name, one.name):
                    yield f"{name} imports {one.name}"
            elif (
                top == "random"
                or (top in WORLD and not fits(name, WORLDLY))
                or (top in BEYOND_GAMES and name.startswith("gamehost.games"))
            ):
                yield f"{name} imports {top}"
            if one.name == "twisted.internet.reactor" and (name != "gamehost.tap" or one.at_top):
                yield f"{name} imports the reactor"


def _is_above(name: str, imported: str) -> bool:
    """Nobody knows who puts the parts together, but the command that starts it."""
    return imported == "gamehost.__main__" or (imported == "gamehost.tap" and name != "gamehost.__main__")


def strangers(sources: Sources) -> Iterator[str]:
    """Wires that know more than one game."""
    games: dict[str, set[str]] = {}
    for name, text in sources.items():
        if name.startswith("gamehost.wires."):
            known = {own_folder(one.name) for one in imports(text, sources) if one.name.startswith("gamehost.games.")}
            games.setdefault(own_folder(name), set()).update(known)
    return (f"{wire} knows {', '.join(sorted(known))}" for wire, known in games.items() if len(known) > 1)


def lengthy(sources: Sources) -> Iterator[str]:
    """Files and functions that are too long to be read at once."""
    for name, text in sources.items():
        lines = text.count("\n")
        if lines > LONGEST_FILE:
            yield f"{name} has {lines} lines"
        for function, length in function_lengths(text):
            if length > LONGEST_FUNCTION:
                yield f"{name}.{function} has {length} lines"


def untested(sources: Sources, tests: Sources) -> Iterator[str]:
    """Modules of which no test module is the mirror."""
    for name, text in sources.items():
        _, *parts = name.split(".")
        if parts[:1] in (["games"], ["wires"]) and len(parts) > 1:
            folder = f"tests.{parts[0]}"
            patterns = [f"{folder}.test_{parts[1]}*", f"{folder}.{parts[1]}.test_*"]
        else:
            patterns = [".".join(["tests", *parts[:-1], f"test_{parts[-1]}"])] if parts else []
        patterns.append(TOGETHER.get(name, ""))
        has_code = any(not isinstance(node, ast.Expr | ast.Assign) for node in parsed(text).body)
        if has_code and name not in AWAITED and not any(fits(test, patterns) for test in tests):
            yield f"{name} has no tests"


def undocumented(sources: Sources) -> Iterator[str]:
    """Modules that do not open with their rule."""
    for name, text in sources.items():
        if text and ast.get_docstring(parsed(text)) is None:
            yield f"{name} has no docstring"


PACKAGE = read_sources("gamehost")
TESTS = read_sources("tests")


class PackageTests(SynchronousTestCase):
    """The package as it is."""

    def test_the_sources_were_found(self) -> None:
        """There is something to check: the package, its games and wires, and the tests."""
        for name in ("gamehost", "gamehost.tap", "gamehost.games.onitama.master", "gamehost.wires.onitama_pipes.codec"):
            self.assertIn(name, PACKAGE)
        self.assertIn(__name__, TESTS)

    def test_who_imports_whom(self) -> None:
        """Every module imports only what its room may know."""
        self.assertEqual(list(breaches(PACKAGE, PACKAGE)), [])

    def test_one_wire_one_game(self) -> None:
        """A wire speaks of one game."""
        self.assertEqual(list(strangers(PACKAGE)), [])

    def test_no_cycles(self) -> None:
        """No two modules need each other to be imported."""
        self.assertEqual(cycle(PACKAGE), [])

    def test_the_plugin_knows_names_only(self) -> None:
        """What makes `twistd gamehost` known imports nothing of the package: twistd reads it for every command."""
        text = (ROOT / "twisted" / "plugins" / "gamehost_plugin.py").read_text(encoding="utf-8")
        self.assertEqual([one.name for one in imports(text, PACKAGE) if one.name.startswith("gamehost")], [])
        for folder in ("twisted", "twisted/plugins"):
            self.assertFalse((ROOT / folder / "__init__.py").exists(), "would hide Twisted itself")

    def test_one_writer(self) -> None:
        """Bytes go to a transport in one place."""
        writers = [name for name, text in PACKAGE.items() for _ in range(attributes(text, "write", "transport"))]
        self.assertEqual(writers, ["gamehost.connection"])
        self.assertEqual([name for name, text in PACKAGE.items() if attributes(text, "writeSequence")], [])

    def test_who_sets_timers(self) -> None:
        """Timers are set where the table says, and nowhere else."""
        self.assertEqual({name for name, text in PACKAGE.items() if attributes(text, "callLater")}, set(TIMERS))

    def test_lengths(self) -> None:
        """No file has more than 400 lines and no function more than 50, in the tests neither."""
        self.assertEqual([*lengthy(PACKAGE), *lengthy(TESTS)], [])

    def test_every_module_has_tests(self) -> None:
        """The tests mirror the package."""
        self.assertEqual(list(untested(PACKAGE, TESTS)), [])

    def test_every_module_says_its_rule(self) -> None:
        """Every module opens with a docstring, those of the tests too."""
        self.assertEqual([*undocumented(PACKAGE), *undocumented(TESTS)], [])


class PlantedTests(SynchronousTestCase):
    """Each check sees what it is there for."""

    def planted(self, name: str, *lines: str) -> list[str]:
        """The breaches of a module of these lines, were it one of the package."""
        return list(breaches({name: "\n".join(lines) + "\n"}, PACKAGE))

    def test_imports(self) -> None:
        """Imports upwards, sideways and outwards are refused, in whatever form they are written."""
        for name, line, imported in (
            ("gamehost.options", "from gamehost.master import Seat", "gamehost.master"),
            ("gamehost.master", "import gamehost.journal", "gamehost.journal"),
            ("gamehost.framing", "from gamehost import options", "gamehost.options"),
            ("gamehost.framing", "import twisted.internet.defer as defer", "twisted"),
            ("gamehost.limits", "from time import monotonic", "time"),
            ("gamehost.session", "from twisted.logger import Logger", "twisted"),
            ("gamehost.games.onitama.master", "from gamehost.table import Table", "gamehost.table"),
            (
                "gamehost.games.onitama.master",
                "from gamehost.games.stratego import pieces",
                "gamehost.games.stratego.pieces",
            ),
            ("gamehost.games.onitama.master", "import secrets", "secrets"),
            ("gamehost.games.onitama.cards", "if True:\n    from random import choice", "random"),
            ("gamehost.table", "def draw():\n    import random", "random"),
            ("gamehost.table", "from gamehost.wire import Wire", "gamehost.wire"),
            ("gamehost.lobby", "from gamehost.conversation import Line", "gamehost.conversation"),
            ("gamehost.storage.memory", "from gamehost.lobby import Lobby", "gamehost.lobby"),
            ("gamehost.connection", "from gamehost.host import Host", "gamehost.host"),
            ("gamehost.host", "from gamehost import tap", "gamehost.tap"),
            ("gamehost.tap", "import gamehost.__main__", "gamehost.__main__"),
            ("gamehost.wires.onitama_pipes.codec", "from twisted.logger import Logger", "twisted"),
            (
                "gamehost.wires.onitama_pipes.codec",
                "import gamehost.games.onitama.cards",
                "gamehost.games.onitama.cards",
            ),
            ("gamehost.wires.onitama_pipes.messages", "from gamehost.master import Seat", "gamehost.master"),
            ("gamehost.wires.onitama_pipes.conversation", "from gamehost.table import Table", None),
            ("gamehost.wires.onitama_pipes.conversation", "from gamehost.connection import x", "gamehost.connection"),
            (
                "gamehost.wires.other.conversation",
                "import gamehost.wires.onitama_pipes.codec",
                "gamehost.wires.onitama_pipes.codec",
            ),
        ):
            expected = [] if imported is None else [f"{name} imports {imported}"]
            self.assertEqual(self.planted(name, '"""Rule."""', line), expected)

    def test_for_types_counts_too(self) -> None:
        """Knowing somebody for the type checker alone is knowing them."""
        lines = ("from typing import TYPE_CHECKING", "if TYPE_CHECKING:", "    from gamehost.table import Table")
        self.assertEqual(self.planted("gamehost.master", *lines), ["gamehost.master imports gamehost.table"])

    def test_other_forms(self) -> None:
        """A relative import, a module without a room, and a reactor at the top or elsewhere are refused."""
        self.assertEqual(
            self.planted("gamehost.host", "from . import lobby"), ["gamehost.host imports by a relative name"]
        )
        self.assertEqual(self.planted("gamehost.cellar", "import re"), ["gamehost.cellar has no room"])
        for line in ("from twisted.internet import reactor", "import twisted.internet.reactor"):
            self.assertEqual(self.planted("gamehost.tap", line), ["gamehost.tap imports the reactor"])
            self.assertEqual(self.planted("gamehost.tap", "def make():", "    " + line), [])
            self.assertEqual(
                self.planted("gamehost.host", "def make():", "    " + line), ["gamehost.host imports the reactor"]
            )

    def test_two_games(self) -> None:
        """A wire that imports a second game is seen."""
        line = "from gamehost.games.stratego.pieces import BOX\n"
        [words] = strangers({**PACKAGE, "gamehost.wires.onitama_pipes.more": line})
        self.assertEqual(words, "gamehost.wires.onitama_pipes knows gamehost.games.onitama, gamehost.games.stratego")

    def test_cycles(self) -> None:
        """A circle of imports is seen; one that is only for types, or within functions, is none."""
        here, there = "from gamehost import b\n", "import gamehost.a\n"
        self.assertEqual(cycle({"gamehost.a": here, "gamehost.b": there}), ["gamehost.a", "gamehost.b", "gamehost.a"])
        for harmless in ("if TYPE_CHECKING:\n    " + there, "def late():\n    " + there):
            self.assertEqual(cycle({"gamehost.a": here, "gamehost.b": harmless}), [])

    def test_uses(self) -> None:
        """Writing to a transport and setting a timer are seen in every form; writing to something else is not that."""
        text = (
            "self.transport.write(b'')\ntransport.write(b'')\nself.write(b'')\ngame.write(a)\nput = transport.write\n"
        )
        self.assertEqual(attributes(text, "write", "transport"), 3)
        self.assertEqual(attributes("a.callLater(1, f)\nlater = reactor().callLater\ncallLater\n", "callLater"), 2)

    def test_too_long(self) -> None:
        """A line too much is seen, in a file and in a function wherever it stands."""
        self.assertEqual(list(lengthy({"a": "x\n" * 400})), [])
        self.assertEqual(list(lengthy({"a": "x\n" * 401})), ["a has 401 lines"])
        for define in ("def f():\n", "async def f():\n", "class A:\n  def f():\n", "if x:\n  @g\n  def f():\n"):
            self.assertEqual(list(lengthy({"a": define + "    x\n" * 49})), [])
            self.assertEqual(list(lengthy({"a": define + "    x\n" * 50})), ["a.f has 51 lines"])

    def test_no_tests(self) -> None:
        """A module, a game or a wire without tests is seen; a module that holds nothing needs none."""
        for name in (
            "gamehost.cellar",
            "gamehost.storage.cellar",
            "gamehost.games.chess.master",
            "gamehost.wires.morse.codec",
        ):
            self.assertEqual(list(untested({name: "import re\n"}, TESTS)), [f"{name} has no tests"])
        self.assertEqual(list(untested({"gamehost.cellar": '"""Rule."""\nx = 1\n'}, TESTS)), [])
        self.assertEqual(list(untested({"gamehost.outbox": "import re\n"}, {})), ["gamehost.outbox has no tests"])

    def test_no_docstring(self) -> None:
        """A module without its rule is seen; an empty one has none to say."""
        self.assertEqual(
            list(undocumented({"a": "import re\n", "b": "", "c": '"""Rule."""\n'})), ["a has no docstring"]
        )
