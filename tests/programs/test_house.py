"""The process of the house players."""

import io
import json
import re
from collections import deque
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from itertools import pairwise, takewhile
from typing import Any, Self

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import Lost, NotConnected
from gamehost.games.base import Seat
from gamehost.games.onitama.messages import DealtEvent, MovedEvent
from gamehost.games.play import new_player
from gamehost.journal.records import Entry, EntryKind
from gamehost.lobby.studies import Question
from gamehost.players.base import Level
from gamehost.programs.house import Control, HousePlayer
from gamehost.programs.open import OpenProgram
from gamehost.programs.wire_player import LEAST, Match, ThinkingQueue
from gamehost.testing.cases import PropertyCase
from gamehost.wires.open import messages as m
from tests.kit.memory_host import MemoryHost
from tests.kit.players import RULES, HouseProcess
from tests.kit.wires.open import Player, act, exchange_all, line


class ScriptedClient:
    def __init__(self) -> None:
        self.messages: deque[Any] = deque()
        self.waiting: Deferred[Any] | None = None
        self.said: list[Any] = []
        self.closed = self.offline = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        if not self.messages:
            self.waiting = Deferred()
            await self.waiting
        return self.messages.popleft()

    def hear(self, *messages: Any) -> None:
        self.messages.extend(messages)
        if self.waiting is not None:
            waiting, self.waiting = self.waiting, None
            waiting.callback(None)

    def say(self, message: Any) -> None:
        if self.offline:
            raise NotConnected("offline")
        self.said.append(message)

    def close(self) -> Deferred[None]:
        self.closed = True
        return succeed(None)


SEATED = m.Seated(3, "onitama", 1, ["ann", "easy.1"], ["open", "open"], 0)
DEALT = m.Event(3, 1, DealtEvent((["boar", "ox"], ["crab", "eel"]), "tiger"))
MOVED = m.Event(3, 2, MovedEvent(0, "ox", "c1", "c2"))


class HousePlayerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.client = ScriptedClient()
        self.soon: list[Any] = []
        self.gone: list[str] = []
        self.thinking = ThinkingQueue(lambda work, done: done(work()), lambda: 0.0)
        player = HousePlayer("easy.1", Level.EASY, self.client, self.thinking, 1, self.soon.append, self.gone.append)  # type: ignore[arg-type]
        self.playing = Deferred.fromCoroutine(player.play())

    def later(self) -> None:
        soon, self.soon[:] = list(self.soon), []
        for call in soon:
            call()

    def test_a_match(self) -> None:
        self.client.hear(SEATED, DEALT)
        self.later()
        self.assertEqual(self.client.said, [])
        self.client.hear(MOVED)
        self.assertEqual(self.client.said, [], "not before all was heard")
        self.later()
        [act] = self.client.said
        self.assertEqual((act.table, act.id), (3, 1))
        self.client.hear(m.Refused("not now", 1))
        self.later()
        self.assertEqual(len(self.client.said), 2)
        self.client.hear(m.Over(3, 3, [0], "left", "easy.1 has left"))
        self.successResultOf(self.playing)
        self.assertEqual((self.gone, self.client.closed), (["easy.1"], True))

    def test_a_host_that_does_not_want_it(self) -> None:
        self.client.hear(Lost("gone", 0.5))
        self.assertNoResult(self.playing)
        self.client.hear(Lost("no seat is kept for this name", None))
        self.successResultOf(self.playing)
        self.assertEqual(self.gone, ["easy.1"])

    def test_an_answer_without_a_connection(self) -> None:
        """It is dropped: the program comes back to the seat."""
        self.client.hear(SEATED, DEALT, MOVED)
        self.client.offline = True
        self.later()
        self.assertNoResult(self.playing)

    def test_a_fault_of_a_player(self) -> None:
        self.client.hear(SEATED, m.Event(3, 1, MovedEvent(0, "ox", "c1", "c2")))
        self.client.hear(DEALT)
        with redirect_stderr(io.StringIO()) as errors:
            self.client.hear(m.Event(3, 2, MovedEvent(0, "ox", "e5", "c2")))
            self.later()
        self.assertNoResult(self.playing)
        self.assertIn("", errors.getvalue())


