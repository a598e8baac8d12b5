"""
The checks of clients and of servers of the wire `onitama`. Also the parts that they share with the checks of the final
dialect: the reading of a match from one player's side, and scenarios.

The document is *Návrh protokolu*. Its sections are named by their titles. `docs/wires/onitama.rst` contains the whole
document in English. The game's own rules decide which moves are legal.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve

from gamehost.accounts.names import composed
from gamehost.extras.check.base import (
    GRADES,
    Act,
    Cut,
    Grade,
    Reading,
    Said,
    Scenario,
    Step,
    Unanswered,
    WireChecks,
    laws,
)
from gamehost.extras.check.server_run import Opening, ServerChecks, ServerRun, Spelling, User
from gamehost.extras.check.server_scripts import (
    LONGEST,
    case,
    crosswise,
    joined,
    next_match,
    out_of_turn,
    refusals,
    returns,
    some_moves,
)
from gamehost.games.base import Seat
from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, START, Card, Move, Position, Square, card_named
from gamehost.programs.clients import Judges
from gamehost.wires.onitama import messages as m

#: The pieces of the side that cannot move. All five are on the farthest row. No card of the hand leads back, and the
#: squares beside a piece have own pieces.
_STUCK = ("P", "P", "P", "P", "K")
#: The square of the other side's master, by the seat of the side that cannot move.
_ELSEWHERE = {0: 7, 1: 17}


def stalemate(client: bool) -> Callable[[Any, Seat], None]:
    """
    Returns a function for `Scenario.lay` that makes a position without a legal move for the side to move.

    :param client: whether this side is the client; otherwise it is the opponent
    """

    def lay(master: Any, seat: Seat) -> None:
        """
        Puts the position into the match.

        :param seat: the client's seat
        """
        stuck = seat if client else 1 - seat
        hands = [(Card("ox"), Card("horse")), (Card("ox"), Card("horse"))]
        hands[stuck] = (Card("crab"), Card("elephant"))
        squares = ["."] * 25
        for column, piece in enumerate(_STUCK):
            # For Black the board is turned by 180 degrees: its farthest row is the lowest one.
            squares[20 + column if stuck == 0 else 4 - column] = piece if stuck == 0 else piece.lower()
        other = ("K", "P") if stuck == 1 else ("k", "p")
        squares[_ELSEWHERE[stuck]], squares[12] = other
        master.position = Position((hands[0], hands[1]), Card("boar"), "".join(squares), int(stuck))

    return lay


#: Cards with which both sides have many moves.
DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}
#: The cards of the boards on which one side has no move.
STUCK = {"onitama.deal": "crab,elephant/ox,horse/boar"}
_SIDES = ("White", "Black")
_PIECES = {"K": "White's master", "P": "a pupil of White", "k": "Black's master", "p": "a pupil of Black"}


class OnitamaReading(Reading):
    """
    Follows a match on one connection, as the client knows it, and judges the client's messages.

    A subclass for a wire translates its messages, in `of_any_time`, `of_a_match` and `heard`.
    """

    #: Advice about refused moves, by the reason of the refusal. It replaces the advice of the law about moves.
    ADVICE: Mapping[str, str] = {
        "a piece of yours stands on the end square": "Leave out the steps that end on a piece of your own."
    }

    def __init__(self) -> None:
        """Makes the reading of one connection."""
        #: The position; `None`: it is not known, because the server has not sent the cards.
        self.position: Position | None = None
        self.name = ""
        #: The client's side; `None`: it is not known.
        self.own: int | None = None
        #: The side to move; `None`: there is no match.
        self.turn: int | None = None
        #: Whether the client waits for an opponent.
        self.waits = False
        #: The moves of the client.
        self.unanswered = Unanswered()
        #: The other unanswered messages of the client that may be refused: `log-in`, `help` or `other`.
        self.open: list[str] = []
        #: Whether the next message may have been sent before the end of the match was known.
        self._may_be_late = False

    def said(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the client. Returns what the message means, marked if it is
        wrong.
        """
        # Only the next message may be late.
        may_be_late, self._may_be_late = self._may_be_late, False
        said = self.of_any_time(message)
        if said is not None:
            return said
        said = self.of_a_match(message)
        if self.turn is None and not may_be_late:
            # The server will refuse it.
            self.open.append("other")
            if said.grade is None:
                return Said(f"{said.meaning}, but no match is played", Grade.BREACH)
        return said

    def of_any_time(self, message: Any) -> Said | None:
        """Returns the meaning of a message that needs no match; `None`: the message is not one of these."""
        raise NotImplementedError

    def of_a_match(self, message: Any) -> Said:
        """Returns the meaning of a move, or of a line that is not a client's message."""
        raise NotImplementedError

    def no_message(self) -> Said:
        """Judges a line that is not a client's message."""
        if self.turn is not None:
            self.open.append("other")
        return Said("this is no message of a client", Grade.BREACH)

    def logs_in(self, name: str) -> Said:
        """Judges a log-in of the client."""
        if self.turn is not None or self.waits:
            self.open.append("other")
            return Said(f"logs in as {name}, but is logged in already", Grade.BREACH)
        self.name = composed(name)
        self.open.append("log-in")
        return Said(f"logs in as {name}")

    def sends(self, move: Any, words: str, wrong: str | None, legal: str = "", in_turn: bool = True) -> Said:
        """
        Judges a move of the client during a match; see `Unanswered.send`. If no match is played, the move is not
        expected to be answered, and the result only has its meaning and its fault.

        :param wrong: why the rules refuse the move; `None`: they do not
        """
        if self.turn is not None:
            return self.unanswered.send(move, words, wrong, legal, in_turn)
        if wrong is None:
            return Said(words + legal)
        return Said(f"{words}: {wrong}" if words else wrong, Grade.BREACH)

    def moves(self, card: str, squares: tuple[Square | None, Square | None], shown: str) -> Said:
        """
        Judges a move of the client.

        :param squares: the start and the end; `None`: there is no such square
        :param shown: both squares, as the wire writes them
        """
        known, (start, end) = card_named(card), squares
        if known is None or start is None or end is None:
            return self.sends((card, shown), "", "no such card or square")
        move = (known, start, end)
        if (wrong := self._not_on_turn()) is not None:
            return self.sends(move, "", wrong, in_turn=False)
        # Without the cards, nobody can say whether the move is legal.
        if self.position is None:
            return self.sends(move, f"moves {shown} by {card}", None)
        words = f"{_PIECES.get(self.position.board[start], 'nothing')} {shown} by {card}"
        why = self.position.why_not(Move(known, start, end))
        return evolve(self.sends(move, words, why, "; legal"), do=self.ADVICE.get(why or "", ""))

    def exchanges(self, card: str) -> Said:
        """Judges an exchange of a card, which is legal only if the client has no move."""
        position, known = self.position, card_named(card)
        if known is None:
            return self.sends(card, "", "no such card")
        if (wrong := self._not_on_turn()) is not None:
            return self.sends(known, "", wrong, in_turn=False)
        words = f"exchanges {card}"
        # Without the cards, nobody can say whether the exchange is legal.
        if position is None:
            return self.sends(known, words, None)
        if next(position.moves(), None) is not None:
            return self.sends(known, words, "there is a legal move")
        if known not in position.hands[position.turn]:
            return self.sends(known, words, "that card is not in the client's hand")
        return self.sends(known, words, None, "; nothing can be moved")

    def _not_on_turn(self) -> str | None:
        """Returns the fault of a move if it is the opponent's turn; `None`: it may be the client's turn."""
        # No match is played, or the client's side is not known, or it is the client's turn.
        if self.turn is None or self.own is None or self.own == self.turn:
            return None
        words = f"it is {_SIDES[self.turn]}'s turn"
        if self.position is None:
            return words
        # Also name the client's side and its cards: if the client has mistaken its side, its author sees it by them.
        return f"{words}; {_SIDES[self.own]} holds {', '.join(self.position.hands[self.own])}"

    # -- messages of the server

    def refused(self, reason: str | None) -> Said:
        """Notes the refusal of a move."""
        # No move is unanswered, so another message is refused.
        if self.unanswered.refused() is None and self.open:
            del self.open[0]
        return Said("the last move is refused" + (f": {reason}" if reason else ""), Grade.BREACH)

    def failed(self, reason: str) -> Said:
        """Notes a refusal of the server that is not about a move."""
        what = self.open.pop(0) if self.open else "log-in"
        return Said(f"the server says: {reason}", GRADES[what])

    def waiting(self) -> str:
        """Notes that the log-in is accepted and the client waits. Returns what the message means."""
        self.waits = True
        self.open.clear()
        return "logged in; nobody to play with yet"

    def begins(self, white: str, black: str, position: Position | None) -> str:
        """Notes the beginning of a match, its players and its position. Returns what the message means."""
        own = None
        if white == self.name:
            own = 0
        elif black == self.name:
            own = 1
        # White moves first.
        self.goes_on(own, 0)
        self.position = position
        return f"the match begins; {white} is White and moves first, {black} is Black"

    def goes_on(self, own: int | None, turn: int) -> None:
        """
        Notes the state of the match.

        :param own: the client's side; `None`: it is not known
        :param turn: the side to move
        """
        self.own, self.turn, self.waits = own, turn, False
        self.open.clear()

    def _turned(self, move: Any) -> None:
        """Notes that a side has moved: this answers the client's move, or ends the opponent's turn."""
        if self.turn is None:
            return
        # A side that is not known may be the client.
        if self.own in (None, self.turn):
            self.unanswered.accepted(move)
        else:
            self.unanswered.position_changed()
        self.turn = 1 - self.turn

    def moved(self, card: str, squares: tuple[Square | None, Square | None], shown: str) -> str:
        """Updates what is known of the match by a move that was made. Returns what the message means."""
        position, known, (start, end) = self.position, card_named(card), squares
        self._turned((known, start, end))
        if position is None or known is None or start is None or end is None:
            return f"{shown} by {card}"
        self.position = position.after(Move(known, start, end))
        return f"{card} becomes the spare, {_SIDES[position.turn]} gets {position.spare}"

    def exchanged(self, old: str, new: str | None) -> None:
        """
        Updates what is known of the match by an exchange of a card.

        :param old: the card that was given
        :param new: the card that was received; `None`: the spare card
        """
        position, known = self.position, card_named(old)
        self._turned(known)
        if position is not None and known is not None:
            other = position.spare if new is None else card_named(new)
            self.position = position if other is None else position.exchanged(known, other)

    def over(self, winner: str) -> str:
        """
        Notes that the match is over, and which messages of the client may have crossed this. Returns what the message
        means.
        """
        crossed = self.unanswered.over()
        # Of the messages that were sent before the end was known, the server ignores the first one and refuses the others.
        self._may_be_late = crossed == 0
        self.open.extend(["other"] * (crossed - 1))
        self.position = self.turn = None
        return "the match is over: " + ("a draw" if winner == "draw" else f"{winner} has won")


