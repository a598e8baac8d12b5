"""Requests and answers as values."""

import gzip
import os
import random

from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.wire_connections import chunked, mutated
from gamehost.web.http import BadPath, found, packed, read_query, refused, split_path
from tests.kit.web_host import WebHost, handshake, message, request


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


class AnswerTests(SynchronousTestCase):
    def test_a_body_is_compressed_if_that_helps(self) -> None:
        """The same bytes each time, and not at all if it is short or does not become shorter."""
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
