"""
Mails to players: one in four hours, with all that has happened meanwhile and was not seen.

The host gives them to a relay, which delivers them. The connection to the relay is encrypted, unless the relay is on this
machine.
"""

import hmac
import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid
from functools import partial
from hashlib import sha256
from io import BytesIO
from typing import Any, TypeAlias

from attrs import define, evolve, field, frozen
from twisted.internet.defer import Deferred, DeferredList
from twisted.logger import Logger
from twisted.mail.smtp import ESMTPSenderFactory, SMTPClientError
from twisted.python.failure import Failure

from gamehost._twisted import Timer
from gamehost.extras.notify.addresses import (
    BadAddress,
    Codes,
    Mailbox,
    StoredMailboxes,
    account_in,
    checked_address,
    stopping_proof,
)
from gamehost.extras.notify.relays import PASSWORD, MailRelay
from gamehost.extras.notify.wording import sentence, title_of
from gamehost.journal.records import TableId
from gamehost.lobby.notices import Asker, News, Surroundings
from gamehost.storage.sidecar import proof_key

#: Seconds between two mails to one player.
BETWEEN = 4 * 3600.0
#: Players for whom news wait, and news of one player. With more, the oldest are dropped.
MOST_WAITING, MOST_NEWS = 10_000, 50
#: Mails that are sent at a time, and that wait.
AT_ONCE, MOST_QUEUED = 4, 1_000
#: Seconds before a mail is tried again, by how often it was.
PAUSES = (60.0, 900.0)
#: Seconds for each answer of the relay.
ANSWER_SECONDS = 60.0

NOT_STOPPED = "this link does not count any more: the address was changed or removed"
EXPECTED = 'expected "address", or "code"'

#: No header is folded: some programs do not find a link that is. Twisted makes CR LF of each LF on the way to the relay.
_POLICY = SMTP.clone(max_line_length=900, linesep="\n")

#: Sends a mail: `deliver(relay, to, data)`.
Deliver: TypeAlias = Callable[[MailRelay, str, bytes], Deferred[Any]]


@frozen
class Mail:
    to: str = field(repr=False)
    data: bytes = field(repr=False)
    tries: int = 0


# Neither is written into a log: addresses are in them.
@define(eq=False, repr=False)
class MailQueue:
    """Mails on their way to the relay."""

    _clock: Any
    _relay: MailRelay
    _deliver: Deliver
    _queue: list[Mail] = field(init=False, factory=list)
    _busy: set[Deferred[Any]] = field(init=False, factory=set)
    _later: set[Timer] = field(init=False, factory=set)
    _stopped: bool = field(init=False, default=False)

    log = Logger()

    def send(self, mail: Mail) -> None:
        """Send a mail when it is its turn."""
        if len(self._queue) + len(self._later) >= MOST_QUEUED:
            self.log.warn("the queue of mails is full: one was dropped")
            return
        self._queue.append(mail)
        self._go_on()

    def stop(self) -> Deferred[Any]:
        """Send nothing more. Fires when the mails that are under way were sent, or given up."""
        self._stopped = True
        self._queue.clear()
        for timer in self._later:
            timer.stop()
        return DeferredList(list(self._busy))

    def _go_on(self) -> None:
        while self._queue and len(self._busy) < AT_ONCE and not self._stopped:
            mail = self._queue.pop(0)
            sending = self._deliver(self._relay, mail.to, mail.data)
            self._busy.add(sending)
            sending.addErrback(self._not_sent, mail)
            sending.addBoth(partial(self._ended, sending))

    def _ended(self, sending: Deferred[Any], result: Any) -> None:
        self._busy.discard(sending)
        self._go_on()

    def _not_sent(self, failure: Failure, mail: Mail) -> None:
        """Only the kind of the failure is logged: its text has what was said to the relay, and the address."""
        code = getattr(failure.value, "code", None)
        why = type(failure.value).__name__ + (f" {code}" if isinstance(code, int) and code > 0 else "")
        permanent = failure.check(SMTPClientError) is not None and isinstance(code, int) and code >= 500
        if permanent or mail.tries >= len(PAUSES) or self._stopped:
            self.log.warn("a mail could not be sent: {why}", why=why)
            return
        self.log.info("a mail is tried again later: {why}", why=why)
        timer = Timer()
        self._later.add(timer)
        timer.set(self._clock, PAUSES[mail.tries], self._again, timer, Mail(mail.to, mail.data, mail.tries + 1))

    def _again(self, timer: Timer, mail: Mail) -> None:
        self._later.discard(timer)
        self.send(mail)


