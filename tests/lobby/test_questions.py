"""Questions to the journal have turns by address, and are bounded; answers that hold are kept."""

from collections import Counter
from collections.abc import Generator, Hashable, Sequence
from typing import Any

from attrs import define
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost import fairness
from gamehost.fairness import AT_ONCE, BETWEEN_IN_TURN, SHARE, FairScheduler
from gamehost.lobby.questions import (
    MOST_ASIDE,
    OVERHEAD,
    PAUSE,
    Found,
    NotAnswered,
    QuestionLimits,
    Questions,
    TooManyQuestions,
)
from gamehost.rates import Rounds
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import MemoryHost
from gamehost.wires.open.conversation import WIRE
from tests.kit.reactors import TurnClock
from tests.kit.web_host import WebHost, request

A, B, C = "192.0.2.1", "192.0.2.2", "192.0.2.3"


class QuestionsCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.questions = Questions(self.clock, FairScheduler(self.clock))
        #: The questions that were begun, and have no answer.
        self.begun: dict[Hashable, Deferred[Found]] = {}
        self.order: list[Hashable] = []

    def ask(self, address: str, key: Hashable) -> Deferred[Any]:
        async def work() -> Found:
            self.order.append(key)
            answer = self.begun[key] = Deferred()
            return await answer

        return self.questions.ask(address, key, work)

    def answer(self, key: Hashable, value: object = "", size: int = 0, seconds: float = float("inf")) -> None:
        self.begun.pop(key).callback(Found(value, size, seconds))
        self.clock.advance(PAUSE)

    def answer_all(self) -> None:
        while self.begun or self.clock.getDelayedCalls():
            self.clock.advance(PAUSE)
            if self.begun:
                self.answer(next(iter(self.begun)))