def dealt(white: Sequence[str], black: Sequence[str], spare: str, board: str, turn: int) -> Position | None:
    """
    Makes a position from the names of its cards.

    :param board: the squares, a1 first
    :param turn: the side to move
    :returns: `None`: a card or the board cannot be read
    """
    named = [card_named(word) for word in (*white, *black, spare)]
    cards = [card for card in named if card is not None]
    # A name that is no card was left out.
    if len(cards) != 5 or len(board) != len(SQUARES):
        return None
    return Position(((cards[0], cards[1]), (cards[2], cards[3])), cards[4], board, turn)


def scenarios(exchange: str, *strict: Scenario) -> Sequence[Scenario]:
    """
    Returns the scenarios for clients of both wires of Onitama.

    :param exchange: the key of the law about exchanges
    :param strict: the scenarios without extensions
    """
    return (
        Scenario("first-mover", "The client is White; a whole match against an easy opponent.", "turn", DEAL),
        Scenario("second-mover", "The client is Black.", "turn", DEAL, client_first=False),
        Scenario("random-deals", "Three matches on one connection, each with other cards.", "end", matches=3, most=40),
        Scenario("wins", "The opponent gives up: GAME_OVER comes without a last move.", "end", DEAL,
                 steps=(Step(Act.OPPONENT_RESIGNS, 6),)),
        Scenario("loses", "A strong opponent wins.", "end", DEAL, client_first=False, most=120),
        Scenario("draw", "The match is drawn after ten moves.", "end", {**DEAL, "onitama.max_plies": "10"}),
        Scenario("invalid-move", "The client's move is refused once; it sends another one.", "turn", DEAL,
                 steps=(Step(Act.MOVE_REFUSED, 2),), most=20),
        Scenario("drop-in-clients-turn", "The opponent's connection is lost and comes back in the client's turn.", "drop", DEAL,
                 steps=(Step(Act.OPPONENT_DROPS, 3, client_owes=True),), most=20),
        Scenario("drop-at-once", "The opponent drops before the first move.", "drop", DEAL,
                 steps=(Step(Act.OPPONENT_DROPS, 1),), most=20),
        *strict,
        Scenario("stalemate", "The client comes back to a board on which it has no move.", exchange, STUCK,
                 steps=(Step(Act.CLIENT_CUT, 4),), needs_reconnect=True, most=20, lay=stalemate(client=True)),
        Scenario("opponents-stalemate", "The client comes back to a board on which the opponent has no move.", exchange, STUCK,
                 steps=(Step(Act.CLIENT_CUT, 5),), needs_reconnect=True, most=24, lay=stalemate(client=False)),
        *Scenario.usual(DEAL, 4, 30),
    )  # fmt: skip