class ControlTests(SynchronousTestCase):
    def test_lines(self) -> None:
        reactor: Any = MemoryReactorClock()
        reactor.getThreadPool = lambda: None
        control = Control(reactor)
        control.makeConnection(StringTransport())
        self.addCleanup(control.stop)
        with redirect_stdout(io.StringIO()) as output:
            control.dataReceived(json.dumps({"socket": "/nowhere/socket", "secret": "5ec2e7"}).encode() + b"\n")
            control.dataReceived(b"sit easy.1 7\nsit hard.2 8\nsit easy.1 7\nwhat\n")
            reactor.advance(1)
            self.assertEqual(len(reactor.unixClients), 2)
            for _ in range(2):
                control._gone("easy.1")
        self.assertEqual(output.getvalue(), "ready eriantys onitama paper-soccer stratego\nalive\n")
        self.assertEqual([address for address, *_ in reactor.unixClients], ["/nowhere/socket"] * 3)

    def test_a_study(self) -> None:
        reactor: Any = MemoryReactorClock()
        control = Control(reactor)
        control.makeConnection(StringTransport())
        self.addCleanup(control.stop)
        control._think = ThinkingQueue(lambda work, done: done(work()), reactor.seconds)
        begun, deal = Entry(EntryKind.BEGAN, 0), {"deal": "boar,ox/crab,eel/tiger"}
        moved = Entry(EntryKind.ACTED, 1, Seat(0), b"nonsense")
        with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors:
            control.dataReceived(b'{"socket": "/nowhere", "secret": "5ec2e7"}\n')
            for number, entries in ((5, (begun,)), (6, (begun, moved))):
                question = msgspec.json.encode(Question("onitama", 2, deal, entries)).decode()
                control.dataReceived(f"study {number} 7 {question}\n".encode())
        self.assertEqual(output.getvalue().splitlines()[1:], ['studied 5 {"standings":[],"turns":[]}', "studied 6 "])
        self.assertIn("a match cannot be studied", errors.getvalue())

    def test_a_study_that_nobody_waits_for(self) -> None:
        """No step of it is taken any more, and nothing is said of it."""
        reactor: Any = MemoryReactorClock()
        control = Control(reactor)
        control.makeConnection(StringTransport())
        self.addCleanup(control.stop)
        waiting: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
        control._think = ThinkingQueue(lambda work, done: waiting.append((work, done)), reactor.seconds)
        entries = (Entry(EntryKind.BEGAN, 0),) * 100
        question = msgspec.json.encode(Question("onitama", 2, {"deal": "boar,ox/crab,eel/tiger"}, entries)).decode()
        with redirect_stdout(io.StringIO()) as output:
            control.dataReceived(b'{"socket": "/nowhere", "secret": "5ec2e7"}\n')
            control.dataReceived(f"study 5 7 {question}\nstop 5\nstop 5\n".encode())
            for work, done in iter(lambda: waiting.pop() if waiting else None, None):
                done(work())
        self.assertNotIn("studied", output.getvalue())

    def test_a_name_that_is_none(self) -> None:
        reactor: Any = MemoryReactorClock()
        control = Control(reactor)
        control.makeConnection(StringTransport())
        self.addCleanup(control.stop)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as errors:
            control.dataReceived(b'{"socket": "/nowhere", "secret": "5ec2e7"}\nsit nobody.1 1\n')
        self.assertIn("nobody.1 has failed", errors.getvalue())


class Noting:
    def __init__(self) -> None:
        self.heard: list[Any] = []

    def hear(self, event: Any) -> None:
        self.heard.append(event)

    def refused(self, notation: bytes) -> None:
        self.heard.append(notation)

    def answer(self) -> bytes | None:
        return str(self.heard[-1]).encode()


class MatchTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.player = Noting()
        self.match = Match(self.player)

    def think(self) -> bytes | None:
        work = self.match.work()
        assert work is not None
        return self.match.done(work())

    def test_nothing_to_do(self) -> None:
        self.assertIsNone(self.match.work())
        self.match.hear(1)
        self.assertIsNotNone(self.match.work())
        self.match.hear(2)
        self.assertIsNone(self.match.work())
        over = Match(self.player)
        over.hear(1)
        over.over = True
        self.assertIsNone(over.work())

    def test_one_answer_at_a_time_is_asked_for(self) -> None:
        self.match.hear(1)
        self.assertEqual(self.think(), b"1")
        self.match.hear(2, judged=False)
        self.assertIsNone(self.think())
        self.match.hear(3)
        self.assertEqual(self.think(), b"3")
        self.assertEqual(self.player.heard, [1, 2, 3])

    def test_a_refusal(self) -> None:
        self.match.hear(1)
        self.think()
        self.match.refuse()
        self.assertEqual(self.think(), b"b'1'")
        self.assertEqual(self.player.heard, [1, b"1"])
        self.match.hear(2)
        self.match.refuse()
        self.think()
        self.assertEqual(self.player.heard[2:], [2], "nothing was said that could be refused")

    def test_nothing_is_said_if_the_end_comes_while_thinking(self) -> None:
        self.match.hear(1)
        work = self.match.work()
        assert work is not None
        self.match.over = True
        self.assertIsNone(self.match.done(work()))


#: The rows in front of the back row, where nobody gets soon.
ROWS = ("5566667777", "BBBBBB999S", "8888899999")
#: The back row of the first match, and of the second.
BACK_ROWS = ("F123344455", "554443321F")


class Told:
    """A match of a person who plays by a list of moves, whatever it is worth."""

    def __init__(self, level: Level, seed: int, back_row: str, moves: int) -> None:
        host = MemoryHost(house_rules=RULES)
        process = HouseProcess(host, seed=seed)
        ann = host.connect("open")
        ann.send(line(do="enter", name="ann") + line(do="seek", game="stratego", house=level.value, seat="first"))
        ann.send(act("/".join((back_row, *ROWS))))
        process.until_idle()
        columns = "ABEFIJ"
        for number in range(moves):
            column, back = columns[number % 6], number // 6 % 2
            start, end = (f"{column}5", f"{column}4") if back else (f"{column}4", f"{column}5")
            ann.send(act(f"{start}-{end}"))
            process.until_idle()
        # Whoever gets to the back row learns what stands there.
        acts = [one for player in process.seen for one in player.acts]
        self.acts = list(takewhile(lambda one: not re.search("-[A-J]1$", one), acts))
        told = [json.loads(text) for player in process.seen for text in player.told.splitlines()]
        self.told = list(takewhile(lambda one: not re.search("^[A-J]1$", one.get("event", {}).get("to", "")), told))


def check_pair(test: SynchronousTestCase, level: Level, seed: int, moves: int) -> None:
    """Two matches that differ in the person's back row."""
    one, other = (Told(level, seed, row, moves) for row in BACK_ROWS)
    test.assertGreater(len(one.acts), 3)
    test.assertEqual(one.acts, other.acts)
    test.assertEqual(one.told, other.told)


class NoninterferenceTests(SynchronousTestCase):
    """Stratego: the one game in which a player hides something for long."""

    def test_pairs(self) -> None:
        """The same set-up but for the back row: the same is told, and the same is done."""
        for level in (Level.EASY, Level.HARD):
            check_pair(self, level, seed=3, moves=12)


class Person:
    """A program on the public listener that plays against house players."""

    def __init__(
        self, host: MemoryHost, game: str, name: str = "ann", *, level: Level = Level.RANDOM, **seek: Any
    ) -> None:
        self.program = OpenProgram(lambda game, seat: new_player(game, seat, level, 1))
        self.over: m.Over | None = None
        self.refused: list[m.Refused] = []
        self.told: list[str] = []
        self.client = Player(host, name, self.hear)
        self.client.core.say(m.Seek(game, **seek))
        self.client.connect()

    def hear(self, client: Player, message: Any) -> None:
        self.told.append(type(message).__name__)
        if isinstance(message, m.Refused):
            self.refused.append(message)
        for said in self.program.hear(message):
            client.core.say(said)

    def go_on(self) -> bool:
        did = self.client.exchange()
        match = self.program.match
        work = match.work() if match is not None else None
        if match is not None and work is not None:
            for act in self.program.act(match, work()):
                self.client.core.say(act)
        return did or work is not None


