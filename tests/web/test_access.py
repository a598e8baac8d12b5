"""Who may come in: addresses behind proxies, names of the host, and origins of pages."""

from ipaddress import ip_network

from twisted.trial.unittest import SynchronousTestCase

from gamehost.net.endpoints import LOOPBACK
from gamehost.settings import BadOption
from gamehost.web.http import Access, Visitor
from gamehost.wires.origins import web_origin

ORIGIN = "https://games.example.org"


class VisitorTests(SynchronousTestCase):
    def test_a_direct_connection(self) -> None:
        """A password may be sent over TLS, or where it does not leave this machine."""
        for peer, tls, private in (
            ("192.0.2.1", False, False),
            ("192.0.2.1", True, True),
            ("127.0.0.1", False, True),
            ("::1", False, True),
            ("::ffff:127.0.0.1", False, True),
            ("", False, False),
        ):
            self.assertEqual(Access().visitor(peer, tls, {}), Visitor(peer, tls, private))

    def test_the_headers_of_a_trusted_proxy(self) -> None:
        """The last hop is the one that the proxy has seen. Nobody else is believed."""
        told = {"x-forwarded-for": "10.9.9.9, 203.0.113.7", "x-forwarded-proto": "https"}
        behind = Visitor("203.0.113.7", True, True)
        access = Access(trusted=(ip_network("192.0.2.0/28"),))
        self.assertEqual(access.visitor("192.0.2.1", False, told), behind)
        self.assertEqual(access.visitor("", False, told), behind)
        self.assertEqual(access.visitor("192.0.2.99", False, told), Visitor("192.0.2.99", False, False))
        self.assertEqual(access.visitor("not an address", False, told).address, "not an address")

    def test_nobody_is_believed_by_default(self) -> None:
        """Any program on this machine can send such headers. But one that does is no browser: others may have read along."""
        for told in ({"x-forwarded-for": "203.0.113.7"}, {"x-forwarded-proto": "https"}):
            for peer in ("127.0.0.1", "::1", "192.0.2.1"):
                self.assertEqual(Access().visitor(peer, False, told), Visitor(peer, False, False))
                self.assertEqual(Access().visitor(peer, True, told), Visitor(peer, True, True))

    def test_a_proxy_that_says_little(self) -> None:
        """Without a scheme it is not https; without an address that can be read it is the proxy's own."""
        for told, address in (
            ("203.0.113.7", "203.0.113.7"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("canary", "127.0.0.1"),
        ):
            visitor = Access(trusted=LOOPBACK).visitor("127.0.0.1", False, {"x-forwarded-for": told})
            self.assertEqual(visitor, Visitor(address, False, False))

    def test_connections_of_many(self) -> None:
        access = Access(trusted=(ip_network("192.0.2.0/28"),))
        for peer, many in (("192.0.2.1", True), ("192.0.2.99", False), ("127.0.0.1", True), ("", True), ("x", False)):
            self.assertEqual(access.may_be_many(peer), many, peer)


class HostTests(SynchronousTestCase):
    def refusal(self, host: str | None, access: Access | None = None, version: str = "HTTP/1.1") -> int:
        """The status; 200: it is the right host."""
        answer = (access or Access()).wrong_host(host, version)
        return 200 if answer is None else answer.status

    def test_an_address_or_localhost(self) -> None:
        """A name of another site that points here is refused: its pages could read everything otherwise."""
        for host in (
            "localhost",
            "localhost:8080",
            "a.localhost",
            "127.0.0.1:8080",
            "127.8.8.8",
            "192.0.2.1:8080",
            "[::1]:8080",
            "[2001:db8::1]:8080",
            "LocalHost",
        ):
            self.assertEqual(self.refusal(host), 200, host)
        for host in ("evil.example", "evil.example:8080", "localhost.evil.example", "192.0.2.1.evil.example", "[::g]"):
            self.assertIn(self.refusal(host), (400, 421), host)

    def test_a_name_that_the_owner_has_given(self) -> None:
        """Behind a proxy, and on a network where people know this machine by a name."""
        access = Access((ORIGIN,))
        self.assertEqual(self.refusal("games.example.org", access), 200)
        self.assertEqual(self.refusal("other.example.org", access), 421)
        self.assertEqual(self.refusal("lab-7:8080", Access(("http://lab-7:8080",))), 200)

    def test_names_are_compared_as_origins(self) -> None:
        """The usual port may be said, and a final dot; another port is another origin."""
        secure, plain = Access((ORIGIN,)), Access(("http://lab-7:8080", "http://lab-8"))
        for access, host, status in (
            (secure, "games.example.org:443", 200),
            (secure, "games.example.org.", 200),
            (secure, "Games.Example.Org.:443", 200),
            (secure, "games.example.org:80", 421),
            (secure, "games.example.org:8443", 421),
            (secure, "games.example.org..", 421),
            (plain, "lab-7.:8080", 200),
            (plain, "lab-7", 421),
            (plain, "lab-8:80", 200),
            (plain, "lab-8:443", 421),
            (plain, "localhost.:9", 200),
            (plain, "192.0.2.1.evil.example.", 421),
        ):
            self.assertEqual(self.refusal(host, access), status, host)
            visitor = Visitor("192.0.2.1", access is secure, False)
            [origin, *_] = access.origins
            if status == 200 and "localhost" not in host and "lab-8" not in host:
                self.assertFalse(access.foreign(origin, host, visitor), host)
                self.assertFalse(Access().foreign(origin, host, visitor), host)

    def test_no_name(self) -> None:
        """HTTP/1.1 demands one, and no browser sends none."""
        self.assertEqual((self.refusal(None), self.refusal(None, version="HTTP/1.0")), (400, 200))
        for host in ("", "a b", "a/b", "a:b", "ü", "[::1", "x" * 9 + "\x00"):
            self.assertEqual(self.refusal(host), 400)


class OriginTests(SynchronousTestCase):
    def test_own_pages_and_programs(self) -> None:
        plain, secure = Visitor("192.0.2.1", False, False), Visitor("192.0.2.1", True, True)
        access = Access((ORIGIN,))
        self.assertFalse(access.foreign(None, "x", plain))
        for origin, host, visitor in (
            ("http://x:8080", "x:8080", plain),
            ("http://x", "X", plain),
            ("http://x", "x.:80", plain),
            ("https://x.", "x:443", secure),
            ("https://x", "x", secure),
            (ORIGIN, "127.0.0.1:8080", plain),
        ):
            self.assertFalse(access.foreign(origin, host, visitor), origin)
        for origin, host, visitor in (
            ("http://evil.example", "x", plain),
            ("http://x", "x:8080", plain),
            ("http://x", "x:443", plain),
            ("ftp://x", "x", plain),
            ("http://x/", "x", plain),
            ("https://x", "x", plain),
            ("http://x", "x", secure),
            ("null", "x", plain),
            ("", "x", plain),
            ("http://games.example.org", "x", plain),
        ):
            self.assertTrue(access.foreign(origin, host, visitor), origin)
        self.assertTrue(access.foreign("http://x", None, plain))

    def test_the_option(self) -> None:
        """An origin as browsers write it: no path, no usual port."""
        for text in (ORIGIN, "http://localhost:8080", "https://[2001:db8::1]:8443"):
            self.assertEqual(web_origin("--web-origin", text), text)
        for text in (
            "",
            "games.example.org",
            ORIGIN + "/",
            ORIGIN + ":443",
            "http://x:80",
            "ftp://x",
            "https://X.org",
            "*",
        ):
            error = self.assertRaises(BadOption, web_origin, "--web-origin", text)
            self.assertIn("--web-origin: expected an origin such as https://games.example.org", str(error))
