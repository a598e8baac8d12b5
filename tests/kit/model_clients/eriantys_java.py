"""
A speaker of Java objects: it sets up games or joins them, comes back to its old one through the menu, and leaves at the end.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.rules import Status
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.base import ModelClient

COLORS = ("YELLOW", "BLUE", "GREEN", "RED", "PINK")
TOWERS = ("BLACK", "WHITE", "GREY")
ASSISTANTS = ["TIGER", "OSTRICH", "ARCHER_CAT", "EAGLE", "FOX", "SNAKE", "OCTOPUS", "DOG", "ELEPHANT", "TURTLE"]

#: What the record says of a match, in an order that does not depend on what was said before. Everything else is chatter:
#: boards, statuses and owners of islands are told by rules that look back, and strict players check them.
_FOLLOWED = frozenset(
    (
        *("MatchStarted", "StartOfPlayerRound", "EndOfPlayerRound", "EndOfRound", "PlayedAssistant", "PlayedCharacter"),
        *("UNIFIED_ISLANDS", "NO_ENTRY_TILE_ON_ISLAND", "LAST_ROUND", "CommunicateWinner"),
    )
)
QUESTIONS = frozenset(
    (
        *("AvailableTowers", "AvailableWizards", "AvailableAssistants", "MovableStudents", "WhereToMove"),
        *("MotherNatureSteps", "SelectCloud", "MovableStudentsChar", "SelectColor"),
    )
)
#: Requests that are open between two steps. In the middle of one, a player who comes back is told nothing.
_PLAIN = (e.AskAssistant, e.AskStudent, e.AskSteps, e.AskCloud)

_NONSENSE = (
    "ChosenSteps steps=0",
    "ChosenCloud cloud=9",
    "ChosenDestination destination=-1",
    "SetGame expertMode=true numberOfPlayers=7",
    "JoinAvailableGame gameID=0",
    "LoginMessage nickname=b/b",
    "ChosenTower color=null",
    "UseCharacterEffect character=Char12",
    "bytes 73 72",
)
_LISTED = re.compile(r"\[(.*?)\]")


def _kind(line: str) -> str:
    return line.split(" ", 1)[0]


def _is_formal(line: str) -> bool:
    """Whether a player is asked for the team that it has chosen on an earlier connection."""
    return re.fullmatch(r"AvailableTowers availableTowers=\{[A-Z]+:1\} currentTeams=\{[A-Z]+:\[\]\}", line) is not None


def _students(students: Sequence[int]) -> str:
    return " ".join(color for color, count in zip(COLORS, students, strict=True) for _ in range(count))


def _maps(pairs: Mapping[str, Any]) -> str:
    return "{" + " ".join(f"{key}:{value}" for key, value in pairs.items()) + "}"


def question(ask: e.Ask, names: Sequence[str]) -> str:
    match ask:
        case e.AskTower(_, left, teams):
            members = ["[" + " ".join(names[seat] for seat in team) + "]" for team in teams]
            places, of = (_maps(dict(zip(TOWERS, one, strict=False))) for one in (left, members))
            return f"AvailableTowers availableTowers={places} currentTeams={of}"
        case e.AskWizard(_, wizards):
            return f"AvailableWizards availableWizards=[{' '.join(map(str, wizards))}]"
        case e.AskAssistant(_, hand, played):
            cards = " ".join(ASSISTANTS[number - 1] for number in hand)
            by_name = {names[seat]: ASSISTANTS[number - 1] for seat, number in played}
            shown = _maps(by_name) if by_name else "[]"
            return f"AvailableAssistants availableAssistants=[{cards}] playedAssistants={shown}"
        case e.AskStudent(_, students):
            return f"MovableStudents students=[{_students(students)}]"
        case e.AskSteps(_, most):
            return f"MotherNatureSteps maxStepsAllowed={most}"
        case e.AskCardStudent(_, students):
            return f"MovableStudentsChar students=[{_students(students)}]"
    return {e.AskDestination: "WhereToMove", e.AskCloud: "SelectCloud", e.AskColour: "SelectColor"}[type(ask)]


_TOLD: Mapping[type, Callable[[Any, Sequence[str]], str]] = {
    e.MatchStarted: lambda event, names: f"MatchStarted players=[{' '.join(names)}]",
    e.StartOfTurn: lambda event, names: f"StartOfPlayerRound roundNumber={event.round} nickname={names[event.seat]}",
    e.EndOfTurn: lambda event, names: f"EndOfPlayerRound roundNumber={event.round} nickname={names[event.seat]}",
    e.EndOfRound: lambda event, names: f"EndOfRound roundNumber={event.round}",
    e.PlayedAssistant: lambda event, names: (
        f"PlayedAssistant assistant={ASSISTANTS[event.assistant - 1]} player={names[event.seat]}"
    ),
    e.PlayedCharacter: lambda event, names: (
        f"PlayedCharacter characterEnum=Char{int(event.character)} player={names[event.seat]}"
    ),
    e.NoEntryUsed: lambda event, names: "NO_ENTRY_TILE_ON_ISLAND",
    e.Unified: lambda event, names: "UNIFIED_ISLANDS",
    e.LastRound: lambda event, names: "LAST_ROUND",
    e.Won: lambda event, names: (
        f"CommunicateWinner nicknames=[{' '.join(names[seat] for seat in event.seats)}]"
        f" team={'null' if event.team is None else TOWERS[event.team]}"
    ),
}


class EriantysJavaClient(ModelClient):
    """Keeps the last question, and how many islands and which clouds the last board had."""

    wire = "eriantys-java"
    spaced = True
    draws = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._host = ord(name[-1]) % 2 == 0
        #: Whether it never answers Ack.
        self._silent = ord(name[-1]) % 4 == 3
        self._forget()

    def _forget(self) -> None:
        self._place = "out"
        self._games: list[str] | None = None
        self._asked: str | None = None
        #: The question that was answered last, until something comes that shows that the answer was accepted.
        self._answered: str | None = None
        self._islands, self._clouds = 12, [0]
        self._owed = self._pings = 0

    def connected(self) -> None:
        super().connected()
        self._forget()

    def log_in(self) -> Sequence[str]:
        return [f"LoginMessage nickname={self.name}"]

    def hear(self, line: str) -> None:
        kind = _kind(line)
        if kind in QUESTIONS:
            self._asked, self._place = line, "match"
        if line.startswith("ErrorMessage "):
            self._refused(line)
        elif kind not in ("Ping", "PlayerDisconnected"):
            self._answered = None
        self._owed += kind in ("UpdateBoard", "IslandOwner", "PlayerStatusMessage")
        match kind:
            case "Ping":
                self._pings += 1
            case "SUCCESS" if not self.inside:
                self.inside, self._place = True, "lobby"
            case "CLOSING_GAME":
                self._place = "lobby"
            case "AvailableGames":
                self._games = re.findall(r"\((\d+):", line)
            case "WaitingForPlayers" | "JoinAlreadyExistingGame":
                self._place = "waiting"
            case "MatchStarted":
                self._place = "match"
            case "UpdateBoard":
                self._place = "match"
                islands, clouds = line.split(", clouds ")
                self._islands = islands.count("(")
                heaps = clouds.split(", ")[0].split(" ")
                self._clouds = [number for number, heap in enumerate(heaps) if heap != "-"]
            case "CommunicateWinner":
                self._place = "over"

    def _refused(self, line: str) -> None:
        """After a refused answer it asks its person again by itself, as the published clients do."""
        if self._asked is None and line.split(" ")[1] not in ("WRONG_TURN", "INVALID_ACTION"):
            self._asked = self._answered

    def replies(self, rng: random.Random) -> Sequence[str]:
        said, self._pings = ["Pong"] * self._pings, 0
        if not self._silent:
            said += ["Ack"] * self._owed
        self._owed = 0
        if self._place == "over":
            return [*said, "Disconnect"]
        if self._asked is not None or self._place == "lobby":
            said += self._act(rng)
        return said

    def move(self, rng: random.Random) -> Sequence[str]:
        return self._act(rng)

    def _act(self, rng: random.Random) -> Sequence[str]:
        if self._place == "lobby":
            return [self._find_game(rng)]
        if self._place == "waiting":
            return ["Disconnect"] if rng.random() < 0.03 else []
        asked, self._asked = self._asked, None
        if asked is None:
            return []
        self._answered = asked
        if rng.random() < 0.02:
            return [rng.choice(_NONSENSE[:3]) if rng.random() < 0.9 else "Disconnect"]
        if _kind(asked) in ("MovableStudents", "MotherNatureSteps", "SelectCloud") and rng.random() < 0.05:
            self._asked = asked
            return [f"UseCharacterEffect character=Char{rng.randint(1, 12)}"]
        return [self._answer(asked, rng)]

    def _find_game(self, rng: random.Random) -> str:
        games, self._games = self._games, None
        if games and rng.random() < 0.95:
            self._place = "waiting"
            return f"JoinAvailableGame gameID={games[0]}"
        if games is None or rng.random() < (0.1 if self._host else 0.9):
            return "RequestGames"
        expert = "true" if rng.random() < 0.5 else "false"
        return f"SetGame expertMode={expert} numberOfPlayers={rng.choice((2, 2, 2, 3, 4))}"

    def _answer(self, asked: str, rng: random.Random) -> str:
        found = _LISTED.search(asked)
        listed = found[1].split() if found and found[1] else []
        match _kind(asked):
            case "AvailableTowers":
                return f"ChosenTower color={rng.choice(re.findall('([A-Z]+):[1-9]', asked) or TOWERS)}"
            case "AvailableWizards":
                return f"ChosenWizard wizardID={rng.choice(listed)}"
            case "AvailableAssistants":
                return f"PlayAssistant assistant={rng.choice(listed)}"
            case "MovableStudents" | "MovableStudentsChar":
                stops = _kind(asked) == "MovableStudentsChar" and rng.random() < 0.2
                return f"ChosenStudent student={'null' if stops or not listed else rng.choice(listed)}"
            case "WhereToMove":
                return f"ChosenDestination destination={0 if rng.random() < 0.5 else rng.randint(1, self._islands)}"
            case "MotherNatureSteps":
                return f"ChosenSteps steps={rng.randint(1, int(asked.split('=')[1]))}"
            case "SelectCloud":
                return f"ChosenCloud cloud={rng.choice(self._clouds or [0])}"
        return f"ChosenStudent student={rng.choice(COLORS)}"

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        return [rng.choice(_NONSENSE[:-1])]

    def guess(self, rng: random.Random) -> Sequence[str]:
        if self._place != "match":
            return ()
        return [rng.choice(("ChosenTower color=BLACK", "ChosenSteps steps=1", "ChosenStudent student=RED"))]

    # -- the host's words

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case Back(back, e.Situation(match, board, request, won, turn)):
                if back != seat:
                    return ()
                if won is not None:
                    return [_TOLD[e.Won](won, names)]
                if board is None:
                    return [_TOLD[e.MatchStarted](match, names)]
                if request is not None and not isinstance(request, _PLAIN):
                    return ()
                assert turn is not None
                return [f"StartOfPlayerRound roundNumber={board.round} nickname={names[turn]}"]
            case Over():
                return ()
        words = _TOLD.get(type(event))
        return () if words is None else [words(event, names)]

    @classmethod
    def all_told(
        cls, events: Sequence[object], seat: Seat, names: Sequence[str], table: TableId, n: int, view: object
    ) -> Sequence[str]:
        # A turn without a cloud ends in the words that tell of its third move: its player is told of neither.
        skipped = {
            id(then)
            for event, then in pairwise(events)
            if isinstance(event, e.PlayerStatus) and event.status is Status.MOVE_3 and isinstance(then, e.EndOfTurn)
        }
        told = (event for event in events if id(event) not in skipped)
        return [line for event in told for line in cls.told(event, seat, names, table)]

    @staticmethod
    def asks(line: str) -> bool:
        return _kind(line) in QUESTIONS and not _is_formal(line)

    @staticmethod
    def asked(view: object, names: Sequence[str]) -> str | None:
        assert isinstance(view, e.Situation)
        return None if view.request is None else question(view.request, names)

    @staticmethod
    def holds_back(talk: Any) -> bool:
        formal = talk._formal_tower is not None and not talk._tower_chosen and isinstance(talk._asked, e.AskWizard)
        return talk._situation is not None or formal

    @staticmethod
    def chatter(line: str) -> bool:
        kind = _kind(line)
        return kind not in _FOLLOWED and (kind not in QUESTIONS or _is_formal(line))

    @staticmethod
    def waits(line: str) -> bool:
        return _kind(line) == "WaitingForPlayers"
