"""
The options and settings of a host, from the command line and from a file, checked before anything is opened.

The host's own options are methods of `Options`. Each wire adds an option with its name, and one for each of its flags.
"""

import errno
import os
import stat
import textwrap
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn, Protocol

from attrs import define, field, fields
from twisted.logger import Logger
from twisted.python import usage

from gamehost import __version__
from gamehost.commands.asking import socket_beside
from gamehost.commands.printing import exit_with_usage_error, print_text
from gamehost.limits import PROFILES, Limits
from gamehost.lobby.house import LEVELS, HouseRules
from gamehost.lobby.sessions import ResumePolicy
from gamehost.net.haproxy import proxy_network
from gamehost.ops.logging import FORMATS, Log, log_for
from gamehost.players.base import Level
from gamehost.plugins import REGISTRY, Registry
from gamehost.settings import BadOption, Settings, from_to, one_of, seconds, yes_or_no
from gamehost.web.access import web_origin
from gamehost.web.settings import OPTIONS as WEB_OPTIONS
from gamehost.web.settings import reveals
from gamehost.wires.base import Wire

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


#: Where the pages for browsers are by default.
WEB = "tcp:8080:interface=127.0.0.1"

#: Bytes that a file with options may have. The largest useful one has every setting and a comment on each.
LARGEST_FILE = 65_536
#: Dots that a line of it may have: the time to read a name is the square of its parts.
MOST_DOTS = 1_000
#: Tables within each other that a setting may stand in. No setting has so many parts.
MOST_TABLES = 8

#: The host's options without a value. Each flag of a wire is one, too.
FLAGS = frozenset({"strict", "accept-loss"})


