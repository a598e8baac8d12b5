"""HTTP on connections in memory: answers, headers, limits, and bad input."""

import gzip
import os
import random
from typing import Any

from twisted.internet.defer import fail
from twisted.logger import Logger, LogLevel
from twisted.trial.unittest import SynchronousTestCase

from gamehost import fairness
from gamehost.fairness import AT_ONCE, PAUSE
from gamehost.net.endpoints import LOOPBACK
from gamehost.testing import memory_host
from gamehost.testing.codec_contract import chunked, mutated
from gamehost.web.http import Access, BadPath, found, packed, read_query, refused, split_path
from gamehost.web.server import HEADERS, IDLE_SECONDS
from tests.kit.http_bounds import HttpBoundsContract
from tests.kit.reactors import Lines
from tests.kit.web_host import FILES, NAMED, Browser, WebHost, handshake, message, request


class AnswerTests(SynchronousTestCase):
    def test_every_page_is_the_shell(self) -> None:
        web = WebHost()
        shell = web.get("/")
        self.assertEqual((shell.status, shell.headers["content-type"]), (200, "text/html; charset=utf-8"))
        for path in (
            "/table/3",
            "/match/9",
            "/rules/onitama",
            "/matches",
            "/matches?game=onitama",
            "/player/J%C3%BCrgen",
            "/results",
        ):
            self.assertEqual(web.get(path).body, shell.body)
        for path in ("/table", "/table/3/4", "/pages", "/static/0/app.js", "/index.html", "/api"):
            self.assertEqual(web.get(path).status, 404, path)

    def test_a_person_at_a_wrong_address(self) -> None:
        web = WebHost()
        for path in ("/nothing", "/table", "/match/1/2"):
            shown = web.get(path, Accept="text/html,*/*;q=0.8")
            self.assertEqual((shown.status, shown.body), (404, web.get("/").body))
            self.assertNotIn("etag", {name.lower() for name in shown.headers})
            self.assertIn(b"nothing", web.get(path).body)
        self.assertIn(b"nothing", web.get("/static/x/app.js", Accept="text/html").body)

    def test_every_answer_has_the_headers(self) -> None:
        """Errors, too: a browser must not take one for something else."""
        web = WebHost()
        for path in ("/", "/nothing", f"/static/{web.site._files.hash}/app.js", "/%ff", "/socket"):
            headers = web.get(path).headers
            for name, value in HEADERS.items():
                self.assertEqual(headers[name.lower()], value)
            self.assertEqual(headers["date"], "Thu, 01 Jan 1970 00:00:00 GMT")
            self.assertNotIn("set-cookie", headers)
        policy = HEADERS["Content-Security-Policy"]
        self.assertNotIn("unsafe", policy)
        self.assertTrue(policy.startswith("default-src 'none'; script-src 'self'; "))

    def test_compressed_and_not_sent_twice(self) -> None:
        web = WebHost()
        path = f"/static/{web.site._files.hash}/app.js"
        plain, small = web.get(path), web.get(path, Accept_Encoding="br, gzip;q=0.5")
        self.assertEqual((plain.body, gzip.decompress(small.body)), (FILES["app.js"], FILES["app.js"]))
        self.assertEqual((small.headers["content-encoding"], small.headers["vary"]), ("gzip", "Accept-Encoding"))
        self.assertNotIn("content-encoding", plain.headers)
        self.assertEqual(web.get(path, Accept_Encoding="gzip;q=0").body, plain.body)
        for known in (small.headers["etag"], f'"x", {small.headers["etag"]}'):
            same = web.get(path, Accept_Encoding="gzip", If_None_Match=known)
            self.assertEqual((same.status, same.body, same.headers["etag"]), (304, b"", small.headers["etag"]))

    def test_head_is_answered_with_the_headers_alone(self) -> None:
        client = WebHost().connect()
        client.send(request("/", "HEAD"))
        data = client.transport.read()
        self.assertTrue(data.startswith(b"HTTP/1.1 200 OK\r\n") and data.endswith(b"\r\n\r\n"))
        self.assertIn(b"\r\nContent-Length: ", data)

    def test_several_requests_on_a_connection(self) -> None:
        client = WebHost().connect()
        for _ in range(2):
            self.assertEqual([one.status for one in client.ask(request("/") + request("/x"))], [200, 404])
        self.assertFalse(client.closed)
        [answer] = client.ask(request("/", Connection="close"))
        self.assertEqual((answer.headers["connection"], client.closed), ("close", True))
        old = WebHost().connect()
        self.assertEqual([one.status for one in old.ask(request("/", version="HTTP/1.0", Host=""))], [200])
        self.assertTrue(old.closed)


