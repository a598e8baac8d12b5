"""
Bans: names and addresses that are refused, stored across restarts.

A ban of a name counts for all names that look like it, too. A ban of one IPv6 address counts for its network of 64
bits, because one customer has all of it. IPv4-mapped IPv6 addresses and networks count as those of IPv4.
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

#: The form of an address. A name can have this form, too, but a text like this is read as an address.
_MISTYPED_ADDRESS = re.compile(r"[0-9]+(\.[0-9]+){3}", re.ASCII)


class BanRefused(Exception):
    """The text is no name, address or network. The message says what was expected."""


@frozen
class Ban:
    """One ban."""

    #: The banned name or network: `name:ann` or `network:192.0.2.0/24`.
    key: str
    #: The name as it was written, the address or the network.
    target: str
    #: When it begins, in seconds since 1970.
    since: int
    #: When it ends, in seconds since 1970; `None`: never.
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
    """The store of the bans. Callbacks come as those of a `Journal`."""

    def bans(self) -> Iterable[Ban]:
        """All bans. This is called once, at the start."""

    def put_ban(self, ban: Ban, durable: Callable[[], None]) -> None:
        """Add a ban, or replace the one with the same key."""

    def drop_ban(self, key: str, durable: Callable[[], None]) -> None:
        """Remove the ban with this key, if there is one."""


class MemoryBans:
    """Bans that end with the process."""

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
    The bans of a host. A new ban takes effect when it is on disk, and so does the end of a ban. So no client receives a
    message about a ban that a crash could undo.

    :param wall: seconds since 1970
    """

    _store: BanStore = field(factory=MemoryBans)
    _wall: Callable[[], float] = time.time
    _bans: dict[str, Ban] = field(init=False, factory=dict)
    #: The banned networks, by version and length, and then by number. An address is looked up once for each length.
    _networks: dict[tuple[int, int], dict[int, Ban]] = field(init=False, factory=dict)
    #: By key: the ban that counts when its newest change is durable; `None`: there is no ban then.
    _coming: dict[str, Ban | None] = field(init=False, factory=dict)
    #: How many of this host's changes are not durable yet, and the bans that the store showed meanwhile.
    _pending: int = field(init=False, default=0)
    _learned: Iterable[Ban] | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        for ban in self._store.bans():
            self._hold(ban)
        self.expire()

    def put(self, target: str, seconds: float | None, durable: Callable[[], None]) -> Ban:
        """
        Ban a name, an address or a network.

        :param target: a name, an address or a network, as of `ban_key`
        :param seconds: for how long; `None`: for ever
        :param durable: called when the ban is on disk
        :raises BanRefused: this is nothing to ban
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
        End a ban.

        :param target: as of `put`
        :param durable: called when this is on disk
        :raises BanRefused: there is no such ban
        """
        key, _ = ban_key(target)
        ban = self._coming.get(key, self._bans.get(key))
        if ban is None or self._is_over(ban):
            raise BanRefused(f"{target!r} is not banned; gamehost admin bans lists all bans")
        self._coming[key] = None
        self._pending += 1
        self._store.drop_ban(key, partial(self._own_is_durable, key, None, durable))
        return ban

    def learn(self, bans: Iterable[Ban]) -> None:
        """
        Take over the bans of the store, because other hosts may have changed them.

        While changes of this host are not durable yet, the bans wait, and are taken over after that.

        :param bans: all bans as the store has them
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
        """A change of this host is durable: put the ban into effect, or end the ban with this key."""
        self._pending -= 1
        if self._coming.get(key) is ban:
            self._coming.pop(key, None)
        if ban is not None:
            self._hold(ban)
        elif key in self._bans:
            self._let_go(self._bans[key])
        durable()
        if not self._pending and self._learned is not None:
            learned, self._learned = self._learned, None
            self.learn(learned)

    def all(self) -> list[Ban]:
        """All bans, the oldest first."""
        self.expire()
        return sorted(self._bans.values(), key=lambda ban: (ban.since, ban.key))

    def of_name(self, name: Name) -> Ban | None:
        """The ban of a name, in capital or small letters, or of a name that looks like it."""
        if not self._bans:
            return None
        found = (self._bans.get(_NAME + key) for key in (name.latin, name.skeleton))
        return next((ban for ban in found if ban is not None and not self._is_over(ban)), None)

    def of_address(self, address: str) -> Ban | None:
        """The ban of a client's address, if there is one. The address may be empty: a client without one."""
        number = address_of(address) if self._networks else None
        if number is None:
            return None
        for (version, length), networks in self._networks.items():
            if version == number.version:
                ban = networks.get(int(number) >> (number.max_prefixlen - length))
                if ban is not None and not self._is_over(ban):
                    return ban
        return None

    def expire(self) -> None:
        for ban in [ban for ban in self._bans.values() if self._is_over(ban)]:
            self._let_go(ban)
            self._store.drop_ban(ban.key, lambda: None)

    def _is_over(self, ban: Ban) -> bool:
        return ban.until is not None and ban.until <= self._wall()

    def _hold(self, ban: Ban) -> None:
        self._bans[ban.key] = ban
        if not ban.of_name:
            kind, number = _numbered(ban)
            self._networks.setdefault(kind, {})[number] = ban

    def _let_go(self, ban: Ban) -> None:
        del self._bans[ban.key]
        if not ban.of_name:
            kind, number = _numbered(ban)
            del self._networks[kind][number]
            if not self._networks[kind]:
                del self._networks[kind]


def ban_key(target: str) -> tuple[str, str]:
    """
    The key of a ban, and its target as it is shown.

    :param target: an address, a network such as `192.0.2.0/24`, or a name; `name:1.2.3.4` is a name in any case
    :raises BanRefused: it is none of them
    """
    network = None if target.startswith(_NAME) else _network(target)
    if network is not None:
        return f"{_NETWORK}{network}", str(network).removesuffix("/32") if network.version == 4 else str(network)
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
    address = address_of(text)
    if address is not None:
        return ip_network((address, 64 if address.version == 6 else 32), strict=False)
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        return None
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    if mapped is not None and network.prefixlen >= _MAPPED:  # clients with such addresses count as those of IPv4
        return ip_network((mapped, network.prefixlen - _MAPPED))
    return network


def _numbered(ban: Ban) -> tuple[tuple[int, int], int]:
    """The version and the length of a network, and the bits that all of its addresses begin with."""
    network = ip_network(ban.target)
    return (network.version, network.prefixlen), int(network.network_address) >> (
        network.max_prefixlen - network.prefixlen
    )
