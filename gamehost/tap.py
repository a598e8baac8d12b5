"""Puts the parts of a host together: makes the service from the options."""

import gc
import linecache
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from twisted.internet.interfaces import IStreamServerEndpoint
from twisted.logger import Logger
from twisted.python import usage

from gamehost._twisted import poll_without_log_context, this_reactor, use_steady_clock
from gamehost.accounts.bans import Ban, Bans, MemoryBans
from gamehost.accounts.login import LoginService
from gamehost.accounts.names import LookAlikes
from gamehost.accounts.passwords import Account
from gamehost.accounts.proofs import ProvenLogins
from gamehost.accounts.remembered import RememberedLogins
from gamehost.admin.server import reloading
from gamehost.commands.command_line import exit_with_usage_error
from gamehost.config import Options, admin_path
from gamehost.games.base import Game
from gamehost.journal.records import StoreUnusable
from gamehost.limits import Limits
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.membership import Membership
from gamehost.lobby.notifiers import NotifierKind
from gamehost.lobby.sessions import SessionRegistry
from gamehost.net.context import Cork, HostContext
from gamehost.net.endpoints import Endpoints
from gamehost.net.house import HouseService
from gamehost.net.limiter import MOST_HEADERS, ConnectionLimiter, HttpLimiter
from gamehost.ops.watchdog import (
    GameBreaker,
    Supervisor,
    Watchdog,
    fd_budget,
    game_of,
    install_signal_handlers,
    raise_fd_limit,
)
from gamehost.ops.workers import SerialWorker
from gamehost.service import GameHostService, Listener, Part
from gamehost.settings import BadOption
from gamehost.storage.databases import beside, kind_of, shown, usable_kind_of
from gamehost.storage.durable import AWAY_AFTER, BacklogLimits, DurableJournal, StoredAccounts
from gamehost.storage.folders import open_folders
from gamehost.storage.memory import MemoryJournal
from gamehost.storage.remembered import StoredRemembered
from gamehost.storage.sidecar import proof_key
from gamehost.storage.sqlite import open_journal
from gamehost.tables.context import TableContext
from gamehost.tables.gallery import Galleries
from gamehost.web.http import Access
from gamehost.web.site import WebListener

#: After how many seconds the interpreter switches to another thread that waits for it. During a flood of messages,
#: storing a move took 150 to 800 ms with Python's default of 0.005; it takes 15 to 40 ms with this value.
SWITCH_EVERY = 0.0002

#: The options with HTTP ports for the owner's programs.
_HTTP = ("metrics", "health")

#: The module that runs in the process of the house players.
HOUSE_MODULE = "gamehost.programs.house"


def makeService(options: Options) -> GameHostService:
    """
    Make a host from its options, for the reactor of this process. This opens no port and no store.

    :raises SystemExit: an endpoint cannot be used
    """
    reactor = this_reactor()
    use_steady_clock(reactor)
    poll_without_log_context(reactor)
    # The journal's thread needs the interpreter several times for each commit. If the reactor is busy, the thread waits
    # for the whole interval each time, and so does every player that waits for a move to be stored.
    sys.setswitchinterval(SWITCH_EVERY)
    # Free 2 MiB: for tracebacks, attrs caches the source of all methods that it has made.
    linecache.clearcache()
    # Imported modules are never garbage. Searching them for garbage would stop the host for 30 to 40 ms each time.
    gc.freeze()
    raise_fd_limit()
    endpoints = Endpoints(reactor, options["trusted-proxy"])
    try:
        host = make_host(options, reactor, endpoints=endpoints)
    except usage.UsageError as error:
        exit_with_usage_error(error)  # `twistd` would print a traceback
    host.supervisor = Supervisor.of(os.environ, os.getpid())
    host.watchdog = Watchdog()
    host.on_drained = reactor.stop
    host.house = house_service(options, reactor)
    if (path := admin_path(options)) is not None:
        from gamehost.admin.server import AdminService

        host.parts.append(AdminService(reactor, path))
    log = [] if options.log is None else [options.log.reopen]
    install_signal_handlers(reactor.callFromThread, [*log, *endpoints.reloads])
    return host


