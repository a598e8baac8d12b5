"""
What the checks of both Eriantys wires have in common: requests of the server, and answers of the client.

One player is asked at a time, and answers once. Both wires have the same requests and answers under names of their own.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from gamehost.checker.base import Grade, Said


def answers_of(messages: Any) -> Mapping[type, type]:
    """The class of each request -> the class of its answer, from a wire's module of messages."""
    names = {
        "AvailableTowers": "ChosenTower",
        "AvailableWizards": "ChosenWizard",
        "AvailableAssistants": "PlayAssistant",
        "MovableStudents": "ChosenStudent",
        "MovableStudentsChar": "ChosenStudent",
        "SelectColor": "ChosenStudent",
        "WhereToMove": "ChosenDestination",
        "MotherNatureSteps": "ChosenSteps",
        "SelectCloud": "ChosenCloud",
    }
    return {getattr(messages, request): getattr(messages, answer) for request, answer in names.items()}


def questions_of(messages: Any) -> Mapping[type, Callable[[Any], str]]:
    """The class of each request -> what it asks, in words, from a wire's module of messages."""
    return {
        messages.AvailableTowers: lambda message: "which towers?",
        messages.AvailableWizards: lambda message: "which wizard?",
        messages.AvailableAssistants: lambda message: "which assistant?",
        messages.MovableStudents: lambda message: "which student of the entrance?",
        messages.MovableStudentsChar: lambda message: "which student of the character?",
        messages.SelectColor: lambda message: "which colour?",
        messages.WhereToMove: lambda message: "to which island, or to the dining room?",
        messages.MotherNatureSteps: lambda message: f"how many steps, at most {message.maxStepsAllowed}?",
        messages.SelectCloud: lambda message: "which cloud?",
    }


class RequestReading:
    """
    Follows one connection from the client's side.

    A wire's reading says what belongs to what, and why the rules refuse an answer as far as the client could know.
    """

    #: The class of a request -> the class of its answer.
    ANSWERS: ClassVar[Mapping[type, type]]
    #: The class of a request -> what it asks, in words.
    ASKS: ClassVar[Mapping[type, Callable[[Any], str]]]

    def __init__(self) -> None:
        self.asked: Any = None
        #: The last answer, and the request that it answered, until the next thing is asked.
        self.answered: tuple[Any, Any] | None = None
        #: The answers that were refused since the request came first.
        self._refused: list[Any] = []
        #: Whether an answer may still come that was sent before the end of the game was known.
        self._may_be_late = False

    def wrong(self, message: Any, asked: Any) -> str | None:
        """Why the rules refuse an answer; `None`: they do not, as far as the client could know."""
        raise NotImplementedError

    def answers(self, message: Any, meaning: str) -> Said:
        """The client sends an answer."""
        asked, self.asked = self.asked, None
        if asked is None:
            late, self._may_be_late = self._may_be_late, False
            if late:
                return Said(meaning)
            early = self.answered is not None
            wrong = "the answer before it is not answered yet" if early else "nothing was asked"
            return Said(f"{meaning}, but {wrong}", Grade.BREACH)
        if self.ANSWERS[type(asked)] is not type(message):
            self.asked = asked
            return Said(f"{meaning}, but {self.ASKS[type(asked)](asked)} was asked", Grade.BREACH)
        self.answered = (message, asked)
        fault = self.wrong(message, asked) or ("it was refused already" if message in self._refused else None)
        return Said(meaning) if fault is None else Said(f"{meaning}: {fault}", Grade.BREACH)

    def is_asked(self, request: Any) -> None:
        """The server asks."""
        if self.asked is None:
            self.answered = None
        self.asked = request
        self._may_be_late = False

    def accepted(self) -> None:
        """The last answer has been carried out. What was refused before it may be right now."""
        self.answered = None
        self._refused.clear()

    def goes_on(self) -> None:
        """The request is another one now; the answer may have more to come."""
        self._refused.clear()

    def refused(self) -> None:
        """The server refuses the last answer."""
        if self.answered is not None:
            self._refused.append(self.answered[0])

    def over(self) -> None:
        """The game is over. An answer may have crossed that on its way."""
        self._may_be_late = self.answered is None
        self.asked = self.answered = None
