"""
The checks of clients and of servers of Onitama in pipe-separated lines.

The document is *Návrh protokolu*; its sections are the titles in it. `docs/wires/onitama.rst` says the same in full.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gamehost.checker.base import CLOSING, Act, Cut, Grade, Law, Said, Scenario, Step, WireChecks
from gamehost.checker.onitama import DEAL, OnitamaReading, dealt, scenarios
from gamehost.checker.server_run import Opening, ServerChecks, ServerRun, Spelling, User
from gamehost.checker.server_scripts import (
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
from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, START, Move, Position, card_named
from gamehost.wires.onitama import messages as m

LAWS: Mapping[str, Law] = {
    "Login": Law(
        "Client, Login",
        "After connecting, the client sends LOGIN and the player's name, once for each match.",
        "Send LOGIN|name once, wait for START, and send LOGIN again only after GAME_OVER.",
    ),
    "MakeMove": Law(
        "Client, Make Move",
        "In its turn the player plays one of its two cards and moves a piece as that card allows, on the board and not onto"
        " a piece of its own.",
        "Follow MOVE_WAS_MADE for both sides, the cards included: the played card becomes the spare, and the mover gets the"
        " old spare.",
    ),
    "Stalemate": Law(
        "Client, Stalemate",
        "Only a player who has no move at all exchanges a card.",
        "Look for a move with both cards before you send STALEMATE.",
    ),
    "Resign": Law("(an extension)", "RESIGN gives the match up.", "Send RESIGN during a match only."),
    "framing": Law(
        "Structure",
        "A message is one line that ends in \\n; its fields are separated by | and nothing else.",
        "Write exactly COMMAND|field|field\\n, without spaces. Read up to \\n, however many bytes one call gives you.",
    ),
    "login": Law(
        "Client, Login",
        "After connecting, the client asks to be logged in under its name.",
        "Connect to {host} and {port}, and send LOGIN|{name}.",
    ),
    "turn": Law(
        "Client, Make Move",
        "The players take turns; who is on turn sends MAKE_MOVE, and after INVALID_MOVE sends another one.",
        "Send a move after START (as White), after the other's MOVE_WAS_MADE or STALEMATE_CARD, and after INVALID_MOVE.",
    ),
    "end": Law(
        "Server, Game Over",
        "GAME_OVER and the winner's name end the match for both.",
        "End the program after the last GAME_OVER, or when the connection is closed.",
    ),
    "drop": Law(
        "Server, Logout; Server, Reconnect",
        "LOGOUT says that the other player's connection is lost, RECONNECT that a player is back, with all that is needed to"
        " go on.",
        "Go on as RECONNECT says: it has the board, the cards and who is on turn, for both players.",
    ),
    "reconnect": Law(
        "Server, Reconnect",
        "A player whose connection was lost logs in again under the same name, and is told how the match stands.",
        "Connect again, send LOGIN with the same name, and go on from RECONNECT.",
    ),
    "closing": CLOSING,
}


class LinesReading(OnitamaReading):
    """Follows one connection from the client's side."""

    ADVICE = {
        **OnitamaReading.ADVICE,
        "no piece of yours stands on the start square": "Squares are a letter from a to e and a number from 1 to 5, for both"
        " players: row 1 is White's, and row 5 Black's. Follow MOVE_WAS_MADE for both sides.",
        "that card does not lead there": "The first number of a step goes to the right and the second one forward, as its"
        " player sees the board. For Black both are turned: right is towards column a, and forward towards row 1.",
    }

    def redacted(self, message: Any) -> Any:
        """A key behind the name is hidden."""
        if isinstance(message, m.Login) and ":" in message.username:
            return m.Login(message.username.split(":")[0] + ":***")
        return message

    def of_any_time(self, message: Any) -> Said | None:
        """Log-ins and calls for help."""
        match message:
            case m.Login(name):
                return self.logs_in(name.split(":")[0])
            case m.HelpAsked():
                self.open.append("help")
                return Said("asks for help")
        return None

    def of_a_match(self, message: Any) -> Said:
        """What a move means."""
        match message:
            case m.MakeMove(card, start, end):
                said = self.moves(card, (SQUARE_NAMED.get(start), SQUARE_NAMED.get(end)), f"{start}-{end}")
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
        """What a message of the server means."""
        match message:
            case m.InvalidMove(reason):
                return self.refused(reason)
            case m.Error(reason):
                return self.failed(reason)
        return Said(self._told(message))

    def _told(self, message: Any) -> str:
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
        rows = board.split("/")
        if name == self.name:
            own = 0 if colour == "white" else 1
            self.goes_on(own, own if on_turn == name else 1 - own)
        if len(rows) == 5 and self.own is not None:
            turn = self.own if on_turn == self.name else 1 - self.own
            self.position = _dealt(cards, "".join(reversed(rows)), turn)
        return f"{name} is back as {colour}; {on_turn} is to move"


