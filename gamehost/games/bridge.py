"""
What a game says of the bots of another community: the lines that such a bot reads and writes. Pure.

`gamehost.programs.bridge` starts the bot, sits down for it at a host, and has the pipes and the deadlines. A game has its
protocols in `bridge.py` of its folder, as the tuple `BRIDGES`; a game of another package may bring them, too.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from attrs import field, frozen

from gamehost.games.base import Result, Seat


class BadAnswer(Exception):
    """What a bot has written cannot be understood. The message says what was wrong and what was expected."""


@frozen
class Prompt:
    """What a bot is told: lines without their ends. `answers` is how many lines it has to write then."""

    lines: Sequence[str] = ()
    answers: int = 0


#: The bot is told nothing.
NOTHING = Prompt()


class Dialogue(Protocol):
    """One match in the words of a protocol, as one seat has it."""

    def begin(self) -> Prompt:
        """The seat is taken."""

    def hear(self, event: Any) -> Prompt:
        """Something has happened: an event of the game's master, of one of the types in `Bridge.hears`. Each is heard once."""

    def answer(self, lines: Sequence[str]) -> Any:
        """
        The action in what the bot has written, whether or not the rules allow it; `None`: it gives the match up.

        :param lines: as many as it was asked for. They have neither ends nor blanks around them, and none is empty.
        :raises BadAnswer: this is no answer
        """

    def illegal(self, again: bool) -> Prompt:
        """
        The host has refused the last action.

        :param again: whether the bot is asked once more; only if `Bridge.asks_again`
        """

    def over(self, result: Result | None) -> Sequence[str]:
        """
        The last lines.

        :param result: `None`: the match has ended, and it is not known how
        """


@frozen
class Bridge:
    """A protocol."""

    #: What is typed: `gamehost bridge NAME`.
    name: str
    #: Makes the dialogue of a match: for a seat, with the names of all seats.
    dialogue: Callable[[Seat, Sequence[str]], Dialogue]
    #: The types of events that the dialogue hears. Each event of such a type is for everybody, so that the host tells it
    #: again to a player who comes back.
    hears: tuple[type, ...]
    #: Seconds that a bot may take for an answer, unless the command says otherwise.
    answer_time: float = field(default=2.0, kw_only=True)
    #: Whether the protocol has words for an illegal move after which the bot is asked once more.
    asks_again: bool = field(default=False, kw_only=True)
