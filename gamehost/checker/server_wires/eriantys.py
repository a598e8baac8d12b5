"""
The checks of servers of Eriantys.

The document is *Eryantis Protocol Documentation*: section 1 lists the 42 messages, section 2 has the scenarios.
"""

from collections.abc import Mapping

from gamehost.checker.base import Cut, Law
from gamehost.checker.server_base import ServerChecks
from gamehost.checker.server_scripts import LONGEST, case, returns
from gamehost.checker.server_wires.eriantys_scripts import (
    acknowledges_more,
    crosswise,
    gather,
    joined,
    leaves,
    lobby,
    next_game,
    out_of_turn,
    refusals,
    some_actions,
)
from gamehost.checker.server_wires.eriantys_speech import JsonSpeech

_ASKS = "Ask one player at a time. After a refused answer send ErrorMessage and the same request again."


def _to_all(number: str, name: str, says: str, do: str = "Send it to all players of the game, once each.") -> Law:
    return Law(f"{number} {name}", says, do)


LAWS: Mapping[str, Law] = {
    "CommunicationMessage": Law(
        "1.5 CommunicationMessage",
        "ENTER_NICKNAME asks for a nickname, SUCCESS confirms an answer, UNIFIED_ISLANDS tells of a merge, CLOSING_GAME ends.",
        "Send ENTER_NICKNAME at once when a client has connected, and SUCCESS after each accepted answer that has no other.",
    ),
    "PlayerStatusMessage": Law(
        "1.6 PlayerStatusMessage",
        "A player is told what to do now, and at the end whether it has won or lost.",
        "Send the status to that player alone, before the first request of each phase and after the last one.",
    ),
    "ErrorMessage": Law(
        "1.7 ErrorMessage",
        "An answer that is wrong is refused to its sender alone. Nothing changes.",
        "Check each answer before anything changes; then send the request again if it was an answer to it.",
    ),
    "AvailableGames": Law(
        "1.10 AvailableGames", "RequestGames is answered with the games that wait for players.", "List no game that has begun."
    ),
    "JoinAlreadyExistingGame": Law(
        "1.13 JoinAlreadyExistingGame",
        "A player who joins a game is told about it, the player included.",
        "Send it to the player who has joined, and UpdateLobby to the others.",
    ),
    "WaitingForPlayers": Law(
        "1.14 WaitingForPlayers", "SetGame is answered with the id of the new game.", "Send it before anything else."
    ),
    "PlayerDisconnected": _to_all(
        "1.15", "PlayerDisconnected", "The other players are told who has left.", "Send it to all others, once each."
    ),
    "MatchStarted": _to_all("1.16", "MatchStarted", "When all players are there, the game begins."),
    "AvailableTowers": Law("1.17 AvailableTowers", "The players choose towers, one at a time.", _ASKS),
    "AvailableWizards": Law("1.19 AvailableWizards", "The players choose wizards, one at a time.", _ASKS),
    "UpdateBoard": _to_all(
        "1.21",
        "UpdateBoard",
        "All players are told the whole table after each change.",
        "Send the state after the change, with every key, to all players.",
    ),
    "UpdateLobby": _to_all(
        "1.22", "UpdateLobby", "Those who wait are told who has come or gone.", "Send it to all who wait, but the new player."
    ),
    "StartOfPlayerRound": _to_all("1.23", "StartOfPlayerRound", "A player's turn begins."),
    "AvailableAssistants": Law(
        "1.24 AvailableAssistants",
        "A player is asked for an assistant, with its hand and what was played in this round.",
        "Send it to that player alone: hands are hidden. " + _ASKS,
    ),
    "PlayedAssistant": _to_all("1.26", "PlayedAssistant", "All players are told which assistant was played, and by whom."),
    "MovableStudents": Law("1.27 MovableStudents", "A player is asked for a student of the entrance.", _ASKS),
    "MovableStudentsChar": Law("1.28 MovableStudentsChar", "A player is asked for a student for a character.", _ASKS),
    "WhereToMove": Law("1.30 WhereToMove", "A player is asked where the student goes.", _ASKS),
    "MotherNatureSteps": Law(
        "1.32 MotherNatureSteps", "A player is asked for steps, up to what the assistant allows.", _ASKS
    ),
    "IslandOwner": _to_all("1.34", "IslandOwner", "Influence was counted: the island, and who owns it."),
    "SelectCloud": Law("1.35 SelectCloud", "A player is asked for a cloud.", _ASKS),
    "EndOfPlayerRound": _to_all("1.37", "EndOfPlayerRound", "A player's turn is over."),
    "EndOfRound": _to_all("1.38", "EndOfRound", "A round is over."),
    "CommunicateWinner": _to_all(
        "1.39",
        "CommunicateWinner",
        "The winner is told to all.",
        "Look for the last tower, three groups of islands, an empty bag and empty hands, and for a player who leaves.",
    ),
    "SelectColor": Law("1.40 SelectColor", "A player is asked for a colour for a character.", _ASKS),
    "PlayedCharacter": _to_all("1.42", "PlayedCharacter", "All players are told which character was used, and by whom."),
    "framing": Law(
        "(the encoding, on this wire's page)",
        "A message is one JSON object on a line; type is its name, and all keys are always there.",
        "Write the keys and values of the page, and null where there is nothing.",
    ),
    "turn": Law(
        "2 scenarios",
        "One player is asked at a time. The server answers each message, in its order.",
        "Read up to \\n, however many bytes one call gives you. Answer WRONG_TURN to a player who is not asked.",
    ),
    "reconnect": Law(
        "2 scenarios, reconnection",
        "A player who logs in again gets SUCCESS, MatchStarted, the board, and the open request.",
        "Keep the game when a connection is lost. On LoginMessage with the same nickname give the seat back.",
    ),
}  # fmt: skip

