"""
What the clients on asyncio and on Twisted have in common: what a program says, and what it can look up.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from secrets import SystemRandom

from gamehost.client.core import ClientCore
from gamehost.client.tables import Table, Tables
from gamehost.wires.open.messages import ClientMessage, Enter, LogIn


class BaseClient(ABC):
    """One client. Subclasses have the connection, and give the messages that the host sends."""

    def __init__(self, login: Enter | LogIn | None, chance: Callable[[], float] | None) -> None:
        self._core = ClientCore(login, chance or SystemRandom().random)

    def say(self, message: ClientMessage) -> None:
        """
        Say something to the host. `Lobby`, `Watch` and `Seek` last, and can be said at any time.

        :raises NotConnected: other messages need a connection and a log-in
        :raises WireError: the host would not accept the message
        """
        self._core.say(message)
        self._send()

    def act(self, action: str) -> int:
        """
        Act at the own table.

        :param action: in the game's own notation, such as `tiger c1 c3`
        :return: the id that a `Refused` has if the action had no effect
        :raises NotSeated: there is no match
        :raises NotConnected: the connection is lost
        """
        number = self._core.act(action)
        self._send()
        return number

    def moves(self, begun: str = "") -> int:
        """
        Ask which actions the own seat may take now. The answer is heard as `Moves`, or as `Refused`.

        :param begun: of a game whose actions are shown step by step, the beginning of one
        :return: the id that the answer has
        :raises NotSeated: there is no match
        :raises NotConnected: the connection is lost
        """
        number = self._core.moves(begun)
        self._send()
        return number

    @property
    def login(self) -> Enter | LogIn | None:
        """What is said on the next connection. It has the key; a program that keeps it can take its seat back later."""
        return self._core.login

    @property
    def seeking(self) -> bool:
        """Whether the client has asked for opponents and has no seat yet."""
        return self._core.seeking

    @property
    def own(self) -> Table | None:
        """The table at which the client has a seat, until the match is over."""
        return self._core.own

    @property
    def tables(self) -> Tables:
        """The tables that the client plays or watches."""
        return self._core.tables

    @abstractmethod
    def _send(self) -> None:
        """Send the core's output, if there is a connection."""
