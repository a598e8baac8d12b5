"""
What one client may cost: the settings, token buckets, and how many connections there are from where.

Every limit is a setting `limits.NAME` with a unit and a reason. `limits.unlimited` lifts rates and counts for benchmarks and
tests that come from one address; it never lifts sizes and deadlines.
"""

from collections.abc import Hashable
from ipaddress import IPv6Address, ip_address
from typing import Any, Generic, TypeVar

from attrs import define, field, fields, frozen

from gamehost.settings import Settings, from_to, refuse_unknown, seconds, setting, yes_or_no

K = TypeVar("K", bound=Hashable)


def _limit(default: Any, read: Any, words: str) -> Any:
    return field(default=default, metadata={"read": read, "words": words})


@frozen
class Limits:
    """The limits of a host; `words` in the metadata of each says its unit and why it is what it is."""

    unlimited: bool = _limit(
        False,
        yes_or_no,
        "yes: no rates, no counts of connections, tables and log-ins, no strikes, no quotas (benchmarks)",
    )
    connections: int = _limit(
        10_000, from_to(1, 1_000_000), "connections in all: what one process was measured with, 10 KiB each"
    )
    connections_per_address: int = _limit(
        64, from_to(1, 1_000_000), "connections from one address: a class room behind one router"
    )
    new_per_second: float = _limit(
        5.0, seconds, "new connections a second from one address, in the long run: people and bots reconnect slower"
    )
    new_burst: int = _limit(20, from_to(1, 1_000_000), "new connections from one address at once: a class logs in")
    login_seconds: float = _limit(
        10.0, seconds, "seconds to log in for a client that sends nothing: programs log in at once"
    )
    login_patience_seconds: float = _limit(
        60.0, seconds, "seconds to log in, and for a message before that, if a client has begun: people type slowly"
    )
    message_seconds: float = _limit(
        10.0, seconds, "seconds from a message's first byte to its last: a message fits one segment"
    )
    messages_per_second: float = _limit(
        5.0, seconds, "messages a second of one connection, in the long run: 100 in 20 s, as big chess hosts allow"
    )
    messages_burst: int = _limit(
        100, from_to(1, 1_000_000), "messages of one connection at once: a whole Stratego set-up is 41"
    )
    messages_per_turn: int = _limit(
        64, from_to(1, 10_000), "messages of one connection before the others have their turn: at most 1 ms of work"
    )
    refusals: int = _limit(
        20, from_to(1, 1_000_000), "refused messages within 20 s that end a connection: people who mistype are slower"
    )
    open_tables: int = _limit(
        3, from_to(1, 1_000_000), "tables opened from one address that wait for players: more are noise to choose from"
    )
    open_table_seconds: float = _limit(
        600.0,
        seconds,
        "seconds for which a table waits for its players: a coffee; who still wants to play opens another",
    )
    queue_bytes: int = _limit(
        65_536,
        from_to(1_024, 1 << 30),
        "bytes kept for a client that does not read, beside the system's buffer: a whole match's words",
    )
    stalled_seconds: float = _limit(
        10.0, seconds, "seconds for a slow reader to catch up before it is cut off: a phone between two cells"
    )
    close_seconds: float = _limit(
        2.0, seconds, "seconds for a closing connection to take its last words: several times around the world"
    )
    password_work: int = _limit(
        14, from_to(10, 20), "scrypt's n for passwords, as a power of two: 14 is 50 ms and 16 MiB for each log-in"
    )
    log_ins_waiting: int = _limit(
        32, from_to(1, 10_000), "log-ins that wait for their password to be worked on: two seconds of work"
    )
    guesses_per_minute: int = _limit(
        5, from_to(1, 1_000_000), "wrong passwords of one account a minute, and more have to wait: 2.6 million a year"
    )
    failures_per_hour: int = _limit(
        20, from_to(1, 1_000_000), "failed log-ins from one address an hour: people who mistype need fewer"
    )
    accounts_per_address: int = _limit(
        60,
        from_to(1, 1_000_000),
        "new accounts from one address an hour, this machine's own not counted: two classes of thirty behind one router",
    )
    accounts_per_hour: int = _limit(1000, from_to(1, 1_000_000), "new accounts in all an hour: they are kept for ever")

    @property
    def waiting_tables(self) -> tuple[int | None, float]:
        """How many tables of one address may wait for players (`None`: any number), and for how many seconds each."""
        return None if self.unlimited else self.open_tables, self.open_table_seconds

    @classmethod
    def read(cls, settings: Settings) -> "Limits":
        """
        Limits from settings without their `limits.` in front.

        :raises BadOption: a limit is unknown or cannot be used
        """
        refuse_unknown(settings, (limit.name for limit in fields(cls)))
        return cls(
            **{
                limit.name: setting(settings, limit.name, limit.default, limit.metadata["read"])
                for limit in fields(cls)
            }
        )


