"""
Web Push: the host sends a text to the push service of a browser, and the browser shows the text, even if no page is open.
"""

import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import msgspec
from attrs import define, field
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.web.iweb import IAgent

from gamehost.extras.notify.base64url import to_text
from gamehost.extras.notify.encryption import Vapid, key_beside
from gamehost.extras.notify.sending import Push, Sender, new_agent
from gamehost.extras.notify.subscriptions import (
    ALL,
    BadSubscription,
    Check,
    StoredSubscriptions,
    Subscription,
    only_at,
    read_subscription,
)
from gamehost.extras.notify.wording import sentence, title_of
from gamehost.journal.records import TableId
from gamehost.lobby.notices import Asker, News, Surroundings
from gamehost.rates import KeyedBuckets

#: The most pushes to one player in an hour, to all its devices together.
PUSHES_AN_HOUR = 60

NO_LOG_IN = "pushes belong to a browser that stays logged in: log in again, with the wish to be remembered"


@define(eq=False, repr=False)
class WebPush:
    """
    The notifier of Web Push: sends pushes to players' browsers, and changes their subscriptions.

    :param vapid: the key of the host
    :param subscriptions: the subscriptions in the store
    :param check: refuses endpoints that are not accepted
    :param agent: sends the requests
    :param closed: called when the host stops; returns a Deferred that fires when all connections are closed
    :param wall: returns the time in seconds since 1970
    """

    _clock: Any
    _vapid: Vapid
    _subscriptions: StoredSubscriptions
    _check: Check
    _agent: IAgent
    _closed: Callable[[], Deferred[Any]]
    _wall: Callable[[], float] = time.time
    sender: Sender = field(init=False)
    #: Limits the pushes to each player.
    _rates: KeyedBuckets[str] = field(init=False)
    #: The secret from which topics are made.
    _topics: bytes = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.sender = Sender(self._clock, self._agent, self._vapid, self._drop)
        self._rates = KeyedBuckets(PUSHES_AN_HOUR / 3600, PUSHES_AN_HOUR)
        self._topics = self._vapid.secret(b"topics")

    def deliver(self, account: str, news: News) -> None:
        """Called with news for a player: sends a push to each of its browsers."""
        self._subscriptions.of(account, partial(self._push, account, news))

    def _push(self, account: str, news: News, subscriptions: Sequence[Subscription]) -> None:
        """Sends a push with news to each subscription, as far as the rate of the player allows."""
        rate = self._rates.of(account, self._clock.seconds()) if subscriptions else None
        for one in subscriptions:
            if rate is not None and rate.take(self._clock.seconds()):
                # Pushes without details have one topic for all tables: only the newest one is shown.
                table = news.table if one.words == ALL else 0
                self.sender.send(Push(one, text_of(news, one.words), self._topic(account, table)))

    def _topic(self, account: str, table: int) -> str:
        """
        Returns the topic of the pushes about a table. A new push replaces an older one with the same topic. The topic
        is a digest, so the push service cannot find out which table it is.
        """
        return to_text(hmac.digest(self._topics, f"{account} {table}".encode(), sha256)[:24])

    def _drop(self, subscription: Subscription) -> None:
        """Removes a subscription that the push service does not know any more."""
        self._subscriptions.drop(subscription.digest, lambda: None)

    def seen(self, account: str, table: TableId) -> None:
        """Does nothing: a push that was sent cannot be taken back."""

    def state(self, asker: Asker, told: Callable[[Mapping[str, Any]], None]) -> None:
        """
        Calls `told` with the settings of a device: `key`, the public key with which a browser subscribes; `on`, whether
        the device has a subscription; and `words`, how much its pushes say.
        """

        def found(subscriptions: Sequence[Subscription]) -> None:
            """Called with the subscriptions of the account: finds the one of this device."""
            # The id of a device is the beginning of the digest of its log-in. An empty id belongs to a log-in that is
            # not remembered.
            own = [one for one in subscriptions if asker.id and one.digest[:8].hex() == asker.id]
            told({"key": self._vapid.public, "on": bool(own), "words": own[0].words if own else ALL})

        self._subscriptions.of(asker.account, found)

    def change(self, asker: Asker | None, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        """
        Stores the subscription of a device, or removes it if there are no values.

        :param done: called with `None`, or with the reason why nothing was changed
        """
        if asker is None or not asker.id:
            # A subscription belongs to a device with a remembered log-in.
            done(NO_LOG_IN)
        elif not values:
            self._subscriptions.drop_of(asker, lambda: done(None))
        else:
            try:
                subscription = read_subscription(values, self._check)
            except BadSubscription as error:
                done(str(error))
                return
            now = int(self._wall())
            self._subscriptions.put(asker, subscription, now, lambda put: done(None if put else NO_LOG_IN))

    def stop(self) -> Deferred[Any]:
        """Stops the notifier. Fires when all connections are closed."""
        self.sender.stop()
        return maybeDeferred(self._closed)


def text_of(news: News, words: str) -> bytes:
    """
    Returns the content of a push: the texts that the browser shows, a tag by which it replaces an older notice, and the
    page that it opens.

    :param words: `ALL`, or `BARE` for a push without details
    """
    if words != ALL:
        return msgspec.json.encode({"title": news.reason.value, "body": "", "tag": "gamehost", "url": "/"})
    facts = {
        "title": title_of(news),
        "body": sentence(news),
        "tag": f"table-{news.table}",
        "url": f"/table/{news.table}",
    }
    return msgspec.json.encode(facts)


def start(values: Mapping[str, Any], given: Surroundings) -> WebPush:
    """
    Starts the notifier of Web Push, for `gamehost.lobby.notifiers.NotifierKind`.

    :raises PartUnusable: the file with the key cannot be used
    """
    vapid = Vapid(key_beside(given.beside), values["push"], time.time)
    agent, pool = new_agent(given.reactor)
    subscriptions = StoredSubscriptions(given.journal)
    return WebPush(
        given.reactor, vapid, subscriptions, only_at(values["push-hosts"]), agent, pool.closeCachedConnections
    )