class OpenProgramTests(SynchronousTestCase):
    def host(self, **settings: str) -> tuple[MemoryHost, HouseProcess]:
        host = MemoryHost(settings, house_rules=RULES)
        return host, HouseProcess(host)

    def play(self, process: HouseProcess, *people: Person, most: int = 3_000) -> None:
        for _ in range(most):
            if not any([*(person.go_on() for person in people), process.until_idle()]):
                return
        self.fail("the match has no end")

    def test_whole_matches(self) -> None:
        for game, seats in (("onitama", 2), ("paper-soccer", 2), ("eriantys", 4)):
            host, process = self.host()
            person = Person(host, game, house="easy", seats=seats)
            self.play(process, person)
            over = person.program.over
            assert isinstance(over, m.Over)
            self.assertEqual(
                (over.cause, person.refused, [one.refused for one in process.seen if one.refused]), ("rules", [], [])
            )
            self.assertEqual((process.players, len(host.lobby.registry)), ({}, 1))

    def test_the_process_is_killed(self) -> None:
        """The programs are back at the same position, know what they knew, and are never refused."""
        host, process = self.host()
        person = Person(host, "stratego", house="easy")
        for number in range(60):
            person.go_on()
            process.until_idle()
            if number % 10 == 9:
                process.kill()
                process.restart()
        process.until_idle()
        self.assertEqual(len(process.seen), 7)
        self.assertEqual([one.refused for one in process.seen if one.refused], [])
        self.assertNotIn("Away", person.told)
        last = process.seen[-1].program.match
        assert last is not None
        self.assertTrue(last.player.knowledge.shown or last.player.knowledge.suspects)  # type: ignore[attr-defined]

    def test_killed_in_thought(self) -> None:
        host, process = self.host()
        person = Person(host, "onitama", house="easy")
        process.came = lambda player: setattr(player, "asleep", len(process.seen) % 2 == 1)
        for _ in range(60):
            person.go_on()
            process.until_idle()
            if person.program.over is not None:
                break
            if any(player.asleep for player in process.players.values()) and person.client.core.own is not None:
                process.kill()
                process.restart()
        self.play(process, person)
        self.assertIsInstance(person.program.over, m.Over)

    def test_history_is_asked_only_if_there_is_one(self) -> None:
        """Where nobody has acted, the view says everything."""
        program = OpenProgram(lambda game, seat: new_player(game, seat, Level.EASY, 1))
        program.hear(m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 1))
        view = onitama_view()
        self.assertEqual(program.hear(m.Back(3, 1, 0, view)), [])
        self.assertEqual(program.hear(m.Back(3, 5, 0, view)), [m.AskHistory(3, 5)])
        for answer in (m.Sorry("no"), m.History(3, 4, []), m.History(3, 5, [])):
            program.hear(m.Back(3, 5, 0, view))
            self.assertEqual(program.hear(answer), [])
            assert program.match is not None
            self.assertIsNotNone(program.match.work())
            program.match.done(None)
        self.assertEqual(program.hear(m.Back(3, 5, 1)), [], "somebody else")

    def test_a_connection_that_is_lost_while_coming_back(self) -> None:
        """What is heard later belongs to the next run."""
        program = OpenProgram(lambda game, seat: new_player(game, seat, Level.EASY, 1))
        program.hear(m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 1))
        program.hear(m.Back(3, 5, 0, onitama_view()))
        program.hear(Lost("gone", 0.5))
        self.assertEqual(program.hear(m.History(3, 5, [])), [])
        assert program.match is not None
        self.assertIsNone(program.match.work())

    def test_an_answer_for_a_match_that_is_gone_is_not_said_in_the_next_one(self) -> None:
        program = OpenProgram(lambda game, seat: new_player(game, seat, Level.EASY, 1))
        program.hear(m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 1))
        old = program.match
        program.hear(m.Seated(3, "onitama", 0, ["ann", "bob"], ["open", "open"], 1))
        assert old is not None
        self.assertEqual(program.act(old, b"ox c1 c2"), [])

    def test_games_that_nobody_plays(self) -> None:
        program = OpenProgram(lambda game, seat: new_player(game, seat, Level.EASY, 1))
        self.assertRaises(KeyError, program.hear, m.Seated(3, "chess", 0, ["ann", "bob"], ["open", "open"], 0))

    def test_two_people(self) -> None:
        """Programs play each other, too, and one that comes back by itself is not refused."""
        host, process = self.host()
        ann, bob = Person(host, "paper-soccer", "ann"), Person(host, "paper-soccer", "bob", level=Level.EASY)
        for _ in range(6):
            ann.go_on(), bob.go_on()
        ann.client.drop()
        ann.client.connect()
        self.play(process, ann, bob)
        assert isinstance(ann.program.over, m.Over)
        self.assertEqual((ann.program.over.cause, ann.refused, bob.refused), ("rules", [], []))
        self.assertEqual((ann.program.seat, list(ann.program.names)), (Seat(0), ["ann", "bob"]))
        exchange_all([ann.client, bob.client])