class TurnTests(QuestionsCase):
    def test_a_flood_keeps_nobody_waiting(self) -> None:
        """Whoever asks once waits for one question of each other address, also if that one has asked thirty times."""
        for number in range(30):
            self.ask(A, number)
        self.ask(B, "b")
        self.ask(C, "c")
        self.assertEqual(self.order, [0])
        self.answer_all()
        self.assertEqual(self.order, [0, 1, "b", "c", *range(2, 30)])

    def test_who_steps_aside_keeps_nobody_waiting(self) -> None:
        """Only so many do; the others are answered one after the other, as ever."""
        self.questions.limits = QuestionLimits(per_address=None)
        for number in range(MOST_ASIDE + 2):
            self.ask(A, number)
        for _ in range(MOST_ASIDE + 2):
            self.questions.step_aside()
            self.clock.advance(PAUSE)
        self.assertEqual(self.order, [*range(MOST_ASIDE + 1)])
        told = self.questions.ask(B, 0, lambda: self.fail("this question has been asked"))
        self.answer(0, "late")
        self.assertEqual(self.successResultOf(told), "late")
        self.assertEqual(self.order, [*range(MOST_ASIDE + 1)])
        self.answer(MOST_ASIDE)
        self.assertEqual(self.order, [*range(MOST_ASIDE + 2)])
        self.answer_all()
        self.assertEqual(self.questions.unanswered, {})

    def test_a_network_is_one_address(self) -> None:
        """One customer has 64 bits of addresses of IPv6."""
        for number in range(5):
            self.ask(f"2001:db8::{number}", number)
        self.ask("2001:db8:1::1", "other")
        self.answer_all()
        self.assertEqual(self.order, [0, 1, "other", 2, 3, 4])

    def test_players_have_a_pause_between_two_questions(self) -> None:
        self.ask(A, 1)
        self.ask(A, 2)
        self.begun.pop(1).callback(Found(""))
        self.assertEqual(self.order, [1])
        self.clock.advance(PAUSE)
        self.assertEqual(self.order, [1, 2])
        self.answer_all()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_many_are_told_in_slices(self) -> None:
        clock = TurnClock()
        questions, begun, told = Questions(clock, FairScheduler(clock)), Deferred[Found](), list[object]()

        async def work() -> Found:
            return await begun

        def tell(value: object) -> None:
            clock.rightNow += SHARE / 2 / BETWEEN_IN_TURN
            told.append(value)

        for _ in range(BETWEEN_IN_TURN * 3):
            questions.ask(A, 1, work).addCallback(tell)
        begun.callback(Found("x"))
        for turn in range(1, 4):
            self.assertEqual(len(told), BETWEEN_IN_TURN * turn)
            clock.advance(fairness.PAUSE + SHARE)
        self.assertEqual(clock.getDelayedCalls(), [])

    def test_busy_connections_do_not_hold_answers_up(self) -> None:
        """However many there are, the work for answers has its part of each round."""
        clock = Clock()
        turns = FairScheduler(clock)
        questions, told = Questions(clock, turns), list[object]()

        @define(eq=False)
        class Busy:
            address = A

            def go_on(self) -> None:
                clock.rightNow += SHARE
                turns.wait(self)

        for _ in range(500):
            turns.wait(Busy())

        async def work() -> Found:
            return Found("x")

        questions.ask(A, 1, work).addCallback(told.append)
        clock.advance(0)
        clock.advance(PAUSE)
        self.assertEqual(told, ["x"])

    def test_many_are_told_what_is_kept(self) -> None:
        """Some at once, and the others in turns: an answer that is kept costs time, too. Nobody is forgotten."""
        self.patch(fairness, "SHARE", 0.0)
        self.ask(A, 1)
        self.answer(1, "x", 1)
        self.clock.advance(1)
        told: list[object] = []
        for _ in range(3 * AT_ONCE):
            self.ask(A, 1).addCallback(told.append)
        self.assertEqual(told, ["x"] * AT_ONCE)
        while self.clock.getDelayedCalls():
            self.clock.advance(PAUSE)
        self.assertEqual(told, ["x"] * 3 * AT_ONCE)

    def test_who_has_a_turn_is_told_in_it(self) -> None:
        """What is kept costs one turn, also while there is no time for anything without one."""
        clock, told = self.clock, list[float]()
        turns = FairScheduler(clock)
        questions, asks = Questions(clock, turns), self.ask

        @define(eq=False)
        class Asker:
            address = A

            def go_on(self) -> None:
                asks(A, 1).addCallback(lambda _: told.append(clock.seconds()))

        self.questions = questions
        self.ask(A, 1)
        self.answer(1, "x", 1)
        while turns.has_time():
            pass
        begun = clock.seconds()
        turns.wait(Asker())
        turns.wait(Asker())
        clock.advance(PAUSE)
        self.assertEqual(told, [begun + PAUSE] * 2)

    def test_long_work_for_an_answer_has_turns(self) -> None:
        done: list[str] = []

        def work() -> Generator[None, None, str]:
            for _ in range(2 * fairness.STEPS):
                self.clock.rightNow += SHARE / 10
                yield
            return "done"

        async def find() -> None:
            done.append(await self.questions.in_slices(work()))

        Deferred.fromCoroutine(find())
        begun = self.clock.seconds()
        self.assertLess(begun, SHARE)
        while self.clock.getDelayedCalls():
            self.assertEqual(done, [])
            before = self.clock.seconds()
            self.clock.advance(PAUSE)
            self.assertLess(self.clock.seconds() - before, PAUSE + SHARE)
        self.assertEqual(done, ["done"])

    def test_a_fault_ends_no_turn(self) -> None:
        """It is logged, and whoever asked is told. The next question has its turn."""
        first, second = self.ask(A, 1), self.ask(A, 2)
        self.begun.pop(1).errback(ZeroDivisionError())
        self.failureResultOf(first, NotAnswered)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.clock.advance(PAUSE)
        self.answer(2, "x")
        self.assertEqual(self.successResultOf(second), "x")

    def test_a_host_that_stops(self) -> None:
        self.ask(A, 1)
        self.ask(A, 2)
        self.begun[1].callback(Found(""))
        self.questions.halt()
        self.assertEqual((self.order, self.clock.getDelayedCalls()), ([1], []))
        self.failureResultOf(self.ask(A, 3), NotAnswered)