class Options(usage.Options):
    """
    What `twistd gamehost` takes. Once parsed, it holds a checked value under the name of each option.

    :param registry: the wires that can be served
    """

    _logger = Logger()

    longdesc = "The host's own wires listen on this machine alone unless told otherwise."

    def __new__(cls, registry: Registry = REGISTRY) -> "Options":
        # Twisted reads options from the methods of a class. So each registry gets a class of its own, and none is changed.
        return super().__new__(type(cls.__name__, (cls,), _options_of_wires(registry)))

    def __init__(self, registry: Registry = REGISTRY) -> None:
        super().__init__()
        self.registry = registry
        self.update({"store": "gamehost.sqlite", "grace": 60.0, "move-time": "3600", "strict": False})
        self.update({"accept-loss": False, "admin": None, "profile": "public"})
        self.update({"cluster": None, "cluster-address": None, "cluster-ca": None})
        self.update({"house": 20.0, "house-level": Level.EASY, "house-processes": 1})
        self.update({"resume": ResumePolicy.SAME_ADDRESS, "set": {}, "log-format": "text", "trusted-proxy": ()})
        self.update({"web": [WEB], "web-origin": (), "metrics": ()})
        self.update({wire.name: registry.default_endpoints(wire) for wire in registry.wires})
        self._given: dict[str, Any] = {}
        #: Where the process logs to; `None`: to something that `twistd` or `twist` made.
        self.log: Log | None = None

    def parseOptions(self, options: Sequence[str] | None = None) -> None:
        """
        Read a command line.

        :raises UsageError: it cannot be used
        :raises SystemExit: the same under `twistd` and `twist`, which would print the whole help text
        """
        try:
            super().parseOptions(options)
        except usage.UsageError as error:
            if self.parent is None:
                raise
            exit_with_usage_error(error)

    def parseArgs(self, *words: str) -> None:
        """
        :raises UsageError: there is a word that is no option
        """
        if words:
            raise usage.UsageError(f"unexpected word {words[0]!r}; expected options alone")

    def opt_help(self) -> NoReturn:
        """Display this help and exit."""
        print_text(f"{self}\n")
        raise SystemExit

    def opt_version(self) -> NoReturn:
        """Display the version of gamehost and exit."""
        print_text(f"gamehost {__version__}\n")
        raise SystemExit

    def opt_store(self, path: str) -> None:
        """File or postgresql:// address for journal and accounts; memory: keep nothing [default: gamehost.sqlite]"""
        self._given["store"] = path

    def opt_cluster(self, listener: str) -> None:
        """Be one of several hosts on one PostgreSQL, and listen here for the others: tcp:HOST:PORT, tls:... or unix:PATH"""
        self._given["cluster"] = listener

    def opt_cluster_address(self, address: str) -> None:
        """Where the other hosts of the cluster reach this one, if that is not where it listens"""
        self._given["cluster-address"] = address

    def opt_cluster_ca(self, path: str) -> None:
        """File with the certificates that those of all hosts of the cluster come from; for --cluster=tls:..."""
        self._given["cluster-ca"] = Path(path)

    def opt_admin(self, path: str) -> None:
        """The socket for gamehost admin; empty: none [default: STORE.admin; none with --store=memory]"""
        self._given["admin"] = path

    def opt_grace(self, text: str) -> None:
        """Seconds for which the seat of a lost player is kept; 0: it is not kept [default: 60]"""
        self._given["grace"] = _checked(seconds, "--grace", text)

    def opt_move_time(self, text: str) -> None:
        """Seconds for one decision; a player who takes longer loses; 0: no limit [default: 3600]"""
        _checked(seconds, "--move-time", text)
        self._given["move-time"] = text

    def opt_resume(self, policy: str) -> None:
        """From where a guest may take a seat again: same-address, any or never [default: same-address]"""
        choices = one_of(*(choice.value for choice in ResumePolicy))
        self._given["resume"] = ResumePolicy(_checked(choices, "--resume", policy))

    def opt_profile(self, name: str) -> None:
        """Limits for one address: public, or class for a private network; --set has priority [default: public]"""
        self._given["profile"] = _checked(one_of(*PROFILES), "--profile", name)

    def opt_strict(self) -> None:
        """Send only messages of the wires' documents, without extensions"""
        self._given["strict"] = True

    def opt_accept_loss(self) -> None:
        """Start although records in the store are lost or damaged, and go on without them"""
        self._given["accept-loss"] = True

    def opt_house(self, text: str) -> None:
        """Seconds until somebody who waits alone gets a house player; 0: never, as with --strict [default: 20]"""
        self._given["house"] = _checked(seconds, "--house", text)

    def opt_house_level(self, name: str) -> None:
        """Level of house players that come unasked: random, easy, medium or hard [default: easy]"""
        self._given["house-level"] = Level(_checked(one_of(*LEVELS), "--house-level", name))

    def opt_house_processes(self, text: str) -> None:
        """Processes in which house players think [default: 1]"""
        self._given["house-processes"] = _checked(from_to(1, 64), "--house-processes", text)

    def opt_trusted_proxy(self, text: str) -> None:
        """Address or network of a proxy that is believed; repeatable [default: none; at haproxy: endpoints, this machine]"""
        self._given.setdefault("trusted-proxy", []).append(_checked(proxy_network, "--trusted-proxy", text))

    def opt_web(self, endpoint: str) -> None:
        """Pages for browsers: an endpoint to listen on; repeatable; empty: off [default: tcp:8080:interface=127.0.0.1]"""
        self._given.setdefault("web", []).append(endpoint)

    def opt_web_origin(self, text: str) -> None:
        """Origin of the pages under a name, such as https://games.example.org; repeatable [default: none]"""
        self._given.setdefault("web-origin", []).append(_checked(web_origin, "--web-origin", text))

    def opt_metrics(self, endpoint: str) -> None:
        """Metrics for Prometheus: an endpoint to listen on; repeatable; needs gamehost[metrics] [default: off]"""
        self._given.setdefault("metrics", []).append(endpoint)

    def opt_log_format(self, name: str) -> None:
        """Format of the log: text or json [default: text]"""
        self._given["log-format"] = _checked(one_of(*FORMATS), "--log-format", name)

    def opt_set(self, assignment: str) -> None:
        """NAME=VALUE: a setting of a wire or a game, or a limit; repeatable; see the list below"""
        name, equals, value = assignment.partition("=")
        if not equals:
            raise usage.UsageError(f"--set: expected NAME=VALUE, got {assignment!r}")
        self._given.setdefault("set", {})[name.strip()] = value.strip()

    def opt_config(self, path: str) -> None:
        """A TOML file with these options, and settings in a table [set]; the command line takes precedence"""
        self._given["config"] = path

    def postOptions(self) -> None:
        """
        Combine the command line, the file and the defaults, and check them.

        :raises UsageError: an option or a setting cannot be used
        """
        if "config" in self._given:
            self._given["config"] = str(Path(self._given["config"]).absolute())  # a daemon changes its folder
        self._combine()
        try:
            self.log = log_for(self.parent, self["log-format"])
        except OSError as error:
            raise usage.UsageError(f"--logfile: {error.filename}: {error.strerror}") from None
        for name in RENAMED.keys() & self["set"].keys():
            self._logger.warn("{old} is now called {new}; the old name still works", old=name, new=RENAMED[name])
        for rejected in self.registry.rejected:
            self._logger.warn("{rejected}", rejected=rejected)

    def reread(self) -> "Options":
        """
        The options of the same command line, with the file as it is now.

        :raises UsageError: an option or a setting cannot be used
        """
        again = Options(self.registry)
        again._given = self._given
        again._combine()
        return again

    def _combine(self) -> None:
        given = self._given
        if "config" in given:
            from_file = Options(self.registry)
            repeatable = {wire.name for wire in self.registry.wires} | {"metrics", "trusted-proxy", "web", "web-origin"}
            for name, text in _read_config(Path(given["config"]), repeatable):
                from_file.take(name, text)
            both = {**from_file._given.get("set", {}), **given.get("set", {})}
            given = {**from_file._given, **given, "set": both}
        self.update(given)
        if any(self["metrics"]) and find_spec("prometheus_client") is None:
            raise usage.UsageError("--metrics needs the package prometheus-client: pip install 'gamehost[metrics]'")
        try:
            SortedSettings.sort(self)
        except BadOption as error:
            raise usage.UsageError(f"--set {error}") from None

    def take(self, name: str, text: str) -> None:
        """
        Set one option by its name.

        :raises UsageError: there is no such option, or its text cannot be used
        """
        option = getattr(self, _method_name(name), None)
        if option is None or name in ("config", "help", "version"):
            raise usage.UsageError(f"--config: unknown option {name!r}")
        if name not in FLAGS.union(*(wire.flags for wire in self.registry.wires)):
            option(text)
        elif _checked(yes_or_no, name, text):
            option()

    def getSynopsis(self) -> str:
        """The forms of the command."""
        return "Usage: gamehost run [options]\n   or: twistd [options of twistd] gamehost [options]\n"

    def getUsage(self, width: int | None = None) -> str:
        """The options, and every setting with its unit and default."""
        lines = [super().getUsage(width), "Settings, for --set:"]
        for name, words in sorted(described_settings(self.registry).items()):
            lines += textwrap.wrap(f"{name}: {words}", 100, initial_indent="  ", subsequent_indent="      ")
        lines += [f"Note: {rejected}" for rejected in self.registry.rejected]
        return "\n".join(lines) + "\n"


