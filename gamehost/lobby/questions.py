"""
The order in which clients' questions are answered. Lists, records, histories and results are read from the journal.

One question is answered at a time, and addresses take turns. So an address with a thousand questions does not delay an
address with one. Equal questions are answered once, and answers are cached while they are valid. The work is done in
slices, which take turns with busy connections. So players get most of the reactor's time, however many clients ask.
"""

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Generator, Hashable
from math import isfinite
from typing import Any, TypeVar

from attrs import Factory, define, field, frozen
from twisted.internet.defer import CancelledError, Deferred, fail, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost._twisted import Timer
from gamehost.fairness import FairScheduler, Slices
from gamehost.journal.records import HOUSE_ADDRESS
from gamehost.rates import Rounds, rate_limit_key

R = TypeVar("R")

#: Seconds between two questions.
PAUSE = 0.002

#: How many bytes the objects around a cached answer and its key take.
OVERHEAD = 512

STOPPING = "the host is stopping"
#: How many questions may wait at once for long work that another process does, or that answers several questions.
MOST_ASIDE = 80
FAULT = "a fault of the host: this cannot be answered"


class NotAnswered(Exception):
    """A question has no answer. The message gives the reason, for the asker."""


class TooManyQuestions(NotAnswered):
    """A question is refused, because too many wait already."""


@frozen
class Found:
    """The answer to a question, and how it may be cached."""

    value: Any
    #: About how many bytes the answer takes in the cache; 0: it is not cached.
    size: int = 0
    #: How many seconds the answer is valid.
    seconds: float = float("inf")


#: Finds an answer.
Work = Callable[[], Coroutine[Any, Any, Found]]


@frozen
class QuestionLimits:
    """Limits on the questions that are answered from the journal. `None`: no limit."""

    #: The most waiting questions of all addresses. The default is enough for about thirty addresses at their limit.
    most: int | None = 1_024
    #: The most waiting questions of one address. The default is enough for a class of pupils behind one address.
    per_address: int | None = 32
    #: The most bytes of cached answers: enough for a hundred long matches.
    kept_bytes: int = 32 << 20


@define(eq=False)
class _Question:
    """One question, and all clients that wait for its answer, each with its address."""

    key: Hashable
    work: Work
    askers: dict[Deferred[Any], str] = field(factory=dict)
    begun: bool = False
    #: Called if the question has begun, and no client waits for its answer any more.
    abandoned: Callable[[], None] = lambda: None


@frozen
class _Kept:
    """A cached answer."""

    found: Found
    #: When the answer becomes invalid, in seconds on the clock.
    until: float
    #: How many bytes it takes, including its key.
    bytes: int


