"""
The client's side of the wire `eriantys`: the codec for its lines of JSON, and a program that plays.

A client ignores unknown keys, so that later servers can send more. A server refuses unknown keys. So each message is read back
with the server's parser before it is sent.

The program joins the first game that waits for players, or opens one for two players. It acknowledges every message
that must or may be acknowledged. Requests go to the player as requests to its own seat.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import DecodeError, UnsetType, ValidationError, convert
from msgspec.json import Decoder, Encoder

from gamehost.games.base import Seat
from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.eriantys.rules import Character, Students
from gamehost.programs.clients import WireClient
from gamehost.programs.wire_player import ANSWERED_WITHIN, NOBODY, ProgramError, WirePlayer, won
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.codec import LINE_LIMIT, parse
from gamehost.wires.eriantys.messages import CLIENT_TYPES, SERVER_TYPES, Message
from gamehost.wires.eriantys.rendering import SPELLING
from gamehost.wires.framing import ClientLineCodec, WireError

#: The longest line of the server in bytes. A board has a few thousand bytes. A list of many open games can be longer.
SERVER_LINE_LIMIT = 1_048_576

_decode = Decoder().decode
_encode = Encoder().encode

_HEADS: Mapping[type, bytes] = {kind: b'{"type":"%s"' % name.encode() for name, kind in CLIENT_TYPES.items()}


class JsonClientCodec(ClientLineCodec[Message]):
    """Reads the server's messages, and writes a client's messages. Each message is a line of JSON."""

    LIMIT = SERVER_LINE_LIMIT
    CLIENT_LIMIT = LINE_LIMIT

    def read(self, line: bytes) -> Message | None:
        """
        Returns the message of the server in a line; `None`: the line is blank.

        :raises WireError: it is not a message of the server
        """
        if not line.strip():
            return None
        try:
            content = _decode(line)
        except (DecodeError, ValidationError, UnicodeDecodeError, RecursionError):
            raise WireError("a line that is not JSON") from None
        name = content.get("type") if isinstance(content, dict) else None
        kind = SERVER_TYPES.get(name) if isinstance(name, str) else None
        if kind is None:
            raise WireError('expected a JSON object with "type" and the name of a message of the server')
        try:
            message: Message = convert(content, kind)
        except ValidationError:
            raise WireError(f"{kind.__name__} has a missing key or a wrong value") from None
        return message

    def line(self, message: Message) -> bytes:
        """
        Returns the line with which a client sends a message.

        :raises WireError: it is not a client's message, or the server would refuse it
        """
        head = _HEADS.get(type(message))
        if head is None:
            raise WireError(f"a client does not say {type(message).__name__}")
        try:
            body = _encode(message)
        except (UnicodeEncodeError, OverflowError, ValueError, TypeError):
            body = b""
        # `head` has the class of the message in front of its fields.
        line = head + b"}" if body == b"{}" else b"%s,%s" % (head, body[1:])
        # Reads the line as the server does.
        if parse(line) != message:
            raise WireError(f"{type(message).__name__} has a value that the server would refuse")
        return line


class EriantysPlayer(WirePlayer):
    """A program that plays Eriantys on this wire. It converts the server's messages into events for a player of the game."""

    GAME = ERIANTYS
    ANSWERED_WITHIN = ANSWERED_WITHIN

    #: The names of the players, in the order of the seats.
    _players: tuple[str, ...] = ()
    _seat = Seat(0)
    _logged_in = False
    #: Whether the student that must be placed comes from the entrance. Then it may go into the dining room.
    _from_entrance = False
    #: The clouds, and the number of islands, of the last board.
    _clouds: tuple[Students, ...] = ()
    _islands = 12
    #: The result of the match in words.
    _winners = NOBODY
    _expert = False

    def again(self) -> Sequence[Any]:
        super().again()
        return (m.RequestGames(),)

    def hear(self, message: Any) -> Sequence[Any]:
        """Handles a message of the server, and returns the messages to send. The first may be an acknowledgement."""
        # Some boards must be acknowledged and all may be, so the player acknowledges each one.
        due = m.is_due(message) or isinstance(message, m.UpdateBoard)
        said = list(self._hear(message))
        return [m.Acknowledgement(), *said] if due else said

    def _hear(self, message: Any) -> Sequence[Any]:
        """Handles a message of the server. Returns the answers, without the acknowledgement."""
        match message:
            case m.Ping():
                return (m.Pong(),)
            case m.CommunicationMessage(word):
                return self._word(word)
            case m.AvailableGames(games):
                # Joins the first game that waits, or creates one.
                return (m.JoinAvailableGame(games[0].gameId) if games else m.SetGame(self.seats or 2, False),)
            case m.ErrorMessage():
                return self._error(message)
            case m.MatchStarted(players):
                self._begin(message, players)
            case m.CommunicateWinner(_, nickname, _, nicknames):
                names = [nickname] if isinstance(nicknames, UnsetType) else list(nicknames)
                self._winners = won(" and ".join(names)) if any(names) else NOBODY
            case _ if (tell := _TELL.get(type(message))) is not None:
                event, refusals = tell(self, message), self._refusals
                # Only a request shows that the server has judged the last answer. After a refusal the same request comes again,
                # so the number of refusals is not reset here.
                self.tell(event, judged=isinstance(event, e.Ask))
                self._refusals = refusals
        return ()

    def _word(self, word: m.Communication) -> Sequence[Any]:
        """Handles a message that is only a word. Returns the answers."""
        match word:
            case m.Communication.ENTER_NICKNAME:
                return (m.LoginMessage(self.name),)
            # During a match, this answers the player's last action.
            case m.Communication.SUCCESS if self.match is not None:
                self.tell(e.Success(self._seat))
            case m.Communication.SUCCESS if not self._logged_in:
                self._logged_in = True
                return (m.RequestGames(),)
            case m.Communication.LAST_ROUND:
                self.tell(e.LastRound(), judged=False)
            case m.Communication.CLOSING_GAME:
                self.end(self._winners)
        return ()

    def _error(self, message: m.ErrorMessage) -> Sequence[Any]:
        """Handles an error. Returns the answers."""
        reason = message.error.value if isinstance(message.detail, UnsetType) else message.detail
        # Another player was quicker: ask for the games again.
        if message.error in (m.Error.GAME_NOT_FOUND, m.Error.FULL_GAME):
            return (m.RequestGames(),)
        if self.match is None:
            raise ProgramError(f"the server says: {reason}")
        # An action that came too late needs no other one.
        if message.error is not m.Error.INVALID_ACTION:
            self.refused(reason)
        return ()

    def _begin(self, message: m.MatchStarted, players: tuple[str, ...]) -> None:
        """Begins a match, unless it was begun before."""
        if self.name not in players:
            raise ProgramError("the server begins a match without this player")
        # After a lost connection, the server begins the match again.
        if self.match is None:
            self._players, self._seat, self._clouds = players, Seat(players.index(self.name)), ()
            self._expert = message.expertMode is True
            self.sit_down(self._seat)
            self.tell(e.MatchStarted(len(players), self._expert))

    def act(self, action: Any) -> Sequence[Any]:
        return (SPELLING.message_of(action),)

    # -- parts of messages

    def seat_of(self, nickname: str) -> Seat:
        """
        Returns the seat of a player.

        :raises ProgramError: no player of the match has this nickname
        """
        if nickname not in self._players:
            raise ProgramError("the server names a player who is not in the match")
        return Seat(self._players.index(nickname))

    def student(self, message: m.MovableStudents) -> e.AskStudent:
        self._from_entrance = True
        return e.AskStudent(self._seat, SPELLING.read_one_by_one(message.students))

    def card_student(self, message: m.MovableStudentsChar) -> e.AskCardStudent:
        self._from_entrance = False
        return e.AskCardStudent(self._seat, SPELLING.read_one_by_one(message.students))

    def character(self, message: m.PlayedCharacter) -> e.PlayedCharacter:
        self._from_entrance = self._from_entrance and message.player != self.name
        return e.PlayedCharacter(self.seat_of(message.player), Character(message.character))

    def destination(self, message: m.WhereToMove) -> e.AskDestination:
        islands = message.islands if isinstance(message.islands, int) else self._islands
        return e.AskDestination(self._seat, islands, self._from_entrance)

    def cloud(self, message: m.SelectCloud) -> e.AskCloud:
        """Returns the request to choose a cloud. If the message does not name the clouds with students, the board does."""
        full = tuple(number for number, cloud in enumerate(self._clouds) if any(cloud))
        return e.AskCloud(self._seat, message.clouds if isinstance(message.clouds, tuple) else full)

    def tower(self, message: m.AvailableTowers) -> e.AskTower:
        """Returns a request for a tower as an event of the game."""
        teams = SPELLING.read_by_tower(message.currentTeams)
        members = tuple(tuple(map(self.seat_of, team)) for team in teams)
        return e.AskTower(self._seat, SPELLING.read_by_tower(message.availableTowers), members)

    def assistant(self, message: m.AvailableAssistants) -> e.AskAssistant:
        played = tuple((self.seat_of(name), assistant) for name, assistant in message.playedAssistants.items())
        return e.AskAssistant(self._seat, message.availableAssistants, played)

    def ask(self, kind: Callable[..., Any], *values: Any) -> Any:
        return kind(self._seat, *values)

    def board(self, message: m.UpdateBoard) -> e.Board:
        """Returns the board in a message as an event of the game. Notes its clouds and the number of its islands."""
        table = message.dashboard
        self._clouds, self._islands = tuple(map(SPELLING.counts, table.clouds)), len(table.islands)
        by_name = {player.nickname: player for player in message.players}
        players = (by_name[name] for name in self._players if name in by_name)
        holders = (table.professors.get(color) for color in m.Color)
        # Without the extension, the order of the players is not known.
        order = self._players if not isinstance(message.order, tuple) else message.order
        professors = (self.seat_of(holder) if holder else None for holder in holders)
        return SPELLING.read_board(table, players, professors, map(self.seat_of, order))


