"""
The checks of servers of Onitama.

The document is *Návrh protokolu*; its sections are the titles in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gamehost.checker.base import Cut, Law
from gamehost.checker.server_base import BaseSpeech, Opening, ServerChecks
from gamehost.checker.server_run import ServerRun
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
from gamehost.checker.server_user import User
from gamehost.games.base import Seat
from gamehost.games.onitama.cards import SQUARES
from gamehost.games.onitama.position import Move
from gamehost.wires.onitama_pipes import messages as m

LAWS: Mapping[str, Law] = {
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


class OnitamaSpeech(BaseSpeech):
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

CHECKS = ServerChecks("onitama", LAWS, CASES, OnitamaSpeech)