@define(eq=False)
class Questions:
    """
    Answers the questions of all clients of a host, one after the other. Addresses take turns, and answers are cached.
    """

    _clock: IReactorTime
    _scheduler: FairScheduler
    limits: QuestionLimits = field(factory=QuestionLimits)
    #: Does the work for answers in slices. Sending an answer to one client is also one step of such work.
    slices: Slices = field(
        init=False, default=Factory(lambda self: Slices(self._clock, self._scheduler), takes_self=True)
    )
    #: Cached answers that are sent as soon as the reactor has time, each with the `Deferred` of its client.
    _late: deque[tuple[Deferred[Any], Any]] = field(factory=deque)
    #: The questions that wait, by address.
    _lines: Rounds[str, _Question] = field(factory=Rounds)
    #: All questions without an answer yet, waiting or begun, by key.
    unanswered: dict[Hashable, _Question] = field(factory=dict)
    #: The question that is being answered; others wait for it, unless it steps aside.
    _current: _Question | None = None
    #: The questions that have begun, and wait for long work while others are answered.
    _aside: set[_Question] = field(factory=set)
    #: How many questions were refused since the start.
    refused: int = field(init=False, default=0)
    #: The cached answers by key; the newest is the last.
    _kept: OrderedDict[Hashable, _Kept] = field(factory=OrderedDict)
    _kept_bytes: int = 0
    #: The keys of answers that become invalid, by the whole second in which they do.
    _ending: dict[int, dict[Hashable, None]] = field(factory=dict)
    _pause: Timer = field(factory=Timer)
    _halted: bool = False

    log = Logger()

    def __attrs_post_init__(self) -> None:
        self._scheduler.first = self.slices.address

    @property
    def waiting(self) -> int:
        """How many questions wait for their turn, of all addresses."""
        return len(self._lines)

    def ask(self, address: str, key: Hashable, work: Work) -> Deferred[Any]:
        """
        Answer a question, at once or later. A client that cancels the `Deferred` stops waiting.

        :param address: of the client, without the port
        :param key: equal for questions that have the same answer. It is made of parsed values, such as an existing
            game, a number, or the key of a name: never of a client's text
        :param work: finds the answer. Called when the turn of this question comes; not called if the answer is cached, or an
            equal question waits
        :returns: fires with the `value` of the answer, or fails with `NotAnswered`
        """
        # A cached answer comes at once if this turn of the reactor has time for it.
        kept = self._found(key)
        if kept is not None:
            # `in_turn`: the client's message is being processed in its turn, which has been counted.
            now = self._scheduler.in_turn or self._scheduler.has_time()
            return succeed(kept.value) if now else self._tell_late(kept.value)
        if self._halted:
            return fail(NotAnswered(STOPPING))
        # Put the question into the line of its address, unless an equal one has begun or waits in the same line.
        whom = rate_limit_key(address)
        question = self.unanswered.get(key)
        # An equal question of another address is joined, too, but waits in both lines: whichever comes first counts.
        if question is None or not (question.begun or whom in question.askers.values()):
            refusal = self._refusal(whom)
            if refusal is not None:
                self.refused += 1
                return fail(TooManyQuestions(refusal))
            question = question or self.unanswered.setdefault(key, _Question(key, work))
            self._lines.put(whom, question)
        answer: Deferred[Any] = Deferred(self._withdraw(question))
        question.askers[answer] = whom
        if self._current is None and not self._pause:
            self._begin_next()
        return answer

    def tell(
        self,
        address: str,
        key: Hashable,
        work: Work,
        answered: Callable[[Any], None],
        refused: Callable[[NotAnswered], None],
    ) -> Callable[[], None]:
        """
        Answer a question as `ask` does, but call functions instead of returning a `Deferred`.

        :param answered: called with the `value` of the answer, at once or later
        :param refused: called instead if there is no answer
        :returns: a function that cancels both callbacks
        """

        def failed(failure: Failure) -> None:
            if not failure.check(CancelledError):  # a client that has cancelled receives nothing
                failure.trap(NotAnswered)  # raises any other exception again, for the log below
                refused(failure.value)  # type: ignore[arg-type]

        answer = self.ask(address, key, work)
        answer.addCallbacks(answered, failed)
        # A fault in `answered` or `refused` must not disturb other clients.
        answer.addErrback(lambda failure: self.log.failure("an answer cannot be told", failure))
        return answer.cancel

    async def in_slices(self, steps: Generator[None, None, R]) -> R:
        """
        Do long work for an answer in slices, one in each turn of the reactor, so that it does not delay players.

        :param steps: does a part of the work up to each `yield`
        :returns: what the generator returns; an exception of the generator is raised
        """
        done: Deferred[R | Exception] = Deferred()
        self.slices.run(steps, done.callback, has_time=True)
        result = await done
        if isinstance(result, Exception):  # `Slices` passes an exception of the generator as its result
            raise result
        return result

    def step_aside(self, abandoned: Callable[[], None] = lambda: None) -> None:
        """
        Let the next questions begin while the current one waits for long work. Called by the work of the current question.
        If too many questions have stepped aside already, the next ones still wait.

        :param abandoned: called if no client waits for this answer any more; it should end the work
        """
        if self._current is not None:
            self._current.abandoned = abandoned
        if self._current is not None and len(self._aside) < MOST_ASIDE:
            self._aside.add(self._current)
            self._go_on(self._current)  # as if this question were answered

    def halt(self) -> None:
        """Drop all waiting questions, because the host stops. Their clients get no answer."""
        self._halted = True
        self._lines = Rounds()
        self.unanswered.clear()
        self._late.clear()
        self.slices.halt()
        self._pause.stop()

    def _refusal(self, whom: str) -> str | None:
        """The reason why this address may not ask another question now; `None`: it may."""
        if whom == HOUSE_ADDRESS:
            return None  # house players ask when they come back to their matches
        here, limits = self._lines.count_of(whom), self.limits
        if limits.per_address is not None and here >= limits.per_address:
            return f"{here} questions from your address wait for an answer, and no more can; try again later"
        if limits.most is not None and self.waiting >= limits.most:
            return "too many people look something up at this moment; try again later"
        return None

    def _withdraw(self, question: _Question) -> Callable[[Deferred[Any]], None]:
        """Make the function that a `Deferred` calls when it is cancelled: its client does not wait any more."""

        def withdraw(answer: Deferred[Any]) -> None:
            """
            Remove a client from those that wait. A waiting question leaves the line of the client's address if no other client
            there asks it. A question that has begun is abandoned if this was its last client.
            """
            whom = question.askers.pop(answer, None)  # `None`: it has its answer already
            if whom is not None and not question.begun and whom not in question.askers.values():
                self._lines.remove(whom, question)
                if not question.askers:
                    self.unanswered.pop(question.key, None)
            elif whom is not None and question.begun and not question.askers:
                question.abandoned()

        return withdraw

    def _begin_next(self) -> None:
        """Begin the work for the next question, and take this question out of the lines of all its askers."""
        if not self._lines:
            return
        question = self._current = self._lines.pop()
        question.begun = True
        for address in set(question.askers.values()):  # equal questions may wait in the lines of several addresses
            self._lines.remove(address, question)
        Deferred.fromCoroutine(question.work()).addBoth(self._answer, question)

    def _answer(self, found: Found | Failure, question: _Question) -> None:
        """Cache the answer, send it to all askers in slices, and then begin the next question."""
        if isinstance(found, Failure):
            # A fault of the host is logged. The clients receive only that there is one.
            if not found.check(NotAnswered):
                self.log.failure("a question cannot be answered", found)
                found = Failure(NotAnswered(FAULT))
        elif found.size:  # 0: the answer must not be cached
            self.keep(question.key, found)
        self.unanswered.pop(question.key, None)
        self._aside.discard(question)
        self.slices.run(_telling(found, question), lambda told: self._go_on(question))

    def _go_on(self, question: _Question) -> None:
        """Begin the next question after a pause, because this one is answered or steps aside."""
        if self._current is not question:
            return  # this question stepped aside earlier, so the next one has begun already
        self._current = None
        if self._lines:
            self._pause.set(self._clock, PAUSE, self._begin_next)

    def _tell_late(self, value: Any) -> Deferred[Any]:
        """Send a cached answer when the reactor has time for it."""
        answer: Deferred[Any] = Deferred()
        self._late.append((answer, value))
        if len(self._late) == 1:  # otherwise the sending has begun already
            self.slices.run(self._telling_late(), lambda told: None)
        return answer

    def _telling_late(self) -> Generator[None, None, None]:
        """Send the cached answers in `_late`, one with each step."""
        while self._late:
            answer, value = self._late[0]
            answer.callback(value)
            if self._late:  # what the answer has called may have stopped the host: `halt` empties this
                self._late.popleft()
            yield

    # -- cached answers

    def _found(self, key: Hashable) -> Found | None:
        """The cached answer of a key if it is still valid; otherwise `None`."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        if kept.until < self._clock.seconds():
            self._drop(key)
            return None
        self._kept.move_to_end(key)
        return kept.found

    def kept(self, key: Hashable) -> Any:
        """The cached value of a key; `None`: there is none."""
        found = self._found(key)
        return None if found is None else found.value

    def keep(self, key: Hashable, found: Found) -> None:
        """Cache an answer until it becomes invalid, or until newer answers need its space."""
        now = self._clock.seconds()
        self._drop_expired(now)
        size = found.size + _key_bytes(key) + OVERHEAD
        if size > self.limits.kept_bytes:
            return
        if key in self._kept:
            self._drop(key)
        kept = self._kept[key] = _Kept(found, now + found.seconds, size)
        if isfinite(kept.until):  # an answer that is valid for ever never expires
            self._ending.setdefault(int(kept.until), {})[key] = None
        self._kept_bytes += size
        # Drop the answers that were not used for longest: they stand first.
        while self._kept_bytes > self.limits.kept_bytes:
            self._drop(next(iter(self._kept)))

    def _drop_expired(self, now: float) -> None:
        """Drop all answers that have become invalid. No client asks for them, so they would fill the cache otherwise."""
        while self._ending and (second := min(self._ending)) < int(now):  # `_drop` removes the second with its last key
            for key in tuple(self._ending[second]):
                self._drop(key)

    def _drop(self, key: Hashable) -> None:
        """Remove a cached answer."""
        kept = self._kept.pop(key)
        self._kept_bytes -= kept.bytes
        if isfinite(kept.until):
            ending = self._ending[int(kept.until)]
            del ending[key]
            if not ending:
                del self._ending[int(kept.until)]


def _key_bytes(key: Hashable) -> int:
    """How many bytes of memory a key takes, with the texts and numbers in it."""
    parts = sum(map(_key_bytes, key)) if isinstance(key, tuple) else 0
    return sys.getsizeof(key) + parts


def _telling(found: Found | Failure, question: _Question) -> Generator[None, None, None]:
    """Answer all askers, one with each step. Some of them may cancel meanwhile."""
    while question.askers:
        answer = next(iter(question.askers))
        del question.askers[answer]
        if isinstance(found, Failure):
            answer.errback(found)
        else:
            answer.callback(found.value)
        yield
