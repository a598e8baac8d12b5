"""
The checks of clients of the wire `eriantys`. Also the parts that they share with the checks of `eriantys-java`: requests of the
server, and answers of the client.

The document is *Eryantis Protocol Documentation*: section 1 lists the 42 messages, section 2 has the scenarios. The
server asks one player at a time, which answers once. Both wires have the same requests and answers, mostly with the same names.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from attrs import define, field
from msgspec import UNSET
from msgspec.structs import asdict, astuple

from gamehost.extras.check.base import Act, Grade, Reading, Said, Scenario, Step, WireChecks, laws, printed_json
from gamehost.games.eriantys import events
from gamehost.games.eriantys.phases import answers, usable
from gamehost.games.eriantys.player import EriantysPlayer
from gamehost.games.eriantys.rules import TABLE_SEATS, Colour, Position, evolve, has_room, resolved
from gamehost.players.base import Level
from gamehost.programs.clients import Judges
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.messages import Communication, Error
from gamehost.wires.eriantys.rendering import as_read


@define(eq=False)
class KeepsTheBalance(EriantysPlayer):
    """
    An opponent that makes games long: it prevents that many towers are built, and wants professors only while others lead.
    """

    #: The student that was chosen, and has no destination yet.
    _chosen: Colour = field(init=False, default=Colour.YELLOW)

    def _action(self, request: events.Ask) -> events.Action:
        """Answers a request of the host so that no player wins early."""
        play = self.seen.play()
        # Nothing is known about the position yet.
        if play is None:
            return super()._action(request)
        position = play.position
        # Mother Nature goes where the fewest towers are built.
        if isinstance(request, events.AskSteps):

            def progress(steps: int) -> tuple[int, int]:
                """Returns how near to its end the match is after so many steps: built towers first, then united islands."""
                place = (position.mother_nature + steps) % len(position.islands)
                there = resolved(evolve(position, mother_nature=place), place).position
                return -_fewest_left(there), -len(there.islands)

            return events.ChooseSteps(min(range(1, request.most + 1), key=progress))
        # It chooses a student of the colour that its dining room has most of. The student goes there if it wants professors.
        if isinstance(request, events.AskStudent):
            self._chosen = max(Colour, key=lambda one: (request.students[one] > 0, position.school.dining[one]))
            return events.ChooseStudent(self._chosen)
        # 0 is the dining room, and the islands have the numbers from 1.
        if isinstance(request, events.AskDestination):
            dines = request.dining_room and has_room(position.school, self._chosen)
            dines = dines and self._wants_professors(position)
            return events.ChooseDestination(0 if dines else 1 + self.thinking.chance.below(request.islands))
        # All other requests get a random legal answer.
        return self._any(request, play)

    def _wants_professors(self, position: Position) -> bool:
        """Returns whether another team leads."""
        return position.school.towers > _fewest_left(position)


def _fewest_left(position: Position) -> int:
    """Returns how many towers the leading team still has to build."""
    return min(school.towers for school in position.schools if school.tower_holder)


@define(eq=False)
class UsesCharacters(KeepsTheBalance):
    """An opponent that uses a character in each turn in which it can pay for one. It earns coins in its dining room."""

    def _action(self, request: events.Ask) -> events.Action:
        """Chooses a character to use, whenever a character can be used."""
        play = self.seen.play()
        if play is not None and isinstance(request, events.AskStudent | events.AskSteps | events.AskCloud):
            found = list(usable(play.position))
            if found:
                return self.thinking.chance.one_of(found)
        return super()._action(request)

    def _wants_professors(self, position: Position) -> bool:
        return True


@define(eq=False)
class PlaysTheSame(KeepsTheBalance):
    """
    An opponent that plays the assistants which the others have played. So at the end all players have the same last
    assistant, and the others may play it although it was played already.

    If it has no such assistant, it plays its last but one, because most players save high cards.
    """

    def _action(self, request: events.Ask) -> events.Action:
        """Chooses an assistant that another player has played before, if the rules allow it."""
        if not isinstance(request, events.AskAssistant):
            return super()._action(request)
        before = {card for seat, cards in self.seen.played.items() if seat != self.seat for card in cards}
        possible = sorted(
            one.assistant for one in answers(request, None, None) if isinstance(one, events.PlayAssistant)
        )
        known = [card for card in possible if card in before]
        if known:
            return events.PlayAssistant(known[-1])
        # The last but one of the possible assistants, or the only one.
        return events.PlayAssistant(possible[-2:][0])


def few_colours(n: int) -> int:
    """Draws always 0, so that students come colour by colour, and the tables of a dining room become full."""
    return 0


LAWS = laws(__name__, "clients")


# The shared part of both wires

#: The requests, the answer to each, and the question in words. The names are the same on both wires.
_REQUESTS: Mapping[str, tuple[str, str]] = {
    "AvailableTowers": ("ChosenTower", "which towers?"),
    "AvailableWizards": ("ChosenWizard", "which wizard?"),
    "AvailableAssistants": ("PlayAssistant", "which assistant?"),
    "MovableStudents": ("ChosenStudent", "which student of the entrance?"),
    "MovableStudentsChar": ("ChosenStudent", "which student of the character?"),
    "SelectColor": ("ChosenStudent", "which colour?"),
    "WhereToMove": ("ChosenDestination", "to which island, or to the dining room?"),
    "MotherNatureSteps": ("ChosenSteps", "how many steps, at most {maxStepsAllowed}?"),
    "SelectCloud": ("ChosenCloud", "which cloud?"),
}
_ANSWERS = frozenset(answer for answer, _ in _REQUESTS.values())
#: The meaning of a client's message, from its first value.
_MEANT: Mapping[str, Callable[[Any], str]] = {
    "Pong": lambda _: "is there",
    "Disconnect": lambda _: "leaves",
    "LoginMessage": lambda name: f"logs in as {name}",
    "RequestGames": lambda _: "asks for the games that wait",
    "JoinAvailableGame": lambda game: f"joins game {game}",
    "ChosenWizard": lambda wizard: f"takes wizard {wizard}",
    "ChosenDestination": lambda place: f"to island {place}" if place else "to the dining room",
    "ChosenSteps": lambda steps: f"mother nature goes {steps} steps",
    "ChosenCloud": lambda cloud: f"takes cloud {cloud}",
}


def question(request: Any) -> str:
    """Returns the question of a request in words."""
    return _REQUESTS[type(request).__name__][1].format_map(asdict(request))


class RequestReading(Reading):
    """
    Follows the requests to a client on one connection, and judges the client's answers, for both wires.

    A subclass for a wire reads the boards of the wire.
    """

    #: The meaning of messages that differ between the wires, by the name of the class, from the first value of the message.
    MEANT: ClassVar[Mapping[str, Callable[[Any], str]]]
    #: The errors that are no fault of the client, because another player may have been quicker.
    RACES: ClassVar[Collection[Any]]

    def __init__(self) -> None:
        """Makes the reading of one connection."""
        #: The open request; `None`: there is none.
        self.asked: Any = None
        self._name = ""
        #: The last board.
        self.board: Any = None
        #: The chosen student that waits for a destination.
        self._student: Any = None
        #: The last answer and its request, until the next request comes.
        self.answered: tuple[Any, Any] | None = None
        #: The answers to the open request that were refused.
        self._refused: list[Any] = []
        #: Whether an answer may still come that was sent before the end of the game was known.
        self._may_be_late = False

    def students_on(self, cloud: Any) -> int:
        """Returns how many students are on a cloud of the board."""
        raise NotImplementedError

    def seated(self, player: Any, colour: Any) -> int:
        """Returns how many students of a colour are in the dining room of a player."""
        raise NotImplementedError

    def noted(self, message: Any) -> str | None:
        """
        Returns the meaning of a client's message in words; `None`: it is not a message of this wire. Remembers the
        client's name from a log-in, and a chosen student until its destination comes.
        """
        kind, values = type(message).__name__, astuple(message)
        means = self.MEANT.get(kind) or _MEANT.get(kind)
        if kind == "LoginMessage":
            # A guest's name may have a key behind a colon.
            self._name = (message.nickname or "").split(":")[0]
        elif kind == "ChosenStudent" and self.asked is not None:
            self._student = values[0]
        return None if means is None else means(values[0] if values else None)

    def meaning(self, message: Any, words: str) -> Said:
        """
        Judges a client's message. An answer is compared with the open request.

        :param words: the meaning of the message
        """
        return self.answers(message, words) if type(message).__name__ in _ANSWERS else Said(words)

    def wrong(self, message: Any, asked: Any) -> str | None:
        """
        Returns the fault of an answer, as far as the client could know it; `None`: it has none.

        :param asked: the request
        """
        # An answer has one field. A request has the possible answers in its first field.
        value, offered = astuple(message)[0], astuple(asked)
        match type(asked).__name__:
            case "AvailableTowers" if value is None or not offered[0].get(value):
                return "there is no place in this team"
            case "AvailableWizards" if value not in offered[0]:
                return "the wizard is not in the list"
            case "AvailableAssistants":
                return _wrong_assistant(value, *offered)
            case "MovableStudents" | "MovableStudentsChar" if value is not None and value not in offered[0]:
                return "no such student is in the list"
            case "WhereToMove" if self.board is not None:
                return self._wrong_destination(value)
            case "MotherNatureSteps" if not 1 <= value <= offered[0]:
                return f"expected 1 to {offered[0]}"
            case "SelectCloud" if self.board is not None:
                clouds = self.board.dashboard.clouds
                if not 0 <= value < len(clouds):
                    return "there is no such cloud"
                return None if self.students_on(clouds[value]) else "the cloud is empty"
        return None

    def _wrong_destination(self, destination: int) -> str | None:
        """Returns the fault of a destination; `None`: it has none. 0 is the dining room."""
        islands = len(self.board.dashboard.islands)
        if not 0 <= destination <= islands:
            return f"expected 0 to {islands}"
        mine = next((one for one in self.board.players if one.nickname == self._name), None)
        # Islands are never full. Without the name or the student, nothing more can be said.
        if destination or mine is None or self._student is None:
            return None
        return "this table of the dining room is full" if self.seated(mine, self._student) >= TABLE_SEATS else None

    def answers(self, message: Any, meaning: str) -> Said:
        """Judges an answer of the client. If its kind fits the request, the request is answered."""
        asked, self.asked = self.asked, None
        # No request is open: the answer came late, or the client may not send it.
        # A request has one answer, so none is open from now on.
        if asked is None:
            # Only one answer may be late.
            late, self._may_be_late = self._may_be_late, False
            if late:
                return Said(meaning)
            early = self.answered is not None
            wrong = "the answer before it is not answered yet" if early else "nothing was asked"
            return Said(f"{meaning}, but {wrong}", Grade.BREACH)
        # The answer is of another kind: the request remains open.
        if _REQUESTS[type(asked).__name__][0] != type(message).__name__:
            self.asked = asked
            return Said(f"{meaning}, but {question(asked)} was asked", Grade.BREACH)
        # It is an answer to the request: check its value.
        self.answered = (message, asked)
        fault = self.wrong(message, asked) or ("it was refused already" if message in self._refused else None)
        return Said(meaning) if fault is None else Said(f"{meaning}: {fault}", Grade.BREACH)

    def is_asked(self, request: Any) -> bool:
        """If a message of the server is a request, notes it as the open one. Returns whether it is."""
        if type(request).__name__ not in _REQUESTS:
            return False
        # The new request shows that the last answer was accepted.
        if self.asked is None:
            self.answered = None
        self.asked = request
        # The match continues, so no answer can be from before its end.
        self._may_be_late = False
        return True

    def accepted(self) -> None:
        """Called when the last answer was carried out. Answers that were refused before may be right now."""
        self.answered = None
        self._refused.clear()

    def goes_on(self) -> None:
        """Called when another request has come, after which answers that were refused before may be right."""
        self._refused.clear()

    def refused(self) -> None:
        """Called when the server refuses the last answer."""
        if self.answered is not None:
            self._refused.append(self.answered[0])

    def over(self) -> None:
        """Called when the game is over. The client may have sent an answer before it knew that."""
        self._may_be_late = self.answered is None
        self.asked = self.answered = None


def _wrong_assistant(assistant: Any, hand: Collection[Any], played: Any) -> str | None:
    """
    Returns the fault of an assistant; `None`: it may be played.

    :param hand: the assistants of the client
    :param played: the assistants that the other players have played in this round
    """
    # The two wires of this game have different forms of this field.
    taken = list(played.values()) if isinstance(played, Mapping) else [card for _, card in played]
    if assistant not in hand:
        return "the assistant is not in the hand"
    if assistant in taken and any(card not in taken for card in hand):
        return "another player has played it, and there are others"
    return None


# This wire

_HEARD: Mapping[type, Callable[[Any], str]] = {
    m.Ping: lambda message: "is the client there?",
    m.CommunicationMessage: lambda message: message.message.name.lower().replace("_", " "),
    m.PlayerStatusMessage: lambda message: f"the client's status is {message.playerStatus.name}",
    m.AvailableGames: lambda message: f"{len(message.availableGames)} games wait for players",
    m.JoinAlreadyExistingGame: lambda message: f"joined game {message.gameInfo.gameId}",
    m.WaitingForPlayers: lambda message: f"game {message.gameId} waits for players",
    m.PlayerDisconnected: lambda message: f"{message.nickname} has left, or has lost the connection",
    m.MatchStarted: lambda message: f"{' and '.join(message.players)} play",
    m.UpdateBoard: lambda message: f"the board in round {message.dashboard.round}",
    m.UpdateLobby: lambda message: (
        f"{message.gameInfo.waitingPlayers} of {message.gameInfo.totalPlayers} players are there"
    ),
    m.StartOfPlayerRound: lambda message: f"{message.nickname}'s turn in round {message.roundNumber} begins",
    m.PlayedAssistant: lambda message: f"{message.player} has played assistant {message.assistant}",
    m.IslandOwner: lambda message: f"island {message.island.number} belongs to {message.nickname or 'nobody'}",
    m.EndOfPlayerRound: lambda message: f"{message.nickname}'s turn ends",
    m.EndOfRound: lambda message: f"round {message.roundNumber} ends",
    m.CommunicateWinner: lambda message: f"{message.nickname} has won: {message.winReason}",
    m.PlayedCharacter: lambda message: f"{message.player} has used character {message.character}",
}


#: The most Acknowledgements that may be missing. A client that ends does not send the last ones.
FEW = 6
#: A client must send at least this share of the Acknowledgements that are due.
MOST = 0.9


class JsonReading(RequestReading):
    """Follows a match on one connection of the wire `eriantys`, as the client knows it, and judges the client's messages."""

    MEANT = {
        "Acknowledgement": lambda _: "has read the message",
        "SetGame": lambda players: f"creates a game of {players}",
        "ChosenTower": lambda tower: f"takes the {tower.name.lower()} towers",
        "PlayAssistant": lambda assistant: f"plays assistant {assistant}",
        "ChosenStudent": lambda color: "takes no student" if color is None else f"takes {color.name.lower()}",
        "UseCharacterEffect": lambda character: f"uses character {character}",
    }
    RACES = (Error.TAKEN_NICKNAME, Error.GAME_NOT_FOUND, Error.FULL_GAME)

    #: How many messages had to be acknowledged before the client's last message, and how many were acknowledged.
    due = acknowledged = 0
    #: How many messages have come since then that must be acknowledged.
    _since = 0

    def said(self, message: Any) -> Said:
        """
        Updates what is known of the match by a message of the client. Returns what the message means, marked if it is
        wrong.
        """
        kind = type(message)
        # What the server has sent before this message had to be acknowledged.
        self.due, self._since = self.due + self._since, 0
        self.acknowledged += kind is m.Acknowledgement
        if isinstance(message, m.NoMessage):
            return Said(f"no message: {message.reason}", Grade.BREACH, "framing")
        if isinstance(message, m.Malformed):
            return Said(f"{message.kind.__name__}: {message.reason}", Grade.BREACH, message.kind.__name__)
        words = self.noted(message)
        return (
            Said("a line that cannot be read", Grade.BREACH, "framing")
            if words is None
            else self.meaning(message, words)
        )

    def students_on(self, cloud: Any) -> int:
        return sum(astuple(cloud))

    def seated(self, player: Any, colour: Any) -> int:
        seated: int = getattr(player.diningRoom, colour.value)
        return seated

    def heard(self, message: Any) -> Said:
        """Updates what is known of the match by a message of the server, and returns what the message means."""
        # Counts messages that the client must acknowledge.
        self._since += m.is_due(message)
        if self.is_asked(message):
            # The request for a destination shows that the student was accepted.
            if isinstance(message, m.WhereToMove):
                self.goes_on()
            return Said(question(message))
        match message:
            case m.UpdateBoard():
                self.board = as_read(message)
            case m.CommunicationMessage(said):
                if said is Communication.CLOSING_GAME:
                    self.over()
                elif said is Communication.SUCCESS:
                    self.accepted()
            case m.EndOfPlayerRound():
                self.accepted()
            case m.ErrorMessage():
                return self._refusal(message)
        words = _HEARD.get(type(message))
        return Said("" if words is None else words(message))

    def _refusal(self, message: m.ErrorMessage) -> Said:
        """Notes an error of the server, which refuses the last answer or announces that the server stops."""
        # Only the announcement has a reason.
        if message.reason is not UNSET:
            return Said("the server stops")
        self.refused()
        detail = "" if message.detail is UNSET else f": {message.detail}"
        return Said(
            f"refused: {message.error.name}{detail}", Grade.NOTE if message.error in self.RACES else Grade.BREACH
        )