@define(eq=False, repr=False)
class Mails:
    """
    The notifier.

    :param key: of the proofs in the mails
    :param origin: of the pages; empty: mails have no addresses of pages
    """

    _clock: Any
    _relay: MailRelay
    _boxes: StoredMailboxes
    _outbox: MailQueue
    _key: bytes = field(repr=False)
    _origin: str
    _wall: Callable[[], float] = time.time
    _codes: Codes = field(init=False)
    #: The news of players that had a mail not long ago, by player and table: when they may get the next one, and what it says.
    _held: dict[str, tuple[float, dict[TableId, News]]] = field(init=False, factory=dict)
    _timer: Timer = field(init=False, factory=Timer)

    def __attrs_post_init__(self) -> None:
        self._codes = Codes(self._clock.seconds)

    def deliver(self, account: str, news: News) -> None:
        if account in self._held:
            self._hold(account, news)
        else:
            self._boxes.of(account, partial(self._found, account, news))

    def _found(self, account: str, news: News, box: Mailbox | None) -> None:
        if box is None:
            return
        wait = BETWEEN - max(0.0, self._wall() - box.mailed)
        due, _ = self._held.setdefault(account, (self._clock.seconds() + max(0.0, wait), {}))
        self._hold(account, news)
        while len(self._held) > MOST_WAITING:
            del self._held[next(iter(self._held))]
        if due < self._timer.due:
            self._set_timer()

    def _hold(self, account: str, news: News) -> None:
        held = self._held[account][1]
        held.pop(news.table, None)
        held[news.table] = news
        if len(held) > MOST_NEWS:
            del held[next(iter(held))]

    def _set_timer(self) -> None:
        if self._held:
            due = min(due for due, _ in self._held.values())
            self._timer.set(self._clock, max(0.0, due - self._clock.seconds()), self._send_due)

    def _send_due(self) -> None:
        now = self._clock.seconds()
        for account, (due, held) in list(self._held.items()):
            if due <= now:
                del self._held[account]
                if held:
                    self._boxes.of(account, partial(self._send, held))
        self._set_timer()

    def _send(self, held: Mapping[TableId, News], box: Mailbox | None) -> None:
        if box is not None:
            self._boxes.put(Mailbox(box.account, box.address, int(self._wall())), lambda: None)
            self._outbox.send(Mail(box.address, self._mail_of(box, list(held.values()))))

    def seen(self, account: str, table: TableId) -> None:
        if account in self._held:
            self._held[account][1].pop(table, None)

    # -- what a player sets

    def state(self, asker: Asker, told: Callable[[Mapping[str, Any]], None]) -> None:
        """`address` is where mails go, and `waits` one that waits for its code."""

        def found(box: Mailbox | None) -> None:
            facts = {"address": "" if box is None else box.address, "waits": self._codes.waiting(asker.account) or ""}
            told(facts)

        self._boxes.of(asker.account, found)

    def change(self, asker: Asker | None, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        if asker is None or "stop" in values:
            self._stop_by_link(values, done)
            return
        account = asker.account
        try:
            match values:
                case {"address": address, **others} if not others:
                    code = self._codes.ask(account, checked_address(address))
                    self._outbox.send(Mail(address, self._code_mail(address, code)))
                    done(None)
                case {"code": code, **others} if not others:
                    box = Mailbox(account, self._codes.confirm(account, code), 0)
                    self._boxes.put(box, lambda: done(None))
                case _ if values:
                    done(EXPECTED)
                case _:
                    self._end(account, done)
        except BadAddress as error:
            done(str(error))

    def _end(self, account: str, done: Callable[[str | None], None]) -> None:
        self._codes.forget(account)
        self._held.pop(account, None)
        self._boxes.drop(account, lambda: done(None))

    def _stop_by_link(self, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        proof = values.get("stop", "") if len(values) == 1 else ""
        try:
            account = account_in(proof)
        except ValueError:
            account = ""

        def found(box: Mailbox | None) -> None:
            if box is None or not hmac.compare_digest(
                proof.encode(), stopping_proof(self._key, account, box.address).encode()
            ):
                done(NOT_STOPPED)
            else:
                self._end(account, done)

        self._boxes.of(account, found)

    # -- the mails

    def _mail_of(self, box: Mailbox, news: list[News]) -> bytes:
        first = title_of(news[0])
        mail = self._new_mail(box.address, first if len(news) == 1 else f"{first}, and {len(news) - 1} more")
        lines = []
        for one in news:
            lines.append(f"{title_of(one)}. {sentence(one)}.")
            if self._origin:
                lines.append(f"    {self._origin}/table/{one.table}")
        stop = f"{self._origin}/no-mail/{stopping_proof(self._key, box.account, box.address)}" if self._origin else ""
        sender = self._relay.sender
        mail["List-Unsubscribe"] = f"<{stop}>" if stop else f"<mailto:{sender}?subject=unsubscribe>"
        end = (
            f"No more mails: {stop}"
            if stop
            else "To get no more mails, remove your address on the page of your account."
        )
        mail.set_content("\n".join([*lines, "", "-- ", f"You get one mail in four hours at most. {end}", ""]))
        return mail.as_bytes()

    def _code_mail(self, address: str, code: str) -> bytes:
        mail = self._new_mail(address, f"{code} is your code")
        place = f" on {self._origin}" if self._origin else ""
        words = (
            f"Somebody{place} wants to be told by mail to this address when it is their turn in a game. If it is you,"
        )
        mail.set_content(
            f"{words}\nenter this code there: {code}\n\nIf it is not you, do nothing: no more mails come.\n"
        )
        return mail.as_bytes()

    def _new_mail(self, to: str, subject: str) -> EmailMessage:
        """A mail without its text. The class refuses headers with an end of a line in them."""
        mail = EmailMessage(_POLICY)
        sender = self._relay.sender
        mail["From"], mail["To"], mail["Subject"] = sender, to, subject
        mail["Date"] = format_datetime(datetime.fromtimestamp(self._wall(), UTC))
        mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
        mail["Auto-Submitted"] = "auto-generated"
        return mail

    def stop(self) -> Deferred[Any]:
        self._timer.stop()
        self._held.clear()
        return self._outbox.stop()


def deliver_on(reactor: Any) -> Deliver:
    """How a mail is given to a relay."""

    def deliver(relay: MailRelay, to: str, data: bytes) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        factory = ESMTPSenderFactory(
            relay.user.encode() or None,
            relay.password.encode() or None,
            relay.sender,
            to,
            BytesIO(data),
            done,
            retries=0,
            timeout=ANSWER_SECONDS,
            requireAuthentication=bool(relay.user),
            requireTransportSecurity=not relay.local,
            # Without a name no encryption is asked for.
            hostname=None if relay.local else relay.host,
        )
        factory.noisy = False
        reactor.connectTCP(relay.host, relay.port, factory)
        return done

    return deliver


def start(values: Mapping[str, Any], given: Surroundings) -> Mails:
    """Start the notifier of a host, for `gamehost.lobby.notifiers.NotifierKind`."""
    relay = evolve(values["mail"], password=os.environ.get(PASSWORD, ""))
    key = hmac.digest(proof_key(given.beside), b"mails", sha256)
    origin = given.origins[0] if given.origins else ""
    queue = MailQueue(given.reactor, relay, deliver_on(given.reactor))
    return Mails(given.reactor, relay, StoredMailboxes(given.journal), queue, key, origin)
