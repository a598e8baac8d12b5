"""
The checks of servers of Stratego in frames. The sections are the titles in the document.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gamehost.checker.base import Cut, Law
from gamehost.checker.server_base import BaseSpeech, ServerChecks
from gamehost.checker.server_run import ServerRun
from gamehost.checker.server_scripts import case, crosswise, meet, out_of_turn, some_moves
from gamehost.checker.server_wires.stratego import FIRST_WINS, SECOND_WINS, alike, refused, short_game
from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Move, PlaceRows
from gamehost.games.stratego.setup import HOME
from gamehost.wires.stratego_frames import messages as m

#: What stands on a square that its receiver cannot see.
_HIDDEN = "#"

LAWS: Mapping[str, Law] = {
    "Wait": Law(
        "Server Frames, 1 Wait Frame",
        "A player who has signed on while there is no other player is told to wait.",
        "Answer the first Sign On with Wait.",
    ),
    "Connected": Law(
        "Server Frames, 2 Connected Frame",
        "When there is another player, both are told, and the set-up begins.",
        "Send Connected to both when the second player has signed on.",
    ),
    "PlacementValid": Law(
        "Server Frames, 3 Placement Valid Frame",
        "A valid placement is confirmed.",
        "Answer each Setup, in order, with one Placement Valid or Placement Invalid.",
    ),
    "PlacementInvalid": Law(
        "Server Frames, 4 Placement Invalid Frame",
        "A placement is refused on a wrong or occupied square, or if there is none of this piece left.",
        "Check the piece, the square and the count before anything changes.",
    ),
    "Playing": Law(
        "Server Frames, 5 Playing Frame",
        "When both are ready, both are told the name of the player who moves first.",
        "Wait for Ready of both. Then send Playing and the Board to both.",
    ),
    "Move": Law(
        "Server Frames, 6 Move Frame",
        "A valid move onto an empty square is told to both.",
        "Send Move, and then the Board, to both players.",
    ),
    "Board": Law(
        "Server Frames, 7 Board Frame",
        "The board as its receiver may see it: 100 characters, the row 0 first.",
        "Write # for every piece of the enemy, for each receiver anew.",
    ),
    "MoveInvalid": Law(
        "Server Frames, 8 Move Invalid Frame",
        "A move that is not valid is refused to its sender alone, and changes nothing.",
        "Check the turn, the piece, the way and the target before anything changes.",
    ),
    "Battle": Law(
        "Server Frames, 9 Battle Frame",
        "An attack is told to both: the winner of the battle and both pieces. It replaces the Move.",
        "Send Battle, and then the Board, to both players.",
    ),
    "GameOver": Law(
        "Server Frames, 10 Game Over Frame",
        "The end of the game, with the winner's name, is told to both after the last Board.",
        "Look for a captured flag and for a player without a move after each move.",
    ),
    "framing": Law(
        "(the framing)",
        "A frame has a header and a payload of the announced length.",
        "Write the header's fields and the payload's length as the page of this wire says.",
    ),
    "turn": Law(
        "Client Frames, 4 Move Frame",
        "The server answers each frame of a client, in order, and keeps the connection until the game is over.",
        "Read whole frames, however many bytes one call gives you.",
    ),
    "secret": Law(
        "Server Frames, 7 Board Frame",
        "A player does not see the enemy's pieces.",
        "Make each Board for its receiver. Say nothing else that depends on hidden pieces.",
    ),
}


class FramesSpeech(BaseSpeech):
    """Frames of Stratego."""

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        """One frame."""
        return (m.SignOn(name),)

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        """The same frame."""
        return (m.SignOn(name),)

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """Forty placements and a Ready, or a move."""
        if isinstance(action, PlaceRows):
            first = HOME[seat]
            return (
                *(m.Setup(piece, x, first + y) for y, row in enumerate(action.rows) for x, piece in enumerate(row)),
                m.Ready(),
            )
        if isinstance(action, Move):
            return (m.Move(action.x, action.y, action.to_x, action.to_y),)
        return (m.Ready(),)

    def documented(self, message: Any) -> Any | None:
        """Without the extensions."""
        return None if isinstance(message, (m.Error, m.Side)) else message

    def secret(self, got: Any, expected: Any) -> str:
        """A Board that names a piece of the enemy."""
        if isinstance(got, m.Board) and isinstance(expected, m.Board):
            pairs = zip(got.squares, expected.squares, strict=False)
            shown = sum(mine == _HIDDEN and theirs.isalnum() for theirs, mine in pairs)
            if shown:
                return f"{shown} pieces of the enemy are named, expected {_HIDDEN}"
        return ""


async def wrong_set_up(run: ServerRun) -> None:
    """Placements that are refused, and then a good set-up and some moves."""
    first, _ = await meet(run)
    for words, *messages in (
        ("a placement on the enemy's rows", m.Setup("9", 0, 7)),
        ("a placement in the middle", m.Setup("9", 0, 5)),
        ("a placement off the board", m.Setup("9", 10, 0)),
        ("a piece that does not exist", m.Setup("X", 0, 0)),
        ("Ready without any piece", m.Ready()),
    ):
        await run.say(first, *messages, trying=words)
    await run.play(6)


CASES = (
    case("moves", "A set-up of both players and thirty moves.", "Board", some_moves(32)),
    case("crosswise", "The player who connects later signs on first.", "Connected", crosswise),
    case("first-wins", "The first player takes the flag; the next game follows.", "GameOver", short_game(FIRST_WINS)),
    case("second-wins", "The second player takes the flag; the next game follows.", "GameOver", short_game(SECOND_WINS)),
    case("wrong-set-up", "Placements that must be refused.", "PlacementInvalid", wrong_set_up),
    case("refused-first", "The first player makes illegal moves.", "MoveInvalid", refused(True)),
    case("refused-second", "The second player makes illegal moves.", "MoveInvalid", refused(False)),
    case("out-of-turn", "A player moves in the other's turn.", "MoveInvalid", out_of_turn),
    case("alike", "Two games that differ only in hidden pieces look alike.", "secret", alike),
    case("random-cuts", "The clients' segments end in the middle of frames.", "turn", some_moves(6), Cut.RANDOM),
    case("bytes", "The clients send bytes in segments of their own.", "turn", some_moves(4), Cut.BYTES),
)  # fmt: skip

CHECKS = ServerChecks("stratego-frames", LAWS, CASES, FramesSpeech)
