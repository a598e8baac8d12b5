"""
The checks of Paper Soccer in XML.

The document is *Game Protocol* of the Universal Game System; its sections are the titles in it.
"""

from collections.abc import Mapping
from typing import Any

from gamehost.checker.base import Act, Cut, Grade, Law, Said, Scenario, Step, WireChecks
from gamehost.checker.steering import LeadsToBounces, ScoresAnOwnGoal
from gamehost.games.paper_soccer.position import Foul, Position
from gamehost.players.base import Level
from gamehost.wires.paper_soccer_xml import messages as m

LAWS: Mapping[str, Law] = {
    "PlayerLogin": Law(
        "(the Universal Game System, playerLogin)",
        "A player logs in with a nick and the type of game, once for each game.",
        'Send <playerLogin nick="..." gameType="paper soccer"/> once, and again only after the end of a game.',
    ),
    "Move": Law(
        "Protocol",
        "Each move is sent as a list of points. If an illegal move is sent, the player sending it loses immediately.",
        "Play along lines that are not drawn, and go on while the ball comes to a point that was visited or to the border.",
    ),
    "ThankYou": Law(
        "(the Universal Game System, thank you)",
        "A player that has seen the end of a game says thank you.",
        "Send thank you with the id of the game, after the game state that has gameOver.",
    ),
    "LeaveGame": Law(
        "(the Universal Game System, leaveGame)", "A player gives a game up.", "Send it during a game only."
    ),
    "Logout": Law("(the Universal Game System, logout)", "A player leaves.", "Send it last."),
    "Error": Law("(the Universal Game System, error)", "Either side says that something was wrong.", "Send none."),
    "framing": Law(
        "XML encoding",
        "All XML data is encoded in UTF-8 without the byte order mark. A message is one element.",
        "Write well-formed XML, and the id of the game in each move. Read until </message>, however many bytes come at once.",
    ),
    "login": Law(
        "(the Universal Game System, playerLogin)",
        "After connecting, a player logs in.",
        "Connect to {host} and {port}, and send a message of type playerLogin with the nick {name}.",
    ),
    "turn": Law(
        "Protocol",
        "The game master chooses the first player at random; each game state names the next player, who sends a move.",
        "Move when nextPlayer is your own nick, after the first game state as well.",
    ),
    "end": Law(
        "(the Universal Game System, gameOver)",
        "The last game state has gameOver with the winner and the loser.",
        "End the program after the last gameOver, or when the connection is closed.",
    ),
    "drop": Law(
        "(the Universal Game System, playerLeftGame)",
        "The other player may leave, or lose the connection and come back.",
        "Wait: the game goes on with the next game state, or ends with gameOver.",
    ),
    "reconnect": Law(
        "(an extension)",
        "A player who logs in again gets one game state with all points so far.",
        "Connect again, log in with the same nick, and take the points of the first game state for the whole way of the ball.",
    ),
    "closing": Law(
        "(what every program owes its user)",
        "When the server is gone, the client says so and ends.",
        "End with a message when the connection cannot be made again for half a minute.",
    ),
}

#: A move that no position allows: the ball stays where it is.
FOUL = b"0,0"


