"""
Tools for limits on an address or a connection: token buckets, counts, turns, and the key under which an address is
counted.

The values of the limits are in `gamehost.limits`.
"""

from collections import Counter, OrderedDict
from collections.abc import Hashable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
W = TypeVar("W")

#: A client may send at once as many messages as the rate allows in this many seconds. A whole Stratego set-up has 41
#: messages.
MESSAGES_SECONDS = 20


def messages_bucket(rate: float, now: float) -> "TokenBucket":
    """
    A full bucket for the messages of a client.

    :param rate: messages in a second
    """
    return TokenBucket(rate, max(1, round(rate * MESSAGES_SECONDS)), now)


#: A client may make at once as many moves as the rate allows in this many seconds. A whole Stratego set-up has 41
#: moves.
MOVES_SECONDS = 5


def moves_bucket(rate: float, now: float) -> "TokenBucket":
    """
    A full bucket for accepted moves.

    :param rate: moves in a second
    """
    return TokenBucket(rate, max(1, round(rate * MOVES_SECONDS)), now)


#: An address may add to the journal at once as many bytes as the rate allows in this many seconds: one remote game of a
#: mebibyte.
JOURNAL_SECONDS = 64


def journal_bucket(rate: float, now: float) -> "TokenBucket":
    """
    A full bucket for bytes that are added to the journal.

    :param rate: bytes in a second
    """
    return TokenBucket(rate, max(1, round(rate * JOURNAL_SECONDS)), now)


class TokenBucket:
    """
    A rate limit. The bucket is full of tokens at first, every action takes some, and new tokens come at a constant
    rate.

    :param rate: how many tokens come back in a second
    :param burst: how many tokens a full bucket has
    :param now: the time, in seconds
    """

    __slots__ = ("_at", "_burst", "_rate", "left")

    def __init__(self, rate: float, burst: int, now: float) -> None:
        """Make a full bucket."""
        self._rate = rate
        self._burst = burst
        #: How many tokens were left after the last `take`. New ones may have come since then.
        self.left = float(burst)
        self._at = now

    @property
    def missing(self) -> float:
        """How many tokens were missing from a full bucket after the last `take`."""
        return self._burst - self.left

    def take(self, now: float, tokens: float = 1.0) -> bool:
        """Take tokens. `False`: there are too few, and none was taken."""
        left, elapsed = self.left, now - self._at
        # `elapsed` is negative if the system's clock was set back: this must not cost tokens.
        if elapsed > 0.0:
            left += elapsed * self._rate
            # At most `burst` tokens. This is faster than `min`.
            left = left if left < self._burst else self._burst
        self._at = now
        enough = left >= tokens
        self.left = left - tokens if enough else left
        return enough

    def take_ahead(self, now: float, tokens: float = 1.0) -> float:
        """Take tokens, even if there are too few. Returns the seconds until there would have been enough."""
        if self.take(now, tokens):
            return 0.0
        # Now `left` is negative: later tokens pay for these.
        self.left -= tokens
        return -self.left / self._rate

    def has_one(self, now: float) -> bool:
        """Whether there is a token to take."""
        return self.left >= 1.0 or self.left + (now - self._at) * self._rate >= 1.0

    def seconds_to_one(self, now: float, tokens: float = 1.0) -> float:
        """The seconds until this many tokens can be taken."""
        return max(0.0, (tokens - self.left - max(0.0, now - self._at) * self._rate) / self._rate)

    def give_back(self, tokens: float = 1.0) -> None:
        """Put tokens back that were taken for something that does not count."""
        left = self.left + tokens
        self.left = left if left < self._burst else self._burst

    def full(self, now: float) -> bool:
        """Whether the bucket is full. A full bucket need not be stored: a new one is equal."""
        return self.left + max(0.0, now - self._at) * self._rate >= self._burst


class KeyedBuckets(Generic[K]):
    """
    A bucket for each key, for instance for each address. Full buckets are removed from time to time.

    :param rate: see `TokenBucket`
    :param burst: see `TokenBucket`
    """

    def __init__(self, rate: float, burst: int) -> None:
        """Begin without buckets. `_sweep_at` is the number of buckets at which full ones are removed."""
        self._rate = rate
        self._burst = burst
        self._buckets: dict[K, TokenBucket] = {}
        self._sweep_at = 1024

    def __len__(self) -> int:
        return len(self._buckets)

    def of(self, key: K, now: float) -> TokenBucket:
        """The bucket of a key. A new bucket is full."""
        bucket = self._buckets.get(key)
        if bucket is None:
            if len(self._buckets) >= self._sweep_at:
                # A full bucket is the same as a new one, so it need not be stored. Search again when twice as many are
                # stored.
                self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.full(now)}
                self._sweep_at = max(1024, 2 * len(self._buckets))
            bucket = self._buckets[key] = TokenBucket(self._rate, self._burst, now)
        return bucket