LAWS = laws(__name__, "clients")


class LinesReading(OnitamaReading):
    """Follows a match on one connection of the wire `onitama`, as the client knows it, and judges the client's messages."""

    ADVICE = {
        **OnitamaReading.ADVICE,
        "no piece of yours stands on the start square": "Squares are a letter from a to e and a number from 1 to 5, for both"
        " players: row 1 is White's, and row 5 Black's. Follow MOVE_WAS_MADE for both sides.",
        "that card does not lead there": "The first number of a step goes to the right and the second one forward, as its"
        " player sees the board. For Black both are turned: right is towards column a, and forward towards row 1.",
    }

    def of_any_time(self, message: Any) -> Said | None:
        """Judges a message that is possible at any time; `None`: it is another message."""
        match message:
            case m.Login(name):
                return self.logs_in(name.split(":")[0])
            case m.HelpAsked():
                self.open.append("help")
                return Said("asks for help")
        return None

    def of_a_match(self, message: Any) -> Said:
        """Judges a message that belongs to a match."""
        match message:
            case m.MakeMove(card, start, end):
                said = self.moves(card, (SQUARE_NAMED.get(start), SQUARE_NAMED.get(end)), f"{start}-{end}")
                # The host accepts capital letters, but another server may not.
                if said.grade is None and (card, start, end) != (card_named(card), start.lower(), end.lower()):
                    return Said("writes cards or squares in capital letters", Grade.FRAGILE)
                return said
            case m.Stalemate(card):
                return self.exchanges(card)
            case m.Resign():
                return Said("gives the match up")
            case m.WrongFields("MAKE_MOVE" | "STALEMATE", expected) if self.turn is not None:
                return self.sends(message, "", f"expected {expected}")
        return self.no_message()

    def heard(self, message: Any) -> Said:
        """Updates what is known of the match by a message of the server, and returns what the message means."""
        match message:
            case m.InvalidMove(reason):
                return self.refused(reason)
            case m.Error(reason):
                return self.failed(reason)
        return Said(self._told(message))

    def _told(self, message: Any) -> str:
        """Updates what is known of the match by a message of the server about it. Returns what the message means."""
        match message:
            case m.Start(white, black, cards):
                return self.begins(white, black, None if cards is None else _dealt(cards, START, 0))
            case m.MoveWasMade(card, start, end):
                return self.moved(card, (SQUARE_NAMED.get(start), SQUARE_NAMED.get(end)), f"{start}-{end}")
            case m.StalemateCard(old, new):
                self.exchanged(old, new)
                return f"{old} goes to the pack, {new} comes from it; the turn passes"
            case m.Logout(name):
                return f"{name} has lost the connection"
            case m.Reconnect(name, colour, board, cards, on_turn):
                return self._back(name, colour, board, cards, on_turn)
            case m.GameOver(winner):
                return self.over(winner)
            case m.Waiting():
                return self.waiting()
        return ""

    def _back(self, name: str, colour: str, board: str, cards: str, on_turn: str) -> str:
        """
        Notes the state of the match, which the server sends after a player has come back. Returns what the message
        means.
        """
        rows = board.split("/")
        if name == self.name:
            own = 0 if colour == "white" else 1
            self.goes_on(own, own if on_turn == name else 1 - own)
        if len(rows) == 5 and self.own is not None:
            turn = self.own if on_turn == self.name else 1 - self.own
            self.position = _dealt(cards, "".join(reversed(rows)), turn)
        return f"{name} is back as {colour}; {on_turn} is to move"


