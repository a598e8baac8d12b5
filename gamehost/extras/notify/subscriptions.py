"""
The subscriptions of browsers for pushes: checks a subscription that a stranger sends, and stores subscriptions.

An endpoint is the URL to which the host sends pushes for a browser. It comes from a stranger, so it must be at a push
service that the owner of the host allows. Everybody who knows it can send pushes to the player, so it is never logged.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from attrs import field, frozen

from gamehost.extras.notify.base64url import from_text
from gamehost.extras.notify.encryption import SECRET_BYTES, BadKey, public_key
from gamehost.lobby.notices import Asker

#: The most characters of an endpoint. Endpoints of the common push services have up to 600.
LONGEST = 1_000
#: The most subscriptions of one account. If there is another one, the oldest one is removed.
MOST = 5

_PRINTABLE = re.compile(r"[!-~]+", re.ASCII)
_NAME = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+", re.ASCII)

#: What `words` of a subscription can be: with the game, the names and the table, or only that something has happened.
ALL, BARE = "all", "bare"


class BadSubscription(ValueError):
    """A subscription is not accepted. The message says what was expected, and does not repeat the input."""


#: A function that checks an endpoint, and raises `BadSubscription` if it is not accepted.
Check = Callable[[str], None]


@frozen
class Subscription:
    """A subscription of a browser, as it is stored. The fields `key` and `secret` are for the encryption."""

    #: The digest of the log-in to which the subscription belongs.
    digest: bytes = field(repr=False)
    endpoint: str = field(repr=False)
    key: bytes = field(repr=False)
    secret: bytes = field(repr=False)
    #: `ALL` for pushes with details, or `BARE` for pushes without.
    words: str

    @property
    def origin(self) -> str:
        """The origin of the push service, such as `https://fcm.googleapis.com`."""
        return "{0.scheme}://{0.netloc}".format(urlsplit(self.endpoint))


def hosts_in(text: str) -> Sequence[str]:
    """
    Reads names of push services, with commas between them. `*.` at the beginning stands for one or more names.

    :raises ValueError: one of them is not the name of a host
    """
    hosts = [one.strip().lower() for one in text.split(",")]
    for host in hosts:
        if not _NAME.fullmatch(host):
            raise ValueError("expected names of hosts with commas, such as push.example.org,*.push.example.net")
    return hosts


def only_at(hosts: Collection[str]) -> Check:
    """Returns a check that accepts only endpoints at some push services."""

    def check(endpoint: str) -> None:
        """
        Accepts an endpoint of one of the services.

        :raises BadSubscription: the endpoint is not accepted
        """
        try:
            parts = urlsplit(endpoint)
            # `netloc` is the name alone: no port, and no name of a user.
            plain = parts.scheme == "https" and parts.netloc == parts.hostname and not parts.fragment
        except ValueError:
            raise BadSubscription("the endpoint is no address") from None
        if not plain:
            raise BadSubscription("expected an endpoint with https: and the plain name of a host")
        name = parts.hostname or ""
        # `*.example.org` accepts every name that ends with `.example.org`.
        if not any(name == host or (host[:2] == "*." and name.endswith(host[1:])) for host in hosts):
            raise BadSubscription("this host sends nothing to that push service")

    return check


def read_subscription(values: Mapping[str, str], check: Check) -> Subscription:
    """
    Reads a subscription that a stranger has sent. Its digest is still empty.

    :param check: checks the endpoint
    :raises BadSubscription: the subscription is not accepted
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
        # The result is not used: this raises an error if the key is no point of the curve.
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
    The subscriptions in the store of a host. The store removes a subscription with its log-in.

    :param journal: a `gamehost.storage.durable.DurableJournal`
    """

    _journal: Any

    def put(self, asker: Asker, subscription: Subscription, made: int, put: Callable[[bool], None]) -> None:
        """
        Adds the subscription of a device, or replaces it.

        :param made: the time in seconds since 1970
        :param put: called when the subscription is durable; with `False` if the device's log-in does not exist any more
        """
        account = asker.account

        def write(store: Any) -> bool:
            """Writes the subscription, if the log-in of its device exists. Returns whether it does."""
            database = store.database
            found = database.rows(_FIND, (account, _start_of(asker)))
            # The log-in of the device, by the beginning of its digest. Without it, nothing is stored.
            for (digest,) in found[:1]:
                one = subscription
                row = (bytes(digest), one.endpoint, one.key, one.secret, one.words, account, made)
                database.run(_PUT, row)
                database.run(_DROP_SURPLUS, (account, account))
            return bool(found)

        self._journal.ask_store(write, put)

    def of(self, account: str, found: Callable[[Sequence[Subscription]], None]) -> None:
        """Finds the subscriptions of an account, and calls `found` with them."""

        def read(store: Any) -> Sequence[Subscription]:
            """Reads the subscriptions, on the thread of the store."""
            rows = store.database.rows(f"SELECT {_COLUMNS} FROM subscription WHERE key = ?", (account,))
            return [
                Subscription(bytes(digest), endpoint, bytes(key), bytes(secret), words)
                for digest, endpoint, key, secret, words in rows
            ]

        self._journal.ask_store(read, found)

    def drop(self, digest: bytes, dropped: Callable[[], None]) -> None:
        """Removes the subscription of a log-in. `dropped` is called when this is stored."""
        self._change("DELETE FROM subscription WHERE digest = ?", (digest,), dropped)

    def drop_of(self, asker: Asker, dropped: Callable[[], None]) -> None:
        """Removes the subscription of a device. `dropped` is called when this is stored."""
        sql = "DELETE FROM subscription WHERE key = ? AND substr(digest, 1, 8) = ?"
        self._change(sql, (asker.account, _start_of(asker)), dropped)

    def _change(self, sql: str, values: Sequence[Any], changed: Callable[[], None]) -> None:
        """Runs a statement in the store's thread, and then calls a function."""
        self._journal.ask_store(lambda store: store.database.run(sql, values), lambda _: changed())


def _start_of(asker: Asker) -> bytes:
    """Returns the first bytes of the digest of a device's log-in, by which the log-in is found."""
    return bytes.fromhex(asker.id)
