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
    A position, in the form that a process needs. `view` is a message of the game. `told` are the messages of the public
    events, for games with players that draw conclusions from them.
    """

    game: str
    seat: int
    view: Raw
    told: list[Raw]


class Advice(Struct, frozen=True):
    """
    The action of a stronger player, with the actions that follow it at once and belong to it. `because` gives the
    reason in one sentence.
    """

    actions: list[str]
    because: str


@runtime_checkable
class Continues(Protocol):
    """A player with answers that may belong together, such as a student and its destination."""

    def continuation(self) -> bytes | None:
        """The answer that follows the last one before anybody else acts and belongs to it; `None`: there is none."""


def refusal(opponent: str) -> str | None:
    """
    The reason why there is no advice against an opponent; `None`: there is advice.

    :param opponent: the name of a house player; empty: the opponents are not all house players
    """
    level = opponent.partition(".")[0]
    if not level:
        return "there is advice only in matches against house players"
    return None if level in BELOW else "no house player is stronger than your opponent"


def advise(game: Game[Any, Any], seat: Seat, heard: Sequence[Any], thinking: Thinking) -> Advice:
    """
    The advice for a seat.

    :param heard: the events that its player receives when it comes back, as of `heard_back`
    :raises NotAnswered: it has nothing to do
    """
    player = player_of(game, seat, ADVISER, thinking)
    for one in heard:
        player.hear(one)
    answer = player.answer()
    if answer is None:
        raise NotAnswered("there is nothing to do now")
    following = player.continuation() if isinstance(player, Continues) else None
    actions = [one for one in (answer, following) if one is not None]
    because = part(game, "advice", "because")
    reason = None if because is None else because(heard[-1], seat, [game.read(one) for one in actions])
    return Advice([one.decode() for one in actions], reason or _NO_REASON)


def question_of(game: Game[Any, Any], seat: Seat, view: Any, told: Sequence[Any]) -> str:
    """
    The question of a seat, for a process, in JSON.

    :param view: of `GameMaster.view`
    :param told: events of the master
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
    The answer of a process.

    :param seed: decides among equal actions
    :param clock: `None`: only nodes are counted
    :raises NotAnswered: there is none
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
    """The advice of a host."""

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

        :param answered: called with the advice, at once or later
        :param refused: called instead if there is none
        :returns: a function that cancels both calls
        """
        key = (Advisers, position.table, position.seat, position.n)
        work = partial(self._advice, address, position)
        return self._directory.questions.tell(address, key, work, answered, refused)

    async def _advice(self, address: str, position: "AdvisedPosition") -> Found:
        game = position.game
        told: list[Any] = []
        # Most games' players need no more than the view.
        if part(game, "player", "recalled") is not None:
            try:
                _, history = await self._directory.own_history(position.table, position.n).read()
            except WatchRefused as error:
                history = error
            if not isinstance(history, WatchRefused) and history.n == position.n:
                told = [event for _, event in history.events]
        question = question_of(game, position.seat, position.view, told)
        try:
            answer = self._house.advise(address, game.name, question)
            self._directory.questions.step_aside(answer.cancel)
            return Found(json.decode(await answer, type=Advice), 0)
        except CancelledError:
            raise NotAnswered("nobody waits for this advice any more") from None


class AdvisedPosition(Struct, frozen=True):
    """The knowledge of a seat after entry `n` of the journal. `view` is as of `GameMaster.view`."""

    table: TableId
    game: Game[Any, Any]
    seat: Seat
    n: int
    view: Any
