"""
The shape of the package in figures: `make shape` prints them beside their aims.

A figure is a hint where to look, not a judgement. `tests.test_layers` keeps circles of imports out.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from attrs import frozen

from tests.kit.sources import Sources, circles, imports, parsed, read_sources, statements


@frozen
class Figure:
    """One figure of the shape."""

    words: str
    count: int
    #: The figure should not be larger.
    aim: int


def shape(package: Sources, tests: Sources) -> Sequence[Figure]:
    promised = interfaces(package)
    counted = (
        ("files of the package", len(package), 250),
        ("lines of the package", _lines(package), 58_000),
        ("files of the tests", len(tests), 300),
        ("lines of the tests", _lines(tests), 68_000),
        ("circles of imports", len(circles(package)), 0),
        ("floors of imports", floors(package), 14),
        ("modules under 40 lines", sum(1 for text in package.values() if 1 < text.count("\n") < 40), 15),
        ("classes with one public method", len([*with_one_method(package)]), 25),
        ("such that fulfil no interface", len([*with_one_method(package, promised)]), 25),
        ("functions that only call another one", len([*forwarders(package)]), 30),
        ("such that no interface asks for", len([*forwarders(package, promised)]), 30),
    )
    return [Figure(*one) for one in counted]


def _lines(sources: Sources) -> int:
    return sum(text.count("\n") for text in sources.values())


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


def with_one_method(sources: Sources, promised: Sequence[set[str]] = ()) -> Iterator[str]:
    """
    Classes that have one public method, no property and no base: a function might do.

    :param promised: interfaces. A class that fulfils one of them is left out: whoever calls it calls that method
    """
    for name, text in sources.items():
        for node in _outline(text)[0]:
            if node.bases or (promised and any("implementer" in ast.unparse(one) for one in node.decorator_list)):
                continue
            [*public] = (one for one in _methods(node) if not one.name.startswith("_"))
            if len(public) == 1 and not public[0].decorator_list and {public[0].name} not in promised:
                yield f"{name}.{node.name}"


def forwarders(sources: Sources, promised: Sequence[set[str]] = ()) -> Iterator[str]:
    """
    Functions whose only statement calls another function with their own arguments, in their order.

    :param promised: interfaces. What they or Twisted, whose names are in camelCase, call by its name is left out: it cannot go
    """
    for name, text in sources.items():
        for own in _outline(text)[1]:
            if not promised or (own == own.lower() and not any(own in some for some in promised)):
                yield f"{name}.{own}"


@cache
def _outline(text: str) -> tuple[Sequence[ast.ClassDef], Sequence[str]]:
    """The classes, without what their functions do, and the names of the functions that only call another one."""
    found = [*statements(parsed(text))]
    functions = [node for node in found if isinstance(node, ast.FunctionDef)]
    forwarding = [node.name for node in functions if _forwards(node)]
    for node in functions:
        node.body.clear()
    return [node for node in found if isinstance(node, ast.ClassDef)], forwarding


def _methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    return (one for one in node.body if isinstance(one, ast.FunctionDef))


def interfaces(sources: Sources) -> Sequence[set[str]]:
    """The names of the methods of each `typing.Protocol` of the package."""
    found = []
    for text in sources.values():
        if not any(one.name == "typing.Protocol" for one in imports(text, {"typing.Protocol": ""})):
            continue  # Twisted has a class of this name, too
        for node in _outline(text)[0]:
            if any(ast.unparse(base).partition("[")[0] == "Protocol" for base in node.bases):
                found.append({one.name for one in _methods(node) if not one.name.startswith("_")})
    return found


def _forwards(node: ast.FunctionDef) -> bool:
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr):
        return False
    call = body[0].value
    if not isinstance(call, ast.Call) or call.keywords or node.decorator_list:
        return False
    own = [argument.arg for argument in node.args.args if argument.arg not in ("self", "cls")]
    return own == [argument.id if isinstance(argument, ast.Name) else "" for argument in call.args]


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
