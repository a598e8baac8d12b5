"""Advice on the open wire: the answer to `moves` with `advice`, in a match against weaker house players."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from gamehost.games.base import IllegalAction
from gamehost.lobby.advice import Advice, AdvisedPosition, Advisers, refusal
from gamehost.lobby.directory import MatchDirectory
from gamehost.lobby.house import HousePlayers
from gamehost.tables.interfaces import SeatHandle
from gamehost.wires.open import messages as m
from gamehost.wires.open.conversation import listed
from gamehost.wires.open.watching import OpenOptions

if TYPE_CHECKING:
    from gamehost.wires.open.conversation import OpenConversation


class AdvisedSeat:
    """
    Answers the requests for advice of one connection, one at a time, because a house player has to think about each
    request.
    """

    def __init__(
        self, client: "OpenConversation", options: OpenOptions, directory: MatchDirectory, house: HousePlayers
    ) -> None:
        self._client, self._options = client, options
        self._advisers = Advisers(directory, house)
        # Whether a request is being answered. `leave` cancels it.
        self._asks = False
        self.leave: Callable[[], None] = lambda: None

    def ask(self, handle: SeatHandle[Any], message: m.AskMoves, opponent: str) -> str | None:
        """
        Begins to answer a request for advice. Returns the reason if no advice is possible; `None`: the answer follows.

        :param opponent: as in `gamehost.lobby.advice.refusal`
        """
        if self._asks:
            return 'wait for "moves" with the advice'
        if (why := refusal(opponent)) is not None:
            return why
        # Set before `look`, because the view may come at once.
        self._asks = True
        if not handle.look(partial(self._look, handle, message)):
            self._asks = False
            return "the table is suspended"
        # The request counts against the rate limit of moves.
        self._client.peer.move_accepted()
        return None

    def _look(self, handle: SeatHandle[Any], message: m.AskMoves, view: Any) -> None:
        """
        Lets a house player think about the view of the seat. If there are too many actions for a list, there is no
        advice.
        """
        played = self._options.games[handle.game]
        try:
            # `None`: whole actions, or their first steps.
            moves = listed(played, view, handle.seat, None)
        except IllegalAction as illegal:
            self._answer(handle, m.Moves(handle.table, handle.n, [], id=message.id), str(illegal))
            return
        position = AdvisedPosition(handle.table, played.game, handle.seat, handle.n, view)
        told = m.Moves(handle.table, handle.n, moves, id=message.id)
        answer = partial(self._answer, handle, told)
        self.leave = self._advisers.ask(
            self._client.peer.address, position, answer, lambda refused: answer(str(refused))
        )

    def _answer(self, handle: SeatHandle[Any], told: m.Moves, advice: Advice | str) -> None:
        """Sends the advice, or the reason why there is none, unless the client has another match by now."""
        self._asks = False
        if self._client.handle is not handle:
            return
        if isinstance(advice, str):
            self._client.peer.refuse(m.Refused(advice, told.id))
        else:
            actions, because = advice.actions, advice.because
            self._client.peer.say(
                m.Moves(told.table, told.n, told.moves, id=told.id, advice=actions, because=because or UNSET)
            )
