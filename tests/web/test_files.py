"""The files of the pages: packed once, with addresses that change with their content."""

import gzip
from html import unescape

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.remote.master import REMOTE
from gamehost.games.stratego.master import STRATEGO
from gamehost.web.files import KINDS, SHELL, StaticFiles, hash_of, read_files
from tests.kit.web_host import FILES


class FileTests(SynchronousTestCase):
    """The files of a release."""

    def test_the_package_has_them(self) -> None:
        """With the shell, and of known kinds."""
        files = read_files(())
        self.assertIn(SHELL, files)
        self.assertEqual({name.rpartition(".")[2] for name in files} - KINDS.keys(), set())

    def test_a_game_brings_its_board(self) -> None:
        """From the package of its token, and nothing else of it. The shell says which games have one."""
        files = read_files((STRATEGO, REMOTE))
        found = {name for name in files if name.startswith("games/")}
        stratego = ("board.css", "board.js", "board-legend.js", "board-setup.js", "help.txt")
        self.assertEqual(found, {*(f"games/stratego/{name}" for name in stratego), "games/remote/help.txt"})
        self.assertIn(b"1 marshal", files["games/stratego/help.txt"])
        shell = unescape(StaticFiles.pack(files, (STRATEGO, REMOTE)).shell.body.decode())
        rows = (
            '[{"name":"stratego","seats":[2,2],"board":true,"offers":["draw"],"times":{"begin":300.0},"house":0},'
            '{"name":"remote","seats":[3,65],"board":false,"offers":[],"times":{"begin":30.0},"house":0}]'
        )
        self.assertIn(f'content="{rows}"', shell)

    def test_the_hash_is_over_names_and_contents(self) -> None:
        """Any change makes another one."""
        digest = hash_of(FILES)
        for changed in ({**FILES, "app.js": b""}, {**FILES, "b.js": b""}, {"index.htm": b"l", **FILES}):
            self.assertNotEqual(hash_of(changed), digest)

    def test_the_shell_has_the_hash_in_it(self) -> None:
        """It is asked for again each time; what it names is not."""
        files = StaticFiles.pack(FILES)
        self.assertIn(f'"/static/{files.hash}/app.js"'.encode(), files.shell.body)
        self.assertEqual(files.shell.cache, "no-cache")

    def test_files_are_for_ever(self) -> None:
        """Compressed where that helps, each with its kind."""
        files = StaticFiles.pack(FILES)
        app, toy = files.file((files.hash, "app.js")), files.file((files.hash, "games", "toy.js"))
        assert app is not None and toy is not None and app.packed is not None
        self.assertEqual(gzip.decompress(app.packed), FILES["app.js"])
        self.assertIsNone(toy.packed)
        self.assertEqual((toy.body, toy.kind), (FILES["games/toy.js"], "text/javascript; charset=utf-8"))
        self.assertIn("immutable", app.cache)

    def test_nothing_else_is_there(self) -> None:
        """No other hash, no folder, and no shell by its name."""
        files = StaticFiles.pack(FILES)
        for path in (("0" * 16, "app.js"), (files.hash,), (files.hash, "games"), (files.hash, "index.html"), ()):
            self.assertIsNone(files.file(path))
