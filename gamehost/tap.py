"""
The one place where the parts are put together: options, and the service they make.

Adding a game or a wire is adding a folder and a line in `WIRES`.
"""

import gc
import os
import sys
import textwrap
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from attrs import define, field, fields
from twisted.internet.interfaces import IStreamServerEndpoint
from twisted.logger import Logger
from twisted.python import usage

from gamehost.accounts import Accounts
from gamehost.backroom import BackRoom
from gamehost.bell import Bell
from gamehost.desk import Desk
from gamehost.endpoints import Endpoints
from gamehost.host import Host, Listener
from gamehost.journal import Store
from gamehost.limits import Doorkeeper, Limits
from gamehost.lobby import Lobby
from gamehost.logs import FORMATS, Log, log_for
from gamehost.options import BadOption, Settings, one_of, seconds, yes_or_no
from gamehost.proxied import LOOPBACK, proxy_network
from gamehost.session import Resume, Roster
from gamehost.storage.accounts import SqliteAccounts
from gamehost.storage.memory import MemoryAccounts, MemoryJournal
from gamehost.storage.sqlite import SqliteJournal, open_journal
from gamehost.supervisor import Supervisor, allow_files, heed_signals, room_for_connections
from gamehost.table import House
from gamehost.watchdog import Watchdog
from gamehost.wire import Cork, Premises, Wire
from gamehost.wires.eriantys_json.factory import WIRE as ERIANTYS_JSON
from gamehost.wires.onitama_pipes.factory import WIRE as ONITAMA_PIPES
from gamehost.wires.paper_soccer_xml.factory import WIRE as PAPER_SOCCER_XML
from gamehost.wires.stratego_frames.factory import WIRE as STRATEGO_FRAMES
from gamehost.wires.stratego_lines.factory import WIRE as STRATEGO_LINES

WIRES: Sequence[Wire[Any]] = (STRATEGO_LINES, STRATEGO_FRAMES, ERIANTYS_JSON, ONITAMA_PIPES, PAPER_SOCCER_XML)

GAMES = {wire.game.name: wire.game for wire in WIRES}

#: Options without a value.
FLAGS = {"strict", "accept-loss", *(name for wire in WIRES for name in wire.flags)}

#: Seconds after which a thread that waits for the interpreter gets it: under a flood an acknowledgement took 150 to 800 ms
#: with Python's own 0.005, and 15 to 40 with this.
SWITCH_EVERY = 0.0002


class Options(usage.Options):
    """What `twistd gamehost` takes. Once parsed, it holds a checked value under the name of each option."""

    synopsis = "[options]"
    longdesc = "All five wires listen on this machine alone unless told otherwise."

    def __init__(self) -> None:
        super().__init__()
        self.update({"store": "gamehost.sqlite", "grace": 60.0, "move-time": "0", "strict": False})
        self["accept-loss"] = False
        self.update({"resume": Resume.SAME_ADDRESS, "set": {}, "log-format": "text", "trusted-proxy": LOOPBACK})
        self.update({wire.name: [wire.endpoint] for wire in WIRES})
        self._given: dict[str, Any] = {}
        #: Where the process logs to; `None`: to something that `twistd` or `twist` made.
        self.log: Log | None = None

    def opt_store(self, path: str) -> None:
        """The SQLite file of journal and accounts; `memory`: keep nothing [default: gamehost.sqlite]"""
        self._given["store"] = path

    def opt_grace(self, text: str) -> None:
        """Seconds for which a lost player's seat is kept; 0: not at all [default: 60]"""
        self._given["grace"] = _checked(seconds, "--grace", text)

    def opt_move_time(self, text: str) -> None:
        """Seconds for one decision; 0: no limit [default: 0]"""
        _checked(seconds, "--move-time", text)
        self._given["move-time"] = text

    def opt_resume(self, policy: str) -> None:
        """Who may take a guest's seat back: same-address, any or never [default: same-address]"""
        choices = one_of(*(choice.value for choice in Resume))
        self._given["resume"] = Resume(_checked(choices, "--resume", policy))

    def opt_strict(self) -> None:
        """Documented messages only, on every wire"""
        self._given["strict"] = True

    def opt_accept_loss(self) -> None:
        """Start with a store that has lost or damaged records, and go on without them"""
        self._given["accept-loss"] = True

    def opt_trusted_proxy(self, text: str) -> None:
        """A proxy, by address or network, that haproxy: endpoints believe; repeatable [default: this machine]"""
        self._given.setdefault("trusted-proxy", []).append(_checked(proxy_network, "--trusted-proxy", text))

    def opt_log_format(self, name: str) -> None:
        """How the log's lines look: text or json [default: text]"""
        self._given["log-format"] = _checked(one_of(*FORMATS), "--log-format", name)

    def opt_set(self, assignment: str) -> None:
        """NAME=VALUE: a setting of a wire, a game or a limit; repeatable; all are listed below"""
        name, equals, value = assignment.partition("=")
        if not equals:
            raise usage.UsageError(f"--set: expected NAME=VALUE, got {assignment!r}")
        self._given.setdefault("set", {})[name.strip()] = value.strip()

    def opt_config(self, path: str) -> None:
        """A TOML file with the same options, and settings in a table [set]; the command line wins"""
        self._given["config"] = path

    def postOptions(self) -> None:
        """
        Put the file, the command line and the defaults together, and check them.

        :raises UsageError: an option or a setting cannot be used
        """
        given = self._given
        if "config" in given:
            from_file = type(self)()
            for name, text in _read_config(Path(given["config"])):
                from_file.take(name, text)
            given["set"] = {**from_file._given.get("set", {}), **given.get("set", {})}
            given = {**from_file._given, **given}
        self.update(given)
        try:
            _Settings.sort(self)
        except BadOption as error:
            raise usage.UsageError(f"--set {error}") from None
        self.log = log_for(self.parent, self["log-format"])

    def take(self, name: str, text: str) -> None:
        """
        One option by its name.

        :raises UsageError: there is no such option, or it cannot be used
        """
        option = getattr(self, "opt_" + name.replace("-", "_"), None)
        if option is None or name == "config":
            raise usage.UsageError(f"--config: unknown option {name!r}")
        if name not in FLAGS:
            option(text)
        elif _checked(yes_or_no, name, text):
            option()

    def getUsage(self, width: int | None = None) -> str:
        """The options, and every setting with its unit and default."""
        lines = [super().getUsage(width), "Settings, for --set:"]
        for name, words in sorted(described_settings().items()):
            lines += textwrap.wrap(f"{name}: {words}", 100, initial_indent="  ", subsequent_indent="      ")
        return "\n".join(lines) + "\n"


