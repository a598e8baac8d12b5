"""
What is always true in a host, whatever its clients do: looked up in its rooms, between two turns of the reactor.
"""

from collections.abc import Iterable
from types import TracebackType
from typing import Any

from twisted.logger import ILogObserver, LogEvent, LogLevel, globalLogPublisher
from zope.interface import implementer

from gamehost.tables.context import Phase
from gamehost.tables.table import Table
from tests.kit.memory_host import Client, MemoryHost


class Disorder(AssertionError):
    """Something that must always be true is not."""


@implementer(ILogObserver)
class Complaints:
    """A context manager that keeps what the host logs as an error meanwhile."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def __enter__(self) -> "Complaints":
        globalLogPublisher.addObserver(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        globalLogPublisher.removeObserver(self)

    def __call__(self, event: LogEvent) -> None:
        failure = event.get("log_failure")
        if failure is not None or event.get("log_level", LogLevel.info) >= LogLevel.error:
            trace = failure.getTraceback() if failure is not None else ""
            self.words.append(f"{event.get('log_format')} {trace}")

    def check(self) -> None:
        """
        :raises Disorder: an error was logged
        """
        if self.words:
            raise Disorder(f"the host logged: {self.words[0]}")


def check_house(world: MemoryHost, clients: Iterable[Client]) -> None:
    """
    Names, sessions, tables and chairs fit each other.

    :raises Disorder: they do not
    """
    # One that is hung up on says and hears nothing more; somebody else may have its session by now.
    heard = [client.protocol for client in clients if not client.closed and not client.protocol.closing]
    talks: list[Any] = [protocol._conversation for protocol in heard]
    held = [talk.session for talk in talks if talk.session is not None]
    _need(len(set(map(id, held))) == len(held), "two connections hold one session")
    sessions: dict[str, Any] = world.lobby.registry._sessions.by_key
    for key, session in sessions.items():
        _need(key == session.key, "a session is kept under another name")
        _need(session.player is None or session.player.session is session, "a player is somebody else's")
        _need(session.player is not None or session.table or session.asleep, "a name is kept for nobody")
        _need(session.table is None or session.asleep is None, "a table that sleeps, and one that does not")
        if session.asleep is not None:
            waking = world.lobby.registry.waking.get(session.asleep)
            _need(waking is not None and session in waking.sessions, "a session of a table that is not loaded")
        _need(world.lobby.registry.sleepers.find(key) is None, "a session, and a seat at a sleeping table")
        if session.table is not None:
            _need(world.lobby.tables.get(session.table.id) is session.table, "a session of a table that is gone")
    for session in held:
        _need(sessions.get(session.key) is session, "a connection's session is not in the roster")
    for table in world.lobby.tables.values():
        _check_table(table)


def _check_table(table: Table[Any, Any]) -> None:
    places = table._outbox.places
    players: list[Any] = [
        handle.player for place in places for handle in (place.handle, place.coming) if handle is not None
    ]
    _need(len(set(map(id, players))) == len(players), "a player in two chairs")
    for seat, place in enumerate(places):
        _need(place.handle is None or place.coming is None, "two players in one seat")
        for handle in (place.handle, place.coming):
            if handle is not None:
                player: Any = handle.player
                session = player.session
                _need(session is not None, "a chair whose player has left")
                _need(session.table is table and session.seat == seat, "a player in another's chair")
                _need(place.grace_ends is None, "a grace time of a seat that is taken")
    if table.phase is Phase.DORMANT:
        _need(not players, "a table asleep with players at it")
    # An alarm that rings too early, or for nothing, is left alone while play goes on: it sets itself anew.
    due = table._due()
    if due is not None:
        _need(table._alarm is not None and table._alarm_due <= due, "no alarm where there is reason for one")
    elif table.phase is not Phase.PLAYING:
        _need(table._alarm is None, "an alarm at a table without a clock")


def check_deserted(world: MemoryHost) -> None:
    """
    Nobody is there any more, and everything written: what is left is one alarm for all sleeping tables. A day later
    nothing is.

    :raises Disorder: something else is
    """
    _need(not world.context.limiter.count, "connections are counted that are gone")
    _need(not any(factory.connections for factory in world.factories.values()), "connections are kept")
    tables = world.lobby.tables.values()
    # It ended in an earlier life of the host, and a player has not been told.
    _need(all(table.phase is Phase.OVER for table in tables), "a table is awake with nobody there")
    _need(not world.lobby.registry.waking, "a table is being loaded for nobody")
    _need(not world.lobby.registry._sessions.by_key or tables, "sessions of nobody's")
    left = world.clock.getDelayedCalls()
    timers = len(tables) + (world.lobby.registry.sleepers.oldest is not None)
    _need(len(left) == timers, f"timers of nobody's: {list(map(str, left))}")


def check_forgotten(world: MemoryHost) -> None:
    """
    The day after everybody went.

    :raises Disorder: something is left
    """
    _need(not world.unfinished, "tables are left")
    _need(not len(world.lobby.registry), "names are left")
    _need(not world.lobby._queues.waiting, "a queue is left")
    _need(not world.clock.getDelayedCalls(), "timers are left")


def _need(true: object, otherwise: str) -> None:
    if not true:
        raise Disorder(otherwise)
