"""
The interfaces of a game and of its game master, and the random numbers of masters.

A game master is the referee of one match: a table calls it, and it applies the rules. A master is deterministic: the
same game, settings, random numbers and calls give the same events. So it reads no clock, draws no random numbers of its
own and knows no wire. The time is the argument `now`. A master gets its random numbers from a `Chance`, by its method
`below`. The numbers come from the operating system in a live match and go to the journal. They come from the journal in
a replay, and from a script in a test.

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
    """A source of random numbers."""

    def below(self, n: int) -> int:
        """A whole number from 0 to n-1. All are equally likely."""


class SystemChance:
    """
    Random numbers from the operating system. They are stored here until the journal takes them.

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
        """The numbers drawn since the last call, in order."""
        drawn, self.drawn = tuple(self.drawn), []
        return drawn


class ScriptedChance:
    """Random numbers that were chosen in advance: they come from a journal or a test."""

    def __init__(self, outcomes: Iterable[int] = ()) -> None:
        self._outcomes = list(outcomes)

    def feed(self, outcomes: Iterable[int]) -> None:
        """Add numbers, to be used after the unused ones."""
        self._outcomes.extend(outcomes)

    def below(self, n: int) -> int:
        """
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
        #: The numbers from the journal; `None`: there is no replay.
        self._script: ScriptedChance | None = None

    def below(self, n: int) -> int:
        return super().below(n) if self._script is None else self._script.below(n)

    def replay(self, drawn: Sequence[int], step: Callable[[], T]) -> T:
        """
        Run one step with numbers from the journal.

        :param step: a call of the master
        :returns: what the step returned
        :raises ValueError: the step draws more numbers, or fewer, or from a smaller range
        """
        script = self._script = ScriptedChance(drawn)
        try:
            result = step()
        finally:
            self._script = None
        if script.unused:
            raise ValueError("the record has numbers that the rules did not draw")
        return result


def shuffled(items: Iterable[T], chance: Chance) -> list[T]:
    """The items in a random order (Fisher-Yates). All orders are equally likely."""
    result = list(items)
    for last in range(len(result) - 1, 0, -1):
        other = chance.below(last + 1)
        result[last], result[other] = result[other], result[last]
    return result


A = TypeVar("A")
E_co = TypeVar("E_co", covariant=True)

#: The settings of clocks: the name, and a text with unit and default.
CLOCK_SETTINGS: Mapping[str, str] = {
    "game_time": "seconds of each seat for the whole match; default 0, no clocks",
    "increment": "seconds that a seat gets when its turn has ended; default 0; needs game_time",
}
#: A setting of slow matches: the days that each move may take. And the highest number of days.
MOVE_DAYS, MOST_DAYS = "move_days", 14
A_contra = TypeVar("A_contra", contravariant=True)

#: The number of a seat at a table. Seats count from 0, in the order in which the players joined.
Seat = NewType("Seat", int)


class IllegalAction(Exception):
    """
    The rules forbid an action. The action has changed nothing. The message says what was wrong and what was expected.
    """


class To(Struct, Generic[E_co], frozen=True, gc=False):
    """
    An event and its audience.

    If an event contains a secret, the master makes one event for the seats that may know it, and another for the rest.
    Nothing is removed from an event later.
    """

    event: E_co
    #: The seats that receive the event. `None`: all seats and watchers.
    audience: tuple[Seat, ...] | None = None


class Cause(Enum):
    """Why a match ended."""

    RULES = "rules"
    #: A player gave up the seat, or did not come back in time.
    LEFT = "left"
    #: A player did not act in time.
    TIME = "time"
    #: A player made an illegal move, and this game punishes it with the loss.
    VIOLATION = "violation"


class Result(Struct, frozen=True, gc=False):
    """
    The end of a match: the winning seats, and the cause. No winner: a draw. Several winners: partners, or a shared
    victory.
    """

    winners: tuple[Seat, ...]
    cause: Cause
    #: For people: a few words such as `master taken`. They contain no secret. Winners, losers and watchers read the same.
    why: str

    def words(self, names: Sequence[str]) -> str:
        """The winners and the cause, for people: `ann won (rules): master taken`."""
        winners = " and ".join(names[seat] for seat in self.winners) or "nobody"
        return f"{winners} won ({self.cause.value}): {self.why}"


class GameMaster(Protocol[A_contra, E_co]):
    """The referee of one match. When a method returns, its work is complete."""

    @property
    def deadline(self) -> int | None:
        """The time at which `expire` must be called; `None`: no deadline."""

    @property
    def result(self) -> Result | None:
        """The end of the match; `None`: it has not ended."""

    def begin(self, now: int) -> Sequence[To[E_co]]:
        """Begin the match. This is called once, before any other method."""

    def act(self, seat: Seat, action: A_contra, now: int) -> Sequence[To[E_co]]:
        """
        Carry out an action.

        :raises IllegalAction: the rules forbid it, or it is not this seat's turn. Nothing has changed and no random number
            was drawn.
        """

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[E_co]]:
        """The player of this seat has left, and cannot come back. This is called only before the match has a result."""

    def expire(self, now: int) -> Sequence[To[E_co]]:
        """The deadline has passed. This is called only while there is a deadline and no result."""

    def view(self, seat: Seat | None) -> E_co:
        """
        The match as this seat may see it now, for a player that comes back. `None`: for a watcher.

        It contains no secret of another seat, and all that `Game.legal` and `Game.follow` need.
        """

    def state(self) -> object:
        """
        The whole state of the match, secrets included, without `deadline` and `result`.

        It is used to check a replay and is never shown. It consists of values that
        `gamehost.journal.replay.canonical_text` accepts. Its form must not change while `Game.version` stays the same.
        """


class JudgesFouls(Protocol[A_contra]):
    """A master of a game in which an illegal action is a loss. Its `act` accepts such an action."""

    def foul(self, seat: Seat, action: A_contra) -> str | None:
        """Why this action would be a loss for its player now; `None`: it would not be."""


def foul_of(master: GameMaster[A, Any], seat: Seat, action: A) -> str | None:
    """Why an action would be a loss for its player; `None`: it would not be, or no action is (see `JudgesFouls`)."""
    # Not `isinstance`: with a protocol it takes longer than the judgement itself.
    judge: JudgesFouls[A] | None = master if hasattr(master, "foul") else None  # type: ignore[assignment]
    return None if judge is None else judge.foul(seat, action)


def act_carefully(master: GameMaster[A, E_co], seat: Seat, action: A, now: int) -> Sequence[To[E_co]]:
    """
    Carry out an action of a seat, but refuse it if the rules punish it with the loss of the match.

    :raises IllegalAction: as `GameMaster.act`, and for an action that loses by the rules; nothing has changed
    """
    if (foul := foul_of(master, seat, action)) is not None:
        raise IllegalAction(foul)
    return master.act(seat, action, now)


class Offer(Enum):
    """A proposal that one player of a match of two may make to the other one."""

    DRAW = "draw"
    #: The player that proposes it takes the last move back.
    TAKEBACK = "takeback"
    #: A draw that one player claims, because the other one has not come back in time. The other one is not asked.
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
        """Why a seat cannot offer this now; `None`: it can. This is called only before the match has a result."""

    def agree(self, offer: Offer, seat: Seat, now: int) -> Sequence[To[E_co]]:
        """
        Carry out an offer that the other player has accepted. The match is drawn, or returns to the position before the
        last move of the seat that offered. With `Offer.CLAIM` the result is `CLAIMED`.

        :raises IllegalAction: there is an objection. Nothing has changed
        """


class Game(Protocol[A, E_co]):
    """
    A game that this host can play.

    `legal`, `random_action` and `follow` compute from the knowledge of one seat. They take the master's own views and
    events, not the JSON messages that are made of them. A message may leave out what a rule needs, such as the borders
    that a piece of Stratego has crossed, because its bytes are published; a view may contain it. A program that has
    only messages can read them back with `messages` of the game. Its views then contain only what the messages contain.
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
        """All settings: the name, and a text with unit and default. Every game has `move_time`, in seconds."""

    def check(self, settings: Settings) -> None:
        """
        :raises BadOption: a setting is unknown or cannot be used
        """

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> GameMaster[A, E_co]:
        """
        Make a master for one match. This draws no random numbers; `GameMaster.begin` does.

        :param seats: the number of seats
        :raises BadOption: as for `check`
        """

    def write(self, action: A) -> bytes:
        """Write an action in the game's notation, for the journal: one line of printable UTF-8."""

    def read(self, notation: bytes) -> A:
        """
        Read what `write` wrote.

        :raises ValueError: this is not the game's notation
        """

    def legal(self, view: Any, seat: Seat) -> Iterator[A] | None:
        """
        The actions that a seat may take now, in an order that is the same for equal views. The master accepts each of them,
        and no other one. There may be very many, so they are found one by one.

        A view need not show that the match is over: the table sends that to all seats.

        :param view: what `GameMaster.view` gives to this seat
        :return: `None`: the actions are too many for a list, or the host does not know the rules. `random_action` gives
            one.
        """

    def random_action(self, view: Any, seat: Seat, below: Callable[[int], int]) -> A | None:
        """
        One of the actions that a seat may take now, without a list of all of them.

        :param below: gives a random number from 0 to n-1, as `Chance.below`
        :return: `None`: this seat has nothing to do now, or the host does not know the rules
        """

    def follow(self, view: Any, event: Any, seat: Seat | None) -> Any:
        """
        The view of a seat after an event: the same as `GameMaster.view` gives then. The old view is not changed.

        After each call of a master, a view that has followed all events for this seat equals what `GameMaster.view` gives.
        Between two events of one call it may differ.

        :param view: the view before; `None`: nothing is known before the first event
        :param event: an event that this seat receives
        :param seat: the seat that has the view; `None`: a watcher
        :return: the view before, where the event changes nothing
        """


