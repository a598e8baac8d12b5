"""
What a client is told at its table: the events of the lobby and of the match, in the order that the published clients stand.

Their client is a chain of threads, and each waits for one message. A message more or less, or at another place, stops it for
good. So the order here differs from that of the JSON wire. Behind a message that is acknowledged, nothing is sent until the
Ack has come.
"""

from collections import deque
from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct

from gamehost.games.base import Seat
from gamehost.games.eriantys import actions, events
from gamehost.games.eriantys.pieces import Character, Status
from gamehost.lobby.lobby import Lobby
from gamehost.tables.interfaces import Away, Left, OpenTable, Over, Refused, Suspended, TableClosed
from gamehost.wires.conversation import SUSPENDED, Peer
from gamehost.wires.eriantys_conversation import EriantysConversation, State
from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java.messages import CommunicationMessage, ErrorMessage, Message
from gamehost.wires.eriantys_java.rendering import (
    assistant_of,
    blank_player,
    board_of,
    character_of,
    island_of,
    reason_of,
    request_of,
    tower_of,
)
from gamehost.wires.eriantys_java.values import GameInfo, PlayerStatus

#: The wire's name, by which its boards are known at a table.
NAME = "eriantys-java"


class JavaOptions(Struct, frozen=True):
    """The settings of this wire."""

    #: Seconds for which nothing is sent to a client after a message of it was handled.
    pace: float = 0.03
    #: Seconds for which nothing is sent to a client that owes an Ack. The client itself waits up to 10 s for its threads.
    ack_seconds: float = 10.5
    #: Seconds between pings; 0: no pings.
    ping: float = 2.0


#: Which message answers each request.
ANSWERS: Mapping[type, type] = {
    events.AskTower: m.ChosenTower,
    events.AskWizard: m.ChosenWizard,
    events.AskAssistant: m.PlayAssistant,
    events.AskStudent: m.ChosenStudent,
    events.AskDestination: m.ChosenDestination,
    events.AskSteps: m.ChosenSteps,
    events.AskCloud: m.ChosenCloud,
    events.AskCardStudent: m.ChosenStudent,
    events.AskColour: m.ChosenStudent,
}
#: Requests that do not belong to a character, and the status in which the client answers each.
STEPS: Mapping[type, PlayerStatus] = {
    events.AskAssistant: PlayerStatus.PLANNING,
    events.AskStudent: PlayerStatus.MOVE_1,
    events.AskSteps: PlayerStatus.MOVE_2,
    events.AskCloud: PlayerStatus.MOVE_3,
}
#: Characters with swaps. The game tells a board after each, and no success at the end.
_SWAPPING = (Character.JESTER, Character.MINSTREL)
#: Requests that are sent again behind a refused answer, as the original server does: the published clients have put away what
#: they were asked, and wait for it. `_SWAPPING` characters' requests are the third kind. Behind every other refusal, these
#: clients ask their person again by themselves. A request that came then would change what they are just showing.
_ASKED_AGAIN = (events.AskTower, events.AskWizard)
#: The two statuses that are not acknowledged.
_NOT_ACKNOWLEDGED = (Status.END_MOVE_1, Status.END_MOVE_2)

#: Errors that the enumeration of this wire does not have.
_OTHER_ERRORS: Mapping[str, ErrorMessage] = {
    "CHARACTER_NOT_IN_GAME": ErrorMessage.INVALID_INPUT,
    "CHARACTER_NOT_USABLE": ErrorMessage.INVALID_ACTION,
    "NOT_EXPERT_MODE": ErrorMessage.INVALID_ACTION,
}


def error_of(fault: actions.RuleFault) -> ErrorMessage:
    """The wire's error for a fault."""
    return _OTHER_ERRORS.get(fault.value) or ErrorMessage(fault.value)


def info_of(table: OpenTable) -> GameInfo:
    """An open table as a GameInfo."""
    return GameInfo(table.settings.get("expert") == "yes", table.table, table.seats, len(table.names))


