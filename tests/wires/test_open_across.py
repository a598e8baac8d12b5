"""Matches between the open wire and each documented wire of the same game, to the end, in both orders."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Seat
from gamehost.journal.records import TableId
from gamehost.plugins import GAMES, WIRES
from gamehost.tables.table import Table
from tests.games import test_onitama_master as onitama
from tests.games import test_paper_soccer_master as paper_soccer
from tests.games import test_stratego_master as stratego
from tests.kit.games.eriantys_player import any_action
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.model_clients.base import ModelClient

#: Who may act, and a legal action, by the name of the game.
LEGAL: Mapping[str, Callable[[Any, random.Random], Any]] = {
    "onitama": lambda master, rng: onitama.MasterTests().legal(master, rng),
    "paper-soccer": lambda master, rng: paper_soccer.ContractTests.legal(None, master, rng),  # type: ignore[arg-type]
    "stratego": lambda master, rng: stratego.MasterTests.legal(None, master, rng),  # type: ignore[arg-type]
    "eriantys": any_action,
}
SETTINGS = {"onitama.max_plies": "60", "stratego.max_plies": "60", "limits.unlimited": "yes"}
STEPS = 5_000


def message(**keys: Any) -> str:
    """A client's message on the open wire."""
    return json.encode(keys).decode()


class Match:
    """
    Ann on the open wire, Bob on another one.

    :param first: whether Ann comes first
    """

    def __init__(self, wire: str, game: str, first: bool, seed: int) -> None:
        self.rng = random.Random(seed)
        self.host = MemoryHost(SETTINGS, rng=random.Random(seed).randrange)
        self.game = GAMES[game]
        self.told: list[dict[str, Any]] = []
        self.model: ModelClient = MODEL_CLIENTS[wire]("bob")
        self.bob: Client | None = None
        self.ann = self.host.connect("open")
        if not first:
            self.come(wire)
            if game == "eriantys":
                self.say('{"type":"SetGame","numberOfPlayers":2,"expertMode":false}')
        self.ann.say(message(do="enter", name="ann"), message(do="seek", game=game))
        if first:
            self.come(wire)
            if game == "eriantys":
                self.say('{"type":"JoinAvailableGame","gameId":1}')
        self.table: Table[Any, Any] = self.host.lobby.tables[TableId(1)]

    def come(self, wire: str) -> None:
        """Bob logs in."""
        self.bob = self.host.connect(wire, "192.0.2.2")
        self.model.connected()
        self.say(*self.model.log_in())

    def say(self, *lines: str) -> None:
        """Bob says something, hears what comes of it, and replies."""
        assert self.bob is not None
        if lines:
            self.bob.say(*lines)
        for line in self.bob.heard():
            self.model.hear(line)
        replies = self.model.replies(self.rng)
        if replies:
            self.say(*replies)

    def play(self) -> None:
        """To the end: Ann by the rules, Bob by what he is told."""
        master: Any = self.table._master
        for number in range(STEPS):
            self.told += map(json.decode, self.ann.heard())
            if self.host.lobby.tables.get(TableId(1)) is not self.table:
                break
            found = LEGAL[self.game.name](master, self.rng)
            if found is not None and self.table.names[found[0]] == "ann":
                action = self.game.write(found[1]).decode()
                self.ann.say(message(do="act", table=1, action=action, id=number))
            self.say()
            if self.host.lobby.tables.get(TableId(1)) is self.table:
                self.say(*self.model.move(self.rng))
            self.host.wait(0.01)
        self.told += map(json.decode, self.ann.heard())


class AcrossTests(SynchronousTestCase):
    """Each documented wire."""

    def check(self, wire: str, game: str, first: bool) -> None:
        """Both are told the same match, and its end."""
        match = Match(wire, game, first, seed=7)
        match.play()
        where = f"{wire}, the open wire {'first' if first else 'second'}"
        result = match.table._master.result
        assert result is not None, f"{where}: no end"
        self.assertIs(result.cause, Cause.RULES, where)
        kinds = [told["is"] for told in match.told]
        self.assertEqual(kinds[-1], "over", where)
        self.assertNotIn("refused", kinds, where)
        self.assertEqual(match.told[-1]["winners"], list(result.winners), where)
        seated = match.told[kinds.index("seated")]
        self.assertEqual((seated["game"], seated["names"], seated["wires"]), self.seats(wire, game, first), where)
        numbers = [told["n"] for told in match.told if told["is"] in ("event", "over")]
        self.assertEqual(numbers, sorted(numbers), where)
        self.assertEqual(numbers[-1], match.table.n, where)
        session = match.host.lobby.registry.get("bob")
        self.assertTrue(session is None or session.table is None, f"{where}: bob was not told the end")
        self.assertEqual(seated["seat"], Seat(0 if first else 1), where)

    def seats(self, wire: str, game: str, first: bool) -> tuple[str, list[str], list[str]]:
        """What `seated` says."""
        names, wires = ["ann", "bob"], ["open", wire]
        return (game, names, wires) if first else (game, names[::-1], wires[::-1])

    def test_every_documented_wire(self) -> None:
        """
        One player there, and one on the open wire; the first to come has the first seat. The wire of Java objects has no
        lines; `test_eriantys_java_games` plays across.
        """
        documented = [(wire.name, wire.games[0].name) for wire in WIRES if wire.name not in ("open", "eriantys-java")]
        self.assertEqual({game for _, game in documented}, set(LEGAL))
        for wire, game in documented:
            for first in (True, False):
                self.check(wire, game, first)
