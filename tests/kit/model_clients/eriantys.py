"""
A speaker of the JSON of Eriantys: sets up games or joins them, answers what it is asked, a whole turn ahead now and then,
and acknowledges at once, late or never.
"""

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from gamehost.games.base import Seat
from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.rules import Card, Island, School
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from tests.kit.model_clients.base import ModelClient

# The words of the JSON of Eriantys for what a match says, written from the wire's page alone: each line as it must stand.


COLORS = ("YELLOW", "BLUE", "GREEN", "RED", "PINK")
TOWERS = ("BLACK", "WHITE", "GREY")

Names = Sequence[str]


def line(kind: str, **arguments: Any) -> str:
    """A message as a line, its keys in the order given."""
    return msgspec.json.encode({"type": kind, **arguments}).decode("utf-8")


def said(communication: str) -> str:
    """One of the few words of a CommunicationMessage."""
    return line("CommunicationMessage", message=communication)


SUCCESS = said("SUCCESS")
CLOSING = said("CLOSING_GAME")


def status(word: str) -> str:
    return line("PlayerStatusMessage", playerStatus=word)


def heap(students: Sequence[int]) -> Mapping[str, int]:
    return dict(zip(COLORS, students, strict=True))


def each(students: Sequence[int]) -> list[str]:
    """Students one by one."""
    return [color for color, count in zip(COLORS, students, strict=True) for _ in range(count)]


def _player(name: str, school: School, professors: list[str], expert: bool) -> Mapping[str, Any]:
    return {
        "nickname": name,
        "tower": TOWERS[school.tower],
        "wizard": school.wizard,
        "towersLeft": school.towers,
        "towerHolder": school.tower_holder,
        "entrance": heap(school.entrance),
        "diningRoom": heap(school.dining),
        "professors": professors,
        "coins": school.coins if expert else None,
        "assistantsLeft": school.assistants,
        "playedAssistant": school.played,
    }


def _island(number: int, island: Island) -> Mapping[str, Any]:
    return {
        "number": number,
        "members": island.members,
        "students": heap(island.students),
        "tower": None if island.tower is None else TOWERS[island.tower],
        "towers": island.towers,
        "noEntryTiles": island.no_entry_tiles,
    }


def _character(card: Card) -> Mapping[str, Any]:
    return {
        "character": int(card.character),
        "cost": card.cost,
        "used": card.used,
        "students": heap(card.students) if card.character in (1, 7, 11) else None,
        "noEntryTiles": card.no_entry_tiles if card.character == 5 else None,
    }


@lru_cache(64)
def _board(board: e.Board, names: tuple[str, ...]) -> str:
    holders = dict(zip(COLORS, board.professors, strict=True))
    return line(
        "UpdateBoard",
        players=[
            _player(name, school, [color for color, holder in holders.items() if holder == seat], board.expert)
            for seat, (name, school) in enumerate(zip(names, board.schools, strict=True))
        ],
        dashboard={
            "round": board.round,
            "islands": [_island(number, island) for number, island in enumerate(board.islands, 1)],
            "clouds": [heap(cloud) for cloud in board.clouds],
            "motherNature": board.mother_nature,
            "professors": {color: None if holder is None else names[holder] for color, holder in holders.items()},
            "bag": board.bag,
            "characters": [_character(card) for card in board.cards],
            "activeCharacter": None if board.active_character is None else int(board.active_character),
            "coinsSupply": board.supply if board.expert else None,
        },
        order=[names[seat] for seat in board.order],
    )


def _owner(event: e.IslandOwner, names: Names) -> str:
    nickname = "" if event.owner is None else names[event.owner]
    return line("IslandOwner", island=_island(event.number, event.island), nickname=nickname)


def _winner(event: e.Won, names: Names) -> str:
    return line(
        "CommunicateWinner",
        team=None if event.team is None else TOWERS[event.team],
        nickname="" if event.seat is None else names[event.seat],
        winReason=event.why[0].upper() + event.why[1:] + ".",
        nicknames=[names[seat] for seat in event.seats],
    )