@runtime_checkable
class HasSteps(Protocol[A]):
    """A game with too many legal actions for a list. They are found one step after the other instead."""

    def steps(self, view: Any, seat: Seat, begun: A | None) -> Iterator[tuple[A, bool]]:
        """
        The ways to add one step to the beginning of an action, in a fixed order.

        :param begun: the beginning, as this method gave it; `None`: no step was taken yet
        :returns: each longer beginning, and whether it is a whole action
        :raises IllegalAction: no legal action has this beginning, or it is a whole action
        """


@runtime_checkable
class HasSequels(Protocol[A]):
    """A game in which some actions are half of a decision. The other half can be shown before the first is carried out."""

    def sequels(self, view: Any, seat: Seat, action: A) -> Iterator[A]:
        """
        The actions that a seat may take right after one of its legal actions, in a fixed order.

        :raises IllegalAction: the action is not legal, or the actions after it are not known
        """


@runtime_checkable
class Determinizable(Game[A, E_co], Protocol[A, E_co]):
    """A game that can sample the hidden state that fits a view. Search players need it (`gamehost.games.play`)."""

    def determinized(self, view: Any, seat: Seat, chance: Chance) -> GameMaster[A, E_co]:
        """
        A master of a match that fits what a seat knows. Hidden state that the seat does not know is drawn from
        `chance`, so the master depends on the arguments alone. It gives this seat an equal view, accepts the actions
        that are legal in it, and has no times.

        :param view: as for `legal`, of a match that has not ended
        """


