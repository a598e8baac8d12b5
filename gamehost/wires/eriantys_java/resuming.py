"""
How a player comes back. The published clients know no such thing: they do it by logging in and joining their old game.

Such a client cannot begin in the middle of a step. So what is half done is finished or undone for it, and it is told nothing
until a plain request is open: for an assistant, a student of the entrance, steps or a cloud.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, cast

from gamehost.games.eriantys import actions, events
from gamehost.games.eriantys.pieces import Colour
from gamehost.lobby.lobby import Lobby
from gamehost.tables.interfaces import Away, Back, Displaced, Left, Over, Suspended
from gamehost.wires.conversation import Peer
from gamehost.wires.eriantys_conversation import State
from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java.events import STEPS, JavaOptions, TableSide
from gamehost.wires.eriantys_java.messages import CommunicationMessage, ErrorMessage, Message
from gamehost.wires.eriantys_java.rendering import TOWERS
from gamehost.wires.eriantys_java.values import GameInfo, PlayerStatus, Tower

#: Told to a client even while half a step is finished for it: who is away may come at any place, and the others end it all.
_TOLD_MEANWHILE = (Away, Left, Over, Suspended, Displaced)
#: Requests in the middle of a step.
_HALF = (events.AskDestination, events.AskCardStudent, events.AskColour)


def ways_out(request: events.Ask) -> Iterator[actions.Action]:
    """
    Answers that finish or undo half a step, the best one first. One of them is accepted.

    A student that was chosen is put back by a destination that does not exist. Swaps stop where they may. Every other question
    of a character gets the first answer there is.
    """
    if isinstance(request, events.AskDestination):
        yield actions.ChooseDestination(-1 if request.dining_room else 1)
    elif isinstance(request, events.AskCardStudent):
        if request.may_stop:
            yield actions.ChooseStudent(None)
        for colour in Colour:
            if request.students[colour]:
                yield actions.ChooseStudent(colour)
    elif isinstance(request, events.AskColour):
        yield actions.ChooseStudent(Colour.YELLOW)


class ResumingSide(TableSide):
    """The half of a conversation that brings a player back to the table."""

    def __init__(self, peer: Peer[Message], lobby: Lobby, options: JavaOptions) -> None:
        super().__init__(peer, lobby, options)
        #: What the player came back to, until the client has been told of it.
        self._situation: events.Situation | None = None
        #: The team that was chosen before the player came back. The client must choose it again.
        self._formal_tower: Tower | None = None

    def deliver(self, event: Any) -> None:
        """Tell the client about an event of the table; while half a step is finished for it, only note the event."""
        if self._situation is None or isinstance(event, Back):
            super().deliver(event)
            return
        if isinstance(event, events.Board):
            self._board = event
        elif isinstance(event, tuple(STEPS)):
            self._note(cast(events.Ask, event))
            self._tell_situation()
        elif isinstance(event, _HALF):
            self._note(event)
            self.peer.alarm(0, self._finish)
        elif isinstance(event, events.Won):
            self._tell_situation()
            super().deliver(event)
        elif isinstance(event, _TOLD_MEANWHILE):
            super().deliver(event)

    def tell_back(self, event: Back[Any]) -> None:
        """A player is back. The others are told nothing: in a match their clients do not stand it."""
        assert self.handle is not None
        if event.seat != self.handle.seat:
            return
        situation: events.Situation = event.view
        self.set_state(State.IN_GAME)
        self._situation, self._board, self._turn = situation, situation.board, situation.turn
        if situation.request is not None:
            self._note(situation.request)
        if situation.won is not None:
            self._tell_situation()
            self.tell_won(situation.won)
        elif situation.board is None or situation.request is None or type(situation.request) in STEPS:
            self._tell_situation()
        else:
            # The seat can be used when this has returned.
            self.peer.alarm(0, self._finish)

    def _finish(self) -> None:
        """Answer the open request for the player. What comes of it is not told."""
        if self.handle is not None and self._asked is not None and self._situation is not None:
            any(self.handle.act(action) for action in ways_out(self._asked))

    def _tell_situation(self) -> None:
        """Tell the client where the match stands, and ask what is open."""
        assert self.handle is not None and self._situation is not None
        situation, self._situation = self._situation, None
        seats = len(self._names)
        self.peer.say(m.JoinAlreadyExistingGame(GameInfo(situation.match.expert, self.handle.table, seats, seats)))
        if self._board is None:
            self._tell_set_up(situation)
            return
        self._say_board(self._board)
        if situation.won is not None or self._turn is None:
            return
        self.peer.say(m.StartOfPlayerRound(self._board.round, self.name_of(self._turn)))
        asked = self._asked
        if asked is None:
            self._say_due(m.PlayerStatusMessage(PlayerStatus.WAITING))
        elif isinstance(asked, events.AskCloud):
            self._move_3_due = True
            self.put(asked)
        else:
            self._say_due(m.PlayerStatusMessage(STEPS[type(asked)]))
            self.put(asked)

    def _tell_set_up(self, situation: events.Situation) -> None:
        assert self.handle is not None
        if situation.won is not None:
            return
        self.tell_match_started(situation.match)
        for tower, team in zip(TOWERS, situation.teams, strict=False):
            if self.handle.seat in team:
                self._formal_tower = tower
        if self._asked is not None:
            self.put(self._asked)

    def put(self, event: events.Ask) -> None:
        """Send a request. A client that is asked for a wizard must have chosen a team on this connection."""
        if isinstance(event, events.AskWizard) and not self._tower_chosen and self._formal_tower is not None:
            self.peer.say(m.AvailableTowers({self._formal_tower: 1}, {self._formal_tower: ()}))
        else:
            super().put(event)

    def choose_tower(self, message: m.ChosenTower) -> bool:
        """Take the answer of a client that chooses its team again. `False`: it does not."""
        if self._tower_chosen or self._formal_tower is None or not isinstance(self._asked, events.AskWizard):
            return False
        if message.color is self._formal_tower:
            self._tower_chosen = True
            self.peer.say(CommunicationMessage.SUCCESS)
        else:
            self.peer.refuse(ErrorMessage.TOWER_NOT_AVAILABLE)
        self.put(self._asked)
        return True

    TELLS: ClassVar[Any] = {**TableSide.TELLS, Back: tell_back}
