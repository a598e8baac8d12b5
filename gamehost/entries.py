"""
The parts that packages offer through entry points. A part is found by group and name, and imported at its first use.

The groups:

- `gamehost.games` and `gamehost.wires`: see `gamehost.games.installed` and `gamehost.plugins`
- `gamehost.stores`: a kind of store that is no file, a `gamehost.storage.databases.StoreKind` under the scheme of its name
- `gamehost.verbs`: a subcommand of `gamehost`, a `Verb`
- `gamehost.clients`: how a program speaks a wire, a `gamehost.programs.clients.WireClient` under the wire's name
- `gamehost.checks`: the judges of the programs of a wire, a `gamehost.programs.clients.Judges` under the wire's name

This package offers its own parts in the same way, and other packages cannot take their names away.
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

#: The group of the subcommands.
VERBS = "gamehost.verbs"


class PartUnusable(Exception):
    """A part that an entry point names cannot be used. The message says why."""


def imported(where: str) -> Callable[..., Any]:
    """
    A part that a start does not need. It is imported when it is called for.

    :param where: `module:NAME` of a class or a function, which is called then, or of a value, which is returned
    """
    found = cache(partial(resolve_name, where))

    def part(*arguments: Any, **named: Any) -> Any:
        it = found()
        return it(*arguments, **named) if callable(it) else it

    return part


@frozen
class Verb:
    """A subcommand. The module of its entry point is imported for `gamehost --help`, so it imports little itself."""

    #: Its lines in `gamehost --help`: its form and its purpose.
    usage: str
    #: Does what the words behind the verb say, and returns the exit status: `main(words, wires, reactor)`.
    main: Callable[..., int]
    #: The words that can follow it, for completion in a shell. It is called with the wires.
    words: Callable[..., Sequence[str]] = lambda wires: ()
    #: The modules of other packages that it needs, and what installs them.
    needs: Mapping[str, str] = {}

    def missing(self) -> str | None:
        """The packages that the verb lacks, in words; `None`: it lacks none."""
        found = {install: None for module, install in self.needs.items() if find_spec(module) is None}
        return f"needs more: pip install {' '.join(found)}" if found else None


@cache
def entries_of(group: str) -> Sequence[EntryPoint]:
    """
    The entry points of a group: first those of this package, then those of others by the alphabet.

    To look for them takes some milliseconds, so it is done once.
    """
    return sorted(entry_points(group=group), key=lambda one: (not is_own(one), one.name, one.value))


def is_own(entry: EntryPoint) -> bool:
    """Whether this package offers it."""
    return entry.value.startswith("gamehost.")


def offered(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group by name. Of several with one name the first one counts."""
    found: dict[str, EntryPoint] = {}
    for entry in entries_of(group):
        found.setdefault(entry.name, entry)
    return found


@contextmanager
def importing(entry: EntryPoint) -> Iterator[None]:
    """
    A context in which what an entry point names is imported.

    :raises PartUnusable: it cannot be
    """
    try:
        yield
    # A module of another package may raise anything while it is imported, and may even try to end the process.
    except (Exception, SystemExit) as error:
        words = " ".join(str(error).split())
        raise PartUnusable(f"{entry.value} cannot be imported: {type(error).__name__}: {words}") from error


def loaded(group: str, name: str, kind: type[T]) -> T | None:
    """
    The part that a package offers under this name; `None`: no package does.

    :param kind: the type that the part must have
    :raises PartUnusable: it cannot be imported, or is something else
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
