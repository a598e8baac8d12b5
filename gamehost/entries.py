"""
Finds the parts that packages offer through entry points. A part is found by its group and name, and imported when it is
first used.

The groups:

- `gamehost.games` and `gamehost.wires`: see `gamehost.games.installed` and `gamehost.plugins`
- `gamehost.stores`: a kind of store that is not a file, a `gamehost.storage.databases.StoreKind`; its name is the
  scheme of such stores
- `gamehost.verbs`: a subcommand of `gamehost`, a `Verb`
- `gamehost.clients`: the client of a wire, a `gamehost.programs.clients.WireClient`, with the name of the wire
- `gamehost.checks`: the judges of the programs of a wire, a `gamehost.programs.clients.Judges`, with the name of the
  wire

This package offers its own parts in the same way. If another package uses the same name, the part of this package
counts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import Any, TypeVar

from attrs import frozen

T = TypeVar("T")

#: The group of the subcommands of `gamehost`.
VERBS = "gamehost.verbs"


class PartUnusable(Exception):
    """A part that an entry point names cannot be used. The message is the reason."""


def imported(where: str) -> Callable[..., Any]:
    """
    Make a function that imports a part only when it is called, so that a start does not import it.

    :param where: `module:NAME` of a class or a function, which is called with the arguments, or of a value, which is
        returned
    """
    found = cache(partial(resolve_name, where))

    def part(*arguments: Any, **named: Any) -> Any:
        it = found()
        return it(*arguments, **named) if callable(it) else it

    return part


@frozen
class Verb:
    """
    A subcommand of `gamehost`. The module of its entry point is imported for `gamehost --help`, so it should import
    little itself.
    """

    #: The lines in `gamehost --help`: how the subcommand is written, and what it does.
    usage: str
    #: Runs the subcommand with the words after its name, and returns the exit status: `main(words, wires, reactor)`.
    main: Callable[..., int]
    #: Returns the words that can follow, for completion in a shell. Called with the wires.
    words: Callable[..., Sequence[str]] = lambda wires: ()
    #: The modules of other packages that the subcommand needs, each with what `pip install` needs to install it.
    needs: Mapping[str, str] = {}

    def missing(self) -> str | None:
        """A text about missing packages, with a command that installs them; `None`: nothing is missing."""
        found = {install: None for module, install in self.needs.items() if find_spec(module) is None}
        return f"needs more: pip install {' '.join(found)}" if found else None


@cache
def entries_of(group: str) -> Sequence[EntryPoint]:
    """
    The entry points of a group: first those of this package, then those of others, sorted by name. The search takes
    some milliseconds, so it is done once.
    """
    return sorted(entry_points(group=group), key=lambda one: (not is_own(one), one.name, one.value))


def is_own(entry: EntryPoint) -> bool:
    """Whether this package offers the entry point."""
    return entry.value.startswith("gamehost.")


def offered(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name. If several have the same name, the first one counts."""
    found: dict[str, EntryPoint] = {}
    for entry in entries_of(group):
        found.setdefault(entry.name, entry)
    return found


@contextmanager
def importing(entry: EntryPoint) -> Iterator[None]:
    """
    A context for importing the part that an entry point names.

    :raises PartUnusable: the part cannot be imported
    """
    try:
        yield
    # A module of another package may raise any error while it is imported, and may even try to end the process.
    except (Exception, SystemExit) as error:
        words = " ".join(str(error).split())
        raise PartUnusable(f"{entry.value} cannot be imported: {type(error).__name__}: {words}") from error


def loaded(group: str, name: str, kind: type[T]) -> T | None:
    """
    Import the part that a package offers with this name, and return it; `None`: no package offers one.

    :param kind: the type that the part must have
    :raises PartUnusable: the part cannot be imported, or has another type
    """
    entry = offered(group).get(name)
    if entry is None:
        return None
    with importing(entry):
        part = entry.load()
    if not isinstance(part, kind):
        raise PartUnusable(
            f"{entry.value} has the type {type(part).__name__}; expected a {kind.__module__}.{kind.__name__}"
        )
    return part
