"""
What a game says to programs: its views, events and actions as messages that any program can read, and the lines that bots of
other communities read and write. Pure.

The `messages` module of a game turns the attrs classes of its master into msgspec structs. The structs are what the open wire,
the browser and records carry, and their JSON Schema is published. It shows what it is given and hides nothing: a master has
addressed each event already. Struct fields never follow the names of a master's fields by themselves, so that a renamed field
of a game changes no message.

A game has its protocols of bots in `bridge.py` of its folder, as the tuple `BRIDGES`; a game of another package may bring them,
too. `gamehost.extras.bots.bridge` starts the bot, sits down for it at a host, and has the pipes and the deadlines.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, Protocol

from attrs import field, frozen
from msgspec import Struct

from gamehost.games.base import Result, Seat


class EventMessage(Struct, frozen=True, tag_field="kind"):
    """The base of all events; `kind` says which one it is."""


class ActionMessage(Struct, frozen=True, tag_field="kind"):
    """The base of all actions; `kind` says which one it is."""


def union_of(family: type) -> Any:
    """All kinds of messages with this base, for decoders and schemas."""
    return reduce(or_, family.__subclasses__())


class Messages(Protocol):
    """What makes the messages of a game, and reads them. Each game's `messages` module has one, called `MESSAGES`."""

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
        """What a program needs to find legal moves and would otherwise have to copy, as JSON; most games have nothing."""

    def view(self, situation: Any) -> Struct:
        """What `GameMaster.view` gave, as a message."""

    def read_view(self, view: Any, seat: Seat | None) -> Any:
        """
        What `GameMaster.view` gives, from its message. What no message says is missing.

        :param seat: whose view it is; `None`: a watcher's
        """

    def read_event(self, event: Any) -> Any:
        """An event of the master, from its message; `None`: it changes no view, and no player needs it."""

    def action(self, action: Any) -> Struct:
        """An action in parts, for programs that do not read the game's notation."""

    def event(self, event: Any) -> EventMessage | None:
        """An event of the master, as a message; `None`: it is not told (a view says the same)."""


#: The `kind` of the event by which moves are taken back, in all games that have it.
TAKEN_BACK = "taken-back"


def moves_undone(message: Any) -> int:
    """How many moves an event takes back; 0: it is no such event."""
    undone: int = message.moves if type(message).__struct_config__.tag == TAKEN_BACK else 0
    return undone


@frozen
class SameMessages:
    """The messages of a game whose master has views, events and actions that are messages themselves."""

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
