"""
The checks of Eriantys in JSON.

The document is *Eryantis Protocol Documentation*: section 1 lists the 42 messages, section 2 has the scenarios.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from gamehost.checker.base import Act, Cut, Grade, Law, Said, Scenario, Step, WireChecks
from gamehost.checker.steering import KeepsTheBalance, PlaysTheSame, UsesCharacters, few_colours
from gamehost.players.base import Level
from gamehost.wires.eriantys_json import messages as m

_ASKED = "Answer the last request with a value that it offers, once."

LAWS: Mapping[str, Law] = {
    "Acknowledgement": Law(
        "1.1 Acknowledgement",
        "The client acknowledges a message; the responses of each message say where.",
        "Send one Acknowledgement for each message that lists it as its response.",
    ),
    "Pong": Law("1.3 Pong", "The client answers Ping with Pong.", "Send Pong at once, also while the player thinks."),
    "Disconnect": Law("1.4 Disconnect", "The client says that it leaves.", "Send it last."),
    "LoginMessage": Law(
        "1.8 LoginMessage",
        "After ENTER_NICKNAME the client sends its nickname, once.",
        "Send LoginMessage after ENTER_NICKNAME, and nothing before it.",
    ),
    "RequestGames": Law("1.9 RequestGames", "The client asks for the games that wait.", "Send it in the lobby only."),
    "SetGame": Law(
        "1.11 SetGame",
        "The client creates a game for 2, 3 or 4 players.",
        "Send it in the lobby only, with numberOfPlayers as a number and expertMode as true or false.",
    ),
    "JoinAvailableGame": Law(
        "1.12 JoinAvailableGame", "The client joins a game of the list.", "Take the gameId from AvailableGames."
    ),
    "ChosenTower": Law("1.18 ChosenTower", "The player chooses a tower that has places left.", _ASKED),
    "ChosenWizard": Law("1.20 ChosenWizard", "The player chooses a wizard of the list.", _ASKED),
    "PlayAssistant": Law(
        "1.25 PlayAssistant",
        "The player plays an assistant of its hand; not one that another has played this round, if there is an alternative.",
        "Look at both keys of AvailableAssistants.",
    ),
    "ChosenStudent": Law("1.29 ChosenStudent", "The player chooses a student of the list.", _ASKED),
    "ChosenDestination": Law(
        "1.31 ChosenDestination",
        "0 is the dining room, and 1 to the number of island groups an island. A table of the dining room has ten places.",
        "Count the islands and the students of your dining room on the last UpdateBoard.",
    ),
    "ChosenSteps": Law(
        "1.33 ChosenSteps", "Mother nature makes 1 to maxStepsAllowed steps.", "Stay within MotherNatureSteps."
    ),
    "ChosenCloud": Law(
        "1.36 ChosenCloud", "The player takes a cloud that is not empty.", "Look at the last UpdateBoard."
    ),
    "UseCharacterEffect": Law(
        "1.41 UseCharacterEffect",
        "In its action turn of an expert game the player may use one character, for coins.",
        "Use a character of the dashboard that you can pay, once a turn, while a request of Move 1 to 3 is open.",
    ),
    "framing": Law(
        "(the encoding, on this wire's page)",
        "A message is one JSON object on a line; type is its name, and the keys are the document's arguments.",
        "Write exactly the keys of the document. Read up to \\n, however many bytes one call gives you.",
    ),
    "login": Law(
        "2 scenarios, log-in",
        "The server sends ENTER_NICKNAME, and the client logs in.",
        "Connect to {host} and {port}; wait for ENTER_NICKNAME; log in as {name}; create or join a game of two.",
    ),
    "turn": Law(
        "2 scenarios",
        "One player is asked at a time, and answers with the message that belongs to the request.",
        "Answer each request once. After ErrorMessage the request comes again.",
    ),
    "end": Law(
        "1.39 CommunicateWinner",
        "CommunicateWinner and CLOSING_GAME end the game for all.",
        "End the program after the last CLOSING_GAME, or when the connection is closed.",
    ),
    "drop": Law(
        "1.15 PlayerDisconnected",
        "Another player's connection may be lost; the game goes on when the player is back.",
        "Wait: the game goes on with the next message. UpdateLobby tells who is back.",
    ),
    "reconnect": Law(
        "2 scenarios, reconnection",
        "A player who logs in again gets SUCCESS, MatchStarted, the board, and the open request.",
        "Connect again, log in with the same nickname, and wait for MatchStarted.",
    ),
    "closing": Law(
        "(what every program owes its user)",
        "When the server is gone, the client says so and ends.",
        "End with a message when the connection cannot be made again for half a minute.",
    ),
}

#: What the client may answer to a request.
_ANSWERS: Mapping[type, type] = {
    m.AvailableTowers: m.ChosenTower,
    m.AvailableWizards: m.ChosenWizard,
    m.AvailableAssistants: m.PlayAssistant,
    m.MovableStudents: m.ChosenStudent,
    m.MovableStudentsChar: m.ChosenStudent,
    m.SelectColor: m.ChosenStudent,
    m.WhereToMove: m.ChosenDestination,
    m.MotherNatureSteps: m.ChosenSteps,
    m.SelectCloud: m.ChosenCloud,
}
_KINDS = frozenset(_ANSWERS.values())

_SAID: Mapping[type, Callable[[Any], str]] = {
    m.Acknowledgement: lambda message: "has read the message",
    m.Pong: lambda message: "is there",
    m.Disconnect: lambda message: "leaves",
    m.LoginMessage: lambda message: f"logs in as {message.nickname}",
    m.RequestGames: lambda message: "asks for the games that wait",
    m.SetGame: lambda message: f"creates a game of {message.numberOfPlayers}",
    m.JoinAvailableGame: lambda message: f"joins game {message.gameId}",
    m.ChosenTower: lambda message: f"takes the {message.tower.name.lower()} towers",
    m.ChosenWizard: lambda message: f"takes wizard {message.wizardId}",
    m.PlayAssistant: lambda message: f"plays assistant {message.assistant}",
    m.ChosenStudent: lambda message: (
        "takes no student" if message.color is None else f"takes {message.color.name.lower()}"
    ),
    m.ChosenDestination: lambda message: (
        f"to island {message.destination}" if message.destination else "to the dining room"
    ),
    m.ChosenSteps: lambda message: f"mother nature goes {message.steps} steps",
    m.ChosenCloud: lambda message: f"takes cloud {message.cloud}",
    m.UseCharacterEffect: lambda message: f"uses character {message.character}",
}
_HEARD: Mapping[type, Callable[[Any], str]] = {
    m.Ping: lambda message: "is the client there?",
    m.CommunicationMessage: lambda message: message.message.name.lower().replace("_", " "),
    m.PlayerStatusMessage: lambda message: f"the client's status is {message.playerStatus.name}",
    m.ErrorMessage: lambda message: f"refused: {message.error.name}",
    m.AvailableGames: lambda message: f"{len(message.availableGames)} games wait for players",
    m.JoinAlreadyExistingGame: lambda message: f"joined game {message.gameInfo.gameId}",
    m.WaitingForPlayers: lambda message: f"game {message.gameId} waits for players",
    m.PlayerDisconnected: lambda message: f"{message.nickname} has left, or has lost the connection",
    m.MatchStarted: lambda message: f"{' and '.join(message.players)} play",
    m.AvailableTowers: lambda message: "which towers?",
    m.AvailableWizards: lambda message: "which wizard?",
    m.UpdateBoard: lambda message: f"the board in round {message.dashboard.round}",
    m.UpdateLobby: lambda message: (
        f"{message.gameInfo.waitingPlayers} of {message.gameInfo.totalPlayers} players are there"
    ),
    m.StartOfPlayerRound: lambda message: f"{message.nickname}'s turn in round {message.roundNumber} begins",
    m.AvailableAssistants: lambda message: "which assistant?",
    m.PlayedAssistant: lambda message: f"{message.player} has played assistant {message.assistant}",
    m.MovableStudents: lambda message: "which student of the entrance?",
    m.MovableStudentsChar: lambda message: "which student of the character?",
    m.WhereToMove: lambda message: "to which island, or to the dining room?",
    m.MotherNatureSteps: lambda message: f"how many steps, at most {message.maxStepsAllowed}?",
    m.IslandOwner: lambda message: f"island {message.island.number} belongs to {message.nickname or 'nobody'}",
    m.SelectCloud: lambda message: "which cloud?",
    m.EndOfPlayerRound: lambda message: f"{message.nickname}'s turn ends",
    m.EndOfRound: lambda message: f"round {message.roundNumber} ends",
    m.CommunicateWinner: lambda message: f"{message.nickname} has won: {message.winReason}",
    m.SelectColor: lambda message: "which colour?",
    m.PlayedCharacter: lambda message: f"{message.player} has used character {message.character}",
}


class JsonReading:
    """Follows one session from the client's side."""

    def __init__(self) -> None:
        self._asked: Any = None

    def redacted(self, message: Any) -> Any:
        """A key behind the nickname is hidden."""
        if isinstance(message, m.LoginMessage) and ":" in message.nickname:
            return m.LoginMessage(message.nickname.split(":")[0] + ":***")
        return message

    def said(self, message: Any) -> Said:
        """What a message of the client means."""
        kind = type(message)
        if isinstance(message, m.NoMessage):
            return Said(f"no message: {message.reason}", Grade.BREACH, "framing")
        if isinstance(message, m.Malformed):
            return Said(f"{message.kind.__name__}: {message.reason}", Grade.BREACH, message.kind.__name__)
        words = _SAID.get(kind)
        if words is None:
            return Said("a line that cannot be read", Grade.BREACH, "framing")
        meaning = words(message)
        if kind in _KINDS:
            asked, self._asked = self._asked, None
            if asked is None:
                return Said(f"{meaning}, but nothing was asked", Grade.BREACH)
            if _ANSWERS[type(asked)] is not kind:
                return Said(f"{meaning}, but {_HEARD[type(asked)](asked)} was asked", Grade.BREACH)
        return Said(meaning)

    def heard(self, message: Any) -> str:
        """What a message of the server means."""
        if type(message) in _ANSWERS:
            self._asked = message
        words = _HEARD.get(type(message))
        return "" if words is None else words(message)


