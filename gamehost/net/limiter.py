"""
Limits on the number and the rate of connections, in all and for each address: for wires, for HTTP, and for connections
that wait for a header.
"""

from collections import Counter
from collections.abc import Callable

from gamehost.accounts.bans import Bans
from gamehost.limits import Limits
from gamehost.rates import AddressCounts, KeyedBuckets, TokenBucket, journal_bucket, moves_bucket, rate_limit_key


class _Address:
    """The connections and the rates of one address."""

    __slots__ = ("count", "journal", "moves", "new", "told")

    def __init__(self, limits: Limits, now: float) -> None:
        #: How many connections the address has.
        self.count = 0
        self.fill(limits, now)

    def fill(self, limits: Limits, now: float) -> None:
        """Fill all buckets, by these limits. A bucket has tokens that each use takes and that come back over time."""
        #: The rate of new connections.
        self.new = TokenBucket(limits.new_per_second, limits.new_burst, now)
        #: The rate of refused connections that receive the reason. Sending a reason costs more than admitting a connection.
        self.told = TokenBucket(limits.new_per_second, limits.new_burst, now)
        #: The rate of accepted moves of all its connections.
        self.moves = moves_bucket(limits.moves_per_second_per_address, now)
        #: The rate of bytes that all its connections add to the journal, besides the few bytes of each move.
        self.journal = journal_bucket(limits.journal_bytes_per_second_per_address, now)

    def idle(self, now: float) -> bool:
        """Whether the address can be removed: it has no connections, and all of its buckets are full."""
        return self.count == 0 and all(bucket.full(now) for bucket in (self.new, self.told, self.moves, self.journal))


#: The most refused connections that receive the reason at the same time. Each needs a file until the client has read it.
MOST_BEING_REFUSED = 64

#: So many percent of `Limits.connections` are reserved for addresses with a seat in a match. So players can come back to
#: their matches even if strangers use all other connections. Of 10,000 connections, 500 are reserved.
RESERVED_PERCENT = 5


FULL = "too many connections"
FULL_ADDRESS = "too many connections from this address"
TOO_QUICK = "too many new connections from this address"

#: The kinds of refusals. `CLOSED` is the kind of all others: the host is busy, or its disk is full.
KINDS = {FULL: "full", FULL_ADDRESS: "address_full", TOO_QUICK: "address_rate"}
BANNED, CLOSED = "banned", "closed"


class ConnectionLimiter:
    """
    Counts the connections of a host on all its wires, and refuses new ones above the limits.

    :param room: the number of connections for which the process has file descriptors; `None`: unknown
    :param seats_at: called with a `rate_limit_key`: returns how many seats in matches belong to players from this address,
        connected or away
    :param bans: the bans of the host; by default there are none
    """

    def __init__(
        self,
        limits: Limits,
        room: int | None = None,
        seats_at: Callable[[str], int] = lambda address: 0,
        bans: Bans | None = None,
    ) -> None:
        """Begin without connections. The class describes the parameters."""
        self._limits = limits
        self._bans = bans or Bans()
        self._room = room
        most = limits.connections if room is None else min(limits.connections, room)
        #: How many connections all addresses together may use. The others are reserved for addresses with a seat in a match.
        self._unreserved = most - most * RESERVED_PERCENT // 100
        self._seats_at = seats_at
        self._addresses: dict[str, _Address] = {}
        #: With so many addresses, those that are idle are removed.
        self._sweep_at = 1024
        #: How many refused connections are receiving the reason now.
        self.being_refused = 0
        #: The reason why all new connections are refused now; `None`: they are not.
        self.closed: str | None = None
        #: How many connections are open now.
        self.count = 0
        #: How many connections were refused since the start, by the kind of the reason.
        self.refusals: Counter[str] = Counter()

    @property
    def refused(self) -> int:
        """How many connections were refused since the start."""
        return self.refusals.total()

    def admit(self, address: str, now: float) -> str | None:
        """
        Admit and count a new connection, or refuse it.

        :returns: the reason of the refusal; `None`: it is admitted, and the caller must call `leave` when it ends
        """
        if len(self._addresses) >= self._sweep_at:
            self._sweep(now)
        whom = rate_limit_key(address)
        known = self._addresses.get(whom)
        if known is None:
            known = self._addresses[whom] = _Address(self._limits, now)
        banned = self.banned(address)
        refusal = banned or self.closed or (None if self._limits.unlimited else self._refusal(whom, known, now))
        # Without file descriptors no connection is possible, even if the limits are switched off.
        if self._room is not None and self.count >= self._room:
            refusal = FULL
        if refusal is None:
            known.count += 1
            self.count += 1
        else:
            self.refusals[BANNED if refusal is banned else KINDS.get(refusal, CLOSED)] += 1
        return refusal

    def may_be_told(self, address: str, now: float) -> bool:
        """
        Whether a connection that `admit` has just refused may receive the reason. If not, the caller closes it without a
        message. Each call that returns `True` uses up some of the rate of the address.
        """
        if self.being_refused >= MOST_BEING_REFUSED:
            return False
        # `take` uses up a token of the address, if there is one.
        return self._limits.unlimited or self._addresses[rate_limit_key(address)].told.take(now)

    def change(self, limits: Limits) -> None:
        """Use other limits from now on, with full buckets for every address."""
        self._limits = limits
        for address, known in list(self._addresses.items()):
            if known.count:
                known.fill(limits, 0.0)  # full buckets, whatever the time
            else:
                del self._addresses[address]

    def banned(self, address: str) -> str | None:
        """The message to a client at this address if it is banned; `None`: it is not."""
        ban = self._bans.of_address(address)
        return None if ban is None else ban.words

    def _refusal(self, whom: str, known: _Address, now: float) -> str | None:
        """The reason why the limits refuse a new connection of an address; `None`: they do not."""
        if self.count >= self._limits.connections:
            return FULL
        # An address may use two reserved connections for each seat: the old connection of a player that comes back may
        # still be open.
        if self.count >= self._unreserved and known.count >= 2 * self._seats_at(whom):
            return FULL
        if known.count >= self._limits.connections_per_address:
            return FULL_ADDRESS
        if not known.new.take(now):  # last, because it uses up a token
            return TOO_QUICK
        return None

    def journal_of(self, address: str) -> TokenBucket:
        """The bucket for the bytes that an address adds to the journal. The address must have a connection."""
        return self._addresses[rate_limit_key(address)].journal

    def moves_of(self, address: str) -> TokenBucket:
        """The bucket for the accepted moves of an address. The address must have a connection."""
        return self._addresses[rate_limit_key(address)].moves

    def leave(self, address: str) -> None:
        """Count an admitted connection no longer, because it has ended."""
        self.count -= 1
        self._addresses[rate_limit_key(address)].count -= 1

    def _sweep(self, now: float) -> None:
        """
        Remove addresses without connections and with full buckets. The next time is when the number of addresses has
        doubled, so the cost for each new address is constant on average.
        """
        for address, known in list(self._addresses.items()):
            if known.idle(now):
                del self._addresses[address]
        self._sweep_at = max(1024, 2 * len(self._addresses))