def onitama_view() -> Any:
    from gamehost.games.onitama.messages import View
    from gamehost.games.onitama.rules import START

    return View(START, (["boar", "ox"], ["crab", "eel"]), "tiger", 0)


def _group_of(group: int, effort: float) -> int:
    return group


class ThinkingTests(PropertyCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.queue: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
        self.think = ThinkingQueue(lambda work, done: self.queue.append((work, done)), self.clock.seconds)
        self.efforts: list[float] = []

    def ask(self) -> None:
        self.think(self.efforts.append, lambda result: None)

    def work(self, seconds: float = 0.0) -> None:
        work, done = self.queue.pop(0)
        result = work()
        self.clock.advance(seconds)
        done(result)

    def test_alone(self) -> None:
        self.ask()
        self.work()
        self.assertEqual((self.efforts, self.think.waiting), ([1.0], 0))

    def test_many(self) -> None:
        for _ in range(50):
            self.ask()
        while self.queue:
            before = len(self.efforts)
            work, done = self.queue.pop(0)
            work()
            self.clock.advance(self.efforts[before])
            done(None)
        self.assertEqual(len(self.efforts), 50)
        self.assertLess(self.clock.seconds(), 2.0)
        self.assertGreaterEqual(min(self.efforts), LEAST)

    def test_moves_come_first(self) -> None:
        """However many studies wait, a move waits for the one step that is being taken, and has its whole effort."""
        done: list[str] = []
        for group in range(40):
            self.think(lambda effort: None, lambda _: done.append("study"), group, later=True)
        self.think(self.efforts.append, lambda _: done.append("move"), 40)
        while self.queue:
            self.work()
        self.assertEqual((done.index("move"), len(done), self.efforts), (1, 41, [1.0]))

    def test_late(self) -> None:
        self.ask()
        self.ask()
        self.work(5.0)
        self.work()
        self.assertEqual(self.efforts[1:], [LEAST])

    def test_groups_take_turns(self) -> None:
        """Sixty hard matches of one group, of 0.18 seconds each, keep another one waiting for the one that is thought about."""
        answered: list[tuple[str, float]] = []

        def ask(who: str, group: int) -> None:
            self.think(self.efforts.append, lambda result: answered.append((who, self.clock.seconds())), group)

        for _ in range(60):
            ask("many", 1)
        ask("one", 2)
        while self.queue:
            self.work(0.18)
        self.assertEqual((len(answered), self.think.waiting), (61, 0))
        # The first of the sixty has begun before the other one came.
        self.assertEqual([who for who, _ in answered].index("one"), 1)
        self.assertLess(dict(answered)["one"], 0.4)

    @given(st.lists(st.integers(1, 4), min_size=1, max_size=40))
    def test_nobody_waits_for_two_of_another_group(self, groups: list[int]) -> None:
        """Between two answers of a group that waits, each other group has one at most."""
        self.setUp()
        done: list[int] = []
        for group in groups:
            self.think(partial(_group_of, group), done.append, group)
        while self.queue:
            self.work()
        self.assertEqual(sorted(done), sorted(groups))
        for group in set(groups):
            turns = [number for number, one in enumerate(done) if one == group]
            for first, second in pairwise(turns):
                between = done[first + 1 : second]
                self.assertEqual(len(between), len(set(between)))
