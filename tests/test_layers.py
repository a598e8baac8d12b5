"""
Who may import whom, what stands only once, and how long things may be: read from the sources of the whole package.

`LAYERS` and `PURE` are the architecture as data. `tests.test_layers` tries every check on lines that it must refuse.
"""

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from importlib.util import find_spec

from twisted.trial.unittest import SynchronousTestCase

from tests.kit import shape
from tests.kit.sources import (
    ROOT,
    Sources,
    attribute_chains,
    attributes,
    calls,
    cycle,
    definitions,
    function_lengths,
    has_docstring,
    imports,
    read_sources,
)

#: From the lowest to the highest. A package imports itself and what stands on the rows above it.
LAYERS: Sequence[Sequence[str]] = (
    ("settings", "_twisted", "measures", "entries"),
    ("games", "limits", "rates"),
    ("journal", "accounts", "players", "fairness"),
    ("tables", "storage", "ops"),
    ("lobby", "commands"),
    ("wires",),
    ("net", "client"),
    ("web",),
    ("service", "programs"),
    ("plugins",),
    ("config",),
    ("admin", "metrics"),
    ("tap",),
    ("__main__",),
    ("testing",),
    ("extras",),
)

#: Modules that may import less than their layer allows: pattern -> patterns of what they may import.
#: `OWN` is their own folder. The first pattern that fits counts. All of these are pure, as `PURE` is.
NARROW: Mapping[str, Sequence[str]] = {
    # What every game has for free knows all that is common to games and players, and games know it by name only.
    "gamehost.games.play": ("gamehost.games.*", "gamehost.players.*"),
    "gamehost.games.*.player": ("gamehost.games.base", "gamehost.players.*", "OWN.*"),
    "gamehost.games.*.text*": (*("gamehost.games.base", "gamehost.games.screen", "gamehost.players.base", "OWN.*"),),
    "gamehost.games.*.*": (
        "gamehost.games.base",
        "gamehost.games.messages",
        "gamehost.games.drawing",
        "gamehost.settings",
        "OWN",
        "OWN.*",
    ),
    "gamehost.players.*": ("gamehost.games.base", "gamehost.players.*"),
    "gamehost.client.*": (
        "gamehost.games.*",
        "gamehost.settings",
        "gamehost.wires.framing",
        "gamehost.wires.open.codec",
        "gamehost.wires.open.messages",
        "gamehost.client.*",
    ),
    "gamehost.programs.wire_player": ("gamehost.games.base", "gamehost.players.base"),
    "gamehost.programs.open": (
        *(
            "gamehost.games.base",
            "gamehost.games.play",
            "gamehost.players.*",
            "gamehost.client.core",
        ),
        "gamehost.programs.wire_player",
        "gamehost.wires.open.messages",
    ),
    "gamehost.wires.*.rendering": ("gamehost.games.*", "OWN.*"),
    "gamehost.wires.open.messages": (
        *("gamehost.games.messages", "gamehost.players.base", "gamehost.wires.framing", "OWN.*"),
    ),
    "gamehost.wires.*.messages": ("gamehost.wires.framing", "OWN.*"),
    "gamehost.wires.*.codec": ("gamehost.wires.framing", "gamehost.settings", "OWN", "OWN.*"),
}

#: Other modules that may not import Twisted, or look at the world outside.
PURE = (
    *("gamehost.settings", "gamehost.limits", "gamehost.rates", "gamehost.games.*", "gamehost.journal.*"),
    *("gamehost.accounts.names", "gamehost.accounts.passwords", "gamehost.tables.outbox", "gamehost.tables.interfaces"),
    *("gamehost.lobby.lists", "gamehost.lobby.membership", "gamehost.lobby.ratings", "gamehost.lobby.results"),
    *("gamehost.lobby.sessions", "gamehost.lobby.sleeping"),
    *("gamehost.wires.framing", "gamehost.wires.*.*"),
    *("gamehost.wires.websocket", "gamehost.web.http"),
)
#: But these, which would be pure by their folder.
WORLDLY = (
    *("gamehost.wires.*.conversation", "gamehost.wires.console.factory", "gamehost.wires.paper_soccer.remote"),
    *("gamehost.client.asyncio_client", "gamehost.client.twisted_client"),
)

