"""
The command that reads the settings again: what can change while the host runs changes, and the rest is named.

Connections and matches that are there go on as they began. The command line has priority, as at the start.
"""

from collections.abc import Mapping
from typing import Any

from attrs import define, field
from msgspec.structs import replace
from twisted.python.usage import UsageError

from gamehost.admin.server import Facts, NotDone, Request
from gamehost.config import HostSettings, Options, declared_settings
from gamehost.ops.escaping import shortened
from gamehost.service import GameHostService
from gamehost.settings import Reload


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
    _used: Mapping[str, Any] = field(init=False)
    #: What a reload does with each setting.
    _reloads: Mapping[str, Reload] = field(init=False)

    def __attrs_post_init__(self) -> None:
        declared = {**declared_settings(self._options.registry), **self._options.declared}
        self._reloads = {name: one.reload for name, one in declared.items()}
        self._used = self._options.settings.values

    def reload(self, host: GameHostService) -> Facts:
        """
        Use what can change.

        :raises NotDone: the file cannot be used; nothing has changed
        """
        try:
            options = self._options.reread()
        except UsageError as error:
            raise NotDone(shortened(str(error))) from None
        written = options.settings.values
        names = sorted(self._used.keys() | written.keys())
        different = [name for name in names if written.get(name) != self._used.get(name)]
        used = (Reload.USED,) if host.house is None else (Reload.USED, Reload.WITH_HOUSE)
        changed = [name for name in different if self._reloads[name] in used]
        values = {name: written.get(name) for name in changed}
        if changed:
            _use(host, options.settings, values)
        self._used = {**self._used, **values}
        return {"changed": changed, "need_a_restart": [name for name in different if name not in changed]}


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
