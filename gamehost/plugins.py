"""
The wires that are installed, found through entry points, and the games that they bring.

A package offers a wire by an entry point in the group `gamehost.wires`: `name = module:TOKEN`, where the token is a
`gamehost.wires.base.Wire` of the same name. The host's own wires are found in the same way. A wire that cannot be used is
left out, with a sentence that says why, and the others go on.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from attrs import Factory, evolve, field, frozen

from gamehost.games.base import Game
from gamehost.games.installed import NAME, NAME_WORDS, installed
from gamehost.games.installed import RESERVED as RESERVED_OWNERS
from gamehost.options import HOST, OTHERS
from gamehost.wires.base import API, Wire

GROUP = "gamehost.wires"

#: Options of the host itself. A wire, or an option of a wire, that had one of these names would replace it.
RESERVED = HOST.keys() | OTHERS


@frozen
class Rejected:
    """An entry point that is not used."""

    #: The entry point's name, and the package that has it: `gomoku of gamehost-gomoku`.
    source: str
    #: A sentence without its full stop.
    reason: str
    what: str = "wire"

    def __str__(self) -> str:
        return f"the {self.what} {self.source} is left out: {self.reason}"


class _Unusable(Exception):
    """This wire cannot be used. The message says why."""


@frozen
class Registry:
    """Wires and games by name."""

    #: The wires of this package, in the order of their ports; they listen unless they are switched off.
    own: Sequence[Wire[Any]] = ()
    #: The wires of other packages, by name; they listen when they are asked to.
    others: Sequence[Wire[Any]] = ()
    rejected: Sequence[Rejected] = ()
    #: Game name -> game, for the wires above.
    games: Mapping[str, Game[Any, Any]] = field(
        init=False,
        default=Factory(lambda self: {game.name: game for wire in self.wires for game in wire.games}, takes_self=True),
    )

    @property
    def wires(self) -> Sequence[Wire[Any]]:
        return (*self.own, *self.others)

    def default_endpoints(self, wire: Wire[Any]) -> list[str]:
        """Where a wire listens unless the options say otherwise."""
        return [wire.endpoint] if wire in self.own else []


def find_wires(entries: Iterable[EntryPoint] | None = None) -> Registry:
    """
    Load every wire that is installed.

    :param entries: the entry points to load; by default those of all installed packages
    """
    if entries is None:
        entries = entry_points(group=GROUP)
    own: list[Wire[Any]] = []
    others: list[Wire[Any]] = []
    rejected: list[Rejected] = []
    # The host's own come first: no other package can take their names away.
    for entry in sorted(entries, key=lambda one: (not _is_own(one), one.name, one.value)):
        try:
            wire = _load(entry)
            _check_names(wire, [*own, *others])
        except _Unusable as error:
            rejected.append(Rejected(_source(entry), str(error)))
        else:
            (own if _is_own(entry) else others).append(wire)
    return Registry(
        tuple(sorted(own, key=lambda wire: int(wire.endpoint.split(":")[1]))), tuple(others), tuple(rejected)
    )


def _is_own(entry: EntryPoint) -> bool:
    return entry.value.startswith("gamehost.")


def _source(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist is not None else entry.value
    return f"{entry.name!r} of {package}"


def _load(entry: EntryPoint) -> Wire[Any]:
    try:
        wire = entry.load()
    # A module of another package may raise anything while it is imported, and may even try to end the process.
    except (Exception, SystemExit) as error:
        words = " ".join(str(error).split())
        raise _Unusable(f"{entry.value} cannot be imported: {type(error).__name__}: {words}") from error
    if not isinstance(wire, Wire):
        raise _Unusable(f"{entry.value} is a {type(wire).__name__}; expected a gamehost.wires.base.Wire")
    if wire.api != API:
        raise _Unusable(f"it was written for version {wire.api} of the plug-in interface; this host has version {API}")
    if wire.name != entry.name:
        raise _Unusable(f"the entry point is called {entry.name!r} and its wire {wire.name!r}; expected the same name")
    return wire


def _check_names(wire: Wire[Any], known: Sequence[Wire[Any]]) -> None:
    """
    :raises _Unusable: a name is malformed, or taken
    """
    taken = {name for other in known for name in (other.name, *other.flags, *other.values)}
    for name in (wire.name, *wire.flags, *wire.values):
        if not NAME.fullmatch(name):
            raise _Unusable(f"{name!r} is not a name for an option; {NAME_WORDS}")
        if name in RESERVED:
            raise _Unusable(f"--{name} is an option of the host; expected another name")
        if name in taken:
            raise _Unusable(f"--{name} is an option of another wire; expected another name")
        taken.add(name)
    if unknown := {*wire.flags, *wire.values} - set(wire.options):
        raise _Unusable(f"its flag {min(unknown)!r} is not among its options")
    if not wire.games:
        raise _Unusable("it serves no game")
    if RESERVED_OWNERS & {wire.name, *(game.name for game in wire.games)}:
        raise _Unusable("settings that begin with 'limits.' or 'web.' are the host's; expected another name")
    games = {game.name: game for other in known for game in other.games}
    for game in wire.games:
        if not NAME.fullmatch(game.name):
            raise _Unusable(f"{game.name!r} is not a name for a game; {NAME_WORDS}")
        if games.setdefault(game.name, game) is not game:
            raise _Unusable(f"another game is called {game.name!r}; expected another name")


#: What is installed. Read once: packages that are installed later are found by the next start.
_WIRES = find_wires()
_GAMES = [Rejected(repr(name), why, "game") for name, why in installed().rejected.items()]
REGISTRY = evolve(_WIRES, rejected=(*_WIRES.rejected, *_GAMES))
#: The host's own wires.
WIRES = REGISTRY.own
#: The games of the host's own wires.
GAMES: Mapping[str, Game[Any, Any]] = Registry(WIRES).games