def _dealt(text: str, board: str, turn: int) -> Position | None:
    """Reads a position from cards such as `white=boar,ox;black=crab,eel;spare=tiger`; `None`: they cannot be read."""
    parts = dict(part.split("=", 1) for part in text.split(";") if "=" in part)
    white, black = (parts.get(key, "").split(",") for key in ("white", "black"))
    return dealt(white, black, parts.get("spare", ""), board, turn)


def spoiled(data: bytes) -> bytes | None:
    """Changes a move so that it ends on its start square. No card allows that. Returns `None` for other messages."""
    # A move has four fields.
    if not data.startswith(b"MAKE_MOVE|") or data.count(b"|") != 3:
        return None
    command, card, start, _ = data.rstrip(b"\r\n").split(b"|")
    return b"|".join([command, card, start, start]) + b"\n"


SCENARIOS = scenarios(
    "Stalemate",
    Scenario("strict", "The documented messages only; the deal is in the environment (GAMEHOST_DEAL).", "framing", DEAL,
             strict=True, most=30),
    Scenario("strict-drop", "The documented messages only, and the opponent drops.", "drop", DEAL, strict=True,
             client_first=False, steps=(Step(Act.OPPONENT_DROPS, 4),), most=20),
)  # fmt: skip


def environment(scenario: Scenario) -> Mapping[str, str]:
    """
    Returns variables for a client's environment: `GAMEHOST_DEAL`, the dealt cards in the form of RECONNECT. Without the
    extension a client cannot know them otherwise.
    """
    if not scenario.strict:
        return {}
    white, black, spare = scenario.settings["onitama.deal"].split("/")
    return {"GAMEHOST_DEAL": f"white={white};black={black};spare={spare}"}


