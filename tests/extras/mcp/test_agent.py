"""
The tools of a model, without the SDK: whole matches at a host in memory, lost connections, bounds, and secrets.

`make check-mcp` plays over sockets with the SDK's own client, and looks at more positions (`GAMEHOST_POSITIONS`).
"""

import json
import os
import random
import re
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import ClientCore
from gamehost.extras.mcp import texts
from gamehost.extras.mcp.agent import WITHIN, Agent, Call, Steps, ToolRefused
from gamehost.extras.mcp.command import parser
from gamehost.games.base import Game, HasSteps, Seat
from gamehost.games.installed import installed
from gamehost.games.play import messages_of, screen_of, seats_to_act
from gamehost.games.screen import Screen
from gamehost.players.base import SeededChance
from gamehost.wires.open import messages as m
from gamehost.wires.open.conversation import WIRE
from tests.kit.memory_host import MemoryHost
from tests.kit.pages import blocks
from tests.kit.plugin_games import GOMOKU, KUHN
from tests.kit.wires.open import DEAL, KEYS, Player

POSITIONS = int(os.environ.get("GAMEHOST_POSITIONS", "25"))
#: The actions of a match that is not played to its end.
SOME = 30


class ModelPlayer(Player):
    """A model with a connection of its own."""

    def __init__(self, world: MemoryHost, name: str, key: str = "") -> None:
        super().__init__(world, name, lambda player, message: self.agent.hear(message))
        self.core = ClientCore(m.Enter(name, key or UNSET, agent=True), lambda: 0.5)
        self.key = key
        self.agent = Agent(self.core, self._keep, random.Random(1).randrange)

    def _keep(self, key: str) -> None:
        self.key = key


class AgentCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = MemoryHost({"limits.unlimited": "yes", **DEAL}, wires=(WIRE,), rng=lambda n: next(KEYS) % n)
        self.players: list[ModelPlayer] = []

    def come(self, *names: str) -> list[ModelPlayer]:
        come = [ModelPlayer(self.world, name) for name in names]
        for player in come:
            player.connect()
        self.players += come
        self.exchange()
        return come

    def exchange(self) -> None:
        while any([player.exchange() for player in self.players]):
            pass

    def call(self, player: ModelPlayer, steps: Steps, seconds: float = WITHIN) -> str | None:
        """The answer of a tool, within so many seconds of the host's clock."""
        call = Call(player.agent, steps, self.world.clock.seconds())
        until = self.world.clock.seconds() + seconds
        while (answer := call.answer(self.world.clock.seconds())) is None:
            self.exchange()
            if (answer := call.answer(self.world.clock.seconds())) is not None:
                return answer
            if self.world.clock.seconds() >= until:
                return None
            self.world.wait(0.5)
        return answer

    def refused(self, player: ModelPlayer, steps: Steps) -> str:
        return str(self.assertRaises(ToolRefused, self.call, player, steps))

    def seated(self, game: str = "onitama") -> tuple[ModelPlayer, ModelPlayer]:
        """Two models at a table; the first one moves first."""
        ann, bob = self.come("ann", "bob")
        self.call(ann, ann.agent.seek(game), 0)
        state = self.call(bob, bob.agent.seek(game))
        self.assertIn(f"Table 1: {game}. You are bob (seat 1), against ann.", state or "")
        self.exchange()
        return ann, bob