_TELL: Mapping[type, Callable[[EriantysPlayer, Any], Any]] = {
    m.AvailableTowers: EriantysPlayer.tower,
    m.AvailableWizards: lambda self, one: self.ask(e.AskWizard, one.availableWizards),
    m.AvailableAssistants: EriantysPlayer.assistant,
    m.MovableStudents: EriantysPlayer.student,
    m.MovableStudentsChar: EriantysPlayer.card_student,
    m.WhereToMove: EriantysPlayer.destination,
    m.MotherNatureSteps: lambda self, one: self.ask(e.AskSteps, one.maxStepsAllowed),
    m.SelectCloud: EriantysPlayer.cloud,
    m.SelectColor: lambda self, one: self.ask(e.AskColour),
    m.UpdateBoard: EriantysPlayer.board,
    m.StartOfPlayerRound: lambda self, one: e.StartOfTurn(one.roundNumber, self.seat_of(one.nickname)),
    m.PlayedAssistant: lambda self, one: e.PlayedAssistant(self.seat_of(one.player), one.assistant),
    m.PlayedCharacter: EriantysPlayer.character,
    m.EndOfPlayerRound: lambda self, one: e.EndOfTurn(one.roundNumber, self.seat_of(one.nickname)),
}


CLIENT = WireClient(JsonClientCodec, EriantysPlayer)