class BoundsTests(HttpBoundsContract, SynchronousTestCase):
    path = "/nothing"
    for_other_sites = True

    def new_world(self) -> WebHost:
        web = WebHost()
        self.patch(web.site, "respond", lambda asked: refused(200, "planted"))
        return web


class BadInputTests(SynchronousTestCase):
    """Closed, or 4xx, and nothing is kept."""

    def test_what_is_not_http(self) -> None:
        for data in (
            request("/", Content_Length="1, 2"),
            request("/", Transfer_Encoding="canary"),
            b"GET / HTTP/1.1\r\ncanary\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"canary\r\n\r\n",
            b"\x16\x03\x01\x00\xff\r\n\r\n",
            b'{"do":"enter","name":"ann"}\r\n',
            request("/", Host="evil example"),
        ):
            client = WebHost().connect()
            client.send(data)
            answer = client.transport.read()
            self.assertTrue(answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 413")) or client.closed, data)
            self.assertNotIn(b"canary", answer)

    def test_idle_connections_are_closed_also_after_an_answer(self) -> None:
        web = WebHost()
        clients = [web.connect() for _ in range(100)]
        asking = web.connect()
        asking.ask(request("/"))
        web.host.wait(IDLE_SECONDS - 1)
        self.assertEqual(len(web.site.channels), 101)
        asking.ask(request("/"))
        web.host.wait(1)
        self.assertEqual([client.closed for client in (*clients, asking)], [True] * 100 + [False])
        web.host.wait(IDLE_SECONDS)
        self.assertEqual((web.site.channels, web.host.clock.getDelayedCalls()), (set(), []))

    def test_a_client_that_reads_no_answers(self) -> None:
        """Thousands of requests at once: it gets no more answers than fit into the buffers, and is gone."""
        web = WebHost()
        client = web.connect()
        client.transport.reads = False
        for _ in range(20):
            client.send(request("/", Accept="x" * 200) * 50)
        self.assertTrue(client.closed)
        self.assertLess(client.transport.queued, 80_000)

    def test_a_fault_ends_the_connection(self) -> None:
        for path in ("/", "/api/results"):
            web = WebHost()
            self.patch(web.site, "respond", lambda asked: 1 / 0)
            client = web.connect()
            client.send(request(path))
            self.assertTrue(client.closed)
            self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        web = WebHost()
        self.patch(web.site, "respond", lambda asked: fail(ZeroDivisionError()))
        self.assertEqual(web.get("/").status, 500)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_headers_that_are_not_text(self) -> None:
        data = request("/", If_None_Match="\xf9", Accept_Encoding="\xff, gzip", Origin="\xfe")
        [answer] = WebHost().connect().ask(data)
        self.assertEqual(answer.status, 200)

    def test_paths_that_lead_out(self) -> None:
        web = WebHost()
        digest = web.site._files.hash
        for path in (
            "/../x",
            f"/static/{digest}/../../site.py",
            f"/static/{digest}/%2e%2e/x",
            "/a%00b",
            "/%c0%ae",
            "//x",
        ):
            self.assertEqual(web.get(path).status, 400, path)
        for path in (f"/static/{digest}/games", f"/static/{digest}/..%2fx", f"/static/{digest}/app.js%20"):
            self.assertEqual(web.get(path).status, 404, path)


class LimitTests(SynchronousTestCase):
    def web(self, **limits: str) -> WebHost:
        return WebHost(settings={f"limits.http_{name}": value for name, value in limits.items()})

    def test_connections(self) -> None:
        web = self.web(connections_per_address="2")
        first, second, third = (web.connect() for _ in range(3))
        web.host.until_idle()
        self.assertEqual([client.closed for client in (first, second, third)], [False, False, True])
        self.assertFalse(web.connect("203.0.113.7").closed)
        first.transport.hang_up()
        second.send(handshake())
        self.assertEqual((web.host.context.http_limiter.count, web.host.context.limiter.count), (1, 1))
        for _ in range(2):
            self.assertEqual([one.status for one in web.connect().ask(request("/"))], [200])
        second.transport.hang_up()
        web.host.wait(IDLE_SECONDS)
        self.assertEqual((web.host.context.http_limiter.count, web.host.context.limiter.count), (0, 0))

    def test_a_banned_address(self) -> None:
        web = self.web()
        web.host.lobby.bans.put("203.0.113.7", None, lambda: None)
        [answer] = web.connect("203.0.113.7").ask(request("/"))
        self.assertEqual((answer.status, b"your address is banned" in answer.body), (403, True))
        web.site.access = Access(NAMED, LOOPBACK)
        proxy = web.connect("127.0.0.1")
        for client, status in (("203.0.113.7", 403), ("203.0.113.8", 200)):
            [answer] = proxy.ask(request("/", Host="localhost", X_Forwarded_For=client))
            self.assertEqual(answer.status, status)
        self.assertIn("your address is banned", repr(web.browser("203.0.113.7").told()))

    def test_a_proxy_that_is_not_named(self) -> None:
        web = self.web()
        web.site.log = Logger("test", observer=(lines := Lines()))
        for address in ("127.0.0.1", "127.0.0.1", "192.0.2.9"):
            web.connect(address).ask(request("/", X_Forwarded_For="203.0.113.7"))
        self.assertEqual(
            lines.of(LogLevel.warn), ["a proxy at 127.0.0.1 is not believed; name it with --trusted-proxy"]
        )

    def test_a_proxy_is_not_one_client(self) -> None:
        """Its connections belong to many; only their number in all counts."""
        web = self.web(connections_per_address="1", new_burst="1", connections="3")
        clients = [web.connect("127.0.0.1") for _ in range(4)]
        web.host.until_idle()
        self.assertEqual([client.closed for client in clients], [False] * 3 + [True])

    def test_requests(self) -> None:
        web = self.web(requests_burst="2", requests_per_second="1")
        client = web.connect()
        answers = client.ask(request("/") * 5)
        self.assertEqual(([one.status for one in answers], client.closed), ([200, 200, 429], True))
        self.assertEqual(answers[2].headers["retry-after"], "5")
        web.site.access = Access(NAMED, LOOPBACK)
        proxy = web.connect("127.0.0.1")
        for origin in ("203.0.113.7", "203.0.113.8"):
            statuses = [one.status for one in proxy.ask(request("/", Host="localhost", X_Forwarded_For=origin) * 3)]
            self.assertEqual(statuses, [200, 200, 429])

    def test_many_requests_have_turns(self) -> None:
        """Some are answered at once, also of one segment. The others wait, in order, and players are served between them."""
        web = WebHost(settings={"limits.unlimited": "yes"})
        self.patch(fairness, "SHARE", 0.0)  # a turn of each round
        clients = [web.connect() for _ in range(3)]
        for client in clients:
            client.transport.receive(request("/nothing") * 30)
        self.assertEqual([len(client.responses()) for client in clients], [AT_ONCE, 0, 0])
        answered = [AT_ONCE, 0, 0]
        for turn in range(30):
            web.host.wait(PAUSE)
            answered[turn % 3] += 1
            self.assertEqual(sum(len(client.responses()) for client in clients), 1, turn)
        while web.host.context.scheduler.lines.waiting:
            web.host.wait(PAUSE)
        told = [[one.status for one in client.responses()] for client in clients]
        self.assertEqual(told, [[404] * (30 - number) for number in answered])
        self.assertEqual(web.host.context.scheduler.lines.waiting, 0)

    def test_who_goes_has_no_turn(self) -> None:
        web = WebHost()
        client = web.connect()
        client.transport.receive(request("/") * 100)
        self.assertEqual(web.host.context.scheduler.lines.waiting, 1)
        client.transport.hang_up()
        self.assertEqual(web.host.context.scheduler.lines.waiting, 0)
        self.assertEqual(web.site.channels, set())

    def test_requests_that_wait_take_little_room(self) -> None:
        """A client is read no further ahead than one request, and all that it sends is answered."""
        web = WebHost(settings={"limits.unlimited": "yes"})
        client = web.connect()
        for _ in range(20):
            client.transport.receive(request("/nothing", Accept="x" * 1_000) * 20)
        self.assertLess(len(client.protocol._received), 60_000)
        client.send(b"")
        self.assertEqual({one.status for one in client.responses()}, {404})

    def test_a_request_in_pieces(self) -> None:
        data = request("/nothing") * 2
        for size in (1, 2, 3, 7):
            client = WebHost().connect()
            for place in range(0, len(data), size):
                client.send(data[place : place + size])
            self.assertEqual([one.status for one in client.responses()], [404, 404])


# What a browser, or somebody who claims to be one, may do wrong with matches: it is refused, or the connection ends.


SETTINGS = {"onitama.deal": "boar,ox/crab,eel/tiger"}


class HostileInputTests(SynchronousTestCase):
    def match(self, web: WebHost) -> tuple[Browser, Browser]:
        ann, bob = web.browser("203.0.113.1"), web.browser("203.0.113.2")
        for guest, name in ((ann, "ann"), (bob, "bob")):
            guest.say(do="enter", name=name)
            guest.say(do="seek", game="onitama")
        ann.told(), bob.told()
        return ann, bob

    def kinds(self, told: list[Any]) -> list[str]:
        return [one["is"] for one in told]

    def test_acting_where_one_does_not_play(self) -> None:
        web = WebHost(settings=SETTINGS)
        ann, bob = self.match(web)
        eve = web.browser()
        eve.say(do="enter", name="eve")
        eve.say(do="watch", table=1)
        eve.told()
        before = len(web.host.journal.entries[1])  # type: ignore[index]
        for table in (1, 2, 0):
            self.assertEqual(self.kinds(eve.ask(do="act", table=table, action="ox c1 c2")), ["refused"])
        self.assertEqual(self.kinds(bob.ask(do="act", table=2, action="crab a5 a4")), ["refused"])
        self.assertEqual(len(web.host.journal.entries[1]), before)  # type: ignore[index]
        ann.say(do="leave")
        self.assertEqual(self.kinds(bob.ask(do="act", table=1, action="crab a5 a4"))[-1], "refused")

    def test_watching_in_a_loop(self) -> None:
        web = WebHost(settings=SETTINGS)
        self.match(web)
        eve = web.browser()
        for _ in range(100):
            eve.say(do="watch", table=1)
            eve.say(do="watch", table=1, on=False)
        self.assertTrue(eve.client.closed)
        self.assertIn("too many messages", str(eve.told() and eve.close))
        self.assertEqual(web.host.lobby.galleries.watchers(1), 0)  # type: ignore[arg-type]

    def test_a_watcher_that_does_not_read(self) -> None:
        self.patch(memory_host, "BUFFER", 100)
        web = WebHost(settings=SETTINGS)
        ann, bob = self.match(web)
        eve, there = web.browser(), web.browser()
        for watcher in (eve, there):
            watcher.say(do="watch", table=1)
        eve.client.transport.reads = False
        moves = (ann, "ox c1 c2"), (bob, "crab a5 a4"), (ann, "tiger c2 c4"), (bob, "ox e5 e4")
        for guest, move in moves:
            guest.say(do="act", table=1, action=move)
            self.assertEqual([self.kinds(one.told()) for one in (ann, bob)], [["event"], ["event"]])
        there.told()
        web.host.wait(10)
        self.assertTrue(eve.client.closed)
        self.assertEqual(web.host.lobby.galleries.watchers(1), 1)  # type: ignore[arg-type]

    def test_twenty_refusals(self) -> None:
        """Of keys that are guessed, and of tables that are not there."""
        web = WebHost(settings=SETTINGS)
        self.match(web)
        for wrong in ({"do": "enter", "name": "ann"}, {"do": "watch"}):
            eve = web.browser()
            for number in range(2, 30):
                eve.say(**wrong, **({"key": f"{number:032x}"} if "name" in wrong else {"table": number}))
            self.assertEqual(self.kinds(eve.told()), ["sorry"] * 20 + ["bye"])
            self.assertTrue(eve.client.closed)

    def test_names_with_marks_and_tricks(self) -> None:
        web = WebHost()
        for name in ("<b>x</b>", "a\u202eb", "a\u200bb", "a" * 31, "", " ", "a\nb", "\u0000"):
            [answer] = web.browser(f"203.0.113.{len(name) + 1}").ask(do="enter", name=name)
            self.assertEqual(answer["is"], "sorry", name)
            self.assertFalse(name.strip() and name in answer["why"])

    def test_thousands_of_idle_connections(self) -> None:
        """No more than there is room for, all gone after fifteen seconds; who comes then is answered."""
        web = WebHost(settings={"limits.http_connections": "500"})
        clients = [web.connect(f"10.0.{number % 99}.{number % 251}") for number in range(2_000)]
        web.host.until_idle()
        self.assertEqual(sum(not client.closed for client in clients), 500)
        web.host.wait(15)
        self.assertTrue(all(client.closed for client in clients))
        self.assertEqual((web.site.channels, web.host.clock.getDelayedCalls()), (set(), []))
        self.assertEqual([one.status for one in web.connect().ask(request("/"))], [200])


# Requests and answers as values.


class PathTests(SynchronousTestCase):
    def test_a_part_of_the_path_is_decoded_on_its_own(self) -> None:
        for raw, parts in (
            (b"/", ()),
            (b"/matches", ("matches",)),
            (b"/table/3/", ("table", "3")),
            (b"/player/a%2Fb", ("player", "a/b")),
            (b"/player/J%C3%BCrgen", ("player", "Jürgen")),
        ):
            self.assertEqual(split_path(raw), parts)

    def test_tricks_are_refused(self) -> None:
        for raw in (
            *(b"", b"*", b"matches", b"http://127.0.0.1/", b"//", b"//etc/passwd", b"/a//b", b"/..", b"/static/../x"),
            *(b"/%2e%2e/x", b"/static/%2e/x", b"/a%00b", b"/a%0Ab", b"/%ff", b"/%c0%ae", b"/a%7f", b"/%E2%80%AE"),
        ):
            error = self.assertRaises(BadPath, split_path, raw)
            self.assertTrue(str(error).startswith("expected a path"))

    def test_the_last_argument_of_a_name_counts(self) -> None:
        self.assertEqual(read_query({b"game": [b"x", b"onitama"]}), {"game": "onitama"})
        self.assertEqual(read_query(None), {})
        self.assertRaises(BadPath, read_query, {b"a": [b"\xff"]})


class ValueTests(SynchronousTestCase):
    def test_a_body_is_compressed_if_that_helps(self) -> None:
        body = b"moves " * 200
        small = packed(body)
        assert small is not None
        self.assertEqual((gzip.decompress(small), packed(body)), (body, small))
        self.assertIsNone(packed(b"x" * 511))
        self.assertIsNone(packed(small * 9, 9) and None)

    def test_equal_bodies_have_equal_tags(self) -> None:
        self.assertEqual(found(b"1", "x").etag, found(b"1", "y").etag)
        self.assertNotEqual(found(b"1", "x").etag, found(b"2", "x").etag)

    def test_errors_are_words(self) -> None:
        self.assertEqual(refused(404, "there is nothing").body, b"404 Not Found: there is nothing\n")


# Requests that are nearly right: they raise nothing, and have the same answers however they are cut.


#: How many streams; `make fuzz` asks for more.
FUZZED = int(os.environ.get("GAMEHOST_FUZZED", "2000")) // 20

CORPUS = (
    request("/") + request("/matches?game=onitama", "HEAD", Accept_Encoding="gzip"),
    request("/api/rules/onitama.json", If_None_Match='W/"x", "y"') + request("/static/0/app.js"),
    request("/player/J%C3%BCrgen") + request("/api/matches?before=9&name=%3Cb%3E"),
    request("/api/tables/1/history?until=3&code=ABC", version="HTTP/1.0"),
    request("/api/matches/1.svg", "POST", Content_Length="3") + b"abc" + request("/"),
    handshake() + message('{"do":"enter","name":"ann"}') + message('{"do":"lobby"}'),
    handshake(Origin="http://games.example.org") + message('{"do":"ping"}', fin=False),
)


class FuzzTests(SynchronousTestCase):
    def answers(self, pieces: list[bytes]) -> bytes:
        web = WebHost(settings={"limits.unlimited": "yes"})
        client = web.connect()
        for piece in pieces:
            if client.transport.disconnecting or client.closed or client.transport.aborted:
                break
            client.send(piece)
        return client.transport.read()

    def test_fuzz(self) -> None:
        for seed in range(FUZZED):
            rng = random.Random(seed)
            data = mutated(rng.choice(CORPUS), rng)
            whole = self.answers([data])
            self.assertEqual(self.answers(chunked(data, rng)), whole, (seed, data))
            self.assertEqual(self.flushLoggedErrors(), [], (seed, data))
