"""
The checks of clients and of servers of the wire `paper-soccer`, in XML.

The document is *Game Protocol* of the Universal Game System. Its sections are named by their titles.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import define, evolve
from msgspec.structs import replace

from gamehost.accounts.names import composed
from gamehost.extras.check.base import (
    GRADES,
    HIDDEN,
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
from gamehost.extras.check.server_run import Opening, Script, ServerChecks, ServerRun, Spelling, User
from gamehost.extras.check.server_scripts import (
    LONGEST,
    Faults,
    case,
    crosswise,
    meet,
    next_match,
    out_of_turn,
    some_moves,
    try_all,
)
from gamehost.extras.check.wires.paper_soccer_schema import schema_fault
from gamehost.games.base import Seat
from gamehost.games.paper_soccer.player import LINKS, PaperSoccerPlayer, Place, distances, turns, way_to_goal
from gamehost.games.paper_soccer.rules import AROUND, POINTS, Foul, Position
from gamehost.ops import printable
from gamehost.players.base import Level
from gamehost.programs.clients import Judges
from gamehost.wires.paper_soccer import messages as m


@define(eq=False)
class LeadsToBounces(PaperSoccerPlayer):
    """An opponent that ends its turns next to the border and to touched points. There the other side must bounce."""

    def _points(self, place: Place) -> tuple[int, ...]:
        """Returns the turn with the most touched points around its end."""
        # Turns that win for neither side. A winner is a side from 0; -1: none.
        found = [turn for turn in turns(place, MOST_TURNS) if turn.to.winner < 0]
        if not found:
            return super()._points(place)
        return max(found, key=lambda turn: (_touched(turn.to), turn.points)).points


@define(eq=False)
class ScoresAnOwnGoal(PaperSoccerPlayer):
    """An opponent that plays the ball into its own goal. While no turn reaches that goal, it plays the ball towards it."""

    def _points(self, place: Place) -> tuple[int, ...]:
        """Returns a turn into its own goal, or one that ends as near to it as possible."""
        # Searched for the other side, so the goal at the end is its own.
        way = way_to_goal(evolve(place, side=1 - place.side))
        found = [turn for turn in turns(place, MOST_TURNS) if turn.to.winner < 0]
        if way is not None or not found:
            return way or super()._points(place)
        return min(
            found, key=lambda turn: (distances(turn.to.ball, turn.to.drawn)[1 - place.side], _wide(turn.to))
        ).points


def _wide(place: Place) -> int:
    """Returns how far the ball is from the middle line. In the corners the other side could lose, so less is better."""
    return abs(POINTS[place.ball][0])


#: How many positions within a turn an opponent examines.
MOST_TURNS = 60


def _touched(place: Place) -> int:
    """Returns the number of touched points to which the ball can move."""
    free = (number for number, line in LINKS[place.ball] if not line & place.drawn)
    return sum(bool(AROUND[POINTS[number]] & place.drawn) for number in free)


LAWS = laws(__name__, "clients")

#: A move that no position allows: the ball does not move.
FOUL = b"0,0"


#: Finds the secret in the id of a game master: it follows a `#`.
_MASTER_SECRET = re.compile(r"""(\bid\s*=\s*["'][^"'#<>]*#)[^"'<>]*""")


def printed(message: Any, raw: bytes) -> str:
    """Returns a message as printable text, without a game master's secret."""
    return _MASTER_SECRET.sub(rf"\1{HIDDEN}", printable(raw))


class XmlReading(Reading):
    """Follows a game on one connection, as the client knows it, and judges the client's messages."""

    def __init__(self) -> None:
        """Makes the reading of one connection."""
        self._nick = ""
        self._position = Position()
        #: The player to move; empty: there is no game.
        self._next = ""
        self._game_id = ""
        #: Whether the client waits for an opponent.
        self._waits = False
        self._moves = Unanswered()
        #: The other unanswered messages of the client that may be refused: `log-in`, `help` or `other`.
        self._open: list[str] = []
        #: Whether the next message may have been sent before the end of the game was known.
        self._may_be_late = False

    def said(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the client. Returns what the message means, marked if it is
        wrong.
        """
        # Only the next message may be late.
        may_be_late, self._may_be_late = self._may_be_late, False
        if isinstance(message, m.Move):
            return self._move(message.points, message.game_id, may_be_late)
        if isinstance(message, m.HelpAsked):
            self._open.append("help")
            return Said("asks for help")
        said = self._other(message)
        if said.grade is Grade.BREACH:
            self._open.append("other")
        return said

    def _other(self, message: Any) -> Said:
        """Judges a message of the client that is neither a move nor a request for help."""
        playing = bool(self._next)
        match message:
            case m.PlayerLogin(nick, game_type):
                return self._logs_in(nick.split(":")[0], game_type)
            case m.ThankYou():
                words = "has seen the end of the game"
                return Said(f"{words}, but it is not over", Grade.BREACH) if playing else Said(words)
            case m.LeaveGame(game_id):
                # A message without an id means the client's own game.
                if playing and game_id not in (None, self._game_id):
                    return Said("gives up a game that it is not in", Grade.BREACH)
                self._next = ""
                return Said("gives the game up")
            case m.Logout():
                self._next, self._waits = "", False
                return Said("leaves")
            case m.Error():
                return Said("reports an error")
            case m.Malformed(reason):
                return Said(f"no message: {reason}", Grade.BREACH, "framing")
        return Said("this is no message of a client", Grade.BREACH, "framing")

    def _logs_in(self, nick: str, game_type: str) -> Said:
        """Returns the meaning of a log-in of the client, marked if the log-in is wrong."""
        if self._next or self._waits:
            return Said(f"logs in as {nick}, but is logged in already", Grade.BREACH)
        self._nick = composed(nick)
        self._open.append("log-in")
        if game_type != "paper soccer":
            return Said('names the type of game in another way than "paper soccer"', Grade.FRAGILE)
        return Said(f"logs in as {nick}")

    def _move(self, points: tuple[m.Point, ...], game_id: str | None, may_be_late: bool) -> Said:
        """
        Judges a move of the client.

        :param game_id: the game that the message names; `None`: it names none
        :param may_be_late: whether the move may have been sent before the end of the game was known
        """
        words = "plays " + " ".join(f"({x},{y})" for x, y in points)
        # There is no game.
        if not self._next:
            if may_be_late and game_id in (None, self._game_id):
                return Said(words)
            self._open.append("other")
            return Said(f"{words}, but no game is played", Grade.BREACH)
        if game_id not in (None, self._game_id):
            return self._moves.send(points, words, f"the game is {self._game_id}, and not this one", in_turn=False)
        if self._next != self._nick:
            return self._moves.send(points, words, f"it is {self._next}'s turn", in_turn=False)
        try:
            after = self._position.after(points)
        except Foul as foul:
            # On this wire, an illegal move loses the game.
            return self._moves.send(points, words, f"illegal: {foul}", fatal=True)
        legal = "; the game is over" if after.ending else "; legal"
        said = self._moves.send(points, words, None, legal, written=(points, game_id))
        # Such a move is legal, but only some servers read it.
        if said.grade is None and game_id is None:
            return Said("leaves out the id of the game, or the message around a move", Grade.FRAGILE)
        return said

    def heard(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the server. Returns what the message means, and for a refusal
        how bad the refused message was.
        """
        match message:
            case m.LoginResponse(error):
                if "log-in" in self._open:
                    self._open.remove("log-in")
                if error is not None:
                    return Said(f"not logged in: error {int(error)}", Grade.NOTE)
                self._waits = True
                return Said("logged in")
            case m.GameState(game_id, following, points):
                self._game_id, self._waits = game_id, False
                return Said(self._state(following, points))
            case m.GameOver(_, winner, loser, points):
                return self._over(winner, loser, points)
            case m.PlayerLeftGame(nick, _):
                return Said(f"{nick} has left, or has lost the connection")
            case m.ServerShutdown():
                return Said("the server stops")
            case m.Error(text):
                return Said(f"the server says: {text}" if text else "the server refuses this", self._refused())
        return Said("")

    def _refused(self) -> Grade | None:
        """
        Finds what the server refuses by an error, and returns the grade of it. After an illegal move, the end of the
        game follows the error.
        """
        refused = self._moves.next_refused()
        # A wrong move that does not end the turn, such as one out of turn.
        if refused is not None and not refused.ends_turn:
            self._moves.refused()
            return Grade.BREACH
        if self._open:
            return GRADES[self._open.pop(0)]
        # The end of the game will answer this move.
        if self._moves.fatal() is not None:
            return Grade.BREACH
        return Grade.NOTE if self._moves.refused() is None else Grade.BREACH

    def _state(self, following: str, points: tuple[m.Point, ...]) -> str:
        """
        Updates what is known of the match by a move, or the beginning of a game. Returns what the message means.

        :param following: the player that moves next
        :param points: the points of the move; empty: the game begins
        """
        # `_next` was the player that has moved now.
        mover, self._next = self._next, following
        if not points:
            self._position = Position()
            self._moves.over()
            return f"the game begins; {following} moves first"
        if mover == self._nick:
            self._moves.accepted(points)
        else:
            self._moves.position_changed()
        try:
            self._position = self._position.after(points)
        except Foul:
            # The points are not those of one move: after a lost connection, all points of the game come.
            self._position = _followed(points)
        x, y = points[-1]
        return f"the ball is at ({x},{y}); {following} is to move"

    def _over(self, winner: str, loser: str, points: tuple[m.Point, ...]) -> Said:
        """Notes the end of the game. It is a breach if the client has lost by an illegal move."""
        words = f"the game is over: {winner} has won, {loser} has lost"
        # After an illegal move, the end has no points.
        illegal = self._moves.fatal() is not None and not points and loser == self._nick
        if points and self._next == self._nick:
            self._moves.accepted(points)
        crossed = self._moves.over()
        # Of the moves that were sent before the end was known, the server ignores the first one and refuses the others.
        self._may_be_late = crossed == 0
        self._open.extend(["other"] * (crossed - 1))
        self._position, self._next = Position(), ""
        return Said(f"{words} by an illegal move", Grade.BREACH) if illegal else Said(words)


def _followed(points: tuple[m.Point, ...]) -> Position:
    """Returns the position after all points of a game. They come in one message after a lost connection."""
    position = Position()
    for point in points:
        try:
            position = position.step(point)
        except Foul:
            break
    return position


SCENARIOS = (
    Scenario("first-in", "The client logs in first; a whole game against an easy opponent.", "turn"),
    Scenario("second-in", "The client logs in second.", "turn", client_first=False),
    Scenario("loses", "A strong opponent wins.", "end", level=Level.MEDIUM),
    Scenario("random-opponent", "The opponent plays at random.", "Move", level=Level.RANDOM),
    Scenario("wins", "The opponent gives up: the last game state has no points.", "end",
             steps=(Step(Act.OPPONENT_RESIGNS, 4),)),
    Scenario("opponents-foul", "The opponent makes an illegal move and loses at once.", "Move",
             steps=(Step(Act.OPPONENT_FOULS, 3, client_owes=False),)),
    Scenario("three-games", "Three games on one connection.", "end", matches=3, most=12),
    Scenario("drop-in-clients-turn", "The opponent's connection is lost and comes back in the client's turn.", "drop",
             steps=(Step(Act.OPPONENT_DROPS, 3, client_owes=True),), most=14),
    Scenario("strict", "The documented messages only.", "framing", strict=True),
    Scenario("strict-second", "The documented messages only; the client logs in second.", "framing", strict=True,
             client_first=False),
    Scenario("strict-drop", "The documented messages only, and the opponent drops.", "drop", strict=True,
             steps=(Step(Act.OPPONENT_DROPS, 3),), most=14),
    Scenario("bounces", "The opponent leads the ball to the border and to touched points.", "Move", opponent=LeadsToBounces,
             most=40),
    Scenario("own-goal", "The opponent plays the ball into its own goal: the client wins, and has not moved last.", "end",
             opponent=ScoresAnOwnGoal, client_first=False, most=60),
    *Scenario.usual({}, 4, 20),
)  # fmt: skip

CHECKS = WireChecks(
    "paper-soccer", LAWS, SCENARIOS, XmlReading, canonical=False, printed=printed, schema_fault=schema_fault, foul=FOUL
)


_GAME_TYPE = "paper soccer"

# -- servers

SERVER_LAWS = laws(__name__, "servers")


class XmlSpelling(Spelling):
    """The messages of this wire for the scenarios for servers."""

    waits_for_opening = True

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        return (m.PlayerLogin(name, _GAME_TYPE),)

    def again(self, name: str, match_id: str) -> Sequence[Any]:
        return (m.ThankYou(match_id), m.PlayerLogin(name, _GAME_TYPE))

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        return (m.Move(action.points, match_id),)

    def documented(self, message: Any) -> Any | None:
        """
        Returns a message of the server as the document has it; `None`: the message is an extension, or need not come.
        Texts for people are left out, since the document does not fix them.
        """
        match message:
            case m.PlayerLeftGame():
                return None
            case m.Error():
                return m.Error()
            case m.LoginResponse(error, _):
                return m.LoginResponse(error)
        return message

    def precedes(self, message: Any, following: Any) -> bool:
        """Returns whether a message is an error before the end of a game. It is an extension that gives the reason."""
        return isinstance(message, m.Error) and isinstance(following, m.GameOver)

    def with_id(self, message: Any, match_id: str) -> Any:
        """Returns a message with the id of another game, if messages of its class have an id."""
        return replace(message, game_id=match_id) if hasattr(message, "game_id") else message

    def opening(self, message: Any, first: str) -> Opening | None:
        if not isinstance(message, m.GameState) or message.points:
            return None
        return Opening(draws=0 if message.next_player == first else 1, match_id=message.game_id)


def far_away(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yields a move to a point that cannot be reached."""
    yield "a move to a point far away", (m.Move(((3, 3),), run.match_id),)


def stays(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yields a move to the point at which the ball is already."""
    yield "a move to the point where the ball lies", (m.Move(((0, 0),), run.match_id),)


def too_long(run: ServerRun, user: User) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yields a move that continues from a new point, although the turn ends there."""
    yield "a move that goes on from a new point", (m.Move(((0, 1), (0, 2)), run.match_id),)


def loses(faults: Faults, moves: int = 0) -> Script:
    """
    Returns a script that makes an illegal move, which loses at once.

    :param faults: the illegal move
    :param moves: how many moves are played before
    """

    async def script(run: ServerRun) -> None:
        """Plays some moves, and then the illegal one."""
        await meet(run)
        await run.play(moves)
        await try_all(run, faults)

    return script


async def wrong_log_in(run: ServerRun) -> None:
    """A script: a log-in for an unknown game, then a good log-in."""
    user = run.new_user("ann")
    await run.connect(user)
    await run.say(user, m.PlayerLogin(user.name, "chess"), trying="a log-in for another game")
    await run.spelling.enter(run, user)


async def leaves(run: ServerRun) -> None:
    """A script: a player gives up in the middle of a match."""
    await meet(run)
    await run.play(2)
    user, _ = run.on_turn()
    # The player that is not on turn gives up.
    if user is not None:
        await run.say(run.other(user), m.LeaveGame(run.match_id), trying="leaveGame")


CASES = (
    case("whole-match", "A whole match; both receive the winner.", "GameOver", some_moves(LONGEST)),
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

SERVER_CHECKS = ServerChecks("paper-soccer", SERVER_LAWS, CASES, XmlSpelling)

JUDGES = Judges(CHECKS, SERVER_CHECKS)
