"""
The checks of clients and of servers of the wire `stratego-frames`.

The document is *Stratego game*. It lists the frames by number, and describes a game in thirteen numbered sentences.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from gamehost.accounts.names import key_of
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
from gamehost.extras.check.server_run import ServerChecks, ServerRun, Spelling
from gamehost.extras.check.server_scripts import case, crosswise, meet, out_of_turn, some_moves
from gamehost.extras.check.wires.stratego_lines import (
    FIRST_WINS,
    FREE,
    SECOND_WINS,
    AttacksFromAfar,
    Sight,
    alike,
    refused,
    short_game,
)
from gamehost.games.base import Seat
from gamehost.games.stratego.rules import HOME, KINDS, Move, PieceKind, PlaceRows
from gamehost.players.base import Level
from gamehost.programs.clients import Judges
from gamehost.wires.stratego_frames import messages as m
from gamehost.wires.stratego_frames.codec import HEADER, MOVE

LAWS = laws(__name__, "clients")

_OFF = "no such square; x and y are 0 to 9"


class Phase(Enum):
    """How far a connection has come. The texts are used as reasons in findings."""

    OUTSIDE = "nobody has signed on"
    WAITING = "there is no other player yet"
    SET_UP = "the set-up is not over"
    PLAYING = "the set-up is over"
    AFTER = "the game is over"


class FramesReading(Reading):
    """Follows a game on one connection, as the client sees it, and judges the client's frames."""

    def __init__(self) -> None:
        """Makes the reading of one connection."""
        self._name = ""
        self._phase = Phase.OUTSIDE
        self._sight = Sight()
        #: Whether the board is known. After a battle it is not known until the next Board.
        self._seen = False
        #: Whether it is the client's turn; `None`: it is not known.
        self._own_turn: bool | None = None
        #: The first of the client's rows; `None`: it is not known.
        self._rows: int | None = None
        #: Whether the client has sent Ready, and the set-up was right.
        self._ready = False
        #: The placed pieces by their squares (x, y).
        self._placed: dict[tuple[int, int], str] = {}
        #: The placements that are not answered yet: the square of a right placement, `None` for a wrong one.
        self._placing: list[tuple[int, int] | None] = []
        self._moves = Unanswered()
        #: The other unanswered messages of the client that may be refused: `log-in` or `other`.
        self._open: list[str] = []
        #: Whether a move may still come that was sent before the end of the game was known.
        self._may_be_late = False
        #: Whether such a move has come, and may still be refused.
        self._crossed = False

    def said(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the client. Returns what the message means, marked if it is
        wrong.
        """
        match message:
            case m.SignOn(name):
                # A guest's name may have a key behind a colon.
                return self._signs_on((name or "").split(":")[0])
            case m.Setup(piece, x, y):
                return self._places(piece, x, y)
            case m.Ready(text):
                return self._is_ready(text)
            case m.Move(x, y, to_x, to_y):
                return self._moves_piece(x, y, to_x, to_y)
            case m.Resign():
                if self._phase in (Phase.SET_UP, Phase.PLAYING) or self._was_late():
                    return Said("gives the game up")
                self._open.append("other")
                return Said("gives the game up, but no game is played", Grade.BREACH)
        return Said("this is no frame of a client", Grade.BREACH)

    def _signs_on(self, name: str) -> Said:
        """Returns the meaning of a log-in of the client, marked if the log-in is wrong."""
        if self._phase not in (Phase.OUTSIDE, Phase.AFTER):
            self._open.append("other")
            return Said(f"signs on as {name}, but has signed on already", Grade.BREACH)
        self._name = name
        self._open.append("log-in")
        return Said(f"signs on as {name}")

    def _was_late(self) -> bool:
        """Returns whether the client may have sent the current frame before it knew the end of the game. Only one may be so."""
        # `_crossed` remembers that such a frame has come, because the server may still refuse it.
        late, self._may_be_late = self._may_be_late and self._phase is Phase.AFTER, False
        self._crossed = self._crossed or late
        return late

    def _places(self, piece: str, x: int, y: int) -> Said:
        """Judges a placement of a piece."""
        known = KINDS.get(piece)
        wrong = "no such piece" if known is None else self._wrong_place(known, x, y)
        # The server answers each placement, in order.
        self._placing.append((x, y) if wrong is None else None)
        if wrong is not None or known is None:
            return Said(f"places a piece at ({x},{y}): {wrong}" if known else "no such piece", Grade.BREACH)
        self._placed[x, y] = piece
        return Said(f"places the {known.name} at ({x},{y})")

    def _wrong_place(self, kind: PieceKind, x: int, y: int) -> str | None:
        """Returns the fault of a placement; `None`: it has none."""
        if self._phase is not Phase.SET_UP:
            return str(self._phase.value)
        if self._ready:
            return "the client has said that it is ready"
        # A client that does not know its side may place its pieces on either one.
        rows = (0, 6) if self._rows is None else (self._rows,)
        if not (0 <= x <= 9 and any(first <= y <= first + 3 for first in rows)):
            return "not in the client's own rows"
        if (x, y) in self._placed:
            return "a piece stands there"
        if list(self._placed.values()).count(kind.id) >= kind.count:
            return f"there are only {kind.count} of the {kind.name}"
        return None

    def _is_ready(self, text: str) -> Said:
        """Judges Ready, which must be sent once, after forty placements."""
        words = f"is ready, after {len(self._placed)} placements"
        if text == "ready" and len(self._placed) == 40 and self._phase is Phase.SET_UP and not self._ready:
            self._ready = True
            return Said(words)
        # The server refuses a wrong Ready by the same message as a wrong placement.
        self._placing.append(None)
        return Said(f"{words}, but forty pieces are placed, and then ready is said once", Grade.BREACH)

    def _moves_piece(self, *numbers: int) -> Said:
        """
        Judges a move of the client.

        :param numbers: x and y of the start and of the end
        """
        x, y, to_x, to_y = numbers
        words = f"({x},{y}) to ({to_x},{to_y})"
        if self._phase is not Phase.PLAYING:
            if self._was_late():
                return Said(f"moves {words}")
            return self._moves.send(numbers, f"moves {words}", f"no game is played: {self._phase.value}", in_turn=False)
        if self._own_turn is False:
            return self._moves.send(numbers, words, "it is the other's turn", in_turn=False)
        if not all(0 <= number <= 9 for number in numbers):
            return self._moves.send(numbers, "", _OFF)
        # Without the board, nobody can say whether the move is legal.
        if not self._seen:
            return self._moves.send(numbers, f"moves {words}", None, "")
        piece = self._sight.own.get(y * 10 + x)
        named = f"{KINDS[piece].name} {words}" if piece is not None else words
        return self._moves.send(numbers, named, self._sight.wrong(y * 10 + x, to_y * 10 + to_x), "")

    def heard(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the server. Returns what the message means, and for a refusal
        how bad the refused message was.
        """
        match message:
            case m.PlacementValid():
                # The answer to the oldest placement.
                if self._placing:
                    del self._placing[0]
            case m.PlacementInvalid():
                return self._placement_refused()
            case m.MoveInvalid():
                # A move that the client has sent before it knew the end of the game may be refused. That is no fault.
                crossed = self._crossed and not self._moves
                grade = Grade.NOTE if crossed else self._grade_of_refusal()
                self._crossed = self._crossed and not crossed
                self._moves.refused()
                return Said(_WORDS[m.MoveInvalid], grade)
            case m.Error(reason):
                return Said(f"the server says: {reason}", self._grade_of_error())
            case m.Move(x, y, to_x, to_y):
                return Said(self._moved((x, y, to_x, to_y)))
            case m.Battle(winner, attacker, defender):
                words = f"{KINDS[attacker].name} attacks {KINDS[defender].name}: "
                return Said(self._fought(words + ("both are gone" if winner == "tie" else f"{winner} wins")))
        return Said(self._told(message))

    def _placement_refused(self) -> Said:
        """Notes the refusal of a placement or of Ready. The piece is removed from the board."""
        square = self._placing.pop(0) if self._placing else None
        if square is not None:
            self._placed.pop(square, None)
        else:
            # `None` stands for a wrong placement, which is not on the board, or for Ready.
            self._ready = False
        return Said(_WORDS[m.PlacementInvalid], Grade.BREACH)

    def _grade_of_refusal(self) -> Grade:
        """
        Returns the grade of a refused move. A move that is only against the Two-Squares rule is no fault, because the
        document does not have this rule.
        """
        one = self._moves.next_refused()
        # The client could know that the move is wrong, or the board is not known.
        if one is None or one.wrong is not None or not self._seen:
            return Grade.BREACH
        x, y, to_x, to_y = one.move
        return Grade.NOTE if self._sight.crosses_again(y * 10 + x, to_y * 10 + to_x) else Grade.BREACH

    def _grade_of_error(self) -> Grade | None:
        """Finds what the server refuses by an error, and returns the grade of it."""
        if self._moves:
            return self._grade_of_refusal()
        if self._placing:
            return Grade.BREACH
        return GRADES[self._open.pop(0)] if self._open else Grade.NOTE

    def _told(self, message: Any) -> str:
        """Updates what is known of the match by a message of the server about it. Returns what the message means."""
        match message:
            case m.Wait():
                # During the set-up, `Wait` only says that the other player is not ready yet.
                if self._phase is not Phase.SET_UP:
                    self._phase = Phase.WAITING
                self._open.clear()
            case m.Connected():
                self._connected()
            case m.Playing(name):
                self._phase = Phase.PLAYING
                self._own_turn = key_of(name) == key_of(self._name)
                self._placing.clear()
                self._moves.over()
                return f"both are ready; {name} is to move"
            case m.Board(squares):
                self._show(squares)
                return "the board as this player may see it"
            case m.GameOver(winner):
                # An unanswered move was sent before the end was known. Without one, it may still come.
                self._crossed = self._moves.over() > 0
                self._may_be_late = not self._crossed
                self._phase, self._own_turn = Phase.AFTER, None
                return "the game is over: " + ("a draw" if winner == "tie" else f"{winner} has won")
            case m.Side(side):
                self._rows = 0 if side == "1" else 6
                return "the client has the rows " + ("0 to 3" if side == "1" else "6 to 9")
        return _WORDS.get(type(message), "")

    def _connected(self) -> None:
        """
        Notes the arrival of another player, which begins the set-up. During a set-up the player has only come back.
        """
        if self._phase is Phase.SET_UP:
            return
        # A client that has waited is the first player. Any other client may have come back to a match on either side.
        self._rows = 0 if self._phase is Phase.WAITING else None
        self._phase = Phase.SET_UP
        self._ready = self._seen = self._may_be_late = self._crossed = False
        self._own_turn = None
        self._sight.clear()
        self._placed.clear()
        self._placing.clear()
        self._open.clear()
        self._moves.over()

    def _show(self, squares: str) -> None:
        """Takes a board from a message. During the set-up, it shows the placed pieces."""
        self._sight.show(squares)
        if self._phase is Phase.SET_UP:
            self._placed = {(square % 10, square // 10): kind for square, kind in self._sight.own.items()}
        else:
            self._seen = True

    def _moved(self, move: tuple[int, int, int, int]) -> str:
        """Updates what is known of the match by a move without a battle. Returns what the message means."""
        x, y, to_x, to_y = move
        self._sight.moved(y * 10 + x, to_y * 10 + to_x)
        self._turn(move)
        return f"a piece moves ({x},{y}) to ({to_x},{to_y})"

    def _fought(self, words: str) -> str:
        """
        Updates what is known of the match by a battle, and returns `words`.

        :param words: the meaning of the message
        """
        one = self._moves.next_accepted()
        # The result of the battle is not known before the next Board, so moves cannot be judged until then.
        self._seen = False
        self._turn(None if one is None else one.move)
        return words

    def _turn(self, move: tuple[int, int, int, int] | None) -> None:
        """
        Ends a turn: accepts the client's move, or follows the enemy's.

        :param move: the client's move, if it is known
        """
        # A turn that is not known counts as the client's.
        if self._own_turn is False or move is None:
            self._moves.position_changed()
        else:
            self._moves.accepted(move)
            x, y, to_x, to_y = move
            self._sight.walked(y * 10 + x, to_y * 10 + to_x)
        if self._own_turn is not None:
            self._own_turn = not self._own_turn


_WORDS: Mapping[type, str] = {
    m.Wait: "there is no other player now",
    m.Connected: "another player is there; the set-up begins",
    m.PlacementValid: "the piece is placed",
    m.PlacementInvalid: "the placement, or Ready, is not accepted",
    m.MoveInvalid: "the move is not accepted",
}


def printed(message: Any, raw: bytes) -> str:
    """
    Returns a frame as printable text: its fields, and its first bytes in hexadecimal digits. The fields of a long frame
    are left out.
    """
    shown = repr(message) if len(raw) <= 64 else f"{type(message).__name__}(...)"
    digits = raw[:24].hex(" ").upper()
    return f"{shown}  [{digits}{' ...' if len(raw) > 24 else ''}]"


def spoiled(data: bytes) -> bytes | None:
    """Changes a move so that it ends on its start square. Returns `None` for other frames."""
    # 4 is the kind of a move.
    if len(data) != HEADER.size + MOVE.size or data[1] != 4:
        return None
    start = data[HEADER.size : HEADER.size + 8]
    return data[: HEADER.size] + start + start


SCENARIOS = (
    Scenario("first-player", "The client signs on first and has the rows 0 to 3.", "turn", FREE, most=130),
    Scenario("second-player", "The client signs on second and has the rows 6 to 9.", "Setup", FREE, client_first=False,
             most=130),
    Scenario("whole-game", "A long game against a player at random.", "turn", FREE, level=Level.RANDOM, most=280),
    Scenario("loses", "A game against an opponent of middle strength.", "end", FREE, level=Level.MEDIUM, most=240,
             client_first=False),
    Scenario("wins-at-once", "The opponent gives up before the first move.", "end", FREE,
             steps=(Step(Act.OPPONENT_RESIGNS, 84),)),
    Scenario("wins-in-set-up", "The opponent gives up during the set-up.", "end", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 0), Step(Act.OPPONENT_RESIGNS, 20))),
    Scenario("two-games", "The client signs on again after Game Over, on the same connection.", "end", FREE, matches=2,
             most=96),
    Scenario("refused-move", "The client's move is refused once; it sends another one.", "Move", FREE,
             steps=(Step(Act.MOVE_REFUSED, 86),), most=100),
    Scenario("drop", "The opponent's connection is lost and comes back during play.", "drop", FREE,
             steps=(Step(Act.OPPONENT_DROPS, 86, client_owes=True),), most=100),
    Scenario("drop-in-set-up", "The opponent drops during the set-up.", "drop", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 0), Step(Act.OPPONENT_DROPS, 10)), most=96),
    Scenario("strict", "The documented frames only.", "framing", FREE, strict=True, most=110),
    Scenario("strict-second", "The documented frames only, as the second player.", "framing", FREE, strict=True,
             client_first=False, most=110),
    Scenario("strict-refused", "The documented frames only, and a move is refused.", "Move", FREE, strict=True,
             steps=(Step(Act.MOVE_REFUSED, 86),), most=100),
    Scenario("own-drop-in-set-up", "The client's connection is lost during the set-up.", "reconnect", FREE,
             steps=(Step(Act.OPPONENT_THINKS, 0), Step(Act.CLIENT_CUT, 20)), needs_reconnect=True, most=100),
    Scenario("scouts", "The opponent's scouts move far, and attack from afar.", "turn", FREE, opponent=AttacksFromAfar,
             client_first=False, most=130),
    Scenario("two-squares", "The Two-Squares rule may refuse a move that goes to and fro.", "Move",
             {"stratego.two_squares": "3"}, forgives=True, most=150),
    *Scenario.usual(FREE, 86, 110, turns=False),
)  # fmt: skip

