"""The open wire over WebSocket: the handshake, and a conversation over frames."""

from collections.abc import Sequence
from ipaddress import ip_network
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.lobby.lobby import Lobby
from gamehost.settings import Settings, refuse_unknown
from gamehost.testing import wire_connections
from gamehost.testing.memory_host import MessageText
from gamehost.testing.wire_hooks import Situation
from gamehost.web.http import Access
from gamehost.wires.base import Peer
from gamehost.wires.open.conversation import OPTIONS, WIRE, OpenConversation
from gamehost.wires.open.websocket import SocketCodec, SocketConversation, frame_encoder
from gamehost.wires.websocket import LOOK_EVERY, LOOKS, SILENT
from tests.kit.web_host import KEY, Browser, FrameText, WebHost, close, frame, handshake, message, part, request
from tests.wires.test_open import WireTests as LineTests


def browsers(web: WebHost, *names: str) -> list[Browser]:
    guests = []
    for name in names:
        guest = web.browser()
        guest.say(do="enter", name=name)
        guests.append(guest)
    return guests


class HandshakeTests(SynchronousTestCase):
    def test_a_handshake(self) -> None:
        """The answer is that of RFC 6455, without extensions."""
        browser = WebHost().browser(Sec_WebSocket_Extensions="permessage-deflate")
        self.assertTrue(browser.opening.startswith(b"HTTP/1.1 101 Switching Protocols\r\n"))
        self.assertIn(b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", browser.opening)
        self.assertNotIn(b"Extensions", browser.opening)

    def test_what_is_no_handshake(self) -> None:
        for headers, status in (
            ({"Upgrade": ""}, 426),
            ({"Connection": "close"}, 426),
            ({"Sec_WebSocket_Version": "8"}, 426),
            ({"Sec_WebSocket_Version": ""}, 426),
            ({"Sec_WebSocket_Key": ""}, 400),
            ({"Sec_WebSocket_Key": "short"}, 400),
            ({"Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==x"}, 400),
            ({"Origin": "http://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Host": ""}, 400),
            ({"version": "HTTP/1.0"}, 400),
            ({"method": "POST"}, 400),
            ({"method": "HEAD"}, 400),
        ):
            web = WebHost()
            client = web.connect()
            [answer] = client.ask(handshake(**headers))
            self.assertEqual(answer.status, status, headers)
            self.assertTrue(client.closed or status == 400)
            self.assertEqual(web.site.sockets.connections, set())
        self.assertEqual(
            WebHost().connect().ask(handshake(Sec_WebSocket_Version="8"))[0].headers["sec-websocket-version"], "13"
        )

    def test_own_pages(self) -> None:
        self.assertIn(b" 101 ", WebHost().browser(Origin="http://games.example.org").opening)
        web = WebHost(access=Access(("https://games.example.org",)))
        self.assertIn(b" 101 ", web.browser(Origin="https://games.example.org").opening)
        self.assertIn(b" 101 ", WebHost().browser(Host="192.0.2.7:8080", Origin="http://192.0.2.7:8080").opening)

    def test_by_another_name(self) -> None:
        """A name that points here is no way in, wherever the host listens and whoever asks."""
        for address in ("127.0.0.1", "192.0.2.1"):
            foreign = {"Host": "evil.example", "Origin": "http://evil.example"}
            client = WebHost().connect(address)
            self.assertEqual([one.status for one in client.ask(handshake(**foreign))], [421])
            [answer] = WebHost().connect(address).ask(request("/api/tables", Host="evil.example"))
            self.assertEqual(answer.status, 421)

    def test_frames_behind_the_handshake(self) -> None:
        hello = message('{"do":"ping","id":7}')
        for whole in (True, False):
            client = WebHost().connect()
            data = handshake() + hello
            for piece in [data] if whole else [data[at : at + 1] for at in range(len(data))]:
                client.send(piece)
            self.assertIn(b'{"is":"pong","id":7}', client.transport.read())


class ConversationTests(SynchronousTestCase):
    def test_a_match_and_a_watcher(self) -> None:
        web = WebHost(settings={"onitama.deal": "boar,ox/crab,eel/tiger"})
        ann, bob = browsers(web, "ann", "bob")
        for guest in (ann, bob):
            guest.say(do="seek", game="onitama")
        [watcher] = browsers(web, "eve")
        [shown] = [one for one in watcher.ask(do="watch", table=1) if one["is"] == "shown"]
        self.assertEqual((shown["names"], shown["n"]), (["ann", "bob"], 1))
        ann.told(), bob.told()
        ann.say(do="act", table=1, action="ox c1 c2")
        events = [guest.told() for guest in (ann, bob, watcher)]
        self.assertEqual(events[0][0]["event"]["kind"], "moved")
        self.assertEqual(events[1:], [events[0], events[0]])

    def test_a_seat_comes_back_with_its_key(self) -> None:
        web = WebHost(settings={"onitama.deal": "boar,ox/crab,eel/tiger"})
        ann, bob = browsers(web, "ann", "bob")
        [entered] = ann.told()
        for guest in (ann, bob):
            guest.say(do="seek", game="onitama")
        again = web.browser("203.0.113.7")
        told = again.ask(do="enter", name="ann", key=entered["key"])
        self.assertEqual([one["is"] for one in told], ["entered", "seated", "back"])
        self.assertEqual(ann.told()[-1]["is"], "bye")
        self.assertEqual(ann.close, (1000, "you have logged in on another connection"))

    def test_pings_and_closing_are_answered_at_once(self) -> None:
        browser = WebHost().browser()
        browser.client.send(frame(9, b"there?"))
        self.assertEqual(browser.client.transport.read(), b"\x8a\x06there?")
        browser.client.send(close(1001))
        self.assertEqual(browser.client.transport.read(), b"\x88\x02\x03\xe9")
        self.assertTrue(browser.client.closed)

    def test_a_browser_that_is_gone(self) -> None:
        """It is asked every 20 seconds, and closed after 45 without a byte. An answer keeps it, and counts for nothing."""
        web = WebHost()
        silent, there = browsers(web, "ann", "bob")
        for second in range(1, int(SILENT + LOOK_EVERY)):
            web.host.wait(1)
            if second % 10 == 0:
                there.client.send(frame(10))
        self.assertEqual([one.client.closed for one in (silent, there)], [True, False])
        there.told()
        self.assertEqual(there.pings, 2)

    def test_answers_that_nobody_asked_for(self) -> None:
        """They count as messages do: a flood of them ends, and the answer to a question counts for nothing."""
        web = WebHost()
        flooder, asked = browsers(web, "ann", "bob")
        flooder.client.send(frame(10) * 200)
        flooder.told()
        self.assertEqual(flooder.close, (1008, "too many messages"))
        web.host.wait(2)
        self.assertTrue(flooder.client.closed)
        web.host.wait(LOOKS * LOOK_EVERY)
        protocol = asked.client.protocol._successor
        assert protocol is not None
        rate = protocol.input._rate
        before = rate.missing
        asked.client.send(frame(10))
        self.assertLessEqual(rate.missing, before)
        for _ in range(10):
            asked.client.send(frame(10))
        self.assertGreaterEqual(rate.missing, before + 9)

    def test_a_flood_of_fragments(self) -> None:
        """Each frame counts, however short it is. One message in a few pieces is nothing unusual."""
        web = WebHost()
        flooder, honest = browsers(web, "ann", "bob")
        ping = b'{"do":"ping","id":7}'
        pieces = message(ping[:1], fin=False) + b"".join(part(bytes([byte])) for byte in ping[1:]) + part(b"", fin=True)
        honest.client.send(pieces)
        self.assertEqual([one["is"] for one in honest.told()][-1], "pong")
        flooder.client.send(pieces * 6)
        flooder.told()
        self.assertEqual(flooder.close, (1008, "too many messages"))

    def test_passwords(self) -> None:
        """Only where nobody else can read them."""
        web = WebHost(access=Access(trusted=(ip_network("192.0.2.99"),)))
        for address, headers, answer in (
            ("192.0.2.1", {}, "sorry"),
            ("127.0.0.1", {}, "entered"),
            ("127.0.0.1", {"X_Forwarded_Proto": "https"}, "sorry"),
            ("192.0.2.99", {"X_Forwarded_For": "203.0.113.7"}, "sorry"),
            ("192.0.2.99", {"X_Forwarded_Proto": "https"}, "entered"),
        ):
            browser = Browser(web.connect(address), Host="localhost", **headers)
            [told] = browser.ask(do="log-in", name=f"ann{len(web.site.sockets.connections)}", password="secret secret")
            self.assertEqual(told["is"], answer)

    def test_the_host_stops(self) -> None:
        web = WebHost()
        [browser], idle = browsers(web, "ann"), web.connect()
        browser.told()
        done: list[Any] = []
        web.site.sockets.stop_input()
        web.site.close("the host is stopping").addCallback(done.append)
        web.host.wait(0)
        self.assertEqual([(one["is"], one["again"]) for one in browser.told()], [("bye", 5.0)])
        self.assertEqual((browser.close, idle.closed), ((1001, "the host is stopping"), True))
        web.host.wait(0)
        self.assertEqual(len(done), 1)

    def test_too_many_connections(self) -> None:
        """A socket counts as a connection of any wire; the page is told why it has none."""
        web = WebHost(settings={"limits.connections_per_address": "1"})
        web.browser()
        refused = web.browser()
        self.assertEqual([one["is"] for one in refused.told()], ["bye"])
        self.assertIn("too many connections", str(refused.close))


class BadFrameTests(SynchronousTestCase):
    def test_faults(self) -> None:
        for data, code in (
            (frame(1, b"{}", mask=b""), 1002),
            (frame(2, b"{}"), 1003),
            (message(b"\xff"), 1007),
            (message("x") + message("y"), 1007),
            (message("x" * 4097), 1009),
            (message("x" * 4096, fin=False) + part("x"), 1009),
        ):
            browser = WebHost().browser()
            browser.client.send(data)
            told = browser.told()
            self.assertEqual((told[-1]["is"], browser.close and browser.close[0]), ("bye", code))
            self.assertTrue(browser.client.closed)

    def test_wrong_messages_are_answered(self) -> None:
        [browser] = browsers(WebHost(), "ann")
        browser.told()
        for text in (b'{"do":"canary"}', b'{"do":"stop","canary":1}', b'{"do":"watch","table":"3"}', b"[]", b"canary"):
            browser.send(text)
            [answer] = browser.told()
            self.assertEqual(answer["is"], "sorry")
            self.assertNotIn("canary", str(answer))

    def test_fragments_for_ever(self) -> None:
        web = WebHost()
        [browser] = browsers(web, "ann")
        browser.client.send(message("{", fin=False))
        for _ in range(9):
            web.host.wait(1)
            browser.client.send(part(" "))
            self.assertFalse(browser.client.closed)
        web.host.wait(1)
        browser.told()
        self.assertTrue(browser.client.closed)
        self.assertIn("a message not finished within 10 s", str(browser.close))


# The open wire over WebSocket does what all wires do: its contract, its transcripts, and streams that are not quite right.


FUZZED = max((wire_connections.FUZZED or 2000) // 10, 100)


class TextsAlone(FrameText):
    """What a page hears: browsers answer pings, and keep closing frames to themselves."""

    def heard(self, data: bytes) -> list[str]:
        texts = [line for line in super().heard(data) if line.startswith("{")]
        return [text.replace("messages that are not JSON", "lines that are not JSON") for text in texts]


class Answering(SocketConversation):
    """A conversation behind its handshake, with a browser that answers pings."""

    def begin(self) -> None:
        OpenConversation.begin(self)


class Opened:
    def __init__(self) -> None:
        self._encoder = frame_encoder(OPTIONS)

    def new_codec(self) -> SocketCodec:
        return SocketCodec()

    def new_conversation(self, peer: Peer[Any], lobby: Lobby) -> SocketConversation:
        return Answering(peer, lobby, OPTIONS, self._encoder, KEY, True)


def configure(settings: Settings) -> Opened:
    refuse_unknown(settings, ())
    return Opened()


def framed(lines: bytes) -> bytes:
    return b"".join(message(line) for line in lines.splitlines())


class WireTests(LineTests):
    # What reads the frames cannot be copied, so how a socket goes on elsewhere is tried in tests.extras.cluster.test_front.
    wire = evolve(WIRE, configure=configure, spreads=False)
    text: type[MessageText] = TextsAlone
    begun = frame(1, b'{"do":"enter","name":"aaaaa', length=4096)
    too_long = message(b'{"do":"enter","name":"' + b"a" * 4073 + b'"}')
    nonsense = (
        *(framed(one) for one in LineTests.nonsense if b"\xff" not in one and b"\x00" not in one),
        *(frame(2, b"canary"), message(b"canary\xff"), frame(11, b"canary"), frame(1, b"canary", bits=7)),
        *(message("canary", fin=False) + message("canary"), part("canary"), message("canary\x1b[2J")),
    )

    def log_in(self, name: str) -> bytes:
        return framed(super().log_in(name))

    def logged_in(self, account: bool) -> Situation:
        host, client = self.connected(unlimited="yes")
        data = message('{"do":"log-in","name":"ann","password":"secret secret"}') if account else self.log_in("ann")
        client.send(data)
        return Situation(host, client)

    def join(self, client: Any, name: str) -> None:
        client.send(self.log_in(name) + message('{"do":"seek","game":"onitama"}'))

    def join_again(self, client: Any, name: str) -> None:
        client.send(message('{"do":"seek","game":"onitama"}'))

    def legal_action(self, first: Any, second: Any) -> tuple[Any, bytes]:
        client, lines = super().legal_action(first, second)
        return client, framed(lines)

    def illegal_action(self, first: Any, second: Any) -> tuple[Any, bytes]:
        client, lines = super().illegal_action(first, second)
        return client, framed(lines)

    def corpus(self) -> Sequence[bytes]:
        control = frame(9, b"?") + message('{"do":"ping"', fin=False) + frame(10) + part("}", fin=True) + close(1001)
        return [*super().corpus(), control]

    def test_every_message_is_written_whole(self) -> None:
        self.text = FrameText
        super().test_every_message_is_written_whole()

    def test_fuzz(self) -> None:
        """As of lines, with fewer streams: what is behind the frames is the same."""
        self.patch(wire_connections, "FUZZED", FUZZED)
        super().test_fuzz()

    def test_fuzz_while_waiting(self) -> None:
        self.patch(wire_connections, "FUZZED", FUZZED)
        super().test_fuzz_while_waiting()


del LineTests
