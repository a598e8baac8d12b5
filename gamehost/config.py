"""
Reads the options and settings of a host from the command line and from a file, and checks them before anything is
opened.

Options and settings are declared in `gamehost.plugins` and `gamehost.limits`. Each wire adds an option with its name,
and one for each of its flags.
"""

import errno
import os
import stat
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from attrs import frozen
from twisted.logger import Logger
from twisted.python import usage

from gamehost import __version__
from gamehost.commands.command_line import exit_with_usage_error, print_text, socket_beside
from gamehost.games.play import missing_in_others
from gamehost.limits import FORMER, LIMITS, PROFILES, Limits
from gamehost.lobby.house import HouseRules
from gamehost.ops.logging import Log, log_for
from gamehost.plugins import GAME, HOST, PAGES, REGISTRY, Registry
from gamehost.settings import BadOption, Reload, Setting, Settings, setting, settings_of, yes_or_no
from gamehost.wires.base import Wire

T = TypeVar("T")

#: The new names of settings, by their old names. The old names still work; the log has a warning then.
RENAMED: Mapping[str, str] = {"limits.open": "limits.unlimited"}


def declared_settings(registry: Registry = REGISTRY) -> Mapping[str, Setting]:
    """
    Every setting for `--set`, by its full name. If a wire and a game have the same name, they share the settings that
    both have.
    """
    declared = {f"limits.{name}": limit for name, limit in LIMITS.items()}
    declared |= {f"web.{name}": one for name, one in PAGES.items()}
    # `None` as default: the wire or the game has the default value itself.
    for wire in registry.wires:
        for game in wire.games:
            own = {name: Setting(None, words, reload=Reload.USED) for name, words in game.options.items()}
            declared |= {f"{game.name}.{name}": one for name, one in {**own, **GAME}.items()}
        declared |= {f"{wire.name}.{name}": Setting(None, words) for name, words in wire.options.items()}
    return declared


def declared_options(registry: Registry = REGISTRY) -> Mapping[str, Setting]:
    """Every option of the host, including an option for the endpoints of each wire, by name."""
    wires = {}
    for wire in registry.wires:
        default = registry.default_endpoints(wire)
        words = f"{wire.title}: an endpoint to listen on; repeatable; empty: off"
        wires[wire.name] = Setting(default, words, many=True, default_words=default[0] if default else "off")
    notifiers = {name: one for kind in registry.notifiers for name, one in kind.options.items()}
    return {**HOST, **notifiers, **wires}


@frozen
class HostSettings:
    """The checked settings of a host, sorted by what they are for."""

    limits: Limits
    #: The settings of games as texts, by the name of the game and the name of the setting.
    games: Mapping[str, Settings]
    #: The settings of wires as texts, by the name of the wire and the name of the setting.
    wires: Mapping[str, Settings]
    #: The delays of watchers in seconds, by the names of games that have a delay.
    watch_delays: Mapping[str, float]
    house: HouseRules
    #: Whether records of finished matches show what was hidden during the match.
    reveals: bool
    #: All values, by the full names of settings and by the names of the other options.
    values: Mapping[str, Any]

    @classmethod
    def of(cls, options: "Options") -> "HostSettings":
        """
        The settings in these options.

        :raises BadOption: a setting is unknown or cannot be used; the message has its full name
        """
        registry, known = options.registry, declared_settings(options.registry)
        # Refuse unknown settings.
        given = {RENAMED.get(name, name): text for name, text in options["set"].items()}
        for name in given:
            if name not in known:
                former = FORMER.get(name.removeprefix("limits.")) if name.startswith("limits.") else None
                words = "unknown setting; see --help" if former is None else f"no longer a setting: {former}"
                raise BadOption(f"{name}: {words}")
        # The settings of each wire and game, checked by the wire or the game.
        wires, strictly = {}, {"strict": "yes"} if options["strict"] else {}
        # The result of `configure` and `check` is not used: they raise `BadOption` if the settings are wrong.
        for wire in registry.wires:
            wires[wire.name] = settings_of(wire.name, given, wire.options, **strictly)
            _named(wire.name, wire.configure, wires[wire.name])
        games = {}
        for name, game in registry.games.items():
            games[name] = settings_of(name, given, game.options, move_time=options["move-time"])
            _named(name, game.check, games[name])
        # The settings that the host adds to each game.
        delays, house = (
            {
                game: GAME[name].read(f"{game}.{name}", given[f"{game}.{name}"])
                for game in registry.games
                if f"{game}.{name}" in given
            }
            for name in ("watch_delay", "house")
        )
        # The option `--house` is for all games; a setting of one game replaces it.
        house = dict.fromkeys(registry.games, options["house"]) | house
        limits = _named("limits", Limits.read, {**PROFILES[options["profile"]], **settings_of("limits", given, LIMITS)})
        reveal = PAGES["reveal"]
        revealed = setting(given, "web.reveal", reveal.default, reveal.read)
        # All values by their full names, for a later reload.
        values = {name: value for name, value in options.items() if name not in ("set", "config", "move-time", "house")}
        values |= {f"limits.{name}": getattr(limits, name) for name in LIMITS} | {"web.reveal": revealed}
        for owner, texts in (*games.items(), *wires.items()):
            values |= {f"{owner}.{name}": text for name, text in texts.items()}
        values |= {f"{game}.watch_delay": delays.get(game, 0.0) for game in games}
        values |= {f"{game}.house": seconds for game, seconds in house.items()}
        most = limits.house_tables, limits.most("house_tables_per_address")
        # House players are programs of this host, and are not part of the strict wires.
        rules = HouseRules({} if options["strict"] else house, options["house-level"], *most)
        return cls(
            limits, games, wires, watch_delays=delays, house=rules, reveals=revealed == "finished", values=values
        )


