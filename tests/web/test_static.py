"""The files of the pages: what the first page costs, and that nothing comes from elsewhere."""

import gzip
import re
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

import gamehost

PACKAGE = Path(gamehost.__file__).parent
STATIC = PACKAGE / "web" / "static"
BOARDS = sorted((PACKAGE / "games").glob("*/board.js"))
MODULES = [*STATIC.rglob("*.js"), *(PACKAGE / "games").glob("*/*.js")]

#: Of the page of tables with the boards of all games.
MOST_FILES = 20
MOST_BYTES = 60 * 1024

_IMPORT = re.compile(r'^(?:import|export) .*?from "(\./[^"]+|\.\./[^"]+)";', re.MULTILINE | re.DOTALL)


def imported(path: Path, known: set[Path]) -> None:
    """Add a module to the known ones, with all that it imports at once."""
    if path not in known:
        known.add(path)
        for name in _IMPORT.findall(path.read_text("utf-8")):
            imported((path.parent / name).resolve(), known)


def first_page() -> set[Path]:
    """All files that the page of tables loads."""
    shell = STATIC / "index.html"
    known: set[Path] = {shell}
    for name in re.findall(r'/static/HASH/([^"]+)', shell.read_text("utf-8")):
        path = STATIC / name
        if path.suffix == ".js":
            imported(path, known)
        else:
            known.add(path)
    for board in BOARDS:
        imported(board, known)
        known.add(board.with_suffix(".css"))
    return known


class StaticTests(SynchronousTestCase):
    """Files under `gamehost/web/static`, and the boards of the games."""

    def test_first_page_is_small(self) -> None:
        """The page of tables loads few files, and few bytes."""
        files = first_page()
        self.assertTrue({"app.js", "lobby.js", "board.js", "board.css", "style.css"} <= {path.name for path in files})
        self.assertLessEqual(len(files), MOST_FILES)
        self.assertLessEqual(sum(len(gzip.compress(path.read_bytes())) for path in files), MOST_BYTES)

    def test_modules_are_short(self) -> None:
        """No module has more than 800 lines."""
        for path in MODULES:
            self.assertLessEqual(len(path.read_text("utf-8").splitlines()), 800, path.name)

    def test_imports_are_there(self) -> None:
        """What a module imports is a file of the pages."""
        for path in MODULES:
            for name in re.findall(r'(?:from|import\() ?"([^"]+)"', path.read_text("utf-8")):
                self.assertTrue((path.parent / name).is_file(), f"{path.name} imports {name}")

    def test_nothing_comes_from_elsewhere(self) -> None:
        """No address of another host, no style and no script in the markup: the security policy would refuse them."""
        for path in [*STATIC.rglob("*.*"), *MODULES, *(PACKAGE / "games").glob("*/*.css")]:
            text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
            self.assertNotRegex(text, r"https?://[a-z]|@import|@font-face", path.name)
        shell = (STATIC / "index.html").read_text("utf-8")
        self.assertNotRegex(shell, r" style=| on[a-z]+=|<style|<script(?! type=\"module\" src=)")
        for path in MODULES:
            self.assertNotRegex(
                path.read_text("utf-8"), r"innerHTML|outerHTML|insertAdjacentHTML|\beval\(|document\.write", path.name
            )