#: Clocks, sockets, threads and other processes: not for pure modules.
WORLD = (
    *("twisted", "time", "datetime", "socket", "select", "selectors", "ssl", "asyncio"),
    *("threading", "queue", "subprocess"),
)
#: What a game must not know beside that: luck that is in no record, files, the process.
BEYOND_GAMES = ("secrets", "uuid", "os", "sys", "pathlib", "io", "logging", "sqlite3")

#: Who sets timers, and for what.
TIMERS = {
    "gamehost.tables.table": "the time of a game",
    "gamehost.tables.gallery": "watchers, some in each turn of the reactor, and the delay of what they see",
    "gamehost.net.context": "the deadlines of a connection; a look at all connections of a listener",
    "gamehost.extras.contest.game": "the deadline of a game, and programs that do not come or do not end",
    "gamehost.extras.contest.run": "the next games, after all is told; looks at what programs take, and at who waits",
    "gamehost.extras.contest.hosted": "places that are not free yet, and players who are not away yet",
    "gamehost.extras.contest.command": "the end",
    "gamehost.extras.contest.upload_page": "a body that does not come",
    "gamehost._twisted": "a timer, for those that are named here; a port that accepts nothing for a moment",
    "gamehost.service": "a look at the disk, ten times a second",
    "gamehost.extras.cluster.claiming": "tables that were opened a moment ago",
    "gamehost.extras.cluster.membership": "what a turn has changed; players who meet nobody here",
    "gamehost.extras.cluster.relay": "another member that cannot be reached yet",
    "gamehost.accounts.login": "guesses that have to wait",
    "gamehost.lobby.queues": "who waits too long in a queue, and whose address begins matches too often",
    "gamehost.lobby.opened": "tables that wait too long; players whose matches have just ended",
    "gamehost.lobby.slow": "the next deadline of all slow matches, and a look at the wall's clock",
    "gamehost.lobby.house": "players who wait alone, and house players whose programs are not there",
    "gamehost.lobby.questions": "pauses between questions",
    "gamehost.lobby.played": "questions for the matches of other hosts",
    "gamehost.lobby.notices": "turns that nobody has seen yet",
    "gamehost.extras.notify.sending": "pushes that are tried again",
    "gamehost.extras.notify.mail": "mails that are tried again, and news that wait for the next mail",
    "gamehost.lobby.board": "differences, while somebody looks",
    "gamehost.lobby.own_list": "a look at the match of a player, after moves",
    "gamehost.lobby.directory": "what a follower is told later",
    "gamehost.lobby.championship": "players who are lost",
    "gamehost.lobby.remote_game": "states of a master to which a game is told anew",
    "gamehost.lobby.remote_games": "masters that are lost",
    "gamehost.lobby.seats": "tables that sleep too long; the next records to check, some at a time",
    "gamehost.fairness": "the time of busy connections; long records, a slice in each turn",
    "gamehost.ops.workers": "the next start of a process, and its silence",
    "gamehost.extras.bots.command": "a log-in that is never answered",
    "gamehost.extras.bots.bridge": "the answer of a bot, its end, and the end of the command",
    "gamehost.programs.house": "thinking, when everything that has come was heard",
    "gamehost.tap": "the end of a turn of the reactor",
    "gamehost.testing.memory_host": "what a real transport does in a later turn",
    "gamehost.net.endpoints": "a header or a preamble that must come soon",
    "gamehost.client.twisted_client": "the next connection, and whether the host is there",
    "gamehost.net.tls": "the end of a broken session",
    "gamehost.web.api": "how long the board is looked at",
    "gamehost.web.server": "a request that must come soon",
    "gamehost.extras.check.run": "the deadlines of a scenario",
    "gamehost.extras.check.trace": "a look at bytes after they were passed on, and late bytes",
    "gamehost.extras.check.private_host": "a move, after its player was told",
    "gamehost.extras.check.transcript": "segments that come apart",
    "gamehost.extras.check.command": "the next scenario; the end of the reactor",
    "gamehost.extras.check.server_run": "the answers that a server owes",
}

