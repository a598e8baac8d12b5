"""
Source texts as data: what a module imports, calls and defines, read with `ast` and without importing anything.

Sources are a mapping of dotted module names to texts, so that a check can be tried on a few made-up lines as well as on
the whole package.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[2]

Sources = Mapping[str, str]


@frozen
class Import:
    """One imported module, and how."""

    name: str
    #: Only for the type checker: not there when the program runs.
    for_types: bool
    #: At the top of the module, not within a function.
    at_top: bool


def read_sources(folder: str) -> Sources:
    """All modules under a folder of the checkout."""
    sources = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        sources[name] = path.read_text(encoding="utf-8")
    return sources


@cache
def parsed(text: str) -> ast.Module:
    """A source text as a tree."""
    return ast.parse(text)


def imports(text: str, modules: Sources) -> Iterator[Import]:
    """What a module imports; of `from package import module` the module, where it is one of `modules`."""
    yield from _imports(parsed(text), modules, for_types=False, at_top=True)


def _imports(node: ast.AST, modules: Sources, for_types: bool, at_top: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.name, for_types, at_top)
    elif isinstance(node, ast.ImportFrom):
        package = "." * node.level + (node.module or "")
        for alias in node.names:
            full = f"{package}.{alias.name}"
            is_module = full in modules or full == "twisted.internet.reactor"
            yield Import(full if is_module else package, for_types, at_top)
    at_top = at_top and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    types = isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    for child in ast.iter_child_nodes(node):
        yield from _imports(child, modules, for_types or types, at_top)


def attributes(text: str, name: str, of: str = "") -> int:
    """How often an attribute of this name is used; of something of the name `of` alone, if that is given."""
    count = 0
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Attribute) and node.attr == name:
            owner = node.value
            called = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
            count += not of or called == of
    return count


def attribute_chains(text: str) -> Iterator[list[str]]:
    """Every chain of attributes with its first name: `self.lobby.play` as `["self", "lobby", "play"]`, the longest of each."""
    inner = set()
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Attribute) and node not in inner:
            names, owner = [node.attr], node.value
            while isinstance(owner, ast.Attribute):
                inner.add(owner)
                names.append(owner.attr)
                owner = owner.value
            if isinstance(owner, ast.Name):
                names.append(owner.id)
            yield names[::-1]


def function_lengths(text: str) -> Iterator[tuple[str, int]]:
    """Every function and its lines, from `def` to its last one."""
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def cycle(modules: Sources) -> list[str]:
    """Modules that need each other to be imported, the first one again at the end; empty: there are none."""
    needs = {
        name: sorted(
            {one.name for one in imports(text, modules) if one.at_top and not one.for_types and one.name in modules}
        )
        for name, text in modules.items()
    }
    done: set[str] = set()

    def search(way: list[str]) -> list[str]:
        for needed in needs[way[-1]]:
            if needed in way:
                return [*way[way.index(needed) :], needed]
            if needed not in done and (found := search([*way, needed])):
                return found
        done.add(way[-1])
        return []

    return next((found for name in needs if name not in done and (found := search([name]))), [])
