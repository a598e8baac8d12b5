"""Requests that are nearly right: they raise nothing, and have the same answers however they are cut."""

import os
import random

from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.wire_connections import chunked, mutated
from tests.kit.web_host import WebHost, handshake, message, request

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
    """As for the wires."""

    def answers(self, pieces: list[bytes]) -> bytes:
        """All that is answered, up to the end of the connection."""
        web = WebHost(settings={"limits.unlimited": "yes"})
        client = web.connect()
        for piece in pieces:
            if client.transport.disconnecting or client.closed or client.transport.aborted:
                break
            client.send(piece)
        return client.transport.read()

    def test_fuzz(self) -> None:
        """Whole, and in pieces of any sizes."""
        for seed in range(FUZZED):
            rng = random.Random(seed)
            data = mutated(rng.choice(CORPUS), rng)
            whole = self.answers([data])
            self.assertEqual(self.answers(chunked(data, rng)), whole, (seed, data))
            self.assertEqual(self.flushLoggedErrors(), [], (seed, data))