#: The modules of wires that may know several games.
SERVES_ALL = (
    # Its port has a game of the host's own, and those of remote masters.
    "gamehost.wires.paper_soccer",
)
#: Who imports the reactor, in a function.
RUNS_THE_REACTOR = ("gamehost._twisted", "gamehost.programs.house")

#: What only commands need.
TOOLS = (
    *("gamehost.extras.bots*", "gamehost.extras.check*", "gamehost.extras.contest*", "gamehost.programs.*"),
    *("gamehost.extras.dialects.*.client", "gamehost.extras.dialects.*.checks"),
    *("gamehost.extras.notify.*", "gamehost.extras.learn*", "gamehost.extras.mcp*"),
)
#: Who may import the packages of the extras learn and mcp.
LEARNERS = ("gamehost.extras.learn.*", "gamehost.extras.mcp.server")

#: Lines of code, and in all of a test module. Docstrings and comments explain, and do not count.
LONGEST_FILE, LONGEST_TEST_FILE, LONGEST_FUNCTION = 650, 800, 50
#: Of the reading list at the beginning of docs/architecture: what a newcomer can read. Lines are those of code.
MOST_FILES, MOST_LINES = 8, 2_600


def fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def own_folder(name: str) -> str:
    """The game's or the wire's folder that a module is in; of other modules their package."""
    parts = name.split(".")
    if parts[1:2] == ["extras"]:
        return ".".join(parts[: 4 if parts[2:3] == ["dialects"] else 3])
    in_folder = len(parts) > 3 or any(module.startswith(name + ".") for module in PACKAGE)
    return ".".join(parts[:3] if parts[1:2] in (["games"], ["wires"]) and in_folder else parts[:2])


def _layer(name: str) -> int | None:
    """The row of `LAYERS` that a module stands on."""
    package = name.split(".")[1]
    return next((row for row, packages in enumerate(LAYERS) if package in packages), None)


def promised() -> Sequence[str]:
    """Patterns of the modules that docs/plugin-reference lets other packages import, and so the extras."""
    page = (ROOT / "docs" / "plugin-reference.rst").read_text("utf-8")
    section = page.partition("What a package may import\n")[2].partition("Everything else")[0]
    names = re.findall(r"``(gamehost\.[\w.]+)``", section)
    return [pattern for name in names for pattern in (name, f"{name}.*")]


PROMISED = promised()


def _may_import(name: str, imported: str) -> bool:
    if name.startswith("gamehost.extras.") and not imported.startswith(own_folder(name)):
        return fits(imported, PROMISED)
    for pattern, allowed in NARROW.items():
        if fnmatchcase(name, pattern):
            return fits(imported, [one.replace("OWN", own_folder(name)) for one in allowed])
    here, there = _layer(name), _layer(imported) if "." in imported else None
    if here is None or there is None or imported.split(".")[1] == name.split(".")[1]:
        # Within one package: games and wires do not know each other.
        own = own_folder(name)
        return there is not None and own_folder(imported) in (own, ".".join(own.split(".")[:2]))
    return there < here


