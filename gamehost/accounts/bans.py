"""
Bans: names and addresses that the host refuses. They are stored, so they remain after a restart.

A ban of a name applies also to all names that look like it. A ban of one IPv6 address applies to its whole network of 64
bits, because one customer has all these addresses. IPv4-mapped IPv6 addresses and networks are converted to IPv4.
"""

import re
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Protocol

from attrs import define, field, frozen

from gamehost.accounts.names import Name, NameRefused, checked_name
from gamehost.rates import address_of

_NAME = "name:"
_NETWORK = "network:"
#: The bits before the IPv4 address in an IPv4-mapped IPv6 address.
_MAPPED = 96

#: The beginning of the message to a client with a banned address.
ADDRESS_BANNED = "your address is banned from this host"

#: The form of an IPv4 address, also with numbers that are too large. A name may have this form, but such a text is read as
#: an address.
_MISTYPED_ADDRESS = re.compile(r"[0-9]+(\.[0-9]+){3}", re.ASCII)


class BanRefused(Exception):
    """A ban cannot be set or ended, for example because the text is no name, address or network. The message says why."""


@frozen
class Ban:
    """A ban of a name or of a network."""

    #: Identifies the banned name or network: `name:ann` or `network:192.0.2.0/24`.
    key: str
    #: The banned name, address or network, for people.
    target: str
    #: When the ban begins, in seconds since 1970.
    since: int
    #: When the ban ends, in seconds since 1970; `None`: never.
    until: int | None = None

    @property
    def of_name(self) -> bool:
        return self.key.startswith(_NAME)

    @property
    def words(self) -> str:
        """The message for a banned client."""
        words = "this name is banned from this host" if self.of_name else ADDRESS_BANNED
        if self.until is None:
            return words
        return f"{words} until {datetime.fromtimestamp(self.until, UTC):%Y-%m-%dT%H:%M:%SZ}"


class BanStore(Protocol):
    """The store of the bans. It calls `durable` when a change is on disk."""

    def bans(self) -> Iterable[Ban]:
        """Read all bans. This is called once, at the start."""

    def put_ban(self, ban: Ban, durable: Callable[[], None]) -> None:
        """Store a ban, in place of the one with the same key if there is one."""

    def drop_ban(self, key: str, durable: Callable[[], None]) -> None:
        """Remove the ban with this key, if there is one."""


class MemoryBans:
    """A store of bans in memory only: they are lost when the process ends."""

    def __init__(self) -> None:
        self._bans: dict[str, Ban] = {}

    def bans(self) -> Iterable[Ban]:
        return list(self._bans.values())

    def put_ban(self, ban: Ban, durable: Callable[[], None]) -> None:
        self._bans[ban.key] = ban
        durable()

    def drop_ban(self, key: str, durable: Callable[[], None]) -> None:
        self._bans.pop(key, None)
        durable()


