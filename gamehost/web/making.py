"""
Answers to questions that have their turn: how they are made, and what it takes to keep them as they are sent.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from gamehost.accounts.login import Worker
from gamehost.lobby.questions import Found
from gamehost.web.http import NEVER, Answer, found
from gamehost.wires.open.codec import to_json

T = TypeVar("T")

JSON = "application/json"

#: Bytes of a body above which a thread compresses it: less takes half a millisecond.
LARGE = 16_384


def in_thread(worker: Worker, work: Callable[[], T]) -> Deferred[T]:
    """Have a thread do some work. Fires with what it returns, or fails with what it raises."""
    answer: Deferred[T] = Deferred()

    def safely() -> T | Failure:
        try:
            return work()
        except Exception:
            return Failure()

    worker(safely, answer.callback)
    return answer


async def as_json(worker: Worker, content: Any, cache: str = NEVER) -> Answer:
    """An answer that programs read."""
    body = to_json(content)
    pack = partial(found, body, JSON, cache)
    return pack() if len(body) <= LARGE else await in_thread(worker, pack)


def kept(answer: Answer, seconds: float = float("inf")) -> Found:
    """An answer that is kept as it is sent, for so long."""
    return Found(answer, len(answer.body) + len(answer.packed or b""), seconds)