def unacknowledged(readings: Sequence[JsonReading]) -> Iterator[Said]:
    """
    Yields a finding if the client has not sent enough Acknowledgements, counted over all its connections. No more than
    a note if it never sends any.
    """
    due, sent = sum(one.due for one in readings), sum(one.acknowledged for one in readings)
    if not sent and due > FEW:
        yield Said("the client acknowledges nothing", Grade.NOTE, "Acknowledgement")
    elif sent < MOST * due - FEW:
        yield Said("the client acknowledges some messages and not others", Grade.BREACH, "Acknowledgement")


_NUMBER = re.compile(rb'("(?:assistant|steps|destination|cloud)"\s*:\s*)[0-9]+')


def spoiled(data: bytes) -> bytes | None:
    """Changes the number in an answer to one that no request offers. Returns `None` for other messages."""
    changed = _NUMBER.sub(rb"\g<1>99", data, count=1)
    return None if changed == data else changed


#: Settings without pings, which have a scenario of their own.
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
    Scenario("refused-answer", "The client's answer is refused once; the request comes again.", "turn", QUIET,
             steps=(Step(Act.MOVE_REFUSED, 4),), most=40),
    Scenario("pings", "The opponent thinks for five seconds, and Ping comes each second.", "Pong", {"eriantys.ping": "1"},
             steps=(Step(Act.OPPONENT_THINKS, 12, client_owes=False),), most=40),
    Scenario("drop", "The opponent's connection is lost and comes back.", "drop", QUIET,
             steps=(Step(Act.OPPONENT_DROPS, 14, client_owes=True),), most=50),
    Scenario("strict", "The documented messages and keys only.", "framing", QUIET, strict=True, most=150),
    Scenario("strict-joins", "The documented messages and keys only; a game waits when the client comes.", "framing", QUIET,
             strict=True, client_first=False, most=150),
    Scenario("expert", "A game with characters waits; the opponent uses them.", "turn", QUIET, client_first=False,
             opponent=UsesCharacters, table={"expert": "yes"}, most=250),
    Scenario("full-table", "Students come colour by colour, so that a table of the dining room is soon full.",
             "ChosenDestination", QUIET, below=few_colours, opponent=KeepsTheBalance, most=400),
    Scenario("same-assistants", "The opponent plays what the client has played: at last there is no other assistant.",
             "PlayAssistant", QUIET, opponent=PlaysTheSame, most=600),
    Scenario("empty-clouds", "Three players use up the students: in the last round the clouds are empty.", "ChosenCloud", QUIET,
             client_first=False, seats=3, opponents=("Rival", "Third"), opponent=KeepsTheBalance, most=900),
    *Scenario.usual(QUIET, 14, 60),
)  # fmt: skip

CHECKS = WireChecks(
    "eriantys",
    LAWS,
    SCENARIOS,
    JsonReading,
    canonical=False,
    printed=printed_json,
    spoiled=spoiled,
    at_the_end=unacknowledged,
)

JUDGES = Judges(CHECKS)
