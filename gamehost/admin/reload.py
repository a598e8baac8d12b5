"""
The command that reads the settings again: what can change while the host runs changes, and the rest is named.

Connections and matches that are there go on as they began. The command line has priority, as at the start.
"""

from collections.abc import Mapping
from typing import Any

from attrs import define, evolve, field, fields
from msgspec.structs import replace
from twisted.python.usage import UsageError

from gamehost.admin.requests import Facts, NotDone, Request
from gamehost.config import HOUSE, WATCH_DELAY, Options, SortedSettings, house_rules
from gamehost.limits import Limits
from gamehost.ops.escaping import shortened
from gamehost.service import GameHostService

#: Limits that are set for good when the host starts: work and files are shared out by them.
LIMITS_OF_THE_START = frozenset(
    {
        "unlimited",
        "connections",
        "http_connections",
        "header_connections",
        "header_connections_per_address",
        "password_work",
        "log_ins_waiting",
        "guesses_per_minute",
    }
    | {
        "known_guesses_per_minute",
        "failures_per_hour",
        "guest_names_per_hour",
        "accounts_per_address",
        "accounts_per_hour",
        "free_space",
    }
)

#: Options that can change. `move-time` and `house` stand for the settings of all games.
OPTIONS = frozenset({"grace", "resume", "web-origin", "profile", "house-level"})

#: The same, if there are house players.
_OF_HOUSE = frozenset({"house-level", "limits.house_tables", "limits.house_tables_per_address"})


def reload_settings(host: GameHostService, request: Request) -> Facts:
    """Read the file with the settings again, and use what can change."""
    return host.reload(host)


@define(eq=False)
class Reloader:
    """
    The settings of a host, as they are used and as they are written.

    :param options: as of the start
    """

    _options: Options
    #: What is used, by the full names.
    _used: dict[str, Any] = field(init=False)

    #: The names of all settings of wires. A wire can have the name of a game.
    _of_wires: frozenset[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        wires = self._options.registry.wires
        self._of_wires = frozenset(f"{wire.name}.{name}" for wire in wires for name in wire.options)
        self._used = _values(self._options)

    def reload(self, host: GameHostService) -> Facts:
        """
        Use what can change.

        :raises NotDone: the file cannot be used; nothing has changed
        """
        try:
            options = self._options.reread()
        except UsageError as error:
            raise NotDone(shortened(str(error))) from None
        written = _values(options)
        names = sorted(self._used.keys() | written.keys())
        different = [name for name in names if written.get(name) != self._used.get(name)]
        changed = [name for name in different if self._can_change(name, host)]
        _use(host, options, {name: written.get(name) for name in changed})
        self._used |= {name: written.get(name) for name in changed}
        fixed = [name for name in different if name not in changed]
        return {"changed": changed, "need_a_restart": fixed}

    def _can_change(self, name: str, host: GameHostService) -> bool:
        owner, _, setting = name.partition(".")
        if name in _OF_HOUSE or setting == HOUSE:
            return host.house is not None
        if owner == "limits":
            return setting not in LIMITS_OF_THE_START
        if owner not in host.games or name in self._of_wires:
            return name in OPTIONS
        return setting in host.games[owner].options or setting == WATCH_DELAY


def _values(options: Options) -> dict[str, Any]:
    """What the options say, by the full names of settings and the names of all other options."""
    settings = SortedSettings.sort(options)
    covered = {"set", "config", "move-time", "house"}
    values = {name: value for name, value in options.items() if name not in covered}
    limits = Limits.read(settings.limits)
    values |= {f"limits.{limit.name}": getattr(limits, limit.name) for limit in fields(Limits)}
    values |= {f"{game}.{name}": text for game, given in settings.games.items() for name, text in given.items()}
    values |= {f"{wire}.{name}": text for wire, given in settings.wires.items() for name, text in given.items()}
    values |= {f"{game}.{HOUSE}": seconds for game, seconds in settings.house.items()}
    values |= {f"{game}.{WATCH_DELAY}": settings.watch_delays.get(game, 0.0) for game in settings.games}
    values |= {f"web.{name}": text for name, text in settings.web.items()}
    return values


def _use(host: GameHostService, options: Options, changed: Mapping[str, Any]) -> None:
    """Use new values. Only those that can change are among them."""
    if not changed:
        return
    lobby, settings = host.context.lobby, SortedSettings.sort(options)
    _use_limits(host, {name.removeprefix("limits."): changed[name] for name in changed if name.startswith("limits.")})
    lobby.settings = lobby.remote.settings = settings.games
    lobby.galleries.delays = settings.watch_delays
    if host.house is not None:
        lobby.house.rules = house_rules(options)
    lobby.context.grace = options["grace"]
    lobby.registry.resume = options["resume"]
    host.profile = options["profile"]
    for site in host.sites:
        site.access = replace(site.access, origins=options["web-origin"])


def _use_limits(host: GameHostService, changed: Mapping[str, Any]) -> None:
    context, lobby = host.context, host.context.lobby
    limits = context.limits = evolve(context.limits, **changed)
    context.limiter.change(limits)
    context.http_limiter.change(limits)
    lobby.waiting_tables.most, lobby.waiting_tables.patience = limits.waiting_tables
    lobby.new_matches.limit(limits.new_matches)
    lobby.galleries.limit(*limits.most_watchers)
    lobby.spectators.questions.limits = limits.asked
    lobby.seats.sleeping.most = limits.sleeping_tables
    lobby.remote.limits = limits.remote
    lobby.registry.keyless_wait = limits.keyless_resume_seconds
