"""
A speaker of the JSON of Eriantys: sets up games or joins them, answers what it is asked, a whole turn ahead now and then,
and acknowledges at once, late or never.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from gamehost.games.base import Seat
from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.rules import Card, Island, School
from gamehost.journal.records import TableId
from gamehost.tables.interfaces import Back, Over
from gamehost.wires.eriantys import messages as m
from tests.kit.model_clients.base import ProgramClient

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
#: When it acknowledges; late: before it says something else. By the number in its name.
_HABITS = ("at once", "at once", "late", "never")

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


class EriantysClient(ProgramClient):
    """Its program acknowledges by its habit, is ahead of questions, and sets games of all kinds up, or rather waits for one."""

    wire = "eriantys"
    senseless = _NONSENSE

    def __init__(self, name: str) -> None:
        self._habit = _HABITS[ord(name[-1]) % 4]
        #: Whether it rather sets a game up than waits for one to be set up.
        self._host = ord(name[-1]) % 2 == 0
        super().__init__(name)

    def connected(self) -> None:
        super().connected()
        #: What it says before it says something else: acknowledgements that are late, and whether there are games now.
        self._late: list[m.Message] = []
        #: Whether it has said where a student goes before it was asked.
        self._ahead = False
        self._last: Sequence[str] = ()

    def take(self, message: Any) -> None:
        ahead, self._ahead = self._ahead, self._ahead and not isinstance(message, m.WhereToMove | m.ErrorMessage)
        if ahead and isinstance(message, m.WhereToMove):
            return
        super().take(message)
        if message == m.CommunicationMessage(m.Communication.SUCCESS):
            self.inside = True
        elif self.program.result is not None:
            self._due += self.program.again()
            self.inside = True

    def replies(self, rng: random.Random) -> Sequence[str]:
        due, self._due = self._due, []
        said = self._words(edited for message in due for edited in self._edited(message, rng))
        # A match has hundreds of answers.
        answer = self._answer(rng) if rng.random() < 0.95 else ()
        return [*said, *(self._overdue() if answer else ()), *answer]

    def _edited(self, message: m.Message, rng: random.Random) -> Sequence[m.Message]:
        """What it says at once in the place of a message of its program."""
        match message:
            case m.Acknowledgement() if self._habit == "late":
                self._late.append(message)
            case m.Acknowledgement() if self._habit == "never":
                pass
            case m.SetGame() if rng.random() < (0.1 if self._host else 0.9):
                self._late.append(m.RequestGames())
            case m.SetGame():
                return [m.SetGame(rng.choice((2, 2, 2, 2, 3, 4)), rng.random() < 0.5)]
            case _:
                return [message]
        return []

    def move(self, rng: random.Random) -> Sequence[str]:
        if self.inside and self.program.match is None and rng.random() < 0.03:
            return [line("Disconnect")]  # it has waited long enough
        return [*self._overdue(), *self._answer(rng)]

    def _overdue(self) -> Sequence[str]:
        late, self._late = self._late, []
        return self._words(late)

    def _answer(self, rng: random.Random) -> Sequence[str]:
        said = super().move(rng)
        if said and rng.random() < 0.02:
            return [rng.choice(_WRONG) if rng.random() < 0.9 else line("Disconnect")]
        self._last = said or self._last
        program: Any = self.program
        if said and _kind(said[0]) == "ChosenStudent" and program._from_entrance and rng.random() < 0.3:
            self._ahead = True
            said = [*said, line("ChosenDestination", destination=rng.choice((0, 0, 1, 2, 3)))]
        return said

    def guess(self, rng: random.Random) -> Sequence[str]:
        """What it has said last, once more."""
        return self._last or self.nonsense(rng)

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