#: Within so many seconds refusals add up to `Limits.refusals`.
REFUSAL_SECONDS = 20.0


class TokenBucket:
    """
    So many at once, and so many a second in the long run.

    :param rate: tokens a second that flow back
    :param burst: tokens in a full bucket
    :param now: the time, in seconds
    """

    __slots__ = ("_at", "_burst", "_rate", "_tokens")

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = float(burst)
        self._at = now

    def take(self, now: float) -> bool:
        """Take one token; `False`: there is none."""
        elapsed = now - self._at
        # Less than nothing: the system's clock was set back. Nobody pays for that.
        if self._tokens < self._burst and elapsed > 0.0:
            self._tokens = min(self._burst, self._tokens + elapsed * self._rate)
        self._at = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True

    def take_ahead(self, now: float) -> float:
        """Take one token, which may be one that has not flowed back yet; the seconds until it has."""
        if self.take(now):
            return 0.0
        self._tokens -= 1.0
        return -self._tokens / self._rate

    def has_one(self, now: float) -> bool:
        """Whether there is a token to take."""
        return self._tokens + max(0.0, now - self._at) * self._rate >= 1.0

    def give_back(self) -> None:
        """Put a token back that was taken and is not to count."""
        self._tokens = min(self._burst, self._tokens + 1.0)

    def full(self, now: float) -> bool:
        """Whether all tokens have flowed back: a full bucket need not be remembered."""
        return self._tokens + max(0.0, now - self._at) * self._rate >= self._burst


class KeyedBuckets(Generic[K]):
    """
    A bucket for each key. Full ones are forgotten, amortised, so that a storm of keys cannot make it costly.

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


def is_loopback(address: str) -> bool:
    """Whether this is an address of this machine itself: a loopback address, or a socket in the file system."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == ""


def rate_limit_key(address: str) -> str:
    """
    Whom an address is counted as: itself, and in IPv6 the network of 64 bits that one customer has for their own.

    An IPv4 address that is written as an IPv6 one (`::ffff:192.0.2.1`) is itself. What is no address is itself, too.
    """
    if ":" not in address:
        return address
    try:
        number = IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if number.ipv4_mapped is not None:
        return str(number.ipv4_mapped)
    return f"{IPv6Address(int(number) >> 64 << 64)}/64"


@define(eq=False)
class _Address:
    bucket: TokenBucket
    count: int = 0


class ConnectionLimiter:
    """
    Counts the connections of a host, over all its wires.

    :param limits: what is allowed
    :param room: connections for which the process has files, whatever is allowed; `None`: nobody asked
    """

    def __init__(self, limits: Limits, room: int | None = None) -> None:
        self._limits = limits
        self._room = room
        self._addresses: dict[str, _Address] = {}
        self._sweep_at = 1024
        #: Why nobody is let in now; `None`: they are.
        self.closed: str | None = None
        #: Connections that are let in now.
        self.count = 0
        #: Connections turned away since the start: a counter, since a line of log each would be a weapon.
        self.refused = 0

    def admit(self, address: str, now: float) -> str | None:
        """Count a new connection in; or say why not (nothing is counted then)."""
        if len(self._addresses) >= self._sweep_at:
            self._sweep(now)
        whom = rate_limit_key(address)
        known = self._addresses.get(whom)
        if known is None:
            bucket = TokenBucket(self._limits.new_per_second, self._limits.new_burst, now)
            known = self._addresses[whom] = _Address(bucket)
        refusal = self.closed or (None if self._limits.unlimited else self._refusal(known, now))
        if self._room is not None and self.count >= self._room:
            refusal = "too many connections"
        if refusal is None:
            known.count += 1
            self.count += 1
        else:
            self.refused += 1
        return refusal

    def _refusal(self, known: _Address, now: float) -> str | None:
        if self.count >= self._limits.connections:
            return "too many connections"
        if known.count >= self._limits.connections_per_address:
            return "too many connections from this address"
        if not known.bucket.take(now):
            return "too many new connections from this address"
        return None

    def leave(self, address: str) -> None:
        """Count a connection out that was let in."""
        self.count -= 1
        self._addresses[rate_limit_key(address)].count -= 1

    def _sweep(self, now: float) -> None:
        """Forget addresses that are as good as new; amortised, so that a storm from many cannot make it costly."""
        for address, known in list(self._addresses.items()):
            if known.count == 0 and known.bucket.full(now):
                del self._addresses[address]
        self._sweep_at = max(1024, 2 * len(self._addresses))