def question(ask: e.Ask, names: Names) -> str:
    match ask:
        case e.AskTower(_, left, teams):
            members = [[names[seat] for seat in team] for team in teams]
            return line(
                "AvailableTowers",
                availableTowers=dict(zip(TOWERS, left, strict=False)),
                currentTeams=dict(zip(TOWERS, members, strict=False)),
            )
        case e.AskWizard(_, wizards):
            return line("AvailableWizards", availableWizards=wizards)
        case e.AskAssistant(_, hand, played):
            by_name = {names[seat]: assistant for seat, assistant in played}
            return line("AvailableAssistants", availableAssistants=hand, playedAssistants=by_name)
        case e.AskStudent(_, students):
            return line("MovableStudents", students=each(students))
        case e.AskDestination(_, islands):
            return line("WhereToMove", islands=islands)
        case e.AskSteps(_, most):
            return line("MotherNatureSteps", maxStepsAllowed=most)
        case e.AskCloud(_, clouds):
            return line("SelectCloud", clouds=clouds)
        case e.AskCardStudent(_, students):
            return line("MovableStudentsChar", students=each(students))
    return line("SelectColor")


#: The types of messages that ask for something.
QUESTIONS = frozenset(
    (
        "AvailableTowers",
        "AvailableWizards",
        "AvailableAssistants",
        "MovableStudents",
        "WhereToMove",
        "MotherNatureSteps",
        "SelectCloud",
        "MovableStudentsChar",
        "SelectColor",
    )
)


def _started(event: e.MatchStarted, names: Names) -> str:
    order = {} if event.order is None else {"order": [names[seat] for seat in event.order]}
    return line("MatchStarted", players=list(names), numberOfPlayers=event.seats, expertMode=event.expert, **order)


#: How each event of the match is told to whom it is addressed.
_TOLD: Mapping[type, Callable[[Any, Names], str]] = {
    e.MatchStarted: _started,
    e.Success: lambda event, names: SUCCESS,
    e.PlayerStatus: lambda event, names: status(event.status),
    e.Board: lambda event, names: _board(event, tuple(names)),
    e.StartOfTurn: lambda event, names: line("StartOfPlayerRound", roundNumber=event.round, nickname=names[event.seat]),
    e.PlayedAssistant: lambda event, names: line(
        "PlayedAssistant", assistant=event.assistant, player=names[event.seat]
    ),
    e.PlayedCharacter: lambda event, names: line(
        "PlayedCharacter", character=int(event.character), player=names[event.seat]
    ),
    e.IslandOwner: _owner,
    e.NoEntryUsed: lambda event, names: said("NO_ENTRY_TILE_ON_ISLAND"),
    e.Unified: lambda event, names: said("UNIFIED_ISLANDS"),
    e.LastRound: lambda event, names: said("LAST_ROUND"),
    e.EndOfTurn: lambda event, names: line("EndOfPlayerRound", roundNumber=event.round, nickname=names[event.seat]),
    e.EndOfRound: lambda event, names: line("EndOfRound", roundNumber=event.round),
    e.Won: _winner,
    e.Closing: lambda event, names: CLOSING,
}

#: A destination that could not be had is an error, like any other; questions are told apart from the rest.
_UNTOLD = (e.Ask, e.Denied, *e.UNTOLD)


def event_told(event: object, names: Names) -> Sequence[str]:
    return [] if isinstance(event, _UNTOLD) else [_TOLD[type(event)](event, names)]


#: Of what rests on nothing in the journal. UpdateLobby says in a match who is connected, and an error what was wrong.
_CHATTER = frozenset(
    (
        "ErrorMessage",
        "Ping",
        "PlayerDisconnected",
        "UpdateLobby",
        "AvailableGames",
        "JoinAlreadyExistingGame",
        "WaitingForPlayers",
    )
)
_WAITING = ("AvailableGames", "JoinAlreadyExistingGame", "WaitingForPlayers")
#: Students in an entrance at the beginning of a turn, and those moved in it, by players.
_NUMBERS = {2: (7, 3), 3: (9, 4), 4: (7, 3)}

#: When it acknowledges; late: before it says something else. By the number in its name.
_HABITS = ("at once", "at once", "late", "never")

#: How often it answers without thinking: a match has hundreds of answers.
AT_ONCE = 0.95

Message = dict[str, Any]

_NONSENSE = (
    line("ChosenSteps", steps="1"),
    line("SetGame", numberOfPlayers=7, expertMode=False),
    line("MatchStarted", players=[]),
    line("JoinAvailableGame", gameId=0),
    line("LoginMessage", nickname="b o b"),
    line("ChosenCloud", cloud=99),
    line("UseCharacterEffect", character=13),
    "[]",
)
#: Refused, whatever is asked; again, if it was the answer.
_WRONG = (
    line("ChosenSteps", steps=0),
    line("ChosenCloud", cloud=9),
    line("PlayAssistant", assistant=11),
    line("ChosenStudent"),
)


