"""The types of the client library in JavaScript, as TypeScript reads them from its comments."""

import shutil
import subprocess
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.kit.process import CLIENTS

TOOLS = ("typescript@5", "@types/node@20")
OPTIONS = (
    "--noEmit",
    "--allowJs",
    "--checkJs",
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--types",
    "node",
)


class TypesTests(SynchronousTestCase):
    def test_typescript_has_nothing_to_complain_of(self) -> None:
        """In the strictest way it has. The tools come from npm."""
        npm = shutil.which("npm")
        if npm is None:
            raise SkipTest("there is no npm on this machine")
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        install = [npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(folder), *TOOLS]
        installed = subprocess.run(install, capture_output=True, text=True, timeout=240)
        if installed.returncode:
            raise SkipTest(f"npm cannot install {' and '.join(TOOLS)}: {installed.stderr.strip()[-200:]}")
        modules = folder / "node_modules"
        sources = map(str, sorted((CLIENTS / "js").glob("*.js")))
        command = [str(modules / ".bin" / "tsc"), *OPTIONS, "--typeRoots", str(modules / "@types"), *sources]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240)
        self.assertEqual((done.stdout, done.returncode), ("", 0))
