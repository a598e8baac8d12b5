"""Pages of other hosts that open a WebSocket on the port of Litama's wire."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.dialects.litama import WIRE
from gamehost.settings import BadOption
from gamehost.wires.websocket import handshake_with
from tests.kit.litama import LitamaHost

OPENING = handshake_with("dGhlIHNhbXBsZSBub25jZQ==")


class OriginTests(SynchronousTestCase):
    """Which pages may open a WebSocket on the wire's own port."""

    PAGES = "https://games.example.org, http://lab-7:8080"

    def opened(self, origin: str | None, settings: str | None) -> bytes:
        host = LitamaHost({} if settings is None else {"litama.origins": settings}, wires=(WIRE,))
        client = host.connect("litama")
        head = "" if origin is None else f"\r\nOrigin: {origin}"
        client.send(OPENING.replace(b"\r\n\r\n", head.encode() + b"\r\n\r\n"))
        return client.transport.read()

    def test_any_page_by_default(self) -> None:
        for settings in (None, "*"):
            for origin in (None, "https://example.com", "null"):
                self.assertIn(b" 101 ", self.opened(origin, settings))

    def test_pages_that_the_owner_names(self) -> None:
        """Case, the usual port and a final dot do not count. Programs send no origin."""
        for origin in (
            *(None, "https://games.example.org", "HTTPS://Games.Example.ORG", "https://games.example.org:443"),
            *("https://games.example.org.", "http://lab-7:8080"),
        ):
            self.assertIn(b" 101 ", self.opened(origin, self.PAGES), origin)

    def test_other_pages_are_refused(self) -> None:
        for origin in (
            *(
                "https://example.com",
                "http://games.example.org",
                "https://games.example.org:8443",
                "http://lab-7",
                "null",
            ),
            *("", "https://games.example.org.example.com", "https://games.example.org, https://example.com"),
        ):
            answer = self.opened(origin, self.PAGES)
            self.assertTrue(answer.startswith(b"HTTP/1.1 403 Forbidden\r\n"), origin)
            self.assertIn(b"pages of this origin may not open a socket here", answer)
            self.assertNotIn(b"example.com", answer)

    def test_what_is_no_origin_is_refused_at_the_start(self) -> None:
        for text in ("", "games.example.org", "https://games.example.org/", "*, https://games.example.org"):
            self.assertRaises(BadOption, LitamaHost, {"litama.origins": text})
