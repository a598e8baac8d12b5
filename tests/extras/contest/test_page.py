"""The page of a contest: the bounds of every HTTP port, and nothing that is made twice."""

import socket
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from attrs import evolve
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.contest import page, results
from gamehost.extras.contest.contest import Contest
from gamehost.extras.contest.page import MOST_KEPT, PICTURE_BURST, PICTURE_SHARE, ContestSite, page_access
from gamehost.extras.contest.standings import standings
from gamehost.games.onitama.master import ONITAMA
from gamehost.journal.notation import NoPicture
from gamehost.web.http import Access
from tests.extras.contest.test_contest import plan, play
from tests.kit.http_bounds import HttpBoundsContract
from tests.kit.web_host import NAMED, Response, SiteWorld, request


class PageCase(SynchronousTestCase):
    path = "/contest"

    def new_page(self) -> SiteWorld:
        self.folder = Path(self.mktemp())
        self.contest = Contest(plan(4))
        self.running: dict[str, Any] = {}
        results.write(self.contest, standings(self.contest), self.folder, ONITAMA)
        self.clock = Clock()
        site = ContestSite(self.clock, lambda: self.contest, lambda: self.running, self.folder, ONITAMA, Access(NAMED))
        return SiteWorld(site, self.clock)


class ContestBoundsTests(HttpBoundsContract, PageCase):
    """What every port of the house has."""

    def new_world(self) -> SiteWorld:
        return self.new_page()