class MatchTests(AgentCase):
    def play(self, game: str, most: int) -> int:
        """Two models play at random while connections are lost; how many moves they have made."""
        players, luck, made = self.seated(game), random.Random(2), 0
        while made < most and not players[0].agent.match.over:  # type: ignore[union-attr]
            for player in players:
                agent = player.agent
                assert agent.match is not None
                if luck.random() < 0.05:
                    player.drop()
                    player.connect()
                    self.exchange()
                if not agent.match.over and agent.match.screen.turn:
                    move = self.call(player, agent.random_move())
                    state = self.call(player, agent.move(move or "")) or ""
                    self.assertTrue(state.startswith("Table 1: "), state)
                    self.assertLessEqual(len(state), texts.MOST)
                    made += 1
                    self.exchange()
        return made

    def test_each_game(self) -> None:
        for game in installed().games:
            self.setUp()
            made = self.play(game, 400 if game in ("onitama", "paper-soccer") else SOME)
            for player in self.players:
                state = self.call(player, player.agent.wait_for_turn()) or ""
                over = game in ("onitama", "paper-soccer")
                self.assertEqual("The match is over: " in state, over, state)
            self.assertGreater(made, 4)

    def test_moves_of_several_steps(self) -> None:
        players = self.seated("paper-soccer")
        [first] = [one for one in players if one.agent.match and one.agent.match.screen.turn]
        [other] = [one for one in players if one is not first]
        self.assertRegex(self.call(first, first.agent.state()) or "", r"Moves \(8\): (-?[01],-?[01](, |$)){8}")
        self.assertIn("whole", self.refused(first, first.agent.continue_move("1,1")))
        self.assertIn("expected", self.refused(first, first.agent.continue_move("north")))
        self.assertIn("not your turn", self.refused(other, other.agent.continue_move("1,1")))
        for way in ("1,1", "0,1"):
            self.call(first, first.agent.move(way))
            first, other = other, first
            self.exchange()
        state = self.call(first, first.agent.state()) or ""
        self.assertRegex(state, r"Moves \(6\): .*\nTo go on with, by continue_move \(1\): 0,0$")
        self.assertRegex(self.call(first, first.agent.continue_move("0,0")) or "", r"Moves \(6\): 0,0 ")

    def test_a_refusal_says_why(self) -> None:
        ann, bob = self.seated()
        self.assertIn("It is not your turn", self.refused(bob, bob.agent.move("boar c5 c4")))
        self.assertIn("ox", self.refused(ann, ann.agent.move("tiger a1 a5")))
        self.assertIn("a match goes on at table 1", self.refused(ann, ann.agent.join(7)))
        # The words are the host's, where it is the host that refuses.
        self.assertEqual(self.refused(ann, _as_tool(ann.agent._act("boar a1 a5"))), "that card does not lead there")
        self.assertIn("onitama", self.refused(bob, bob.agent.rules("chess")))
        self.call(ann, ann.agent.resign())
        self.exchange()
        self.assertIn("is over", self.refused(bob, bob.agent.move("boar c5 c4")))
        self.assertIn("expected", self.refused(bob, bob.agent.seek("onitama", settings={"move_time": "soon"})))
        self.assertIn("no table of this number", self.refused(bob, bob.agent.join(9)))

    def test_several_calls_at_once(self) -> None:
        ann, _ = self.seated()
        agent, now = ann.agent, self.world.clock.seconds()
        tools = [agent.state(), agent.move("boar a1 a2"), agent.move("ox b1 b2"), agent.wait_for_turn()]
        calls = [Call(agent, steps, now) for steps in tools]
        answers: list[str] = []
        for _ in range(4):
            for call in list(calls):
                try:
                    answer = call.answer(now)
                except ToolRefused as refusal:
                    answer = str(refusal)
                if answer is not None:
                    answers.append(answer)
                    calls.remove(call)
            self.exchange()
        self.assertEqual([one for one in answers if not one.startswith("Table 1: ")], ["it is the other player's turn"])
        self.assertEqual((len(answers), calls), (4, []))


class PageTests(AgentCase):
    def test_the_game_of_the_page(self) -> None:
        """The answers to the calls of ann, while bob plays."""
        ann, bob = self.come("ann", "bob")
        replies = iter((bob.agent.seek("onitama"), bob.agent.move("crab c5 c4")))
        [page] = [one.text for one in blocks("docs/extras/mcp/models.rst") if one.first.startswith("> ")]
        told = ""
        for line in re.findall("^> .*", page, re.MULTILINE):
            _, tool, arguments = line.split(" ", 2)
            call = Call(ann.agent, getattr(ann.agent, tool)(**json.loads(arguments)), 0.0)
            answer = None
            while (answer := answer or call.answer(0.0)) is None:
                self.exchange()
                if "other players" in call.waits:
                    self.call(bob, next(replies))
            told += f"{line}\n{answer}\n\n"
            if "bob is to move" in answer:
                self.call(bob, next(replies))
        self.assertIn("The match is over: ann won", told)
        self.assertRegex(told, re.escape(page.rstrip("\n")).replace(re.escape("\n...\n"), "\n(?:.*\n)+?") + r"\s*$")

    def test_the_configuration_of_the_page(self) -> None:
        [block] = [one for one in blocks("docs/extras/mcp/models.rst") if one.first.startswith("{")]
        [server] = json.loads(block.text)["mcpServers"].values()
        verb, *words = server["args"]
        self.assertEqual((verb, parser().parse_args(words).name), ("mcp", "model"))
        self.assertEqual(len(block.text.strip().splitlines()), 3)


