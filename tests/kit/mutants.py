"""
Plants faults in a wire or a game, one at a time, and names those that its tests do not find.

    python -m tests.kit.mutants onitama [--faults 20] [--seed 1] [--all]

A name is a folder or module of `gamehost/wires`, `gamehost/games` or `gamehost/extras/dialects`, or an example. A fault changes
one place: a comparison, a condition, a number, or a statement that is left out. The tests run in a process of their own, which
imports the changed module in place of the file, so nothing is written. The status is 1 if a fault is not found.
"""

import argparse
import ast
import importlib.abc
import importlib.util
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

ROOT = Path(__file__).parents[2]
FOLDERS = ("gamehost/wires", "gamehost/games", "gamehost/extras/dialects")
#: Seconds for the tests of one fault: a fault that keeps them busy is found.
PATIENCE = 900
_OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@frozen
class Fault:
    """The number of a fault in its file, its line, and what it changes."""

    number: int
    line: int
    words: str


class Planter(ast.NodeTransformer):
    """
    Counts the places of a file at which a fault can be planted, and plants one.

    :param planted: the number of the fault; -1: none, so that they are counted
    """

    def __init__(self, planted: int = -1) -> None:
        self.planted = planted
        self.faults: list[Fault] = []

    def _here(self, node: Any, words: str) -> bool:
        self.faults.append(Fault(len(self.faults), node.lineno, words))
        return self.planted == len(self.faults) - 1

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        other = _OTHER[type(node.ops[0])]
        if self._here(node, f"{type(node.ops[0]).__name__} is {other.__name__}"):
            node.ops[0] = other()
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if self._here(node.test, "a condition is reversed"):
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and self._here(node, f"{node.value} is {node.value + 1}"):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if isinstance(node.value, ast.Call) and self._here(node, "a call is left out"):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # An annotation is no code.
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):  # type: ignore[misc]
    """Gives one module a fault."""

    def __init__(self, module: str, path: Path, planted: int) -> None:
        self._module, self._path, self._planted = module, path, planted

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self._module:
            return None
        inside = [str(self._path.parent)] if self._path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(name, self._path, loader=self, submodule_search_locations=inside)

    def get_filename(self, name: str) -> str:
        return str(self._path)

    def get_data(self, path: Any) -> bytes:
        tree = Planter(self._planted).visit(ast.parse(self._path.read_text("utf-8")))
        return ast.unparse(ast.fix_missing_locations(tree)).encode("utf-8")


def _sources(name: str) -> list[tuple[str, Path]]:
    """The modules of a wire or a game, with their files."""
    python = name.replace("-", "_")
    places = [ROOT / folder / python for folder in FOLDERS] + [ROOT / "examples" / python / f"gamehost_{python}"]
    files = [file for place in places for file in (place.with_suffix(".py"), *sorted(place.rglob("*.py")))]
    found = [file for file in files if file.is_file() and "tests" not in file.parts]
    bases = {file: ROOT / "examples" / python if "examples" in file.parts else ROOT for file in found}
    return [
        (".".join(file.relative_to(bases[file]).with_suffix("").parts).removesuffix(".__init__"), file)
        for file in found
    ]


def _tests(name: str) -> list[str]:
    python = name.replace("-", "_")
    rooms = (ROOT / "tests" / room for room in ("wires", "games", "players", "extras/dialects"))
    found = [file for room in rooms for file in sorted(room.glob(f"test_{python}*.py"))]
    inside = (ROOT / "examples" / python / f"gamehost_{python}" / "tests").glob("test_*.py")
    return [
        *(".".join(file.relative_to(ROOT).with_suffix("").parts) for file in found),
        *(f"gamehost_{python}.tests.{file.stem}" for file in sorted(inside)),
    ]


def _plant(module: str, path: str, planted: str, tests: Sequence[str]) -> None:
    """The process of one fault."""
    sys.meta_path.insert(0, _Finder(module, Path(path), int(planted)))
    from twisted.scripts.trial import run

    sys.argv = ["trial", "--temp-directory", str(Path(tempfile.mkdtemp()) / "trial"), "--exitfirst", *tests]
    run()


def _is_found(module: str, path: Path, fault: Fault, tests: Sequence[str]) -> bool:
    command = [sys.executable, "-m", "tests.kit.mutants", "--plant", module, str(path), str(fault.number), *tests]
    folders = {
        "PYTHONPATH": ":".join(map(str, (ROOT, *(ROOT / "examples").iterdir()))),
        "PATH": "/usr/bin:/bin",
    }
    try:
        return subprocess.run(command, cwd=ROOT, env=folders, capture_output=True, timeout=PATIENCE).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def _all_faults(name: str) -> Iterator[tuple[str, Path, Fault]]:
    for module, path in _sources(name):
        planter = Planter()
        planter.visit(ast.parse(path.read_text("utf-8")))
        yield from ((module, path, fault) for fault in planter.faults)


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--plant"]:
        _plant(arguments[1], arguments[2], arguments[3], arguments[4:])
    parser = argparse.ArgumentParser(description="Plant faults in a wire or a game, and name those that no test finds.")
    parser.add_argument("name")
    parser.add_argument("--faults", type=int, default=20, help="how many are planted, chosen by chance; default 20")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="plant all")
    asked = parser.parse_args(arguments)
    faults, tests = list(_all_faults(asked.name)), _tests(asked.name)
    if not faults or not tests:
        parser.error(f"no modules or no tests of {asked.name}")
    chosen = faults if asked.all else random.Random(asked.seed).sample(faults, min(asked.faults, len(faults)))
    if _is_found(*faults[0][:2], Fault(-1, 0, "none"), tests):
        parser.error(f"the tests of {asked.name} fail without a fault")
    missed = 0
    for module, path, fault in chosen:
        if not _is_found(module, path, fault, tests):
            missed += 1
            print(f"not found: {path.relative_to(ROOT)}:{fault.line}: {fault.words}", flush=True)
    print(f"{asked.name}: {len(chosen) - missed} of {len(chosen)} faults found, {len(faults)} places", flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
