"""
The messages of a game for programs: its views, events and actions in a form that any program can read. Also the lines
that bots of other communities read and write. Pure.

The `messages` module of a game turns the attrs classes of its master into msgspec structs. The structs are what the
open wire, the browser and records carry, and their JSON Schema is published. It shows what it is given and hides
nothing: a master has addressed each event already. Names of struct fields are written out, not taken from the master's
fields. So a renamed field of a game changes no message.

A game has its protocols of bots in `bridge.py` of its folder, as the tuple `BRIDGES`; another package may add some for
the same game. `gamehost.extras.bots.bridge` starts the bot, plays for it at a host, and owns the pipes and the
deadlines.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, Protocol

from attrs import field, frozen
from msgspec import Struct

from gamehost.games.base import Result, Seat


class EventMessage(Struct, frozen=True, tag_field="kind"):
    """The base of all events. The field `kind` in JSON names the type of the event."""


class ActionMessage(Struct, frozen=True, tag_field="kind"):
    """The base of all actions. The field `kind` in JSON names the type of the action."""


def union_of(family: type) -> Any:
    """All kinds of messages with this base, for decoders and schemas."""
    return reduce(or_, family.__subclasses__())


class Messages(Protocol):
    """Makes the messages of a game, and reads them. Each game's `messages` module has one, called `MESSAGES`."""

    @property
    def view_type(self) -> Any:
        """The struct of a view, for the schema."""

    @property
    def event_type(self) -> Any:
        """The union of the structs of all events, for the schema."""

    @property
    def action_type(self) -> Any:
        """The struct of an action, or the union of those of all actions, for the schema."""

    @property
    def rules(self) -> Mapping[str, Any]:
        """
        Constants of the rules, as JSON, from which a program finds legal moves. So it need not copy them. Most games
        have none.
        """

    def view(self, situation: Any) -> Struct:
        """A view of `GameMaster.view`, as a message."""

    def read_view(self, view: Any, seat: Seat | None) -> Any:
        """
        A view as `GameMaster.view` gives it, from its message. Knowledge that no message contains is missing.

        :param seat: the seat that has the view; `None`: a watcher
        """

    def read_event(self, event: Any) -> Any:
        """An event of the master, from its message; `None`: it changes no view, and no player needs it."""

    def action(self, action: Any) -> Struct:
        """An action in parts, for programs that do not read the game's notation."""

    def event(self, event: Any) -> EventMessage | None:
        """An event of the master, as a message; `None`: no message is sent, because a view contains the same."""


#: The `kind` of the event by which moves are taken back, in all games that have it.
TAKEN_BACK = "taken-back"


def moves_undone(message: Any) -> int:
    """The number of moves that an event takes back; 0: it takes back none."""
    undone: int = message.moves if type(message).__struct_config__.tag == TAKEN_BACK else 0
    return undone


@frozen
class SameMessages:
    """The messages of a game with a master that uses messages as its views, events and actions."""

    view_type: Any
    event_type: Any
    action_type: Any
    rules: Mapping[str, Any] = field(factory=dict)

    def view(self, situation: Any) -> Struct:
        return situation  # type: ignore[no-any-return]

    def read_view(self, view: Any, seat: Seat | None) -> Any:
        return view

    def read_event(self, event: Any) -> Any:
        return event

    def action(self, action: Any) -> Struct:
        return action  # type: ignore[no-any-return]

    def event(self, event: Any) -> EventMessage | None:
        return event if isinstance(event, EventMessage) else None


# The protocols of other communities' bots.


class BadAnswer(Exception):
    """The answer of a bot cannot be understood. The message says what was wrong and what was expected."""


@frozen
class Prompt:
    """Lines for a bot, without their ends. `answers` is the number of lines that it has to write then."""

    lines: Sequence[str] = ()
    answers: int = 0


#: Nothing is sent to the bot.
NOTHING = Prompt()


class Dialogue(Protocol):
    """One match of one seat, translated into the lines of a protocol."""

    def begin(self) -> Prompt:
        """The first lines, when the bot gets its seat."""

    def hear(self, event: Any) -> Prompt:
        """Take an event of the game's master, of one of the types in `Bridge.hears`. Each event comes once."""

    def answer(self, lines: Sequence[str]) -> Any:
        """
        The action that the bot has written; `None`: it gives up the match. The rules may forbid the action.

        :param lines: as many as the prompt asked for, without line ends and blanks around them; none is empty
        :raises BadAnswer: this is no answer
        """

    def illegal(self, again: bool) -> Prompt:
        """
        The host has refused the last action.

        :param again: whether the bot will be asked again; only if `Bridge.asks_again`
        """

    def over(self, result: Result | None) -> Sequence[str]:
        """
        The last lines.

        :param result: `None`: the match has ended, and its result is not known
        """


@frozen
class Bridge:
    """A protocol by which bots of another community play a game."""

    #: The name in the command: `gamehost bridge NAME`.
    name: str
    #: Makes the dialogue of a match: for a seat, with the names of all seats.
    dialogue: Callable[[Seat, Sequence[str]], Dialogue]
    #: The types of events that the dialogue receives. Each event of such a type is for everybody, so the host sends it
    #: again to a player that comes back.
    hears: tuple[type, ...]
    #: Seconds that a bot may take for an answer. The command can set another time.
    answer_time: float = field(default=2.0, kw_only=True)
    #: Whether the protocol has words for an illegal move after which the bot is asked again.
    asks_again: bool = field(default=False, kw_only=True)
