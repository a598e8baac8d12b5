"""
The interfaces of a game and of its game master, and the random numbers of masters.

A game master is the referee of one match: a table calls it, and it applies the rules. A master is deterministic: the same game,
settings, random numbers and calls give the same events. So a master reads no clock, draws no random numbers of its own and
knows no wire. It gets the time as the argument `now`, and random numbers from `Chance.below`. In a live match these numbers
come from the operating system, and are stored in the journal. In a replay they come from the journal, and in a test from a
list.

Times are whole milliseconds on the table's clock. That clock starts at 0 and stops while no player is connected.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Generic, NewType, Protocol, TypeVar, runtime_checkable

from msgspec import Struct

from gamehost.settings import Settings

T = TypeVar("T")


class Chance(Protocol):
    """A source of random numbers, which a master gets from its table."""

    def below(self, n: int) -> int:
        """Returns a whole number from 0 to n-1. All are equally likely."""


class SystemChance:
    """
    Random numbers from the operating system. They are also collected here until the journal stores them.

    :param draw: returns a whole number from 0 to n-1; a test can pass a function of its own
    """

    __slots__ = ("_draw", "drawn")

    def __init__(self, draw: Callable[[int], int] = secrets.randbelow) -> None:
        self._draw = draw
        #: The numbers drawn since the last `take`, in order.
        self.drawn: list[int] = []

    def below(self, n: int) -> int:
        outcome = self._draw(n)
        self.drawn.append(outcome)
        return outcome

    def take(self) -> tuple[int, ...]:
        """Returns the numbers drawn since the last call, in order."""
        drawn, self.drawn = tuple(self.drawn), []
        return drawn


class ScriptedChance:
    """Random numbers that are known in advance: from a journal or a test."""

    def __init__(self, outcomes: Iterable[int] = ()) -> None:
        self._outcomes = list(outcomes)

    def feed(self, outcomes: Iterable[int]) -> None:
        """Adds numbers. They are used after the unused ones."""
        self._outcomes.extend(outcomes)

    def below(self, n: int) -> int:
        """
        Returns the next number.

        :raises ValueError: no number is left, or the next one is not below `n`
        """
        if not self._outcomes:
            raise ValueError("the rules draw a number, and the record has no more")
        outcome = self._outcomes.pop(0)
        if not 0 <= outcome < n:
            raise ValueError(f"the next number of the record is {outcome}; expected 0 to {n - 1}")
        return outcome

    @property
    def unused(self) -> tuple[int, ...]:
        """The numbers that are not used yet."""
        return tuple(self._outcomes)


class JournalledChance(SystemChance):
    """Random numbers for one master: from the operating system, or from the journal during a replay."""

    __slots__ = ("_script",)

    def __init__(self, draw: Callable[[int], int] = secrets.randbelow) -> None:
        super().__init__(draw)
        #: The source of numbers during a replay; `None`: no replay is running.
        self._script: ScriptedChance | None = None

    def below(self, n: int) -> int:
        return super().below(n) if self._script is None else self._script.below(n)

    def replay(self, drawn: Sequence[int], step: Callable[[], T]) -> T:
        """
        Repeats one step of a match with the numbers from the journal.

        :param step: a call of the master
        :returns: the result of the step
        :raises ValueError: the step draws more numbers, or fewer, or from a smaller range
        """
        script = self._script = ScriptedChance(drawn)
        try:
            result = step()
        finally:
            self._script = None
        # A replay must draw exactly the numbers of the live match.
        if script.unused:
            raise ValueError("the record has numbers that the rules did not draw")
        return result


def shuffled(items: Iterable[T], chance: Chance) -> list[T]:
    """Returns the items in a random order (Fisher-Yates). All orders are equally likely."""
    result = list(items)
    # Each place, from the last one, gets one of the items that are not placed yet.
    for last in range(len(result) - 1, 0, -1):
        other = chance.below(last + 1)
        result[last], result[other] = result[other], result[last]
    return result


A = TypeVar("A")
E_co = TypeVar("E_co", covariant=True)

#: The settings of clocks: name -> a text with unit and default.
CLOCK_SETTINGS: Mapping[str, str] = {
    "game_time": "seconds of each seat for the whole match; default 0, no clocks",
    "increment": "seconds that a seat gets when its turn has ended; default 0; needs game_time",
}
#: The name of the setting that makes a match slow: the number of days for each move. And the highest number of days.
MOVE_DAYS, MOST_DAYS = "move_days", 14
A_contra = TypeVar("A_contra", contravariant=True)

#: The number of a seat at a table. Seats count from 0, in the order in which the players joined the table.
Seat = NewType("Seat", int)


class IllegalAction(Exception):
    """The rules forbid an action. The action has changed nothing. The message says what was wrong and what was expected."""


class To(Struct, Generic[E_co], frozen=True, gc=False):
    """
    An event, and the seats that receive it.

    If an event contains a secret, the master makes one event for the seats that may know it, and another for the rest. Nothing
    is removed from an event later.
    """

    event: E_co
    #: The seats that receive the event. `None`: all seats and watchers.
    audience: tuple[Seat, ...] | None = None


class Cause(Enum):
    """The kind of reason for which a match ended."""

    RULES = "rules"
    #: A player gave up the seat, or did not come back in time.
    LEFT = "left"
    #: A player did not act in time.
    TIME = "time"
    #: A player made an illegal move, and loses by the rules of this game.
    VIOLATION = "violation"


class Result(Struct, frozen=True, gc=False):
    """
    The end of a match: the winning seats, and the cause. Without a winner it is a draw. Several winners are partners, or share
    the victory.
    """

    winners: tuple[Seat, ...]
    cause: Cause
    #: The reason in a few words for people, such as `master taken`. Winners, losers and watchers read the same words, so they
    #: contain no secret.
    why: str

    def words(self, names: Sequence[str]) -> str:
        """Returns the winners and the cause, for people: `ann won (rules): master taken`."""
        winners = " and ".join(names[seat] for seat in self.winners) or "nobody"
        return f"{winners} won ({self.cause.value}): {self.why}"


class GameMaster(Protocol[A_contra, E_co]):
    """The referee of one match. It does its work at once: when a method returns, everything is done."""

    @property
    def deadline(self) -> int | None:
        """The time at which `expire` must be called; `None`: no deadline."""

    @property
    def result(self) -> Result | None:
        """The result of the match; `None`: it has not ended."""

    def begin(self, now: int) -> Sequence[To[E_co]]:
        """Begins the match. The table calls this once, before any other method."""

    def act(self, seat: Seat, action: A_contra, now: int) -> Sequence[To[E_co]]:
        """
        Performs an action of a seat.

        :raises IllegalAction: the rules forbid the action, or it is not this seat's turn. Nothing has changed and no random
            number was drawn.
        """

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[E_co]]:
        """
        Handles the loss of a player, who has left and cannot come back. The table calls this only before the match has a
        result.
        """

    def expire(self, now: int) -> Sequence[To[E_co]]:
        """
        Handles the end of the time: the deadline has passed. The table calls this only while there is a deadline and no result.
        """

    def view(self, seat: Seat | None) -> E_co:
        """
        Returns the state of the match as this seat may see it now; `None`: as a watcher may see it. A player that comes back
        receives it.

        The view contains no secret of another seat, and everything that `Game.legal` and `Game.follow` need.
        """

    def state(self) -> object:
        """
        Returns the whole state of the match, with its secrets, but without `deadline` and `result`.

        The host uses it to check a replay, and never shows it. It consists of values that
        `gamehost.journal.replay.canonical_text` accepts. Its form must not change while `Game.version` stays the same.
        """


class JudgesFouls(Protocol[A_contra]):
    """A master of a game in which a player loses by an illegal action. Its `act` accepts such an action."""

    def foul(self, seat: Seat, action: A_contra) -> str | None:
        """Returns the reason if this seat would lose by this action now; `None`: it would not."""


def foul_of(master: GameMaster[A, Any], seat: Seat, action: A) -> str | None:
    """
    Returns the reason if a seat would lose by an action; `None`: it would not, or the game does not punish illegal actions (see
    `JudgesFouls`).
    """
    # Not `isinstance`: for a protocol it takes longer than the check of the action itself.
    judge: JudgesFouls[A] | None = master if hasattr(master, "foul") else None  # type: ignore[assignment]
    return None if judge is None else judge.foul(seat, action)


def act_carefully(master: GameMaster[A, E_co], seat: Seat, action: A, now: int) -> Sequence[To[E_co]]:
    """
    Performs an action of a seat, but refuses it if the player would lose by it.

    :raises IllegalAction: as `GameMaster.act`, and for an action that loses by the rules; nothing has changed
    """
    if (foul := foul_of(master, seat, action)) is not None:
        raise IllegalAction(foul)
    return master.act(seat, action, now)


class Offer(Enum):
    """A proposal of one player to the other, in a match of two."""

    DRAW = "draw"
    #: The player that makes the offer takes the last move back.
    TAKEBACK = "takeback"
    #: A draw that one player claims, because the other player has not come back in time. The absent player is not asked.
    CLAIM = "claim"


#: The result of a match if its players agree on a draw.
AGREED = Result((), Cause.RULES, "the players agreed on a draw")
#: The result of a match if the player that is present claims a draw.
CLAIMED = Result((), Cause.LEFT, "a player did not come back, and the other one took a draw")
#: The most moves that can be taken back, counted for both players together.
TAKEN_BACK_AT_MOST = 6


@runtime_checkable
class TakesOffers(Protocol[E_co]):
    """A master of a game that allows offers (`AllowsOffers`)."""

    def objection(self, offer: Offer, seat: Seat) -> str | None:
        """
        Returns the reason why a seat cannot make this offer now; `None`: it can. The table calls this only before the match has
        a result.
        """

    def agree(self, offer: Offer, seat: Seat, now: int) -> Sequence[To[E_co]]:
        """
        Performs an offer that the other player has accepted. The match is drawn, or returns to the position before the last
        move of the seat that made the offer. With `Offer.CLAIM` the result is `CLAIMED`.

        :raises IllegalAction: there is an objection. Nothing has changed
        """


class Game(Protocol[A, E_co]):
    """
    A game that this host can play.

    `legal`, `random_action` and `follow` compute from the knowledge of one seat. They take the master's own views and events,
    not the JSON messages that are made from them. The content of messages is published, so a message may leave out details that
    a rule needs; a view may contain them. An example: the lines that a piece of Stratego has crossed lately. A program that has
    only messages can read them back with `messages` of the game. The views that it gets in this way contain only what the
    messages contain.
    """

    @property
    def name(self) -> str:
        """The name in settings and in the journal, in lower case, such as `onitama`."""

    @property
    def version(self) -> int:
        """The version of the rules. A record in the journal is replayed only by the version that wrote it."""

    @property
    def least_seats(self) -> int: ...

    @property
    def most_seats(self) -> int: ...

    @property
    def options(self) -> Mapping[str, str]:
        """All settings: name -> a text with unit and default. Every game has `move_time`, in seconds."""

    def check(self, settings: Settings) -> None:
        """
        Checks the settings of a match.

        :raises BadOption: a setting is unknown, or its value is not valid
        """

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> GameMaster[A, E_co]:
        """
        Makes a master for one match. This draws no random numbers; `GameMaster.begin` does.

        :param seats: the number of seats
        :raises BadOption: a setting is unknown, or its value is not valid
        """

    def write(self, action: A) -> bytes:
        """Returns an action in the game's notation, for the journal: one line of printable UTF-8."""

    def read(self, notation: bytes) -> A:
        """
        Returns the action that `write` has written.

        :raises ValueError: the text is not in the game's notation
        """

    def legal(self, view: Any, seat: Seat) -> Iterator[A] | None:
        """
        Yields the actions that a seat may take now. The order is the same for equal views. The master accepts each of them, and
        no other action. There may be very many, so they are found one by one.

        A view need not show that the match is over, because the table sends the end to all seats.

        :param view: the result of `GameMaster.view` for this seat
        :return: `None`: there are too many actions for a list, or the host does not know the rules. `random_action` returns one
            of them.
        """

    def random_action(self, view: Any, seat: Seat, below: Callable[[int], int]) -> A | None:
        """
        Returns one of the actions that a seat may take now, without a list of all of them.

        :param below: returns a random number from 0 to n-1, like `Chance.below`
        :return: `None`: this seat has nothing to do now, or the host does not know the rules
        """

    def follow(self, view: Any, event: Any, seat: Seat | None) -> Any:
        """
        Returns the view of a seat after an event, as `GameMaster.view` would return it then. The old view is not changed.

        After each call of a master, a view that has followed all events for this seat equals the result of `GameMaster.view`.
        Between two events of the same call it may differ.

        :param view: the view before the event; `None`: this is the first event
        :param event: an event that this seat receives
        :param seat: the seat that has the view; `None`: a watcher
        :return: the new view; the old one, if the event changes nothing
        """


