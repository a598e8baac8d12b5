"""What authors hand in: zips under bounds, codes, the one route with a body, and how it is played."""

import contextlib
import json
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile, ZipInfo

from attrs import evolve
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost.extras.contest import results, uploads
from gamehost.extras.contest.bundles import NoBundle, is_bundle, reading, zip_of
from gamehost.extras.contest.command import main, parser, plan_of
from gamehost.extras.contest.contest import Contest, ContestError, ContestJournal
from gamehost.extras.contest.entry import EntryCheck
from gamehost.extras.contest.isolation import Isolation, why_not
from gamehost.extras.contest.middle import intervene, words_of
from gamehost.extras.contest.plan import Entrant
from gamehost.extras.contest.run import ContestRun
from gamehost.extras.contest.standings import standings
from gamehost.extras.contest.upload_page import BODY_SECONDS, CODES_AT_ONCE, UploadSite
from gamehost.extras.contest.uploads import (
    CODES,
    LOOKS_AT_ONCE,
    MOST_BYTES,
    MOST_ENTRIES,
    MOST_TAKEN,
    NEW,
    UploadRefused,
    Uploads,
    codes_of,
    unpack,
    uploads_of,
)
from gamehost.games.onitama.master import ONITAMA
from gamehost.plugins import REGISTRY
from gamehost.web.http import Access
from tests.extras.contest.test_contest import plan
from tests.extras.contest.test_middle import StillGame, command
from tests.kit.contests import content_of
from tests.kit.http_bounds import HttpBoundsContract
from tests.kit.web_host import NAMED, Response, SiteWorld, WebClient, request


def zipped(files: Mapping[str | ZipInfo, bytes]) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def of_kind(name: str, mode: int) -> ZipInfo:
    info = ZipInfo(name)
    info.external_attr = mode << 16
    return info


GOOD = zipped({"bot.py": b"print('bot')", "lib/": b"", "lib/deep/data.txt": b"data"})


