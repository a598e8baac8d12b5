"""The files of the pages: packed once, with addresses that change with their content."""

import gzip
import json
import re
import struct
from html import unescape
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

import gamehost
from gamehost.games.remote.master import REMOTE
from gamehost.games.stratego.master import STRATEGO
from gamehost.web.http import KINDS, SHELL, StaticFiles, hash_of, read_files
from tests.kit.web_host import FILES


class FileTests(SynchronousTestCase):
    def test_the_package_has_them(self) -> None:
        files = read_files(())
        self.assertIn(SHELL, files)
        self.assertEqual({name.rpartition(".")[2] for name in files} - KINDS.keys(), set())

    def test_the_pages_can_be_installed(self) -> None:
        """The manifest has icons of the sizes that it names, and one that may be cut to any form."""
        files = read_files(())
        manifest = json.loads(files["gamehost.webmanifest"])
        sizes = {}
        for icon in manifest["icons"]:
            kind, width, height = struct.unpack(">12x4sII", files[icon["src"]][:24])
            self.assertEqual((kind, icon["sizes"]), (b"IHDR", f"{width}x{height}"))
            sizes[icon.get("purpose", "any"), width] = icon["src"]
        self.assertEqual(sizes.keys(), {("any", 192), ("any", 512), ("maskable", 512)})
        self.assertEqual((manifest["start_url"], manifest["id"], manifest["display"]), ("/", "/", "standalone"))
        shell = StaticFiles.pack(files).shell.body
        for file in ("gamehost.webmanifest", "icon-192.png"):
            self.assertRegex(shell, f'href="/static/[0-9a-f]+/{file}"'.encode())

    def test_a_game_brings_its_board(self) -> None:
        """From the package of its token, and nothing else of it. The shell says which games have one."""
        files = read_files((STRATEGO, REMOTE))
        found = {name for name in files if name.startswith("games/")}
        stratego = (
            "board.css",
            "board.js",
            "board-legend.js",
            "board-lessons.json",
            "board-marks.js",
            "board-setup.js",
            "board-words.js",
            "help.txt",
        )
        words = [f"board-words-{language}.json" for language in ("cs", "it", "nl", "pl")]
        expected = {*(f"games/stratego/{name}" for name in (*stratego, *words)), "games/remote/help.txt"}
        self.assertEqual(found, expected)
        self.assertIn(b"1 marshal", files["games/stratego/help.txt"])
        shell = unescape(StaticFiles.pack(files, (STRATEGO, REMOTE)).shell.body.decode())
        rows = (
            '[{"name":"stratego","seats":[2,2],"board":true,"offers":["draw"],"times":{"begin":300.0},"house":0,"languages":["cs","it","nl","pl"]},'
            '{"name":"remote","seats":[3,65],"board":false,"offers":[],"times":{"begin":30.0},"house":0,"languages":[],"levels":["random"]}]'
        )
        self.assertIn(f'content="{rows}"', shell)

    def test_the_hash_is_over_names_and_contents(self) -> None:
        digest = hash_of(FILES)
        for changed in ({**FILES, "app.js": b""}, {**FILES, "b.js": b""}, {"index.htm": b"l", **FILES}):
            self.assertNotEqual(hash_of(changed), digest)

    def test_the_shell_has_the_hash_in_it(self) -> None:
        files = StaticFiles.pack(FILES)
        self.assertIn(f'"/static/{files.hash}/app.js"'.encode(), files.shell.body)
        self.assertEqual(files.shell.cache, "no-cache")

    def test_files_are_for_ever(self) -> None:
        files = StaticFiles.pack(FILES)
        app, toy = files.file((files.hash, "app.js")), files.file((files.hash, "games", "toy.js"))
        assert app is not None and toy is not None and app.packed is not None
        self.assertEqual(gzip.decompress(app.packed), FILES["app.js"])
        self.assertIsNone(toy.packed)
        self.assertEqual((toy.body, toy.kind), (FILES["games/toy.js"], "text/javascript; charset=utf-8"))
        self.assertIn("immutable", app.cache)

    def test_nothing_else_is_there(self) -> None:
        files = StaticFiles.pack(FILES)
        for path in (("0" * 16, "app.js"), (files.hash,), (files.hash, "games"), (files.hash, "index.html"), ()):
            self.assertIsNone(files.file(path))


# The files of the pages: what the first page costs, and that nothing comes from elsewhere.


PACKAGE = Path(gamehost.__file__).parent
STATIC = PACKAGE / "web" / "static"
BOARDS = sorted((PACKAGE / "games").glob("*/board.js"))
MODULES = [*STATIC.rglob("*.js"), *(PACKAGE / "games").glob("*/*.js")]

#: Of the page of tables with the boards of all games.
MOST_FILES = 20
MOST_BYTES = 60 * 1024

_IMPORT = re.compile(r'^(?:import|export) .*?from "(\./[^"]+|\.\./[^"]+)";', re.MULTILINE | re.DOTALL)


def imported(path: Path, known: set[Path]) -> None:
    if path not in known:
        known.add(path)
        for name in _IMPORT.findall(path.read_text("utf-8")):
            imported((path.parent / name).resolve(), known)


def first_page() -> set[Path]:
    shell = STATIC / "index.html"
    known: set[Path] = {shell}
    for name in re.findall(r'/static/HASH/([^"]+)', shell.read_text("utf-8")):
        path = STATIC / name
        if path.suffix == ".js":
            imported(path, known)
        elif path.suffix == ".css":  # browsers read the manifest and the icons when the page is shown
            known.add(path)
    for board in BOARDS:
        imported(board, known)
        known.add(board.with_suffix(".css"))
    return known


class StaticTests(SynchronousTestCase):
    def test_first_page_is_small(self) -> None:
        files = first_page()
        self.assertTrue({"app.js", "lobby.js", "board.js", "board.css", "style.css"} <= {path.name for path in files})
        self.assertLessEqual(len(files), MOST_FILES)
        self.assertLessEqual(sum(len(gzip.compress(path.read_bytes())) for path in files), MOST_BYTES)

    def test_modules_are_short(self) -> None:
        for path in MODULES:
            self.assertLessEqual(len(path.read_text("utf-8").splitlines()), 800, path.name)

    def test_imports_are_there(self) -> None:
        for path in MODULES:
            for name in re.findall(r'(?:from|import\() ?"([^"]+)"', path.read_text("utf-8")):
                self.assertTrue((path.parent / name).is_file(), f"{path.name} imports {name}")

    def test_nothing_comes_from_elsewhere(self) -> None:
        """No address of another host, no style and no script in the markup: the security policy would refuse them."""
        for path in [*STATIC.rglob("*.*"), *MODULES, *(PACKAGE / "games").glob("*/*.css")]:
            if path.suffix == ".png":
                continue
            text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
            self.assertNotRegex(text, r"https?://[a-z]|@import|@font-face", path.name)
        shell = (STATIC / "index.html").read_text("utf-8")
        self.assertNotRegex(shell, r" style=| on[a-z]+=|<style|<script(?! type=\"module\" src=)")
        for path in MODULES:
            self.assertNotRegex(
                path.read_text("utf-8"), r"innerHTML|outerHTML|insertAdjacentHTML|\beval\(|document\.write", path.name
            )
