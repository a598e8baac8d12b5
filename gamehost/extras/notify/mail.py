"""
Mails to players. A player gets at most one mail in four hours, with all news since the last one that the player has not seen.

The host sends mails to a relay, which delivers them. The connection to the relay is encrypted, unless the relay is on this
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

#: The least seconds between two mails to one player.
BETWEEN = 4 * 3600.0
#: For how many players news may wait, and how many news of one player. If there are more, the oldest are dropped.
MOST_WAITING, MOST_NEWS = 10_000, 50
#: How many mails are sent at the same time, and how many may wait.
AT_ONCE, MOST_QUEUED = 4, 1_000
#: The seconds before the second and the third try to send a mail.
PAUSES = (60.0, 900.0)
#: How many seconds the relay has for each answer.
ANSWER_SECONDS = 60.0

NOT_STOPPED = "this link does not count any more: the address was changed or removed"
EXPECTED = 'expected "address", or "code"'

#: Headers are not divided into several lines, because some programs do not find a link in such a header. Twisted converts each
#: LF into CR LF.
_POLICY = SMTP.clone(max_line_length=900, linesep="\n")

#: A function that sends a mail: `deliver(relay, to, data)`.
Deliver: TypeAlias = Callable[[MailRelay, str, bytes], Deferred[Any]]


@frozen
class Mail:
    """A mail that waits to be sent: the address, the whole message, and how many tries have failed."""

    to: str = field(repr=False)
    data: bytes = field(repr=False)
    tries: int = 0


# The next two classes have no repr, so that the addresses in them are never logged.
@define(eq=False, repr=False)
class MailQueue:
    """Sends mails to the relay, a few at the same time, and tries again after a failure."""

    _clock: Any
    _relay: MailRelay
    _deliver: Deliver
    _queue: list[Mail] = field(init=False, factory=list)
    #: The mails that are being sent.
    _busy: set[Deferred[Any]] = field(init=False, factory=set)
    #: The timers of mails that are tried again.
    _later: set[Timer] = field(init=False, factory=set)
    _stopped: bool = field(init=False, default=False)

    log = Logger()

    def send(self, mail: Mail) -> None:
        """Adds a mail to the queue. If the queue is full, the mail is dropped."""
        if len(self._queue) + len(self._later) >= MOST_QUEUED:
            self.log.warn("the queue of mails is full: one was dropped")
            return
        self._queue.append(mail)
        self._go_on()

    def stop(self) -> Deferred[Any]:
        """Stops sending mails. The result fires when the mails that are being sent were sent, or have failed."""
        self._stopped = True
        self._queue.clear()
        for timer in self._later:
            timer.stop()
        return DeferredList(list(self._busy))

    def _go_on(self) -> None:
        """Begins to send as many mails as may be sent at the same time."""
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
        """
        Called when a mail could not be sent: tries again later, unless the failure is permanent. Only the kind of the
        failure is logged, because its text may contain the address.
        """
        # The status of the relay. A number from 500 up means that another try would fail, too.
        code = getattr(failure.value, "code", None)
        why = type(failure.value).__name__ + (f" {code}" if isinstance(code, int) and code > 0 else "")
        permanent = failure.check(SMTPClientError) is not None and isinstance(code, int) and code >= 500
        # `PAUSES` has one pause for each further try.
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
    The notifier that sends mails: collects news for each player, and changes players' addresses.

    :param boxes: the addresses in the store
    :param outbox: sends the mails
    :param key: the secret for the proofs in the mails
    :param origin: the origin of the host's pages; empty: mails contain no links
    :param wall: returns the time in seconds since 1970
    """

    _clock: Any
    _relay: MailRelay
    _boxes: StoredMailboxes
    _outbox: MailQueue
    _key: bytes = field(repr=False)
    _origin: str
    _wall: Callable[[], float] = time.time
    _codes: Codes = field(init=False)
    #: The news that wait for the next mail, by player: the time of that mail, and the last news of each table.
    _held: dict[str, tuple[float, dict[TableId, News]]] = field(init=False, factory=dict)
    _timer: Timer = field(init=False, factory=Timer)

    def __attrs_post_init__(self) -> None:
        self._codes = Codes(self._clock.seconds)

    def deliver(self, account: str, news: News) -> None:
        """Called with news for a player. They are sent with the next mail, if the player has an address."""
        if account in self._held:
            # A mail to this player waits already, so its address need not be read again.
            self._hold(account, news)
        else:
            self._boxes.of(account, partial(self._found, account, news))

    def _found(self, account: str, news: News, box: Mailbox | None) -> None:
        """Called with the address of a player without waiting news: decides the time of the next mail."""
        if box is None:
            # The player has no address.
            return
        # The seconds until the next mail may be sent: `BETWEEN` after the last one. The clock of the machine may have
        # been set back.
        wait = BETWEEN - max(0.0, self._wall() - box.mailed)
        due, _ = self._held.setdefault(account, (self._clock.seconds() + max(0.0, wait), {}))
        self._hold(account, news)
        while len(self._held) > MOST_WAITING:
            del self._held[next(iter(self._held))]
        if due < self._timer.due:
            # This mail is due before all others.
            self._set_timer()

    def _hold(self, account: str, news: News) -> None:
        """Stores news for a player's next mail, in place of older news of the same table."""
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
        """Called when a mail is due: sends the mails to all players with a time that has come."""
        now = self._clock.seconds()
        for account, (due, held) in list(self._held.items()):
            if due <= now:
                del self._held[account]
                # News may have been withdrawn meanwhile.
                if held:
                    self._boxes.of(account, partial(self._send, held))
        self._set_timer()

    def _send(self, held: Mapping[TableId, News], box: Mailbox | None) -> None:
        """Sends a mail with news, and stores the time. A player that has removed its address gets none."""
        if box is not None:
            self._boxes.put(Mailbox(box.account, box.address, int(self._wall())), lambda: None)
            self._outbox.send(Mail(box.address, self._mail_of(box, list(held.values()))))

    def seen(self, account: str, table: TableId) -> None:
        """Called when a player has seen a table: the news of this table are not sent any more."""
        if account in self._held:
            self._held[account][1].pop(table, None)

    # -- what a player sets

    def state(self, asker: Asker, told: Callable[[Mapping[str, Any]], None]) -> None:
        """
        Calls `told` with the player's settings: `address`, to which mails are sent, and `waits`, an address that waits for its
        code.
        """

        def found(box: Mailbox | None) -> None:
            facts = {"address": "" if box is None else box.address, "waits": self._codes.waiting(asker.account) or ""}
            told(facts)

        self._boxes.of(asker.account, found)

    def change(self, asker: Asker | None, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        """
        Changes the settings of a player: sends a code to an `address`, accepts a `code`, or ends the mails if there are no
        values. `stop` ends the mails without a log-in.

        :param done: called with `None`, or with the reason why nothing was changed
        """
        if asker is None or "stop" in values:
            # A request by the link in a mail, without a log-in.
            self._stop_by_link(values, done)
            return
        account = asker.account
        try:
            match values:
                case {"address": address, **others} if not others:
                    # The address is used only when its owner has entered the code.
                    code = self._codes.ask(account, checked_address(address))
                    self._outbox.send(Mail(address, self._code_mail(address, code)))
                    done(None)
                case {"code": code, **others} if not others:
                    box = Mailbox(account, self._codes.confirm(account, code), 0)
                    self._boxes.put(box, lambda: done(None))
                case _ if values:
                    # Any other combination of values.
                    done(EXPECTED)
                case _:
                    self._end(account, done)
        except BadAddress as error:
            done(str(error))

    def _end(self, account: str, done: Callable[[str | None], None]) -> None:
        """Ends the mails to a player, and removes its address."""
        self._codes.forget(account)
        self._held.pop(account, None)
        self._boxes.drop(account, lambda: done(None))

    def _stop_by_link(self, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        """Ends the mails to an address, if the proof in the link of a mail is right."""
        # Other values beside the proof are a fault: an empty text is no proof.
        proof = values.get("stop", "") if len(values) == 1 else ""
        try:
            account = account_in(proof)
        except ValueError:
            # No account has the empty key. So the answer is the same as for a wrong proof, and takes as long.
            account = ""

        def found(box: Mailbox | None) -> None:
            """Called with the address of the account: ends the mails if the proof fits it."""
            # `compare_digest` takes the same time for all wrong proofs, so nobody can guess a proof byte by byte.
            if box is None or not hmac.compare_digest(
                proof.encode(), stopping_proof(self._key, account, box.address).encode()
            ):
                done(NOT_STOPPED)
            else:
                self._end(account, done)

        self._boxes.of(account, found)

    # -- the mails

    def _mail_of(self, box: Mailbox, news: list[News]) -> bytes:
        """Returns a mail with news, and with a way to end the mails."""
        first = title_of(news[0])
        mail = self._new_mail(box.address, first if len(news) == 1 else f"{first}, and {len(news) - 1} more")
        lines = []
        for one in news:
            lines.append(f"{title_of(one)}. {sentence(one)}.")
            if self._origin:
                lines.append(f"    {self._origin}/table/{one.table}")
        stop = f"{self._origin}/no-mail/{stopping_proof(self._key, box.account, box.address)}" if self._origin else ""
        sender = self._relay.sender
        # Mail programs show a button for this header. Without pages, the owner of the host gets a mail.
        mail["List-Unsubscribe"] = f"<{stop}>" if stop else f"<mailto:{sender}?subject=unsubscribe>"
        end = (
            f"No more mails: {stop}"
            if stop
            else "To get no more mails, remove your address on the page of your account."
        )
        mail.set_content("\n".join([*lines, "", "-- ", f"You get one mail in four hours at most. {end}", ""]))
        return mail.as_bytes()

    def _code_mail(self, address: str, code: str) -> bytes:
        """Returns a mail with a code."""
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
        """Returns a mail without its text. Its class refuses headers with line ends, so no header can be added by a value."""
        mail = EmailMessage(_POLICY)
        sender = self._relay.sender
        mail["From"], mail["To"], mail["Subject"] = sender, to, subject
        mail["Date"] = format_datetime(datetime.fromtimestamp(self._wall(), UTC))
        mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
        mail["Auto-Submitted"] = "auto-generated"
        return mail

    def stop(self) -> Deferred[Any]:
        """Stops the notifier. Waiting news are dropped. Fires when no mail is being sent."""
        self._timer.stop()
        self._held.clear()
        return self._outbox.stop()


def deliver_on(reactor: Any) -> Deliver:
    """Returns a function that sends a mail to a relay."""

    def deliver(relay: MailRelay, to: str, data: bytes) -> Deferred[Any]:
        """Sends a mail. The result fires when the relay has accepted it, or fails."""
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
            # Without a name, Twisted does not ask for encryption.
            hostname=None if relay.local else relay.host,
        )
        factory.noisy = False
        reactor.connectTCP(relay.host, relay.port, factory)
        return done

    return deliver


def start(values: Mapping[str, Any], given: Surroundings) -> Mails:
    """Starts the notifier of mails, for `gamehost.lobby.notifiers.NotifierKind`."""
    relay = evolve(values["mail"], password=os.environ.get(PASSWORD, ""))
    key = hmac.digest(proof_key(given.beside), b"mails", sha256)
    origin = given.origins[0] if given.origins else ""
    queue = MailQueue(given.reactor, relay, deliver_on(given.reactor))
    return Mails(given.reactor, relay, StoredMailboxes(given.journal), queue, key, origin)