def _options_of_wires(registry: Registry) -> dict[str, Callable[..., None]]:
    """Method name -> method, for every option that a wire adds."""
    methods: dict[str, Callable[..., None]] = {}
    for wire in registry.wires:
        default = registry.default_endpoints(wire)
        methods[_method_name(wire.name)] = _endpoint_option(wire, default[0] if default else "off")
        methods |= {_method_name(name): _flag_option(wire, name) for name in wire.flags}
        methods |= {_method_name(name): _value_option(wire, name) for name in wire.values}
    return methods


def _method_name(option: str) -> str:
    return "opt_" + option.replace("-", "_")


def _endpoint_option(wire: Wire[Any], default: str) -> Callable[[Options, str], None]:
    def option(self: Options, endpoint: str) -> None:
        self._given.setdefault(wire.name, []).append(endpoint)

    option.__doc__ = f"{wire.title}: an endpoint to listen on; repeatable; empty: off [default: {default}]"
    return option


def _flag_option(wire: Wire[Any], name: str) -> Callable[[Options], None]:
    def option(self: Options) -> None:
        self.opt_set(f"{wire.name}.{name}=yes")

    option.__doc__ = f"{wire.title}: the same as --set {wire.name}.{name}=yes"
    return option


def _value_option(wire: Wire[Any], name: str) -> Callable[[Options, str], None]:
    def option(self: Options, text: str) -> None:
        self.opt_set(f"{wire.name}.{name}={text}")

    option.__doc__ = f"{wire.title}: the same as --set {wire.name}.{name}=TEXT"
    return option