def breaches(sources: Sources, package: Sources) -> Iterator[str]:
    """Every import of these modules of a package that the rules do not allow, in words."""
    for name, text in sources.items():
        if name != "gamehost" and _layer(name) is None:
            yield f"{name} has no layer"
            continue
        pure = fits(name, (*NARROW, *PURE)) and not fits(name, WORLDLY)
        for one in imports(text, package):
            top = one.name.split(".")[0]
            if one.name.startswith("."):
                yield f"{name} imports by a relative name"
            elif top == "gamehost":
                if one.name != "gamehost" and not _may_import(name, one.name):
                    yield f"{name} imports {one.name}"
            elif (
                (top in ("random", "hypothesis") and not name.startswith("gamehost.testing."))
                or (top in WORLD and pure)
                or (top in BEYOND_GAMES and fits(name, ("gamehost.games.*.*",)))
            ):
                yield f"{name} imports {top}"
            if one.name == "twisted.internet.reactor" and (name not in RUNS_THE_REACTOR or one.at_top):
                yield f"{name} imports the reactor"


def users_of_the_client(sources: Sources) -> Iterator[str]:
    """Modules of the host that use the client library. It is for programs beside the host, so only programs may."""
    for name, text in sources.items():
        if not fits(name, ("gamehost.client*", "gamehost.programs.*", "gamehost.testing.*", "gamehost.extras.*")):
            for one in imports(text, sources):
                if fits(one.name, ("gamehost.client", "gamehost.client.*")):
                    yield f"{name} uses {one.name}"


def reaches_through(sources: Sources) -> Iterator[str]:
    """Conversations that use the insides of the lobby: `lobby.x.y` of any kind."""
    for name, text in sources.items():
        if fnmatchcase(name, "gamehost.wires.*"):
            for chain in attribute_chains(text):
                if "lobby" in chain[:-2]:
                    yield f"{name} reaches through {'.'.join(chain)}"


def strangers(sources: Sources) -> Iterator[str]:
    games: dict[str, set[str]] = {}
    for name, text in sources.items():
        if name.startswith(("gamehost.wires.", "gamehost.extras.dialects.")):
            if fits(name, SERVES_ALL):
                continue
            group = own_folder(name)
            known = {own_folder(one.name) for one in imports(text, sources) if one.name.startswith("gamehost.games.")}
            games.setdefault(group, set()).update(known - {"gamehost.games"})
    return (f"{wire} knows {', '.join(sorted(known))}" for wire, known in games.items() if len(known) > 1)


def lengthy(sources: Sources) -> Iterator[str]:
    for name, text in sources.items():
        of_tests = name.startswith("tests")
        lines = text.count("\n") if of_tests else shape.code_lines({name: text})
        if lines > (LONGEST_TEST_FILE if of_tests else LONGEST_FILE):
            yield f"{name} has {lines} lines"
        for function, length in function_lengths(text):
            if length > LONGEST_FUNCTION:
                yield f"{name}.{function} has {length} lines"


def undocumented(sources: Sources) -> Iterator[str]:
    for name, text in sources.items():
        if text and not has_docstring(text):
            yield f"{name} has no docstring"


PACKAGE = read_sources("gamehost")
TESTS = read_sources("tests")


