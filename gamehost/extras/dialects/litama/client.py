"""
The client's side of the wire, in lines: the codec, and a program that plays.

The program creates a match, or joins the match with a given id. Two programs that both create a match do not meet.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import DecodeError, json

from gamehost.extras.dialects.litama import messages as m
from gamehost.extras.dialects.litama.codec import LitamaCodec, parse
from gamehost.extras.dialects.litama.rendering import BLUE_CARDS, read_board, turned
from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA, Situation
from gamehost.games.onitama.rules import SQUARES, Move, Position, card_named
from gamehost.programs.clients import WireClient
from gamehost.programs.wire_player import ANSWERED_WITHIN, NOBODY, ProgramError, WirePlayer, won
from gamehost.wires.framing import ClientLineCodec, WireError

_TEXT = ("error", "command", "query")


class LitamaClientCodec(ClientLineCodec[m.Message]):
    """Reads the server's answers, and writes a client's commands."""

    LIMIT = 65_536
    CLIENT_LIMIT = LitamaCodec.LIMIT

    def read(self, line: bytes) -> m.Message:
        """
        Returns the message of the server in a line.

        :raises WireError: it is not a message of the server
        """
        try:
            fields = json.decode(line, type=dict[str, Any])
        except DecodeError:
            raise WireError("expected one JSON object") from None
        match fields:
            case {"messageType": "state"}:
                return m.Standing(fields)
            case {
                "messageType": "create" | "join" as kind,
                "matchId": str(match_id),
                "token": str(token),
                "index": 0 | 1 as index,
            }:
                return m.Entered(kind, match_id, token, index)
            case {"messageType": "move" | "spectate" as kind, "matchId": str(match_id)}:
                return m.Done(kind, match_id)
            case {"messageType": "error", "error": str()}:
                return m.Failed(*(str(fields.get(name, "")) for name in ("matchId", *_TEXT)))
        raise WireError("not a message of the server")

    def line(self, message: m.Message) -> bytes:
        """
        Returns the line with which a client sends a message.

        :raises WireError: it is not a client's message, or the server would refuse it
        """
        if not isinstance(message, m.Command):
            raise WireError(f"a client does not say {type(message).__name__}")
        # Reads the line as the server does.
        if parse(message.text) != message:
            raise WireError("a name that is too long, or a field with a blank")
        try:
            return message.text.encode("utf-8")
        except UnicodeEncodeError:
            raise WireError("a text that cannot be written in UTF-8") from None


class LitamaPlayer(WirePlayer):
    """A program that plays Onitama on this wire. It takes each position from a `state`, and does not follow moves."""

    GAME = ONITAMA
    ANSWERED_WITHIN = ANSWERED_WITHIN
    #: The id of the match, and the token of the seat.
    _match_id = _token = ""
    #: 0 for the creator of the match, 1 for the other player.
    _index = 0
    _position: Position | None = None
    #: The seat that is blue.
    _blue = 0

    def begin(self) -> Sequence[Any]:
        """Returns the first messages of a connection: they create a match, join one, or continue one."""
        # So that the next `state` begins the match for the player.
        self._position = None
        if self._token:  # the match continues, and the connection is a new one
            return (parse(f"spectate {self._match_id} {self._token}"),)
        joined, self.joins = self.joins, ""
        return (parse(f"join {joined} {self.name}" if joined else f"create {self.name}"),)

    def hear(self, message: Any) -> Sequence[Any]:
        """
        Handles a message of the server. Returns the messages that answer it.

        :raises ProgramError: the server has sent an error that ends the match
        """
        match message:
            case m.Entered(_, match_id, token, index):
                self._match_id, self._token, self._index = match_id, token, index
                if index == 0:  # on the original server no player can join without it
                    self.news = f"match {match_id}"
                return (parse(f"spectate {match_id}"),)
            case m.Standing(fields) if fields.get("gameState") != "waiting for player":
                self._stands(fields)
            case m.Failed(match_id, why, "move"):
                if self._token and match_id == self._match_id:  # else it was on its way when the match ended
                    self.refused(why)
            case m.Failed(match_id, _, "spectate") if self._token and match_id == self._match_id:
                self._token = ""  # the match ended while no connection was open: no `state` says how
                self.end(NOBODY)
            case m.Failed(_, why):
                raise ProgramError(f"the server says: {why}")
        return ()

    def _stands(self, fields: Mapping[str, Any]) -> None:
        """
        Handles a `state`: passes a new position to the player, or ends the match.

        :raises ProgramError: the fields cannot be understood
        """
        try:
            position, ended, winner = position_of(fields), fields["gameState"] == "ended", fields["winner"]
            names = fields["usernames"]
            result = won(names[winner]) if ended and winner != "none" else NOBODY
            self._blue = 0 if fields["startingCards"]["side"] in BLUE_CARDS else 1
            seat = Seat(self._blue ^ (fields["indices"]["blue"] != self._index))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise ProgramError("the server's `state` cannot be understood") from error
        if ended:
            self._token = ""
            self.end(result)
        # Equal positions come again if somebody spectates.
        elif position != self._position:
            if self._position is None:
                self.sit_down(seat)
            self._position = position
            self.tell(Situation(position))

    def act(self, action: Any) -> Sequence[Any]:
        """Returns the message that carries out an action of the player."""
        if not isinstance(action, Move):
            return ()  # the server exchanges a card for a player that cannot move
        squares = "".join(SQUARES[turned(square, self._blue)] for square in (action.start, action.end))
        return (parse(f"move {self._match_id} {self._token} {action.card} {squares}"),)


def position_of(fields: Mapping[str, Any]) -> Position:
    """
    Reads the position in the fields of a `state`.

    :raises KeyError: a field is missing
    :raises ValueError: a card or the board cannot be read
    """
    # The seat of blue: 0 is the player that moves first, and the stamp of the first spare card is its colour.
    blue = 0 if fields["startingCards"]["side"] in BLUE_CARDS else 1
    cards = fields["cards"]
    # A card with an unknown name becomes `None`.
    known = [card_named(one) for one in (*cards["blue"], *cards["red"], cards["side"])]
    five = [card for card in known if card is not None]
    if len(five) != 5:
        raise ValueError("expected five cards")
    hands = ((five[0], five[1]), (five[2], five[3]))
    turn = blue if fields["currentTurn"] == "blue" else 1 - blue
    return Position(hands if blue == 0 else (hands[1], hands[0]), five[4], read_board(fields["board"], blue), turn)


CLIENT = WireClient(LitamaClientCodec, LitamaPlayer)
