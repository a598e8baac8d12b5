"""
Advice in a match against house players: the action of a stronger house player, and its reason.

The processes of the house players compute it. Advice and house players' moves take turns, by address. An adviser
receives only the view of the seat that asks.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from attrs import define
from msgspec import Raw, Struct, json
from twisted.internet.defer import CancelledError

from gamehost.games.base import Game, Seat
from gamehost.games.installed import part
from gamehost.games.play import heard_back, messages_of, player_of
from gamehost.journal.records import TableId
from gamehost.lobby.questions import Found, NotAnswered
from gamehost.players.base import Level, SeededChance, Thinking
from gamehost.tables.gallery import WatchRefused

if TYPE_CHECKING:
    from gamehost.lobby.directory import MatchDirectory
    from gamehost.lobby.house import HousePlayers

#: The level of an adviser, and the seconds in which it answers.
ADVISER, SECONDS = Level.HARD, 0.3
#: The levels of opponents against which there is advice: those below the adviser's.
BELOW = tuple(level for level in Level if list(Level).index(level) < list(Level).index(ADVISER))

#: The reason for an action of a game without reasons of its own.
_NO_REASON = "A stronger house player would do this."


class AdviceQuestion(Struct, frozen=True):
    """
    A position in which a player asks for advice, as it is sent to a process of the house players.

    `view` is a message of the game. `told` has messages for all earlier public events, if the game's players draw
    conclusions from them; otherwise it is empty.
    """

    game: str
    seat: int
    view: Raw
    told: list[Raw]


class Advice(Struct, frozen=True):
    """
    The action that a stronger player would choose. If a second action belongs to it and follows at once, it is the
    second item of `actions`. `because` gives the reason in one sentence.
    """

    actions: list[str]
    because: str


@runtime_checkable
class Continues(Protocol):
    """A house player that plans two actions together, such as the choice of a student and then of its destination."""

    def continuation(self) -> bytes | None:
        """The second of the two planned actions, after the first was given; `None`: there is no second one."""


def refusal(opponent: str) -> str | None:
    """
    The reason why there is no advice against an opponent; `None`: there is advice.

    :param opponent: the name of a house player; empty: the opponents are not all house players
    """
    # The level of a house player is the beginning of its name, such as `easy.7`.
    level = opponent.partition(".")[0]
    if not level:
        return "there is advice only in matches against house players"
    return None if level in BELOW else "no house player is stronger than your opponent"


def advise(game: Game[Any, Any], seat: Seat, heard: Sequence[Any], thinking: Thinking) -> Advice:
    """
    Compute the advice for a seat: what a house player of the level `ADVISER` would do there.

    :param heard: the messages that the player of this seat receives when it comes back, from `heard_back`
    :raises NotAnswered: this player has no action to choose now
    """
    # Let a new player learn the position, and choose.
    player = player_of(game, seat, ADVISER, thinking)
    for one in heard:
        player.hear(one)
    answer = player.answer()
    if answer is None:
        raise NotAnswered("there is nothing to do now")
    # In some games the player has planned the next action together with this one.
    following = player.continuation() if isinstance(player, Continues) else None
    actions = [one for one in (answer, following) if one is not None]
    # A game may have an `advice` module with the function `because`, which says why; the last message has the position.
    because = part(game, "advice", "because")
    reason = None if because is None else because(heard[-1], seat, [game.read(one) for one in actions])
    return Advice([one.decode() for one in actions], reason or _NO_REASON)


def question_of(game: Game[Any, Any], seat: Seat, view: Any, told: Sequence[Any]) -> str:
    """
    Write the question for advice, an `AdviceQuestion` in JSON, that is sent to a process of the house players.

    :param view: the seat's view, from `GameMaster.view`
    :param told: the public events up to now, from the game's master; those without a message of the game are left out
    :raises NotAnswered: the game has no messages
    """
    messages = messages_of(game)
    if messages is None:
        raise NotAnswered(f"{game.name} has no messages")
    events = [Raw(json.encode(one)) for one in map(messages.event, told) if one is not None]
    asked = AdviceQuestion(game.name, int(seat), Raw(json.encode(messages.view(view))), events)
    return json.encode(asked).decode()


def answer_of(
    asked: AdviceQuestion,
    game: Game[Any, Any],
    seed: int,
    effort: float,
    clock: Callable[[], float] | None = time.monotonic,
) -> Advice:
    """
    Answer a question for advice, in a process of the house players.

    :param seed: decides among equally good actions
    :param effort: a factor for the work of the search
    :param clock: returns the time in seconds; `None`: only the search nodes limit the work
    :raises NotAnswered: the player has no action to choose now, or the game has no messages
    """
    messages = messages_of(game)
    if messages is None:
        raise NotAnswered(f"{game.name} has no messages")
    ends = None if clock is None else clock() + SECONDS
    view = json.decode(asked.view, type=messages.view_type)
    told = [json.decode(one, type=messages.event_type) for one in asked.told]
    seat = Seat(asked.seat)
    heard = heard_back(game, view, told, seat)
    return advise(game, seat, heard, Thinking(SeededChance(seed), clock, effort, ends))


@define(eq=False)
class Advisers:
    """Answers the players of a host that ask for advice: sends each question to the processes of the house players."""

    _directory: "MatchDirectory"
    _house: "HousePlayers"

    def ask(
        self,
        address: str,
        position: "AdvisedPosition",
        answered: Callable[[Advice], None],
        refused: Callable[[NotAnswered], None],
    ) -> Callable[[], None]:
        """
        Find out what a stronger player would do.

        :param address: of the player that asks; addresses take turns
        :param answered: called with the advice, at once or later
        :param refused: called instead if there is no advice
        :returns: a function that cancels both calls
        """
        key = (Advisers, position.table, position.seat, position.n)
        work = partial(self._advice, address, position)
        return self._directory.questions.tell(address, key, work, answered, refused)

    async def _advice(self, address: str, position: "AdvisedPosition") -> Found:
        """
        Do the work of a question for advice: collect the facts that the process needs, send them there, and wait for the
        answer.
        """
        game = position.game
        told: list[Any] = []
        # Most games' players need only the view. The others also need the earlier events, from the journal.
        if part(game, "player", "recalled") is not None:
            try:
                _, history = await self._directory.own_history(position.table, position.n).read()
            except WatchRefused as error:
                history = error
            # Without the events of exactly this position, the adviser has only the view.
            if not isinstance(history, WatchRefused) and history.n == position.n:
                told = [event for _, event in history.events]
        question = question_of(game, position.seat, position.view, told)
        try:
            answer = self._house.advise(address, game.name, question)
            # Other questions are answered while the process thinks.
            self._directory.questions.step_aside(answer.cancel)
            return Found(json.decode(await answer, type=Advice), 0)
        except CancelledError:
            raise NotAnswered("nobody waits for this advice any more") from None


class AdvisedPosition(Struct, frozen=True):
    """The position for which a seat asks advice: its view, from `GameMaster.view`, after entry `n` of the journal."""

    table: TableId
    game: Game[Any, Any]
    seat: Seat
    n: int
    view: Any
