"""The HTTP interface: the board, matches, what happened in them, rules and schema."""

from typing import Any

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.rules import VECTORS
from gamehost.lobby.board import EVERY
from gamehost.testing.memory_host import MemoryHost
from gamehost.web.api import LOOK_SECONDS
from gamehost.wires.open.conversation import WIRE
from tests.kit.journals import InMemory, RecordingJournal
from tests.kit.web_host import Browser, Response, WebHost, request

SETTINGS = {"onitama.deal": "boar,ox/crab,eel/tiger"}


def match(**more: Any) -> tuple[WebHost, Browser, Browser]:
    web = WebHost(settings=SETTINGS)
    ann, bob = web.browser(), web.browser()
    for guest, name in ((ann, "ann"), (bob, "bob")):
        guest.say(do="enter", name=name)
        guest.say(do="seek", game="onitama", **more)
    ann.say(do="act", table=1, action="ox c1 c2")
    return web, ann, bob


class ApiCase(SynchronousTestCase):
    def get(self, web: WebHost, path: str, wait: float = 0.0) -> Any:
        response = self.response(web, path, wait)
        self.assertEqual((response.status, response.headers["access-control-allow-origin"]), (200, "*"), path)
        self.assertEqual(response.headers["cross-origin-resource-policy"], "cross-origin")
        return json.decode(response.body)

    def response(self, web: WebHost, path: str, wait: float = 0.0) -> Response:
        client = web.connect()
        client.send(request(path))
        web.host.wait(wait)
        [response] = client.responses()
        return response


