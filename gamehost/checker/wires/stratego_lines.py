"""
The checks of Stratego in lines of ASCII with accounts.

The document is *Stratego server protocol description*. It has no titles: its parts are the items of its list.
"""

from collections.abc import Mapping
from typing import Any

from gamehost.checker.base import Act, Cut, Grade, Law, Said, Scenario, Step, WireChecks
from gamehost.checker.steering import AttacksFromAfar
from gamehost.players.base import Level
from gamehost.wires.stratego_lines import messages as m

LAWS: Mapping[str, Law] = {
    "name": Law(
        "item 3, username and password",
        "After auth-req the client sends a username and a password, each on a line of its own.",
        "Send two lines after each auth-req, and nothing before it.",
    ),
    "set-up": Law(
        "item 6, board-setup",
        "After color the client sends four lines of ten letters: red its rows 1 to 4, blue its rows 10 to 7.",
        "Send the back row first, each row from column A to J, with the letters and numbers of pieces that the document has.",
    ),
    "move": Law(
        "item 8, get-move; item 9, ff-tt[-t]",
        "After get-move the client sends one move as ff-tt, such as B4-B5, in capital letters.",
        "Send exactly one move after each get-move. After a refusal wait for get-move again.",
    ),
    "framing": Law(
        "contents",
        "A message is one line of ASCII that ends in \\n.",
        "End each line with \\n alone. Read up to \\n, however many bytes one call gives you.",
    ),
    "login": Law(
        "items 1 to 3",
        "The client connects; the server sends auth-req; the client sends a username and a password.",
        "Connect to {host} and {port}; wait for auth-req; send {name} and {password}.",
    ),
    "turn": Law(
        "item 8, get-move",
        "If it is the client's turn, the server sends get-move, and the client answers with a move.",
        "Answer every color with a set-up and every get-move with a move.",
    ),
    "end": Law(
        "item 10, winner",
        "winner red or winner blue ends the game; the client waits for new again.",
        "End the program after the last winner, or when the connection is closed.",
    ),
    "drop": Law(
        "(not in the document)",
        "The other player's connection may be lost and come back; the document has no message for it.",
        "Wait: the game goes on with the other's next move.",
    ),
    "reconnect": Law(
        "(an extension: resume)",
        "A player whose connection was lost logs in again, and is told the board with resume.",
        "Connect again, log in with the same name and password, and read resume, color, board, ten rows and endsetup.",
    ),
    "closing": Law(
        "(what every program owes its user)",
        "When the server is gone, the client says so and ends.",
        "End with a message when the connection cannot be made again for half a minute.",
    ),
}

_KINDS: Mapping[str, str] = {
    **{"V": "flag", "M": "marshal", "G": "general", "K": "colonel", "J": "major", "P": "captain", "L": "lieutenant"},
    **{"S": "sergeant", "I": "miner", "R": "scout", "O": "spy", "B": "bomb"},
}


#: What is awaited from the client after a message of the server.
_AWAITED: Mapping[type, str] = {
    m.AuthReq: "name",
    m.AuthOk: "",
    m.New: "",
    m.Resume: "",
    m.EndSetup: "",
    m.GetMove: "move",
}
_WORDS: Mapping[type, str] = {
    m.AuthReq: "a username and a password are awaited",
    m.AuthOk: "logged in",
    m.AuthErr: "not logged in",
    m.New: "a game begins",
    m.Resume: "back in a game that goes on",
    m.EndSetup: "both set-ups stand",
    m.GetMove: "it is the client's turn",
}


#: The Two-Squares rule is not in the document, so a client need not know it.
FREE = {"stratego.two_squares": "0"}