def _as_tool(steps: Any) -> Steps:
    yield from steps
    return ""


class TroubleTests(AgentCase):
    def test_nobody_comes(self) -> None:
        [ann] = self.come("ann")
        began = self.world.clock.seconds()
        answer = self.call(ann, ann.agent.seek("onitama", private=True)) or ""
        self.assertRegex(answer, r"Not yet, call again: waiting .*: 1 of 2 .* join table 1 and the code \w+")
        self.assertLessEqual(self.world.clock.seconds() - began, WITHIN)
        self.assertIn("for another match", self.refused(ann, ann.agent.seek("stratego")))
        code = answer.rpartition("code ")[2].rstrip(".")
        [bob] = self.come("bob")
        self.assertIn("against ann", self.call(bob, bob.agent.join(1, code)) or "")
        self.assertIn("against bob", self.call(ann, ann.agent.wait_for_turn()) or "")

    def test_wait_no_longer(self) -> None:
        [ann] = self.come("ann")
        self.call(ann, ann.agent.seek("onitama"), 0)
        self.assertIn("No match yet", self.call(ann, ann.agent.state()) or "")
        self.assertEqual(self.call(ann, ann.agent.resign()), "You wait no longer.")
        self.assertIn("call seek or join", self.refused(ann, ann.agent.state()))

    def test_the_host_is_away(self) -> None:
        ann, bob = self.seated()
        ann.drop()
        began = self.world.clock.seconds()
        self.assertIn("last.\nTable 1: ", self.call(ann, ann.agent.state()) or "")
        self.assertEqual(
            self.refused(ann, ann.agent.wait_for_turn()), "not yet, call again: the host is not there (dropped)"
        )
        self.assertEqual(self.world.clock.seconds() - began, WITHIN)
        ann.connect()
        self.assertIn("Table 1: ", self.call(ann, ann.agent.wait_for_turn()) or "")
        self.assertIn("ann has lost the connection. ann is back.", self.call(bob, bob.agent.state()) or "")

    def test_a_move_during_a_loss(self) -> None:
        """It has been heard, but the answer is lost."""
        ann, _ = self.seated()
        call = Call(ann.agent, ann.agent.move("boar c1 c2"), 0.0)
        self.assertIsNone(call.answer(0.0))
        assert ann._link is not None
        ann._link.send(ann.core.take_output())
        ann.drop()
        self.assertIn(
            "may or may not have been heard; call state", str(self.assertRaises(ToolRefused, call.answer, 0.0))
        )
        ann.connect()
        self.exchange()
        state = self.call(ann, ann.agent.state()) or ""
        self.assertIn("ann played boar c1 c2.", state)
        self.assertIn("bob is to move", state)

    def test_the_seat_back_after_a_restart(self) -> None:
        ann, _ = self.seated()
        self.call(ann, ann.agent.move("boar c1 c2"))
        ann.drop()
        self.players.remove(ann)
        again = ModelPlayer(self.world, "ann", ann.key)
        self.players.append(again)
        again.connect()
        self.assertIn("Last: ann played boar c1 c2.", self.call(again, again.agent.state()) or "")

    def test_an_end_that_was_missed(self) -> None:
        ann, bob = self.seated()
        ann.drop()
        self.call(bob, bob.agent.resign())
        ann.connect()
        self.exchange()
        self.assertIn("The match is over: ann won", self.call(ann, ann.agent.state()) or "")

    def test_every_tool_says_why_nothing_comes_any_more(self) -> None:
        ann, _ = self.seated()
        ann.agent.end("a fault of this program")
        for steps in (ann.agent.state(), ann.agent.move("boar c1 c2"), ann.agent.list_games()):
            self.assertEqual(self.refused(ann, steps), "a fault of this program")

    def test_a_name_that_is_taken(self) -> None:
        self.come("ann")
        [other] = self.come("ann")
        self.assertIn("in use", self.refused(other, other.agent.list_games()))