def _kind(text: str) -> str:
    return text[9 : text.index('"', 9)]


class EriantysClient(ModelClient):
    """Keeps the last question and the last board."""

    wire = "eriantys"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._habit = _HABITS[ord(name[-1]) % 4]
        #: Whether it rather sets a game up than waits for one to be set up.
        self._host = ord(name[-1]) % 2 == 0
        self._forget()

    def _forget(self) -> None:
        self._place = "out"
        #: The games that wait, if it has been told.
        self._games: list[Message] | None = None
        self._board: Message | None = None
        self._players = 2
        self._asked: Message | None = None
        #: The last question, answered or not.
        self._question: Message | None = None
        #: Questions that it has answered before they were asked.
        self._ahead: deque[str] = deque()
        self._owed = self._pings = 0

    def connected(self) -> None:
        super().connected()
        self._forget()

    def log_in(self) -> Sequence[str]:
        return [line("LoginMessage", nickname=self.name)]

    # -- heard

    def hear(self, line: str) -> None:
        message: Message = msgspec.json.decode(line)
        kind = message["type"]
        if kind in QUESTIONS:
            self._take(message, kind)
            return
        if kind == "Ping":
            self._pings += 1
            return
        self._owed += 1
        match kind:
            case "CommunicationMessage" if message["message"] == "SUCCESS" and not self.inside:
                self.inside, self._place = True, "lobby"
            case "CommunicationMessage" if message["message"] == "CLOSING_GAME":
                self._place, self._games, self._asked = "lobby", None, None
            case "AvailableGames":
                self._games = message["availableGames"]
            case "WaitingForPlayers" | "JoinAlreadyExistingGame":
                self._place = "waiting"
            case "MatchStarted":
                self._place, self._players = "match", message["numberOfPlayers"]
                self._board = self._asked = self._question = None
                self._ahead.clear()
            case "UpdateBoard":
                self._board = message
            case "StartOfPlayerRound" | "EndOfPlayerRound":
                self._ahead.clear()

    def _take(self, message: Message, kind: str) -> None:
        self._question = message
        self._asked = None if kind in self._ahead else message
        while self._ahead and self._ahead.popleft() != kind:
            pass

    def replies(self, rng: random.Random) -> Sequence[str]:
        said, self._pings = [line("Pong")] * self._pings, 0
        if self._habit == "at once":
            said += self._acknowledgements()
        if (self._asked is not None or self._games is not None) and rng.random() < AT_ONCE:
            said += self._act(rng)
        return said

    def _acknowledgements(self) -> list[str]:
        owed, self._owed = self._owed, 0
        return [] if self._habit == "never" else [line("Acknowledgement")] * owed

    # -- said

    def move(self, rng: random.Random) -> Sequence[str]:
        return [*self._acknowledgements(), *self._act(rng)]

    def _act(self, rng: random.Random) -> Sequence[str]:
        if self._place == "lobby":
            return [self._find_game(rng)]
        if self._place == "waiting":
            return [line("Disconnect")] if rng.random() < 0.03 else []
        asked = self._asked
        if asked is None:
            return []
        if rng.random() < 0.02:
            return [rng.choice(_WRONG) if rng.random() < 0.9 else line("Disconnect")]
        self._asked = None
        usable = self._usable(asked)
        if usable and rng.random() < 0.4:
            return [line("UseCharacterEffect", character=rng.choice(usable))]
        if asked["type"] == "MovableStudents" and rng.random() < 0.5:
            return self._turn(asked, rng)
        return [self._answer(asked, rng)]

    def _find_game(self, rng: random.Random) -> str:
        games, self._games = self._games, None
        if games and rng.random() < 0.95:
            return line("JoinAvailableGame", gameId=games[0]["gameId"])
        if games is None or rng.random() < (0.1 if self._host else 0.9):
            return line("RequestGames")
        return line("SetGame", numberOfPlayers=rng.choice((2, 2, 2, 2, 3, 4)), expertMode=rng.random() < 0.5)

    @property
    def _mine(self) -> Message:
        assert self._board is not None
        mine: Message = next(player for player in self._board["players"] if player["nickname"] == self.name)
        return mine

    def _usable(self, asked: Message) -> Sequence[int]:
        if self._board is None or asked["type"] not in ("MovableStudents", "MotherNatureSteps", "SelectCloud"):
            return ()
        table = self._board["dashboard"]
        if table["activeCharacter"] is not None:
            return ()
        return [card["character"] for card in table["characters"] if card["cost"] <= self._mine["coins"]]

    def _answer(self, asked: Message, rng: random.Random) -> str:
        match asked["type"]:
            case "AvailableTowers":
                free = [tower for tower, left in asked["availableTowers"].items() if left]
                return line("ChosenTower", tower=rng.choice(free))
            case "AvailableWizards":
                return line("ChosenWizard", wizardId=rng.choice(asked["availableWizards"]))
            case "AvailableAssistants":
                hand, taken = asked["availableAssistants"], asked["playedAssistants"].values()
                return line("PlayAssistant", assistant=rng.choice([one for one in hand if one not in taken] or hand))
            case "MovableStudents" | "MovableStudentsChar":
                stops = asked["type"] == "MovableStudentsChar" and rng.random() < 0.2
                return line("ChosenStudent", color=None if stops else rng.choice(asked["students"] or [None]))
            case "WhereToMove":
                return self._destination(asked["islands"], rng)
            case "MotherNatureSteps":
                return line("ChosenSteps", steps=rng.randint(1, asked["maxStepsAllowed"]))
            case "SelectCloud":
                return line("ChosenCloud", cloud=rng.choice(asked["clouds"]))
        return line("ChosenStudent", color=rng.choice(COLORS))

    def _destination(self, islands: int, rng: random.Random) -> str:
        return line("ChosenDestination", destination=0 if rng.random() < 0.5 else rng.randint(1, islands))

    def _turn(self, asked: Message, rng: random.Random) -> Sequence[str]:
        """The rest of a turn in one go, as far as it is sure to be asked for; or of its first move."""
        assert self._board is not None
        table, students = self._board["dashboard"], list(asked["students"])
        entrance, moves = _NUMBERS[self._players]
        rng.shuffle(students)
        said: list[str] = []
        for student in students[: moves - (entrance - len(students))]:
            said += (line("ChosenStudent", color=student), self._destination(len(table["islands"]), rng))
            self._ahead += ("MovableStudents", "WhereToMove")
        self._ahead.popleft()
        clouds = [number for number, cloud in enumerate(table["clouds"]) if any(cloud.values())]
        if clouds and rng.random() < 0.7:
            said += (line("ChosenSteps", steps=1), line("ChosenCloud", cloud=rng.choice(clouds)))
            self._ahead += ("MotherNatureSteps", "SelectCloud")
        return said

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        return [rng.choice(_NONSENSE)]

    def guess(self, rng: random.Random) -> Sequence[str]:
        if self._place != "match":
            return ()
        if self._question is None:
            return [line("ChosenTower", tower=rng.choice(TOWERS))]
        if self._board is None or rng.random() < 0.3:
            return [self._answer(self._question, rng)]
        # It may be this player's turn by now.
        color = rng.choice([color for color, count in self._mine["entrance"].items() if count] or [None])
        return [line("ChosenStudent", color=color), line("ChosenDestination", destination=rng.randint(0, 1))]

    # -- the host's words

    @staticmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        match event:
            case Back(back, e.Situation(match, board, _, won)):
                if back != seat:
                    return ()
                if won is not None:
                    end = status("WIN" if seat in won.seats else "LOSE")
                    return [SUCCESS, end, *event_told(won, names), CLOSING]
                seen = [match] if board is None else [match, board]
                return [SUCCESS, *(line for event in seen for line in event_told(event, names))]
            case Over():
                return ()
        return event_told(event, names)

    @staticmethod
    def asks(line: str) -> bool:
        return _kind(line) in QUESTIONS

    @staticmethod
    def asked(view: object, names: Sequence[str]) -> str | None:
        assert isinstance(view, e.Situation)
        return None if view.request is None else question(view.request, names)

    @staticmethod
    def holds_back(talk: Any) -> bool:
        client = talk._client
        if client.is_held_up:
            assert not client.gate.is_open(), "a question is held back though everybody has acknowledged"
            assert "alarm" in talk.peer.deadlines, "a question is held back without end"
        return bool(client.is_held_up)

    @staticmethod
    def chatter(line: str) -> bool:
        return _kind(line) in _CHATTER or line == said("ENTER_NICKNAME")

    @staticmethod
    def waits(line: str) -> bool:
        return _kind(line) in _WAITING or line in (SUCCESS, CLOSING)