def _named(owner: str, check: Callable[[Settings], T], settings: Settings) -> T:
    """Run a check of these settings. In an error message, the owner's name is put before the name of the setting."""
    try:
        return check(settings)
    except BadOption as error:
        raise BadOption(f"{owner}.{error}") from None


#: How many bytes a file with options may have. This is enough for every setting with a comment.
LARGEST_FILE = 65_536
#: How many dots a line of the file may have: the time to read a name grows with the square of its parts.
MOST_DOTS = 1_000
#: How many TOML tables may be nested around a setting. No setting has so many parts.
MOST_TABLES = 8


class Options(usage.Options):
    """
    The options of `twistd gamehost`: a mapping with a checked value for the name of each option, after a command line
    was parsed.

    :param registry: the installed wires
    """

    _logger = Logger()

    longdesc = "By default, the host's own wires listen on this machine alone."

    def __new__(cls, registry: Registry = REGISTRY) -> "Options":
        # Twisted finds options in the methods of the class. So make a new class for each registry, instead of changing
        # this one.
        return super().__new__(type(cls.__name__, (cls,), _methods(registry)))

    def __init__(self, registry: Registry = REGISTRY) -> None:
        """Begin with the defaults of all options."""
        super().__init__()
        self.registry = registry
        self.declared = declared_options(registry)
        self.update({name: one.default for name, one in self.declared.items()} | {"set": {}})
        # The options of the command line alone, without the defaults.
        self._given: dict[str, Any] = {}
        #: The log of the process; `None`: a log that `twistd` or `twist` has made is used.
        self.log: Log | None = None
        self._settings: HostSettings | None = None

    @property
    def settings(self) -> HostSettings:
        """The checked settings; the defaults, if no command line was parsed."""
        if self._settings is None:
            self._settings = HostSettings.of(self)
        return self._settings

    def parseOptions(self, options: Sequence[str] | None = None) -> None:
        """
        Read a command line.

        :raises UsageError: the command line cannot be used
        :raises SystemExit: instead of `UsageError` under `twistd` and `twist`, which would print the whole help text
            for it
        """
        try:
            super().parseOptions(options)
        except usage.UsageError as error:
            if self.parent is None:
                # These options are read alone, and not as a part of those of `twistd`.
                raise
            exit_with_usage_error(error)

    def parseArgs(self, *words: str) -> None:
        """
        Refuse words that are not options.

        :raises UsageError: there is such a word
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
        Combine the command line, the file and the defaults, and check the result.

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
        for missing in missing_in_others():
            self._logger.info("{missing}", missing=missing)

    def reread(self) -> "Options":
        """
        Read the file again, and combine it with the same command line. Returns the new options.

        :raises UsageError: an option or a setting cannot be used
        """
        again = Options(self.registry)
        again._given = self._given
        again._combine()
        return again

    def _combine(self) -> None:
        """Combine the command line, the file and the defaults. The command line has priority."""
        given = self._given
        if "config" in given:
            # The options of the file are read as if they were on a command line of their own.
            from_file = Options(self.registry)
            repeatable = {name for name, one in self.declared.items() if one.many}
            for name, text in _read_config(Path(given["config"]), repeatable):
                from_file.take(name, text)
            # `set` has many settings: the command line replaces single ones, and not all of them.
            both = {**from_file._given.get("set", {}), **given.get("set", {})}
            given = {**from_file._given, **given, "set": both}
        self.update(given)
        self.update({name: shifted for name, shifted in self._shifted().items() if name not in given})
        if any(self["metrics"]) and find_spec("prometheus_client") is None:
            raise usage.UsageError("--metrics needs the package prometheus-client: pip install prometheus-client")
        try:
            self._settings = HostSettings.of(self)
        except BadOption as error:
            raise usage.UsageError(f"--set {error}") from None

    def _shifted(self) -> Mapping[str, list[str]]:
        """The default endpoints of each wire and of the pages, with `--shift` added to their ports."""

        def moved(endpoint: str) -> str:
            # An endpoint such as `tcp:4242:interface=127.0.0.1`.
            kind, port, rest = endpoint.split(":", 2)
            return f"{kind}:{int(port) + self['shift']}:{rest}"

        listening = {*(wire.name for wire in self.registry.wires), "web"}
        return {name: [*map(moved, self.declared[name].default)] for name in listening}

    def take(self, name: str, text: str) -> None:
        """
        Set an option from the file.

        :raises UsageError: there is no such option, or its text cannot be used
        """
        option = getattr(self, _method_name(name), None)
        if option is None or name in ("config", "help", "version"):
            raise usage.UsageError(f"--config: unknown option {name!r}")
        declared = self.declared.get(name)
        # An option without a value on the command line is `yes` or `no` in the file.
        if any(name in wire.flags for wire in self.registry.wires) or (declared and declared.read is yes_or_no):
            if _checked(yes_or_no, name, text):
                option()
        else:
            option(text)

    def getSynopsis(self) -> str:
        return "Usage: gamehost run [options]\n   or: twistd [options of twistd] gamehost [options]\n"

    def getUsage(self, width: int | None = None) -> str:
        """The help text: the options, the settings for `--set`, and notes about parts that are left out."""
        lines = [super().getUsage(width), "Settings, for --set:"]
        for name, one in sorted(declared_settings(self.registry).items()):
            default = {True: "yes", False: "no"}[one.default] if isinstance(one.default, bool) else one.default
            # Only limits have their default in this list.
            default = f"; default {default}" if name.startswith("limits.") else ""
            lines += textwrap.wrap(
                f"{name}: {one.words}{default}", 100, initial_indent="  ", subsequent_indent="      "
            )
        lines += [f"Note: {words}" for words in (*self.registry.rejected, *missing_in_others())]
        return "\n".join(lines) + "\n"


def _methods(registry: Registry) -> dict[str, Callable[..., None]]:
    """The methods in which Twisted finds the declared options, by their names."""
    methods = {_method_name(name): _option(name, one) for name, one in declared_options(registry).items()}
    for wire in registry.wires:
        methods |= {_method_name(name): _flag_option(wire, name) for name in wire.flags}
        methods |= {_method_name(name): _value_option(wire, name) for name in wire.values}
    return methods


def _method_name(option: str) -> str:
    return "opt_" + option.replace("-", "_")


def _option(name: str, declared: Setting) -> Callable[..., None]:
    """Make the method of an option."""

    # `--NAME` without a value.
    def flag(self: Options) -> None:
        self._given[name] = True

    def option(self: Options, text: str) -> None:
        """Store the value of an option that has one; a repeatable option adds it to a list."""
        value = _checked(declared.read, f"--{name}", text)
        if declared.many:
            self._given.setdefault(name, []).append(value)
        else:
            self._given[name] = value

    method: Callable[..., None] = flag if declared.read is yes_or_no else option
    default = declared.shown_default
    method.__doc__ = declared.words + (f" [default: {default}]" if default else "")
    return method


def _flag_option(wire: Wire[Any], name: str) -> Callable[[Options], None]:
    """Make the method of an option that sets a setting of a wire to `yes`."""

    def option(self: Options) -> None:
        self.opt_set(f"{wire.name}.{name}=yes")

    option.__doc__ = f"{wire.title}: the same as --set {wire.name}.{name}=yes"
    return option


def _value_option(wire: Wire[Any], name: str) -> Callable[[Options, str], None]:
    """Make the method of an option that sets a setting of a wire to a text."""

    def option(self: Options, text: str) -> None:
        self.opt_set(f"{wire.name}.{name}={text}")

    option.__doc__ = f"{wire.title}: the same as --set {wire.name}.{name}=TEXT"
    return option


def _checked(read: Callable[[str, str], Any], name: str, text: str) -> Any:
    """Read a text with a reader, and turn its error into one for a command line."""
    try:
        return read(name, text)
    except BadOption as error:
        raise usage.UsageError(str(error)) from None


def _text_of(path: Path) -> str:
    """
    Read a file with options. A running host reads it again, so reading must not block or use much memory.

    :raises OSError: the file cannot be read
    :raises ValueError: the file is a pipe or a device, too large, or not UTF-8
    """
    # O_NONBLOCK: opening a pipe without a writer does not block
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        if stat.S_ISDIR(mode := os.fstat(descriptor).st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise ValueError("this is a pipe or a device; expected a file")
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise ValueError(f"the file is too large; expected at most {LARGEST_FILE} bytes")
    # The parser of TOML needs much time for names with very many dots.
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
    import tomllib  # most hosts have no file

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
            # A list is for an option that can be given several times, and has only texts and numbers.
            expected = "a list of texts" if name in repeatable else "one value"
            raise usage.UsageError(f"--config: {path}: {name}: expected {expected}, got {value}")
        elif isinstance(value, dict):
            raise usage.UsageError(f"--config: {path}: unknown table [{name}]; settings stand under [set]")
        else:
            for one in value if isinstance(value, list) else [value]:
                if "\0" in str(one):  # neither an argument of a command nor a path can contain this character
                    raise usage.UsageError(f"--config: {path}: {name}: the character NUL is not allowed")
                yield name, str(one)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The settings with full names such as `game.name`, from nested tables or from names with dots."""
    # Each level adds one dot to the prefix.
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
    """The path of the socket for `gamehost admin`; `None`: the host has no such socket."""
    given: str | None = options["admin"]
    if given is None:
        # The option was not given: the socket is beside the store.
        return socket_beside(options["store"])
    # An empty text switches the socket off.
    return Path(given) if given else None