def _checked(read: Callable[[str, str], Any], name: str, text: str) -> Any:
    try:
        return read(name, text)
    except BadOption as error:
        raise usage.UsageError(str(error)) from None


def _text_of(path: Path) -> str:
    """
    The text of a file with options. A host that runs reads it again, so this neither waits nor takes much memory.

    :raises OSError: the file cannot be read
    :raises ValueError: it is no file with options: a pipe or a device, too large, or not UTF-8
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe without a writer is opened at once
    with open(descriptor, "rb") as file:
        if stat.S_ISDIR(mode := os.fstat(descriptor).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise ValueError("this is a pipe or a device; expected a file")
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ValueError(f"the file is too large; expected at most {LARGEST_FILE} bytes")
    text = data.decode("utf-8")
    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        raise ValueError(f"a line has more than {MOST_DOTS} dots")
    return text


def _read_config(path: Path, repeatable: Collection[str]) -> Iterator[tuple[str, str]]:
    """
    The names and texts of the options in a file.

    :param repeatable: the options that can have several values, as a list
    :raises UsageError: the file cannot be read, or has a table that is unknown
    """
    try:
        content = tomllib.loads(_text_of(path))
    except OSError as error:
        raise usage.UsageError(f"--config: {path}: {error.strerror}") from None
    except ValueError as error:
        raise usage.UsageError(f"--config: {path}: {error}") from None
    except RecursionError:
        raise usage.UsageError(f"--config: {path}: tables or lists are nested too deep") from None
    for name, value in content.items():
        if name == "set" and isinstance(value, dict):
            for setting, text in _flat(value):
                yield "set", f"{setting}={text}"
        elif isinstance(value, list) and (name not in repeatable or any(isinstance(one, list | dict) for one in value)):
            expected = "a list of texts" if name in repeatable else "one value"
            raise usage.UsageError(f"--config: {path}: {name}: expected {expected}, got {value}")
        elif isinstance(value, dict):
            raise usage.UsageError(f"--config: {path}: unknown table [{name}]; settings stand under [set]")
        else:
            for one in value if isinstance(value, list) else [value]:
                if "\0" in str(one):  # a command line cannot hold it, and no path
                    raise usage.UsageError(f"--config: {path}: {name}: the character NUL is not allowed")
                yield name, str(one)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Settings as `game.name`. A file may write them in this form, or as nested tables."""
    if prefix.count(".") > MOST_TABLES:
        raise usage.UsageError("--config: set: tables are nested too deep")
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, list):
            raise usage.UsageError(f"--config: {prefix}{name}: expected one value, got {value}")
        else:
            yield prefix + name, str(value)


def admin_path(options: Options) -> Path | None:
    """Where the socket for `gamehost admin` is; `None`: there is none."""
    given: str | None = options["admin"]
    if given is None:
        return socket_beside(options["store"])
    return Path(given) if given else None


def house_rules(options: Options) -> HouseRules:
    """Which house players there are, as the options say."""
    settings = SortedSettings.sort(options)
    tables = Limits.read(settings.limits).most_house_tables
    return HouseRules({} if options["strict"] else settings.house, options["house-level"], *tables)