#: The most connections of proxies and of other members of a cluster that wait for their header. Each may wait for
#: `gamehost.net.endpoints.HEADER_SECONDS`.
MOST_HEADERS = 512
#: The most of these connections from one proxy or member. A header is sent at once, so usually few connections wait.
MOST_HEADERS_PER_ADDRESS = 256


class HeaderLimiter:
    """
    Counts connections that wait for their header: those of proxies, and of other members of a cluster. When the header is
    complete, the client is known, and another limiter counts the connection.

    :param most: the most connections in all
    :param per_address: the most connections from one proxy or member
    """

    def __init__(self, most: int = MOST_HEADERS, per_address: int = MOST_HEADERS_PER_ADDRESS) -> None:
        """Begin without connections. The class describes the parameters."""
        self.most, self.per_address = most, per_address
        #: Whether the number of connections has no limit.
        self.unlimited = False
        #: How many connections wait now.
        self.count = 0
        self._by_address = AddressCounts()

    def admit(self, address: str) -> bool:
        """Admit and count a new connection, or refuse it. Only for an admitted one, the caller must call `leave`."""
        full = self.count >= self.most or self._by_address.of(address) >= self.per_address
        if full and not self.unlimited:
            return False
        self.count += 1
        self._by_address.enter(address)
        return True

    def leave(self, address: str) -> None:
        """Count an admitted connection no longer, because it has ended or its header is complete."""
        self.count -= 1
        self._by_address.leave(address)


class HttpLimiter:
    """
    Counts HTTP connections and requests. They are many and short, so they have limits of their own. If a connection becomes a
    WebSocket, the `ConnectionLimiter` counts it from then on.

    :param room: the number of connections for which the process has file descriptors; `None`: unknown
    """

    def __init__(self, limits: Limits, room: int | None = None) -> None:
        """Begin without connections. The class describes the parameters."""
        self._limits = limits
        self._most = limits.http_connections if room is None else min(limits.http_connections, room)
        self._by_address = AddressCounts()
        self.change(limits)  # makes the full buckets
        #: How many connections are open now.
        self.count = 0
        #: How many connections and requests were refused since the start.
        self.refused_connections = self.refused_requests = 0

    def admit(self, address: str, now: float) -> bool:
        """
        Admit and count a new connection, or refuse it. Only for an admitted one, the caller must call `leave`.

        :param address: of the client or the proxy; empty: a trusted proxy at a Unix socket, for which only the limit on all
            connections applies
        """
        if not self._has_room(rate_limit_key(address), now):
            self.refused_connections += 1
            return False
        self.count += 1
        self._by_address.enter(address)
        return True

    def change(self, limits: Limits) -> None:
        """Use other limits from now on, with full buckets for every address."""
        self._limits = limits
        self._new: KeyedBuckets[str] = KeyedBuckets(limits.http_new_per_second, limits.http_new_burst)
        self._asked: KeyedBuckets[str] = KeyedBuckets(limits.http_requests_per_second, limits.http_requests_burst)

    def _has_room(self, whom: str, now: float) -> bool:
        """Whether the limits allow one more connection of this address."""
        if self.count >= self._most:
            return False
        if not whom or self._limits.unlimited:
            return True
        full = self._by_address[whom] >= self._limits.http_connections_per_address
        # `take` comes last, because it uses up a token of the address.
        return not full and self._new.of(whom, now).take(now)

    def leave(self, address: str) -> None:
        """Count an admitted connection no longer, because it has ended, or another limiter counts it."""
        self.count -= 1
        self._by_address.leave(address)

    def may_ask(self, address: str, now: float) -> bool:
        """Count a request of this address. Returns whether it may be answered; otherwise it is above the rate."""
        answered = self._limits.unlimited or self._asked.of(rate_limit_key(address), now).take(now)
        self.refused_requests += not answered
        return answered
