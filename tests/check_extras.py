"""
`make check-extras`: the host without each of its extras. An extra is deleted in a copy of the tree, with its tests and its
entry points, and the tests of layers, plug-ins and wires pass there.

Test modules that use what is deleted go, too, and are printed. None of them may be a core wire's.
"""

import configparser
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.kit.sources import ROOT, imports, read_sources

EXTRAS = tuple(sorted(path.parent.name for path in (ROOT / "gamehost" / "extras").glob("*/__init__.py")))
#: What passes without any extra.
SUITE = ("tests.test_layers.PackageTests", "tests.test_layers.PlantedTests", "tests.test_plugins", "tests.wires")
#: Test modules that must not need an extra.
CORE = ("tests.test_layers", "tests.test_plugins")


def users(extra: str) -> Sequence[str]:
    """The test modules that import an extra, or a test module that does, beside the extra's own."""
    tests, package = read_sources("tests"), read_sources("gamehost")
    own = (f"gamehost.extras.{extra}", f"tests.extras.{extra}")
    known = {**tests, **package}
    needs = {name: {one.name for one in imports(text, known) if one.at_top} for name, text in tests.items()}
    found: set[str] = set()
    while True:
        more = {
            name
            for name, used in needs.items()
            if not name.startswith(own) and any(one.startswith(own) or one in found for one in used)
        }
        if more == found:
            return sorted(found)
        found = more


def copy_without(extra: str, folder: Path, left_out: Sequence[str]) -> None:
    """Copy the tree, without an extra, its tests, its entry points, and these test modules."""
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    gone = (f"gamehost/extras/{extra}/", f"tests/extras/{extra}/", *(one.replace(".", "/") + ".py" for one in left_out))
    for name in filter(None, names):
        if not name.startswith(gone) and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    metadata = folder / "gamehost-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: gamehost\nVersion: 0\n", "utf-8")
    (metadata / "entry_points.txt").write_text("".join(entry_points(parser, extra)), "utf-8")


def entry_points(parser: configparser.ConfigParser, extra: str) -> Iterator[str]:
    """The lines of `entry_points.txt` without those of an extra."""
    for group, lines in parser["options.entry_points"].items():
        yield f"[{group}]\n"
        yield from (f"{line}\n" for line in lines.split("\n") if f"gamehost.extras.{extra}" not in line)


def main(arguments: Sequence[str]) -> int:
    """Try each extra, or those that are named. Returns the exit status."""
    failed = []
    for extra in arguments or EXTRAS:
        left_out = users(extra)
        print(f"== without {extra}, and without {', '.join(left_out) or 'any other test'}", flush=True)
        if set(left_out) & set(CORE):
            failed.append(extra)
            continue
        with tempfile.TemporaryDirectory() as name:
            copy_without(extra, Path(name), left_out)
            command = [sys.executable, "-m", "twisted.trial", "--reporter=text", *SUITE]
            if subprocess.call(command, cwd=name, env={**os.environ, "PYTHONPATH": name}):
                failed.append(extra)
    print(f"failed without: {', '.join(failed)}" if failed else "the core needs none of them")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
