"""
The one place where the parts are put together: from options to the service that they describe.
"""

import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from twisted.internet.interfaces import IStreamServerEndpoint
from twisted.logger import Logger
from twisted.python import usage

from gamehost._twisted import use_monotonic_clock
from gamehost.accounts.login import LoginService
from gamehost.accounts.passwords import Accounts
from gamehost.config import Options, SortedSettings, exit_with_usage_error
from gamehost.journal.records import Store
from gamehost.limits import ConnectionLimiter, Limits
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import SessionRegistry
from gamehost.net.context import Cork, HostContext
from gamehost.net.endpoints import Endpoints
from gamehost.ops.circuit_breaker import FaultBreaker
from gamehost.ops.systemd import Supervisor, fd_budget, install_signal_handlers, raise_fd_limit
from gamehost.ops.watchdog import Watchdog
from gamehost.ops.worker import SerialWorker
from gamehost.service import GameHostService, Listener
from gamehost.settings import BadOption
from gamehost.storage.accounts import SqliteAccounts
from gamehost.storage.memory import MemoryAccounts, MemoryJournal
from gamehost.storage.sqlite import SqliteJournal, open_journal
from gamehost.tables.context import TableContext
from gamehost.wires.base import Wire

#: Seconds after which a thread that waits for the interpreter gets it: under a flood an acknowledgement took 150 to 800 ms
#: with Python's own 0.005, and 15 to 40 with this.
SWITCH_EVERY = 0.0002


def makeService(options: Options) -> GameHostService:
    """
    A host as the options say, on the reactor of this process. Opens nothing yet.

    :raises SystemExit: an endpoint is not one
    """
    from twisted.internet import reactor as this_reactor

    reactor: Any = this_reactor
    use_monotonic_clock(reactor)
    # The journal's thread needs the interpreter several times for each commit. With the usual 5 ms it waits so long each time
    # when the reactor is busy, and every acknowledgement with it.
    sys.setswitchinterval(SWITCH_EVERY)
    # What was imported stays: looking through it for garbage would stop everybody for 30 to 40 ms, now and again.
    gc.freeze()
    raise_fd_limit()
    endpoints = Endpoints(reactor, options["trusted-proxy"])
    try:
        host = make_host(options, reactor, endpoints=endpoints)
    except usage.UsageError as error:
        exit_with_usage_error(error)  # `twistd` would show it with a traceback
    host.supervisor = Supervisor.of(os.environ, os.getpid())
    host.watchdog = Watchdog()
    log = [] if options.log is None else [options.log.reopen]
    install_signal_handlers(reactor.callFromThread, [*log, *endpoints.reloads])
    return host


def make_host(
    options: Options, reactor: Any, on_fatal: Callable[[str], None] | None = None, endpoints: Endpoints | None = None
) -> GameHostService:
    """
    A host on any reactor.

    :param endpoints: makes its endpoints, as a rule by the options
    :param on_fatal: called with the reason when the host must not go on; as a rule it ends the process
    :raises UsageError: an endpoint is not one
    """
    registry = options.registry
    if not registry.own:
        raise usage.UsageError("the host's own wires are not installed; install gamehost again with pip")
    settings = SortedSettings.sort(options)
    limits = Limits.read(settings.limits)
    fail = on_fatal or _end_process
    worker = SerialWorker(reactor)
    endpoints = endpoints or Endpoints(reactor, options["trusted-proxy"])

    def build_context() -> tuple[HostContext, Store]:
        cork = Cork()
        store = _open_store(options, limits, reactor, cork, fail)
        accounts: Accounts = SqliteAccounts(store) if isinstance(store, SqliteJournal) else MemoryAccounts()
        registry = SessionRegistry(options["resume"], lambda key: accounts.find(key) is not None)
        login_service = LoginService(accounts, registry.is_guest, reactor, worker, limits, cork)
        context = TableContext(reactor, store, options["grace"], suspended=FaultBreaker(reactor, fail).suspended)
        lobby = Lobby(context, registry, settings.games, *limits.waiting_tables, login_service=login_service)
        door = ConnectionLimiter(limits, fd_budget(limits.connections))
        return HostContext(reactor, lobby, limits, door, cork), store

    listeners = [
        Listener(description, _endpoint(endpoints, wire, description), wire, settings.wires[wire.name])
        for wire in registry.wires
        for description in options[wire.name]
        if description
    ]
    return GameHostService(registry.games, listeners, build_context, _abort_start, fail, worker)


def _open_store(options: Options, limits: Limits, reactor: Any, cork: Cork, fail: Callable[[str], None]) -> Store:
    if options["store"] == "memory":
        return MemoryJournal()
    return open_journal(
        Path(options["store"]),
        reactor.callFromThread,
        lambda reason: fail(f"{options['store']}: {reason}"),
        accept_loss=options["accept-loss"],
        # One address may start the host as often as it may do anything else when all rates are lifted.
        guard=not limits.unlimited,
        group=lambda: cork,
        after_turn=partial(reactor.callLater, 0),
    )


def _endpoint(endpoints: Endpoints, wire: Wire[Any], description: str) -> IStreamServerEndpoint:
    try:
        return endpoints.make(description)
    except BadOption as error:
        raise usage.UsageError(f"--{wire.name}: {description!r} is not an endpoint: {error}") from None


def _abort_start(reason: str) -> NoReturn:
    """
    End before any port is open, with a message and a status that is not 0.

    The message goes to the log, and to standard error as the process found it: `twistd` has replaced `sys.stderr`, so
    the text of an exception would become a line of the log.
    """
    Logger("gamehost").critical("the host cannot start: {reason}", reason=reason)
    _print_error(f"gamehost: {reason}\n")
    raise SystemExit(1)


def _print_error(text: str) -> None:
    """Write to the standard error that this process was started with. If it is closed or full, the log alone has the text."""
    with suppress(OSError, ValueError, AttributeError):
        sys.__stderr__.write(text)  # type: ignore[union-attr]
        sys.__stderr__.flush()  # type: ignore[union-attr]


def _end_process(reason: str) -> NoReturn:
    """
    End now, with a message and a status that is not 0.

    Nothing is rolled back and nobody is told: what is durable is true, and the next start goes on from it. An orderly
    stop would take its time over clients and files that cannot be trusted any more.
    """
    Logger("gamehost").critical("the host ends: {reason}", reason=reason)
    _print_error(f"gamehost: the host ends: {reason}\n")
    os._exit(70)
