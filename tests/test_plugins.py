"""Wires are found through entry points; one that cannot be used is left out, with a sentence that says why."""

import re
from importlib.metadata import EntryPoint
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.config import Options
from gamehost.entries import imported, offered
from gamehost.plugins import GAMES, GROUP, WIRES, Registry, find_wires
from gamehost.programs.clients import CHECKS, CLIENTS, client_of, judges_of
from gamehost.programs.wire_player import WirePlayer
from gamehost.wires.base import Wire
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.process import ROOT
from tests.kit.sources import read_sources

#: Tokens that an entry point of these tests names.
STORE = evolve(TOY_WIRE, name="store")
BAD_NAME = evolve(TOY_WIRE, name="Toy_Wire")
STOLEN = evolve(TOY_WIRE, name="onitama")
NEWER = evolve(TOY_WIRE, api=2)
LIMITS = evolve(TOY_WIRE, name="limits")
FLAG = evolve(TOY_WIRE, flags=("grace",), options={"grace": "yes or no"})
LOST_VALUE = evolve(TOY_WIRE, values=("loud",))
LOST_FLAG = evolve(TOY_WIRE, flags=("loud",))
TAKEN_FLAG = evolve(TOY_WIRE, flags=("declaration",), options={"declaration": "yes or no"})
GAME = evolve(TOY_WIRE, games=(evolve(TOY, name="onitama"),))
BAD_GAME = evolve(TOY_WIRE, games=(evolve(TOY, name="the toy"),))
NO_GAME = evolve(TOY_WIRE, games=())
TWO_GAMES = evolve(TOY_WIRE, games=(TOY, evolve(TOY, name="other")))
NO_WIRE = 7


class Trap:
    """A module that tries to end the process while it is imported."""

    @property
    def wire(self) -> Any:
        raise SystemExit("planted\nin two lines")


TRAP = Trap()


def entry(name: str, token: str, module: str = "tests.test_plugins") -> EntryPoint:
    return EntryPoint(name, f"{module}:{token}", GROUP)


class FindTests(SynchronousTestCase):
    def found(self, *entries: EntryPoint) -> Registry:
        return find_wires(entries)

    def test_the_host_s_own(self) -> None:
        """In the order of their ports. A checkout that was installed as an earlier version has entry points for them."""
        ports = [int(wire.endpoint.split(":")[1]) for wire in WIRES]
        self.assertEqual(ports, sorted(ports))
        names = [name for wire in WIRES for name in (wire.name, *wire.flags, *wire.values)]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(self.found(entry("onitama", "WIRE", "gamehost.wires.onitama.conversation")), find_wires([]))
        self.assertEqual(set(GAMES), {"stratego", "eriantys", "onitama", "paper-soccer", "remote"})

    def test_a_wire_of_another_package(self) -> None:
        registry = self.found(entry("toy", "TOY_WIRE"))
        self.assertEqual((registry.own, registry.others, registry.rejected), (WIRES, (TOY_WIRE,), ()))
        self.assertIs(registry.games["toy"], TOY)
        self.assertEqual(registry.default_endpoints(TOY_WIRE), [])
        self.assertEqual([registry.default_endpoints(wire) for wire in WIRES], [[wire.endpoint] for wire in WIRES])

    def test_a_wire_of_several_games(self) -> None:
        registry = self.found(entry("toy", "TWO_GAMES"))
        self.assertEqual([game.name for game in TWO_GAMES.games], ["toy", "other"])
        for game in TWO_GAMES.games:
            self.assertIs(registry.games[game.name], game)

    def test_what_a_wire_brings_for_commands(self) -> None:
        for name in offered(CHECKS):
            judges = judges_of(name)
            assert judges is not None
            self.assertEqual(judges.clients.wire, name)
            if judges.servers is not None:
                self.assertEqual(judges.servers.wire, name)
        for name in offered(CLIENTS):
            client = client_of(name)
            assert client is not None
            if client.player is not None:
                self.assertIsInstance(client.player("ann", "secret", None, "onitama"), WirePlayer)
        self.assertRaises(ModuleNotFoundError, imported("gamehost.no_such_module:NAME"))

    def test_what_is_imported_later_is_there(self) -> None:
        """A client of a wire never meets an import that fails."""
        places = [
            place for text in read_sources("gamehost").values() for place in re.findall(r'imported\(\s*"(.+?)"', text)
        ]
        self.assertGreater(len(places), 10)
        for place in places:
            resolve_name(place)

    def test_what_cannot_be_used_is_left_out_with_its_reason(self) -> None:
        for name, token, words in (
            ("toy", "TRAP.wire", "tests.test_plugins:TRAP.wire cannot be imported: SystemExit: planted in two lines"),
            ("toy", "MISSING", "cannot be imported: AttributeError: "),
            ("toy", "NO_WIRE", "is a int; expected a gamehost.wires.base.Wire"),
            ("toy", "NEWER", "it was written for version 2 of the plug-in interface; this host has version 1"),
            ("game", "TOY_WIRE", "the entry point is called 'game' and its wire 'toy'; expected the same name"),
            ("store", "STORE", "--store is an option of the host; expected another name"),
            ("Toy_Wire", "BAD_NAME", "'Toy_Wire' is not a name for an option; expected a lower-case letter, then"),
            ("onitama", "STOLEN", "--onitama is an option of another wire; expected another name"),
            ("limits", "LIMITS", "settings that begin with 'limits.' or 'web.' are the host's"),
            ("toy", "FLAG", "--grace is an option of the host; expected another name"),
            ("toy", "LOST_VALUE", "its flag 'loud' is not among its options"),
            ("toy", "LOST_FLAG", "its flag 'loud' is not among its options"),
            ("toy", "TAKEN_FLAG", "--declaration is an option of another wire; expected another name"),
            ("toy", "GAME", "another game is called 'onitama'; expected another name"),
            ("toy", "NO_GAME", "it serves no game"),
            ("toy", "BAD_GAME", "'the toy' is not a name for a game; expected a lower-case letter, then"),
        ):
            registry = self.found(entry(name, token))
            self.assertEqual((registry.own, registry.others), (WIRES, ()), token)
            [rejected] = registry.rejected
            self.assertIn(words, rejected.reason)
            self.assertTrue(str(rejected).startswith(f"the wire {name!r} of tests.test_plugins:{token} is left out: "))
            self.assertNotIn("\n", str(rejected))

    def test_a_module_that_is_not_there(self) -> None:
        [rejected] = self.found(entry("toy", "WIRE", "no_such_module_of_gamehost")).rejected
        self.assertIn("ModuleNotFoundError: No module named 'no_such_module_of_gamehost'", rejected.reason)

    def test_two_packages_with_one_name(self) -> None:
        registry = self.found(entry("toy", "TOY_WIRE"), entry("toy", "TOY_WIRE", "tests.kit.example_game"))
        self.assertEqual(registry.others, (TOY_WIRE,))
        self.assertIn("--toy is an option of another wire", registry.rejected[0].reason)