class PackageTests(SynchronousTestCase):
    def test_the_sources_were_found(self) -> None:
        for name in ("gamehost", "gamehost.tap", "gamehost.games.onitama.master", "gamehost.wires.onitama.codec"):
            self.assertIn(name, PACKAGE)
        self.assertIn(__name__, TESTS)

    def test_who_imports_whom(self) -> None:
        self.assertEqual(list(breaches(PACKAGE, PACKAGE)), [])

    def test_what_learners_need_is_imported_for_them_alone(self) -> None:
        users = {
            name
            for name, text in PACKAGE.items()
            for one in imports(text, PACKAGE)
            if one.name.split(".")[0] in ("numpy", "gymnasium", "pettingzoo", "mcp")
        }
        self.assertEqual([name for name in sorted(users) if not fits(name, LEARNERS)], [])

    def test_one_wire_one_game(self) -> None:
        self.assertEqual(list(strangers(PACKAGE)), [])

    def test_nobody_reaches_through_the_lobby(self) -> None:
        self.assertEqual(list(reaches_through(PACKAGE)), [])

    def test_the_host_does_not_use_the_client_library(self) -> None:
        """Programs do, which act as a client."""
        self.assertEqual(list(users_of_the_client(PACKAGE)), [])

    def test_no_cycles(self) -> None:
        """No two modules need each other to be imported."""
        self.assertEqual(cycle(PACKAGE), [])

    def test_what_nobody_asked_for_is_not_loaded(self) -> None:
        """A host that starts loads no checker and no program that plays, whatever its wires bring."""
        wires = [
            name for name in PACKAGE if fits(name, ("gamehost.wires.*.*conversation", "gamehost.extras.*.conversation"))
        ]
        loaded, left = set(), ["gamehost.tap", *wires]
        while left:
            name = left.pop()
            if name in PACKAGE and name not in loaded:
                loaded.add(name)
                left += [one.name for one in imports(PACKAGE[name], PACKAGE) if one.at_top and not one.for_types]
        self.assertGreater(len(wires), 6)
        self.assertEqual([name for name in sorted(loaded) if fits(name, TOOLS)], [])

    def test_the_plugin_knows_names_only(self) -> None:
        """What makes `twistd gamehost` known imports nothing of the package: twistd reads it for every command."""
        text = (ROOT / "twisted" / "plugins" / "gamehost_plugin.py").read_text(encoding="utf-8")
        self.assertEqual([one.name for one in imports(text, PACKAGE) if one.name.startswith("gamehost")], [])
        hiding = [folder for folder in ("twisted", "twisted/plugins") if (ROOT / folder / "__init__.py").exists()]
        self.assertEqual(hiding, [], "would hide Twisted itself")

    def test_one_writer(self) -> None:
        """
        The host's bytes go to a transport in one place; those of clients in the client library and in `gamehost player`,
        those of `gamehost trace` through `_twisted`, and a bot's input in `gamehost bridge`. A contest
        listens to those of its own host, and answers the author of a program when that was checked.
        """
        writers = [name for name, text in PACKAGE.items() for _ in range(attributes(text, "write", "transport"))]
        expected = (
            *("gamehost._twisted", "gamehost.client.twisted_client", "gamehost.extras.bots.bridge"),
            *("gamehost.extras.bots.command", *["gamehost.extras.contest.traffic"] * 2),
            *("gamehost.extras.contest.upload_page", "gamehost.net.streams"),
        )
        self.assertEqual(writers, [name for name in expected if name in PACKAGE])
        self.assertEqual([name for name, text in PACKAGE.items() if attributes(text, "writeSequence")], [])

    def test_who_sets_timers(self) -> None:
        """Timers are set where the table says, and nowhere else."""
        timer = re.compile(r"^from gamehost\._twisted import .*\bTimer\b", re.M)
        made = {name for name, text in PACKAGE.items() if attributes(text, "callLater") or timer.search(text)}
        # An extra may be deleted.
        self.assertEqual(made, set(TIMERS) & PACKAGE.keys())

    def test_lengths(self) -> None:
        self.assertEqual([*lengthy(PACKAGE), *lengthy(TESTS)], [])

    def test_arguments_have_names(self) -> None:
        """No `*(a, b)` in a call, and few calls with seven arguments by position: name them from the fourth on."""
        found = [call for text in PACKAGE.values() for call in calls(text)]
        self.assertEqual([call for call in found if call[1]], [])
        self.assertLessEqual(sum(count >= 7 for count, _ in found), 10)
        self.assertEqual(calls("f(*(a, b), c)\ng(1, *h)\n"), [(2, True), (2, False)])

    def test_every_module_says_its_rule(self) -> None:
        self.assertEqual([*undocumented(PACKAGE), *undocumented(TESTS)], [])


# Each check of the package's sources, tried on a few made-up lines that it must refuse.


# The pages about the code: the packages, modules and names on them are those of the code.


PAGE = (ROOT / "docs" / "architecture.rst").read_text("utf-8")
OTHERS = "".join(
    path.read_text("utf-8") for path in (ROOT / "CONTRIBUTING.rst", *sorted((ROOT / "docs").glob("plugin-*.rst")))
)