CHECKS = WireChecks(
    "onitama",
    LAWS,
    SCENARIOS,
    new_reading=LinesReading,
    spoiled=spoiled,
    environment=environment,
    needed="the extension of START: the field behind the names, which has the cards",
)


# -- servers

SERVER_LAWS = laws(__name__, "servers")


class OnitamaSpelling(Spelling):
    """The messages of this wire for the scenarios for servers."""

    waits_for_opening = True

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        return (m.Login(name),)

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """
        Returns the message of a move. Exchanges are not played, because no client can foresee which card the server draws.
        """
        if isinstance(action, Move):
            return (m.MakeMove(action.card, SQUARES[action.start], SQUARES[action.end]),)
        return ()

    def documented(self, message: Any) -> Any | None:
        """
        Returns a message of the server as the document has it, without extensions; `None`: the whole message is an
        extension, or need not come.
        """
        match message:
            case m.Waiting() | m.Error():
                return None
            case m.Start(white, black, _):
                return m.Start(white, black)
            case m.InvalidMove():
                return m.InvalidMove()
        return message

    def opening(self, message: Any, first: str) -> Opening | None:
        """
        Returns the dealt cards in START; `None` for other messages.

        :raises ValueError: START does not contain the cards
        """
        if not isinstance(message, m.Start):
            return None
        parts = dict(part.split("=", 1) for part in (message.cards or "").split(";") if "=" in part)
        if set(parts) != {"white", "black", "spare"}:
            raise ValueError("START does not tell the cards; give them with --set onitama.deal=boar,ox/crab,eel/tiger")
        return Opening({"deal": f"{parts['white']}/{parts['black']}/{parts['spare']}"})