class LinesReading:
    """Follows one session from the client's side."""

    def __init__(self) -> None:
        self._awaited = ""
        self._rows: list[str] = []
        self._red = True
        self._own: dict[str, str] = {}
        self._move = ("", "")
        #: Whether the client has come back to a game, and no set-up is awaited.
        self._back = False

    def redacted(self, message: Any) -> Any:
        """A password is hidden. So is every line before the log-in is answered, but the name."""
        return m.Text("***") if self._awaited == "password" and isinstance(message, m.Text) else message

    def said(self, message: Any) -> Said:
        """What a line of the client means."""
        if not isinstance(message, m.Text):
            return Said("a line that cannot be read", Grade.BREACH, "framing")
        text = message.text
        match self._awaited:
            case "name":
                self._awaited = "password"
                return Said(f"logs in as {text}", law="name")
            case "password":
                self._awaited = "answer"
                return Said("the password", law="name")
            case "set-up":
                return self._set_up(text)
            case "move":
                return self._moves(text)
        if text == "resign":
            return Said("gives the game up", law="turn")
        return Said("nothing is awaited from the client now", Grade.BREACH, "turn")

    def _set_up(self, text: str) -> Said:
        self._rows.append(text)
        number = len(self._rows)
        if number == 4:
            self._awaited = ""
            fault = m.fault_of_set_up(tuple(row.upper() for row in self._rows))
            if fault is not None:
                return Said(f"row 4 of the set-up: {fault}", Grade.BREACH, "set-up")
            self._place()
        row = number if self._red else 11 - number
        if text != text.upper():
            return Said("writes a set-up in small letters", Grade.FRAGILE, "set-up")
        return Said(f"row {row} of the set-up", law="set-up")

    def _place(self) -> None:
        self._own.clear()
        for number, row in enumerate(self._rows):
            rank = number + 1 if self._red else 10 - number
            self._own.update((f"{column}{rank}", letter) for column, letter in zip(m.COLUMNS, row.upper(), strict=True))

    def _moves(self, text: str) -> Said:
        move = m.read_move(text)
        if move is None:
            return Said("not a move; expected ff-tt, such as B4-B5", Grade.BREACH, "move")
        self._awaited = ""
        start, end = m.square(move[0], move[1]), m.square(move[2], move[3])
        self._move = (start, end)
        if text != text.upper():
            return Said("writes a move in small letters", Grade.FRAGILE, "move")
        piece = self._own.get(start)
        if piece is None and self._own:
            return Said(f"{start}-{end}: no piece of the client stands on {start}", Grade.BREACH, "move")
        return Said(f"{_KINDS.get(piece or '', 'a piece')} {start} to {end}", law="move")

    def heard(self, message: Any) -> str:
        """What a line of the server means."""
        if type(message) in _AWAITED:
            self._awaited = _AWAITED[type(message)]
            self._back = isinstance(message, m.Resume)
        match message:
            case m.Color(color):
                self._red = color == "red"
                self._awaited = "" if self._back else "set-up"
                self._rows.clear()
                return f"the client is {color}; " + ("the board follows" if self._back else "four rows are awaited")
            case m.Met(piece):
                return self._met(piece)
            case m.Moved(start, end, attacker):
                return self._moved(start, end, attacker)
            case m.Winner(color):
                self._awaited = ""
                return "the game is over: " + ("a draw" if color == "none" else f"{color} has won")
            case m.Err(reason):
                if self._awaited == "" and len(self._rows) == 4 and "set-up" in reason:
                    self._awaited = "set-up"
                    self._rows.clear()
                return f"the server says: {reason}"
            case m.Board(rows):
                return self._board(rows)
        return _WORDS.get(type(message), "")

    def _met(self, piece: str | None) -> str:
        start, end = self._move
        mover = self._own.pop(start, None)
        if piece is None:
            if mover is not None:
                self._own[end] = mover
            return "the square was empty"
        # Who wins is left to the game; a square whose owner is not sure is not followed.
        self._own.pop(end, None)
        if mover is not None and _wins(mover, piece):
            self._own[end] = mover
        return f"the square held the enemy's {_KINDS[piece]}"

    def _moved(self, start: str, end: str, attacker: str | None) -> str:
        if attacker is None:
            return f"the enemy moves {start} to {end}"
        mine = self._own.get(end)
        if mine is not None and not _wins(mine, attacker, defends=True):
            del self._own[end]
        return f"the enemy's {_KINDS[attacker]} attacks {end} from {start}"

    def _board(self, rows: tuple[str, ...]) -> str:
        self._own.clear()
        for number, row in enumerate(rows):
            squares = zip(m.COLUMNS, row, strict=True)
            self._own.update((f"{column}{10 - number}", letter) for column, letter in squares if letter not in "#.~")
        return "the board as this player may see it"


_RANKS = "MGKJPLSIRO"


