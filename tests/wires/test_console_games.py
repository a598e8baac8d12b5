"""Whole games by people who type only what the console suggests, also against every documented wire."""

import random
from collections.abc import Sequence

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause
from gamehost.journal.records import TableId
from gamehost.lobby.house import HouseRules
from gamehost.plugins import GAMES, WIRES
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.model_clients import MODEL_CLIENTS
from tests.kit.model_clients.base import ModelClient
from tests.kit.players import house_host
from tests.kit.wires.console import Person

SETTINGS = {"onitama.max_plies": "40", "stratego.max_plies": "40", "limits.unlimited": "yes"}
STEPS = 5_000


class SuggestionTests(SynchronousTestCase):
    """From the greeting to the end of a match."""

    def played(self, host: MemoryHost, people: Sequence[Person]) -> None:
        """All follow what they read, until all have read the end."""
        for _ in range(STEPS):
            if not any([person.follow() for person in people]):
                break
            host.until_idle()
        for person in people:
            person.look()
            self.assertTrue(person.over, person.seen[-12:])

    def test_who_types_what_is_suggested_plays_to_the_end(self) -> None:
        """Two people who know nothing."""
        host = MemoryHost(SETTINGS, rng=random.Random(1).randrange)
        ann, bob = Person(host), Person(host, "192.0.2.2")
        self.assertEqual(ann.suggested(), "play onitama")
        ann.type("play onitama")
        self.assertEqual(ann.suggested(), "cancel")
        bob.follow()
        self.played(host, [ann, bob])

    def test_a_house_player_is_suggested(self) -> None:
        """Who waits is told that the host plays, and how to begin at once."""
        host, programs = house_host(SETTINGS)
        person = Person(host)
        self.assertEqual(person.suggested(), "play onitama")
        person.follow()
        self.assertEqual(person.suggested(), "play onitama easy")
        person.follow()
        self.assertEqual(programs.called, ["easy.1"])
        self.assertIn("Match 1: Onitama. You play against easy.1.", person.seen)

    def test_without_house_players(self) -> None:
        """They are not suggested, and a refusal keeps the place in the queue."""
        host, _ = house_host(SETTINGS, HouseRules({"stratego": 20.0}))
        person = Person(host)
        person.follow()
        person.type("play onitama easy")
        self.assertIn("There are no house players for onitama.", " ".join(person.seen))
        self.assertEqual(len(host.lobby.spectators.waiting()["onitama"].names), 1)


class AcrossTests(SynchronousTestCase):
    """Ann on the console, Bob on a documented wire, to the end."""

    def bob_says(self, bob: Client, model: ModelClient, rng: random.Random, *lines: str) -> None:
        """Bob says something, hears what comes of it, and replies."""
        bob.say(*lines)
        while True:
            for line in bob.heard():
                model.hear(line)
            replies = model.replies(rng)
            if not replies:
                break
            bob.say(*replies)

    def check(self, wire: str, game: str) -> None:
        """Ann follows what she reads, and Bob what he is told. No move of hers is refused."""
        rng = random.Random(3)
        host = MemoryHost(SETTINGS, rng=random.Random(3).randrange)
        ann, bob, model = Person(host), host.connect(wire, "192.0.2.2"), MODEL_CLIENTS[wire]("bob")
        ann.type("name ann")
        ann.type(f"play {game}")
        self.bob_says(bob, model, rng, *model.log_in())
        if game == "eriantys":
            self.bob_says(bob, model, rng, '{"type":"JoinAvailableGame","gameId":1}')
        table = host.lobby.tables[TableId(1)]
        for _ in range(STEPS):
            ann.follow()
            self.bob_says(bob, model, rng)
            if ann.over or TableId(1) not in host.lobby.tables:
                break
            self.bob_says(bob, model, rng, *model.move(rng))
            host.wait(0.01)
        ann.look()
        self.assertTrue(ann.over, (wire, ann.seen[-12:]))
        result = table._master.result
        assert result is not None
        self.assertIs(result.cause, Cause.RULES, wire)
        [end] = [line for line in ann.seen if ("win" in line and result.why in line) or "is a draw" in line]
        self.assertEqual(end.startswith("You win"), result.winners == (0,), end)
        self.assertFalse([line for line in ann.seen if "not your turn" in line or "is not a move" in line], wire)

    def test_every_documented_wire(self) -> None:
        """All four games. The wire of Java objects has no lines; `test_eriantys_java_games` plays across."""
        others = ("console", "open", "eriantys-java", "litama")
        documented = [(wire.name, wire.games[0].name) for wire in WIRES if wire.name not in others]
        self.assertEqual({game for _, game in documented}, set(GAMES) - {"remote"})
        for wire, game in documented:
            self.check(wire, game)