def make_host(
    options: Options, reactor: Any, on_fatal: Callable[[str], None] | None = None, endpoints: Endpoints | None = None
) -> GameHostService:
    """
    Make a host from its options, for any reactor.

    :param on_fatal: called with the reason when the host must end; by default it ends the process
    :param endpoints: makes the endpoints; by default one with the option `trusted-proxy`
    :raises UsageError: an endpoint cannot be used
    """
    registry, settings = options.registry, options.settings
    limits = settings.limits
    fail = on_fatal or _end_process
    worker, endpoints = SerialWorker(reactor), endpoints or Endpoints(reactor, options["trusted-proxy"])
    endpoints.headers.unlimited = limits.unlimited
    joining = _joining(options, reactor, endpoints)

    def build_context() -> tuple[HostContext, DurableJournal | MemoryJournal]:
        """Called when the host starts, on the reactor's thread: opens the store, and makes the lobby on it."""
        # Holds back the output of all connections until the end of a turn, so that each writes once.
        cork = Cork()
        # `joining` is `None` without a cluster. Its port opens first: the store needs the address of this member.
        if joining is not None:
            joining.listen()
        store = _open_store(options, limits, reactor, cork, fail, joining)
        # Join the cluster before accounts and bans are read, so that no change by another member is missed.
        cluster = None if joining is None else joining.member(store, cork, fail, _warn)
        lobby = _lobby(options, limits, reactor, worker=worker, cork=cork, fail=fail, store=store, membership=cluster)
        # Whether finished matches show information that was hidden during the match.
        lobby.studies.reveal = lobby.directory.reveal = settings.reveals
        _count_faults(host.watchdog, registry.games, reactor, lobby)
        limiter, http_limiter = _limiters(limits, options, lobby)
        context = HostContext(reactor, lobby, limits, limiter, cork, http_limiter)
        if cluster is not None:
            _attach(host, joining, cluster, context)
        return context, store

    listeners = _listeners(options, endpoints)
    access = Access(options["web-origin"], options["trusted-proxy"])
    web = [WebListener(*place, access, worker, settings.reveals) for place in _places(options, endpoints, "web")]
    host = GameHostService(
        registry.games,
        listeners,
        build_context,
        abort_start=_abort_start,
        on_fatal=fail,
        worker=worker,
        web=web,
        profile=options["profile"],
        parts=_parts(options, reactor, endpoints, access),
        reload=reloading(options),
        medium="disk" if kind_of(options["store"]) is None else "database",
    )
    return host


def _listeners(options: Options, endpoints: Endpoints) -> list[Listener]:
    """The listeners of all wires."""
    return [
        Listener(*place, wire, options.settings.wires[wire.name])
        for wire in options.registry.wires
        for place in _places(options, endpoints, wire.name)
    ]


def _count_faults(watchdog: Watchdog | None, games: Mapping[str, Game[Any, Any]], reactor: Any, lobby: Lobby) -> None:
    """Set up the circuit breaker that closes a game after too many faults."""
    breaker = GameBreaker(reactor, lobby.close_game)
    lobby.context.suspended = breaker.suspended
    if watchdog is not None:
        watchdog.blocked_in = partial(_count_blocked_game, plugin_folders(games), reactor, breaker.blocked)


def plugin_folders(games: Mapping[str, Game[Any, Any]]) -> Mapping[str, str]:
    """
    The names of the games of other packages, by the folders of their modules. The host's own games are left out,
    because their rules never take long.
    """
    modules = {name: sys.modules[type(game).__module__] for name, game in games.items()}
    return {
        str(Path(module.__file__ or "").parent): name
        for name, module in modules.items()
        if not module.__name__.startswith("gamehost.")
    }


def _count_blocked_game(
    folders: Mapping[str, str], reactor: Any, blocked: Callable[[str], None], files: Sequence[str]
) -> None:
    """
    Called on the watchdog's thread when the reactor is blocked: count a fault of the game with code that is running.
    """
    # Without a game's code on the stack, the host itself is slow.
    if (game := game_of(files, folders)) is not None:
        reactor.callFromThread(blocked, game)


def _lobby(
    options: Options,
    limits: Limits,
    reactor: Any,
    worker: SerialWorker,
    cork: Cork,
    fail: Callable[[str], None],
    store: DurableJournal | MemoryJournal,
    membership: Membership | None,
) -> Lobby:
    """Make the lobby, with its accounts, sessions and log-ins."""
    settings = options.settings
    accounts = StoredAccounts(store)
    durable = store if isinstance(store, DurableJournal) else None
    # A store in memory has no proofs of earlier log-ins, and remembers no devices.
    proven, remembered = None, None
    if durable is not None:
        proven = ProvenLogins(proof_key(beside(options["store"]).absolute()), durable, durable.wall)
        remembered = RememberedLogins(StoredRemembered(durable), durable.wall)
    sessions = SessionRegistry(
        options["resume"],
        accounts.__contains__,
        reactor.seconds,
        keyless_wait=limits.keyless_resume_seconds,
        account_looks=LookAlikes(accounts.names()),
        membership=membership or Membership(),
    )
    login_service = LoginService(
        accounts,
        sessions.is_guest,
        reactor,
        worker=worker,
        limits=limits,
        turn=cork,
        proven=proven,
        remembered=remembered,
        **sessions.for_accounts(),
    )
    context = TableContext(reactor, store, options["grace"], wall=time.time if durable is None else durable.wall)
    lobby = Lobby(
        context,
        sessions,
        settings.games,
        login_service=login_service,
        galleries=Galleries(reactor, settings.watch_delays),
        house_rules=settings.house,
        bans=Bans(MemoryBans()) if durable is None else Bans(durable, durable.wall),
    )
    lobby.slow_days = options["slow-days"]
    lobby.slow_after_start = options["slow-after-start"]
    lobby.change(limits)
    return lobby