def faults_of_reading_list(page: str, sources: Sources) -> Iterator[str]:
    """Why nobody can read what the page begins with: too much of it, other files than it says, or other names in them."""
    rows = [
        row.split("\n     - ")
        for row in page.partition(":name: reading")[2].partition("\n\nEvery")[0].split("\n   * - ")
    ]
    found = [(re.sub(r"``|\.py", "", file), int(lines), words) for file, lines, words in rows[2:]]
    if not 0 < len(found) <= MOST_FILES:
        yield f"{len(found)} files"
    if sum(lines for _, lines, _ in found) > MOST_LINES:
        yield f"{sum(lines for _, lines, _ in found)} lines"
    for path, lines, words in found:
        text = sources.get(path.replace("/", "."), "")
        if not 0 < (count := shape.code_lines({path: text})) <= lines:
            yield f"{path} has {count} lines"
        names = [name for name in re.findall(r"``([\w.]+)``", words) if not name.startswith("gamehost.")]
        for name in sorted(set(names) - set(definitions(text))) if names else ["names"]:
            yield f"{path} has no {name}"


def exists(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    if name in {
        f"gamehost.{group}" for group in ("games", "wires", "verbs", "clients", "checks", "stores", "notifiers")
    }:
        return True  # a group of entry points
    if "." not in name or find_spec(module) is None:
        return False
    return hasattr(importlib.import_module(module), attribute) or find_spec(name) is not None


class PagesTests(SynchronousTestCase):
    def test_reading_list(self) -> None:
        """The page begins with the way of a move, and with the files from which it can be told."""
        self.assertEqual(list(faults_of_reading_list(PAGE, PACKAGE)), [])
        first, second = re.findall(r"^(.+)\n-{3,}$", PAGE, re.M)[:2]
        self.assertEqual(first, "The way of a move")
        self.assertLess(PAGE.index(":name: reading"), PAGE.index(f"\n{second}\n"))

    def test_layers(self) -> None:
        table = PAGE.partition(":name: layers")[2].partition("\n\nGames, messages")[0]
        rows = [re.findall(r"``gamehost\.(\w+)``", row) for row in re.findall(r"^   \* - (.*)$", table, re.M)[1:]]
        self.assertEqual([set(row) for row in rows], [set(row) for row in LAYERS])

    def test_shape(self) -> None:
        """The page has every figure, with its aim, and no figure is larger than the page allows."""
        table = PAGE.partition(":name: shape")[2].partition("\n\n``make way``")[0]
        rows = re.findall(r"^   \* - (.*)\n     - ([\d,]+)\n     - ([\d,]+)$", table, re.M)
        allowed = {words: (int(most.replace(",", "")), int(aim.replace(",", ""))) for words, most, aim in rows}
        figures = shape.shape(PACKAGE, read_sources("tests"))
        self.assertEqual({one.words: one.aim for one in figures}, {words: aim for words, (_, aim) in allowed.items()})
        self.assertEqual([(one.words, one.count) for one in figures if one.count > allowed[one.words][0]], [])

    def test_names(self) -> None:
        for page in (PAGE, OTHERS):
            names = set(re.findall(r"``(gamehost(?:\.\w+)+)``", page)) - {"gamehost.wires.NAME"}
            self.assertIn("gamehost.games.base", page)
            self.assertEqual([name for name in sorted(names) if not exists(name)], [])
        self.assertFalse(exists("gamehost.games.cellar"))

    def test_files(self) -> None:
        for page in (PAGE, OTHERS):
            paths = set(re.findall(r"``((?:tests|docs|examples|contrib|gamehost|newsfragments)/[\w./-]*\w)``", page))
            unknown = [
                path for path in sorted(paths) if not re.search(r"NAME|WIRE", path) and not (ROOT / path).exists()
            ]
            self.assertEqual(unknown, [])
