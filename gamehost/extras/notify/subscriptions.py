"""
The subscriptions of browsers for pushes: what is accepted of a stranger, and the table of the store.

An endpoint comes from a stranger, and the host sends requests to it. So it must be at a push service that the owner of the host
allows. It is as good as a key: with it anybody can disturb the player. So it is never logged.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from attrs import field, frozen

from gamehost.extras.notify.base64url import from_text
from gamehost.extras.notify.encryption import SECRET_BYTES, BadKey, public_key
from gamehost.lobby.notices import Asker

#: Characters of an endpoint. Those of the common push services have up to 600.
LONGEST = 1_000
#: Subscriptions of one account. The one that was made longest ago ends when there is another one.
MOST = 5

_PRINTABLE = re.compile(r"[!-~]+", re.ASCII)
_NAME = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+", re.ASCII)

#: What `words` of a subscription can be: with the game, the names and the table, or only that something has happened.
ALL, BARE = "all", "bare"


class BadSubscription(ValueError):
    """It is not accepted. The message says what was expected, and repeats nothing."""


#: Checks an endpoint; raises `BadSubscription`.
Check = Callable[[str], None]


@frozen
class Subscription:
    """One row of the store."""

    #: Of the log-in that it belongs to.
    digest: bytes = field(repr=False)
    endpoint: str = field(repr=False)
    key: bytes = field(repr=False)
    secret: bytes = field(repr=False)
    #: `ALL` or `BARE`.
    words: str

    @property
    def origin(self) -> str:
        """The origin of the push service, such as `https://fcm.googleapis.com`."""
        return "{0.scheme}://{0.netloc}".format(urlsplit(self.endpoint))


def hosts_in(text: str) -> Sequence[str]:
    """
    Names of push services, written with commas. `*.` stands for one name in front, or several.

    :raises ValueError: one is no name of a host
    """
    hosts = [one.strip().lower() for one in text.split(",")]
    for host in hosts:
        if not _NAME.fullmatch(host):
            raise ValueError("expected names of hosts with commas, such as push.example.org,*.push.example.net")
    return hosts


def only_at(hosts: Collection[str]) -> Check:
    """A check that lets the endpoints of these push services pass."""

    def check(endpoint: str) -> None:
        try:
            parts = urlsplit(endpoint)
            plain = parts.scheme == "https" and parts.netloc == parts.hostname and not parts.fragment
        except ValueError:
            raise BadSubscription("the endpoint is no address") from None
        if not plain:
            raise BadSubscription("expected an endpoint with https: and the plain name of a host")
        name = parts.hostname or ""
        if not any(name == host or (host[:2] == "*." and name.endswith(host[1:])) for host in hosts):
            raise BadSubscription("this host sends nothing to that push service")

    return check


def read_subscription(values: Mapping[str, str], check: Check) -> Subscription:
    """
    A subscription as a stranger has sent it.

    :raises BadSubscription: it is not accepted
    """
    if values.keys() - {"words"} != {"endpoint", "p256dh", "auth"}:
        raise BadSubscription('expected "endpoint", "p256dh" and "auth" of a subscription, and perhaps "words"')
    endpoint, words = values["endpoint"], values.get("words", ALL)
    if words not in (ALL, BARE):
        raise BadSubscription(f'"words" is {ALL} or {BARE}')
    if len(endpoint) > LONGEST or not _PRINTABLE.fullmatch(endpoint):
        raise BadSubscription(f"expected an endpoint of {LONGEST} ASCII characters at most")
    check(endpoint)
    try:
        key, secret = from_text(values["p256dh"]), from_text(values["auth"])
        public_key(key)
    except BadKey as error:
        raise BadSubscription(f'"p256dh": {error}') from None
    except ValueError:
        raise BadSubscription('expected "p256dh" and "auth" in the alphabet of base64url') from None
    if len(secret) != SECRET_BYTES:
        raise BadSubscription(f'"auth": expected {SECRET_BYTES} bytes')
    return Subscription(b"", endpoint, key, secret, words)


_COLUMNS = "digest, endpoint, p256dh, auth, words"
_FIND = "SELECT digest FROM remembered WHERE key = ? AND substr(digest, 1, 8) = ?"
_PUT = f"""
    INSERT INTO subscription({_COLUMNS}, key, made) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (digest) DO UPDATE SET endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth,
    words = excluded.words, made = excluded.made"""
_DROP_SURPLUS = f"""
    DELETE FROM subscription WHERE key = ? AND digest NOT IN (
        SELECT digest FROM subscription WHERE key = ? ORDER BY made DESC, digest LIMIT {MOST})"""


@frozen
class StoredSubscriptions:
    """
    The subscriptions in the store of a host. A row goes with its log-in: the store sees to that.

    :param journal: a `gamehost.storage.durable.DurableJournal`
    """

    _journal: Any

    def put(self, asker: Asker, subscription: Subscription, made: int, put: Callable[[bool], None]) -> None:
        """
        Add the subscription of a device, or replace it.

        :param made: in seconds since 1970
        :param put: called when it is durable; with `False` if there is no such log-in
        """
        account = asker.account

        def write(store: Any) -> bool:
            database = store.database
            found = database.rows(_FIND, (account, _start_of(asker)))
            for (digest,) in found[:1]:
                one = subscription
                row = (bytes(digest), one.endpoint, one.key, one.secret, one.words, account, made)
                database.run(_PUT, row)
                database.run(_DROP_SURPLUS, (account, account))
            return bool(found)

        self._journal.ask_store(write, put)

    def of(self, account: str, found: Callable[[Sequence[Subscription]], None]) -> None:
        """Find the subscriptions of an account."""

        def read(store: Any) -> Sequence[Subscription]:
            rows = store.database.rows(f"SELECT {_COLUMNS} FROM subscription WHERE key = ?", (account,))
            return [
                Subscription(bytes(digest), endpoint, bytes(key), bytes(secret), words)
                for digest, endpoint, key, secret, words in rows
            ]

        self._journal.ask_store(read, found)

    def drop(self, digest: bytes, dropped: Callable[[], None]) -> None:
        """Remove the subscription of a log-in."""
        self._change("DELETE FROM subscription WHERE digest = ?", (digest,), dropped)

    def drop_of(self, asker: Asker, dropped: Callable[[], None]) -> None:
        """Remove the subscription of a device."""
        sql = "DELETE FROM subscription WHERE key = ? AND substr(digest, 1, 8) = ?"
        self._change(sql, (asker.account, _start_of(asker)), dropped)

    def _change(self, sql: str, values: Sequence[Any], changed: Callable[[], None]) -> None:
        self._journal.ask_store(lambda store: store.database.run(sql, values), lambda _: changed())


def _start_of(asker: Asker) -> bytes:
    """The first bytes of the digest of the device's log-in."""
    return bytes.fromhex(asker.id)
