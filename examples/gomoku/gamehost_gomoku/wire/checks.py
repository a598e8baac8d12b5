"""The checks of clients (`gamehost check gomoku`): what the protocol says, and what is tried."""

from collections.abc import Mapping
from typing import Any

from gamehost.extras.check.base import Act, Cut, Law, PlainReading, Said, Scenario, Step, WireChecks
from gamehost.programs.clients import Judges
from gamehost_gomoku.wire import messages as m

LAWS: Mapping[str, Law] = {
    "Name": Law("NAME", "NAME logs in, once for each match.", "Send NAME and one name first, and again after OVER."),
    "Play": Law("PLAY", "In its turn the player names an empty point.", "Follow PLAYED for both players."),
    "Resign": Law("RESIGN", "RESIGN gives the match up.", "Send RESIGN during a match only."),
    "framing": Law("Lines", "A message is a line of words with one space between two.", "Read up to the line end."),
    "login": Law(
        "NAME", "After connecting, the client logs in.", "Connect to {host} and {port}, and send NAME {name}."
    ),
    "turn": Law(
        "PLAY", "The players take turns, and Black begins.", "Send PLAY after GAME as Black, and after PLAYED."
    ),
    "end": Law("OVER", "OVER ends the match.", "End the program, or send NAME for the next match."),
    "drop": Law("AWAY, BACK", "The other player's connection is lost, and may come back.", "Go on after BACK."),
    "reconnect": Law("BACK", "NAME again leads back into the match.", "Send NAME, and take the board from BACK."),
    "closing": Law("CLOSING", "CLOSING is the last line of the host.", "End the program, with a sentence."),
}

#: A small board, so that a match is short.
SMALL = {"gomoku.size": "9"}

SCENARIOS = (
    Scenario("first-mover", "The client is Black.", "turn", SMALL),
    Scenario("second-mover", "The client is White.", "turn", SMALL, client_first=False),
    Scenario("byte-by-byte", "Each byte is a segment of its own.", "framing", SMALL, cut=Cut.BYTES, most=12),
    Scenario("joined", "Several lines come in one segment.", "framing", SMALL, cut=Cut.JOINED, most=12),
    Scenario("drop", "The opponent's connection is lost, and comes back.", "drop", SMALL,
             steps=(Step(Act.OPPONENT_DROPS, 3),), most=12),
    Scenario("resigns", "The opponent gives up.", "end", SMALL, steps=(Step(Act.OPPONENT_RESIGNS, 4),)),
)  # fmt: skip


class GomokuReading(PlainReading):
    """Says what the messages mean. A refused move is a breach: a client has all that it needs to know."""

    def said(self, message: Any) -> Said:
        match message:
            case m.Name(name):
                return Said(f"logs in as {name}", law="name")
            case m.Play(point):
                return Said(f"places a stone on {point}")
        return super().said(message)


CHECKS = WireChecks("gomoku", LAWS, SCENARIOS, GomokuReading)

JUDGES = Judges(CHECKS)