class BoundTests(QuestionsCase):
    def test_what_an_address_asks_above_its_share_is_refused(self) -> None:
        self.questions.limits = QuestionLimits(100, 3)
        for number in range(4):  # the first one is being answered
            self.assertNoResult(self.ask(A, number))
        refused = self.failureResultOf(self.ask(A, 4), TooManyQuestions)
        self.assertEqual(
            str(refused.value), "3 questions from your address wait for an answer, and no more can; try again later"
        )
        self.assertNoResult(self.ask(B, 4))
        self.answer(0)
        self.assertNoResult(self.ask(A, 5))
        self.assertEqual(self.questions.refused, 1)

    def test_there_is_a_bound_in_all(self) -> None:
        self.questions.limits = QuestionLimits(4, 3)
        for number in range(5):
            self.assertNoResult(self.ask(f"192.0.2.{number}", number))
        self.failureResultOf(self.ask(A, "a"), TooManyQuestions)
        self.answer_all()
        self.assertNoResult(self.ask(A, "a"))
        self.assertEqual(self.questions.waiting, 0)

    def test_the_hosts_own_players_are_not_refused(self) -> None:
        """All of them come back to their matches at once."""
        self.questions.limits = QuestionLimits(2, 1)
        for number in range(9):
            self.assertNoResult(self.ask("house", number))

    def test_without_limits(self) -> None:
        self.questions.limits = QuestionLimits(None, None)
        for number in range(5000):
            self.assertNoResult(self.ask(A, number))


class LeavingTests(QuestionsCase):
    def test_the_questions_go_with_their_client(self) -> None:
        answers = [self.ask(A, number) for number in range(20)]
        mine = self.ask(B, "b")
        for answer in answers[1:]:
            answer.cancel()
            self.failureResultOf(answer, CancelledError)
        self.assertEqual(self.questions.waiting, 1)
        self.answer_all()
        self.assertEqual(self.order, [0, "b"])
        self.assertEqual(self.successResultOf(mine), "")

    def test_one_that_is_being_answered(self) -> None:
        first, second = self.ask(A, 1), self.ask(B, 1)
        first.cancel()
        self.failureResultOf(first, CancelledError)
        self.answer(1, "x")
        self.assertEqual(self.successResultOf(second), "x")
        third = self.ask(A, 2)
        third.cancel()
        self.failureResultOf(third, CancelledError)
        self.answer(2, "x")
        self.assertEqual((self.questions.waiting, self.questions.unanswered), (0, {}))

    def test_who_goes_while_others_are_told(self) -> None:
        answers = [self.ask(A, 1) for _ in range(3)]
        told: list[object] = []
        answers[0].addCallback(lambda value: answers[1].cancel())
        answers[2].addCallback(told.append)
        self.answer(1, "x")
        self.failureResultOf(answers[1], CancelledError)
        self.assertEqual(told, ["x"])


class EqualTests(QuestionsCase):
    def test_equal_questions_are_one(self) -> None:
        self.ask(C, "first")
        answers = [self.ask(address, "same") for address in (A, A, A, B)]
        self.assertEqual(self.questions.waiting, 2)
        self.answer("first")
        self.answer("same", "x")
        self.assertEqual((self.order, self.questions.waiting), (["first", "same"], 0))
        self.assertEqual([self.successResultOf(one) for one in answers], ["x"] * 4)

    def test_an_equal_question_has_the_first_turn_of_those_who_asked(self) -> None:
        for number in range(10):
            self.ask(A, number)
        self.ask(B, 9)
        self.answer_all()
        self.assertEqual(self.order, [0, 1, 9, *range(2, 9)])

    def test_answers_are_kept(self) -> None:
        for key, size, seconds in ((1, 100, 5.0), (2, 0, 5.0), (3, 100, float("inf"))):
            self.ask(A, key)
            self.answer(key, f"{key}", size, seconds)
        self.assertEqual([self.successResultOf(self.ask(B, key)) for key in (1, 3)], ["1", "3"])
        self.assertNoResult(self.ask(B, 2))
        self.clock.advance(5.0)
        self.assertNoResult(self.ask(B, 1))
        self.assertEqual(self.successResultOf(self.ask(B, 3)), "3")

    def test_kept_answers_are_told_to_whoever_has_asked_too_much(self) -> None:
        """They cost nothing."""
        self.ask(A, 1)
        self.answer(1, "x", 1)
        self.questions.limits = QuestionLimits(0, 0)
        self.assertEqual(self.successResultOf(self.ask(A, 1)), "x")

    def test_what_holds_no_more_goes(self) -> None:
        """Nobody asks for most of it again, so it goes with the next answer that is kept."""
        for key in range(50):
            self.questions.keep(key, Found("", 100, seconds=1.0))
        self.ask(A, "lasting")
        self.answer("lasting", "", 100)
        self.clock.advance(2.0)
        self.ask(A, "next")
        self.answer("next", "", 100, seconds=1.0)
        self.assertEqual([*self.questions._kept], ["lasting", "next"])
        self.clock.advance(2.0)
        self.assertIsNone(self.questions.kept("next"))
        self.questions.keep("last", Found("", 1))
        self.assertEqual([*self.questions._kept], ["lasting", "last"])

    def test_keys_are_counted_with_what_is_kept(self) -> None:
        long = ("list", "\U0001f600" * 4_000)  # four bytes a character
        self.questions.limits = QuestionLimits(kept_bytes=16_000)
        self.questions.keep(long, Found("", 1))
        self.assertIsNone(self.questions.kept(long))
        self.questions.limits = QuestionLimits(kept_bytes=18_000)
        self.questions.keep(long, Found("", 1))
        self.assertIsNotNone(self.questions.kept(long))

    def test_kept_answers_are_bounded_by_their_bytes(self) -> None:
        # Each key is a number or a short text, of less than 100 bytes.
        self.questions.limits = QuestionLimits(kept_bytes=3 * (100 + OVERHEAD + 100))
        for key in range(3):
            self.ask(A, key)
            self.answer(key, "", 100)
        self.ask(A, 0)
        self.ask(A, "new")
        self.answer("new", "", 100)
        self.assertEqual(
            [key for key in (0, 1, 2, "new", "large") if self.questions.kept(key) is not None], [0, 2, "new"]
        )
        self.ask(A, "large")
        self.answer("large", "", 9_999)
        self.assertEqual(
            [key for key in (0, 1, 2, "new", "large") if self.questions.kept(key) is not None], [0, 2, "new"]
        )


