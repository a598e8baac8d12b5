"""
What a client is told at its table: the events of the lobby and of the match, as messages and in their order.

A request waits until the players of the table have acknowledged what was said before; everything else is sent at once. At most
one request is open for a player. It is kept, so that it can be sent again.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import UNSET, Struct

from gamehost.games.base import Seat
from gamehost.games.eriantys import actions, events
from gamehost.games.eriantys.pieces import Status
from gamehost.lobby.lobby import Lobby
from gamehost.tables.interfaces import Away, Back, Left, OpenTable, Over, Refused, Suspended, TableClosed
from gamehost.wires.conversation import BaseConversation, Peer
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.messages import Message
from gamehost.wires.eriantys.rendering import board_of, owner_of, request_of, winner_of
from gamehost.wires.eriantys.values import Communication, Error, GameInfo, PlayerStatus
from gamehost.wires.eriantys_conversation import MOVES, EriantysConversation, State


class JsonOptions(Struct, frozen=True):
    """The settings of this wire."""

    #: Send nothing that is not in the document.
    strict: bool = False
    #: How many seconds a table waits for a client that owes an Acknowledgement; 0: not at all.
    ack_seconds: float = 2.0
    #: Seconds between pings; 0: no pings.
    ping: float = 15.0


#: The wire's name, by which its boards are known at a table.
_NAME = "eriantys"

#: Which message answers each request.
_ANSWERS: Mapping[type, type] = {
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

_SAID: Mapping[Communication, m.CommunicationMessage] = {
    communication: m.CommunicationMessage(communication) for communication in Communication
}


def info_of(table: OpenTable) -> GameInfo:
    """An open table as a GameInfo."""
    return GameInfo(table.table, len(table.names), table.seats, table.settings.get("expert") == "yes")


class TableSide(EriantysConversation[Message]):
    """
    The half of a conversation that turns events into messages.

    :param options: the wire's settings
    """

    def __init__(self, peer: Peer[Message], lobby: Lobby, options: JsonOptions) -> None:
        super().__init__(peer, lobby, options.ack_seconds)
        self._options = options
        self._expert = False

    def _communicate(self, communication: Communication) -> None:
        self._client.say(_SAID[communication])

    def _communicate_due(self, communication: Communication) -> None:
        self._client.say_due(_SAID[communication])

    def _refuse(self, error: Error, detail: str) -> None:
        self.peer.refuse(self._error(error, detail))

    def _error(self, error: Error, detail: str) -> m.ErrorMessage:
        return m.ErrorMessage(error, UNSET if self._options.strict else detail)

    def _awaits(self, kind: type) -> bool:
        asked = self._asked
        if kind is m.UseCharacterEffect:
            in_effect = isinstance(asked, events.AskDestination) and not asked.dining_room
            return isinstance(asked, MOVES) and not in_effect
        return asked is not None and _ANSWERS[type(asked)] is kind

    # -- told: before the match

    def tell_gathered(self, event: OpenTable) -> None:
        """A player has come to the table or has gone. The first time, that player is this one."""
        if self.state is State.LOBBY:
            self.set_state(State.WAITING)
            self._client.say(m.JoinAlreadyExistingGame(info_of(event)))
        else:
            self._client.say_due(m.UpdateLobby(info_of(event)))

    def tell_table_closed(self, event: TableClosed) -> None:
        """The game has waited too long for players, and is closed."""
        self.set_state(State.LOBBY)
        self._communicate_due(Communication.CLOSING_GAME)

    def tell_match_started(self, event: events.MatchStarted) -> None:
        """The match begins, or this player has come back to it."""
        assert self.handle is not None
        self.set_state(State.IN_GAME)
        self._ended_just_now = False
        self._expert = event.expert
        names = tuple(self.handle.names)
        if self._options.strict:
            self._client.say_due(m.MatchStarted(names))
        else:
            order = UNSET if event.order is None else tuple(names[seat] for seat in event.order)
            self._client.say_due(m.MatchStarted(names, event.seats, event.expert, order))

    # -- told: the match

    def tell_ask(self, event: events.Ask) -> None:
        """Ask this player, as soon as all players have acknowledged what was said before."""
        self._note(event)
        self._ask_again()

    def _note(self, event: events.Ask) -> None:
        self._client.withdraw()
        self._asked = event
        self._gate.asked(event)

    def _ask_again(self) -> None:
        if self._asked is not None and not self._client.is_held_up:
            assert self.handle is not None
            self._client.ask(request_of(self._asked, self.handle.names, self._options.strict))

    def _no_more_asked(self) -> None:
        self._asked = None
        self._client.withdraw()

    def tell_success(self, event: events.Success) -> None:
        """The answer was accepted."""
        self._no_more_asked()
        self._communicate(Communication.SUCCESS)

    def tell_denied(self, event: events.Denied) -> None:
        """The destination was not possible. The request for a student follows."""
        self._no_more_asked()
        self._refuse(Error(event.fault.value), event.detail)

    def tell_refused(self, event: Refused) -> None:
        """The rules refuse the action."""
        error = event.error
        if isinstance(error, actions.IllegalChoice):
            self._refuse(Error(error.fault.value), error.detail)
            if error.ask_again:
                self._ask_again()
        else:
            self._refuse(Error.INVALID_ACTION, str(error))

    def tell_status(self, event: events.PlayerStatus) -> None:
        """What this player is to do now."""
        self._client.say_due(m.PlayerStatusMessage(PlayerStatus[event.status.name]))

    def tell_board(self, event: events.Board) -> None:
        """Everything visible. The message is made once for all players."""
        assert self.handle is not None
        names, strict = self.handle.names, self._options.strict
        message = self._gate.message_of(_NAME, event, lambda: board_of(event, names, strict))
        if event.round == 0 or self._gate.boards_due:
            self._client.say_due(message)
        else:
            self._client.say(message)

    def tell_start_of_turn(self, event: events.StartOfTurn) -> None:
        """A turn begins."""
        self._client.say_due(m.StartOfPlayerRound(event.round, self.name_of(event.seat)))

    def tell_assistant(self, event: events.PlayedAssistant) -> None:
        """A player has played an assistant."""
        self._client.say(m.PlayedAssistant(event.assistant, self.name_of(event.seat)))

    def tell_character(self, event: events.PlayedCharacter) -> None:
        """A player has used a character. Boards are due until its effect is done."""
        self._gate.character_used()
        self._client.say_due(m.PlayedCharacter(event.character.value, self.name_of(event.seat)))

    def tell_owner(self, event: events.IslandOwner) -> None:
        """Influence was counted."""
        assert self.handle is not None
        self._client.say_due(owner_of(event, self.handle.names))

    def tell_unified(self, event: events.Unified) -> None:
        """Islands have merged."""
        self._communicate_due(Communication.UNIFIED_ISLANDS)

    def tell_no_entry(self, event: events.NoEntryUsed) -> None:
        """A no-entry tile stopped the count. This is an extension."""
        if not self._options.strict:
            self._communicate(Communication.NO_ENTRY_TILE_ON_ISLAND)

    def tell_last_round(self, event: events.LastRound) -> None:
        """The match ends with this round. This is an extension."""
        if not self._options.strict:
            self._communicate(Communication.LAST_ROUND)

    def tell_end_of_turn(self, event: events.EndOfTurn) -> None:
        """A turn is over."""
        self._no_more_asked()
        self._client.say_due(m.EndOfPlayerRound(event.round, self.name_of(event.seat)))

    def tell_end_of_round(self, event: events.EndOfRound) -> None:
        """The round is over."""
        self._client.say_due(m.EndOfRound(event.round))

    def tell_won(self, event: events.Won) -> None:
        """Who won, and why. A request that still waits is dropped: it must not be sent when the players leave the table."""
        assert self.handle is not None
        self._no_more_asked()
        self._client.say_due(winner_of(event, self.handle.names, self._options.strict))

    def tell_closing(self, event: events.Closing) -> None:
        """The match is over, and everything about it has been told."""
        self._communicate_due(Communication.CLOSING_GAME)

    # -- told: who is there

    def tell_away(self, event: Away) -> None:
        """A player is away. A player who comes back is told who else is away; this is an extension."""
        if not (event.already and self._options.strict):
            self._client.say(m.PlayerDisconnected(self.name_of(event.seat)))

    def tell_left(self, event: Left) -> None:
        """A player has left for good. The end follows."""
        self._client.say(m.PlayerDisconnected(self.name_of(event.seat)))

    def tell_back(self, event: Back[Any]) -> None:
        """A player is back. That player is told everything that is needed to go on."""
        assert self.handle is not None
        if event.seat != self.handle.seat:
            names = self.handle.names
            game = GameInfo(self.handle.table, len(self._gate.clients), len(names), self._expert)
            self._client.say_due(m.UpdateLobby(game))
            return
        situation: events.Situation = event.view
        self._communicate(Communication.SUCCESS)
        if situation.won is not None:
            self._tell_missed_end(situation.won, event.seat)
            return
        self.tell_match_started(situation.match)
        if situation.request is not None:
            self._note(situation.request)
        if situation.board is not None:
            self.tell_board(situation.board)
        self._ask_again()

    def _tell_missed_end(self, won: events.Won, seat: Seat) -> None:
        """The match ended while this player was away: tell the end and nothing else of it."""
        self.tell_status(events.PlayerStatus(seat, Status.WIN if seat in won.seats else Status.LOSE))
        self.tell_won(won)
        self.tell_closing(events.Closing())

    def tell_over(self, event: Over) -> None:
        """The match is over. In strict mode a late action is refused like any other."""
        super().tell_over(event)
        self._ended_just_now = not self._options.strict

    TELLS: ClassVar[Any] = {
        OpenTable: tell_gathered,
        TableClosed: tell_table_closed,
        events.MatchStarted: tell_match_started,
        **dict.fromkeys(_ANSWERS, tell_ask),
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
        events.Closing: tell_closing,
        Away: tell_away,
        Left: tell_left,
        Back: tell_back,
        Over: tell_over,
        Suspended: BaseConversation.tell_suspended,
    }
