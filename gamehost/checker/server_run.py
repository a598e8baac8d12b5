"""
One scenario with one server. The checker is both clients; a replica of the host says what the server must send to each.

Both hear the same messages in the same order. The checker waits after each step until the server has sent what it must. So
the order of what two clients send is never in doubt.
"""

from collections.abc import Callable
from typing import Any

from attrs import frozen
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost.checker.base import Finding, Grade, TapeLine, Verdict, WireChecks
from gamehost.checker.run_base import Outcome
from gamehost.checker.segments import SegmentedTransport
from gamehost.checker.server_base import Opening, ServerCase, ServerChecks, Skipped, Stopped, Unreachable
from gamehost.checker.server_replica import Replica, ReplicaConnection, differences
from gamehost.checker.server_user import Dial, User
from gamehost.checker.tape import Tape
from gamehost.players.base import SeededChance
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError

#: Seconds for an answer that the server owes.
ANSWERS = 5.0
#: Seconds in which a server that owes nothing must send nothing.
QUIET = 0.2
#: Seconds of silence after a connection was closed, so that the server knows of it.
PARTING = 0.05


@frozen
class ServerUnderTest:
    """What a scenario needs to know of the server."""

    clock: IReactorTime
    wire: Wire[Any]
    #: The checks of clients: their readings say what messages mean.
    reading: WireChecks
    checks: ServerChecks
    dial: Dial
    strict: bool
    #: Settings of the wire and its game, by their full names.
    settings: dict[str, str]
    password: str = "correct horse"


