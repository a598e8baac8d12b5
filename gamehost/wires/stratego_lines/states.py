"""The states of a connection, and what a client is told that sends a line which the state does not accept."""

from collections.abc import Mapping
from enum import Enum

COLORS = ("red", "blue")

#: What a client may say at any time in a game (extension).
RESIGN = "resign"

#: What a call for help is told where a user name is awaited.
HELP = (
    "this port plays Stratego in lines of ASCII: send a user name on one line and a password on the next (ann, then secret)",
    "a new name becomes an account; wait for new, send your set-up as four lines of ten letters, then moves such as B4-B5",
)

#: What a call for help is told where a set-up is awaited.
SETUP_HELP = "send your set-up: four lines of ten letters, such as VMGKKJJJPP, the back row first"

NOT_A_MOVE = "a move is written like B4-B5"


class State(Enum):
    """The state of a connection."""

    #: A username is awaited.
    NAME = "name"
    #: A password is awaited.
    PASSWORD = "password"
    #: The host checks them.
    CHECKING = "checking"
    #: Logged in; there is no opponent yet.
    WAITING = "waiting"
    #: Four lines of set-up are awaited.
    SETUP = "set-up"
    #: The set-up is complete; the opponent's is not.
    READY = "ready"
    #: A move is awaited.
    ASKED = "asked"
    #: A move has been sent and is not answered yet.
    MOVED = "moved"
    #: It is the opponent's turn.
    PLAYING = "playing"


#: The refusal for a line that is not awaited.
NOT_NOW: Mapping[Enum, str] = {
    State.CHECKING: "your password is being checked: wait for auth-ok or auth-err",
    State.WAITING: "the game has not begun: wait for new",
    State.READY: "your set-up is complete: wait for endsetup and get-move",
    State.PLAYING: "it is not your turn: wait for get-move",
}


def is_resignation(text: str) -> bool:
    """Whether a line gives the game up, in either case."""
    return len(text) == len(RESIGN) and text.casefold() == RESIGN
