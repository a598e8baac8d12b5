"""
The checks of servers of Paper Soccer.

The document is *Game Protocol* of the Universal Game System; its sections are the titles in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from gamehost.checker.base import Cut, Law
from gamehost.checker.server_base import BaseSpeech, Opening, Script, ServerChecks
from gamehost.checker.server_run import ServerRun
from gamehost.checker.server_scripts import (
    LONGEST,
    Faults,
    case,
    crosswise,
    log_in,
    meet,
    next_match,
    out_of_turn,
    some_moves,
    try_all,
)
from gamehost.checker.server_user import User
from gamehost.games.base import Seat
from gamehost.wires.paper_soccer_xml import messages as m

_GAME_TYPE = "paper soccer"

LAWS: Mapping[str, Law] = {
    "LoginResponse": Law(
        "(the Universal Game System, loginResponse)",
        'A log-in is answered: accept="yes", or accept="no" with an error.',
        "Answer each playerLogin at once, before anything else.",
    ),
    "GameState": Law(
        "Protocol",
        "After each move both players get a gameState with the points of that move and the next player.",
        "Send gameState to both, the mover too. The first one has no points and names the player who begins.",
    ),
    "GameOver": Law(
        "Protocol",
        "The game ends by a goal, by a ball that cannot move, or at once by an illegal move, which loses. Both are told.",
        "Check every point of a move. Send gameState with gameOver to both, with winner and loser.",
    ),
    "Error": Law(
        "(the Universal Game System, error)",
        "A message that is out of place is answered with an error, and changes nothing.",
        "Answer a move out of turn with an error to its sender alone.",
    ),
    "framing": Law(
        "(the Universal Game System)",
        "Every message is one XML element of the name message with a type.",
        "Write complete elements, and nothing between them but white space.",
    ),
    "turn": Law(
        "Protocol",
        "The player whom the last gameState names sends the next move; the server answers it.",
        "Read whole elements, however many bytes one call gives you, and answer each in its order.",
    ),
}


class XmlSpeech(BaseSpeech):
    """Messages of Paper Soccer."""

    waits_for_opening = True

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        """One message."""
        return (m.PlayerLogin(name, _GAME_TYPE),)

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """Confirm the end, and log in."""
        return (m.ThankYou(match_id), m.PlayerLogin(name, _GAME_TYPE))

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """A move."""
        return (m.Move(action.points, match_id),)

    def documented(self, message: Any) -> Any | None:
        """Without reasons in words."""
        match message:
            case m.PlayerLeftGame():
                return None
            case m.Error():
                return m.Error()
            case m.LoginResponse(error, _):
                return m.LoginResponse(error)
        return message

    def precedes(self, message: Any, following: Any) -> bool:
        """An error before the end says why the player has lost."""
        return isinstance(message, m.Error) and isinstance(following, m.GameOver)

    def with_id(self, message: Any, match_id: str) -> Any:
        """Most messages have the game's id."""
        return replace(message, game_id=match_id) if hasattr(message, "game_id") else message

    def opening(self, message: Any, first: str) -> Opening | None:
        """Who moves first, and the game's id."""
        if not isinstance(message, m.GameState) or message.points:
            return None
        return Opening(draws=0 if message.next_player == first else 1, match_id=message.game_id)


def far_away(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[Any]]]:
    """A point that nobody can reach."""
    yield "a move to a point far away", (m.Move(((3, 3),), run.match_id),)


def stays(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[Any]]]:
    """The ball must move."""
    yield "a move to the point where the ball lies", (m.Move(((0, 0),), run.match_id),)


def too_long(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[Any]]]:
    """The turn ends at a point that is new."""
    yield "a move that goes on from a new point", (m.Move(((0, 1), (0, 2)), run.match_id),)


def loses(faults: Faults, moves: int = 0) -> Script:
    """An illegal move loses at once."""

    async def script(run: ServerRun) -> None:
        await meet(run)
        await run.play(moves)
        await try_all(run, faults)

    return script


async def wrong_log_in(run: ServerRun) -> None:
    """A game that there is not; then a good log-in."""
    user = run.new_user("ann")
    await run.connect(user)
    await run.say(user, m.PlayerLogin(user.name, "chess"), trying="a log-in for another game")
    await log_in(run, user)


async def leaves(run: ServerRun) -> None:
    """A player gives up."""
    await meet(run)
    await run.play(2)
    user, _ = run.on_turn()
    if user is not None:
        await run.say(run.other(user), m.LeaveGame(run.match_id), trying="leaveGame")


CASES = (
    case("whole-match", "A whole match; both are told who has won.", "GameOver", some_moves(LONGEST)),
    case("crosswise", "The player who connects later logs in first.", "GameState", crosswise),
    case("next-match", "thank you and playerLogin in one segment begin the next match.", "GameState", next_match),
    case("wrong-log-in", "A log-in for another game is refused; a good one follows.", "LoginResponse", wrong_log_in),
    case("out-of-turn", "A player moves in the other's turn.", "Error", out_of_turn),
    case("far-away", "The first move is illegal: it leads too far.", "GameOver", loses(far_away)),
    case("stays", "The first move is illegal: the ball stays.", "GameOver", loses(stays)),
    case("too-long", "The first move is illegal: it goes on from a new point.", "GameOver", loses(too_long)),
    case("illegal-later", "An illegal move in the middle of a match.", "GameOver", loses(far_away, 5)),
    case("leaves", "A player leaves; the other one has won.", "GameOver", leaves),
    case("bytes", "The clients send every byte in a segment of its own.", "turn", some_moves(4), Cut.BYTES),
    case("random-cuts", "The clients' segments end in the middle of messages.", "turn", some_moves(6), Cut.RANDOM),
)  # fmt: skip

CHECKS = ServerChecks("paper-soccer", LAWS, CASES, XmlSpeech)
