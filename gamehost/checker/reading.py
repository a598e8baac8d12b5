"""
What readings of a connection share: the plain one, and the moves of a client that are not answered yet.

A client knows the position that it was told last. It does not know yet what becomes of a move that is not answered: so a move
behind it is judged by whether that one can still be accepted.
"""

from collections.abc import Mapping
from typing import Any

import attrs
import msgspec
from attrs import define, field, frozen

from gamehost.checker.base import Grade, Said, WireChecks

#: Fields that are never shown.
SECRETS = ("password", "key", "code")
HIDDEN = "***"
#: The server's messages that refuse what a client has sent, on the wires without checks of their own.
REFUSALS = ("Refused", "Sorry", "Failed", "InvalidMove", "ErrorMessage")


class PlainReading:
    """Says the name of each message."""

    def redacted(self, message: Any) -> Any:
        """The message with its secrets hidden."""
        hidden = {name: HIDDEN for name in SECRETS if isinstance(getattr(message, name, None), str)}
        if not hidden:
            return message
        if isinstance(message, msgspec.Struct):
            return msgspec.structs.replace(message, **hidden)
        return attrs.evolve(message, **hidden)

    def said(self, message: Any) -> Said:
        """The name of a client's message."""
        return Said(type(message).__name__)

    def heard(self, message: Any) -> Said:
        """The name of a server's message. A refusal is marked."""
        name = type(message).__name__
        return Said(name, Grade.BREACH if name in REFUSALS else None)


def plain_checks(wire: str) -> WireChecks:
    """Checks without scenarios, for a wire that has none."""
    return WireChecks(wire, {}, (), PlainReading)


#: What is wrong with a move behind one that is not answered.
TOO_EARLY = "the move before it is not answered yet"
AGAIN = "it was refused already, and nothing has changed"

#: How a refusal of something else than a move is marked, by what it refuses. A refused log-in is no fault: the name may just
#: be taken.
GRADES: Mapping[str, Grade | None] = {"log-in": Grade.NOTE, "help": None, "other": Grade.BREACH}


@frozen
class Sent:
    """A move that is not answered yet."""

    move: Any
    #: The same for what is refused for the same reason.
    written: Any
    #: What is wrong with it, as far as the client could know.
    wrong: str | None
    #: Whether the move ends the client's turn, as one that is accepted does.
    ends_turn: bool
    in_turn: bool


@define(eq=False)
class Unanswered:
    """The moves of one connection that are not answered yet, and those that were refused since the position changed."""

    _sent: list[Sent] = field(factory=list)
    _refused: list[Any] = field(factory=list)

    def __bool__(self) -> bool:
        return bool(self._sent)

    def send(
        self,
        move: Any,
        words: str,
        wrong: str | None,
        legal: str = "; legal",
        in_turn: bool = True,
        fatal: bool = False,
        written: Any = None,
    ) -> Said:
        """
        The client sends a move.

        :param move: the same for the same move
        :param words: what it means; empty: what is wrong with it says that, too
        :param wrong: why the rules refuse it, as far as the client can know
        :param legal: behind the words of a move that is not wrong
        :param in_turn: whether it is the client's turn
        :param fatal: whether a wrong move ends the match
        :param written: the move with what else it may be refused for; `None`: nothing else
        :return: what it means, with the grade
        """
        written = move if written is None else written
        if in_turn and any(one.ends_turn for one in self._sent):
            wrong, in_turn, fatal = TOO_EARLY, False, False
        elif wrong is None and written in self._refused:
            wrong = AGAIN
        self._sent.append(Sent(move, written, wrong, wrong is None or fatal, in_turn))
        if wrong is None:
            return Said(words + legal)
        return Said(f"{words}: {wrong}" if words else wrong, Grade.BREACH)

    def accepted(self, move: Any) -> None:
        """The server has made a move of the client."""
        self.position_changed()
        for one in self._sent:
            if one.move == move:
                self._sent.remove(one)
                break

    def position_changed(self) -> None:
        """A move was made. What was refused before may be right now."""
        self._refused.clear()

    def next_refused(self) -> Sent | None:
        """The move that a refusal is about; `None`: there is none."""
        return next((one for one in self._sent if not one.ends_turn), self._sent[0] if self._sent else None)

    def next_accepted(self) -> Sent | None:
        """The move that an answer is about which does not repeat it; `None`: there is none."""
        return next((one for one in self._sent if one.ends_turn), self._sent[0] if self._sent else None)

    def refused(self) -> Sent | None:
        """The server refuses a move: which one. `None`: none is unanswered."""
        one = self.next_refused()
        if one is not None:
            self._sent.remove(one)
            if one.in_turn:
                self._refused.append(one.written)
        return one

    def fatal(self) -> Sent | None:
        """The wrong move that ends the match, if there is one."""
        return next((one for one in self._sent if one.ends_turn and one.wrong is not None), None)

    def over(self) -> int:
        """
        The match is over.

        :return: how many moves were sent before the client could know of the end
        """
        fatal = self.fatal()
        crossed = len(self._sent) - (fatal is not None)
        self._sent.clear()
        self._refused.clear()
        return crossed