class AddressCounts(Counter[str]):
    """
    Counts things of each address, such as connections. Addresses are counted by their `rate_limit_key`. An address with
    the count 0 is not stored.
    """

    def of(self, address: str) -> int:
        """The count of an address."""
        return self[rate_limit_key(address)]

    def enter(self, address: str) -> None:
        """Count one more for an address."""
        self[rate_limit_key(address)] += 1

    def leave(self, address: str) -> None:
        """Count one less for an address."""
        whom = rate_limit_key(address)
        self[whom] -= 1
        if not self[whom]:
            del self[whom]


class Rounds(Generic[K, W]):
    """
    Queues that take turns. Each queue belongs to a turn-taker, such as an address, and has waiting objects. A round
    takes the oldest object of each queue, in the order in which the turn-takers came.
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[K, OrderedDict[W, None]] = OrderedDict()
        #: The number of objects in all queues.
        self.waiting = 0

    def __len__(self) -> int:
        return self.waiting

    def count_of(self, taker: K) -> int:
        """The number of objects in the queue of a turn-taker."""
        return len(self._lines.get(taker, ()))

    def put(self, taker: K, waiter: W, first: bool = False) -> None:
        """
        Add an object to the end of the queue of a turn-taker. An object that is in the queue already keeps its place.

        :param first: put the object, and its queue, in front of all others
        """
        line = self._lines.setdefault(taker, OrderedDict())
        # `True` counts as 1.
        self.waiting += waiter not in line
        line[waiter] = None
        if first:
            line.move_to_end(waiter, last=False)
            self.advance(taker)

    def advance(self, taker: K) -> None:
        """Give the next turn to this turn-taker, if its queue has objects."""
        if taker in self._lines:
            self._lines.move_to_end(taker, last=False)

    def peek(self) -> W:
        """
        The next object, which remains in its queue.

        :raises StopIteration: all queues are empty
        """
        return next(iter(next(iter(self._lines.values()))))

    def pop(self) -> W:
        """
        Remove and return the next object.

        :raises KeyError: all queues are empty
        """
        taker, line = self._lines.popitem(last=False)
        waiter, _ = line.popitem(last=False)
        self.waiting -= 1
        if line:
            # The rest of the queue goes to the end: the turn-takers take turns.
            self._lines[taker] = line
        return waiter

    def remove(self, taker: K, waiter: W) -> None:
        """Remove an object. Nothing happens if it is not in the queue."""
        line = self._lines.get(taker)
        if line is not None and waiter in line:
            del line[waiter]
            self.waiting -= 1
            if not line:
                del self._lines[taker]


@lru_cache(maxsize=1_024)
def is_loopback(address: str) -> bool:
    """Whether this is an address of this machine: a loopback address, or empty, for a socket in the file system."""
    number = address_of(address)
    return address == "" if number is None else number.is_loopback


def same_address(one: str, other: str) -> bool:
    """
    Whether two addresses may belong to the same client. All loopback addresses of IPv4 and IPv6 count as the same: a
    program that connects to `localhost` may use either. The address of a socket in the file system is empty, and is not
    the same as a loopback address.
    """
    return one == other or (one != "" != other and is_loopback(one) and is_loopback(other))


def rate_limit_key(address: str) -> str:
    """
    The key under which an address is counted. For IPv4 it is the address, and for IPv6 its network of 64 bits, because
    one customer has the whole network. An IPv4 address in the form of IPv6 (`::ffff:192.0.2.1`) counts as IPv4. Any
    other text is its own key.
    """
    if ":" not in address:
        return address
    number = address_of(address)
    if number is None:
        return address
    # Shifting right and left sets the lower 64 bits to 0.
    return str(number) if number.version == 4 else f"{IPv6Address(int(number) >> 64 << 64)}/64"


def address_of(text: str) -> IPv4Address | IPv6Address | None:
    """
    Read an address, and drop its zone. An IPv4 address in the form of IPv6 becomes IPv4. `None`: the text is not an
    address.
    """
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
