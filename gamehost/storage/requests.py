"""
The side of a registry that its host calls: requests, and their answers on the reactor's thread.

A registry with a database or without one derives from `Requests`, and carries them out.
"""

from collections.abc import Callable, Collection
from typing import Any, TypeAlias

from attrs import define, field, frozen

from gamehost.storage.members import Answer, QueueKey
from gamehost.storage.names import ASK_UNTIL, Claim, Release, Request, Transfer, Wait, WaitNoLonger


@frozen
class NewNumbers:
    """As of `Registry.new_numbers`. The result is a range."""

    count: int


@frozen
class Settle:
    """The host knows all names that it has inherited. These are kept, and all others are free."""

    keys: Collection[str]


AnyRequest: TypeAlias = Request | NewNumbers | Settle


@define(eq=False)
class Asked:
    """A request that is not answered yet."""

    request: AnyRequest
    answered: Callable[[Any], None]
    #: Of a claim: when it was tried first, on the clock of whoever carries it out; `None`: it was not tried yet.
    since: float | None = None
    #: Of a claim: the host has given the name away after it made the claim.
    outdated: bool = False

    def is_given_up(self, now: float) -> bool:
        """Whether a claim is not to be tried again. It was tried now, and has no answer yet."""
        if self.since is None:
            self.since = now
        return now - self.since >= ASK_UNTIL


def _nothing(result: object) -> None:
    """Nobody waits for this."""


@define(eq=False)
class Requests:
    """The requests of one member. All methods are for the reactor's thread."""

    epoch: int
    #: Claims that are not answered, by key.
    _claims: dict[str, list[Asked]] = field(init=False, factory=dict)
    #: Nothing more is carried out.
    _stopping: bool = field(init=False, default=False)

    def claim(self, key: str, queue: QueueKey | None, answer: Callable[[Answer | None], None]) -> None:
        asked = Asked(Claim(key, queue), answer)
        self._claims.setdefault(key, []).append(asked)
        self._put(asked)

    def release(self, keys: Collection[str]) -> None:
        if keys:
            self._outdate(keys)
            self._put(Asked(Release(tuple(keys)), _nothing))

    def transfer(self, key: str, home: int, done: Callable[[bool], None]) -> None:
        self._outdate((key,))
        self._put(Asked(Transfer(key, home), done))

    def waits(self, key: str, queue: QueueKey, movable: bool) -> None:
        self._put(Asked(Wait(key, queue, movable), _nothing))

    def waits_no_longer(self, key: str) -> None:
        self._put(Asked(WaitNoLonger(key), _nothing))

    def new_numbers(self, count: int, given: Callable[[range], None]) -> None:
        self._put(Asked(NewNumbers(count), given))

    def settle(self, keys: Collection[str]) -> None:
        """As of `Settle`."""
        self._put(Asked(Settle(tuple(keys)), _nothing))

    def _put(self, asked: Asked) -> None:
        """Have a request carried out."""
        raise NotImplementedError

    def answer(self, asked: Asked, result: Any) -> None:
        """Answer a request. The result of a claim is an `Answer`, or `None`."""
        if isinstance(asked.request, Claim):
            if asked.outdated and result is not None and result.home == self.epoch:
                # The name was given away after the claim was carried out, or was to be.
                if not self._stopping:
                    asked.outdated = False
                    self._put(asked)
                    return
                result = None
            claims = self._claims[asked.request.key]
            claims.remove(asked)
            if not claims:
                del self._claims[asked.request.key]
        asked.answered(result)

    def _outdate(self, keys: Collection[str]) -> None:
        for key in keys:
            for asked in self._claims.get(key, ()):
                asked.outdated = True