class ContestSiteTests(PageCase):
    def setUp(self) -> None:
        self.world = self.new_page()
        #: The pictures that were made: how many entries each one shows.
        self.made: list[int] = []
        #: Seconds that a picture takes.
        self.seconds = 0.0
        self.patch(page, "picture", self.draw)

    def draw(self, game: Any, record: Any) -> str:
        self.made.append(len(record.entries))
        self.clock.rightNow += self.seconds
        return f"<svg>{len(record.entries)}</svg>"

    def go_on(self, name: str, entries: int) -> None:
        """A game that is being played has so many entries."""
        self.running[name] = SimpleNamespace(record=SimpleNamespace(entries=[None] * entries))

    def get(self, path: str) -> Response:
        client = self.world.connect("127.0.0.1")
        [answer] = client.ask(request(path))
        client.transport.hang_up()
        return answer

    def test_the_results(self) -> None:
        written = (self.folder / "results.html").read_bytes()
        for path in ("/", "/contest", "/results.html"):
            shown = self.get(path)
            self.assertEqual((shown.status, shown.body), (200, written))
        self.assertEqual(self.get("/results.json").headers["content-type"], "application/json")

    def test_the_style_of_the_page_is_the_only_one(self) -> None:
        answer = self.get("/contest")
        [style] = answer.body.decode().split("<style>")[1:]
        digest = b64encode(sha256(style.partition("</style>")[0].encode()).digest()).decode()
        policy = answer.headers["content-security-policy"]
        self.assertIn(f"style-src 'sha256-{digest}'", policy)
        self.assertNotIn(b" style=", answer.body)
        self.assertNotIn(b"<script", answer.body)

    def test_a_file_is_read_when_it_has_changed(self) -> None:
        before = self.get("/contest")
        read: list[Path] = []

        def read_bytes(path: Path) -> bytes:
            read.append(path)
            return b"x" * 600

        self.patch(Path, "read_bytes", read_bytes)
        for _ in range(3):
            self.assertEqual(self.get("/contest").body, before.body)
        self.assertEqual(read, [])
        (self.folder / "results.html").write_text("new")
        self.assertEqual(self.get("/contest").body, b"x" * 600)
        self.assertEqual(len(read), 1)

    def test_a_link_leads_nowhere(self) -> None:
        """One in place of a file, or of a folder."""
        secret = Path(self.mktemp())
        secret.mkdir()
        (secret / "1.html").write_text("secret")
        for path, target in (("results.csv", secret / "1.html"), ("players", secret)):
            own = self.folder / path
            own.rename(f"{own}.old")
            own.symlink_to(target.absolute())
        for path in ("/results.csv", "/players/1.html"):
            self.assertEqual(self.get(path).status, 404)

    def test_games(self) -> None:
        [one] = play(self.contest, most=1)
        self.contest.played[one.id] = evolve(one, notation="planted")
        (self.folder / "games" / f"{one.id}.txt").write_text("record")
        (self.folder / "games" / f"{one.id}.svg").write_text("<svg/>")
        (self.folder / "games" / "other.txt").write_text("other")
        self.assertEqual(self.get(f"/games/{one.id}.txt").body, b"record")
        for path in (f"/games/{one.id}.svg", f"/live/{one.id}.svg"):
            picture = self.get(path)
            self.assertEqual((picture.body, picture.headers["content-type"]), (b"<svg/>", "image/svg+xml"))
            self.assertIn("style-src 'unsafe-inline'", picture.headers["content-security-policy"])
        for path in (
            "/games",
            "/games/other.txt",
            f"/games/{one.id}.html",
            "/games/..%2fcontest.jsonl",
            "/live/8.8",
            "/x",
        ):
            self.assertEqual(self.get(path).status, 404, path)

    def test_a_picture_is_made_once_a_move(self) -> None:
        self.running["9.8"] = SimpleNamespace(record=None)
        self.assertEqual((self.get("/live/9.8.svg").status, self.made), (200, []))
        for entries in (3, 4):
            self.go_on("9.9", entries)
            for _ in range(50):
                self.assertEqual(self.get("/live/9.9.svg").body, f"<svg>{entries}</svg>".encode())
        self.assertEqual(self.made, [3, 4])

    def test_pictures_take_a_share_of_the_time(self) -> None:
        """While they take more, the last picture of a game is shown."""
        self.seconds = PICTURE_BURST / 5
        for entries in range(1, 101):
            self.go_on("9.9", entries)
            self.get("/live/9.9.svg")
        self.assertLessEqual(len(self.made), 7)
        self.assertEqual(self.get("/live/9.9.svg").body, f"<svg>{self.made[-1]}</svg>".encode())
        began, before = self.clock.seconds(), len(self.made)
        while self.clock.seconds() < began + 100:
            self.world.wait(0.2)
            self.go_on("9.9", len(self.running["9.9"].record.entries) + 1)
            self.get("/live/9.9.svg")
        spent = (len(self.made) - before) * self.seconds
        self.assertAlmostEqual(spent / 100, PICTURE_SHARE, delta=0.02)

    def test_a_game_without_a_picture(self) -> None:
        def draw(game: Any, record: Any) -> str:
            self.made.append(1)
            raise NoPicture("planted")

        self.patch(page, "picture", draw)
        self.go_on("9.9", 1)
        for _ in range(3):
            self.assertEqual(self.get("/live/9.9.svg").status, 200)
        self.assertEqual(self.made, [1])

    def test_what_is_kept_is_bounded(self) -> None:
        for number in range(MOST_KEPT + 9):
            self.go_on(f"9.{number}", 1)
            self.get(f"/live/9.{number}.svg")
        self.assertEqual(len(self.world.site._pictures), MOST_KEPT)

    def test_the_name_of_this_machine(self) -> None:
        """A projector may ask for it. No other site can have it."""
        self.patch(socket, "gethostname", lambda: "Lab-7.example.org")
        self.patch(page, "gethostname", socket.gethostname)
        access = page_access(8080)
        for host, allowed in (
            ("lab-7.example.org:8080", True),
            ("lab-7.local:8080", True),
            ("192.168.0.7:8080", True),
            ("lab-7.example.org:81", False),
            ("evil.example:8080", False),
        ):
            self.assertEqual(access.wrong_host(host, "HTTP/1.1") is None, allowed, host)