class UnpackTests(SynchronousTestCase):
    def unpacked(self, data: bytes) -> dict[str, bytes]:
        self.folder = Path(self.mktemp()) / "new"
        self.folder.mkdir(parents=True)
        unpack(data, self.folder)
        return {str(one.relative_to(self.folder)): one.read_bytes() for one in self.folder.rglob("*") if one.is_file()}

    def refused(self, data: bytes) -> str:
        error = str(self.assertRaises(UploadRefused, self.unpacked, data))
        self.assertTrue(error.isprintable(), error)
        self.assertEqual([one.name for one in self.folder.parent.iterdir()], ["new"])
        return error

    def test_files_and_folders(self) -> None:
        self.assertEqual(self.unpacked(GOOD), {"bot.py": b"print('bot')", "lib/deep/data.txt": b"data"})
        self.unpacked(zipped({of_kind("run.sh", stat.S_IFREG | 0o4755): b"x", "__MACOSX/run.sh": b"x"}))
        self.assertEqual([one.name for one in self.folder.iterdir()], ["run.sh"])
        self.assertEqual(stat.S_IMODE((self.folder / "run.sh").stat().st_mode), 0o755)

    def test_paths_that_lead_elsewhere(self) -> None:
        for name in (
            "../x",
            "/x",
            "a/../../x",
            "a//x",
            "./x",
            "..",
            "a\\..\\x",
            "a\x1b[2J",
            "x" * 256,
            "a/" * 600 + "x",
        ):
            self.assertIn("expected paths inside", self.refused(zipped({name: b"x"})), name)

    def test_links_and_devices(self) -> None:
        for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK):
            self.assertIn("no links", self.refused(zipped({of_kind("x", kind | 0o777): b"/etc/passwd"})))

    def test_a_bomb(self) -> None:
        """Its bytes are counted as they come, whatever it says of itself."""
        self.patch(uploads, "MOST_UNPACKED", 2**20)
        self.assertEqual(len(self.unpacked(zipped({"x": bytes(2**20)}))), 1)
        self.assertIn("when it is unpacked", self.refused(zipped({"x": bytes(2**20), "y": b"x"})))
        self.assertIn("when it is unpacked", self.refused(zipped({"x": bytes(2**24)})))
        self.assertLess(sum(one.stat().st_size for one in self.folder.iterdir()), 2**20 + 1)

    def test_too_many(self) -> None:
        self.assertEqual(MOST_ENTRIES, 2_000)
        self.patch(uploads, "MOST_ENTRIES", 20)
        self.assertEqual(len(self.unpacked(zipped({str(number): b"" for number in range(20)}))), 20)
        self.assertIn("20 entries", self.refused(zipped({str(number): b"" for number in range(21)})))
        self.patch(uploads, "ZipFile", None)  # the list of one with far too many is not even read
        self.assertIn("20 entries", self.refused(b"PK\x01\x02" * 201))
        self.patch(uploads, "ZipFile", ZipFile)
        self.assertIn("entries", self.refused(zipped({})))

    def test_what_is_no_zip(self) -> None:
        out = BytesIO()
        with ZipFile(out, "w", ZIP_BZIP2) as archive:
            archive.writestr("x", b"x" * 1_000)
        damaged = GOOD.replace(b"bot.py", b"bet.py", 1)
        for data in (
            b"",
            b"canary",
            b"PK\x03\x04",
            GOOD[:-1],
            GOOD[: len(GOOD) // 2],
            GOOD[30:],
            out.getvalue(),
            damaged,
        ):
            self.assertIn("expected a whole zip", self.refused(data))

    def test_any_byte_may_be_wrong(self) -> None:
        for place in range(0, len(GOOD), 3):
            with contextlib.suppress(UploadRefused):
                self.unpacked(GOOD[:place] + b"\xff" + GOOD[place + 1 :])

    def test_a_name_twice(self) -> None:
        for names in (("x", "x/y"), ("x/y", "x")):
            self.assertIn("each name once", self.refused(zipped(dict.fromkeys(names, b"x"))))
        twice = zipped({"xx": b"1", "xy": b"2"}).replace(b"xy", b"xx")
        self.assertIn("each name once", self.refused(twice))


class BundleTests(SynchronousTestCase):
    def bundle(self) -> bytes:
        if shutil.which("git") is None:
            raise SkipTest("expected git")
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        (self.folder / "bot.py").write_text("print('bot')")
        author = ("-c", "user.name=ann", "-c", "user.email=ann@example.org")
        for words in (
            ("init", "-q"),
            ("add", "."),
            (*author, "commit", "-qm", "x"),
            ("bundle", "create", "-q", "b", "HEAD"),
        ):
            subprocess.run(["git", *words], cwd=self.folder, check=True, capture_output=True)
        return (self.folder / "b").read_bytes()

    def test_it_is_read_as_a_zip(self) -> None:
        data = self.bundle()
        self.assertEqual((is_bundle(data), is_bundle(GOOD)), (True, False))
        kind = "none" if why_not("bubblewrap") else "bubblewrap"
        words = Isolation(kind).words(reading(), 0, None)
        (new := self.folder / "new").mkdir()
        unpack(zip_of(data, words), new)
        self.assertEqual([(one.name, one.read_text()) for one in new.iterdir()], [("bot.py", "print('bot')")])
        error = self.assertRaises(NoBundle, zip_of, data[:-30], words)
        self.assertIn("expected a whole bundle", str(error))

    def test_without_git(self) -> None:
        self.patch(shutil, "which", lambda name: None)
        self.assertRaises(NoBundle, zip_of, b"# v2 git bundle\n", ["false"])


class UploadCodesTests(SynchronousTestCase):
    def test_they_stay(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        first = codes_of(folder, ["ann", "bob"])
        self.assertEqual(stat.S_IMODE((folder / CODES).stat().st_mode), 0o600)
        self.assertEqual(len({*first.values()}), 2)
        self.assertEqual(codes_of(folder, ["bob"]), {"bob": first["bob"]})
        self.assertEqual({**codes_of(folder, ["ann", "bob", "cyd"]), "cyd": ""}, {**first, "cyd": ""})


class UploadsCase(SynchronousTestCase):
    def begin(self, **more: Any) -> None:
        self.folder = Path(self.mktemp()).absolute()
        made = plan(3, isolate="bubblewrap", **more)
        self.plan = evolve(
            made,
            entrants=tuple(Entrant(f"p{number}", ("./bot", "{folder}/bot.py"), folder="/0") for number in range(3)),
        )
        self.clock = Clock()
        self.found: list[str] = []
        self.judged: list[tuple[str, ...]] = []
        self.patch(EntryCheck, "judge", lambda check, entrant: self.judge(entrant))
        self.open()

    def open(self) -> None:
        """Begin, or go on after a kill."""
        self.journal = ContestJournal(self.folder)
        self.addCleanup(self.journal.close)
        contest = self.journal.open(self.plan)
        told: list[Any] = []
        self.run_ = ContestRun(self.clock, contest, self.journal, StillGame, 9, told.append, told.append)  # type: ignore[arg-type]
        self.uploads = Uploads(self.clock, self.run_, self.folder, maybeDeferred)

    def judge(self, entrant: Entrant) -> list[str]:
        self.judged.append(entrant.words)
        self.assertTrue(Path(entrant.words[1]).is_file(), entrant.words)
        return self.found

    def take(self, name: str = "p1", data: bytes = GOOD) -> tuple[bool, str]:
        outcome = self.successResultOf(self.uploads.take(name, data))
        return outcome.taken, outcome.words

    def kept(self, name: str = "p1") -> set[str]:
        return {one.name for one in (uploads_of(self.folder) / name).iterdir()}


class TakingTests(UploadsCase):
    def setUp(self) -> None:
        self.begin()

    def test_a_good_one(self) -> None:
        """It is played from the next game on, also after a kill, and its journal has one line for it."""
        self.assertEqual(self.take(), (True, "taken as number 1: p1 plays with it from its next game on"))
        lines = (self.folder / "contest.jsonl").read_text().splitlines()
        self.assertEqual(["plan" in json.loads(lines[0]), *map(len, map(json.loads, lines[1:]))], [True, 1])
        self.journal.close()
        self.open()
        mine = uploads_of(self.folder) / "p1" / "1"
        self.assertEqual(self.run_.contest.plan.entrants[1].words, ("./bot", f"{mine}/bot.py"))
        self.assertEqual(self.plan.entrants[1].command, self.run_.contest.plan.entrants[1].command)
        self.run_.start()
        games: Any = self.run_.running
        commands = {one for game in games.values() for one in game.named["commands"]}
        self.assertEqual(commands, {("./bot", "/0/bot.py"), ("./bot", f"{mine}/bot.py")})
        [entry] = self.run_.contest.interventions
        self.assertIn("was handed in", words_of(self.run_.contest, entry))

    def test_a_bundle(self) -> None:
        """It is read isolated, and then as a zip."""
        self.patch(uploads, "zip_of", lambda data, words: GOOD if words[0] == "bwrap" else b"")
        self.assertTrue(self.take(data=b"# v2 git bundle\n")[0])

    def test_a_folder_in_the_zip(self) -> None:
        self.assertTrue(self.take(data=zipped({"mine/bot.py": b"x", "mine/lib.py": b"x"}))[0])
        self.assertTrue((uploads_of(self.folder) / "p1/1/lib.py").is_file())

    def test_a_bad_one_changes_nothing(self) -> None:
        before = (self.folder / "contest.jsonl").read_bytes()
        self.found = ["it sends nonsense (Moves)"]
        self.assertEqual(self.take(), (False, "not taken: the check found:\n- it sends nonsense (Moves)"))
        self.assertIn("expected a whole zip", self.take(data=GOOD[:-5])[1])
        self.assertEqual((self.kept(), (self.folder / "contest.jsonl").read_bytes()), (set(), before))

    def test_a_fault_says_nothing_of_the_machine(self) -> None:
        def full(data: bytes, folder: Path) -> None:
            raise OSError(28, "No space left on device", str(folder))

        self.patch(uploads, "unpack", full)
        self.assertNotIn("/", self.take()[1])
        self.assertEqual((len(self.flushLoggedErrors(OSError)), self.kept()), (1, set()))

    def test_a_player_that_is_out(self) -> None:
        """Who was absent comes back by it; whom the organizer has taken out does not."""
        self.run_.contest.scratched[2] = (1, "absent")
        self.assertTrue(self.take("p2")[0])
        self.assertEqual(self.run_.contest.scratched, {})
        self.run_.intervene(["drop", "p1"], command, False)
        self.assertEqual(self.take(), (False, "not taken: p1 was taken out by the organizer"))

    def test_what_a_kill_has_left(self) -> None:
        """Before the folder has its number, and before its line."""
        for name in (f"{NEW}x", "4"):
            (uploads_of(self.folder) / "p1" / name).mkdir()
        self.journal.close()
        self.open()
        self.assertEqual((self.kept(), self.run_.contest.plan.entrants[1].folder), ({"4"}, "/0"))
        self.assertIn("number 5", self.take()[1])

    def test_how_many(self) -> None:
        (uploads_of(self.folder) / "p1" / str(MOST_TAKEN)).mkdir()
        self.assertIn("that is all", self.take()[1])

    def test_a_contest_that_ends(self) -> None:
        self.uploads.stop()
        self.assertIn("has ended", self.take()[1])
        self.run_.stop()
        self.uploads._stopped = False
        self.assertIn("about to end", self.take()[1])

    def test_another_command_keeps_the_folder(self) -> None:
        self.take()
        self.run_.contest.note(intervene(self.run_.contest, ["replace", "p1", "{folder}/new"], command))
        self.assertTrue(self.run_.contest.plan.entrants[1].words[0].endswith("/p1/1/new"))


class RouteCase(UploadsCase):
    def new_page(self) -> SiteWorld:
        self.begin()
        contest: Contest = self.run_.contest
        results.write(contest, standings(contest), self.folder, ONITAMA)
        site = UploadSite(
            *(self.clock, lambda: contest, dict, self.folder, ONITAMA, Access(NAMED)), uploads=self.uploads
        )
        return SiteWorld(site, self.clock)


class UploadBoundsTests(HttpBoundsContract, RouteCase):
    """All other routes are as they were."""

    path = "/contest"

    def new_world(self) -> SiteWorld:
        return self.new_page()


class RouteTests(RouteCase):
    def setUp(self) -> None:
        self.world = self.new_page()

    def announce(
        self, player: str = "p1", length: int = len(GOOD), address: str = "192.0.2.1", **headers: str
    ) -> WebClient:
        client = self.world.connect(address)
        code = self.uploads.codes.get(player, player)
        client.send(request("/upload", "POST", **{"X_Contest_Code": code, "Content_Length": str(length), **headers}))
        return client

    def hand_in(self, player: str = "p1", data: bytes = GOOD, **headers: str) -> Response:
        client = self.announce(player, len(data), **headers)
        if client.protocol._successor is not None:
            for place in range(0, len(data), 100):
                client.send(data[place : place + 100])
        [answer] = client.responses()
        return answer

    def test_the_page(self) -> None:
        page = self.world.get("/upload")
        self.assertIn(b'src="/upload.js"', page.body)
        self.assertNotIn("unsafe", page.headers["content-security-policy"])
        self.assertIn("javascript", self.world.get("/upload.js").headers["content-type"])
        [answer] = self.world.connect().ask(request("/upload", "POST"))
        self.assertEqual(answer.status, 405)

    def test_taken(self) -> None:
        answer = self.hand_in()
        self.assertEqual((answer.status, answer.headers["connection"]), (200, "close"))
        self.assertTrue(answer.body.startswith(b"taken as number 1"))
        self.assertEqual(self.uploads._busy, set())
        self.world.wait(BODY_SECONDS)

    def test_with_its_announcement_in_one_piece(self) -> None:
        client = self.world.connect()
        words = request("/upload", "POST", X_Contest_Code=self.uploads.codes["p1"], Content_Length=str(len(GOOD)))
        [answer] = client.ask(words + GOOD + b"GET / HTTP/1.1\r\n\r\n")
        self.assertEqual((answer.status, client.closed), (200, True))

    def test_not_taken(self) -> None:
        self.found = ["it sends nonsense (Moves)"]
        answer = self.hand_in()
        self.assertEqual((answer.status, b"- it sends nonsense (Moves)" in answer.body), (422, True))

    def test_codes(self) -> None:
        for code in ("", "wrong", self.uploads.codes["p1"][:-1], "p1\xff"):
            self.assertEqual(self.hand_in(code).status, 403, code)
        for number in range(CODES_AT_ONCE):
            status = self.hand_in(f"wrong{number}").status
        self.assertEqual((status, self.hand_in().status), (429, 429))
        self.assertEqual(self.hand_in(address="203.0.113.9").status, 200)

    def test_lengths(self) -> None:
        for length in (str(MOST_BYTES + 1), str(1 << 60)):
            self.assertEqual(self.announce(Content_Length=length).responses()[0].status, 413)
        chunked = self.announce(Content_Length="", Transfer_Encoding="chunked")
        self.assertEqual(chunked.responses()[0].status, 413)

    def test_other_names_and_sites(self) -> None:
        self.assertEqual(self.hand_in(Host="evil.example").status, 421)
        self.assertEqual(self.hand_in(Origin="http://evil.example").status, 403)
        self.assertEqual(self.hand_in(Origin="http://games.example.org").status, 200)

    def test_other_paths_and_methods(self) -> None:
        for path, method in (("/contest", "POST"), ("/upload/", "POST"), ("/upload?x", "POST"), ("/upload", "PUT")):
            code = self.uploads.codes["p1"]
            [answer] = self.world.connect().ask(request(path, method, X_Contest_Code=code, Content_Length="5"))
            self.assertEqual(answer.status, 413, path)

    def test_at_once(self) -> None:
        """One for a code, and two in all, from the announcement to the verdict."""
        waiting: Deferred[Path] = Deferred()
        self.uploads._later = lambda *arguments: waiting
        first = self.announce("p0")
        first.send(GOOD)
        self.assertEqual(self.announce("p0").responses()[0].status, 429)
        second = self.announce("p1")
        self.assertEqual(self.announce("p2").responses()[0].status, 429)
        second.transport.hang_up()
        third = self.announce("p2")
        self.assertEqual(third.responses(), [])
        first.transport.hang_up()
        self.assertEqual(self.uploads._busy, {"p0", "p2"})
        waiting.errback(UploadRefused("no"))
        self.assertEqual(self.uploads._busy, {"p2"})
        self.assertEqual(self.flushLoggedErrors(), [])

    def test_too_slow(self) -> None:
        client = self.announce()
        for _ in range(int(BODY_SECONDS)):
            self.assertFalse(client.closed)
            client.send(b"x")
            self.world.wait(1)
        self.assertEqual((client.closed, self.uploads._busy, self.clock.getDelayedCalls()), (True, set(), []))

    def test_too_often(self) -> None:
        found = [self.hand_in(address=f"192.0.2.{number}").status for number in range(LOOKS_AT_ONCE + 1)]
        self.assertEqual(found, [200] * LOOKS_AT_ONCE + [429])


class UploadOptionsTests(SynchronousTestCase):
    WORDS = ("--wire=onitama", "--player=ann=python3 {folder}/ann.py", "--player=bob=./bob", "--uploads")

    def test_only_isolated_with_a_page_and_a_place(self) -> None:
        self.patch(sys.modules["gamehost.extras.contest.command"], "why_not", lambda kind: None)
        for words, named in (
            (self.WORDS, "--isolate"),
            ((*self.WORDS, "--web=0", "--isolate=none"), "--isolate"),
            ((*self.WORDS, "--isolate=user"), "--web"),
            (
                ("--wire=onitama", "--player=a=./a", "--player=b=./b", "--uploads", "--web=0", "--isolate=user"),
                "{folder}",
            ),
        ):
            error = self.assertRaises(ContestError, plan_of, content_of(*words), REGISTRY.wires)
            self.assertIn(named, str(error))
        made = plan_of(content_of(*self.WORDS, "--web=0", "--isolate=user", "--out=x"), REGISTRY.wires)
        folder = str(Path("x.uploads/ann/0").absolute())
        self.assertEqual([one.folder for one in made.entrants], [folder, ""])
        self.assertEqual(made.entrants[0].words, ("python3", f"{folder}/ann.py"))
        self.assertIn("uploads", vars(parser(()).parse_args(["--uploads"])))

    def test_a_usage_error(self) -> None:
        self.assertRaises(SystemExit, main, self.WORDS, REGISTRY.wires, SimpleNamespace())
