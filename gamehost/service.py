"""
The service: starts all parts of the host in order, watches the disk while the host runs, and stops the host without
losses.

The ports are opened after the unfinished tables are restored. If one required port cannot be opened, all are closed. If
the disk falls behind, the service first pauses input, then refuses new clients, and then ends the host.
"""

import errno
import gc
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from attrs import define, field, frozen
from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredList, maybeDeferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IDelayedCall, IListeningPort, IProtocolFactory, IStreamServerEndpoint
from twisted.logger import Logger
from twisted.python.failure import Failure

import gamehost
import twisted
from gamehost._twisted import accept_steadily
from gamehost.games.base import Game
from gamehost.journal.records import Pressure, Room, Store, StoreUnusable
from gamehost.lobby.membership import Membership
from gamehost.lobby.seats import Resuming
from gamehost.measures import Histogram
from gamehost.net.connection import WireFactory
from gamehost.net.context import HostContext
from gamehost.net.endpoints import send_at_once
from gamehost.net.house import HouseService
from gamehost.ops.interpreter import is_plain
from gamehost.ops.watchdog import Supervisor, Watchdog
from gamehost.ops.workers import SerialWorker
from gamehost.settings import Settings
from gamehost.web.site import WebListener, WebSite
from gamehost.wires.base import Wire

#: Addresses that mean all addresses of a machine. Clients must use another address.
_EVERYWHERE = ("0.0.0.0", "::")

_SLOW_PYTHON = (
    "this Python was built without --enable-optimizations: a move costs a tenth to a quarter more;"
    " docs/operating.rst says which Python is faster"
)

#: Seconds between two checks of the disk.
WATCH_EVERY = 0.1

#: What the host does if the disk is slow, for the log.
CONSEQUENCES: Mapping[Pressure, str] = {
    Pressure.PAUSE: "input from all clients pauses",
    Pressure.REFUSE: "input pauses, and new connections and log-ins are refused",
    Pressure.AWAY: "all connections and ports are closed until it answers, so that players go to another host",
    Pressure.GIVE_UP: "the host ends",
}

#: The seconds between two checks of the disk's free space.
ROOM_EVERY = 1.0

NO_ROOM = "the host has no room for new tables: its disk is nearly full; matches that have begun continue"
FULL = "the host's disk is full: nothing can be played; seats at tables are kept"
DRAINING = "the host is about to stop: no new matches begin; matches that have begun continue"
BUSY = "the host is busy: its {medium} is slow; try again in a minute"
AWAY = "this host cannot reach its database; log in again, at another host; seats at tables are kept"
STOPPING = "the host is stopping; seats at tables are kept"


@frozen
class Listener:
    """An endpoint, and the wire that it serves."""

    #: The endpoint, as the owner has written it in an option.
    description: str
    endpoint: IStreamServerEndpoint
    wire: Wire[Any]
    settings: Settings


class Part(Protocol):
    """A part of the host that is started and stopped with it, such as the socket for `gamehost admin`."""

    def start(self, host: "GameHostService") -> None:
        """
        Start the part. Called when the host is ready. A part that cannot start logs the reason, and the host runs
        without it.
        """

    def stop(self) -> Deferred[None]:
        """
        Stop the part, because the host stops.

        :returns: fires when the part has stopped
        """


