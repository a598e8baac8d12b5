"""
What a check of a server is made of: the document's view of each message, and scenarios with a script.

A wire describes its checks as data: one `ServerChecks` in its folder.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from gamehost.checker.base import Law, Scenario
from gamehost.games.base import Game, Seat

if TYPE_CHECKING:
    from gamehost.checker.server_run import ServerRun
    from gamehost.checker.server_user import User

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


class Lesson(Protocol):
    """
    What a server draws because of a message, and only tells.

    The server hears the message first. When it has told what it drew, the replica is taught the same, and hears the message.
    """

    @property
    def learned(self) -> bool:
        """Whether the server has told all of it."""

    def hear(self, user: "User", message: Any) -> None:
        """The server has sent a message."""

    def teach(self, run: "ServerRun") -> None:
        """
        Have the replica draw the same. If the server has not told all of it in time, what is missing is drawn anew.

        :raises Skipped: the rest of the scenario cannot be judged
        """


class Speech(Protocol):
    """How a wire says what every game has. Each run has its own."""

    #: Whether matches have an opening that must be known before they can be judged.
    waits_for_opening: bool
    #: The game as the replica plays it; `None`: the wire's own.
    game: Game[Any, Any] | None

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        """The messages of a log-in."""

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """The messages that begin the next match on a connection; none: it begins by itself."""

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """The messages of an action of the game; none: what comes of it cannot be judged."""

    def documented(self, message: Any) -> Any | None:
        """A server's message without what is an extension; `None`: all of it is one."""

    def canonical(self, message: Any) -> Any:
        """A documented message with those lists in order whose order says nothing."""

    def replies(self, message: Any) -> Sequence[Any]:
        """What every client says when it is sent this message, whatever its player does."""

    def comes_at_any_time(self, message: Any) -> bool:
        """Whether a server may always send this message, so that it is not judged."""

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

    def lesson(self, run: "ServerRun", user: "User", action: Any) -> Lesson | None:
        """What the server draws because of a legal action; `None`: nothing."""

    def secret(self, got: Any, expected: Any) -> str:
        """What a server's message tells that its receiver may not know; empty: nothing."""


class BaseSpeech:
    """What most wires have in common: no extensions, nothing drawn, no ids and no secrets."""

    waits_for_opening = False
    game: Game[Any, Any] | None = None

    def documented(self, message: Any) -> Any | None:
        """All of it."""
        return message

    def canonical(self, message: Any) -> Any:
        """The same message."""
        return message

    def replies(self, message: Any) -> Sequence[Any]:
        """Nothing."""
        return ()

    def comes_at_any_time(self, message: Any) -> bool:
        """None does."""
        return False

    def precedes(self, message: Any, following: Any) -> bool:
        """No message depends on the next one."""
        return False

    def with_id(self, message: Any, match_id: str) -> Any:
        """Matches have no id."""
        return message

    def opening(self, message: Any, first: str) -> Opening | None:
        """Nothing is drawn."""
        return None

    def lesson(self, run: "ServerRun", user: "User", action: Any) -> Lesson | None:
        """Nothing is drawn."""
        return None

    def secret(self, got: Any, expected: Any) -> str:
        """Nothing is hidden."""
        return ""


class OpeningLesson:
    """
    What is drawn at the beginning of a match.

    :param first: the name of the player who has come first
    :param settings: those that the user has given
    """

    def __init__(self, speech: Speech, first: str, settings: Mapping[str, str]) -> None:
        self._speech = speech
        self._first = first
        self._settings = settings
        self._opening: Opening | None = None
        #: Why the match cannot be judged; empty: it can.
        self._cannot_judge = ""

    @property
    def learned(self) -> bool:
        """Whether the server has told the opening."""
        return self._opening is not None

    def hear(self, user: "User", message: Any) -> None:
        """Look for the opening."""
        try:
            self._opening = self._speech.opening(message, self._first)
        except ValueError as error:
            self._opening = Opening()
            if not any(name in str(error) for name in self._settings):
                self._cannot_judge = str(error)

    def teach(self, run: "ServerRun") -> None:
        """
        Have the replica begin the match like the server.

        :raises Skipped: the server does not tell what must be known
        """
        if self._cannot_judge:
            raise Skipped(self._cannot_judge)
        if self._opening is not None:
            run.begin_with(self._opening)


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
    #: Settings of the replica, by their full names.
    settings: Mapping[str, str] = {}
