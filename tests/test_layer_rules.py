"""Each check of the package's sources, tried on a few made-up lines that it must refuse."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit import shape
from tests.kit.sources import attributes, circles, cycle
from tests.test_layers import (
    PACKAGE,
    breaches,
    lengthy,
    reaches_through,
    strangers,
    undocumented,
    users_of_the_client,
)


class PlantedTests(SynchronousTestCase):
    """Each check sees what it is there for."""

    def planted(self, name: str, *lines: str) -> list[str]:
        """The breaches of a module of these lines, were it one of the package."""
        return list(breaches({name: "\n".join(lines) + "\n"}, PACKAGE))

    def test_imports(self) -> None:
        """Imports upwards, sideways and outwards are refused, in whatever form they are written."""
        for name, line, imported in (
            ("gamehost.settings", "from gamehost.games.base import Seat", "gamehost.games.base"),
            ("gamehost.games.base", "import gamehost.journal.records", "gamehost.journal.records"),
            ("gamehost.settings", "from gamehost import limits", "gamehost.limits"),
            ("gamehost.wires.framing", "import twisted.internet.defer as defer", "twisted"),
            ("gamehost.limits", "from time import monotonic", "time"),
            ("gamehost.lobby.sessions", "from twisted.logger import Logger", "twisted"),
            ("gamehost.games.onitama.master", "from gamehost.tables.table import Table", "gamehost.tables.table"),
            (
                "gamehost.games.onitama.master",
                "from gamehost.games.stratego import pieces",
                "gamehost.games.stratego.pieces",
            ),
            ("gamehost.games.onitama.master", "import secrets", "secrets"),
            ("gamehost.games.onitama.cards", "if True:\n    from random import choice", "random"),
            ("gamehost.players.onitama", "from gamehost.tables.table import Table", "gamehost.tables.table"),
            ("gamehost.players.base", "from gamehost.limits import Limits", "gamehost.limits"),
            ("gamehost.players.base", "from time import process_time", "time"),
            ("gamehost.tables.table", "def draw():\n    import random", "random"),
            ("gamehost.tables.table", "from gamehost.wires.base import Wire", "gamehost.wires.base"),
            ("gamehost.lobby.lobby", "from gamehost.wires.conversation import Peer", "gamehost.wires.conversation"),
            ("gamehost.storage.memory", "from gamehost.lobby.lobby import Lobby", "gamehost.lobby.lobby"),
            ("gamehost.net.connection", "from gamehost.service import GameHostService", "gamehost.service"),
            ("gamehost.service", "from gamehost import tap", "gamehost.tap"),
            ("gamehost.tap", "import gamehost.__main__", "gamehost.__main__"),
            ("gamehost.__main__", "from gamehost.testing import cases", "gamehost.testing.cases"),
            ("gamehost.testing.cases", "import hypothesis, random, gamehost.tap", None),
            ("gamehost.wires.onitama.codec", "from twisted.logger import Logger", "twisted"),
            (
                "gamehost.wires.onitama.codec",
                "import gamehost.games.onitama.cards",
                "gamehost.games.onitama.cards",
            ),
            ("gamehost.wires.onitama.messages", "from gamehost.games.base import Seat", "gamehost.games.base"),
            ("gamehost.wires.onitama.conversation", "from gamehost.tables.table import Table", None),
            (
                "gamehost.wires.onitama.conversation",
                "from gamehost.net.connection import x",
                "gamehost.net.connection",
            ),
            (
                "gamehost.wires.other.conversation",
                "import gamehost.wires.onitama.codec",
                "gamehost.wires.onitama.codec",
            ),
        ):
            expected = [] if imported is None else [f"{name} imports {imported}"]
            self.assertEqual(self.planted(name, '"""Rule."""', line), expected)

    def test_for_types_counts_too(self) -> None:
        """Knowing somebody for the type checker alone is knowing them."""
        lines = ("from typing import TYPE_CHECKING", "if TYPE_CHECKING:", "    from gamehost.tables.table import Table")
        self.assertEqual(
            self.planted("gamehost.games.base", *lines), ["gamehost.games.base imports gamehost.tables.table"]
        )

    def test_other_forms(self) -> None:
        """A relative import, a module without a layer, and a reactor at the top or elsewhere are refused."""
        self.assertEqual(
            self.planted("gamehost.service", "from . import lobby"), ["gamehost.service imports by a relative name"]
        )
        self.assertEqual(self.planted("gamehost.cellar", "import re"), ["gamehost.cellar has no layer"])
        for line in ("from twisted.internet import reactor", "import twisted.internet.reactor"):
            self.assertEqual(self.planted("gamehost.tap", line), ["gamehost.tap imports the reactor"])
            self.assertEqual(self.planted("gamehost.tap", "def make():", "    " + line), [])
            self.assertEqual(
                self.planted("gamehost.service", "def make():", "    " + line), ["gamehost.service imports the reactor"]
            )

    def test_two_games(self) -> None:
        """A wire that imports a second game is seen."""
        more = {"gamehost.wires.onitama.more": "from gamehost.games.stratego.pieces import BOX\n"}
        [words] = strangers({**PACKAGE, **more})
        self.assertEqual(words, "gamehost.wires.onitama knows gamehost.games.onitama, gamehost.games.stratego")

    def test_chains(self) -> None:
        """A look into the lobby is seen, a call of it is not."""
        name = "gamehost.wires.other.conversation"
        for line, chain in (
            ("x = self.lobby.context.grace", "self.lobby.context.grace"),
            ("lobby.tables.get(3)", "lobby.tables.get"),
        ):
            self.assertEqual(list(reaches_through({name: line})), [f"{name} reaches through {chain}"])
        self.assertEqual(list(reaches_through({name: "self.lobby.play(a)"})), [])

    def test_users_of_the_client(self) -> None:
        """The host must not use the client library; a program may."""
        line = "from gamehost.client.core import ClientCore"
        found = list(users_of_the_client({"gamehost.service": line, "gamehost.programs.open": line}))
        self.assertEqual(found, ["gamehost.service uses gamehost.client.core"])

    def test_cycles(self) -> None:
        """A circle of imports is seen; one that is only for types, or within functions, is none."""
        here, there = "from gamehost import b\n", "import gamehost.a\n"
        self.assertEqual(cycle({"gamehost.a": here, "gamehost.b": there}), ["gamehost.a", "gamehost.b", "gamehost.a"])
        for harmless in ("if TYPE_CHECKING:\n    " + there, "def late():\n    " + there):
            self.assertEqual(cycle({"gamehost.a": here, "gamehost.b": harmless}), [])

    def test_circles(self) -> None:
        """Every import counts for a circle, and a group of modules is one circle, however many ways go around in it."""
        here = "from gamehost import b\n"
        for text in ("if TYPE_CHECKING:\n    import gamehost.a\n", "def late():\n    import gamehost.a\n"):
            found = circles({"gamehost.a": here, "gamehost.b": text, "gamehost.c": here})
            self.assertEqual(found, [["gamehost.a", "gamehost.b", "gamehost.a"]])
        both = {"gamehost.a": "from gamehost import b, c\n", "gamehost.b": "import gamehost.a\n"}
        found = circles({**both, "gamehost.c": "import gamehost.a, gamehost.b\n"})
        self.assertEqual(found, [["gamehost.a", "gamehost.b", "gamehost.a"]])

    def test_figures(self) -> None:
        """Each figure of the shape counts what it names."""
        sources = {
            "gamehost.a": "from gamehost import b\nclass A:\n    def f(self):\n        return 1\n",
            "gamehost.b": "from gamehost import c\ndef f(a, b):\n    return g(a, b)\n",
            "gamehost.c": "def f(a):\n    g(a, 1)\nclass B:\n    def f(self): ...\n    def g(self): ...\n",
        }
        self.assertEqual(shape.floors(sources), 3)
        self.assertEqual([*shape.with_one_method(sources)], ["gamehost.a.A"])
        self.assertEqual([*shape.forwarders(sources)], ["gamehost.b.f"])
        folders = shape.folders_of("chess", {"gamehost.games.chess.master": "", "gamehost.web.chess": ""})
        self.assertEqual(folders, {"gamehost.games.chess": 1, "gamehost.web": 1})

    def test_uses(self) -> None:
        """Writing to a transport and setting a timer are seen in every form; writing to something else is not that."""
        text = (
            "self.transport.write(b'')\ntransport.write(b'')\nself.write(b'')\ngame.write(a)\nput = transport.write\n"
        )
        self.assertEqual(attributes(text, "write", "transport"), 3)
        self.assertEqual(attributes("a.callLater(1, f)\nlater = reactor().callLater\ncallLater\n", "callLater"), 2)

    def test_too_long(self) -> None:
        """A line too much is seen, in a file and in a function wherever it stands."""
        self.assertEqual(list(lengthy({"a": "x\n" * 800})), [])
        self.assertEqual(list(lengthy({"a": "x\n" * 801})), ["a has 801 lines"])
        for define in ("def f():\n", "async def f():\n", "class A:\n  def f():\n", "if x:\n  @g\n  def f():\n"):
            self.assertEqual(list(lengthy({"a": define + "    x\n" * 49})), [])
            self.assertEqual(list(lengthy({"a": define + "    x\n" * 50})), ["a.f has 51 lines"])

    def test_no_docstring(self) -> None:
        """A module without its rule is seen; an empty one has none to say."""
        found = list(undocumented({"a": "import re\n", "b": "", "c": '"""Rule."""\n'}))
        self.assertEqual(found, ["a has no docstring"])
