"""
All settings of a host: of its limits, games, wires and pages, by their full names, and sorted by their owners.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from attrs import define, field, fields

from gamehost.limits import PROFILES, Limits
from gamehost.plugins import REGISTRY, Registry
from gamehost.settings import BadOption, Settings, seconds
from gamehost.web.settings import OPTIONS as WEB_OPTIONS
from gamehost.web.settings import reveals

#: Old name of a setting -> its new name. The old names still work, and the log says so.
RENAMED: Mapping[str, str] = {"limits.open": "limits.unlimited"}


#: A setting of each game, beside those that the game itself has.
WATCH_DELAY = "watch_delay"

#: A setting of each game: as the option `--house`, for this game.
HOUSE = "house"


class Chosen(Protocol):
    """The options of a host, by their names."""

    registry: Registry

    def __getitem__(self, name: str, /) -> Any: ...


def described_settings(registry: Registry = REGISTRY) -> Mapping[str, str]:
    """Every setting by its full name, with its unit and default in words."""
    described = {f"limits.{limit.name}": _limit_words(limit) for limit in fields(Limits)}
    described |= {f"web.{name}": words for name, words in WEB_OPTIONS.items()}
    for wire in registry.wires:
        for game in wire.games:
            described |= {f"{game.name}.{name}": words for name, words in game.options.items()}
            described[f"{game.name}.{WATCH_DELAY}"] = (
                "seconds by which those who watch see everything later than players (0)"
            )
            described[f"{game.name}.{HOUSE}"] = "seconds as for --house, in this game alone (as --house)"
        described |= {f"{wire.name}.{name}": words for name, words in wire.options.items()}
    return described


def _limit_words(limit: Any) -> str:
    default = (
        {True: "yes", False: "no"}.get(limit.default, limit.default) if limit.name == "unlimited" else limit.default
    )
    return f"{limit.metadata['words']}; default {default}"


@define
class SortedSettings:
    """Settings by their owner, without the prefix."""

    limits: dict[str, str] = field(factory=dict)
    games: dict[str, dict[str, str]] = field(factory=dict)
    wires: dict[str, dict[str, str]] = field(factory=dict)
    #: Of each game, in seconds.
    watch_delays: dict[str, float] = field(factory=dict)
    #: After how many seconds a house player comes, by game.
    house: dict[str, float] = field(factory=dict)
    #: Of the pages.
    web: dict[str, str] = field(factory=dict)

    @classmethod
    def sort(cls, options: Chosen) -> "SortedSettings":
        """
        The settings in these options, sorted and checked.

        :raises BadOption: one is unknown or cannot be used
        """
        registry = options.registry
        known = described_settings(registry)
        settings = cls(limits=dict(PROFILES[options["profile"]]))
        settings.games = {name: {"move_time": options["move-time"]} for name in registry.games}
        settings.house = dict.fromkeys(registry.games, options["house"])
        strictly = {"strict": "yes"} if options["strict"] else {}
        settings.wires = {wire.name: dict(strictly) if "strict" in wire.options else {} for wire in registry.wires}
        for given_name, text in options["set"].items():
            full_name = RENAMED.get(given_name, given_name)
            if full_name not in known:
                raise BadOption(f"{full_name}: unknown setting; see --help")
            owner, _, name = full_name.partition(".")
            if owner == "limits":
                settings.limits[name] = text
            if owner == "web":
                settings.web[name] = text
            if owner in registry.games and name in registry.games[owner].options:
                settings.games[owner][name] = text
            if owner in registry.games and name == WATCH_DELAY:
                settings.watch_delays[owner] = seconds(full_name, text)
            if owner in registry.games and name == HOUSE:
                settings.house[owner] = seconds(full_name, text)
            for wire in registry.wires:
                if wire.name == owner and name in wire.options:
                    settings.wires[owner][name] = text
        settings.check(registry)
        return settings

    def check(self, registry: Registry) -> None:
        """
        :raises BadOption: a setting cannot be used; the message has its full name
        """
        checks: list[tuple[str, Callable[[Settings], object], Settings]] = [
            ("limits", Limits.read, self.limits),
            ("web", reveals, self.web),
        ]
        checks += [(name, registry.games[name].check, settings) for name, settings in self.games.items()]
        checks += [(wire.name, wire.configure, self.wires[wire.name]) for wire in registry.wires]
        for owner, check, settings in checks:
            try:
                check(settings)
            except BadOption as error:
                raise BadOption(f"{owner}.{error}") from None
