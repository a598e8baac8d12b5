"""
The shape of the package in figures: `make shape` prints them beside their aims.

A figure is a hint where to look, not a judgement. `tests.test_layers` keeps circles of imports out.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from attrs import frozen

from gamehost.config import Options
from tests.kit.sources import ROOT, Sources, circles, imports, parsed, read_sources, statements

#: Tokens that make no line a line of code.
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
#: The modules of what is optional.
OPTIONAL = re.compile(r"gamehost\.extras(?:\.|$)")


@frozen
class Figure:
    """One figure of the shape."""

    words: str
    count: int
    #: The figure should not be larger.
    aim: int


def shape(package: Sources, tests: Sources) -> Sequence[Figure]:
    optional = {name: text for name, text in package.items() if OPTIONAL.match(name)}
    whole = code_lines(package)
    counted = (
        ("code of the core", whole - code_lines(optional), 30_000),
        ("code of core and extras", whole, 44_000),
        ("lines of the tests", sum(text.count("\n") for text in tests.values()), 72_000),
        ("words of the pages", sum(len(page.read_text("utf-8").split()) for page in pages()), 55_000),
        ("options and settings", len(settings()), 110),
        ("classes with the name of another one", len([*namesakes(package)]), 60),
        ("circles of imports", len(circles(package)), 0),
        ("floors of imports", floors(package), 13),
    )
    return [Figure(*one) for one in counted]


def code_lines(sources: Sources) -> int:
    """How many lines have a token that is no comment and no docstring."""
    return sum(_code_lines(text) for text in sources.values())


@cache
def _code_lines(text: str) -> int:
    docstrings: set[int] = set()
    tree = parsed(text)
    for node in (tree, *statements(tree)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def pages() -> Sequence[Path]:
    return [path for path in sorted((ROOT / "docs").rglob("*.rst")) if "_build" not in path.parts]


def settings() -> Sequence[str]:
    """The options and settings in the help text of `gamehost run`, by their names."""
    return re.findall(r"^ +(?:-\w, )?(--[\w-]+|[\w-]+\.\w+(?=: ))", str(Options()), re.M)


def namesakes(sources: Sources) -> Iterator[str]:
    """
    Classes that have the name of a class of another module, a leading underscore apart.

    Messages of wires are left out: documents give their names.
    """
    seen: dict[str, str] = {}
    for module, text in sources.items():
        if not module.endswith(".messages"):
            for node in _outline(text):
                if seen.setdefault(node.name.lstrip("_"), module) != module:
                    yield f"{module}.{node.name}"


def floors(sources: Sources) -> int:
    """The length of the longest chain of modules that import each other when they are loaded."""
    needs = {
        name: [one.name for one in imports(text, sources) if one.at_top and not one.for_types and one.name in sources]
        for name, text in sources.items()
    }
    known: dict[str, int] = {}

    def height(name: str, way: frozenset[str]) -> int:
        if name not in known:
            below = [height(one, way | {name}) for one in needs[name] if one not in way and one != name]
            known[name] = 1 + max(below, default=0)
        return known[name]

    return max((height(name, frozenset()) for name in sources), default=0)


@cache
def _outline(text: str) -> tuple[ast.ClassDef, ...]:
    """The classes of a module, at any depth."""
    return tuple(node for node in statements(parsed(text)) if isinstance(node, ast.ClassDef))


def folders_of(game: str, sources: Sources) -> Mapping[str, int]:
    """In which folders modules lie that are named after a game, and how many."""
    found: dict[str, int] = {}
    for name in sources:
        parts = name.split(".")
        if any(part.startswith(game) for part in parts[1:]):
            folder = ".".join(parts[:-1])
            found[folder] = found.get(folder, 0) + 1
    return found


GAMES = ("onitama", "stratego", "eriantys", "paper_soccer")


def main(show: Callable[[str], None] = print) -> None:
    package, tests = read_sources("gamehost"), read_sources("tests")
    show(f"{'':40}{'now':>8}{'aim':>8}")
    for figure in shape(package, tests):
        show(f"{figure.words:40}{figure.count:>8}{figure.aim:>8}")
    for game in GAMES:
        show(f"{f'folders with {game}':40}{len(folders_of(game, package)):>8}")
    for circle in circles(package):
        show("circle: " + " -> ".join(circle))


if __name__ == "__main__":
    main()
