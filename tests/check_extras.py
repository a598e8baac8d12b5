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
#: Tests that pass without any extra, and need none. README and docs list the wires of extras, too, so no list is compared.
CORE = (
    *("tests.test_layers.PackageTests", "tests.test_plugins.FindTests"),
    *("tests.wires.test_console", "tests.wires.test_open", "tests.wires.test_onitama", "tests.wires.test_eriantys"),
    *("tests.wires.test_paper_soccer", "tests.wires.test_stratego_frames", "tests.wires.test_stratego_lines"),
)


#: Built files, and files of tools.
NOT_COPIED = (".*", "*.egg-info", "__pycache__", "_build", "_trial_temp*", "build", "coverage", "dist")


def own(extras: Sequence[str], name: str) -> bool:
    """Whether a module is one of these extras', or a test of theirs."""
    return any(name.startswith((f"gamehost.extras.{one}", f"tests.extras.{one}")) for one in extras)


def users(extras: Sequence[str]) -> Sequence[str]:
    """The test modules that import one of these extras, or a test module that does, beside their own."""
    tests, package = read_sources("tests"), read_sources("gamehost")
    known = {**tests, **package}
    needs = {name: {one.name for one in imports(text, known) if one.at_top} for name, text in tests.items()}
    found: set[str] = set()
    while True:
        more = {
            name
            for name, used in needs.items()
            if not own(extras, name) and any(own(extras, one) or one in found for one in used)
        }
        if more == found:
            return sorted(found)
        found = more


def copy_without(extras: Sequence[str], folder: Path, left_out: Sequence[str]) -> None:
    """Copy the tree, without these extras, their tests, their pages, their entry points, and these test modules."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_COPIED), dirs_exist_ok=True)
    for one in extras:
        for place in ("gamehost", "tests", "docs"):
            shutil.rmtree(folder / place / "extras" / one, ignore_errors=True)
    for module in left_out:
        (folder / f"{module.replace('.', '/')}.py").unlink(missing_ok=True)
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    metadata = folder / "gamehost-0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: gamehost\nVersion: 0\n", "utf-8")
    (metadata / "entry_points.txt").write_text("".join(entry_points(parser, extras)), "utf-8")


def entry_points(parser: configparser.ConfigParser, extras: Sequence[str]) -> Iterator[str]:
    """The lines of `entry_points.txt` without those of these extras."""
    for group, lines in parser["options.entry_points"].items():
        yield f"[{group}]\n"
        yield from (f"{line}\n" for line in lines.split("\n") if not own(extras, line.partition(" = ")[2]))


def passes_without(extras: Sequence[str]) -> bool:
    """Whether the tests of the core pass where these extras are deleted."""
    left_out = users(extras)
    print(f"== without {', '.join(extras)}, and {len(left_out)} other test modules", flush=True)
    if needing := [one for one in CORE if ".".join(one.split(".")[:3]) in left_out or one in left_out]:
        print(f"these need them: {', '.join(needing)}")
        return False
    with tempfile.TemporaryDirectory() as name:
        copy_without(extras, Path(name), left_out)
        command = [sys.executable, "-m", "twisted.trial", "--reporter=text", "-j2", *CORE]
        return not subprocess.call(command, cwd=name, env={**os.environ, "PYTHONPATH": name})


def main(arguments: Sequence[str]) -> int:
    """Delete each extra, then all of them; or those that are named, together. Returns the exit status."""
    trials = [arguments] if arguments else [*((one,) for one in EXTRAS), EXTRAS]
    failed = [", ".join(extras) for extras in trials if not passes_without(extras)]
    print(f"failed without: {'; '.join(failed)}" if failed else "the core needs none of them")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