CASES = (
    case("whole-game", "A game of two; the winner is told.", "CommunicateWinner", some_actions(LONGEST)),
    case("crosswise", "The player who connects later creates the game.", "MatchStarted", crosswise),
    case("lobby", "Wrong messages before a game; players come and go.", "UpdateLobby", lobby),
    case("next-game", "A player leaves; the other creates the next game.", "CommunicateWinner", next_game),
    case("leaves-in-set-up", "A player leaves while towers are chosen.", "CommunicateWinner", leaves(1)),
    case("leaves-three", "One of three players leaves.", "CommunicateWinner", leaves(20, 3)),
    case("three-players", "A round and a half of three players.", "UpdateBoard", some_actions(60, 3)),
    case("four-players", "A round of two teams.", "UpdateBoard", some_actions(50, 4)),
    case("expert", "A game with characters.", "PlayedCharacter", some_actions(LONGEST, expert=True)),
    case("refusals", "Wrong answers to each request.", "ErrorMessage", refusals(55)),
    case("refusals-three", "Wrong answers of three players.", "ErrorMessage", refusals(30, 3)),
    case("refusals-expert", "Characters that cannot be used.", "ErrorMessage", refusals(60, expert=True)),
    case("out-of-turn", "A player answers who is not asked.", "turn", out_of_turn),
    case("acknowledgements", "More acknowledgements than the server asked for.", "turn", acknowledges_more),
    case("joined", "A refused answer and good ones come in one segment.", "turn", joined),
    case("bytes", "The clients send bytes in segments of their own.", "turn", some_actions(8), Cut.BYTES),
    case("random-cuts", "The clients' segments end in the middle of lines.", "turn", some_actions(12), Cut.RANDOM),
    case("returns-in-own-turn", "A connection is lost in its player's turn, and comes back.", "reconnect",
         returns(True, gather, 10, 6)),
    case("returns-in-others-turn", "A connection is lost in the other's turn, and comes back.", "reconnect",
         returns(False, gather, 10, 6)),
)  # fmt: skip

#: The replica waits for no acknowledgement, and sends no Ping.
CHECKS = ServerChecks("eriantys", LAWS, CASES, JsonSpeech, {"eriantys.ack_seconds": "0", "eriantys.ping": "0"})
