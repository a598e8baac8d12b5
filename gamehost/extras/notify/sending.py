"""
Requests to push services: a queue, some at a time, and those that failed again after a while.

A push service is somebody else's, so what it answers is bounded: in time, in bytes, and no address in it is followed.
"""

from collections.abc import Callable
from typing import Any

from attrs import define, evolve, field, frozen
from twisted.internet.defer import Deferred, succeed
from twisted.internet.protocol import Protocol
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.client import Agent
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent, IBodyProducer
from zope.interface import implementer

from gamehost._twisted import Timer, quiet_pool
from gamehost.extras.notify.encryption import Vapid, encrypted
from gamehost.extras.notify.subscriptions import Subscription

#: Requests at a time, and pushes that wait.
AT_ONCE, MOST_QUEUED = 8, 10_000
#: How often a push is tried, and the seconds before the second and the third time.
PAUSES = (10.0, 120.0)
#: Seconds for a request and its answer, and for the connection alone.
REQUEST_SECONDS, CONNECT_SECONDS = 30.0, 10.0
#: The longest pause that a push service can ask for, in seconds.
LONGEST_PAUSE = 600.0
#: Bytes of an answer.
_MOST_ANSWERED = 16_384
#: Seconds for which a push service stores a push for a browser that is not there.
KEPT_SECONDS = 86_400
#: Seconds between two lines of the log about failures.
_LOG_EVERY = 60.0

_GONE = (404, 410)


@frozen
class Push:
    """One push."""

    subscription: Subscription
    #: What the browser gets, in clear.
    text: bytes = field(repr=False)
    #: Of several with one topic the newest counts, here and at the push service. At most 32 characters of base64url.
    topic: str
    tries: int = 0


@implementer(IBodyProducer)
class _Body:
    """The body of a request, written at once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.length: Any = len(data)

    def startProducing(self, consumer: Any) -> Deferred[None]:
        consumer.write(self._data)
        return succeed(None)

    def pauseProducing(self) -> None:
        """Nothing more comes."""

    resumeProducing = stopProducing = pauseProducing


class _Drop(Protocol):
    """Reads an answer, and stores nothing of it. If it is too long, the connection is closed."""

    transport: Any

    def __init__(self) -> None:
        self._left = _MOST_ANSWERED

    def dataReceived(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left < 0:
            self.transport.stopProducing()


def new_agent(reactor: Any) -> tuple[Agent, Any]:
    """An agent that keeps connections to push services, and checks who they are; and its connections."""
    pool = quiet_pool(reactor)
    return Agent(reactor, connectTimeout=CONNECT_SECONDS, pool=pool), pool


# It is not written into a log: endpoints are in it.
@define(eq=False, repr=False)
class Sender:
    """
    Sends pushes.

    :param gone: called with a subscription that the push service does not know any more
    """

    _clock: Any
    _agent: IAgent
    _vapid: Vapid
    _gone: Callable[[Subscription], None]
    #: By log-in and topic, the oldest first.
    _queue: dict[tuple[bytes, str], Push] = field(init=False, factory=dict)
    _busy: set[Deferred[Any]] = field(init=False, factory=set)
    #: Pushes that are tried again later, by log-in and topic.
    _later: dict[tuple[bytes, str], Timer] = field(init=False, factory=dict)
    _stopped: bool = field(init=False, default=False)
    #: Pushes that were sent, that failed for good, and that found no room.
    sent: int = field(init=False, default=0)
    failed: int = field(init=False, default=0)
    dropped: int = field(init=False, default=0)
    _say_from: float = field(init=False, default=0.0)

    log = Logger()

    def send(self, push: Push) -> None:
        """Send a push when it is its turn. It takes the place of one with the same topic to the same browser."""
        place = _place(push)
        if (timer := self._later.pop(place, None)) is not None:
            timer.stop()
        if place not in self._queue and len(self._queue) + len(self._later) >= MOST_QUEUED:
            self.dropped += 1
            self._say("the queue of pushes is full: {count} were dropped", count=self.dropped)
            return
        self._queue[place] = push
        self._go_on()

    def stop(self) -> None:
        """Send nothing more."""
        self._stopped = True
        self._queue.clear()
        for timer in self._later.values():
            timer.stop()
        self._later.clear()
        for request in list(self._busy):
            request.cancel()

    def _go_on(self) -> None:
        while self._queue and len(self._busy) < AT_ONCE and not self._stopped:
            self._begin(self._queue.pop(next(iter(self._queue))))

    def _begin(self, push: Push) -> None:
        subscription = push.subscription
        headers = {
            "Authorization": [self._vapid.header(subscription.origin)],
            "Content-Encoding": ["aes128gcm"],
            "Content-Type": ["application/octet-stream"],
            "TTL": [str(KEPT_SECONDS)],
            "Topic": [push.topic],
            "Urgency": ["normal"],
        }
        body = _Body(encrypted(push.text, subscription.key, subscription.secret))
        request = self._agent.request(b"POST", subscription.endpoint.encode("ascii"), Headers(headers), body)
        request.addTimeout(REQUEST_SECONDS, self._clock)
        self._busy.add(request)
        request.addCallbacks(self._answered, self._unanswered, callbackArgs=(push,), errbackArgs=(push,))
        request.addErrback(self._fault)
        request.addBoth(lambda _: self._ended(request))

    def _ended(self, request: Deferred[Any]) -> None:
        self._busy.discard(request)
        self._go_on()

    def _answered(self, response: Any, push: Push) -> None:
        response.deliverBody(_Drop())
        status = response.code
        if 200 <= status < 300:
            self.sent += 1
        elif status in _GONE:
            self._gone(push.subscription)
        elif status == 429 or status >= 500:
            self._again(push, f"status {status}", _pause_of(response))
        else:
            self._fail(push, f"status {status}")

    def _unanswered(self, failure: Failure, push: Push) -> None:
        self._again(push, type(failure.value).__name__)

    def _fault(self, failure: Failure) -> None:
        self.log.failure("a push could not be sent", failure)

    def _again(self, push: Push, why: str, wait: float = 0.0) -> None:
        """Try a push again after a while, unless it was tried often enough, or there is a newer one."""
        place = _place(push)
        if self._stopped or place in self._queue or place in self._later:
            return
        if push.tries >= len(PAUSES):
            self._fail(push, why)
            return
        timer = self._later[place] = Timer()
        timer.set(self._clock, max(wait, PAUSES[push.tries]), self.send, evolve(push, tries=push.tries + 1))

    def _fail(self, push: Push, why: str) -> None:
        self.failed += 1
        where = push.subscription.origin
        self._say("a push to {where} failed: {why}; {count} have failed", where=where, why=why, count=self.failed)

    def _say(self, words: str, **facts: Any) -> None:
        """One line of the log a minute."""
        now = self._clock.seconds()
        if now >= self._say_from:
            self._say_from = now + _LOG_EVERY
            self.log.warn(words, **facts)


def _place(push: Push) -> tuple[bytes, str]:
    return push.subscription.digest, push.topic


def _pause_of(response: Any) -> float:
    """The seconds of the header `Retry-After`; 0: it has none."""
    text = (response.headers.getRawHeaders("Retry-After") or [""])[0]
    return min(float(text), LONGEST_PAUSE) if text.isascii() and text.isdecimal() else 0.0