@define(eq=False)
class GameHostService(Service):
    """
    A running host: its listeners, its lobby and its store.

    :param build_context: opens the store, and makes the parts that all connections share; may raise `StoreUnusable`
    :param abort_start: called with the reason when the host cannot start; it does not return
    :param on_fatal: called with the reason when the host must end; it does not return
    """

    games: Mapping[str, Game[Any, Any]]
    listeners: Sequence[Listener]
    build_context: Callable[[], tuple[HostContext, Store]]
    abort_start: Callable[[str], None]
    on_fatal: Callable[[str], None]
    #: The thread that computes password digests.
    worker: SerialWorker
    web: Sequence[WebListener] = ()
    #: The name of the profile in `gamehost.limits.PROFILES` that the limits come from.
    profile: str = "public"
    #: For messages: where moves are stored, `disk` or `database`.
    medium: str = "disk"
    parts: list[Part] = field(factory=list)
    ports: list[IListeningPort] = field(factory=list)
    factories: list[WireFactory[Any]] = field(factory=list)
    sites: list[WebSite] = field(factory=list)
    supervisor: Supervisor = field(factory=Supervisor)
    #: The processes of the house players; `None`: there are none.
    house: HouseService | None = None
    #: Detects a blocked reactor; `None` in tests, which have no running reactor.
    watchdog: Watchdog | None = None
    #: How many seconds late each check of the disk was.
    lag: Histogram = field(factory=Histogram)
    context: HostContext = field(init=False)
    store: Store = field(init=False)
    #: The other hosts on the same store.
    cluster: Membership = field(factory=Membership)
    #: Checks the unfinished tables of an earlier run; `None`: no tables were resumed yet.
    resuming: Resuming | None = field(init=False, default=None)
    #: When the host was ready, in seconds of its clock.
    started_at: float = field(init=False, default=0.0)
    #: The names of the listeners, with their addresses.
    listening: list[tuple[str, str]] = field(factory=list)
    #: Called when a draining host has no match left: stops the service, and ends the process.
    on_drained: Callable[[], None] = lambda: None
    #: Reads the settings again, and returns what has changed.
    reload: Callable[["GameHostService"], Mapping[str, Any]] = lambda host: {}
    _drained: bool = False
    #: For each listener: its name, the listener, the factory of its connections, and whether the host cannot start
    #: without it.
    _fronts: list[tuple[str, Listener | WebListener, Any, bool]] = field(factory=list)
    _failures: list[str] = field(factory=list)
    #: How many of the failures are ports in use.
    _taken: int = 0
    #: The address of the pages for a browser; empty: there are none.
    _browser: str = ""
    _watch: IDelayedCall | None = None
    _pressure: Pressure = Pressure.NONE
    _room: Room = Room.ENOUGH
    _look_at_disk_from: float = 0.0

    log = Logger()

    def startService(self) -> None:
        """Open the store, restore the unfinished tables, then listen."""
        self._say_what_starts()
        # The objects that are made here live as long as the host. Searching them for garbage would take a fifth of the
        # time of a start.
        gc.disable()
        try:
            self.context, self.store = self.build_context()
            self._room = self.store.room
            if self._room is Room.NONE:
                # A host with a full disk runs, and refuses players, until there is room.
                self.log.critical("{full}; tables are resumed when there is room", full=FULL)
            else:
                self._resume()
            self._update_refusals()
            self.cluster.begin()
        except StoreUnusable as error:
            self.abort_start(str(error))
            return
        finally:
            gc.enable()
        self._open_ports()
        if self._failures:
            # A required port cannot be opened: end the start.
            for port in self.ports:
                port.stopListening()
            self.store.close()
            self.abort_start(self._why_not())
            return
        self.worker.start()
        super().startService()
        if self.watchdog is not None:
            self.watchdog.start()
        if self.house is not None:
            self.factories += self.house.start(self.context)
        self.started_at = self.context.clock.seconds()
        for part in self.parts:
            part.start(self)
        self.cluster.open(self.factories, self.sites)
        self.log.info("gamehost ready")
        self._say_how_to_play()
        self.supervisor.ready()
        self._look()

    def _say_what_starts(self) -> None:
        """Log the versions, and warnings about Python and the profile."""
        self.log.info(
            "gamehost {version} is starting (Twisted {twisted}, Python {python})",
            version=gamehost.__version__,
            twisted=twisted.__version__,
            python=platform.python_version(),
        )
        if is_plain():
            self.log.info(_SLOW_PYTHON)
        if self.profile != "public":
            self.log.info("the profile is {profile}: wider limits for one address", profile=self.profile)

    def _open_ports(self) -> None:
        """Make a factory for each listener, and open all ports."""
        for listener in self.listeners:
            factory = WireFactory(listener.wire, listener.settings, self.context)
            self.factories.append(factory)
            front = self.cluster.front_of(factory, listener.wire.spreads)
            self._fronts.append((listener.wire.name, listener, front, listener.wire.must_listen))
        for place in self.web:
            site = place.new_factory(self.context)
            site.wires = {factory.wire.name: factory for factory in self.factories if factory.wire.websocket}
            self.sites.append(site)
            self._fronts.append(("web", place, self.cluster.front_of(site, True), False))
        for one in self._fronts:
            self._listen(*one)
        # From now on, players can come back: the time for which seats are reserved begins.
        self.context.lobby.registry.ports_open()

    def _resume(self) -> None:
        """Restore the unfinished tables and the open tables of an earlier run."""
        tables = self.context.lobby.restore(self.games, self.store.unfinished())
        if waiting := self.context.lobby.restore_opened(self.store.opened()):
            self.log.info("tables from earlier that wait for their players: {tables}", tables=waiting)
        for words in self.store.skipped:
            self.log.error("not resumed: {words}", words=words)
        # The records are checked for damage later, in steps, so that the ports open early.
        self.resuming = Resuming(self.context.clock, self.store)
        self.resuming.begin(tables)

    def _listen(self, name: str, listener: Listener | WebListener, factory: IProtocolFactory, must: bool) -> None:
        """
        Open a port.

        :param must: whether the host cannot start without this port; a port that is not required is left out if it
            cannot be opened
        """
        listening = listener.endpoint.listen(factory)
        where = listener.description
        listening.addCallbacks(
            partial(self._listening, name, where),
            partial(self._not_listening, f"--{name}: cannot listen on {where}", must),
        )

    def _listening(self, name: str, where: str, port: IListeningPort) -> None:
        """A port is open: note its address, for the log and for the hints on how to play."""
        self.ports.append(port)
        send_at_once(port)
        context = self.context
        accept_steadily(port, context.clock, lambda: context.limiter.refused + context.http_limiter.refused_connections)
        address: Any = port.getHost()
        if hasattr(address, "host"):
            where = f"{address.host}:{address.port}"
            # A port on all addresses has no address of its own to show.
            host = "HOST" if address.host in _EVERYWHERE else address.host
            directory = self.context.lobby.directory
            if any(listener.wire.name == name and listener.wire.for_people for listener in self.listeners):
                directory.by_hand = f"nc {host} {address.port}"
            elif name == "open":
                directory.by_program = f"nc {host} {address.port}"
            elif name == "web":
                self._browser = f"http://{host}:{address.port}/"
        self.listening.append((name, where))
        self.log.info("{wire} listening on {where}", wire=name, where=where)

    def _say_how_to_play(self) -> None:
        """Log how to play, for a person that has started the host by hand."""
        by_hand = self.context.lobby.directory.by_hand
        ways = [f"in a terminal with {by_hand}, and type: play onitama" if by_hand else ""]
        ways += [
            f"in a browser at {self._browser}" if self._browser else "",
            "with a program on one of the ports above",
        ]
        self.log.info("play {ways}", ways="; ".join(filter(None, ways)))

    def _not_listening(self, what: str, must: bool, failure: Failure) -> None:
        """A port cannot be opened. If the port is required, the host cannot start, or ends if it runs."""
        error = failure.value
        taken = isinstance(error, CannotListenError) and getattr(error.socketError, "errno", None) == errno.EADDRINUSE
        reason = f"{what}: {'this port is in use' if taken else failure.getErrorMessage()}"
        if not must:
            self.log.error("{reason}; this port is left out", reason=reason)
            return
        self._taken += taken
        self._failures.append(reason)
        if self.running:
            # The port was closed because the host could not serve players, and cannot be opened again.
            self.on_fatal(reason)

    def _why_not(self) -> str:
        """One line about the ports that cannot be opened, with advice."""
        more = len(self._failures) - 1
        others = f", and {more} more" if more else ""
        return (
            # Another port helps only if a port is in use.
            self._failures[0] + others + ("; --shift=1000, or another number, moves all ports" if self._taken else "")
        )

    def _look(self) -> None:
        """Called every `WATCH_EVERY` seconds: show that the reactor runs, check the disk, and react if it is behind."""
        # Measure the delay of this call, and show that the reactor runs.
        if self._watch is not None:
            # How much later than planned this call is: the reactor was busy for so long.
            self.lag.observe(max(0.0, self.context.clock.seconds() - self._watch.getTime()))
        self._watch = self.context.clock.callLater(WATCH_EVERY, self._look)
        self.supervisor.alive(self.context.clock.seconds())
        if self.watchdog is not None:
            self.watchdog.beat()
        self._look_at_disk()
        # A draining host ends after its last match.
        if self.context.lobby.draining is not None and not self._playing and not self._drained:
            self._drained = True
            self.log.info("the last match has ended")
            self.on_drained()
        # React to a change of the disk.
        pressure = self.store.pressure
        if pressure is self._pressure:
            # Nothing has changed since the last call.
            return
        if pressure is Pressure.NONE:
            self.log.info("the {medium} has caught up", medium=self.medium)
        else:
            consequence = CONSEQUENCES[pressure]
            self.log.warn("the {medium} is behind: {consequence}", medium=self.medium, consequence=consequence)
        if pressure is Pressure.GIVE_UP:
            self.on_fatal(f"the {self.medium} has not answered for too long")
        # Pause or refuse clients, or close and open the ports.
        before = self._pressure
        self._pressure = pressure
        self._update_refusals()
        for _, one in factories(self):
            one.pause_input(pressure >= Pressure.PAUSE)
        # Only members of a cluster reach `AWAY`.
        if before < Pressure.AWAY <= pressure:
            self._go_away()
        elif pressure < Pressure.AWAY <= before:
            for front in self._fronts:
                self._listen(*front)

    def _go_away(self) -> None:
        """
        Close all connections and ports, because no player can be served here for now. So clients go to another host at
        once.
        """
        for port in self.ports:
            port.stopListening()
        self.ports.clear()
        self.listening.clear()
        for factory in self.factories[: len(self.listeners)]:  # not the listeners of house players
            factory.close_some(lambda connection: AWAY)
        for site in self.sites:
            site.disconnect(AWAY)
        self.cluster.cut_relays()

    @property
    def not_serving(self) -> str | None:
        """The reason why no new player could play here now; `None`: a player could."""
        if not self.running:
            return STOPPING
        return (
            self.cluster.not_ready
            or self.context.lobby.closed
            or self.context.lobby.no_room
            or self.context.lobby.draining
        )

    def _look_at_disk(self) -> None:
        """Check the free space of the disk, once a second, and react to a change."""
        now = self.context.clock.seconds()
        if now < self._look_at_disk_from:
            return
        self._look_at_disk_from = now + ROOM_EVERY
        before = self._room
        self._room = self.store.room
        if self._room is before:
            # Nothing has changed since the last look.
            return
        if self._room is Room.NONE:
            self.log.critical("{full}; the host stops", full=FULL)
            self.stopService().addCallback(lambda _: self.on_fatal(FULL))
            return
        if before is Room.NONE:
            # The host has started with a full disk, and has not read its tables yet.
            self._resume()
        if self._room is Room.LOW:
            self.log.error("the disk is nearly full: no new tables begin")
        else:
            self.log.info("the disk has room again")
        self._update_refusals()

    def _update_refusals(self) -> None:
        """Set what the lobby and the limiter of connections must refuse now."""
        busy = BUSY.format(medium=self.medium) if self._pressure >= Pressure.REFUSE else None
        # `closed` refuses log-ins and new tables; `no_room` only new tables. `None`: nothing is refused.
        closed = FULL if self._room is Room.NONE else busy
        self.context.limiter.closed = self.context.lobby.closed = closed
        self.context.lobby.no_room = NO_ROOM if self._room is Room.LOW else None

    @property
    def _playing(self) -> bool:
        return self.context.lobby.seats.playing or self.context.lobby.remote.count > 0

    def drain(self, on: bool = True) -> None:
        """
        Begin no new matches, and end the process after the last match. Players can still come back to their seats.

        :param on: `False`: begin new matches again
        """
        # `draining` has the words for refused players, or `None`. Log only a change.
        if on is not (self.context.lobby.draining is not None):
            self.log.info("no new matches begin; the host ends after the last one" if on else "new matches begin again")
        self.context.lobby.drain(DRAINING if on else None)
        self.supervisor.status(DRAINING if on else "")

    def stopService(self) -> Deferred[None]:
        """
        Close the ports, stop all input, make accepted moves durable, send the clients the reason, and close their
        connections.

        :returns: fires when all connections are closed, after a few seconds at most
        """
        if not self.running:
            return succeed(None)
        super().stopService()
        self.log.info("gamehost is stopping")
        self.supervisor.stopping()
        if self.watchdog is not None:
            self.watchdog.stop()
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        # Accept no more moves and no more clients.
        self.context.lobby.close()
        if self.resuming is not None:
            self.resuming.halt()
        closing = [port.stopListening() or succeed(None) for port in self.ports]
        self.ports.clear()
        closing += [part.stop() for part in self.parts]
        closing.append(maybeDeferred(self.cluster.halt))
        if self.house is not None:
            closing.append(self.house.stop())
        # The moves that were accepted before are stored; later input is ignored.
        for _, one in factories(self):
            one.stop_input()
        # Make the accepted moves durable, and then inform the clients and close their connections.
        kept: Deferred[None] = Deferred()
        self.store.stop(lambda: kept.callback(None))
        closing.append(kept.addCallback(lambda _: self._say_goodbye()))
        return DeferredList(closing).addCallback(lambda _: self._stopped())

    def _stopped(self) -> None:
        self.worker.stop()
        self.log.info("gamehost has stopped")

    def _say_goodbye(self) -> Deferred[None]:
        """
        Inform all clients that the host stops, and close their connections.

        :returns: fires when all are closed
        """
        gone = [*(one.close(STOPPING) for one in self.factories), *(one.close(STOPPING) for one in self.sites)]
        return DeferredList(gone).addCallback(lambda _: None)


def factories(host: GameHostService) -> Iterator[tuple[str, WireFactory[Any]]]:
    """All factories of connections, each with the name of its wire; `web` for the WebSockets of pages."""
    yield from ((factory.wire.name, factory) for factory in host.factories)
    yield from (("web", site.sockets) for site in host.sites)