def faults(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yields wrong moves of the user on turn: the name of each fault, and the messages with it."""
    _, action = run.on_turn()
    if not isinstance(action, Move):
        return
    start, end = SQUARES[action.start], SQUARES[action.end]
    yield "a move that ends where it began", (m.MakeMove(action.card, start, start),)
    yield "a move from the end square of a legal one", (m.MakeMove(action.card, end, start),)
    yield "a card that does not exist", (m.MakeMove("unicorn", start, end),)
    yield "a square off the board", (m.MakeMove(action.card, start, "f9"),)
    yield "STALEMATE while there is a legal move", (m.Stalemate(action.card),)
    # The cards and pieces are only known before the first move.
    if run.moves == 0 and run.opening is not None and "deal" in run.opening.settings:
        theirs = run.opening.settings["deal"].split("/")[1].split(",")[0]
        yield "a move with a card of the other player", (m.MakeMove(theirs, start, end),)
        yield "a move of the other player's piece", (m.MakeMove(action.card, "c5", "c4"),)


CASES = (
    case("whole-match", "A whole match; the winner is told.", "GameOver", some_moves(LONGEST)),
    case("crosswise", "The player who connects later logs in first, and is White.", "Start", crosswise),
    case("next-match", "A whole match, and the next one on the same connections.", "Start", next_match),
    case("refusals", "The first player makes illegal moves before the first move.", "InvalidMove", refusals(faults, 0)),
    case("refusals-of-black", "The second player makes illegal moves.", "InvalidMove", refusals(faults, 1)),
    case("refusals-later", "Illegal moves in the middle of a match.", "InvalidMove", refusals(faults, 6)),
    case("out-of-turn", "A player moves in the other's turn.", "InvalidMove", out_of_turn),
    case("bytes", "The clients send every byte in a segment of its own.", "turn", some_moves(6), Cut.BYTES),
    case("random-cuts", "The clients' segments end in the middle of messages.", "turn", some_moves(6), Cut.RANDOM),
    case("joined", "An illegal move and a legal one come in one segment.", "turn", joined(faults)),
    case("returns-in-own-turn", "A connection is lost in its player's turn, and comes back.", "Reconnect", returns(True)),
    case("returns-in-others-turn", "A connection is lost in the other's turn, and comes back.", "Reconnect", returns(False)),
)  # fmt: skip

SERVER_CHECKS = ServerChecks("onitama", SERVER_LAWS, CASES, OnitamaSpelling)

JUDGES = Judges(CHECKS, SERVER_CHECKS)
