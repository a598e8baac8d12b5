"""
Sends requests to push services: from a queue, a few at the same time, and again after a failure.

A push service is not trusted: its answers are limited in time and in length, and redirections are not followed.
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

#: How many requests are sent at the same time, and how many pushes may wait.
AT_ONCE, MOST_QUEUED = 8, 10_000
#: The seconds before the second and the third try to send a push. There are no more tries.
PAUSES = (10.0, 120.0)
#: The most seconds of a request with its answer, and of making the connection.
REQUEST_SECONDS, CONNECT_SECONDS = 30.0, 10.0
#: The longest pause that a push service can ask for, in seconds.
LONGEST_PAUSE = 600.0
#: The most bytes of an answer.
_MOST_ANSWERED = 16_384
#: For how many seconds a push service stores a push for a browser that is offline.
KEPT_SECONDS = 86_400
#: The least seconds between two lines of the log about failures.
_LOG_EVERY = 60.0

_GONE = (404, 410)


@frozen
class Push:
    """A push that waits to be sent."""

    subscription: Subscription
    #: The content for the browser, not encrypted yet.
    text: bytes = field(repr=False)
    #: At most 32 characters of base64url. A push replaces an older one with the same topic, here and at the push service.
    topic: str
    #: How many tries have failed.
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
        """Does nothing: the whole body is written already."""

    resumeProducing = stopProducing = pauseProducing


class _Drop(Protocol):
    """Reads the body of an answer, and drops it. If the body is too long, the connection is closed."""

    transport: Any

    def __init__(self) -> None:
        self._left = _MOST_ANSWERED

    def dataReceived(self, data: bytes) -> None:
        self._left -= len(data)
        if self._left < 0:
            self.transport.stopProducing()


def new_agent(reactor: Any) -> tuple[Agent, Any]:
    """Returns an HTTP agent that checks certificates and uses connections again, and its pool of connections."""
    pool = quiet_pool(reactor)
    return Agent(reactor, connectTimeout=CONNECT_SECONDS, pool=pool), pool


# The class has no repr, so that the endpoints in it are never logged.
@define(eq=False, repr=False)
class Sender:
    """
    Sends pushes to push services.

    :param vapid: the key that signs the requests
    :param gone: called with a subscription that the push service does not know any more
    """

    _clock: Any
    _agent: IAgent
    _vapid: Vapid
    _gone: Callable[[Subscription], None]
    #: The pushes that wait, by log-in and topic, the oldest first.
    _queue: dict[tuple[bytes, str], Push] = field(init=False, factory=dict)
    #: The requests that are being sent.
    _busy: set[Deferred[Any]] = field(init=False, factory=set)
    #: The timers of pushes that are tried again, by log-in and topic.
    _later: dict[tuple[bytes, str], Timer] = field(init=False, factory=dict)
    _stopped: bool = field(init=False, default=False)
    #: How many pushes were sent, have failed in all tries, and were dropped because the queue was full.
    sent: int = field(init=False, default=0)
    failed: int = field(init=False, default=0)
    dropped: int = field(init=False, default=0)
    #: The next line about failures is not logged before this time.
    _say_from: float = field(init=False, default=0.0)

    log = Logger()

    def send(self, push: Push) -> None:
        """Adds a push to the queue. It replaces a waiting push with the same topic to the same browser."""
        place = _place(push)
        if (timer := self._later.pop(place, None)) is not None:
            # An older push with this topic waits to be tried again: the new one replaces it.
            timer.stop()
        if place not in self._queue and len(self._queue) + len(self._later) >= MOST_QUEUED:
            self.dropped += 1
            self._say("the queue of pushes is full: {count} were dropped", count=self.dropped)
            return
        self._queue[place] = push
        self._go_on()

    def stop(self) -> None:
        """Stops sending: drops all waiting pushes, and cancels the requests."""
        self._stopped = True
        self._queue.clear()
        for timer in self._later.values():
            timer.stop()
        self._later.clear()
        for request in list(self._busy):
            request.cancel()

    def _go_on(self) -> None:
        """Begins as many requests as may be sent at the same time."""
        while self._queue and len(self._busy) < AT_ONCE and not self._stopped:
            self._begin(self._queue.pop(next(iter(self._queue))))

    def _begin(self, push: Push) -> None:
        """Encrypts a push, and sends it to its push service."""
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
        # A fault in one of these two functions.
        request.addErrback(self._fault)
        request.addBoth(lambda _: self._ended(request))

    def _ended(self, request: Deferred[Any]) -> None:
        self._busy.discard(request)
        self._go_on()

    def _answered(self, response: Any, push: Push) -> None:
        """Called with the answer of a push service: decides by the status whether the push is sent again."""
        # The body is not needed, but must be read, so that the connection can be used again.
        response.deliverBody(_Drop())
        status = response.code
        if 200 <= status < 300:
            self.sent += 1
        elif status in _GONE:
            # The browser has ended this subscription: remove it.
            self._gone(push.subscription)
        elif status == 429 or status >= 500:
            # Too many requests, or a fault of the push service: it may name a pause.
            self._again(push, f"status {status}", _pause_of(response))
        else:
            self._fail(push, f"status {status}")

    def _unanswered(self, failure: Failure, push: Push) -> None:
        self._again(push, type(failure.value).__name__)

    def _fault(self, failure: Failure) -> None:
        self.log.failure("a push could not be sent", failure)

    def _again(self, push: Push, why: str, wait: float = 0.0) -> None:
        """
        Sends a push again after a pause, unless it was tried often enough, or a newer push waits.

        :param why: the reason of the failure, for the log
        :param wait: the least seconds of the pause
        """
        place = _place(push)
        if self._stopped or place in self._queue or place in self._later:
            # The notifier stops, or a newer push with this topic waits.
            return
        if push.tries >= len(PAUSES):
            self._fail(push, why)
            return
        timer = self._later[place] = Timer()
        timer.set(self._clock, max(wait, PAUSES[push.tries]), self.send, evolve(push, tries=push.tries + 1))

    def _fail(self, push: Push, why: str) -> None:
        """Drops a push that has failed, and logs the push service and the reason."""
        self.failed += 1
        where = push.subscription.origin
        self._say("a push to {where} failed: {why}; {count} have failed", where=where, why=why, count=self.failed)

    def _say(self, words: str, **facts: Any) -> None:
        """Logs a warning, at most one a minute."""
        now = self._clock.seconds()
        if now >= self._say_from:
            self._say_from = now + _LOG_EVERY
            self.log.warn(words, **facts)


def _place(push: Push) -> tuple[bytes, str]:
    """Returns the key of a push in the queue: its log-in and its topic."""
    return push.subscription.digest, push.topic


def _pause_of(response: Any) -> float:
    """Returns the seconds in the header `Retry-After` of an answer; 0: it has no such header."""
    text = (response.headers.getRawHeaders("Retry-After") or [""])[0]
    return min(float(text), LONGEST_PAUSE) if text.isascii() and text.isdecimal() else 0.0