class TableTests(ApiCase):
    def test_the_board(self) -> None:
        """As a socket is told it. The first who asks does not wait for the next difference."""
        web, _, _ = match()
        waiting = web.browser()
        waiting.say(do="enter", name="eve")
        waiting.say(do="seek", game="stratego")
        tables = self.get(web, "/api/tables")
        self.assertEqual(tables, self.get(web, "/api/tables"))
        self.assertEqual(tables, web.browser().ask(do="lobby")[0])
        [row], [waits] = tables["tables"], tables["waiting"]
        self.assertEqual((row["table"], row["names"], row["turn"], row["moves"]), (1, ["ann", "bob"], [1], 2))
        self.assertEqual((waits["game"], waits["names"]), ("stratego", ["eve"]))

    def test_the_board_is_looked_at_for_a_while_only(self) -> None:
        """Nobody asks any more: the host has nothing to do for it."""
        web, _, _ = match()
        self.get(web, "/api/tables")
        web.host.wait(LOOK_SECONDS)
        web.host.wait(LOOK_SECONDS)
        self.assertEqual(web.host.lobby.directory.board._lookers, {})
        self.get(web, "/api/tables")

    def test_what_happens_while_the_first_one_asks(self) -> None:
        """The answer comes with the commit, and has that match. If no commit comes, it is without it, half a second later."""
        for durable in (True, False):
            journal = RecordingJournal()
            web = WebHost(MemoryHost(SETTINGS, wires=(WIRE,), journal=journal))
            guests = [web.browser(), web.browser()]
            for guest, name in zip(guests, ("ann", "bob"), strict=True):
                guest.say(do="enter", name=name)
                guest.say(do="seek", game="onitama")
            journal.late = True
            guests[0].say(do="act", table=1, action="ox c1 c2")
            client = web.connect()
            client.send(request("/api/tables"))
            self.assertEqual(client.responses(), [])
            if durable:
                journal.release()
                web.until_idle()
            else:
                web.host.wait(EVERY)
            [answer] = client.responses()
            shown = [(row["table"], row["moves"]) for row in json.decode(answer.body)["tables"]]
            self.assertEqual(shown, [(1, 2)] if durable else [])

    def test_a_table(self) -> None:
        web, _, _ = match()
        shown = self.get(web, "/api/tables/1")
        self.assertEqual(shown, web.browser().ask(do="watch", table=1)[0])
        self.assertEqual(web.host.lobby.galleries.watchers(1), 1)  # type: ignore[arg-type]
        for path in (
            "/api/tables/2",
            "/api/tables/x",
            "/api/tables/-1",
            "/api/tables/%D9%A1",
            f"/api/tables/{'9' * 17}",
        ):
            self.assertEqual(self.response(web, path).status, 404, path)

    def test_a_private_table_needs_its_code(self) -> None:
        web = WebHost(settings=SETTINGS)
        ann, bob = web.browser(), web.browser()
        for guest, name in ((ann, "ann"), (bob, "bob")):
            guest.say(do="enter", name=name)
        [seeking] = [one for one in ann.ask(do="seek", game="onitama", private=True) if one["is"] == "seeking"]
        bob.say(do="join", table=1, code=seeking["code"])
        for path in ("/api/tables/1", "/api/tables/1/history", "/api/tables/1/picture"):
            self.assertEqual(self.response(web, path).status, 404)
            answer = self.response(web, f"{path}?code={seeking['code']}")
            self.assertEqual((answer.status, answer.headers["cache-control"]), (200, "no-store"))
        self.assertEqual(self.get(web, "/api/tables")["tables"], [])

    def test_a_picture_of_a_position(self) -> None:
        """As everybody may know it; browsers keep the one after an entry."""
        web, _, _ = match()
        for until, title, cache in (
            ("1", "pupil on c2", "immutable"),
            ("2", "master on c2", "immutable"),
            ("9", "master on c2", "no-store"),
        ):
            answer = self.response(web, f"/api/tables/1/picture?until={until}")
            self.assertEqual((answer.status, answer.headers["content-type"]), (200, "image/svg+xml"), until)
            self.assertEqual(b"master on c2" in answer.body, title.startswith("master"), until)
            self.assertIn(cache, answer.headers["cache-control"], until)
            self.assertIn("unsafe-inline", answer.headers["content-security-policy"])
        self.assertEqual(self.response(web, "/api/tables/1/picture?until=0").status, 404)
        self.assertEqual(self.response(web, "/api/tables/2/picture?until=1").status, 404)

    def test_a_picture_of_the_end(self) -> None:
        """A journal in memory has it, too: a page without a board of the game's own shows how the match ended."""
        journal: Any = InMemory(wall=lambda: 1_000_000.0)
        web = WebHost(MemoryHost(SETTINGS, wires=(WIRE,), journal=journal))
        guests = [web.browser(), web.browser()]
        for guest, name in zip(guests, ("ann", "bob"), strict=True):
            guest.say(do="enter", name=name)
            guest.say(do="seek", game="onitama")
        guests[0].say(do="leave")
        answer = self.response(web, "/api/tables/1/picture?until=2")
        self.assertEqual(answer.status, 200)
        self.assertIn(b"ann left the match", answer.body)

    def test_what_happened(self) -> None:
        """The object that a socket gets. It is kept by browsers when the match is over."""
        web, _, bob = match()
        told = self.get(web, "/api/tables/1/history")
        self.assertEqual(told, web.browser().ask(do="history", table=1)[0])
        self.assertEqual([one["n"] for one in self.get(web, "/api/tables/1/history?until=1")["events"]], [1])
        self.assertEqual(self.response(web, "/api/tables/1/history?until=x").status, 400)
        self.assertEqual(self.response(web, "/api/tables/1/history").headers["cache-control"], "no-store")
        bob.say(do="leave")
        self.assertIn("immutable", self.response(web, "/api/tables/1/history").headers["cache-control"])
        self.assertEqual(self.response(web, "/api/tables/2/history").status, 404)

    def test_somebody_who_does_not_wait(self) -> None:
        """The answer has nobody to go to."""
        web, _, _ = match()
        for path in ("/api/tables", "/api/tables/1", "/api/tables/1/history"):
            client = web.connect()
            client.transport.receive(request(path))
            client.transport.hang_up()
            web.host.wait(EVERY)
        self.assertEqual(web.site.channels, set())


class FixedTests(ApiCase):
    def test_rules(self) -> None:
        """What a page must know, from the host's own tables."""
        web = WebHost()
        rules = self.get(web, "/api/rules/onitama.json")
        self.assertEqual(rules["cards"]["tiger"], [[0, 2], [0, -1]])
        self.assertEqual((len(rules["cards"]), rules["seats"]), (len(VECTORS), [2, 2]))
        for game in ("eriantys", "paper-soccer", "stratego"):
            self.assertEqual(self.get(web, f"/api/rules/{game}.json")["game"], game)
        for path in ("/api/rules/chess.json", "/api/rules/onitama", "/api/rules", "/api", "/api/x"):
            self.assertEqual(self.response(web, path).status, 404, path)

    def test_the_schema(self) -> None:
        self.assertIn("ClientMessage", self.get(WebHost(), "/api/schema.json")["$defs"])

    def test_schemas_of_wires(self) -> None:
        web = WebHost()
        answer = self.response(web, "/schema/ugs.xsd")
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "application/xml"))
        self.assertIn(b"playerLogin", answer.body)
        for path in ("/schema/other.xsd", "/schema", "/schema/ugs.xsd/x", "/schema/messages.py"):
            self.assertEqual(self.response(web, path).status, 404, path)