class ListsTests(SynchronousTestCase):
    """The places that list all wires or all games by hand list those that there are."""

    def read(self, name: str) -> str:
        return (ROOT / name).read_text("utf-8")

    def test_readme(self) -> None:
        rows = re.findall(r"^`([a-z-]+) <docs/(.*)>`_ .* (\d+)$", self.read("README.rst"), re.M)
        expected = [(wire.name, _page(wire), wire.endpoint.split(":")[1]) for wire in WIRES]
        self.assertEqual(rows, expected)
        pages = set(re.findall(r"<docs/games/([a-z-]+)\.rst>", self.read("README.rst")))
        self.assertEqual(pages, set(GAMES))

    def test_documentation(self) -> None:
        index = self.read("docs/index.rst")
        pages = {_page(wire) for wire in WIRES}
        for folder, named in (
            ("wires", pages),
            ("extras/dialects", pages),
            ("games", {f"games/{name}.rst" for name in GAMES}),
        ):
            names = {Path(page).stem for page in named if str(Path(page).parent) == folder}
            self.assertEqual(set(re.findall(rf"^   {folder}/([a-z-]+)$", index, re.M)), names)
            self.assertEqual({path.stem for path in (ROOT / "docs" / folder).glob("*.rst")}, names)
        for wire in WIRES:
            self.assertIn(f"   {_page(wire).removesuffix('.rst')}\n", index)

    def test_image(self) -> None:
        text = self.read("contrib/Dockerfile")
        [command] = re.findall(r"^CMD \[(.*)\]$", text, re.M)
        ports = {wire.name: int(wire.endpoint.split(":")[1]) for wire in WIRES}
        options = ['"--web=tcp:8080"', *(f'"--{name}=tcp:{port}"' for name, port in ports.items())]
        self.assertEqual(command, ", ".join(options))
        # The port of one wire is far away from the others: its published clients suggest it.
        *row, last = sorted(ports.values())
        self.assertEqual(row, list(range(row[0], row[-1] + 1)))
        self.assertIn(f"EXPOSE 8080 {row[0]}-{row[-1]} {last}\n", text)
        self.assertIn(
            f"--publish 8080:8080 --publish {row[0]}-{row[-1]}:{row[0]}-{row[-1]} --publish {last}:{last} ", text
        )

    def test_fuzzing(self) -> None:
        [names] = re.findall(r"^FUZZED = \$\(or \$\(WIRES\),(.*)\)$", self.read("Makefile"), re.M)
        self.assertEqual(set(names.split()), {wire.name for wire in WIRES})

    def test_help(self) -> None:
        text = " ".join(Options().getUsage().split())
        for wire in WIRES:
            self.assertIn(f"--{wire.name}=", text)
            self.assertIn(f"[default: {wire.endpoint}]", text)


def _page(wire: Wire[Any]) -> str:
    """Where a wire is documented. What people type is no page for programmers."""
    if wire.for_people:
        return f"{wire.name}.rst"
    is_extra = (ROOT / "gamehost/extras/dialects" / wire.name.replace("-", "_")).is_dir()
    return f"{'extras/dialects' if is_extra else 'wires'}/{wire.name}.rst"