def _joining(options: Options, reactor: Any, endpoints: Endpoints) -> Any:
    """
    The object that makes this host a member of a cluster, from `StoreKind.joining`; `None`: the options name no
    cluster.
    """
    try:
        kind = kind_of(options["store"])
    except StoreUnusable as error:
        raise usage.UsageError(f"--store: {error}") from None
    if options["cluster"] is None:
        # The other options of clusters would have no effect.
        for name in ("cluster-address", "cluster-ca"):
            if options[name] is not None:
                raise usage.UsageError(f"--{name} is for a host with --cluster")
        return None
    if kind is None:
        raise usage.UsageError("--cluster needs a store that several hosts can share: --store=postgresql://...")
    return kind.joining(options, reactor, endpoints)


def _attach(host: GameHostService, joining: Any, cluster: Membership, context: HostContext) -> None:
    """Connect the membership in the cluster with the parts of the host that were made later."""
    from gamehost.admin.host import stop_key
    from gamehost.lobby.account_changes import AccountChanges

    lobby = context.lobby
    restore, follow = partial(lobby.restore, host.games), partial(lobby.directory.played.follow, host.games)
    joining.attach(cluster, context, restore, partial(_learn, host), follow)
    if isinstance(accounts := lobby.login_service.accounts, StoredAccounts):
        accounts.learned = AccountChanges(lobby, partial(stop_key, host)).learn
    host.cluster = cluster


def _learn(host: GameHostService, changed: Mapping[str, Account | None], new_bans: Sequence[Ban] | None) -> None:
    """Use changes of accounts and bans that another member of the cluster has made."""
    from gamehost.admin.host import close_banned

    lobby = host.context.lobby
    accounts = lobby.login_service.accounts
    assert isinstance(accounts, StoredAccounts)
    for key, account in changed.items():
        accounts.learn(key, account)
    if new_bans is not None:
        lobby.bans.learn(new_bans)
        # Players that are banned now lose their connections.
        close_banned(host)