_NUMBER = re.compile(rb'("(?:assistant|steps|destination|cloud)"\s*:\s*)[0-9]+')


def spoiled(data: bytes) -> bytes | None:
    """An answer with a number that no request offers."""
    changed = _NUMBER.sub(rb"\g<1>99", data, count=1)
    return None if changed == data else changed


#: A quiet line: pings come in a scenario of their own.
QUIET = {"eriantys.ping": "0"}
SCENARIOS = (
    Scenario("creates", "The client comes first, and creates a game or waits for one.", "turn", QUIET, most=400),
    Scenario("joins", "A game of two waits when the client comes.", "turn", QUIET, client_first=False, most=400),
    Scenario("loses", "A whole game against an opponent of middle strength.", "end", QUIET, level=Level.MEDIUM, most=600),
    Scenario("random-opponent", "A whole game against a player at random.", "end", QUIET, level=Level.RANDOM,
             client_first=False, most=600),
    Scenario("three-players", "A game of three waits; two of its players are there.", "turn", QUIET, client_first=False,
             seats=3, opponents=("Rival", "Third"), most=120),
    Scenario("wins", "The opponent leaves for good: WIN, CommunicateWinner and CLOSING_GAME come at once.", "end", QUIET,
             steps=(Step(Act.OPPONENT_RESIGNS, 12),)),
    Scenario("wins-in-set-up", "The opponent leaves while towers and wizards are chosen.", "end", QUIET,
             steps=(Step(Act.OPPONENT_RESIGNS, 1),)),
    Scenario("two-games", "Another game on the same connection, after CLOSING_GAME.", "end", QUIET, matches=2, most=30),
    Scenario("bytes", "Every byte is a segment of its own; a nickname has letters of two bytes.", "framing", QUIET,
             opponents=("Žofie",), cut=Cut.BYTES, most=24),
    Scenario("joined", "Several messages come in one segment.", "framing", QUIET, cut=Cut.JOINED, most=60),
    Scenario("random-cuts", "Segments end in the middle of messages.", "framing", QUIET, cut=Cut.RANDOM, most=24,
             client_first=False),
    Scenario("refused-answer", "The client's answer is refused once; the request comes again.", "turn", QUIET,
             steps=(Step(Act.MOVE_REFUSED, 4),), most=40),
    Scenario("pings", "The opponent thinks for five seconds, and Ping comes each second.", "Pong", {"eriantys.ping": "1"},
             steps=(Step(Act.OPPONENT_THINKS, 12, client_owes=False),), most=40),
    Scenario("drop", "The opponent's connection is lost and comes back.", "drop", QUIET,
             steps=(Step(Act.OPPONENT_DROPS, 14, client_owes=True),), most=50),
    Scenario("drop-in-own-turn", "The opponent's connection is lost and comes back in its own turn.", "drop", QUIET,
             steps=(Step(Act.OPPONENT_THINKS, 12, client_owes=False), Step(Act.OPPONENT_DROPS, 12)), most=50),
    Scenario("opponent-gone", "The opponent does not come back: the client wins.", "end", QUIET,
             steps=(Step(Act.OPPONENT_GONE, 14),), grace=1.0),
    Scenario("strict", "The documented messages and keys only.", "framing", QUIET, strict=True, most=150),
    Scenario("strict-joins", "The documented messages and keys only; a game waits when the client comes.", "framing", QUIET,
             strict=True, client_first=False, most=150),
    Scenario("own-drop", "The client's connection is lost in mid-game; it comes back.", "reconnect", QUIET,
             steps=(Step(Act.CLIENT_CUT, 14),), needs_reconnect=True, most=60),
    Scenario("own-drop-in-turn", "The client's connection is lost while it is asked.", "reconnect", QUIET, client_first=False,
             steps=(Step(Act.CLIENT_CUT, 20, client_owes=True),), needs_reconnect=True, most=60),
    Scenario("expert", "A game with characters waits; the opponent uses them.", "turn", QUIET, client_first=False,
             opponent=UsesCharacters, table={"expert": "yes"}, most=250),
    Scenario("full-table", "Students come colour by colour, so that a table of the dining room is soon full.",
             "ChosenDestination", QUIET, below=few_colours, opponent=KeepsTheBalance, most=400),
    Scenario("same-assistants", "The opponent plays what the client has played: at last there is no other assistant.",
             "PlayAssistant", QUIET, opponent=PlaysTheSame, most=600),
    Scenario("empty-clouds", "Three players use up the students: in the last round the clouds are empty.", "ChosenCloud", QUIET,
             client_first=False, seats=3, opponents=("Rival", "Third"), opponent=KeepsTheBalance, most=900),
    Scenario("half-a-minute", "The opponent thinks for half a minute, and nothing comes.", "turn", QUIET, slow=True,
             steps=(Step(Act.OPPONENT_THINKS_LONG, 12, client_owes=False),), most=40),
    Scenario("host-stops", "The host stops in good order in mid-game.", "closing", QUIET, steps=(Step(Act.HOST_STOPS, 14),)),
    Scenario("host-killed", "The host is killed in mid-game.", "closing", QUIET, steps=(Step(Act.HOST_KILLED, 14),)),
)  # fmt: skip

CHECKS = WireChecks("eriantys", LAWS, SCENARIOS, JsonReading, canonical=False, spoiled=spoiled)
