"""
Declares the options of a host, and finds the installed wires, with their games, through entry points.

`gamehost.config` and `gamehost.admin` use the tables in this module for the command line, for files, for the help text
and for a reload. Limits are declared in `gamehost.limits`, and the settings of wires and games in their own folders.

A package offers a wire by an entry point in the group `gamehost.wires`: `name = module:TOKEN`, where the token is a
`gamehost.wires.base.Wire` of the same name. A wire that cannot be used is left out, and the log has the reason. The
other wires are served.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from attrs import Factory, evolve, field, frozen

from gamehost.entries import PartUnusable, entries_of, importing, is_own, loaded, offered
from gamehost.games.base import Game
from gamehost.games.installed import NAME, NAME_WORDS, installed
from gamehost.games.installed import RESERVED as RESERVED_OWNERS
from gamehost.limits import PROFILES
from gamehost.lobby.notifiers import NOTIFIERS, NotifierKind
from gamehost.lobby.sessions import ResumePolicy
from gamehost.net.endpoints import proxy_network
from gamehost.ops.logging import FORMATS
from gamehost.players.base import Level
from gamehost.settings import Reload, Setting, as_written, from_to, member_of, one_of, seconds, yes_or_no
from gamehost.wires.base import API, Wire
from gamehost.wires.origins import web_origin

#: The default endpoint of the pages for browsers.
WEB = "tcp:8080:interface=127.0.0.1"


#: The options of the host itself, by name. An option with the reader `yes_or_no` is written without a value on a
#: command line.
HOST: Mapping[str, Setting] = {
    "store": Setting("gamehost.sqlite", "File or postgresql:// address for tables and accounts; memory: store nothing"),
    "cluster": Setting(
        None,
        "Be one of several hosts on one PostgreSQL, and listen here for them: tcp:HOST:PORT, tls:DIR:HOST:PORT or unix:PATH",
    ),
    "cluster-address": Setting(
        None, "Where the other hosts of the cluster reach this one, if that is not where it listens"
    ),
    "cluster-ca": Setting(
        None,
        "File with the certificate that those of all hosts of the cluster come from; for --cluster=tls:...",
        lambda name, text: Path(text),
    ),
    "admin": Setting(
        None,
        "The socket for gamehost admin, which only the user of the host can open; empty: none",
        default_words="STORE.admin; none unless the store is a file",
    ),
    "grace": Setting(
        60.0, "Seconds for which the seat of a disconnected player is kept; 0: it is lost at once", seconds, Reload.USED
    ),
    "move-time": Setting(
        "3600", "Seconds for one decision; a player who takes longer loses; 0: no limit", as_written(seconds)
    ),
    "slow-days": Setting(
        14,
        "The most days for a move; 0: no slow matches",
        from_to(0, 14),
        Reload.USED,
    ),
    "slow-after-start": Setting(
        43_200.0,
        "Seconds after a start in which no slow match ends by time",
        seconds,
        Reload.USED,
    ),
    "resume": Setting(
        ResumePolicy.SAME_ADDRESS,
        "From where a guest may take a seat back: same-address, any or never",
        member_of(ResumePolicy),
        Reload.USED,
    ),
    "profile": Setting(
        "public",
        "Limits for one address: public, or class for a private network; --set has priority",
        one_of(*PROFILES),
        Reload.USED,
    ),
    "strict": Setting(False, "Send only messages of the wires' documents, without extensions", yes_or_no),
    "accept-loss": Setting(
        False, "Start although the store has lost or damaged records, and continue without them", yes_or_no
    ),
    "house": Setting(
        20.0, "Seconds until a player who waits alone gets a house player; 0: never, as with --strict", seconds
    ),
    "house-level": Setting(
        Level.EASY,
        "Level of house players that come unasked: random, easy, medium or hard",
        member_of(Level),
        Reload.WITH_HOUSE,
    ),
    "house-processes": Setting(1, "Processes in which house players think", from_to(1, 64)),
    "trusted-proxy": Setting(
        (),
        "Address or network of a proxy that is believed, by the pages and by haproxy: endpoints; repeatable",
        proxy_network,
        many=True,
        default_words="none; at haproxy: endpoints, this machine",
    ),
    "web": Setting([WEB], "Pages for browsers: an endpoint to listen on; repeatable; empty: off", many=True),
    "shift": Setting(
        0,
        "Added to the port of every wire and of the pages that has no option of its own, so that a second host can run here",
        from_to(0, 40_000),
    ),
    "web-origin": Setting(
        (),
        "Origin of the pages, if people use a name for it, such as https://games.example.org; repeatable",
        web_origin,
        Reload.USED,
        many=True,
    ),
    "metrics": Setting(
        (),
        "Metrics for Prometheus: an endpoint to listen on; repeatable; needs the package prometheus-client",
        many=True,
        default_words="off",
    ),
    "health": Setting(
        (),
        "Health for a load balancer, 200 or 503 with the reason: an HTTP endpoint to listen on; repeatable",
        many=True,
        default_words="off",
    ),
    "log-format": Setting("text", "Format of the log: text or json", one_of(*FORMATS)),
}

#: Options that are not settings.
OTHERS = frozenset({"config", "help", "set", "version"})

#: Settings that the host adds to each game. Their full names begin with the game's name and a dot.
GAME: Mapping[str, Setting] = {
    "watch_delay": Setting(
        0.0, "seconds by which watchers and lists see everything later than the players (0)", seconds, Reload.USED
    ),
    "house": Setting(None, "seconds as for --house, in this game alone (as --house)", seconds, Reload.WITH_HOUSE),
}

#: Settings of the pages. Their full names begin with `web.`.
PAGES: Mapping[str, Setting] = {
    "reveal": Setting(
        "finished",
        "whether records of finished matches show what was hidden in them, and can be studied: finished or never (finished)",
        one_of("finished", "never"),
    ),
}


# The wires that are installed.


GROUP = "gamehost.wires"

#: The wires of the core, in the order of their ports. The dialects of this package come through entry points.
OWN: Mapping[str, str] = {
    "console": "gamehost.wires.console:WIRE",
    "open": "gamehost.wires.open.conversation:WIRE",
    "stratego-lines": "gamehost.wires.stratego_lines:WIRE",
    "stratego-frames": "gamehost.wires.stratego_frames:WIRE",
    "eriantys": "gamehost.wires.eriantys:WIRE",
    "onitama": "gamehost.wires.onitama:WIRE",
    "paper-soccer": "gamehost.wires.paper_soccer:WIRE",
}

#: The names of the host's own options. A wire, or an option of a wire, must not have such a name, because it would
#: replace the option.
RESERVED = HOST.keys() | OTHERS


@frozen
class Rejected:
    """An entry point that the host cannot use, with the reason."""

    #: The name of the entry point and its package, such as `'gomoku' of gamehost-gomoku`.
    source: str
    #: The reason, as a sentence without its full stop.
    reason: str
    what: str = "wire"

    def __str__(self) -> str:
        return f"the {self.what} {self.source} is left out: {self.reason}"


@frozen
class Registry:
    """All wires, games and notifiers that this host can use."""

    #: The wires of this package, in the order of their ports. They listen by default.
    own: Sequence[Wire[Any]] = ()
    #: The wires of other packages, sorted by name. They listen only if an option says so.
    others: Sequence[Wire[Any]] = ()
    rejected: Sequence[Rejected] = ()
    #: The kinds of notifiers, which inform absent players.
    notifiers: Sequence[NotifierKind] = ()
    #: The games of all these wires, by name.
    games: Mapping[str, Game[Any, Any]] = field(
        init=False,
        default=Factory(lambda self: {game.name: game for wire in self.wires for game in wire.games}, takes_self=True),
    )

    @property
    def wires(self) -> Sequence[Wire[Any]]:
        return (*self.own, *self.others)

    def default_endpoints(self, wire: Wire[Any]) -> list[str]:
        """The endpoints of a wire if no option names others."""
        return [wire.endpoint] if wire in self.own else []


def find_wires(entries: Iterable[EntryPoint] | None = None) -> Registry:
    """
    Find the host's own wires, and the wires that entry points name.

    :param entries: the entry points; by default those of all installed packages
    """
    if entries is None:
        entries = entries_of(GROUP)
    # The host's own come first: no other package can take their names away.
    dialects = [entry for name, entry in offered(GROUP).items() if is_own(entry) and name not in OWN]
    own, rejected = _usable(dialects, [resolve_name(where) for where in OWN.values()])
    # The host's own wires that are extras follow, in the order of their default ports.
    own[len(OWN) :] = sorted(own[len(OWN) :], key=lambda wire: int(wire.endpoint.split(":")[1]))
    # Entry points of this package are left out here: a further one would come from an earlier installed version.
    others = sorted((entry for entry in entries if not is_own(entry)), key=lambda one: (one.name, one.value))
    wires, more = _usable(others, own)
    return Registry(tuple(own), tuple(wires[len(own) :]), (*rejected, *more))


def _usable(entries: Iterable[EntryPoint], known: Sequence[Wire[Any]]) -> tuple[list[Wire[Any]], list[Rejected]]:
    """
    Add the wires of entry points to the known wires. Returns all usable wires, and the entry points that are left out.
    """
    wires, rejected = list(known), []
    for entry in entries:
        try:
            wire = _load(entry)
            _check_names(wire, wires)
        except PartUnusable as error:
            rejected.append(Rejected(_source(entry), str(error)))
        else:
            wires.append(wire)
    return wires, rejected


def _source(entry: EntryPoint) -> str:
    package = entry.dist.name if entry.dist is not None else entry.value
    return f"{entry.name!r} of {package}"


def _load(entry: EntryPoint) -> Wire[Any]:
    """
    Import the wire of an entry point.

    :raises PartUnusable: the wire cannot be used
    """
    with importing(entry):
        wire = entry.load()
    if not isinstance(wire, Wire):
        raise PartUnusable(f"{entry.value} is a {type(wire).__name__}; expected a gamehost.wires.base.Wire")
    if wire.api != API:
        raise PartUnusable(
            f"it was written for version {wire.api} of the plug-in interface; this host has version {API}"
        )
    if wire.name != entry.name:
        raise PartUnusable(
            f"the entry point is called {entry.name!r} and its wire {wire.name!r}; expected the same name"
        )
    return wire


def _check_names(wire: Wire[Any], known: Sequence[Wire[Any]]) -> None:
    """
    Check the names of a wire, of its options and of its games.

    :raises PartUnusable: a name is malformed, or something else has it
    """
    taken = {name for other in known for name in (other.name, *other.flags, *other.values)}
    for name in (wire.name, *wire.flags, *wire.values):
        if not NAME.fullmatch(name):
            raise PartUnusable(f"{name!r} is not a name for an option; {NAME_WORDS}")
        if name in RESERVED:
            raise PartUnusable(f"--{name} is an option of the host; expected another name")
        if name in taken:
            raise PartUnusable(f"--{name} is an option of another wire; expected another name")
        taken.add(name)
    if unknown := {*wire.flags, *wire.values} - set(wire.options):
        raise PartUnusable(f"its flag {min(unknown)!r} is not among its options")
    if not wire.games:
        raise PartUnusable("it serves no game")
    if RESERVED_OWNERS & {wire.name, *(game.name for game in wire.games)}:
        raise PartUnusable("settings that begin with 'limits.' or 'web.' are the host's; expected another name")
    games = {game.name: game for other in known for game in other.games}
    for game in wire.games:
        if not NAME.fullmatch(game.name):
            raise PartUnusable(f"{game.name!r} is not a name for a game; {NAME_WORDS}")
        # The same object is allowed: several wires may serve one game.
        if games.setdefault(game.name, game) is not game:
            raise PartUnusable(f"another game is called {game.name!r}; expected another name")


def find_notifiers(wires: Sequence[Wire[Any]]) -> tuple[Sequence[NotifierKind], Sequence[Rejected]]:
    """
    Find the notifiers that entry points name. Also returns those that are left out.

    :param wires: all usable wires. A notifier must not have an option that one of them has
    """
    kinds: list[NotifierKind] = []
    rejected = []
    taken = {name for wire in wires for name in (wire.name, *wire.flags, *wire.values)} | RESERVED
    for name, entry in offered(NOTIFIERS).items():
        try:
            kind = loaded(NOTIFIERS, name, NotifierKind)
            if kind is None or kind.name != name or name not in kind.options:
                raise PartUnusable(f"expected a notifier and an option with the name {name!r}")
            if bad := sorted(one for one in kind.options if one in taken or not NAME.fullmatch(one)):
                raise PartUnusable(f"--{bad[0]} is an option of something else, or no name for one")
        except PartUnusable as error:
            rejected.append(Rejected(_source(entry), str(error), "notifier"))
        else:
            kinds.append(kind)
            # Later notifiers must not have these options.
            taken |= kind.options.keys()
    return kinds, rejected


#: The installed wires and games. They are searched once, so packages that are installed later are found by the next
#: start.
_WIRES = find_wires()
_GAMES = [Rejected(repr(name), why, "game") for name, why in installed().rejected.items()]
_NOTIFIERS, _LEFT_OUT = find_notifiers(_WIRES.wires)
REGISTRY = evolve(_WIRES, rejected=(*_WIRES.rejected, *_GAMES, *_LEFT_OUT), notifiers=_NOTIFIERS)
#: The host's own wires.
WIRES = REGISTRY.own
#: The games of the host's own wires.
GAMES: Mapping[str, Game[Any, Any]] = Registry(WIRES).games