class TableSide(EriantysConversation[Message]):
    """
    The half of a conversation that turns events into messages.

    :param options: the wire's settings
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, options: JavaOptions) -> None:
        # Requests to these clients wait for nobody else, so their gate is never used to hold one back.
        super().__init__(peer, lobby, ack_seconds=0.0)
        self._options = options
        #: The last board, told or not, and whose turn it is.
        self._board: events.Board | None = None
        self._turn: Seat | None = None
        #: The character that this player uses, while it asks.
        self._effect: Character | None = None
        #: A board during swaps: whether it is the last one is known when the next request comes.
        self._kept_board: events.Board | None = None
        #: Whether this player's steps were accepted, and END_MOVE_2 was not told.
        self._walked = False
        #: Whether MOVE_3 is to be told behind the request for a cloud.
        self._move_3_due = False
        #: Whether the client was told SUCCESS for its tower.
        self._tower_chosen = False
        #: Actions that were refused and not answered yet: whether each was a character, and whether a request was dropped.
        self._refused: deque[tuple[bool, bool]] = deque()
        #: Requests that were answered before they were told.
        self._ahead = 0

    def _say_due(self, message: Message) -> None:
        """Send a message that the client acknowledges, and nothing behind it until then."""
        self._client.say_due_and_hold(message, self._options.ack_seconds)

    def _refuse_answer(self, error: ErrorMessage) -> None:
        """Refuse an answer to the open request. Only a client that has put the request away is asked again."""
        self.peer.refuse(error)
        if isinstance(self._asked, _ASKED_AGAIN) or self._effect in _SWAPPING:
            self._say_asked()

    def _say_asked(self) -> None:
        if self._asked is not None:
            self.peer.say(request_of(self._asked, self._names))

    @property
    def _names(self) -> tuple[str, ...]:
        assert self.handle is not None
        return tuple(self.handle.names)

    # -- told: before the match

    def tell_gathered(self, event: OpenTable) -> None:
        """A player has come to the table or has gone. The first time, that player is this one."""
        if self.state is State.LOBBY:
            self.set_state(State.WAITING)
            self.peer.say(m.JoinAlreadyExistingGame(info_of(event)))
        else:
            self.peer.say(m.UpdateLobby(info_of(event)))

    def tell_table_closed(self, event: TableClosed) -> None:
        """The game has waited too long for players, and is closed."""
        self.set_state(State.LOBBY)
        self.peer.say(CommunicationMessage.CLOSING_GAME)

    def tell_match_started(self, event: events.MatchStarted) -> None:
        """The match begins."""
        self.set_state(State.IN_GAME)
        self._ended_just_now = False
        self.peer.say(m.MatchStarted(tuple(map(blank_player, self._names))))

    # -- told: requests, and what becomes of the answers

    def tell_ask(self, event: events.Ask) -> None:
        """Ask this player."""
        self._note(event)
        if self._ahead:
            self._ahead -= 1
            return
        if self._effect is not None and type(event) in STEPS:
            self._end_effect()
        self._tell_kept_board()
        self.put(event)

    def _note(self, event: events.Ask) -> None:
        self._asked = event
        self._gate.asked(event)

    def put(self, event: events.Ask) -> None:
        """Send a request. MOVE_3 comes behind that for a cloud, because the client asks its person at once then."""
        self.peer.say(request_of(event, self._names))
        if isinstance(event, events.AskCloud) and self._move_3_due:
            self._move_3_due = False
            self._say_due(m.PlayerStatusMessage(PlayerStatus.MOVE_3))

    def _end_effect(self) -> None:
        """A character is done. Behind the last swap, or instead of one, the client waits for SUCCESS and a board."""
        effect, self._effect = self._effect, None
        if effect in _SWAPPING:
            self.peer.say(CommunicationMessage.SUCCESS)
            self._kept_board = self._kept_board or self._board

    def _tell_kept_board(self) -> None:
        board, self._kept_board = self._kept_board, None
        if board is not None:
            self._say_board(board)

    def tell_success(self, event: events.Success) -> None:
        """The answer was accepted. Only a few steps of the client wait to hear so."""
        asked, self._asked = self._asked, None
        if self._effect is not None or isinstance(asked, events.AskTower | events.AskWizard):
            self._tower_chosen = self._tower_chosen or isinstance(asked, events.AskTower)
            self.peer.say(CommunicationMessage.SUCCESS)
        elif isinstance(asked, events.AskAssistant):
            self._say_due(m.PlayerStatusMessage(PlayerStatus.END_PLANNING))
        self._walked = isinstance(asked, events.AskSteps)

    def tell_denied(self, event: events.Denied) -> None:
        """The destination was not possible. The request for a student follows."""
        self._asked = None
        self.peer.refuse(error_of(event.fault))

    def tell_refused(self, event: Refused) -> None:
        """The rules refuse the action. A request that it came before is told now, in front of the refusal."""
        error = event.error
        was_character, dropped = self._refused.popleft() if self._refused else (False, False)
        if dropped:
            self._say_asked()
        if not isinstance(error, actions.IllegalChoice):
            self.peer.refuse(ErrorMessage.INVALID_ACTION)
        elif error.ask_again and not was_character and not dropped:
            self._refuse_answer(error_of(error.fault))
        else:
            self.peer.refuse(error_of(error.fault))

    # -- told: the match

    def tell_status(self, event: events.PlayerStatus) -> None:
        """What this player is to do now. How the match ended is told by CommunicateWinner alone."""
        if event.status in (Status.WIN, Status.LOSE):
            return
        if event.status is Status.MOVE_3:
            self._move_3_due = True
            return
        message = m.PlayerStatusMessage(PlayerStatus[event.status.name])
        if event.status in _NOT_ACKNOWLEDGED:
            self._walked = False
            self.peer.say(message)
        else:
            self._say_due(message)

    def tell_board(self, event: events.Board) -> None:
        """Everything visible; not before the island where Mother Nature stopped is resolved."""
        self._board = event
        if event.unresolved:
            return
        if self._effect in _SWAPPING:
            self._tell_kept_board()
            self._kept_board = event
        else:
            self._say_board(event)

    def _say_board(self, board: events.Board) -> None:
        names, turn = self._names, self._turn
        self._say_due(self._gate.message_of(NAME, board, lambda: board_of(board, names, turn)))

    def tell_start_of_turn(self, event: events.StartOfTurn) -> None:
        """A turn begins."""
        self._turn = event.seat
        self.peer.say(m.StartOfPlayerRound(event.round, self.name_of(event.seat)))

    def tell_assistant(self, event: events.PlayedAssistant) -> None:
        """A player has played an assistant."""
        self.peer.say(m.PlayedAssistant(assistant_of(event.assistant), self.name_of(event.seat)))

    def tell_character(self, event: events.PlayedCharacter) -> None:
        """A player has used a character. For that player it stands for SUCCESS."""
        assert self.handle is not None
        self._gate.character_used()
        self._walked = False
        if event.seat == self.handle.seat:
            self._effect = event.character
        self.peer.say(m.PlayedCharacter(character_of(event.character), self.name_of(event.seat)))

    def tell_owner(self, event: events.IslandOwner) -> None:
        """Influence was counted. The owner is told only if it is another one than before."""
        before = None if self._board is None else self._board.islands[event.number - 1].tower
        if event.island.tower is before:
            self.peer.say(CommunicationMessage.NO_CHANGES)
        else:
            owner = "" if event.owner is None else self.name_of(event.owner)
            self._say_due(m.IslandOwner(island_of(event.island), owner))

    def tell_unified(self, event: events.Unified) -> None:
        """Islands have merged."""
        self.peer.say(CommunicationMessage.UNIFIED_ISLANDS)

    def tell_no_entry(self, event: events.NoEntryUsed) -> None:
        """A no-entry tile stopped the count, so the island has no other owner."""
        self.peer.say(CommunicationMessage.NO_ENTRY_TILE_ON_ISLAND)
        self.peer.say(CommunicationMessage.NO_CHANGES)

    def tell_last_round(self, event: events.LastRound) -> None:
        """The match ends with this round."""
        self.peer.say(CommunicationMessage.LAST_ROUND)

    def tell_end_of_turn(self, event: events.EndOfTurn) -> None:
        """A turn is over. The player of a turn without a cloud was not told of Move 3, and does not wait for its end."""
        assert self.handle is not None
        skipped = event.seat == self.handle.seat and self._move_3_due
        self._asked, self._move_3_due = None, False
        if not skipped:
            self.peer.say(m.EndOfPlayerRound(event.round, self.name_of(event.seat)))

    def tell_end_of_round(self, event: events.EndOfRound) -> None:
        """The round is over."""
        self.peer.say(m.EndOfRound(event.round))

    def tell_won(self, event: events.Won) -> None:
        """Who won, and why. A client that has sent its steps is told first that they are done: it waits for that."""
        self._asked = None
        self._tell_kept_board()
        if self._walked:
            self.peer.say(m.PlayerStatusMessage(PlayerStatus.END_MOVE_2))
        names = tuple(self.name_of(seat) for seat in event.seats)
        self.peer.say(m.CommunicateWinner(names, tower_of(event.team), reason_of(event, self._board)))

    def tell_away(self, event: Away) -> None:
        """A player is away."""
        if not event.already:
            self.peer.say(m.PlayerDisconnected(self.name_of(event.seat)))

    def tell_left(self, event: Left) -> None:
        """A player has left for good. The end follows."""
        self.peer.say(m.PlayerDisconnected(self.name_of(event.seat)))

    def tell_suspended(self, event: Suspended) -> None:
        """There is no message that says so."""
        self.peer.hang_up(SUSPENDED)

    TELLS: ClassVar[Any] = {
        OpenTable: tell_gathered,
        TableClosed: tell_table_closed,
        events.MatchStarted: tell_match_started,
        **dict.fromkeys(ANSWERS, tell_ask),
        events.Success: tell_success,
        events.Denied: tell_denied,
        Refused: tell_refused,
        events.PlayerStatus: tell_status,
        events.Board: tell_board,
        events.StartOfTurn: tell_start_of_turn,
        events.PlayedAssistant: tell_assistant,
        events.PlayedCharacter: tell_character,
        events.IslandOwner: tell_owner,
        events.Unified: tell_unified,
        events.NoEntryUsed: tell_no_entry,
        events.LastRound: tell_last_round,
        events.EndOfTurn: tell_end_of_turn,
        events.EndOfRound: tell_end_of_round,
        events.Won: tell_won,
        Away: tell_away,
        Left: tell_left,
        Over: EriantysConversation.tell_over,
        Suspended: tell_suspended,
    }
