"""
The checks of servers of Stratego in lines. The document has no titles: its parts are the items of its list.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.checker.base import Cut, Law
from gamehost.checker.server_base import BaseSpeech, ServerChecks
from gamehost.checker.server_run import ServerRun
from gamehost.checker.server_scripts import AWAY, case, crosswise, log_in, some_moves
from gamehost.checker.server_wires.stratego import FIRST_WINS, SECOND_WINS, alike, refused, short_game
from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Move, PlaceRows
from gamehost.wires.stratego_lines import messages as m

LAWS: Mapping[str, Law] = {
    "AuthReq": Law(
        "items 1 to 3, auth-req",
        "The server asks for a username and a password when the client has connected, and again after auth-err.",
        "Send auth-req first, before you read anything.",
    ),
    "AuthOk": Law(
        "item 4, auth-ok",
        "A name and its password are accepted. A new name becomes an account.",
        "Send auth-ok when both lines have come.",
    ),
    "AuthErr": Law(
        "item 4, auth-err",
        "A wrong password is refused with auth-err; then auth-req comes again.",
        "Keep the password of each name. Send auth-err and auth-req.",
    ),
    "New": Law("item 5, new", "new tells both players that a game begins.", "Send new and color to both."),
    "Color": Law("item 6, color", "color tells a player red or blue.", "Give red to the player who waited first."),
    "EndSetup": Law(
        "item 7, endsetup",
        "endsetup tells both players that both set-ups stand.",
        "Wait for the four lines of both players. Then send endsetup to both, and get-move to red.",
    ),
    "GetMove": Law(
        "item 8, get-move",
        "get-move asks the player on turn for a move. After a move that is not valid it comes again.",
        "Check each move before anything changes. Send get-move to one player only.",
    ),
    "Met": Law(
        "item 8, none and letters",
        "The mover is told what stood on the target square: none, or the letter of the enemy's piece.",
        "Answer the mover with none or the letter.",
    ),
    "Moved": Law(
        "item 9, ff-tt[-t]",
        "The other player is told the move, and the letter of the mover's piece only if it attacked.",
        "Send the letter after an attack only: otherwise it is a secret.",
    ),
    "Winner": Law(
        "item 10, winner",
        "winner red or winner blue ends the game for both.",
        "Look for a captured flag and for a player without a move after each move.",
    ),
    "framing": Law("contents", "A message is one line of ASCII that ends in \\n.", "End each line with \\n alone."),
    "turn": Law(
        "item 8, get-move",
        "The server answers each move, and keeps the connection until the game is over.",
        "Read up to \\n, however many bytes one call gives you.",
    ),
    "secret": Law(
        "item 9, ff-tt[-t]",
        "A player is told the enemy's pieces in battles only.",
        "Say nothing that depends on hidden pieces.",
    ),
}


class LinesSpeech(BaseSpeech):
    """Lines of Stratego."""

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        """Two lines."""
        return (m.Text(name), m.Text(password))

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """The next game begins by itself."""
        return ()

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """Four lines of a set-up, the back row first, or a move."""
        if isinstance(action, PlaceRows):
            lines = ["".join(m.LETTERS[piece] for piece in row) for row in action.rows]
            return tuple(map(m.Text, lines if seat == 0 else reversed(lines)))
        if isinstance(action, Move):
            return (m.Text(f"{m.square(action.x, action.y)}-{m.square(action.to_x, action.to_y)}"),)
        return ()

    def documented(self, message: Any) -> Any | None:
        """Without the extensions."""
        return None if isinstance(message, (m.Err, m.Resume, m.Board)) else message

    def secret(self, got: Any, expected: Any) -> str:
        """A letter of a piece that did not fight."""
        if isinstance(got, m.Moved) and got.attacker is not None and expected.attacker is None:
            return "the letter of a piece that moved onto an empty square"
        return ""


async def wrong_password(run: ServerRun) -> None:
    """A name with another password, and then with its own."""
    user = run.new_user("ann")
    await run.connect(user)
    await log_in(run, user)
    await run.drop(user)
    await run.pause(AWAY)
    await run.connect(user)
    await run.say(user, m.Text(user.name), m.Text(user.password + "x"), trying="a wrong password")
    await log_in(run, user)


CASES = (
    case("moves", "A set-up of both players and thirty moves.", "Moved", some_moves(32)),
    case("crosswise", "The player who connects later logs in first, and is red.", "Color", crosswise),
    case("red-wins", "Red takes the flag; the next game begins.", "Winner", short_game(FIRST_WINS)),
    case("blue-wins", "Blue takes the flag; the next game begins.", "Winner", short_game(SECOND_WINS)),
    case("wrong-password", "A wrong password is refused; the right one follows.", "AuthErr", wrong_password),
    case("refused-red", "Red makes illegal moves.", "GetMove", refused(True)),
    case("refused-blue", "Blue makes illegal moves.", "GetMove", refused(False)),
    case("alike", "Two games that differ only in hidden pieces look alike.", "secret", alike),
    case("random-cuts", "The clients' segments end in the middle of lines.", "turn", some_moves(6), Cut.RANDOM),
    case("bytes", "The clients send bytes in segments of their own.", "turn", some_moves(4), Cut.BYTES),
)  # fmt: skip

CHECKS = ServerChecks("stratego-lines", LAWS, CASES, LinesSpeech)