@runtime_checkable
class HasSteps(Protocol[A]):
    """A game with too many legal actions for a list. A player finds an action step by step instead."""

    def steps(self, view: Any, seat: Seat, begun: A | None) -> Iterator[tuple[A, bool]]:
        """
        Yields the possible next steps of an action, in a fixed order.

        :param begun: the beginning of the action, as this method has yielded it; `None`: no step was taken yet
        :returns: each longer beginning, and whether it is a whole action
        :raises IllegalAction: no legal action has this beginning, or it is a whole action already
        """


@runtime_checkable
class HasSequels(Protocol[A]):
    """
    A game in which some decisions consist of two actions. The possible second actions can be shown before the first one is
    performed.
    """

    def sequels(self, view: Any, seat: Seat, action: A) -> Iterator[A]:
        """
        Yields the actions that a seat may take right after one of its legal actions, in a fixed order.

        :raises IllegalAction: the action is not legal, or the actions after it are not known
        """


@runtime_checkable
class Determinizable(Game[A, E_co], Protocol[A, E_co]):
    """A game that can sample the hidden state that fits a view. Search players need it (`gamehost.games.play`)."""

    def determinized(self, view: Any, seat: Seat, chance: Chance) -> GameMaster[A, E_co]:
        """
        Returns a master of a match that fits the knowledge of a seat. Hidden state that the seat does not know is drawn from
        `chance`, so the result depends only on the arguments. Its view for this seat equals `view`, and it accepts the actions
        that are legal in this view. It has no times.

        :param view: as for `legal`, of a match that has not ended
        """