class ServerRun:
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
        self._server = server
        self._case = case
        self._seed = seed
        self._done = done
        self._chance = SeededChance(seed)
        self._tag = tag
        assert server.wire.client_codec is not None
        self._new_codec = server.wire.client_codec
        self.strict = server.strict
        self.speech = server.checks.new_speech()
        self.game = server.wire.games[0]
        self._replica = Replica(server.wire, server.settings, server.strict, seed)
        self._lines: list[TapeLine] = []
        self.users: list[User] = []
        self._findings: list[Finding] = []
        self._waiting: Deferred[None] | None = None
        self._timer: IDelayedCall | None = None
        #: What is being tried, for the title of a finding; empty: an ordinary step.
        self._trying = ""
        #: While the opening of a match is awaited, and the replica has not heard the last message: who has come first.
        self._first = ""
        #: What the server has told about the last match.
        self.opening: Opening | None = None
        #: How many moves of the match were played.
        self.moves = 0
        #: Why a match cannot be judged; empty: it can.
        self._cannot_judge = ""
        self.match_id = ""
        self._began = server.clock.seconds()
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
        self._replica.close()
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

    def _new_tape(self) -> Tape:
        server = self._server
        tape = Tape(server.reading, server.clock.seconds, self._new_codec().encode, self._lines)
        tape._began = self._began
        return tape

    def _note(self, meaning: str) -> None:
        self._new_tape().note(meaning)

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
        user.replica = ReplicaConnection(self._replica, user.seat, lambda message: self.expects(user, message))
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

    async def say(self, user: User, *messages: Any, trying: str = "", opens_for: str = "") -> None:
        """
        Send messages in one piece, and wait for the answers.

        :param trying: what is tried, in words that follow "after"
        :param opens_for: the name of the player who has come first, if a match must begin now
        """
        self._trying = trying
        data = user.said(messages)
        heard = data
        if self.match_id:
            own = user.seat.match_id
            heard = b"".join(self._new_codec().encode(self.speech.with_id(message, own)) for message in messages)
        if opens_for and self.speech.waits_for_opening:
            await self._send_and_learn(user, data, opens_for)
            self._replica_hears(user, heard)
            self._judge_all()
        else:
            self._replica_hears(user, heard)
            user.send(data)
        await self.settled()
        self._trying = ""

    @staticmethod
    def _replica_hears(user: User, data: bytes) -> None:
        if user.replica is not None:
            user.replica.hear(data)

    async def _send_and_learn(self, user: User, data: bytes, first: str) -> None:
        """Send what begins a match. The replica hears it when the server has told what it has drawn."""
        self._first, self.opening = first, None
        user.send(data)
        await self._wait(ANSWERS, lambda: self.opening is not None)
        self._first = ""
        if self._cannot_judge:
            raise Skipped(self._cannot_judge)
        if self.opening is not None:
            self._replica.begin_with(self.opening)
            self.match_id = self.opening.match_id

    async def play(self, most: int) -> bool:
        """Play legal moves, so many at most. Returns whether the match is over."""
        for _ in range(most):
            user, action = self.on_turn()
            if user is None:
                return True
            messages = self.speech.says(action, user.seat.seat, self.match_id)
            if not messages:
                return False
            await self.say(user, *messages)
            self.moves += 1
        return self.on_turn()[0] is None

    def on_turn(self) -> tuple[User | None, Any]:
        """Who is to act, and a legal action; `None`: the match is over."""
        for user in self.users:
            player = user.seat.player
            notation = player.answer() if player is not None else None
            if notation is not None:
                return user, self.game.read(notation)
        return None, None

    def other(self, user: User) -> User:
        """The other player at the table."""
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

    @property
    def _breached(self) -> bool:
        return any(finding.grade is Grade.BREACH for finding in self._findings)

    # -- what the users tell

    def received(self, user: User, message: Any) -> None:
        """The server has sent a message."""
        if self._over:
            return
        documented = self.speech.documented(message)
        if self.strict and documented != message:
            name = type(message).__name__
            self.found(
                *(Grade.FRAGILE, f"{name} is not as in the document", name),
                f"The server sends {user.name} what the document does not have; another client may not understand it.",
            )
        user.unjudged.append(message)
        self._look_for_opening(user)
        self._judge_all()

    def expects(self, user: User, message: Any) -> None:
        """The server must send a message."""
        documented = self.speech.documented(message)
        if documented is not None:
            if user.expected and self.speech.precedes(user.expected[-1], documented):
                user.expected.pop()
            user.expected.append(self.speech.with_id(documented, self.match_id) if self.match_id else documented)

    def unreadable(self, user: User, error: WireError) -> None:
        """The server has sent bytes that are no message."""
        self._breach(f"bytes that are no message: {error}", "framing", f"{user.name} could not read: {error}.")

    def closed(self, user: User) -> None:
        """The server has closed a connection."""
        if self._over or user.replica is None or user.replica.closed:
            return
        self._breach("the server closes the connection", "turn", f"The server closed the connection of {user.name}.")

    def _look_for_opening(self, user: User) -> None:
        if not self._first or self.opening is not None:
            return
        try:
            self.opening = self.speech.opening(user.unjudged[-1], self._first)
        except ValueError as error:
            self.opening = Opening()
            if not any(name in str(error) for name in self._server.settings):
                self._cannot_judge = str(error)

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
                if not self._first:
                    user.unjudged.popleft()
                    self._surplus(user, got)
                return
            user.unjudged.popleft()
            if self.speech.precedes(got, user.expected[0]):
                continue
            expected = user.expected.popleft()
            if got != expected:
                self._mismatch(user, got, expected)
                return

    # -- findings

    def _surplus(self, user: User, got: Any) -> None:
        name = type(got).__name__
        self._breach(
            f"{name} is sent, and nothing was due", name, f"The server sent {user.name} {name}; nothing was due."
        )

    def _missing(self, user: User) -> None:
        name = type(user.expected[0]).__name__
        happened = f"{user.name} was due {name}, and it did not come within {ANSWERS:g} s."
        self._breach(f"{name} is missing", name, happened)
        raise Stopped

    def _mismatch(self, user: User, got: Any, expected: Any) -> None:
        name, due = type(got).__name__, type(expected).__name__
        if name != due:
            happened = f"The server sent {user.name} {name}, where {due} was due."
            self._breach(f"{name} instead of {due}", due, happened)
        elif secret := self.speech.secret(got, expected):
            self._breach(f"{name} tells a secret", due, f"The server sent {user.name} {name}: {secret}.")
        else:
            fields = list(differences(got, expected))
            words = ", ".join(field.split(" ")[0] for field in fields)
            self._breach(f"{name}: wrong {words}", due, f"The server sent {user.name} {name}: {'; '.join(fields)}.")

    def _breach(self, title: str, law: str, happened: str) -> None:
        if self._trying:
            title, happened = f"{title} after {self._trying}", f"{happened} The checker tried {self._trying}."
        self.found(Grade.BREACH, title, law, happened)
        if self._waiting is not None:
            self._server.clock.callLater(0, self._go_on)

    def found(self, grade: Grade, title: str, law: str, happened: str) -> None:
        """Add a finding."""
        found = Finding(grade, title, self._law(law), happened, tuple(self._lines[-10:]))
        if found not in self._findings:
            self._findings.append(found)

    def _law(self, key: str) -> Any:
        laws = self._server.checks.laws
        return laws[key if key in laws else "turn"]