def _dealt(text: str, board: str, turn: int) -> Position | None:
    """The position of `white=boar,ox;black=crab,eel;spare=tiger`; `None`: that cannot be read."""
    parts = dict(part.split("=", 1) for part in text.split(";") if "=" in part)
    white, black = (parts.get(key, "").split(",") for key in ("white", "black"))
    return dealt(white, black, parts.get("spare", ""), board, turn)


def spoiled(data: bytes) -> bytes | None:
    """A move onto the square on which it began: no card leads there."""
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
    """The deal, which a client cannot know without the extension: `GAMEHOST_DEAL`, as RECONNECT writes it."""
    if not scenario.strict:
        return {}
    white, black, spare = scenario.settings["onitama.deal"].split("/")
    return {"GAMEHOST_DEAL": f"white={white};black={black};spare={spare}"}


CHECKS = WireChecks(
    *("onitama", LAWS, SCENARIOS, LinesReading),
    spoiled=spoiled,
    environment=environment,
    needed="the extension of START: the field behind the names, which has the cards",
)


# -- servers

SERVER_LAWS: Mapping[str, Law] = {
    "Start": Law(
        "Server, Start",
        "START has the names of both players, White first; both players get the same.",
        "Send START|white|black to both when the second player has logged in.",
    ),
    "MoveWasMade": Law(
        "Server, Move Was Made",
        "A valid move is told to both players, with its card, start square and end square.",
        "Send MOVE_WAS_MADE to the mover and to the other player, once each, before anything else.",
    ),
    "InvalidMove": Law(
        "Server, Invalid Move",
        "An invalid move is answered with INVALID_MOVE to its sender alone. The server waits for another move.",
        "Check the turn, the card, both squares and the piece before anything changes, and send INVALID_MOVE.",
    ),
    "StalemateCard": Law(
        "Server, Stalemate Card",
        "An exchange with the pack is told to both players, with the old card and the new one.",
        "Send STALEMATE_CARD to both, and pass the turn.",
    ),
    "Logout": Law(
        "Server, Logout",
        "LOGOUT tells a player that the other one's connection is lost.",
        "Send LOGOUT and the name to the player who is still there.",
    ),
    "Reconnect": Law(
        "Server, Reconnect",
        "RECONNECT is sent to both: name and colour of the player who is back, the board, the cards, and who is on turn.",
        "Keep the match when a connection is lost. On LOGIN with the same name send RECONNECT to both.",
    ),
    "GameOver": Law(
        "Server, Game Over",
        "GAME_OVER and the winner's name end the match for both, after the last move.",
        "Look for a captured master and a master on the other's temple after each move, and send GAME_OVER to both.",
    ),
    "framing": Law(
        "Structure",
        "A message is one line that ends in \\n; its fields are separated by | and nothing else.",
        "Write exactly COMMAND|field|field\\n.",
    ),
    "turn": Law(
        "Client, Make Move",
        "The players take turns; the server answers each MAKE_MOVE, and keeps the connection until the match is over.",
        "Read up to \\n, however many bytes one call gives you, and answer each message in its order.",
    ),
}


class OnitamaSpelling(Spelling):
    """Lines of Onitama."""

    waits_for_opening = True

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        """One line."""
        return (m.Login(name),)

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """The same line."""
        return (m.Login(name),)

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """A move. The server draws a card in an exchange, which nobody can foresee, so it is not played."""
        if isinstance(action, Move):
            return (m.MakeMove(action.card, SQUARES[action.start], SQUARES[action.end]),)
        return ()

    def documented(self, message: Any) -> Any | None:
        """Without the cards in START and the reasons."""
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
        The deal.

        :raises ValueError: START does not tell it
        """
        if not isinstance(message, m.Start):
            return None
        parts = dict(part.split("=", 1) for part in (message.cards or "").split(";") if "=" in part)
        if set(parts) != {"white", "black", "spare"}:
            raise ValueError("START does not tell the cards; give them with --set onitama.deal=boar,ox/crab,eel/tiger")
        return Opening({"deal": f"{parts['white']}/{parts['black']}/{parts['spare']}"})


def faults(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[Any]]]:
    """What the player on turn may not do, whatever the position is."""
    _, action = run.on_turn()
    if not isinstance(action, Move):
        return
    start, end = SQUARES[action.start], SQUARES[action.end]
    yield "a move that ends where it began", (m.MakeMove(action.card, start, start),)
    yield "a move from the end square of a legal one", (m.MakeMove(action.card, end, start),)
    yield "a card that does not exist", (m.MakeMove("unicorn", start, end),)
    yield "a square off the board", (m.MakeMove(action.card, start, "f9"),)
    yield "STALEMATE while there is a legal move", (m.Stalemate(action.card),)
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
    case("returns-in-others-turn", "A connection is lost in the other's turn, and comes back.", "Reconnect",
         returns(False)),
)  # fmt: skip

SERVER_CHECKS = ServerChecks("onitama", SERVER_LAWS, CASES, OnitamaSpelling)
