"""
The settings, read again: what can change while the host runs changes, and the rest is named. A module of its own, because a
host needs it at its start, and the other commands when they are given.

Connections and matches that are there go on as they began. The command line has priority, as at the start.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace
from twisted.python.usage import UsageError

from gamehost.admin.server import Facts, NotDone
from gamehost.config import HostSettings, Options, declared_settings
from gamehost.ops.escaping import shortened
from gamehost.service import GameHostService
from gamehost.settings import Reload


def reloading(options: Options) -> Callable[[GameHostService], Facts]:
    """
    What reads the settings of a host again, and uses what can change. It raises `NotDone` if the file cannot be used; then
    nothing has changed.

    :param options: as of the start
    """
    reloads = {name: one.reload for name, one in {**declared_settings(options.registry), **options.declared}.items()}
    #: What is used, by the full names.
    in_use = dict(options.settings.values)

    def reload(host: GameHostService) -> Facts:
        try:
            settings = options.reread().settings
        except UsageError as error:
            raise NotDone(shortened(str(error))) from None
        names = sorted(in_use.keys() | settings.values.keys())
        different = [name for name in names if settings.values.get(name) != in_use.get(name)]
        used = (Reload.USED,) if host.house is None else (Reload.USED, Reload.WITH_HOUSE)
        changed = {name: settings.values.get(name) for name in different if reloads[name] in used}
        if changed:
            _use(host, settings, changed)
        in_use.update(changed)
        return {"changed": [*changed], "need_a_restart": [name for name in different if name not in changed]}

    return reload


def _use(host: GameHostService, settings: HostSettings, changed: Mapping[str, Any]) -> None:
    """Use new values. Only those that can change are among them."""
    lobby, values = host.context.lobby, settings.values
    _use_limits(host, {name.removeprefix("limits."): changed[name] for name in changed if name.startswith("limits.")})
    lobby.settings = lobby.remote.settings = settings.games
    lobby.galleries.delays = settings.watch_delays
    if host.house is not None:
        lobby.house.rules = settings.house
    lobby.context.grace = values["grace"]
    lobby.registry.resume = values["resume"]
    host.profile = values["profile"]
    for site in host.sites:
        site.access = replace(site.access, origins=values["web-origin"])


def _use_limits(host: GameHostService, changed: Mapping[str, Any]) -> None:
    context, lobby = host.context, host.context.lobby
    limits = context.limits = context.limits.changed(**changed)
    context.limiter.change(limits)
    context.http_limiter.change(limits)
    lobby.waiting_tables.most, lobby.waiting_tables.patience = limits.waiting_tables
    lobby.new_matches.limit(limits.new_matches)
    lobby.galleries.limit(*limits.most_watchers)
    lobby.spectators.questions.limits = limits.asked
    lobby.seats.most_sleeping = limits.sleeping_tables
    lobby.remote.limits = limits.remote
    lobby.registry.keyless_wait = limits.keyless_resume_seconds