class XmlReading:
    """Follows one session from the client's side."""

    def __init__(self) -> None:
        self._nick = ""
        self._position = Position()
        self._next = ""

    def redacted(self, message: Any) -> Any:
        """A key behind the nick is hidden."""
        if isinstance(message, m.PlayerLogin) and ":" in message.nick:
            return m.PlayerLogin(message.nick.split(":")[0] + ":***", message.game_type)
        return message

    def said(self, message: Any) -> Said:
        """What a message of the client means."""
        match message:
            case m.PlayerLogin(nick, game_type):
                self._nick = nick.split(":")[0]
                if game_type != "paper soccer":
                    return Said('names the type of game in another way than "paper soccer"', Grade.FRAGILE)
                return Said(f"logs in as {self._nick}")
            case m.Move(points, game_id):
                return self._move(points, game_id)
            case m.ThankYou():
                return Said("has seen the end of the game")
            case m.LeaveGame():
                return Said("gives the game up")
            case m.Logout():
                return Said("leaves")
            case m.Error():
                return Said("reports an error")
            case m.Malformed(reason):
                return Said(f"no message: {reason}", Grade.BREACH, "framing")
        return Said("this is no message of a client", Grade.BREACH, "framing")

    def _move(self, points: tuple[m.Point, ...], game_id: str | None) -> Said:
        way = " ".join(f"({x},{y})" for x, y in points)
        if game_id is None:
            return Said("leaves out the id of the game, or the message around a move", Grade.FRAGILE)
        if self._next and self._next != self._nick:
            return Said(f"plays {way}, but it is {self._next}'s turn", Grade.BREACH)
        try:
            after = self._position.after(points)
        except Foul as foul:
            return Said(f"plays {way}; illegal: {foul}", Grade.BREACH)
        return Said(f"plays {way}; " + ("the game is over" if after.ending else "legal"))

    def heard(self, message: Any) -> str:
        """What a message of the server means."""
        match message:
            case m.LoginResponse(error):
                return "logged in" if error is None else f"not logged in: error {int(error)}"
            case m.GameState(_, following, points):
                return self._state(following, points)
            case m.GameOver(_, winner, loser, _):
                self._position, self._next = Position(), ""
                return f"the game is over: {winner} has won, {loser} has lost"
            case m.PlayerLeftGame(nick, _):
                return f"{nick} has left, or has lost the connection"
            case m.ServerShutdown():
                return "the server stops"
            case m.Error(text):
                return f"the server says: {text}"
        return ""

    def _state(self, following: str, points: tuple[m.Point, ...]) -> str:
        self._next = following
        if not points:
            self._position = Position()
            return f"the game begins; {following} moves first"
        try:
            self._position = self._position.after(points)
        except Foul:
            self._position = _followed(points)
        x, y = points[-1]
        return f"the ball is at ({x},{y}); {following} is to move"


def _followed(points: tuple[m.Point, ...]) -> Position:
    """The position after all points of a game, told at once."""
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
    Scenario("bytes", "Every byte is a segment of its own; a nick has letters of two bytes.", "framing",
             opponents=("Żółw",), cut=Cut.BYTES, most=10),
    Scenario("joined", "Several messages come in one segment.", "framing", cut=Cut.JOINED, most=30),
    Scenario("random-cuts", "Segments end in the middle of messages.", "framing", cut=Cut.RANDOM, most=20,
             client_first=False),
    Scenario("patience", "The opponent thinks for five seconds.", "turn",
             steps=(Step(Act.OPPONENT_THINKS, 3, client_owes=False),), most=12),
    Scenario("drop-in-own-turn", "The opponent's connection is lost and comes back in its own turn.", "drop",
             steps=(Step(Act.OPPONENT_THINKS, 3, client_owes=False), Step(Act.OPPONENT_DROPS, 3)), most=14),
    Scenario("drop-in-clients-turn", "The opponent's connection is lost and comes back in the client's turn.", "drop",
             steps=(Step(Act.OPPONENT_DROPS, 3, client_owes=True),), most=14),
    Scenario("opponent-gone", "The opponent does not come back: the client wins.", "end",
             steps=(Step(Act.OPPONENT_GONE, 4),), grace=1.0),
    Scenario("strict", "The documented messages only.", "framing", strict=True),
    Scenario("strict-second", "The documented messages only; the client logs in second.", "framing", strict=True,
             client_first=False),
    Scenario("strict-drop", "The documented messages only, and the opponent drops.", "drop", strict=True,
             steps=(Step(Act.OPPONENT_DROPS, 3),), most=14),
    Scenario("own-drop", "The client's connection is lost in mid-game; it comes back.", "reconnect",
             steps=(Step(Act.CLIENT_CUT, 4),), needs_reconnect=True, most=20),
    Scenario("own-drop-in-turn", "The client's connection is lost in its own turn.", "reconnect", client_first=False,
             steps=(Step(Act.CLIENT_CUT, 5, client_owes=True),), needs_reconnect=True, most=20),
    Scenario("bounces", "The opponent leads the ball to the border and to touched points.", "Move", opponent=LeadsToBounces,
             most=40),
    Scenario("own-goal", "The opponent plays the ball into its own goal: the client wins, and has not moved last.", "end",
             opponent=ScoresAnOwnGoal, client_first=False, most=60),
    Scenario("half-a-minute", "The opponent thinks for half a minute, and nothing comes.", "turn", slow=True,
             steps=(Step(Act.OPPONENT_THINKS_LONG, 3, client_owes=False),), most=12),
    Scenario("host-stops", "The host stops in good order in mid-game.", "closing", steps=(Step(Act.HOST_STOPS, 4),)),
    Scenario("host-killed", "The host is killed in mid-game.", "closing", steps=(Step(Act.HOST_KILLED, 4),)),
)  # fmt: skip

CHECKS = WireChecks("paper-soccer", LAWS, SCENARIOS, XmlReading, canonical=False, foul=FOUL)
