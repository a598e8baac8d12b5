"""Advice in matches against house players: from a level above the opponent's, on the open wire, for one's own seat alone."""

from typing import Any

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import JournalledChance, Seat
from gamehost.games.installed import installed, part
from gamehost.lobby import advice as advising
from gamehost.lobby.advice import ADVISER, BELOW, SECONDS, Advice, AdviceQuestion, answer_of, question_of, refusal
from gamehost.lobby.questions import NotAnswered
from gamehost.players.base import Level, SeededChance, Thinking
from gamehost.testing.memory_host import Client
from tests.kit.memory_host import MemoryHost
from tests.kit.players import GAMES, NotedPrograms, house_host
from tests.kit.wires.open import line

LEVELS = list(Level)


class LevelTests(SynchronousTestCase):
    def test_it_comes_from_a_level_above_the_opponents(self) -> None:
        for level in Level:
            if refusal(f"{level}.7") is None:
                self.assertGreater(LEVELS.index(ADVISER), LEVELS.index(level))
            else:
                self.assertNotIn(level, BELOW)
        self.assertIsNone(refusal("easy.1"))  # the opponent of the guided game

    def test_people_get_none_against_people(self) -> None:
        self.assertIn("only in matches against house players", str(refusal("")))

    def test_its_time_bounds_what_no_effort_bounds(self) -> None:
        now = 7.0
        thinking = Thinking(SeededChance(1), lambda: now, ends=now + SECONDS)
        self.assertLessEqual(thinking.whole_budget(6_000, 0.7).seconds, SECONDS + 1e-9)
        self.assertLessEqual(thinking.budget(6_000, 1.0).seconds, SECONDS + 1e-9)


class GameTests(SynchronousTestCase):
    def advised(self, name: str) -> Advice:
        """The advice at the beginning of a match."""
        game = installed().games[name]
        master = game.new_master(2, {}, JournalledChance(SeededChance(1).below))
        told = master.begin(0)
        public = [to.event for to in told if to.audience is None]
        for seat in (Seat(0), Seat(1)):
            view = master.view(seat)
            if game.random_action(view, seat, lambda below: 0) is not None:
                question = question_of(game, seat, view, public)
                found = answer_of(json.decode(question, type=AdviceQuestion), game, 1, 0.05, None)
                master.act(seat, game.read(found.actions[0].encode()), 0)  # it is legal
                return found
        raise AssertionError("nobody has anything to do")

    def test_every_game_says_why(self) -> None:
        for name in GAMES:
            found = self.advised(name)
            self.assertNotEqual(found.because, advising._NO_REASON, name)
            self.assertRegex(found.because, r"^[A-Z][^.]{8,110}\.$")
            self.assertIsNotNone(part(installed().games[name], "advice", "because"))


class WireTests(SynchronousTestCase):
    def match(self, **more: str) -> tuple[MemoryHost, NotedPrograms, Client]:
        host, programs = house_host()
        ann = host.connect("open")
        ann.send(line(do="enter", name="ann") + line(do="seek", game="onitama", **more))
        host.wait(0.1)
        ann.heard()
        return host, programs, ann

    def told(self, host: MemoryHost, client: Client) -> list[Any]:
        host.wait(0.1)
        return [json.decode(text) for text in client.heard()]

    def test_on_the_open_wire(self) -> None:
        host, programs, ann = self.match(house="easy")
        ann.send(line(do="moves", table=1, advice=True, id=9))
        self.assertEqual(self.told(host, ann), [])
        ann.send(line(do="moves", table=1, id=10))  # the list does not wait for it
        self.assertEqual([one["id"] for one in self.told(host, ann)], [10])
        ann.send(line(do="moves", table=1, advice=True, id=11))
        self.assertIn("wait for", self.told(host, ann)[0]["why"])
        [(question, answer)] = programs.advised
        self.assertEqual(json.decode(question)["view"]["turn"], 0)
        answer.callback(json.encode(Advice(["ox c1 c2"], "It is good.")).decode())
        [moves] = self.told(host, ann)
        self.assertEqual((moves["is"], moves["id"], moves["n"]), ("moves", 9, 1))
        self.assertEqual((moves["advice"], moves["because"]), (["ox c1 c2"], "It is good."))
        ann.send(line(do="moves", table=1, advice=True, id=12))
        self.told(host, ann)
        programs.advised[1][1].errback(NotAnswered("the house players have stopped"))
        self.assertEqual(self.told(host, ann)[0]["id"], 12)
        ann.send(line(do="moves", table=1, advice=True))
        host.wait(0.1)
        ann.drop()
        self.assertEqual(len(programs.advised), 3)

    def test_where_there_is_none(self) -> None:
        host, programs, ann = self.match(house="hard")
        ann.send(line(do="moves", table=1, advice=True, id=9))
        self.assertIn("no house player is stronger", self.told(host, ann)[0]["why"])
        host, programs, ann = self.match()
        bob = host.connect("open")
        bob.send(line(do="enter", name="bob") + line(do="seek", game="onitama"))
        host.wait(0.1)
        ann.heard()
        ann.send(line(do="moves", table=1, advice=True, id=9))
        [refused] = self.told(host, ann)
        self.assertEqual((refused["is"], refused["id"]), ("refused", 9))
        self.assertEqual(programs.advised, [])