def _wins(mine: str, theirs: str, defends: bool = False) -> bool:
    """Whether a piece is on the board after a battle."""
    attacker, defender = (theirs, mine) if defends else (mine, theirs)
    if attacker == defender:
        return False
    if defender == "B":
        won = attacker == "I"
    else:
        won = defender == "V" or attacker + defender == "OM" or _RANKS.index(attacker) < _RANKS.index(defender)
    return won != defends


def spoiled(data: bytes) -> bytes | None:
    """A move onto the square on which it began."""
    text = data.decode("ascii", "replace").strip()
    if m.read_move(text) is None:
        return None
    start = text.split("-")[0]
    return f"{start}-{start}\n".encode("ascii")


SCENARIOS = (
    Scenario("red", "The client is red; the opponent gives up after forty moves.", "turn", FREE, most=40),
    Scenario("blue", "The client is blue.", "set-up", FREE, client_first=False, most=40),
    Scenario("whole-game", "A long game against a player at random, or until two hundred moves are made.", "turn", FREE,
             level=Level.RANDOM),
    Scenario("loses", "A game against an opponent of middle strength.", "end", FREE, level=Level.MEDIUM, most=160,
             client_first=False),
    Scenario("wins-at-once", "The opponent gives up before the first move.", "end", FREE,
             steps=(Step(Act.OPPONENT_RESIGNS, 3),)),
    Scenario("two-games", "new comes again after winner, on the same connection.", "end", FREE, matches=2, most=12),
    Scenario("bytes", "Every byte is a segment of its own.", "framing", FREE, cut=Cut.BYTES, most=16),
    Scenario("joined", "Several lines come in one segment.", "framing", FREE, cut=Cut.JOINED, most=30),
    Scenario("random-cuts", "Segments end in the middle of lines.", "framing", FREE, cut=Cut.RANDOM, most=30,
             client_first=False),
    Scenario("refused-move", "The client's move is refused once; get-move comes again.", "move", FREE,
             steps=(Step(Act.MOVE_REFUSED, 4),), most=20),
    Scenario("patience", "The opponent thinks for five seconds.", "turn", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 5, client_owes=False),), most=14),
    Scenario("drop", "The opponent's connection is lost and comes back.", "drop", FREE,
             steps=(Step(Act.OPPONENT_DROPS, 5, client_owes=True),), most=20),
    Scenario("drop-in-set-up", "The opponent drops before its set-up.", "drop", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 1), Step(Act.OPPONENT_DROPS, 1)), most=16),
    Scenario("opponent-gone", "The opponent does not come back: the client wins.", "end", FREE,
             steps=(Step(Act.OPPONENT_GONE, 6),), grace=1.0),
    Scenario("strict", "The documented lines only.", "framing", FREE, strict=True, most=40),
    Scenario("strict-blue", "The documented lines only, as blue.", "framing", FREE, strict=True, client_first=False, most=40),
    Scenario("strict-refused", "The documented lines only, and a move is refused: get-move comes again, without err.",
             "move", FREE, strict=True, steps=(Step(Act.MOVE_REFUSED, 4),), most=20),
    Scenario("own-drop", "The client's connection is lost in mid-game; it comes back.", "reconnect", FREE,
             steps=(Step(Act.CLIENT_CUT, 6),), needs_reconnect=True, most=30),
    Scenario("own-drop-in-set-up", "The client's connection is lost before its set-up.", "reconnect", FREE,
             steps=(Step(Act.CLIENT_CUT, 1),), needs_reconnect=True, most=20),
    Scenario("scouts", "The opponent's scouts move far, and attack from afar.", "turn", FREE, opponent=AttacksFromAfar,
             client_first=False, most=40),
    Scenario("two-squares", "The Two-Squares rule may refuse a move that goes to and fro.", "move",
             {"stratego.two_squares": "3"}, forgives=True, most=60),
    Scenario("half-a-minute", "The opponent thinks for half a minute, and nothing comes.", "turn", FREE, slow=True,
             steps=(Step(Act.OPPONENT_THINKS_LONG, 5, client_owes=False),), most=14),
    Scenario("host-stops", "The host stops in good order in mid-game.", "closing", FREE, steps=(Step(Act.HOST_STOPS, 6),)),
    Scenario("host-killed", "The host is killed in mid-game.", "closing", FREE, steps=(Step(Act.HOST_KILLED, 6),)),
)  # fmt: skip

CHECKS = WireChecks("stratego-lines", LAWS, SCENARIOS, LinesReading, spoiled=spoiled)
