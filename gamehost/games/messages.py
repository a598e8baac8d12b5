"""
The messages of a game for programs: its views, events and actions in a form that any program can read. Also the base
classes for the protocols of other communities' bots. No input or output.

The `messages` module of a game turns the attrs classes of its master into msgspec structs. The open wire, the browser
and records use these structs, and their JSON Schema is published. The module translates everything that it gets and
hides nothing: the master has already chosen the receivers of each event. The names of struct fields are written out in
this module, not taken from the master's fields. So a field of the master can be renamed without a change of the
messages.

`bridge.py` in a game's folder has the protocols of bots for this game, as the tuple `BRIDGES`. Another package may add
protocols for the same game. `gamehost.extras.bots.bridge` starts the bot, plays for it at a host, reads and writes the
pipes, and checks the deadlines.
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
    """Returns the union of all message classes with this base, for decoders and schemas."""
    return reduce(or_, family.__subclasses__())


class Messages(Protocol):
    """
    Translates a game's views, events and actions to messages, and back. Each game's `messages` module has one instance,
    called `MESSAGES`.
    """

    @property
    def view_type(self) -> Any:
        """The struct of a view, for the schema."""

    @property
    def event_type(self) -> Any:
        """The union of the structs of all events, for the schema."""

    @property
    def action_type(self) -> Any:
        """The struct of an action, or the union of the structs of all actions, for the schema."""

    @property
    def rules(self) -> Mapping[str, Any]:
        """
        Constants of the rules, as JSON, from which a program can find the legal moves without a copy of its own. Most
        games have none.
        """

    def view(self, situation: Any) -> Struct:
        """Translates a view of `GameMaster.view` to a message."""

    def read_view(self, view: Any, seat: Seat | None) -> Any:
        """
        Translates a message back to a view of `GameMaster.view`. Details that no message contains are missing in this
        view.

        :param seat: the seat that receives the view; `None`: a watcher
        """

    def read_event(self, event: Any) -> Any:
        """
        Translates a message back to an event of the master; `None`: the event changes no view, and no player needs it.
        """

    def action(self, action: Any) -> Struct:
        """Translates an action to a struct, for programs that do not read the game's notation."""

    def event(self, event: Any) -> EventMessage | None:
        """
        Translates an event of the master to a message; `None`: the event is not sent, because other messages contain
        the same.
        """


#: The `kind` of the event by which moves are taken back, in all games that have it.
TAKEN_BACK = "taken-back"


def moves_undone(message: Any) -> int:
    """Returns the number of moves that an event takes back; 0 for all other events."""
    # The tag names the kind of the event. An event of this kind has the field `moves`.
    undone: int = message.moves if type(message).__struct_config__.tag == TAKEN_BACK else 0
    return undone


@frozen
class SameMessages:
    """
    The messages of a game with a master that already uses msgspec structs as its views, events and actions. Nothing is
    translated.
    """

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
    """A bot's answer cannot be understood. The message says what was wrong and what was expected."""


@frozen
class Prompt:
    """Lines to send to a bot, without line ends. `answers` is the number of lines that the bot must write then."""

    lines: Sequence[str] = ()
    answers: int = 0


#: Nothing is sent to the bot.
NOTHING = Prompt()


class Dialogue(Protocol):
    """
    One match of a bot at one seat: translates the match into lines of the bot's protocol, and the bot's lines into
    actions.
    """

    def begin(self) -> Prompt:
        """Returns the first lines for the bot, when it gets its seat."""

    def hear(self, event: Any) -> Prompt:
        """
        Returns the lines for the bot after an event of the game's master. The event has one of the types in
        `Bridge.hears`. Each event is passed once.
        """

    def answer(self, lines: Sequence[str]) -> Any:
        """
        Returns the action that the bot has written; `None`: the bot resigns. The rules may forbid the action.

        :param lines: as many lines as the prompt asked for, without line ends and surrounding blanks; none is empty
        :raises BadAnswer: the lines are not an answer of this protocol
        """

    def illegal(self, again: bool) -> Prompt:
        """
        Returns the lines for the bot after the host has refused its last action.

        :param again: whether the bot will be asked again; only if `Bridge.asks_again`
        """

    def over(self, result: Result | None) -> Sequence[str]:
        """
        Returns the last lines for the bot.

        :param result: the result of the match; `None`: the match has ended without a known result
        """


@frozen
class Bridge:
    """A protocol by which bots of another community play a game."""

    #: The name in the command: `gamehost bridge NAME`.
    name: str
    #: Makes the dialogue of one match, from the bot's seat and the names of the players at all seats.
    dialogue: Callable[[Seat, Sequence[str]], Dialogue]
    #: The types of events that the dialogue receives. Every event of these types must be public: then the host sends it
    #: again to a player that comes back.
    hears: tuple[type, ...]
    #: Seconds that a bot may take for an answer. The command can set another time.
    answer_time: float = field(default=2.0, kw_only=True)
    #: Whether the protocol can report an illegal move to the bot and ask for another one.
    asks_again: bool = field(default=False, kw_only=True)