def _limiters(limits: Limits, options: Options, lobby: Lobby) -> tuple[ConnectionLimiter, HttpLimiter]:
    """
    Make the limiters of connections. All connections together must not need more files than this process may open.
    """
    pages = limits.http_connections if any(options["web"]) else 0
    in_cluster = options["cluster"] is not None
    places = [text for name in (*(wire.name for wire in options.registry.wires), "web") for text in options[name]]
    # Behind haproxy or in a cluster, a connection waits for a header with the client's address before it counts.
    begun = in_cluster or any(text.startswith("haproxy:") for text in places)
    headers = MOST_HEADERS if begun else 0
    # In a cluster, a connection that is passed on to another member needs two files.
    each = 2 if in_cluster else 1
    files = fd_budget(each * limits.connections + pages + headers)
    # If files are scarce, pages and headers get a fifth each.
    pages, headers = min(pages, files // 5), min(headers, files // 5)
    room = max(1, (files - pages - headers) // each)
    return ConnectionLimiter(limits, room, lobby.registry.seats_at, lobby.bans), HttpLimiter(limits, pages)


def _parts(options: Options, reactor: Any, endpoints: Endpoints, access: Access) -> list[Part]:
    """Make the optional parts of a host: ports for metrics and health, and notifiers for absent players."""
    # A notifier is used if the option with its name is given.
    kinds = []
    for kind in options.registry.notifiers:
        if options[kind.name] is not None:
            kinds.append(kind)
    places = [(name, *place) for name in _HTTP for place in _places(options, endpoints, name)]
    return [
        *(_http_parts(places, access) if places else ()),
        *(_notices_parts(options, reactor, kinds) if kinds else ()),
    ]


def _http_parts(places: Sequence[tuple[str, str, IStreamServerEndpoint]], access: Access) -> list[Part]:
    """Make the HTTP ports for metrics and health."""
    from gamehost.metrics.health import HealthSite, HttpService, NewSite

    sites: dict[str, NewSite] = {"health": HealthSite}
    if any(name == "metrics" for name, *_ in places):
        from gamehost.metrics.site import MetricsSite  # needs a package that is an extra

        sites["metrics"] = MetricsSite
    # A place is the name of the option, the text of the endpoint, and the endpoint.
    return [HttpService(*place, access, sites[place[0]]) for place in places]


def _notices_parts(options: Options, reactor: Any, kinds: Sequence[NotifierKind]) -> list[Part]:
    """Make the part that informs absent players."""
    if options["store"] == "memory":
        raise usage.UsageError(f"--{kinds[0].name} needs a store that lasts: --store=FILE or --store=postgresql://...")
    from gamehost.lobby.notices import NoticesPart  # most hosts have no notifiers

    return [NoticesPart(reactor, kinds, options, beside(options["store"]).absolute())]


def house_service(options: Options, reactor: Any) -> HouseService | None:
    """
    Make the service for the processes of the house players; `None`: the options switch house players off.

    The processes connect to a socket in a folder beside the file of the store. A store in memory or in a database has
    no place beside it: then a temporary folder is used.
    """
    if not any(options.settings.house.seconds.values()):
        return None
    store = options["store"]
    folder = None if store == "memory" or kind_of(store) is not None else Path(f"{store}-house").absolute()
    return HouseService(reactor, [sys.executable, "-m", HOUSE_MODULE], options["house-processes"], folder)


def _open_store(
    options: Options,
    limits: Limits,
    reactor: Any,
    cork: Cork,
    fail: Callable[[str], None],
    joining: Any,
) -> DurableJournal | MemoryJournal:
    """Open the store that the options name."""
    if options["store"] == "memory":
        return MemoryJournal()
    for words in open_folders(beside(options["store"])):
        _warn(words)
    from_thread, broken = reactor.callFromThread, lambda reason: fail(f"{shown(options['store'])}: {reason}")
    common: dict[str, Any] = {
        "accept_loss": options["accept-loss"],
        "group": lambda: cork,
        "after_turn": partial(reactor.callLater, 0),
        # The reactor's clock, because it stops while the process is frozen: the disk does not count as slow then.
        "reactor_clock": reactor.seconds,
    }
    kind = usable_kind_of(options["store"])
    if kind is not None:
        if joining is not None:
            # A member of a cluster sends its players to other members when its database does not answer.
            common |= {"cluster": joining.address, "limits": BacklogLimits(away_after=AWAY_AFTER)}
        journal: DurableJournal = kind.open(options["store"], from_thread, broken, warn=_warn, **common)
        return journal
    return open_journal(Path(options["store"]), from_thread, broken, free_space=limits.free_space, **common)


def _warn(words: str) -> None:
    Logger("gamehost").warn("{words}", words=words)


def _places(options: Options, endpoints: Endpoints, name: str) -> Iterator[tuple[str, IStreamServerEndpoint]]:
    """Make the endpoints of an option. Each comes with its text."""
    for description in filter(None, options[name]):
        try:
            endpoint = endpoints.make(description)
        except BadOption as error:
            raise usage.UsageError(f"--{name}: {description!r} is not an endpoint: {error}") from None
        yield description, endpoint


def _abort_start(reason: str) -> NoReturn:
    """
    End a start that has failed, with a message and the status 1. No port is open then.

    The message goes to the log and to the original standard error of the process. `twistd` has replaced `sys.stderr`,
    so an exception would only appear in the log.
    """
    Logger("gamehost").critical("the host cannot start: {reason}", reason=reason)
    _print_error(f"gamehost: {reason}\n")
    raise SystemExit(1)


def _print_error(text: str) -> None:
    """Write a text to the original standard error of this process. If this fails, the text is only in the log."""
    with suppress(OSError, ValueError, AttributeError):
        sys.__stderr__.write(text)  # type: ignore[union-attr]
        sys.__stderr__.flush()  # type: ignore[union-attr]


def _end_process(reason: str) -> NoReturn:
    """
    End the process immediately, with a message and the status 70. Clients receive no message, and nothing is closed.
    The next start continues from the data on the disk. A normal stop would still send messages and write files. After a
    fault such as a disk that fails, these could be wrong.
    """
    Logger("gamehost").critical("the host ends: {reason}", reason=reason)
    _print_error(f"gamehost: the host ends: {reason}\n")
    os._exit(70)
