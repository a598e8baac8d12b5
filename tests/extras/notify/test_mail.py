"""Mails: who gets them, how often, and what stands in them."""

import re
from collections.abc import Callable
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone, ConnectionRefusedError
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.logger import globalLogPublisher
from twisted.mail.smtp import SMTPClientError, SMTPDeliveryError
from twisted.python.failure import Failure

from gamehost.extras.notify import mail as under_test
from gamehost.extras.notify.addresses import (
    CODES_A_DAY,
    CODES_AN_HOUR,
    TOO_MANY_CODES,
    WRONG_CODE,
    BadAddress,
    Codes,
    Mailbox,
    StoredMailboxes,
    account_in,
    checked_address,
    stopping_proof,
)
from gamehost.extras.notify.mail import BETWEEN, EXPECTED, NOT_STOPPED, PAUSES, Mail, MailQueue, Mails
from gamehost.extras.notify.relays import PORT, MailRelay, relay_of
from gamehost.journal.records import TableId
from gamehost.lobby.notices import Asker, Reason
from gamehost.settings import BadOption
from gamehost.storage.durable import DurableJournal, StoredAccounts
from gamehost.testing.cases import Mixin, PropertyCase
from tests.kit.accounts import account, nobody
from tests.kit.notices import news
from tests.kit.postgresql import PostgresCase
from tests.storage.test_sqlite import StoreCase

RELAY = MailRelay("relay.example.org", 587, "", "games@example.org")
ANN = "ann@example.org"


class AddressTests(PropertyCase):
    def test_addresses(self) -> None:
        for text in (ANN, "a.b+c@mail.example.co", "x_y-z@a-b.example", f"{'a' * 64}@example.org"):
            self.assertEqual(checked_address(text), text)

    def test_what_is_no_address(self) -> None:
        """Nothing that a header or a command would read in another way."""
        for text in (
            *("", "ann", "@example.org", "ann@", "ann@example", "ann@localhost", "ann@127.0.0.1", "ann@[127.0.0.1]"),
            *("ann@example.org\r\nBcc: bob@example.org", "ann@example.org\n", "\rann@example.org", "ann\0@example.org"),
            *("ann@example.org,bob@example.org", "Ann <ann@example.org>", "<ann@example.org>", '"a b"@example.org'),
            *("a b@example.org", "a@b@example.org", ".ann@example.org", "ann.@example.org", "ann@.example.org"),
            *("ann@example..org", "žofie@example.org", "ann@žofie.org", f"{'a' * 65}@example.org", "x" * 4096),
            f"ann@{'a.' * 130}org",
        ):
            self.assertRaises(BadAddress, checked_address, text)

    @given(st.text())
    def test_no_text_makes_a_second_line(self, text: str) -> None:
        for address in (text, f"ann@example.org{text}", f"{text}@example.org"):
            try:
                checked = checked_address(address)
            except BadAddress:
                continue
            self.assertRegex(checked, r"\A[!-~]+\Z")
            self.assertNotRegex(checked, r"[\s<>,;:\"\\()\[\]]")

    def test_relays(self) -> None:
        for text, relay in {
            "smtp://localhost/games@example.org": MailRelay("localhost", PORT, "", "games@example.org"),
            "smtp://[::1]:2525/games@example.org": MailRelay("::1", 2525, "", "games@example.org"),
            "smtp://me%40x@mail.example.org:587/a@example.org": MailRelay(
                "mail.example.org", 587, "me@x", "a@example.org"
            ),
        }.items():
            self.assertEqual(relay_of("--mail", text), relay)
            self.assertEqual(relay.local, relay.host != "mail.example.org")
        for text in (
            *("", "mail.example.org", "smtp://mail.example.org", "smtp:///a@example.org", "http://x/a@example.org"),
            *("smtp://x:99999/a@example.org", "smtp://x/a@b", "smtp://x/a@example.org?b=c", "smtp://[/a@example.org"),
        ):
            self.assertRaises(BadOption, relay_of, "--mail", text)
        words = str(self.assertRaises(BadOption, relay_of, "--mail", "smtp://me:canary@x/a@example.org"))
        self.assertIn("GAMEHOST_MAIL_PASSWORD", words)
        self.assertNotIn("canary", words)


