"""A speaker of Litama's protocol. It has a name for each of its matches, because its token is what takes a seat back."""

import json
import random
from collections.abc import Sequence
from itertools import count
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.onitama.master import Moved
from gamehost.games.onitama.rules import Position
from gamehost.journal.records import TableId
from gamehost.programs.wire_player import WirePlayer
from gamehost.tables.interfaces import Back, Over
from tests.kit.litama import drawn
from tests.kit.model_clients.base import ProgramClient
from tests.kit.model_clients.onitama import moves_in_turn

#: The side cards with which blue begins.
BLUE = ("rabbit", "monkey", "goose", "crab", "crane", "tiger", "ox", "eel")


class LitamaClient(ProgramClient):
    """Creates matches, which others find."""

    wire = "litama"
    inside_after = ("Entered", "Done")

    def __init__(self, name: str) -> None:
        self._first_name = name
        #: A number for each match: one that was never told its token cannot come back under the old name.
        self._numbers = count()
        #: The names that can come back, or could.
        self.with_token: set[str] = set()
        super().__init__(name)

    def connected(self) -> None:
        before: WirePlayer | None = getattr(self, "program", None)
        super().connected()
        if before is not None:
            # The program alone has the token.
            self.program = before
        #: Whether it has asked to come in, and has no answer.
        self._asks = False

    @property
    def _ours(self) -> tuple[str, str]:
        """The id of its match, and the token of its seat."""
        program: Any = self.program
        return program._match_id, program._token

    def log_in(self) -> Sequence[str]:
        if self._asks:
            return ()  # a second match on this connection would be another one
        self._asks = True
        if not self._ours[1]:
            self.name = self.program.name = f"{self._first_name}x{next(self._numbers)}"
        return super().log_in()

    def take(self, message: Any) -> None:
        super().take(message)
        program: Any = self.program
        match type(message).__name__, getattr(message, "command", ""):
            case "Entered", _:
                self.with_token.add(self.name)
                self._asks = False
            case "Done", "spectate":
                self._asks = False
            case "Failed", "create" | "spectate":
                self._asks = self._asks and message.match_id not in ("", program._match_id)
                if message.match_id == program._match_id and message.error in ("Game ended", "Match not found"):
                    program._token, self.inside = "", False

    def in_turn(self, player: Any) -> Sequence[Any]:
        return moves_in_turn(player)

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        match_id, token = self._ours
        match_id = match_id or "0" * 24
        return [
            rng.choice(
                (
                    "hello",
                    "spectate 12",
                    f"state {'f' * 24}",
                    f"move {match_id} {'0' * 64} ox a1a2",
                    f"move {match_id} {token} lion a1a2",
                )
            )
        ]

    # -- the host's words: a `state` that has begun is one line, without what the journal does not have

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        raise AssertionError("`state` is told of entries, not of events")

    @classmethod
    def all_told(
        cls, events: Sequence[object], seat: Seat, names: Sequence[str], table: TableId, n: int, view: Any
    ) -> Sequence[str]:
        if not events:
            return []
        result = next((event.result for event in events if isinstance(event, Over)), None)
        winner = "nobody" if result is None or not result.winners else names[result.winners[0]]
        # A draw by the number of moves is told behind the last one. Who has won is told with it. Who comes back as the match
        # ends is shown how it stands first.
        goes_on = result is None or isinstance(events[0], Back)
        goes_on = goes_on or (isinstance(events[0], Moved) and view.position.won is None)
        stands = [words(view.position, names, "-")] if goes_on else []
        return stands if result is None else [*stands, words(view.position, names, winner)]

    @staticmethod
    def is_told(talk: Any) -> bool:
        return bool(talk.session.player.match.has_spectator(talk))

    @staticmethod
    def plain(line: str) -> str:
        state = json.loads(line)
        if state["messageType"] != "state" or "board" not in state:
            return line
        if (board := drawn(state)[0]) != state["board"]:
            raise AssertionError(f"the moves lead to {board}: {line}")
        colours = colours_of(state)
        winner = {"none": "nobody", **state["usernames"]}[state["winner"]]
        names = [state["usernames"][colour] for colour in colours]
        return words(stands(state), names, "-" if state["gameState"] == "in progress" else winner)

    @staticmethod
    def chatter(line: str) -> bool:
        return line.startswith("{")

    @staticmethod
    def waits(line: str) -> bool:
        return line.startswith('{"messageType":"create"')


def colours_of(state: Any) -> Sequence[str]:
    """Of White and Black."""
    return ("blue", "red") if state["startingCards"]["side"] in BLUE else ("red", "blue")


def stands(state: Any) -> Position:
    """The position in a `state`."""
    colours = colours_of(state)
    blue = colours[0] == "blue"
    board = state["board"].translate(str.maketrans("01234", ".PKpk" if blue else ".pkPK"))[:: 1 if blue else -1]
    white, black = (tuple(state["cards"][colour]) for colour in colours)
    return Position((white, black), state["cards"]["side"], board, colours.index(state["currentTurn"]))


def words(position: Position, names: Sequence[str], winner: str) -> str:
    """How a match stands."""
    hands = " ".join(",".join(sorted(hand)) for hand in position.hands)
    return f"{' '.join(names)}: {position.board} {hands} {position.spare} {position.turn} {winner}"
