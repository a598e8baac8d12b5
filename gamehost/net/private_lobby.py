"""
A host inside of another program: a lobby with one wire, without sockets. Programs use it that test clients of the wire, or
play against them.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gamehost.accounts.login import LoginService, at_once
from gamehost.accounts.passwords import CHEAP
from gamehost.limits import Limits
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import ResumePolicy, SessionRegistry
from gamehost.net.connection import WireFactory
from gamehost.net.context import Cork, HostContext
from gamehost.net.limiter import ConnectionLimiter
from gamehost.net.streams import Input
from gamehost.storage.durable import StoredAccounts
from gamehost.storage.memory import MemoryJournal
from gamehost.tables.context import TableContext
from gamehost.wires.base import Wire

L = TypeVar("L", bound=Lobby)


def private_lobby(
    new_lobby: Callable[..., L],
    wire: Wire[Any],
    journal: MemoryJournal,
    context: TableContext,
    limits: Mapping[str, str],
    of_wire: Mapping[str, str],
    of_games: Mapping[str, Mapping[str, str]],
    around: Callable[[L, Any, Any], Any] | None = None,
) -> tuple[L, WireFactory[Any]]:
    """
    Make a lobby with one wire, and the factory of its connections. Nothing is written to disk.

    :param new_lobby: makes the lobby, with the parameters of `Lobby`
    :param journal: the store of the accounts
    :param limits: the host's limits that differ from the defaults
    :param of_wire: the settings of the wire
    :param of_games: the settings of the games, by their names
    :param around: called with the lobby, a connection and its conversation: returns an object that receives the messages
        instead of the conversation. `None`: the conversation receives them
    """
    clock = context.clock
    read = Limits.read(limits)
    accounts = StoredAccounts(journal)
    cork = Cork()
    registry = SessionRegistry(ResumePolicy.ANY, accounts.__contains__, clock.seconds, read.keyless_resume_seconds)
    login_service = LoginService(
        accounts,
        registry.is_guest,
        clock,
        worker=at_once,
        limits=read,
        turn=cork,
        cost=CHEAP,
        **registry.for_accounts(),
    )
    lobby = new_lobby(context, registry, of_games, login_service=login_service)
    lobby.waiting_tables.lasting = False  # a table ends when the program that opened it disconnects
    host = HostContext(clock, lobby, read, ConnectionLimiter(read, seats_at=registry.seats_at), cork)
    if around is not None:
        host.new_input = lambda one, codec, conversation: Input(one, codec, around(lobby, one, conversation))
    return lobby, WireFactory(wire, of_wire, host)