class CodesTests(PropertyCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = Clock()
        self.codes = Codes(self.clock.seconds)

    def refusal(self, ask: Callable[..., str], *values: str) -> str:
        return str(self.assertRaises(BadAddress, ask, *values))

    def test_a_code_counts_once(self) -> None:
        code = self.codes.ask("ann", ANN)
        self.assertRegex(code, r"\A[0-9]{8}\Z")
        self.assertEqual(self.codes.waiting("ann"), ANN)
        self.assertEqual(self.refusal(self.codes.confirm, "bob", code), WRONG_CODE)
        self.assertEqual(self.codes.confirm("ann", code), ANN)
        self.assertEqual(self.refusal(self.codes.confirm, "ann", code), WRONG_CODE)
        self.assertIsNone(self.codes.waiting("ann"))

    def test_guesses(self) -> None:
        code = self.codes.ask("ann", ANN)
        wrong = "0" * 8 if code != "0" * 8 else "1" * 8
        for guess in ("", wrong, "é", code + "0", wrong):
            self.assertEqual(self.refusal(self.codes.confirm, "ann", guess), WRONG_CODE)
        self.assertEqual(self.refusal(self.codes.confirm, "ann", code), WRONG_CODE)

    def test_an_old_code(self) -> None:
        code = self.codes.ask("ann", ANN)
        self.clock.advance(3601)
        self.assertIsNone(self.codes.waiting("ann"))
        self.assertEqual(self.refusal(self.codes.confirm, "ann", code), WRONG_CODE)

    def test_nobody_is_sent_many_mails(self) -> None:
        """By one account, to one address however it is written, and by all."""
        for number in range(CODES_A_DAY):
            self.codes.ask("ann", f"x{number}@example.org")
        self.assertEqual(self.refusal(self.codes.ask, "ann", ANN), TOO_MANY_CODES)
        for number, address in enumerate(("bob@example.org", "BOB@example.org", "Bob@example.org")):
            self.codes.ask(f"b{number}", address)
        self.assertEqual(self.refusal(self.codes.ask, "b9", "bob@example.org"), TOO_MANY_CODES)
        for number in range(CODES_AN_HOUR - 6):
            self.codes.ask(f"c{number}", f"c{number}@example.org")
        self.assertEqual(self.refusal(self.codes.ask, "dan", "dan@example.org"), TOO_MANY_CODES)
        self.clock.advance(86_400)
        self.codes.ask("ann", ANN)

    @given(st.text())
    def test_proofs(self, name: str) -> None:
        name = name.encode("utf-8", "replace").decode()
        proof = stopping_proof(b"k", name, ANN)
        self.assertRegex(proof, r"\A[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{22}\Z")
        self.assertEqual(account_in(proof), name)
        self.assertNotEqual(stopping_proof(b"k", name, "other@example.org"), proof)


class QueueTests(PropertyCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock, self.under_way = Clock(), list[tuple[str, Deferred[Any]]]()
        self.queue = MailQueue(self.clock, RELAY, self.deliver)
        self.logged: list[str] = []
        note: Any = lambda event: self.logged.append(str(event))  # noqa: E731
        globalLogPublisher.addObserver(note)
        self.addCleanup(globalLogPublisher.removeObserver, note)

    def deliver(self, relay: MailRelay, to: str, data: bytes) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        self.under_way.append((to, done))
        return done

    def test_some_at_a_time(self) -> None:
        for number in range(6):
            self.queue.send(Mail(str(number), b""))
        self.assertEqual([to for to, _ in self.under_way], ["0", "1", "2", "3"])
        self.under_way[1][1].callback(None)
        self.assertEqual([to for to, _ in self.under_way[4:]], ["4"])

    def test_a_mail_is_tried_again(self) -> None:
        """Its address is in no line of the log."""
        faults = (ConnectionRefusedError("canary@example.org"), SMTPDeliveryError(451, b"canary", log=b"canary"))
        for fault in faults:
            self.queue.send(Mail("canary@example.org", b""))
            for pause in (*PAUSES, 0.0):
                self.under_way.pop()[1].errback(fault)
                self.assertEqual(self.under_way, [])
                self.clock.advance(pause)
            self.assertEqual((self.under_way, self.clock.getDelayedCalls()), ([], []))
        self.assertEqual(len([line for line in self.logged if "could not be sent" in line]), len(faults))
        self.assertNotIn("canary", "".join(self.logged))

    def test_a_refused_mail(self) -> None:
        self.queue.send(Mail(ANN, b""))
        self.under_way.pop()[1].errback(SMTPClientError(550, b"no such user"))
        self.assertEqual((self.under_way, self.clock.getDelayedCalls()), ([], []))

    def test_a_full_queue(self) -> None:
        self.patch(under_test, "MOST_QUEUED", 2)
        for number in range(9):
            self.queue.send(Mail(str(number), b""))
        self.assertEqual(len([line for line in self.logged if "queue of mails is full" in line]), 3)

    def test_a_host_that_stops(self) -> None:
        self.queue.send(Mail(ANN, b""))
        self.under_way.pop()[1].errback(ConnectionRefusedError())
        self.queue.send(Mail(ANN, b""))
        stopped = self.queue.stop()
        self.assertNoResult(stopped)
        self.under_way.pop()[1].callback(None)
        self.successResultOf(stopped)
        self.assertEqual(self.clock.getDelayedCalls(), [])


class DeliverTests(PropertyCase):
    """What a relay is told."""

    def said(self, relay: MailRelay, *answers: bytes) -> tuple[list[bytes], Deferred[Any]]:
        reactor = MemoryReactorClock()
        done = under_test.deliver_on(reactor)(relay, ANN, b"Subject: x\n\n.\ncanary\n")
        [connection] = reactor.tcpClients
        self.assertEqual(connection[:2], (relay.host, relay.port))
        factory: Any = connection[2]
        protocol, transport = factory.buildProtocol(None), StringTransport()
        protocol.makeConnection(transport)
        for answer in answers:
            protocol.dataReceived(answer + b"\r\n")
        while transport.producer is not None:
            transport.producer.resumeProducing()
        protocol.setTimeout(None)
        if transport.disconnecting:
            factory.clientConnectionLost(None, Failure(ConnectionDone()))
        return transport.value().splitlines(), done

    def test_a_relay_without_encryption(self) -> None:
        """On another machine it gets nothing, neither the address nor the password. On this machine it gets the mail."""
        relay = MailRelay("relay.example.org", 587, "me", "games@example.org", "hunter2")
        said, done = self.said(relay, b"220 relay", b"250-relay", b"250 AUTH PLAIN LOGIN")
        self.failureResultOf(done)
        self.assertEqual([line.split()[0] for line in said], [b"EHLO", b"QUIT"][: len(said)])
        here = MailRelay("127.0.0.1", 25, "", "games@example.org")
        answers = (b"220 relay", b"250 relay", b"250 ok", b"250 ok", b"354 go on")
        said, done = self.said(here, *answers)
        self.assertIn(b"RCPT TO:<ann@example.org>", said)
        # A line that is a dot does not end the mail.
        self.assertEqual(said[-5:], [b"Subject: x", b"", b"..", b"canary", b"."])

    def test_a_relay_with_encryption(self) -> None:
        said, done = self.said(RELAY, b"220 relay", b"250-relay", b"250 STARTTLS")
        self.assertEqual([line.split()[0] for line in said], [b"EHLO", b"STARTTLS"])
        self.assertNoResult(done)


class MemoryMailboxes:
    def __init__(self) -> None:
        self.by_account: dict[str, Mailbox] = {}

    def put(self, box: Mailbox, put: Callable[[], None]) -> None:
        self.by_account[box.account] = box
        put()

    def of(self, name: str, found: Callable[[Mailbox | None], None]) -> None:
        found(self.by_account.get(name))

    def drop(self, name: str, dropped: Callable[[], None]) -> None:
        self.by_account.pop(name, None)
        dropped()


class MailsTests(PropertyCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock, self.sent, self.stored = Clock(), list[tuple[str, EmailMessage]](), MemoryMailboxes()
        self.clock.advance(1_700_000_000)
        self.mails = self.new_mails("https://games.example.org")

    def new_mails(self, origin: str) -> Mails:
        def deliver(relay: MailRelay, to: str, data: bytes) -> Deferred[Any]:
            mail: Any = message_from_bytes(data, policy=SMTP)
            self.sent.append((to, mail))
            return Deferred()

        self.patch(under_test, "AT_ONCE", 1_000)
        stored: Any = self.stored
        queue = MailQueue(self.clock, RELAY, deliver)
        return Mails(self.clock, RELAY, stored, queue, b"key", origin, self.clock.seconds)

    def change(self, name: str | None, **values: str) -> str | None:
        answers: list[str | None] = []
        self.mails.change(None if name is None else Asker(name), values, answers.append)
        [answer] = answers
        return answer

    def state(self, name: str = "ann") -> dict[str, Any]:
        answers: list[Any] = []
        self.mails.state(Asker(name), answers.append)
        [answer] = answers
        found: dict[str, Any] = answer
        return found

    def next(self) -> tuple[str, EmailMessage]:
        self.clock.advance(0)
        return self.sent.pop(0)

    def has_address(self, name: str = "ann", address: str = ANN) -> None:
        self.stored.by_account[name] = Mailbox(name, address, 0)

    def test_an_address_is_confirmed(self) -> None:
        self.assertIsNone(self.change("ann", address=ANN))
        self.assertEqual(self.state(), {"address": "", "waits": ANN})
        to, mail = self.next()
        self.assertEqual((to, mail["To"], mail["From"]), (ANN, ANN, "games@example.org"))
        [code] = re.findall(r"this code there: (\d{8})", mail.get_content())
        self.assertIn(code, mail["Subject"])
        self.assertEqual(self.change("bob", code=code), WRONG_CODE)
        self.assertIsNone(self.change("ann", code=code))
        self.assertEqual(self.state(), {"address": ANN, "waits": ""})
        self.assertIsNone(self.change("ann"))
        self.assertEqual(self.state(), {"address": "", "waits": ""})

    def test_nothing_is_sent_to_what_is_no_address(self) -> None:
        for address in ("ann@example.org\r\nBcc: bob@example.org", "x" * 4096, ""):
            self.assertTrue(self.change("ann", address=address))
        for values in ({"address": ANN, "code": "1"}, {"canary": "1"}):
            self.assertEqual(self.change("ann", **values), EXPECTED)
        self.assertEqual(self.sent, [])

    def test_one_mail_in_four_hours(self) -> None:
        """The first at once, then one with all that was not seen meanwhile."""
        self.has_address()
        self.mails.deliver("ann", news(1))
        self.mails.deliver("bob", news(1))
        to, mail = self.next()
        self.assertEqual((to, mail["Subject"]), (ANN, "Paper soccer: your turn"))
        self.assertIn("https://games.example.org/table/1\n", mail.get_content())
        for table, reason in ((2, Reason.TURN), (3, Reason.OFFER), (2, Reason.OVER), (4, Reason.TURN)):
            self.clock.advance(60)
            self.mails.deliver("ann", news(table, reason))
        self.mails.seen("ann", TableId(4))
        self.mails.seen("bob", TableId(2))
        self.clock.advance(BETWEEN - 241)
        self.assertEqual(self.sent, [])
        self.clock.advance(2)
        _, mail = self.next()
        self.assertEqual(mail["Subject"], "Paper soccer: an offer, and 1 more")
        tables = re.findall(r"/table/(\d+)", mail.get_content())
        self.assertEqual(tables, ["3", "2"])
        self.clock.advance(2 * BETWEEN)
        self.assertEqual((self.sent, self.clock.getDelayedCalls()), ([], []))

    def test_what_was_seen_is_not_mailed(self) -> None:
        self.has_address()
        self.stored.by_account["ann"] = Mailbox("ann", ANN, int(self.clock.seconds()))
        self.mails.deliver("ann", news(1))
        self.mails.seen("ann", TableId(1))
        self.clock.advance(BETWEEN + 1)
        self.assertEqual((self.sent, self.clock.getDelayedCalls()), ([], []))

    def test_the_pause_outlives_the_host(self) -> None:
        self.has_address()
        self.mails.deliver("ann", news(1))
        self.next()
        self.mails = self.new_mails("")
        self.clock.advance(60)
        self.mails.deliver("ann", news(2))
        self.clock.advance(BETWEEN - 61)
        self.assertEqual(self.sent, [])
        self.clock.advance(2)
        self.assertEqual(len(self.sent), 1)

    def test_a_mail_can_be_ended_from_itself(self) -> None:
        """Without a log-in, and not by somebody who has no such mail."""
        self.has_address()
        self.mails.deliver("ann", news(1))
        _, mail = self.next()
        link = re.fullmatch(r"<https://games\.example\.org/no-mail/(\S+)>", mail["List-Unsubscribe"])
        assert link is not None
        self.assertIn(link[1], mail.get_content())
        for proof in ("", "x", link[1][:-1], "é", stopping_proof(b"other key", "ann", ANN), "!.x", "_w.x"):
            self.assertEqual(self.change(None, stop=proof), NOT_STOPPED)
        self.assertEqual(self.change(None, stop=link[1], address=ANN), NOT_STOPPED)
        self.assertEqual(self.change(None, address=ANN), NOT_STOPPED)
        self.assertEqual(self.state()["address"], ANN)
        self.assertIsNone(self.change(None, stop=link[1]))
        self.assertEqual(self.state()["address"], "")
        self.has_address()
        self.assertIsNone(self.change("bob", stop=link[1]))
        self.assertEqual(self.state()["address"], "")
        self.has_address("ann", "new@example.org")
        self.assertEqual(self.change(None, stop=link[1]), NOT_STOPPED)

    def test_without_a_name_of_the_pages(self) -> None:
        self.mails = self.new_mails("")
        self.has_address()
        self.mails.deliver("ann", news(1))
        _, mail = self.next()
        self.assertEqual(mail["List-Unsubscribe"], "<mailto:games@example.org?subject=unsubscribe>")
        self.assertNotIn("//", mail.get_content())

    def test_headers(self) -> None:
        """No name, and nothing that has happened, makes a header of its own."""
        self.has_address()
        self.mails.deliver("ann", news(1, Reason.OFFER, "Žofie offers a draw"))
        _, mail = self.next()
        self.assertEqual(mail["Subject"], "Paper soccer: Žofie offers a draw")
        self.assertEqual(mail["Auto-Submitted"], "auto-generated")
        self.assertEqual(mail["Date"].datetime.timestamp(), 1_700_000_000)
        self.assertRegex(mail["Message-ID"], r"\A<\S+@example\.org>\Z")
        self.has_address("bob", "bob@example.org")
        self.mails.deliver("bob", news(1, Reason.OFFER, "x\r\nBcc: eve@example.org"))
        _, mail = self.next()
        self.assertEqual((mail["Subject"], mail["Bcc"]), ("Paper soccer: x Bcc: eve@example.org", None))

    def test_bounds(self) -> None:
        self.patch(under_test, "MOST_WAITING", 3)
        self.patch(under_test, "MOST_NEWS", 2)
        for number in range(5):
            name = f"p{number}"
            self.stored.by_account[name] = Mailbox(name, f"{name}@example.org", int(self.clock.seconds()))
            for table in range(4):
                self.mails.deliver(name, news(table))
        self.clock.advance(BETWEEN + 1)
        self.assertEqual([to for to, _ in self.sent], [f"p{number}@example.org" for number in (2, 3, 4)])
        for _, mail in self.sent:
            self.assertEqual(mail["Subject"], "Paper soccer: your turn, and 1 more")

    def test_a_host_that_stops(self) -> None:
        self.has_address()
        self.stored.by_account["ann"] = Mailbox("ann", ANN, int(self.clock.seconds()))
        self.mails.deliver("ann", news(1))
        self.successResultOf(self.mails.stop())
        self.assertEqual(self.clock.getDelayedCalls(), [])


class _StoredContract(Mixin):
    """What is stored of addresses, in either kind of store."""

    journal: DurableJournal

    def until_idle(self, journal: Any = None) -> None:
        raise NotImplementedError

    def box(self, name: str) -> Mailbox | None:
        answers: list[Mailbox | None] = []
        self.stored.of(name, answers.append)
        self.until_idle()
        [found] = answers
        return found

    def put(self, name: str, address: str, mailed: int = 0) -> None:
        self.stored.put(Mailbox(name, address, mailed), lambda: None)
        self.until_idle()

    def test_one_an_account(self) -> None:
        book, self.stored = StoredAccounts(self.journal), StoredMailboxes(self.journal)
        ann = account("ann")
        book.add(ann, nobody)
        self.put("ann", ANN)
        self.put("bob", "bob@example.org")
        self.assertEqual((self.box("ann"), self.box("bob")), (Mailbox("ann", ANN, 0), None))
        self.put("ann", ANN, 1_700_000_000)
        self.assertEqual(self.box("ann"), Mailbox("ann", ANN, 1_700_000_000))
        # The account gets another name, and is deleted.
        renamed = book.rename(ann, "Anna", lambda: None)
        self.until_idle()
        self.assertEqual((self.box("ann"), self.box("anna")), (None, Mailbox("anna", ANN, 1_700_000_000)))
        book.delete(renamed, lambda: None)
        self.until_idle()
        self.assertIsNone(self.box("anna"))
        self.assertEqual(self.rows(), [])
        book.add(ann, nobody)
        self.put("ann", ANN)
        self.stored.drop("ann", lambda: None)
        self.assertIsNone(self.box("ann"))

    def rows(self) -> list[Any]:
        found: list[Any] = []
        self.journal.ask_store(lambda store: store.database.rows("SELECT * FROM mailbox"), found.extend)
        self.until_idle()
        return found


class StoredTests(_StoredContract, StoreCase, PropertyCase):
    def setUp(self) -> None:
        super().setUp()
        self.journal = self.start()

    def until_idle(self, journal: Any = None) -> None:
        self.pump.until_idle(self.journal)
        self.assertEqual(self.pump.broken, [])


class PostgresTests(_StoredContract, PostgresCase, PropertyCase):
    def setUp(self) -> None:
        super().setUp()
        self.journal = self.start()

    def until_idle(self, journal: Any = None) -> None:
        PostgresCase.until_idle(self, self.journal)
