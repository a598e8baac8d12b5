"""
One scenario with one server. The checker is all of the clients; a replica of the host says what the server must send to each.

Both hear the same messages in the same order. The checker waits after each step until the server has sent what it must. So
the order of what two clients send is never in doubt.
"""

from collections.abc import Callable, Sequence
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall

from gamehost.checker.base import Grade, Verdict
from gamehost.checker.run_base import Outcome
from gamehost.checker.segments import SegmentedTransport
from gamehost.checker.server_base import Lesson, Opening, OpeningLesson, ServerCase, Skipped, Stopped, Unreachable
from gamehost.checker.server_judging import ANSWERS, Judging, ServerUnderTest
from gamehost.checker.server_replica import Replica, ReplicaConnection
from gamehost.checker.server_user import User
from gamehost.players.base import SeededChance

#: Seconds in which a server that owes nothing must send nothing.
QUIET = 0.2
#: Seconds for a whole scenario.
WHOLE = 120.0
#: Seconds of silence after a connection was closed, so that the server knows of it.
PARTING = 0.05


class ServerRun(Judging):
    """
    One scenario.

    :param done: called once with the outcome, or with `Unreachable`
    :param tag: makes the names of the players different in each scenario
    """

    def __init__(
        self,
        server: ServerUnderTest,
        case: ServerCase,
        seed: int,
        tag: str,
        done: Callable[[Outcome | Unreachable], None],
    ) -> None:
        super().__init__(server, case)
        self._done = done
        self._chance = SeededChance(seed)
        self._tag = tag
        self.strict = server.strict
        self.game = server.wire.games[0]
        settings = {**server.settings, **server.checks.settings}
        self.replica = Replica(server.wire, settings, server.strict, seed, self.speech.game)
        self.users: list[User] = []
        self._waiting: Deferred[None] | None = None
        self._timer: IDelayedCall | None = None
        #: What the server is about to tell, while the replica has not heard the message that leads to it.
        self._lesson: Lesson | None = None
        #: What the server has told about the last match.
        self.opening: Opening | None = None
        #: How many moves of the match were played.
        self.moves = 0
        self.match_id = ""
        self._over = False

    # -- from start to end

    def start(self) -> None:
        """Play the scenario."""
        Deferred.fromCoroutine(self._play()).addErrback(self._faulty)

    async def _play(self) -> None:
        verdict: Verdict | None = None
        unreachable: Unreachable | None = None
        try:
            await self._case.script(self)
            await self.pause(QUIET)
        except Stopped:
            pass
        except Skipped as reason:
            verdict = Verdict.SKIPPED
            self._note(f"skipped: {reason}")
        except Unreachable as error:
            unreachable = error
        self._over = True
        for user in self.users:
            user.close()
        self.replica.close()
        if not self._findings and unreachable is not None:
            self._done(unreachable)
            return
        grades = {finding.grade for finding in self._findings}
        worst = next((Verdict(grade.value) for grade in Grade if grade in grades), verdict or Verdict.PASS)
        seconds = self._server.clock.seconds() - self._began
        section = self._law(self._case.scenario.law).section
        tape = self._new_tape()
        self._done(Outcome(self._case.scenario, worst, tuple(self._findings), seconds, tape, section))

    def _faulty(self, failure: Any) -> None:
        self._done(Unreachable(f"the checker itself failed: {failure.getErrorMessage()}"))

    # -- what scripts do

    def new_user(self, name: str) -> User:
        """A player who is not connected yet."""
        user = User(name + self._tag, self._server.password, self, self._new_tape(), self._chance.below(2**31))
        self.users.append(user)
        return user

    async def connect(self, user: User) -> None:
        """
        Connect with the server.

        :raises Unreachable: that cannot be done
        """
        clock, cut, chance = self._server.clock, self._case.scenario.cut, self._chance
        try:
            await user.connect(
                self._new_codec(), self._server.dial, lambda line: SegmentedTransport(line, clock, cut, chance)
            )
        except Exception as error:
            raise Unreachable(str(error)) from None
        user.replica = ReplicaConnection(self.replica, user.seat, lambda message: self.expects(user, message))
        await self.settled()

    async def drop(self, user: User) -> None:
        """Lose the connection of a user."""
        user.close()
        user.expected.clear()
        if user.replica is not None:
            user.replica.lose()
        user.expected.clear()
        await self.settled()
        await self.pause(PARTING)

    async def say(self, user: User, *messages: Any, trying: str = "", lesson: Lesson | None = None) -> None:
        """
        Send messages in one piece, and wait for the answers.

        :param trying: what is tried, in words that follow "after"
        :param lesson: what the server draws because of them
        """
        self._stop_if_late()
        self._trying = trying
        data = user.said(messages)
        if lesson is not None:
            await self._send_and_learn(user, data, lesson)
        heard = data
        if self.match_id:
            own = user.seat.match_id
            heard = b"".join(self._new_codec().encode(self.speech.with_id(message, own)) for message in messages)
        if user.replica is not None:
            user.replica.hear(heard)
        if lesson is None:
            user.send(data)
        else:
            self.replica.draw_next(())
            self._judge_all()
        await self.settled()
        self._trying = ""

    async def _send_and_learn(self, user: User, data: bytes, lesson: Lesson) -> None:
        """
        Send, and wait until the server has told what it has drawn.

        :raises Skipped: what follows cannot be judged
        """
        self._lesson = lesson
        user.send(data)
        await self._wait(ANSWERS, lambda: lesson.learned)
        self._lesson = None
        lesson.teach(self)

    def lesson_of_opening(self, first: User) -> Lesson | None:
        """What is drawn at the beginning of a match; `None`: nothing."""
        speech = self.speech
        return OpeningLesson(speech, first.name, self._server.settings) if speech.waits_for_opening else None

    def begin_with(self, opening: Opening) -> None:
        """The next match begins as the server has told."""
        self.opening, self.match_id = opening, opening.match_id
        self.replica.begin_with(opening.settings)
        if opening.draws is not None:
            self.replica.draw_next((opening.draws,))

    async def play(self, most: int) -> bool:
        """Play legal moves, so many at most. Returns whether the match is over."""
        for _ in range(most):
            user, action = self.on_turn()
            if user is None:
                return True
            if not await self.act(user, action):
                return False
        return self.on_turn()[0] is None

    async def act(self, user: User, action: Any) -> bool:
        """Play one legal move. Returns whether it can be judged."""
        messages = self.speech.says(action, user.seat.seat, self.match_id)
        if messages:
            await self.say(user, *messages, lesson=self.speech.lesson(self, user, action))
            self.moves += 1
        return bool(messages)

    def on_turn(self) -> tuple[User | None, Any]:
        """Who is to act, and a legal action; `None`: the match is over."""
        for user in self.users:
            player = user.seat.player
            notation = player.answer() if player is not None else None
            if notation is not None:
                return user, self.game.read(notation)
        return None, None

    def other(self, user: User) -> User:
        """Another player at the table."""
        return next(one for one in self.users if one is not user and one.seat.player is not None)

    async def settled(self) -> None:
        """
        Wait until the server has sent all that it must.

        :raises Stopped: it does not
        """
        if any(user.expected for user in self.users):
            await self._wait(ANSWERS, lambda: not any(user.expected for user in self.users))
            for user in self.users:
                if user.expected:
                    self._missing(user)
        else:
            await self.pause(QUIET)

    async def pause(self, seconds: float) -> None:
        """
        Wait.

        :raises Stopped: something has come that must not
        """
        await self._wait(seconds, lambda: False)

    async def _wait(self, seconds: float, enough: Callable[[], bool]) -> None:
        self._stop_if_found()
        if enough():
            return
        self._enough = enough
        self._waiting = Deferred()
        self._timer = self._server.clock.callLater(seconds, self._go_on)
        await self._waiting
        self._stop_if_found()

    def _go_on(self) -> None:
        waiting, self._waiting = self._waiting, None
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        if waiting is not None:
            waiting.callback(None)

    def _stop_if_found(self) -> None:
        if self._breached:
            raise Stopped

    def _stop_if_late(self) -> None:
        if self._server.clock.seconds() - self._began > WHOLE:
            happened = f"The scenario was ended after {WHOLE:g} s; the server was slow."
            self.found(Grade.NOTE, "the scenario was very long", "turn", happened)
            raise Stopped

    # -- what the users tell

    def received(self, user: User, message: Any) -> None:
        """The server has sent a message."""
        if self._over:
            return
        replies: Sequence[Any] = self.speech.replies(message)
        if replies:
            user.send(user.said(replies))
        if self.speech.comes_at_any_time(message):
            return
        if self.strict and self.speech.documented(message) != message:
            self._extension(user, message)
        user.unjudged.append(message)
        if self._lesson is not None:
            self._lesson.hear(user, message)
        self._judge_all()

    def expects(self, user: User, message: Any) -> None:
        """The server must send a message."""
        if self.match_id:
            message = self.speech.with_id(message, self.match_id)
        documented = self.speech.documented(message)
        if documented is not None:
            if user.expected and self.speech.precedes(user.expected[-1], documented):
                user.expected.pop()
            user.expected.append(self.speech.canonical(documented))

    def closed(self, user: User) -> None:
        """The server has closed a connection."""
        if self._over or user.replica is None or user.replica.closed:
            return
        self._breach("the server closes the connection", "turn", f"The server closed the connection of {user.name}.")

    def _judge_all(self) -> None:
        for user in self.users:
            self._judge(user)
        if self._waiting is not None and (self._breached or self._enough()):
            self._go_on()

    def _judge(self, user: User) -> None:
        while user.unjudged and not self._over:
            got = self.speech.documented(user.unjudged[0])
            if got is None:
                user.unjudged.popleft()
                continue
            if not user.expected:
                if self._lesson is None:
                    user.unjudged.popleft()
                    self._surplus(user, got)
                return
            user.unjudged.popleft()
            if self.speech.precedes(got, user.expected[0]):
                continue
            got, expected = self.speech.canonical(got), user.expected.popleft()
            if got != expected:
                self._mismatch(user, got, expected)
                return

    def _breach(self, title: str, law: str, happened: str) -> None:
        super()._breach(title, law, happened)
        if self._waiting is not None:
            self._server.clock.callLater(0, self._go_on)