@runtime_checkable
class HasOutlook(Protocol):
    """A game that can value a match before its end. Without this, search players know only victories and losses."""

    def outlook(self, master: Any, seat: Seat) -> float:
        """
        The value of a match for a seat, without a search: from -1 (almost lost) to 1 (almost won).

        :param master: a master that `determinized` has made, of a match that has not ended
        """


@runtime_checkable
class LimitsChoices(Protocol):
    """A game that lets players choose only some of its settings. Of other games they may choose all."""

    @property
    def choices(self) -> frozenset[str]:
        """The settings that players may choose. Times can always be chosen."""

    @property
    def usual(self) -> Settings:
        """Settings that a match always has, so that players of all wires find each other."""


@runtime_checkable
class AllowsOffers(Protocol):
    """A game of two in which players can make offers. Its masters are `TakesOffers`. Other games have no offers."""

    @property
    def offers(self) -> frozenset[Offer]: ...


def offers_of(game: Any) -> frozenset[Offer]:
    """The offers that players of a game may make each other."""
    return game.offers if isinstance(game, AllowsOffers) else frozenset()


def any_of(actions: Iterator[A] | None, below: Callable[[int], int]) -> A | None:
    """One of the legal actions, all equally likely; `None`: there is none. For `Game.random_action` in games with few."""
    found = list(actions or ())
    return found[below(len(found))] if found else None
