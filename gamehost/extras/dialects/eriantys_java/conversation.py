"""
The course of a connection. `->` is a message of the client, `<-` a message of the server. Messages are sent in the order
in which they stand here. [A]: the client answers the message with Ack, and receives nothing before that. A semicolon
divides messages of different steps::

                              <- ENTER_NICKNAME              once, not again after a refused name
    -> LoginMessage           <- SUCCESS
    -> SetGame                <- WaitingForPlayers
    -> RequestGames           <- AvailableGames
    -> JoinAvailableGame      <- JoinAlreadyExistingGame     to the others: UpdateLobby
                              <- MatchStarted                to all
    -> ChosenTower            <- SUCCESS                     AvailableTowers came before; each player is asked in turn
    -> ChosenWizard           <- SUCCESS                     AvailableWizards came before
                              <- UpdateBoard [A], StartOfPlayerRound
    planning                  <- UpdateBoard [A]; PLANNING [A], AvailableAssistants
    -> PlayAssistant          <- END_PLANNING [A], PlayedAssistant, WAITING [A]
    turn                      <- StartOfPlayerRound; MOVE_1 [A], MovableStudents
    -> ChosenStudent          <- WhereToMove
    -> ChosenDestination      <- UpdateBoard [A]
                              <- END_MOVE_1, MOVE_2 [A], MotherNatureSteps
    -> ChosenSteps            <- IslandOwner [A] or NO_CHANGES, UNIFIED_ISLANDS, UpdateBoard [A], END_MOVE_2
                              <- SelectCloud, MOVE_3 [A]
    -> ChosenCloud            <- EndOfPlayerRound, UpdateBoard [A]; EndOfRound; WAITING [A]
    end                       <- CommunicateWinner           the clients close by themselves

A client begins to wait for an answer only after it has sent its message. So no message is sent for a moment after each
message of a client.

The published client is a chain of threads, and each thread waits for one message. If a message is missing, or comes at another
place, the client stops for ever. So the order here differs from that of the wire `eriantys`. After a message that needs
an Ack, no message is sent before the Ack has come.

These clients have no message for coming back: they log in and join their old game. Such a client cannot begin in the
middle of a step. So the host finishes or undoes a half-done step for the client. It sends the client nothing before the
match asks the player for an assistant, a student of the entrance, steps or a cloud.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, cast

from gamehost.accounts.names import NameRefused
from gamehost.extras.dialects.eriantys_java import messages as m
from gamehost.extras.dialects.eriantys_java.rendering import (
    SPELLING,
    blank_player,
    board_of,
    island_of,
    reason_of,
    request_of,
)
from gamehost.games.base import Seat
from gamehost.games.eriantys import events, rules
from gamehost.games.eriantys.messages import Spelling
from gamehost.games.eriantys.rules import Character, Colour, Status
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import Queue
from gamehost.tables.interfaces import Away, Back, Displaced, Left, OpenTable, Over, Refused, Suspended
from gamehost.wires.base import SUSPENDED, Claim, Peer, claim_of_guest
from gamehost.wires.eriantys_conversation import NAME_FAULTS, EriantysConversation, EriantysState
from gamehost.wires.framing import WireError

#: The requests that do not belong to a character, and the status in which the client answers each one.
STEPS: Mapping[type, m.PlayerStatus] = {
    events.AskAssistant: m.PlayerStatus.PLANNING,
    events.AskStudent: m.PlayerStatus.MOVE_1,
    events.AskSteps: m.PlayerStatus.MOVE_2,
    events.AskCloud: m.PlayerStatus.MOVE_3,
}
#: The characters with swaps. The game sends a board after each swap, and no success at the end.
_SWAPPING = (Character.JESTER, Character.MINSTREL)
#: Requests that are sent again after a refused answer, as by the original server. The published clients have forgotten
#: them, and wait for them. The requests of `_SWAPPING` characters are repeated, too. After all other refusals, the
#: clients ask their person again without a new request. A request at that time would change the question on the screen.
_ASKED_AGAIN = (events.AskTower, events.AskWizard)
#: Errors that the enumeration of this wire does not have.
_OTHER_ERRORS: Mapping[str, m.ErrorMessage] = {
    "INVALID_NICKNAME": m.ErrorMessage.INVALID_INPUT,
    "GAME_NOT_FOUND": m.ErrorMessage.INVALID_INPUT,
    "CHARACTER_NOT_IN_GAME": m.ErrorMessage.INVALID_INPUT,
    "CHARACTER_NOT_USABLE": m.ErrorMessage.INVALID_ACTION,
    "NOT_EXPERT_MODE": m.ErrorMessage.INVALID_ACTION,
}


def error_of(fault: str) -> m.ErrorMessage:
    """Returns the error of this wire for an error of the document."""
    return _OTHER_ERRORS.get(fault) or m.ErrorMessage(fault)


#: The events that are sent to a client even while the host finishes a half-done step for it. Absences may come at any time, and
#: the other events end the match or the connection.
_TOLD_MEANWHILE = (Away, Left, Over, Suspended, Displaced)
#: The requests in the middle of a step.
_HALF = (events.AskDestination, events.AskCardStudent, events.AskColour)


def ways_out(request: events.Ask) -> Iterator[events.Action]:
    """
    Yields the host's answers for a player that is back in the middle of a step. They finish or undo the step; the best
    one comes first, and one of them is accepted.

    A chosen student is put back by a destination that does not exist. Swaps stop if they may. Every other request of a
    character gets the first possible answer.
    """
    if isinstance(request, events.AskDestination):
        yield events.ChooseDestination(-1 if request.dining_room else 1)
    elif isinstance(request, events.AskCardStudent):
        if request.may_stop:
            yield events.ChooseStudent(None)
        for colour in Colour:
            if request.students[colour]:
                yield events.ChooseStudent(colour)
    elif isinstance(request, events.AskColour):
        yield events.ChooseStudent(Colour.YELLOW)


#: A client that sends no byte for so many seconds is disconnected. The published clients answer a Ping every two seconds.
SILENT_SECONDS = 15.0

#: The answers in which null is not allowed.
_NO_NULL = frozenset((m.ChosenTower(None), m.PlayAssistant(None), m.UseCharacterEffect(None)))


def _is_request(message: m.Message) -> bool:
    return isinstance(message, m.Request)


class JavaConversation(EriantysConversation[m.Message]):
    """
    The conversation on one connection: the client's messages, and their effects.

    :param queue: the queue with the game, and with the tables that players of this wire see
    :param settings: `pace`, `ack_seconds` and `ping`, all in seconds; 0: not used
    """

    MESSAGES: ClassVar[Any] = m
    SPELLING: ClassVar[Spelling] = SPELLING
    ALWAYS: ClassVar[Any] = {m.Ack: "acknowledge", m.Pong: "pong", m.Disconnect: "disconnect"}

    def __init__(
        self, peer: Peer[m.Message], lobby: Lobby, wire: str, queue: Queue, strict: bool, **settings: float
    ) -> None:
        """
        Makes the conversation.

        :param settings: the settings `pace`, `ack_seconds` and `ping`, in seconds
        """
        # Requests to these clients wait for no other client, so their gate never delays one.
        super().__init__(peer, lobby, wire, queue, strict, ack_seconds=0.0)
        self._settings = settings
        #: The last board, which may not have been sent, and the player to move.
        self._board: events.Board | None = None
        self._turn: Seat | None = None
        #: The character that this player uses, while the character has requests.
        self._effect: Character | None = None
        #: The last board during swaps. It is sent when the next request has come.
        self._kept_board: events.Board | None = None
        #: Whether this player's steps were accepted, and END_MOVE_2 was not sent yet.
        self._walked = False
        #: Whether MOVE_3 must be sent after the request for a cloud.
        self._move_3_due = False
        #: Whether the client has received SUCCESS for its tower.
        self._tower_chosen = False
        #: The actions that were refused and not answered yet: whether each was a character, and whether a request was dropped.
        self._refused: deque[tuple[bool, bool]] = deque()
        #: How many requests the host has answered for the client before they came.
        self._ahead = 0
        #: The state of the match for a player that is back, until it was sent to the client.
        self._situation: events.Situation | None = None
        #: The team that was chosen before the player came back. The client must choose it again.
        self._formal_tower: m.Tower | None = None
        self._ticks = 0

    def game_info(self, table: TableId, waiting: int, seats: int, expert: bool) -> m.GameInfo:
        return m.GameInfo(expert, table, seats, waiting)

    def begin(self) -> None:
        """Begins the conversation: asks for the nickname, and sends pings from now on."""
        self.peer.say(m.CommunicationMessage.ENTER_NICKNAME)
        # 0: no pings.
        if self._settings["ping"]:
            # There are two ticks for each ping, so that the first ping comes after half the time.
            self.peer.pulse(self._settings["ping"] / 2, self._tick)

    def _tick(self, silent: float) -> None:
        """
        Sends a ping at every second call, or closes the connection of a silent client.

        :param silent: the seconds since the last byte of the client
        """
        if silent >= SILENT_SECONDS:
            self.peer.hang_up(f"no byte received for {silent:.0f} s")
            return
        self._ticks += 1
        if self._ticks % 2:
            # `say_past` sends the ping before all messages that wait, even during a delay.
            self.peer.say_past(m.Ping())

    # -- from the client

    def hear(self, message: m.Message) -> None:
        """
        Handles a message. For a moment nothing is sent to the client, because it begins to wait only after it has sent
        its message.

        After an Ack this moment replaces the longer wait for the Ack.
        """
        # After a Pong, the client does not begin to wait for anything.
        if not isinstance(message, m.Pong):
            pace, acknowledged = self._settings["pace"], isinstance(message, m.Ack)
            # Nothing is sent for this time, or for the rest of the longer wait for an Ack.
            seconds = pace if acknowledged else max(pace, self.peer.hold_seconds)
            if acknowledged or seconds:
                self.peer.hold(seconds)
        super().hear(message)

    def log_in(self, message: m.LoginMessage) -> None:
        """Enters the lobby. To take a reserved seat back, the client must join the game."""
        if message.nickname is None:
            self.peer.refuse(m.ErrorMessage.INVALID_INPUT)
            return
        try:
            session = self.lobby.enter(message.nickname, self._wire, self.peer.address, self, strict=True)
        except NameRefused as refusal:
            self.refuse_with(NAME_FAULTS.get(refusal.fault, "INVALID_ACTION"), str(refusal))
            return
        self.logged_in(session)
        self.set_state(EriantysState.LOBBY)
        self.peer.say(m.CommunicationMessage.SUCCESS)

    def claim_of_log_in(self, message: m.LoginMessage) -> Claim | None:
        """Returns the claim of the name in a log-in; `None`: it has no name, and will be refused."""
        return None if message.nickname is None else claim_of_guest(message.nickname, strict=True)

    @property
    def _kept(self) -> OpenTable | None:
        """The table with a reserved seat for this player; `None`: there is none."""
        assert self.session is not None
        return self._directory.kept_table(self.session)

    def listed(self) -> Sequence[OpenTable]:
        """Returns the games in the answer to `RequestGames`. A player with a reserved seat gets only that game."""
        kept = self._kept
        return super().listed() if kept is None else [kept]

    def set_game(self, message: m.SetGame) -> None:
        """Opens a game. A player with a reserved seat (`_kept`) may not: it must go back to its match."""
        if self._kept is not None:
            self.peer.refuse(m.ErrorMessage.INVALID_ACTION)
        else:
            super().set_game(message)

    def join_game(self, message: m.JoinAvailableGame) -> None:
        """Joins a game, or takes the reserved seat back."""
        kept = self._kept
        if kept is None:
            super().join_game(message)
        elif message.gameID != kept.table:
            self.peer.refuse(m.ErrorMessage.INVALID_INPUT)
        else:
            assert self.session is not None
            self._joined()
            self.set_state(EriantysState.WAITING)
            self.lobby.reconnect(self.session)

    def answer(self, message: m.Message) -> None:
        """
        Passes an answer of the client to the match. If the request itself was not sent yet, it is not sent any more.
        """
        if self._situation is not None:
            self.peer.refuse(m.ErrorMessage.INVALID_ACTION)  # the client has not received the state of the match
            return
        if isinstance(message, m.ChosenTower) and self.choose_tower(message):
            return
        # These answers have null where the client must give a value.
        if message in _NO_NULL:
            if self._awaits(type(message)) and not isinstance(message, m.UseCharacterEffect):
                self._refuse_answer(m.ErrorMessage.INVALID_INPUT)
            else:
                self.peer.refuse(m.ErrorMessage.INVALID_INPUT)
            return
        if isinstance(message, m.ChosenDestination):
            self._choose_for_monk()
        is_character = isinstance(message, m.UseCharacterEffect)
        dropped = self._awaits(type(message)) and self.peer.unsay(_is_request)
        # Before `act`, because `tell_refused` may be called in it.
        self._refused.append((is_character, dropped))
        # The action was accepted, so `tell_refused` will not be called for it.
        if self.act(SPELLING.action_of(message)):
            self._refused.pop()

    def _choose_for_monk(self) -> None:
        """
        Chooses the first student of character 1 for the client, if the host has asked for a student and received a destination.

        The published client does that if the character is used after the first student of Move 1. Then it waits for SUCCESS.
        """
        asked = self._asked
        # The client has answered another request.
        if self._effect is not rules.Character.MONK or not isinstance(asked, events.AskCardStudent):
            return
        assert self.handle is not None
        self.peer.unsay(_is_request)
        colour = next(colour for colour in rules.Colour if asked.students[colour])
        self._ahead += 1  # the effects may come before `act` returns
        if not self.handle.act(events.ChooseStudent(colour)):
            self._ahead -= 1

    def wire_error(self, error: WireError) -> None:
        """Sends nothing, because a client that sends wrong bytes could not read an answer."""

    def say_closing(self, reason: str) -> None:
        """Sends nothing, because the published programs have no message for the end of a connection."""

    # -- said

    def say(self, message: m.Message) -> None:
        """
        Sends a message. After a message that the client must acknowledge, nothing is sent until its Ack has come, or
        some seconds have passed.
        """
        if m.is_due(message):
            self._client.say_due_and_hold(message, self._settings["ack_seconds"])
        else:
            self.peer.say(message)

    def refuse_with(self, error: str, detail: str) -> None:
        self.peer.refuse(error_of(error))

    def _refuse_answer(self, error: m.ErrorMessage) -> None:
        """
        Refuses an answer to the open request. After some refusals the client waits for the request to come again. After
        all others it asks its person again by itself, so the request is not sent again.
        """
        self.peer.refuse(error)
        if isinstance(self._asked, _ASKED_AGAIN) or self._effect in _SWAPPING:
            self._say_asked()

    def _say_asked(self) -> None:
        """Sends the open request."""
        if self._asked is not None:
            self.peer.say(request_of(self._asked, self.names))

    # -- to the client

    def tell_match_started(self, event: events.MatchStarted) -> None:
        """Called when the match begins: sends the names of the players."""
        self.set_state(EriantysState.IN_GAME)
        # From now on, an unexpected answer is not one that was sent before the client knew of the end of a match.
        self._ended_just_now = False
        self.peer.say(m.MatchStarted(tuple(map(blank_player, self.names))))

    # -- to the client: requests, and the results of answers

    def tell_ask(self, event: events.Ask) -> None:
        """
        Sends a request to this player, after the messages that must come before it. A request that the host has
        answered for the client already is not sent.
        """
        self._note(event)
        if self._ahead:
            self._ahead -= 1
            return
        # An ordinary step is asked for again, so the character has no more requests.
        if self._effect is not None and type(event) in STEPS:
            self._end_effect()
        self._tell_kept_board()
        self.put(event)

    def put(self, event: events.Ask) -> None:
        """
        Sends a request, in the way that the published clients need.

        A request for a cloud is sent before MOVE_3: at MOVE_3 the client asks its person for a cloud, and needs the list
        of clouds for this.

        A client understands a request for a wizard only after it has chosen a team on the same connection. A player that
        has come back with a new connection has its team already. So its client is first offered this team alone, and
        `choose_tower` sends the request for the wizard after the answer.
        """
        # `_formal_tower` is the team that this player chose on an earlier connection.
        if isinstance(event, events.AskWizard) and not self._tower_chosen and self._formal_tower is not None:
            self.peer.say(m.AvailableTowers({self._formal_tower: 1}, {self._formal_tower: ()}))
            return
        self.peer.say(request_of(event, self.names))
        if isinstance(event, events.AskCloud) and self._move_3_due:
            self._move_3_due = False
            self.say(m.PlayerStatusMessage(m.PlayerStatus.MOVE_3))

    def _end_effect(self) -> None:
        """Ends the use of a character. After the last swap, or without a swap, the client waits for SUCCESS and a board."""
        effect, self._effect = self._effect, None
        if effect in _SWAPPING:
            self.peer.say(m.CommunicationMessage.SUCCESS)
            self._kept_board = self._kept_board or self._board

    def _tell_kept_board(self) -> None:
        """Sends the last board of some swaps, if it was not sent yet."""
        board, self._kept_board = self._kept_board, None
        if board is not None:
            self._say_board(board)

    def tell_success(self, event: events.Success) -> None:
        """Called when an answer was accepted. SUCCESS is sent only after those answers after which the client waits for it."""
        # The request that was answered.
        asked, self._asked = self._asked, None
        if self._effect is not None or isinstance(asked, events.AskTower | events.AskWizard):
            self._tower_chosen = self._tower_chosen or isinstance(asked, events.AskTower)
            self.peer.say(m.CommunicationMessage.SUCCESS)
        elif isinstance(asked, events.AskAssistant):
            self.say(m.PlayerStatusMessage(m.PlayerStatus.END_PLANNING))
        # Mother Nature has moved: the client waits for END_MOVE_2 now.
        self._walked = isinstance(asked, events.AskSteps)

    def tell_refused(self, event: Refused) -> None:
        """Sends the refusal of an action. If a request was dropped because of the action, the request is sent before it."""
        error = event.error
        # Whether the refused action was the use of a character, and whether a request was not sent because of the
        # action.
        was_character, dropped = self._refused.popleft() if self._refused else (False, False)
        if dropped:
            self._say_asked()
        # The action is not possible at all now.
        if not isinstance(error, events.IllegalChoice):
            self.peer.refuse(m.ErrorMessage.INVALID_ACTION)
        elif error.ask_again and not was_character and not dropped:
            self._refuse_answer(error_of(error.fault.value))
        else:
            self.peer.refuse(error_of(error.fault.value))

    # -- to the client: the match

    def tell_status(self, event: events.PlayerStatus) -> None:
        """Sends the player's next step. The end of the match is not a step: CommunicateWinner reports it."""
        if event.status in (Status.WIN, Status.LOSE):
            return
        if event.status is Status.MOVE_3:
            # `put` sends MOVE_3 after the request for a cloud.
            self._move_3_due = True
            return
        if event.status in (Status.END_MOVE_1, Status.END_MOVE_2):
            self._walked = False
        self.say(m.PlayerStatusMessage(m.PlayerStatus[event.status.name]))

    def tell_board(self, event: events.Board) -> None:
        """
        Sends the board after a change. A board on which the island of Mother Nature is not resolved yet is not sent.
        Each swap of a character's effect makes a board: it is sent when the next one comes, or when the swaps end.
        """
        self._board = event
        # The island is not resolved yet: another board follows.
        if event.unresolved:
            return
        if self._effect in _SWAPPING:
            # The board of the swap before this one is sent now. The new board waits.
            self._tell_kept_board()
            self._kept_board = event
        else:
            self._say_board(event)

    def _say_board(self, board: events.Board) -> None:
        """Sends a board. The message is made once for all players of a table."""
        names, turn = self.names, self._turn
        self.say(self._gate.message_of(self._wire, board, lambda _: board_of(board, names, turn)))

    def tell_start_of_turn(self, event: events.StartOfTurn) -> None:
        self._turn = event.seat
        super().tell_start_of_turn(event)

    def tell_character(self, event: events.PlayedCharacter) -> None:
        """Sends that a player has used a character. For that player, this message replaces SUCCESS."""
        assert self.handle is not None
        self._walked = False
        if event.seat == self.handle.seat:
            self._effect = event.character
        super().tell_character(event)

    def tell_owner(self, event: events.IslandOwner) -> None:
        """Called when influence was counted: sends the owner of the island if it has changed, otherwise NO_CHANGES."""
        # Islands have numbers from 1.
        before = None if self._board is None else self._board.islands[event.number - 1].tower
        if event.island.tower is before:
            self.peer.say(m.CommunicationMessage.NO_CHANGES)
        else:
            owner = "" if event.owner is None else self.name_of(event.owner)
            self.say(m.IslandOwner(island_of(event.island), owner))

    def tell_no_entry(self, event: events.NoEntryUsed) -> None:
        """Called when a no-entry tile has stopped the count: the owner of the island has not changed."""
        super().tell_no_entry(event)
        self.communicate("NO_CHANGES")

    def tell_end_of_turn(self, event: events.EndOfTurn) -> None:
        """
        Sends the end of a turn. If no cloud had students, the player was not asked for a cloud and has not received
        MOVE_3. Then its client does not expect the end of the turn either, so it is not sent.
        """
        assert self.handle is not None
        skipped = event.seat == self.handle.seat and self._move_3_due
        self._asked, self._move_3_due = None, False
        if not skipped:
            super().tell_end_of_turn(event)

    def tell_won(self, event: events.Won) -> None:
        """
        Sends the winners and the reason. A client that has sent its steps receives END_MOVE_2 first, because it waits for that.
        """
        self._asked = None
        self._tell_kept_board()
        if self._walked:
            self.peer.say(m.PlayerStatusMessage(m.PlayerStatus.END_MOVE_2))
        names = tuple(self.name_of(seat) for seat in event.seats)
        self.peer.say(m.CommunicateWinner(names, SPELLING.tower(event.team), reason_of(event, self._board)))

    def tell_suspended(self, event: Suspended) -> None:
        """Closes the connection, because the protocol has no message for a match that is suspended."""
        self.peer.hang_up(SUSPENDED)

    # -- returning players

    def deliver(self, event: Any) -> None:
        """
        Sends an event of the table. A client that is back may have left a step half done, which the host finishes
        first. Meanwhile most events are only noted, and `_tell_situation` sends the state afterwards.
        """
        # The client is not waiting for the state of the match.
        if self._situation is None or isinstance(event, Back):
            super().deliver(event)
            return
        if isinstance(event, events.Board):
            self._board = event
        # The first request of an ordinary step: the half-done step is finished.
        elif isinstance(event, tuple(STEPS)):
            self._note(cast(events.Ask, event))
            self._tell_situation()
        # A request in the middle of a step: answer it for the client a moment later.
        elif isinstance(event, _HALF):
            self._note(event)
            self.peer.alarm(0, self._finish)
        elif isinstance(event, events.Won):
            self._tell_situation()
            super().deliver(event)
        elif isinstance(event, _TOLD_MEANWHILE):
            super().deliver(event)

    def tell_back(self, event: Back[Any]) -> None:
        """Called when a player is back. The others receive nothing, because their clients would fail at such a message."""
        assert self.handle is not None
        if event.seat != self.handle.seat:
            return
        situation: events.Situation = event.view
        self.set_state(EriantysState.IN_GAME)
        self._situation, self._board, self._turn = situation, situation.board, situation.turn
        if situation.request is not None:
            self._note(situation.request)
        if situation.won is not None:
            self._tell_situation()
            self.tell_won(situation.won)
        # No step is half done.
        elif situation.board is None or situation.request is None or type(situation.request) in STEPS:
            self._tell_situation()
        else:
            # A player may not act while it receives an event, so the step is finished a moment later.
            self.peer.alarm(0, self._finish)

    def _finish(self) -> None:
        """Answers the open request for the player, to finish or undo a half-done step. The effects are not sent."""
        if self.handle is not None and self._asked is not None and self._situation is not None:
            any(self.handle.act(action) for action in ways_out(self._asked))

    def _tell_situation(self) -> None:
        """Sends a client that is back the state of the match, and the open request."""
        assert self.handle is not None and self._situation is not None
        situation, self._situation = self._situation, None
        seats = len(self.names)
        self.peer.say(
            m.JoinAlreadyExistingGame(self.game_info(self.handle.table, seats, seats, situation.match.expert))
        )
        # Without a board, teams and wizards are still being chosen.
        if self._board is None:
            self._tell_set_up(situation)
            return
        self._say_board(self._board)
        # The match is over, or nobody is to move.
        if situation.won is not None or self._turn is None:
            return
        self.peer.say(m.StartOfPlayerRound(self._board.round, self.name_of(self._turn)))
        asked = self._asked
        if asked is None:
            self.say(m.PlayerStatusMessage(m.PlayerStatus.WAITING))
        elif isinstance(asked, events.AskCloud):
            self._move_3_due = True
            self.put(asked)
        else:
            self.say(m.PlayerStatusMessage(STEPS[type(asked)]))
            self.put(asked)

    def _tell_set_up(self, situation: events.Situation) -> None:
        """Sends the beginning of the match to a client that is back while teams and wizards are being chosen."""
        assert self.handle is not None
        # The end of the match follows.
        if situation.won is not None:
            return
        self.tell_match_started(situation.match)
        for tower, team in zip(SPELLING.towers, situation.teams, strict=False):
            # The player had chosen this team before: `put` makes the client choose it again.
            if self.handle.seat in team:
                self._formal_tower = tower
        if self._asked is not None:
            self.put(self._asked)

    def choose_tower(self, message: m.ChosenTower) -> bool:
        """Handles the answer of a client that is back and chooses its team again. Returns `False` if it is no such answer."""
        # `put` has not asked this client for its team.
        if self._tower_chosen or self._formal_tower is None or not isinstance(self._asked, events.AskWizard):
            return False
        if message.color is self._formal_tower:
            self._tower_chosen = True
            self.peer.say(m.CommunicationMessage.SUCCESS)
        else:
            self.peer.refuse(m.ErrorMessage.TOWER_NOT_AVAILABLE)
        self.put(self._asked)
        return True
