"""
What a check of a server is made of: the document's view of each message, and scenarios with a script.

A wire describes its checks as data: one `ServerChecks` in `gamehost.checker.server_wires`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from gamehost.checker.base import Law, Scenario
from gamehost.games.base import Seat

if TYPE_CHECKING:
    from gamehost.checker.server_run import ServerRun

#: What a scenario does.
Script = Callable[["ServerRun"], Awaitable[None]]


class Stopped(Exception):
    """The scenario is over, because a finding makes the rest of it meaningless."""


class Skipped(Exception):
    """The scenario says nothing about this server. The message says why."""


class Unreachable(Exception):
    """There is no connection to the server. The message says why."""


@frozen
class Opening:
    """What a server has drawn for a match, and only tells."""

    #: Settings of the game, without their prefix.
    settings: Mapping[str, str] = {}
    #: The first random number that the match draws; `None`: it draws none.
    draws: int | None = None
    #: The match's id, on wires that have one.
    match_id: str = ""


class Speech(Protocol):
    """How a wire says what every game has. Each run has its own."""

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        """The messages of a log-in."""

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """The messages that begin the next match on a connection; none: it begins by itself."""

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """The messages of an action of the game; none: what comes of it cannot be judged."""

    def documented(self, message: Any) -> Any | None:
        """A server's message without what is an extension; `None`: all of it is one."""

    def precedes(self, message: Any, following: Any) -> bool:
        """Whether a message is an extension because of the one that follows it: the reason of a refusal, for example."""

    def with_id(self, message: Any, match_id: str) -> Any:
        """The same message with another match's id, where it has one."""

    def opening(self, message: Any, first: str) -> Opening | None:
        """
        What a server's message tells about the beginning of a match; `None`: nothing.

        :param first: the name of the player who has come first
        :raises ValueError: the match begins, but the message does not tell what it must; names the setting that helps
        """

    def secret(self, got: Any, expected: Any) -> str:
        """What a server's message tells that its receiver may not know; empty: nothing."""

    @property
    def waits_for_opening(self) -> bool:
        """Whether matches have an opening that must be known before they can be judged."""


@frozen
class ServerCase:
    """One thing that is tried with a server."""

    scenario: Scenario
    script: Script


@frozen
class ServerChecks:
    """The checks of the servers of one wire."""

    wire: str
    #: What the document says: by the name of a message's class, and `turn` for all others.
    laws: Mapping[str, Law]
    cases: Sequence[ServerCase]
    new_speech: Callable[[], Speech]