@define(eq=False)
class Bans:
    """
    The bans of a host. A new ban, or the end of one, takes effect only when the change is on disk. So no client receives a
    message about a ban that a crash could undo.

    :param wall: returns the time in seconds since 1970
    """

    _store: BanStore = field(factory=MemoryBans)
    _wall: Callable[[], float] = time.time
    _bans: dict[str, Ban] = field(init=False, factory=dict)
    #: The banned networks, by the IP version and the length of the prefix, and then by the bits of the prefix. To look up an
    #: address, each length that occurs is tried.
    _networks: dict[tuple[int, int], dict[int, Ban]] = field(init=False, factory=dict)
    #: By key: changes that are not durable yet. The newest ban with this key; `None`: the ban was ended.
    _coming: dict[str, Ban | None] = field(init=False, factory=dict)
    #: How many changes of this host are not durable yet.
    _pending: int = field(init=False, default=0)
    #: Bans that `learn` has received meanwhile; `None`: it was not called.
    _learned: Iterable[Ban] | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        for ban in self._store.bans():
            self._hold(ban)
        self.expire()

    def put(self, target: str, seconds: float | None, durable: Callable[[], None]) -> Ban:
        """
        Ban a name, an address or a network.

        :param target: what to ban, as for `ban_key`
        :param seconds: for how long; `None`: for ever
        :param durable: called when the ban is on disk
        :raises BanRefused: the text is no name, address or network
        """
        key, shown = ban_key(target)
        now = int(self._wall())
        ban = Ban(key, shown, now, None if seconds is None else now + max(1, round(seconds)))
        self._coming[key] = ban
        self._pending += 1
        self._store.put_ban(ban, partial(self._own_is_durable, key, ban, durable))
        return ban

    def drop(self, target: str, durable: Callable[[], None]) -> Ban:
        """
        End a ban, and return it.

        :param target: as for `put`
        :param durable: called when the end of the ban is on disk
        :raises BanRefused: there is no such ban
        """
        key, _ = ban_key(target)
        ban = self._coming.get(key, self._bans.get(key))  # a change that is not durable yet counts here
        if ban is None or self._is_over(ban):
            raise BanRefused(f"{target!r} is not banned; gamehost admin bans lists all bans")
        self._coming[key] = None
        self._pending += 1
        self._store.drop_ban(key, partial(self._own_is_durable, key, None, durable))
        return ban

    def learn(self, bans: Iterable[Ban]) -> None:
        """
        Replace all bans by those that were read from the store, because other hosts may have changed them. While changes of
        this host are not durable yet, this waits.

        :param bans: all bans in the store
        """
        if self._pending:
            self._learned = bans
            return
        for ban in list(self._bans.values()):
            self._let_go(ban)
        for ban in bans:
            if not self._is_over(ban):
                self._hold(ban)

    def _own_is_durable(self, key: str, ban: Ban | None, durable: Callable[[], None]) -> None:
        """
        Let a change of this host take effect, because it is durable now.

        :param ban: the new ban; `None`: the ban with this key has ended
        """
        self._pending -= 1
        if self._coming.get(key) is ban:  # otherwise a newer change of the same ban has come
            self._coming.pop(key, None)
        if ban is not None:
            self._hold(ban)
        elif key in self._bans:
            self._let_go(self._bans[key])
        durable()
        # The last own change is durable: now take over what was read from the store meanwhile.
        if not self._pending and self._learned is not None:
            learned, self._learned = self._learned, None
            self.learn(learned)

    def all(self) -> list[Ban]:
        """All bans, the oldest first."""
        self.expire()
        return sorted(self._bans.values(), key=lambda ban: (ban.since, ban.key))

    def of_name(self, name: Name) -> Ban | None:
        """The ban that applies to a name; `None`: it is not banned. Capitals do not matter, nor do letters that look alike."""
        if not self._bans:
            return None
        found = (self._bans.get(_NAME + key) for key in (name.latin, name.skeleton))
        return next((ban for ban in found if ban is not None and not self._is_over(ban)), None)

    def of_address(self, address: str) -> Ban | None:
        """The ban that applies to a client's address; `None`: it is not banned. An empty address is never banned."""
        number = address_of(address) if self._networks else None
        if number is None:
            return None
        for (version, length), networks in self._networks.items():
            if version == number.version:
                # The first `length` bits of the address, which are the key of a network.
                ban = networks.get(int(number) >> (number.max_prefixlen - length))
                if ban is not None and not self._is_over(ban):
                    return ban
        return None

    def expire(self) -> None:
        """Remove the bans that are over, also from the store."""
        for ban in [ban for ban in self._bans.values() if self._is_over(ban)]:
            self._let_go(ban)
            self._store.drop_ban(ban.key, lambda: None)

    def _is_over(self, ban: Ban) -> bool:
        return ban.until is not None and ban.until <= self._wall()

    def _hold(self, ban: Ban) -> None:
        """Let a ban take effect."""
        self._bans[ban.key] = ban
        if not ban.of_name:
            kind, number = _numbered(ban)
            self._networks.setdefault(kind, {})[number] = ban

    def _let_go(self, ban: Ban) -> None:
        """End the effect of a ban."""
        del self._bans[ban.key]
        if not ban.of_name:
            kind, number = _numbered(ban)
            del self._networks[kind][number]
            if not self._networks[kind]:
                del self._networks[kind]


def ban_key(target: str) -> tuple[str, str]:
    """
    Read what to ban.

    :param target: an address, a network such as `192.0.2.0/24`, or a name. With `name:` before it, a text such as `1.2.3.4`
        is read as a name
    :returns: the `key` and the `target` of the ban
    :raises BanRefused: the text is none of these
    """
    network = None if target.startswith(_NAME) else _network(target)
    if network is not None:
        shown = str(network)
        if network.version == 4:
            shown = shown.removesuffix("/32")  # one address
        return f"{_NETWORK}{network}", shown
    if _MISTYPED_ADDRESS.fullmatch(target):
        raise BanRefused(f"{target!r} is no address; if it is the name of a player, type name:{target}")
    try:
        name = checked_name(target.removeprefix(_NAME))
    except NameRefused as refusal:
        raise BanRefused(
            f"{target!r}: expected a name, an address, or a network such as 192.0.2.0/24; {refusal}"
        ) from None
    return _NAME + name.latin, name.text


def _network(text: str) -> IPv4Network | IPv6Network | None:
    """The network to ban for an address or a network; `None`: the text is neither."""
    address = address_of(text)
    if address is not None:  # one address; of IPv6, the network of its customer
        return ip_network((address, 64 if address.version == 6 else 32), strict=False)
    try:
        network = ip_network(text, strict=False)  # bits after the prefix are ignored
    except ValueError:
        return None
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    if mapped is not None and network.prefixlen >= _MAPPED:  # clients with such addresses count as those of IPv4
        return ip_network((mapped, network.prefixlen - _MAPPED))
    return network


def _numbered(ban: Ban) -> tuple[tuple[int, int], int]:
    """The place of a ban in `_networks`: the IP version and the length of the prefix, and the bits of the prefix."""
    network = ip_network(ban.target)
    return (network.version, network.prefixlen), int(network.network_address) >> (
        network.max_prefixlen - network.prefixlen
    )
