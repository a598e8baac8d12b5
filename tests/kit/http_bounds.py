"""
The bounds that every HTTP port of the house has: pages, metrics, health, and the page of a contest.

A subclass of `HttpBoundsContract` says how its site is made. All else is here.
"""

from collections.abc import Sequence
from typing import Any

from twisted.logger import Logger, LogLevel

from gamehost.fairness import AT_ONCE
from gamehost.limits import Limits
from gamehost.testing.cases import Mixin
from gamehost.web.server import DROP_BYTES, DROP_SECONDS, HEADERS, IDLE_SECONDS, REQUEST_BYTES, REQUEST_SECONDS
from tests.kit.reactors import Lines
from tests.kit.web_host import SiteWorld, WebClient, request

#: No page of any port may be asked for with these, as far as they are not among its `methods`.
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "get", "CANARY")

#: What every answer has, whatever it is.
ALWAYS = ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy")


class HttpBoundsContract(Mixin):
    #: A path at which something is.
    path = "/"
    #: What may be asked for.
    methods: Sequence[str] = ("GET", "HEAD")
    #: Whether pages of other sites may ask.
    for_other_sites = False

    def new_world(self) -> SiteWorld:
        """The site, with the name of `request` and the limits as by default."""
        raise NotImplementedError

    def setUp(self) -> None:
        self.world = self.new_world()

    def ask(self, data: bytes, address: str = "192.0.2.1") -> tuple[Any, WebClient]:
        client = self.world.connect(address)
        [answer] = client.ask(data)
        return answer, client

    def request(self, method: str = "GET", **headers: str) -> bytes:
        return request(self.path, method, **headers)

    def assert_nothing_is_left(self) -> None:
        self.assertEqual((self.world.site.channels, self.world.site.limiter.count), (set(), 0))
        self.assertEqual(self.world.clock.getDelayedCalls(), [])

    def test_what_may_be_asked_for(self) -> None:
        for method in METHODS:
            answer, client = self.ask(self.request(method))
            expected = 200 if method in self.methods else 405
            self.assertEqual((answer.status, client.closed), (expected, False), method)
            if expected == 405:
                self.assertEqual(answer.headers["allow"], ", ".join(self.methods))

    def test_every_answer_has_the_headers(self) -> None:
        for data in (
            self.request(),
            self.request("POST"),
            self.request("POST", Content_Length="1"),
            self.request(Host="evil.example"),
            self.request(X="x" * REQUEST_BYTES),
        ):
            headers = self.ask(data)[0].headers
            for name in ALWAYS:
                self.assertIn(name.lower(), headers)
            policy = headers["content-security-policy"]
            self.assertTrue(policy.startswith("default-src 'none'; "), policy)
            self.assertNotIn("unsafe", policy)
            self.assertEqual(headers["x-content-type-options"], HEADERS["X-Content-Type-Options"])

    def test_a_body_of_any_length(self) -> None:
        """It is refused by its announcement. What comes of it is dropped, and soon the connection ends."""
        for body in ({"Content_Length": "1"}, {"Content_Length": str(1 << 40)}, {"Transfer_Encoding": "chunked"}):
            for method in ("POST", "GET"):
                answer, client = self.ask(self.request(method, Expect="100-continue", **body) + b"5\r\ncanary")
                self.assertEqual((answer.status, answer.headers["connection"]), (413, "close"))
                for _ in range(DROP_BYTES // 65_536 - 1):
                    client.send(b"x" * 65_536)
                self.assertEqual((client.closed, client.transport.read()), (False, b""))
                self.assertLess(len(client.protocol._received), REQUEST_BYTES)
                client.send(b"x" * 65_536 * 2)
                self.assertTrue(client.closed)
        self.assert_nothing_is_left()

    def test_too_long(self) -> None:
        """431, and a line in the log: nobody else could find out why the connection has ended."""
        self.world.site.log = Logger("test", observer=(lines := Lines()))
        for data in (
            self.request(X="a" * REQUEST_BYTES),
            request("/" + "a" * REQUEST_BYTES),
            b"GET / HTTP/1.1\r\nX: " + b"a" * REQUEST_BYTES * 3,
            self.request(**{f"X{number}": "a" * 100 for number in range(200)}),
        ):
            for size in (len(data), 1_000):
                client = self.world.connect()
                for place in range(0, len(data), size):
                    client.send(data[place : place + size])
                [answer] = client.responses()
                self.assertEqual((answer.status, answer.headers["connection"], client.closed), (431, "close", False))
                client.send(self.request())
                self.world.wait(DROP_SECONDS)
                self.assertEqual((client.closed, client.transport.read()), (True, b""))
        self.assertEqual(lines.of(LogLevel.info), ["a request from '192.0.2.1' is too long: refused"] * 8)
        self.assert_nothing_is_left()

    def test_the_longest(self) -> None:
        self.assertEqual(self.ask(self.request(X="a" * (REQUEST_BYTES - len(self.request(X="a")))))[0].status, 200)

    def test_what_is_not_http(self) -> None:
        for data in (
            b"canary\r\n\r\n",
            b"\x16\x03\x01\x00\xff\r\n\r\n",
            b"GET / HTTP/1.1\r\ncanary\r\n\r\n",
            self.request(Content_Length="1, 2"),
            self.request(Host="evil example"),
        ):
            client = self.world.connect()
            client.send(data)
            answer = client.transport.read()
            self.assertTrue(answer.startswith((b"HTTP/1.1 400", b"HTTP/1.1 413")) or client.closed, data)
            self.assertNotIn(b"canary", answer)

    def test_another_name(self) -> None:
        """A page of another site could point its own name here, and read everything."""
        for host, status in (
            ("evil.example", 421),
            ("localhost.evil.example:8080", 421),
            ("", 400),
            ("127.0.0.1:9108", 200),
            ("[::1]", 200),
            ("localhost.", 200),
            ("games.example.org:80", 200),
            ("games.example.org.", 200),
        ):
            self.assertEqual(self.ask(self.request(Host=host))[0].status, status, host)

    def test_a_page_of_another_site(self) -> None:
        foreign = 200 if self.for_other_sites else 403
        for origin, status in (("http://evil.example", foreign), ("null", foreign), ("http://games.example.org", 200)):
            self.assertEqual(self.ask(self.request(Origin=origin))[0].status, status, origin)

    def test_half_a_request(self) -> None:
        """A byte now and then does not keep it: the time is that of the whole request."""
        client = self.world.connect()
        client.send(b"GET / HTTP/1.1\r\n")
        for _ in range(int(REQUEST_SECONDS) - 1):
            self.world.wait(1)
            client.send(b"X")
            self.assertFalse(client.closed)
        self.world.wait(1)
        self.assertTrue(client.closed)
        self.assert_nothing_is_left()

    def test_silence(self) -> None:
        clients = [self.world.connect() for _ in range(10)]
        clients[0].ask(self.request())
        self.world.wait(IDLE_SECONDS)
        self.assertEqual([client.closed for client in clients], [True] * 10)
        self.assert_nothing_is_left()

    def test_rate(self) -> None:
        """A connection ends when its address asks too often; another address is answered."""
        self.assertFalse(self.world.site.limiter._limits.unlimited)
        self.world.site.limiter.change(Limits(http_requests_per_second=1.0, http_requests_burst=2))
        client = self.world.connect()
        self.assertEqual([one.status for one in client.ask(self.request() * 5)], [200, 200, 429])
        self.assertTrue(client.closed)
        self.assertEqual(self.ask(self.request(), "203.0.113.7")[0].status, 200)

    def test_turns(self) -> None:
        """Some requests are answered at once. The others wait for turns, between which players are served."""
        client = self.world.connect()
        client.transport.receive(self.request() * (AT_ONCE + 20))
        self.assertEqual(len(client.responses()), AT_ONCE)
        self.assertEqual(self.world.site.scheduler.lines.waiting, 1)
        client.send(b"")
        self.assertEqual(len(client.responses()), 20)

    def test_connections(self) -> None:
        clients = [self.world.connect(f"203.0.113.{number % 200}") for number in range(3_000)]
        self.world.until_idle()
        most = sum(not client.closed for client in clients)
        self.assertLessEqual(most, self.world.site.limiter._limits.http_connections)
        self.assertEqual(self.world.site.limiter.count, most)
        self.world.wait(IDLE_SECONDS)
        self.assert_nothing_is_left()
        self.assertEqual(self.ask(self.request())[0].status, 200)

    def test_answers_that_nobody_reads(self) -> None:
        client = self.world.connect()
        client.transport.reads = False
        for _ in range(20):
            client.send(self.request(Accept="x" * 200) * 50)
        self.assertTrue(client.closed)
        self.assertLess(client.transport.queued, 200_000)