@runtime_checkable
class HasOutlook(Protocol):
    """
    A game that can estimate the value of a match before its end. Without this, search players know only victories and losses.
    """

    def outlook(self, master: Any, seat: Seat) -> float:
        """
        Estimates the value of a match for a seat, without a search: from -1 (almost lost) to 1 (almost won).

        :param master: a master that `determinized` has made, of a match that has not ended
        """


@runtime_checkable
class LimitsChoices(Protocol):
    """A game in which players may choose only some of the settings. In other games they may choose all settings."""

    @property
    def choices(self) -> frozenset[str]:
        """The settings that players may choose. Times can always be chosen."""

    @property
    def usual(self) -> Settings:
        """Settings that every match gets, so that players of different wires can meet."""


@runtime_checkable
class AllowsOffers(Protocol):
    """
    A game for two in which players can make offers to each other. Its masters are `TakesOffers`. Other games have no offers.
    """

    @property
    def offers(self) -> frozenset[Offer]: ...


def offers_of(game: Any) -> frozenset[Offer]:
    """Returns the kinds of offers that players of a game may make to each other."""
    return game.offers if isinstance(game, AllowsOffers) else frozenset()


def any_of(actions: Iterator[A] | None, below: Callable[[int], int]) -> A | None:
    """
    Returns one of the legal actions, all equally likely; `None`: there is none. It is a simple `Game.random_action` for games
    with few legal actions.
    """
    found = list(actions or ())
    return found[below(len(found))] if found else None