class Askers:
    def __init__(self) -> None:
        self.clock = Clock()
        self.questions = Questions(self.clock, FairScheduler(self.clock))
        self.begun: list[tuple[str, Deferred[Found]]] = []
        #: By question that waits: its address, and how many of each other address were begun since it was the first of its own.
        self.passed: dict[int, tuple[str, Counter[str]]] = {}
        self.answers: dict[int, Deferred[Any]] = {}
        self.breaches: list[str] = []

    def ask(self, number: int, address: str) -> None:

        async def work() -> Found:
            self.passed.pop(number)
            for waiting in self.first_of_each():
                other, counts = self.passed[waiting]
                counts[address] += 1
                if counts[address] > 1 and other != address:
                    self.breaches.append(f"{address} had two turns while {other} waited")
            answer: Deferred[Found] = Deferred()
            self.begun.append((address, answer))
            return await answer

        self.passed[number] = address, Counter()
        self.answers[number] = self.questions.ask(address, number, work)

    def first_of_each(self) -> list[int]:
        firsts = {address: number for number, (address, _) in reversed(self.passed.items())}
        return [*firsts.values()]

    def cancel(self, number: int) -> None:
        if number in self.passed:
            del self.passed[number]
            self.answers[number].addErrback(lambda failure: failure.trap(CancelledError))
            self.answers[number].cancel()

    def answer(self) -> None:
        assert len(self.begun) <= 1, self.begun
        if self.begun:
            self.begun.pop()[1].callback(Found(""))
        for _ in range(3):
            self.clock.advance(PAUSE)

    def play(self, steps: Sequence[tuple[str, int]]) -> None:
        """
        Each step is an address that asks, a question that is withdrawn, or an answer.

        :raises AssertionError: an address had two turns while another one waited, or something is left
        """
        for number, (what, which) in enumerate(steps):
            if what == "ask":
                self.ask(number, f"192.0.2.{which % 4}")
            elif what == "cancel":
                self.cancel(which)
            else:
                self.answer()
        for _ in range(len(steps) + 1):
            self.answer()
        assert not self.breaches, self.breaches
        assert not (self.passed or self.begun or self.questions.waiting or self.questions.unanswered), self.passed


STEPS = st.lists(st.tuples(st.sampled_from(["ask", "ask", "ask", "answer", "cancel"]), st.integers(0, 40)), max_size=60)


class LawTests(PropertyCase):
    @given(STEPS)
    def test_no_address_has_two_turns_while_another_waits(self, steps: list[tuple[str, int]]) -> None:
        """One question is answered at a time, each that waits has its turn, and nothing is left."""
        Askers().play(steps)

    def test_the_law_sees_a_fault(self) -> None:
        class Unfair(Rounds[str, Any]):
            def put(self, taker: str, waiter: Any, first: bool = False) -> None:
                super().put("", waiter)

        askers = Askers()
        askers.questions._lines = Unfair()
        flood = [("ask", 0)] * 5 + [("ask", 1)]
        self.assertRaises(AssertionError, askers.play, flood)
        Askers().play(flood)


class HostTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = MemoryHost(
            {"limits.questions_per_address": "2", "onitama.deal": "boar,ox/crab,eel/tiger"}, wires=(WIRE,)
        )
        self.web = WebHost(self.host)
        self.host.journal.late = True

    def test_a_flood_of_lists(self) -> None:
        flood = [self.web.connect(A) for _ in range(9)]
        for number, client in enumerate(flood):
            client.send(request(f"/api/matches?name=nobody{number}"))
        statuses = [[one.status for one in client.responses()] for client in flood]
        self.assertEqual(statuses, [[], [], [], *[[429]] * 6])
        mine = self.web.connect(B)
        mine.send(request("/api/matches"))
        for _ in range(3):
            self.host.journal.release()
            self.host.wait(PAUSE)
        self.assertEqual([one.status for one in mine.responses()], [200])

    def test_who_asks_too_much_is_told_when_to_come_back(self) -> None:
        clients = [self.web.connect(A) for _ in range(4)]
        for number, client in enumerate(clients):
            client.send(request(f"/api/matches/{number}.json"))
        [answer] = clients[-1].responses()
        self.assertEqual((answer.status, answer.headers["retry-after"]), (429, "1"))
        self.assertIn(b"try again later", answer.body)
        asking = self.host.connect("open", A)
        asking.send(b'{"do":"history","table":9}\n')
        [told] = map(json.decode, asking.heard())
        self.assertEqual(told["is"], "sorry")
        self.assertIn("try again later", told["why"])

    def test_clients_that_go_away(self) -> None:
        clients = [self.web.connect(A) for _ in range(3)]
        for number, client in enumerate(clients):
            client.send(request(f"/api/matches/{number}.json"))
        asking = self.host.connect("open", B)
        asking.send(b'{"do":"history","table":9}\n')
        self.assertEqual(self.host.lobby.directory.questions.waiting, 3)
        for client in clients:
            client.transport.hang_up()
        asking.drop()
        self.assertEqual(self.host.lobby.directory.questions.waiting, 0)
        self.host.journal.release()
        self.assertEqual(self.host.journal.release(), 0)
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_what_is_kept_is_not_read_again(self) -> None:
        self.host.journal.late = False
        self.play()
        paths = ("/api/matches/1.json", "/api/matches/1.svg", "/api/tables/1/history", "/api/matches", "/api/results")
        answers = [self.web.get(path).body for path in paths]
        reads = self.reads()
        self.assertEqual([self.web.get(path).body for path in paths], answers)
        self.assertEqual(reads, [])
        self.play()
        [*same, matches, results] = [self.web.get(path).body for path in paths]
        self.assertEqual(same, answers[:3])
        self.assertEqual((len(json.decode(matches)["matches"]), json.decode(results)["matches"]), (2, 2))

    def test_any_part_of_a_history_is_made_from_one_reading(self) -> None:
        self.host.journal.late = False
        self.play()
        reads = self.reads()
        told = [json.decode(self.web.get(f"/api/tables/1/history?until={until}").body) for until in (9, 0, 1, 2)]
        self.assertEqual(reads, ["read"])
        self.assertEqual([(one["n"], len(one["events"])) for one in told], [(3, 2), (0, 0), (1, 1), (2, 2)])

    def reads(self) -> list[str]:
        reads: list[str] = []
        for name in ("read", "match", "finished"):
            usual = getattr(self.host.journal, name)

            def read(*args: Any, name: str = name, usual: Any = usual, **more: Any) -> None:
                reads.append(name)
                usual(*args, **more)

            self.patch(self.host.journal, name, read)
        return reads

    def play(self) -> None:
        self.host.wait(0.1)  # what was asked just now has taken the time of strangers
        players = [self.host.connect("open", address) for address in (A, B)]
        for player, name in zip(players, ("ann", "bob"), strict=True):
            player.send(json.encode({"do": "enter", "name": name}) + b'\n{"do":"seek","game":"onitama"}\n')
        [number] = self.host.lobby.tables
        moves = ["ox c1 c2", "ox c5 c4"]
        for player, move in zip(
            players, moves, strict=True
        ):  # one of them is the first player, and the other one's is refused
            player.send(json.encode({"do": "act", "table": number, "action": move}) + b"\n")
        players[0].send(b'{"do":"leave"}\n')
        for player in players:
            player.drop()


del PropertyCase, QuestionsCase
