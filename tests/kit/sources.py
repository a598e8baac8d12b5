"""
Source texts as data: what a module imports, calls and defines, read with `ast` and without importing anything.

Sources are a mapping of dotted module names to texts, so that a check can be tried on a few made-up lines as well as on
the whole package.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[2]

Sources = Mapping[str, str]


@frozen
class Import:
    name: str
    #: Only for the type checker: not there when the program runs.
    for_types: bool
    #: At the top of the module, not within a function.
    at_top: bool


def read_sources(folder: str) -> Sources:
    sources = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        sources[name] = path.read_text(encoding="utf-8")
    return sources


@frozen
class _RawImport:
    """An import as it is written: `from package import name` may import a module or a name in one."""

    full: str
    #: Of `from package import name` the package.
    package: str
    for_types: bool
    at_top: bool


@frozen
class _Facts:
    """What the checks ask about a source text. The tree of all texts takes 270 MiB, this a few."""

    imports: Sequence[_RawImport]
    functions: Sequence[tuple[str, int]]


def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node, and what holds some of them. Expressions, which are most of a tree, are not looked at."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield node
            yield from statements(node)


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: Sequence[str]) -> int:
    """The lines of a function without its docstring and without those that are comments alone, which explain it."""
    last = function.end_lineno or function.lineno
    comments = sum(line.lstrip().startswith("#") for line in lines[function.lineno : last])
    first = function.body[0]
    explained = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    docstring = (first.end_lineno or 0) - first.lineno + 1 if explained else 0
    return last - function.lineno + 1 - comments - docstring


@cache
def _facts(text: str) -> _Facts:
    tree = parsed(text)
    functions, lines = [], text.splitlines()
    for node in statements(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            functions.append((node.name, _length(node, lines)))
    written = [*_imports(tree, for_types=False, at_top=True)]
    return _Facts(written, functions)


def imports(text: str, modules: Sources) -> Iterator[Import]:
    """What a module imports; of `from package import module` the module, where it is one of `modules`."""
    for raw in _facts(text).imports:
        is_module = raw.full in modules or raw.full == "twisted.internet.reactor"
        yield Import(raw.full if is_module else raw.package, raw.for_types, raw.at_top)


def _imports(node: ast.AST, for_types: bool, at_top: bool) -> Iterator[_RawImport]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield _RawImport(alias.name, alias.name, for_types, at_top)
    elif isinstance(node, ast.ImportFrom):
        package = "." * node.level + (node.module or "")
        for alias in node.names:
            yield _RawImport(f"{package}.{alias.name}", package, for_types, at_top)
    at_top = at_top and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    types = isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from _imports(child, for_types or types, at_top)


def attributes(text: str, name: str, of: str = "") -> int:
    return sum(
        name == attribute and (not of or owner == of)
        for chain in attribute_chains(text)
        for owner, attribute in pairwise(chain)
    )


@frozen
class _Expressions:
    chains: Sequence[Sequence[str]]
    #: Of each call the arguments by position, and whether some of them are `*(a, b)`.
    calls: Sequence[tuple[int, bool]]


def attribute_chains(text: str) -> Sequence[Sequence[str]]:
    """
    Every chain of attributes: `self.lobby.play` as `["self", "lobby", "play"]`, the longest of each. One that does not begin
    with a name, as `f().lobby.play` does not, has an empty first part.
    """
    return _expressions(text).chains


def calls(text: str) -> Sequence[tuple[int, bool]]:
    """Of each call with an argument by position how many there are, and whether some of them are written `*(a, b)`."""
    return _expressions(text).calls


@cache
def _expressions(text: str) -> _Expressions:
    inner, chains, called = set(), [], []
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Attribute) and node not in inner:
            names, owner = [node.attr], node.value
            while isinstance(owner, ast.Attribute):
                inner.add(owner)
                names.append(owner.attr)
                owner = owner.value
            names.append(owner.id if isinstance(owner, ast.Name) else "")
            chains.append(names[::-1])
        elif isinstance(node, ast.Call) and node.args:
            stars = [one.value for one in node.args if isinstance(one, ast.Starred)]
            called.append((len(node.args), any(isinstance(one, ast.Tuple) for one in stars)))
    return _Expressions(chains, called)


def function_lengths(text: str) -> Iterator[tuple[str, int]]:
    """Every function and its lines, from `def` to its last one, without its docstring and comments."""
    yield from _facts(text).functions


def definitions(text: str) -> Iterator[str]:
    """The functions, classes and values at the top of a module, and those of its classes as `Class.name`."""
    for node in parsed(text).body:
        for name in _defined(node):
            yield name
            yield from (f"{name}.{inner}" for one in getattr(node, "body", ()) for inner in _defined(one))


def _defined(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name))


def has_docstring(text: str) -> bool:
    return re.match(r'(\s|#.*\n)*r?"', text) is not None


def cycle(modules: Sources) -> list[str]:
    """Modules that need each other to be imported, the first one again at the end; empty: there are none."""
    return next(iter(circles(modules, loaded=True)), [])


def circles(modules: Sources, loaded: bool = False) -> list[list[str]]:
    """
    Groups of modules that import each other: of each group one way around, the first module again at its end.

    :param loaded: count only what is imported when a module is loaded; otherwise imports within functions and for types, too
    """
    needs = {
        name: sorted(
            {
                one.name
                for one in imports(text, modules)
                if one.name in modules and one.name != name and not (loaded and (one.for_types or not one.at_top))
            }
        )
        for name, text in modules.items()
    }
    return [_way_around(group, needs) for group in _groups(needs) if len(group) > 1]


def _groups(needs: Mapping[str, Sequence[str]]) -> Iterator[set[str]]:
    """The strongly connected components, by Tarjan's algorithm."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(name: str) -> Iterator[set[str]]:
        number[name] = low[name] = len(number)
        stack.append(name)
        for needed in needs[name]:
            if needed not in number:
                yield from visit(needed)
            if needed in stack:
                low[name] = min(low[name], low[needed])
        if low[name] == number[name]:
            at = stack.index(name)
            yield set(stack[at:])
            del stack[at:]

    for name in needs:
        if name not in number:
            yield from visit(name)


def _way_around(group: set[str], needs: Mapping[str, Sequence[str]]) -> list[str]:
    """The shortest way from the first module of a group back to it."""
    first = min(group)
    ways = [[first]]
    seen: set[str] = set()
    for way in ways:
        for needed in needs[way[-1]]:
            if needed == first:
                return [*way, first]
            if needed in group and needed not in seen:
                seen.add(needed)
                ways.append([*way, needed])
    raise AssertionError("a group has a way around")