def _endpoint_option(wire: Wire[Any]) -> Callable[[Options, str], None]:
    def option(self: Options, endpoint: str) -> None:
        self._given.setdefault(wire.name, []).append(endpoint)

    option.__doc__ = f"{wire.title}: an endpoint to listen on; repeatable; empty: off [default: {wire.endpoint}]"
    return option


def _flag_option(wire: Wire[Any], name: str) -> Callable[[Options], None]:
    def option(self: Options) -> None:
        self.opt_set(f"{wire.name}.{name}=yes")

    option.__doc__ = f"{wire.title}: the same as --set {wire.name}.{name}=yes"
    return option


for _wire in WIRES:
    setattr(Options, "opt_" + _wire.name.replace("-", "_"), _endpoint_option(_wire))
    for _name in _wire.flags:
        setattr(Options, "opt_" + _name, _flag_option(_wire, _name))


def _checked(read: Callable[[str, str], Any], name: str, text: str) -> Any:
    try:
        return read(name, text)
    except BadOption as error:
        raise usage.UsageError(str(error)) from None


def _read_config(path: Path) -> Iterator[tuple[str, str]]:
    """
    Option names and texts, as on a command line.

    :raises UsageError: the file cannot be read, or says something that is not an option
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise usage.UsageError(f"--config: {path}: {error}") from None
    for name, value in content.items():
        if name == "set" and isinstance(value, dict):
            for setting, text in _flat(value):
                yield "set", f"{setting}={text}"
        elif isinstance(value, dict):
            raise usage.UsageError(f"--config: {path}: unknown table [{name}]; settings stand under [set]")
        else:
            for one in value if isinstance(value, list) else [value]:
                yield name, str(one)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Settings as `game.name`, whether they are written so or as tables in the table."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, str(value)


def described_settings() -> Mapping[str, str]:
    """Every setting by its full name, with its unit and default in words."""
    described = {f"limits.{limit.name}": _limit_words(limit) for limit in fields(Limits)}
    for wire in WIRES:
        described |= {f"{wire.game.name}.{name}": words for name, words in wire.game.options.items()}
        described |= {f"{wire.name}.{name}": words for name, words in wire.options.items()}
    return described


def _limit_words(limit: Any) -> str:
    default = {True: "yes", False: "no"}.get(limit.default, limit.default) if limit.name == "open" else limit.default
    return f"{limit.metadata['words']}; default {default}"


@define
class _Settings:
    """Settings by whom they are for, without the prefix."""

    limits: dict[str, str] = field(factory=dict)
    games: dict[str, dict[str, str]] = field(factory=dict)
    wires: dict[str, dict[str, str]] = field(factory=dict)

    @classmethod
    def sort(cls, options: Mapping[str, Any]) -> "_Settings":
        """
        The settings in these options, sorted and checked.

        :raises BadOption: one is unknown or cannot be used
        """
        known = described_settings()
        settings = cls()
        settings.games = {name: {"move_time": options["move-time"]} for name in GAMES}
        settings.wires = {wire.name: {"strict": "yes"} if options["strict"] else {} for wire in WIRES}
        for full_name, text in options["set"].items():
            if full_name not in known:
                raise BadOption(f"{full_name}: unknown setting; see --help")
            owner, _, name = full_name.partition(".")
            if owner == "limits":
                settings.limits[name] = text
            if owner in GAMES and name in GAMES[owner].options:
                settings.games[owner][name] = text
            for wire in WIRES:
                if wire.name == owner and name in wire.options:
                    settings.wires[owner][name] = text
        settings.check()
        return settings

    def check(self) -> None:
        """
        :raises BadOption: a setting cannot be used; the message has its full name
        """
        checks: list[tuple[str, Callable[[Settings], object], Settings]] = [("limits", Limits.read, self.limits)]
        checks += [(name, GAMES[name].check, settings) for name, settings in self.games.items()]
        checks += [(wire.name, wire.script, self.wires[wire.name]) for wire in WIRES]
        for owner, check, settings in checks:
            try:
                check(settings)
            except BadOption as error:
                raise BadOption(f"{owner}.{error}") from None


def makeService(options: Options) -> Host:
    """
    A host as the options say, on the reactor of this process. Opens nothing yet.

    :raises SystemExit: an endpoint is not one
    """
    from twisted.internet import reactor as this_reactor

    reactor: Any = this_reactor
    # Twisted counts time on the wall clock, which people and daemons set. Nothing is scheduled yet that would notice.
    reactor.seconds = time.monotonic
    # The journal's thread needs the interpreter several times for each commit. With the usual 5 ms it waits so long each time
    # when the reactor is busy, and every acknowledgement with it.
    sys.setswitchinterval(SWITCH_EVERY)
    # What was imported stays: looking through it for garbage would stop everybody for 30 to 40 ms, now and again.
    gc.freeze()
    allow_files()
    endpoints = Endpoints(reactor, options["trusted-proxy"])
    try:
        host = make_host(options, reactor, endpoints=endpoints)
    except usage.UsageError as error:
        _refuse_to_start(str(error))  # `twistd` shows it with all the calls that it came through
    host.supervisor = Supervisor.of(os.environ, os.getpid())
    host.watchdog = Watchdog()
    log = [] if options.log is None else [options.log.reopen]
    heed_signals(reactor.callFromThread, [*log, *endpoints.reloads])
    return host


def make_host(
    options: Options, reactor: Any, broken: Callable[[str], None] | None = None, endpoints: Endpoints | None = None
) -> Host:
    """
    A host on any reactor.

    :param endpoints: makes its endpoints, as a rule by the options
    :param broken: called with the reason when the host must not go on; as a rule it ends the process
    :raises UsageError: an endpoint is not one
    """
    settings = _Settings.sort(options)
    limits = Limits.read(settings.limits)
    fail = broken or _end_process
    back_room = BackRoom(reactor)
    endpoints = endpoints or Endpoints(reactor, options["trusted-proxy"])

    def furnish() -> tuple[Premises, Store]:
        cork = Cork()
        store = _open_store(options, limits, reactor, cork, fail)
        accounts: Accounts = SqliteAccounts(store) if isinstance(store, SqliteJournal) else MemoryAccounts()
        roster = Roster(options["resume"], lambda key: accounts.find(key) is not None)
        desk = Desk(accounts, roster.is_guest, reactor, back_room, limits, cork)
        house = House(reactor, store, options["grace"], suspended=Bell(reactor, fail).suspended)
        lobby = Lobby(house, roster, settings.games, *limits.waiting_tables, desk=desk)
        door = Doorkeeper(limits, room_for_connections(limits.connections))
        return Premises(reactor, lobby, limits, door, cork), store

    listeners = [
        Listener(description, _endpoint(endpoints, wire, description), wire, settings.wires[wire.name])
        for wire in WIRES
        for description in options[wire.name]
        if description
    ]
    return Host(GAMES, listeners, furnish, _refuse_to_start, fail, back_room)


def _open_store(options: Options, limits: Limits, reactor: Any, cork: Cork, fail: Callable[[str], None]) -> Store:
    if options["store"] == "memory":
        return MemoryJournal()
    return open_journal(
        Path(options["store"]),
        reactor.callFromThread,
        lambda reason: fail(f"{options['store']}: {reason}"),
        accept_loss=options["accept-loss"],
        # One address may start the host as often as it may do anything else when all rates are lifted.
        guard=not limits.open,
        group=lambda: cork,
        after_turn=partial(reactor.callLater, 0),
    )


def _endpoint(endpoints: Endpoints, wire: Wire[Any], description: str) -> IStreamServerEndpoint:
    try:
        return endpoints.make(description)
    except BadOption as error:
        raise usage.UsageError(f"--{wire.name}: {description!r} is not an endpoint: {error}") from None


def _refuse_to_start(reason: str) -> NoReturn:
    """End with a message and a status that is not 0, under `twistd` as well: it passes this exception on."""
    raise SystemExit(f"gamehost: {reason}")


def _end_process(reason: str) -> NoReturn:
    """
    End now, with a message and a status that is not 0.

    Nothing is rolled back and nobody is told: what is durable is true, and the next start goes on from it. An orderly
    stop would take its time over clients and files that cannot be trusted any more.
    """
    Logger("gamehost").critical("the host ends: {reason}", reason=reason)
    with suppress(OSError, ValueError, AttributeError):  # closed, or full: then the log alone has it
        sys.__stderr__.write(f"gamehost: the host ends: {reason}\n")  # type: ignore[union-attr]
        sys.__stderr__.flush()  # type: ignore[union-attr]
    os._exit(70)
