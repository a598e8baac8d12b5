"""
Bounds for one address or one connection: token buckets, counts, turns, and the group of addresses that counts as one.

The figures are in `gamehost.limits`.
"""

from collections import Counter, OrderedDict
from collections.abc import Hashable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
W = TypeVar("W")

#: Seconds of the rate of messages that are allowed at once: a whole Stratego set-up is 41 messages.
MESSAGES_SECONDS = 20


def messages_bucket(rate: float, now: float) -> "TokenBucket":
    """A full bucket for messages, at so many a second."""
    return TokenBucket(rate, max(1, round(rate * MESSAGES_SECONDS)), now)


#: Seconds of the rate of moves that are allowed at once: a whole Stratego set-up is 41 moves.
MOVES_SECONDS = 5


def moves_bucket(rate: float, now: float) -> "TokenBucket":
    """A full bucket for accepted moves, at so many a second."""
    return TokenBucket(rate, max(1, round(rate * MOVES_SECONDS)), now)


#: Seconds of the rate of journal bytes that are allowed at once: one remote game of a mebibyte.
JOURNAL_SECONDS = 64


def journal_bucket(rate: float, now: float) -> "TokenBucket":
    """A full bucket for bytes that are added to the journal, at so many a second."""
    return TokenBucket(rate, max(1, round(rate * JOURNAL_SECONDS)), now)


class TokenBucket:
    """
    A rate limit: a burst at once, and a rate in the long run.

    :param rate: tokens a second that flow back
    :param burst: tokens in a full bucket
    :param now: the time, in seconds
    """

    __slots__ = ("_at", "_burst", "_rate", "left")

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate = rate
        self._burst = burst
        #: Tokens that were left when the last one was taken. Since then there may be more, and never fewer.
        self.left = float(burst)
        self._at = now

    @property
    def missing(self) -> float:
        """Tokens that were missing from a full bucket when the last one was taken."""
        return self._burst - self.left

    def take(self, now: float, tokens: float = 1.0) -> bool:
        """Take one token, or so many. `False` if there are too few, and then none is taken."""
        left, elapsed = self.left, now - self._at
        # Negative if the system's clock was set back. That must not cost tokens.
        if elapsed > 0.0:
            left += elapsed * self._rate
            left = left if left < self._burst else self._burst
        self._at = now
        enough = left >= tokens
        self.left = left - tokens if enough else left
        return enough

    def take_ahead(self, now: float, tokens: float = 1.0) -> float:
        """Take one token, or so many, even if there are too few yet. Returns the seconds until there would have been enough."""
        if self.take(now, tokens):
            return 0.0
        self.left -= tokens
        return -self.left / self._rate

    def has_one(self, now: float) -> bool:
        return self.left >= 1.0 or self.left + (now - self._at) * self._rate >= 1.0

    def seconds_to_one(self, now: float, tokens: float = 1.0) -> float:
        """The seconds until there is a token to take, or so many."""
        return max(0.0, (tokens - self.left - max(0.0, now - self._at) * self._rate) / self._rate)

    def give_back(self, tokens: float = 1.0) -> None:
        """Put back a token, or so many, that were taken for something that does not count."""
        left = self.left + tokens
        self.left = left if left < self._burst else self._burst

    def full(self, now: float) -> bool:
        """Whether the bucket is full: a full bucket need not be remembered."""
        return self.left + max(0.0, now - self._at) * self._rate >= self._burst


class KeyedBuckets(Generic[K]):
    """
    A bucket for each key. Full buckets are removed now and then, at a constant cost for each key that was added.

    :param rate: as of `TokenBucket`
    :param burst: as of `TokenBucket`
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: dict[K, TokenBucket] = {}
        self._sweep_at = 1024

    def __len__(self) -> int:
        return len(self._buckets)

    def of(self, key: K, now: float) -> TokenBucket:
        """The bucket of a key, full if it is new."""
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= self._sweep_at:
                self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.full(now)}
                self._sweep_at = max(1024, 2 * len(self._buckets))
            bucket = self._buckets[key] = TokenBucket(self._rate, self._burst, now)
        return bucket


class AddressCounts(Counter[str]):
    """How many there are of each address, by its `rate_limit_key`. An address without any is not remembered."""

    def of(self, address: str) -> int:
        return self[rate_limit_key(address)]

    def enter(self, address: str) -> None:
        self[rate_limit_key(address)] += 1

    def leave(self, address: str) -> None:
        whom = rate_limit_key(address)
        self[whom] -= 1
        if not self[whom]:
            del self[whom]


class Rounds(Generic[K, W]):
    """
    Waiting objects, in lines by address or by another kind of turn-taker. A round takes the oldest waiter of each
    turn-taker, in the order in which the turn-takers came.
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[K, OrderedDict[W, None]] = OrderedDict()
        #: The number of waiters.
        self.waiting = 0

    def __len__(self) -> int:
        return self.waiting

    def count_of(self, taker: K) -> int:
        return len(self._lines.get(taker, ()))

    def put(self, taker: K, waiter: W, first: bool = False) -> None:
        """
        Add a waiter behind the others of this turn-taker. A waiter that is in the line already keeps its place.

        :param first: be next instead
        """
        line = self._lines.setdefault(taker, OrderedDict())
        self.waiting += waiter not in line
        line[waiter] = None
        if first:
            line.move_to_end(waiter, last=False)
            self.advance(taker)

    def advance(self, taker: K) -> None:
        """This turn-taker is the next one, if anybody waits there."""
        if taker in self._lines:
            self._lines.move_to_end(taker, last=False)

    def peek(self) -> W:
        """
        The next waiter, without removing it.

        :raises StopIteration: the lines are empty
        """
        return next(iter(next(iter(self._lines.values()))))

    def pop(self) -> W:
        """
        Remove and return the next waiter.

        :raises KeyError: the lines are empty
        """
        taker, line = self._lines.popitem(last=False)
        waiter, _ = line.popitem(last=False)
        self.waiting -= 1
        if line:
            self._lines[taker] = line
        return waiter

    def remove(self, taker: K, waiter: W) -> None:
        """Remove a waiter. Nothing happens if it is not in the line."""
        line = self._lines.get(taker)
        if line is not None and waiter in line:
            del line[waiter]
            self.waiting -= 1
            if not line:
                del self._lines[taker]


@lru_cache(maxsize=1_024)
def is_loopback(address: str) -> bool:
    """Whether this is an address of this machine itself: a loopback address, or a socket in the file system."""
    number = address_of(address)
    return address == "" if number is None else number.is_loopback


def same_address(one: str, other: str) -> bool:
    """
    Whether two addresses belong to one client. All addresses of this machine itself do, by IPv4 and IPv6: a program
    takes one or the other for `localhost` from one connection to the next. At a socket in the file system the client is
    not known.
    """
    return one == other or (one != "" != other and is_loopback(one) and is_loopback(other))


def rate_limit_key(address: str) -> str:
    """
    The key under which an address is counted: the address, or for IPv6 its network of 64 bits, which one customer owns.

    An IPv4 address that is written as an IPv6 one (`::ffff:192.0.2.1`) counts as IPv4. Other text is its own key.
    """
    if ":" not in address:
        return address
    number = address_of(address)
    if number is None:
        return address
    return str(number) if number.version == 4 else f"{IPv6Address(int(number) >> 64 << 64)}/64"


def address_of(text: str) -> IPv4Address | IPv6Address | None:
    """An address without its zone, and an IPv4 one if it is that in the words of IPv6; `None`: this is no address."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