CHECKS = WireChecks(
    "stratego-frames", LAWS, SCENARIOS, FramesReading, canonical=False, printed=printed, spoiled=spoiled
)


#: The mark of a piece that its receiver cannot see.
_HIDDEN = "#"

# -- servers

SERVER_LAWS = laws(__name__, "servers")


class FramesSpelling(Spelling):
    """The messages of this wire for the scenarios for servers."""

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        return (m.SignOn(name),)

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        """Returns the messages with which a client sends an action."""
        if isinstance(action, PlaceRows):
            first = HOME[seat]
            return (
                *(m.Setup(piece, x, first + y) for y, row in enumerate(action.rows) for x, piece in enumerate(row)),
                m.Ready(),
            )
        if isinstance(action, Move):
            return (m.Move(action.x, action.y, action.to_x, action.to_y),)
        # The only other action.
        return (m.Ready(),)

    def documented(self, message: Any) -> Any | None:
        return None if isinstance(message, (m.Error, m.Side)) else message

    def secret(self, got: Any, expected: Any) -> str:
        """
        Returns which secret a message of the server tells a client, in words; empty: none. Pieces of the enemy must not
        be named on a board.

        :param got: the server's message
        :param expected: the replica's message
        """
        if isinstance(got, m.Board) and isinstance(expected, m.Board):
            pairs = zip(got.squares, expected.squares, strict=False)
            shown = sum(mine == _HIDDEN and theirs.isalnum() for theirs, mine in pairs)
            if shown:
                return f"{shown} pieces of the enemy are named, expected {_HIDDEN}"
        return ""


async def wrong_set_up(run: ServerRun) -> None:
    """A script: placements that the server must refuse, then a good set-up and some moves."""
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

SERVER_CHECKS = ServerChecks("stratego-frames", SERVER_LAWS, CASES, FramesSpelling)

JUDGES = Judges(CHECKS, SERVER_CHECKS)