def positions(game: Game[Any, Any], count: int, seats: int = 2, **settings: str) -> Iterator[tuple[Any, Seat]]:
    """Masters of random matches, and a seat that is to act."""
    for seed in range(count):
        luck = random.Random(seed)
        master = game.new_master(seats, settings, SeededChance(seed))
        master.begin(0)
        while acting := seats_to_act(game, master, seats):
            if count <= 0:
                return
            count -= 1
            yield master, acting[0]
            action = game.random_action(master.view(acting[0]), acting[0], luck.randrange)
            master.act(acting[0], action, 0)


class TextTests(SynchronousTestCase):
    def screen(self, game: Game[Any, Any], master: Any, seat: Seat, seats: int = 2) -> Screen[Any]:
        """What a seat knows by messages alone."""
        messages = messages_of(game)
        assert messages is not None
        screen = screen_of(game)(seat, ["ann", "bob", "carla", "dieter"][:seats])
        screen.show(messages.read_view(messages.view(master.view(seat)), seat))
        return screen

    def test_what_a_seat_cannot_know_changes_nothing(self) -> None:
        for game in (*installed().games.values(), KUHN):
            for number, (master, seat) in enumerate(positions(game, POSITIONS)):
                screen = self.screen(game, master, seat)
                other = game.determinized(master.view(seat), seat, SeededChance(number))  # type: ignore[attr-defined]
                same = self.screen(game, other, seat)
                self.assertEqual(texts.state_text(1, screen, ()), texts.state_text(1, same, ()), game.name)
                self.assertEqual(texts.moves_text(screen), texts.moves_text(same), game.name)

    def test_a_state_is_short_and_whole(self) -> None:
        """At most 1,350 characters, with the last event and at least one move; nothing of a board is cut."""
        told = [f"Somebody played something {number}." for number in range(20)]
        trials: list[tuple[Game[Any, Any], int, dict[str, str]]] = [
            (game, 2, {}) for game in installed().games.values()
        ]
        eriantys = installed().games["eriantys"]
        for game, seats, settings in [*trials, (eriantys, 3, {"expert": "yes"}), (eriantys, 4, {"expert": "yes"})]:
            for master, seat in positions(game, POSITIONS, seats, **settings):
                text = texts.state_text(12_345, self.screen(game, master, seat, seats), told)
                self.assertLessEqual(len(text), texts.MOST)
                self.assertIn("something 19.", text)
                self.assertNotIn("\n...", text)
                self.assertRegex(text, r"(Moves|by continue_move) \([0-9]+\): \S")

    def test_long_lists(self) -> None:
        master, seat = next(positions(GOMOKU, 1))
        screen = self.screen(GOMOKU, master, seat)
        self.assertRegex(texts.moves_text(screen), r"Moves \(225\): a1, (\w+, ){59}and 165 more$")
        self.assertLessEqual(len(texts.moves_text(screen, most=100)), 100)

    def test_all_moves_that_are_listed_can_be_made(self) -> None:
        for game in installed().games.values():
            for master, seat in positions(game, 40):
                screen = self.screen(game, master, seat)
                if not isinstance(game, HasSteps):
                    for move in texts.whole_moves(screen):
                        self.assertTrue(screen.read(move), move)

    def test_a_drawing_keeps_its_columns(self) -> None:
        lines = ["   a      b", "   1      2   ", "", "      x"]
        self.assertEqual(list(texts.squeezed(lines)), ["a  b", "1  2", "x"])

    def test_games_and_rules(self) -> None:
        self.assertIn("eriantys: 2 to 4 players\n", texts.games_text(list(installed().games.values())))
        self.assertIn("move_time", texts.rules_text(installed().games["onitama"]))
