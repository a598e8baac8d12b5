"""
The checks of clients of Litama's protocol.

The protocol is in `docs/extras/dialects/litama.rst`; sections are the titles in it.
"""

import re
from collections.abc import Mapping
from typing import Any

from gamehost.extras.check.base import Act, Grade, Said, Scenario, Step, WireChecks, laws
from gamehost.extras.check.wires.onitama import STUCK, OnitamaReading, stalemate
from gamehost.extras.dialects.litama import messages as m
from gamehost.extras.dialects.litama.client import position_of
from gamehost.extras.dialects.litama.rendering import BLUE_CARDS, turned
from gamehost.games.base import Seat
from gamehost.games.onitama.rules import SQUARE_NAMED
from gamehost.ops import printable
from gamehost.programs.clients import Judges

LAWS = laws(__name__, "clients")

#: The stamp of the side card decides which player begins.
BLUE = {"onitama.deal": "boar,ox/crab,eel/tiger"}
RED = {"onitama.deal": "tiger,ox/crab,eel/boar"}

_TOKEN = re.compile(r"\b[0-9a-f]{64}\b")


class LitamaReading(OnitamaReading):
    """Follows the last match that the client has created or joined on a connection, and judges its messages."""

    #: The client's index in the match; `None`: it is not in a match.
    _index: int | None = None
    _match_id = ""
    #: The seat that is blue.
    _blue = 0

    def of_any_time(self, message: Any) -> Said | None:
        """Judges a message that is possible at any time; `None`: it is another message."""
        match message:
            case m.Create(_, _, name):
                self.name = name
                return Said(f"has a match wait, as {name}")
            case m.Join(_, _, name):
                self.name = name
                return Said(f"begins the match that waits under this id, as {name}")
            case m.State():
                return Said("asks how the match stands")
            case m.Spectate(_, match_id, token):
                # With a token, the seat is taken back.
                if token:
                    self._match_id = match_id
                return Said("wants to know how the match stands" + (", and takes its seat back" if token else ""))
        return None

    def of_a_match(self, message: Any) -> Said:
        """Returns the meaning of a message that the client sends in a match, marked if it is wrong."""
        if not isinstance(message, m.MakeMove):
            return self.no_message()
        if len(message.words) != 2:
            return self.sends(message.words, "", "expected a card and two squares, such as boar a1b2")
        card, squares = message.words
        # The wire's board is turned if Black is blue.
        start, end = (
            None if name not in SQUARE_NAMED else turned(SQUARE_NAMED[name], self._blue)
            for name in (squares[:2], squares[2:])
        )
        return self.moves(card, (start, end), squares)

    def heard(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the server. Returns what the message means, and for a refusal
        how bad the refused message was.
        """
        match message:
            case m.Failed(_, error, "move"):
                return self.refused(error)
            case m.Failed(_, "Game ended" as error, _):
                return Said(f"the server says: {error}")
            case m.Failed(_, error, command):
                return Said(f"the server says: {error}", Grade.NOTE if command in ("create", "join") else Grade.BREACH)
            case m.Entered(command, match_id, _, index):
                self._match_id, self._index = match_id, index
                return Said(f"the answer to {command}: the id of the match, and the token of the seat")
            case m.Done("move", _):
                return Said(self._accepted())
            case m.Standing(fields):
                return Said(self._stands(fields))
        return Said("the server tells how the match stands from now on")

    def _accepted(self) -> str:
        """Notes that the server has accepted the client's move. Returns the meaning of the message."""
        one = self.unanswered.next_accepted()
        if one is not None and self.turn is not None:
            self.unanswered.accepted(one.move)
            # The next `state` has the new position.
            self.turn, self.position = 1 - self.turn, None
        return "the move is made"

    def _stands(self, fields: Mapping[str, Any]) -> str:
        """Updates what is known of the match by a `state` of the client's match. Returns what the message means."""
        if fields.get("gameState") == "waiting for player":
            return "the match waits for another player"
        try:
            # Blue is the side of the player that moves first, by the spare card.
            position, blue = position_of(fields), int(fields["startingCards"]["side"] not in BLUE_CARDS)
            turn, names, winner = fields["currentTurn"], fields["usernames"], fields["winner"]
            own = None if self._index is None else Seat(blue ^ (fields["indices"]["blue"] != self._index))
        except (KeyError, TypeError, ValueError):
            return "this cannot be understood"
        if fields.get("matchId") != self._match_id:
            return "how another match stands"
        if fields["gameState"] == "ended":
            return (
                self.over("draw" if winner == "none" else str(names[winner])) if self.turn is not None else "it is over"
            )
        # The opponent has moved.
        if self.turn != position.turn:
            self.unanswered.position_changed()
        self._blue = blue
        self.goes_on(own, position.turn)
        self.position = position
        return f"{turn}'s turn, which {names[turn]} has; {len(fields['moves'])} moves were made"


def printed(message: Any, raw: bytes) -> str:
    """Returns a message as printable text. Tokens are hidden, because everybody with a token can move."""
    return _TOKEN.sub("***", printable(raw))


def spoiled(data: bytes) -> bytes | None:
    """Changes a move so that it ends on its start square. No card allows that. Returns `None` for other messages."""
    words = data.rstrip(b"\r\n").split(b" ")
    if words[0] != b"move" or len(words) != 5:
        return None
    # The last word has both squares, of two letters each.
    return b" ".join([*words[:4], words[4][:2] * 2]) + b"\n"


SCENARIOS = (
    Scenario("blue-begins", "The side card of the beginning is blue's; a whole match.", "turn", BLUE),
    Scenario("red-begins", "The side card of the beginning is red's.", "turn", RED),
    Scenario("creator-is-white", "The creator of the match begins.", "turn", BLUE, below=lambda n: 0),
    Scenario("creator-is-black", "The creator of the match comes second.", "turn", BLUE, below=lambda n: n - 1),
    Scenario("opponent-waits", "Another player waits already, so the match begins with the answer to `create`.", "turn", BLUE,
             client_first=False, most=40),
    Scenario("random-deals", "Three matches on one connection, each with other cards.", "end", matches=3, most=40),
    Scenario("wins", "The opponent gives up: the end comes without a last move.", "end", BLUE,
             steps=(Step(Act.OPPONENT_RESIGNS, 6),)),
    Scenario("draw", "The match is drawn after ten moves: `winner` is `none`.", "end", {**BLUE, "onitama.max_plies": "10"}),
    Scenario("invalid-move", "The client's move is refused once; it sends another one.", "turn", BLUE,
             steps=(Step(Act.MOVE_REFUSED, 2),), most=20),
    Scenario("strict", "The protocol's messages only.", "framing", BLUE, strict=True, most=30),
    Scenario("no-move", "The client comes back, and has no move: the host gives a card for it.", "turn", STUCK,
             steps=(Step(Act.CLIENT_CUT, 4),), needs_reconnect=True, most=20, lay=stalemate(client=True)),
    Scenario("opponent-has-no-move", "The client comes back to a board on which the opponent has no move.", "turn", STUCK,
             steps=(Step(Act.CLIENT_CUT, 5),), needs_reconnect=True, most=24, lay=stalemate(client=False)),
    *Scenario.usual(BLUE, 4, 30),
)  # fmt: skip

CHECKS = WireChecks(
    "litama",
    LAWS,
    SCENARIOS,
    new_reading=LitamaReading,
    spoiled=spoiled,
    printed=printed,
    late=("MakeMove", "Spectate", "State"),
)

JUDGES = Judges(CHECKS)
