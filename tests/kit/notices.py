"""Services that take notices, without sockets: a push service that decrypts, a store in memory, and news."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field
from cryptography.hazmat.primitives.asymmetric import ec
from twisted.internet.defer import Deferred
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent
from zope.interface import implementer

from gamehost.extras.notify.base64url import to_text
from gamehost.extras.notify.encryption import bytes_of, decrypted
from gamehost.extras.notify.subscriptions import Subscription
from gamehost.journal.records import TableId
from gamehost.lobby.notices import Asker, News, Reason

#: A push service that the host sends to.
PUSHES = "https://push.example.org"
SECRET = b"a secret of some"


def news(table: int = 3, reason: Reason = Reason.TURN, words: str = "") -> News:
    return News(TableId(table), "paper-soccer", reason, ("Olga",), words)


class Browser:
    """A browser that has subscribed."""

    def __init__(self, name: str = "a", service: str = PUSHES) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.endpoint = f"{service}/{name}"

    @property
    def key(self) -> bytes:
        return bytes_of(self.private.public_key())

    def values(self, **more: str) -> dict[str, str]:
        """The subscription as a page sends it."""
        return {"endpoint": self.endpoint, "p256dh": to_text(self.key), "auth": to_text(SECRET), **more}

    def subscription(self, words: str = "all") -> Subscription:
        return Subscription(self.endpoint.encode(), self.endpoint, self.key, SECRET, words)

    def read(self, body: bytes) -> dict[str, str]:
        shown: dict[str, str] = json.loads(decrypted(body, self.private, SECRET))
        return shown


@define(eq=False)
class Asked:
    """A request to a push service."""

    url: str
    headers: dict[str, str]
    body: bytes = field(repr=False)
    answer: Deferred[Any]

    def reply(self, code: int, **headers: str) -> None:
        self.answer.callback(_Response(code, headers))


class _Response:
    def __init__(self, code: int, headers: dict[str, str]) -> None:
        self.code = code
        self.headers = Headers({name.replace("_", "-"): [text] for name, text in headers.items()})

    def deliverBody(self, protocol: Any) -> None:
        """There is none."""


class _Written:
    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data


@implementer(IAgent)
class PushService:
    """What an agent of Twisted would reach."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []

    def request(self, method: bytes, uri: bytes, headers: Any = None, bodyProducer: Any = None) -> Deferred[Any]:
        written = _Written()
        bodyProducer.startProducing(written)
        assert method == b"POST" and bodyProducer.length == len(written.data)
        named = {name.decode(): values[0].decode() for name, values in headers.getAllRawHeaders()}
        answer: Deferred[Any] = Deferred()
        self.asked.append(Asked(uri.decode(), named, written.data, answer))
        return answer

    def next(self) -> Asked:
        return self.asked.pop(0)


class MemorySubscriptions:
    """As `StoredSubscriptions`; everybody has the log-in of a device that names one."""

    def __init__(self) -> None:
        self.by_asker: dict[Asker, Subscription] = {}

    def put(self, asker: Asker, subscription: Subscription, made: int, put: Callable[[bool], None]) -> None:
        self.by_asker[asker] = subscription
        put(True)

    def of(self, account: str, found: Callable[[Sequence[Subscription]], None]) -> None:
        found([one for asker, one in self.by_asker.items() if asker.account == account])

    def drop(self, digest: bytes, dropped: Callable[[], None]) -> None:
        self.by_asker = {asker: one for asker, one in self.by_asker.items() if one.digest != digest}
        dropped()

    def drop_of(self, asker: Asker, dropped: Callable[[], None]) -> None:
        self.by_asker.pop(asker, None)
        dropped()
