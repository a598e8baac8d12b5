"""
The shared part of the programs for all wires: they play one match after another, and never see a socket. Pure.

The owner of the connection calls::

    player.begin()           what is said at once
    player.hear(message)     for each message of the server; what is said then
    player.think()           when all that has come was heard; what is said then
    player.result            the winner; then `again` begins the next match

Thinking may take a second, so it can be done in a thread: `Match.work` returns the function to run, and `done` takes
the result. Messages that come meanwhile wait. The next answer is given only after the last one was judged, so no answer
is sent twice. Many matches share one thread (`ThinkingQueue`). They take turns by groups, and each gets less effort the
more of them wait.
"""

from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from attrs import define, field, frozen

from gamehost.games.base import Game, Seat
from gamehost.players.base import Player


@define(eq=False)
class Match:
    """
    One match.

    :param player: of the seat
    """

    player: Player
    #: Whether the match is over, or cannot continue.
    over: bool = False
    _unheard: list[Any] = field(factory=list)
    _refused: list[bytes] = field(factory=list)
    #: The answer that is not judged yet.
    _said: bytes | None = None
    _working: bool = False

    def hear(self, event: Any, judged: bool = True) -> None:
        """
        Take an event of the game's master.

        :param judged: whether it can be what came of the own answer
        """
        self._unheard.append(event)
        if judged:
            self._said = None

    def refuse(self) -> None:
        """The answer had no effect."""
        if self._said is not None:
            self._refused.append(self._said)
            self._said = None

    def work(self) -> Callable[[], bytes | None] | None:
        """The function to run now, in any thread: it uses the player alone. `None`: there is nothing to do."""
        if self._working or self.over or not (self._unheard or self._refused):
            return None
        self._working = True
        events, refused = self._unheard, self._refused
        self._unheard, self._refused = [], []
        player, silent = self.player, self._said is not None

        def think() -> bytes | None:
            for event in events:
                player.hear(event)
            for notation in refused:
                player.refused(notation)
            return None if silent else player.answer()

        return think

    def done(self, answer: bytes | None) -> bytes | None:
        """Take the result of the function. Returns the answer to send now; `None`: nothing."""
        self._working = False
        if answer is None or self.over:
            return None
        self._said = answer
        return answer


#: Does the first function in a thread, then the second one with its result.
Worker = Callable[[Callable[[], Any], Callable[[Any], None]], None]

#: Seconds from a question to its answer; an answer has to be sent within 2 seconds, and this leaves a margin.
WITHIN = 1.2
#: The least share of a level's effort.
LEAST = 0.02


@frozen
class _Question:
    """Some thinking that waits."""

    work: Callable[[float], Any]
    done: Callable[[Any], None]
    asked: float


@define(eq=False)
class ThinkingQueue:
    """
    The queue of a process. Groups take turns, so that a group with many matches does not delay the others. Long work
    has a second line. It is served only while the first one is empty.

    :param worker: has one thread
    :param seconds: the time, as everybody feels it
    """

    _worker: Worker
    _seconds: Callable[[], float]
    #: By the number of the group, in the order of their turns.
    _groups: OrderedDict[int, deque[_Question]] = field(factory=OrderedDict)
    #: The same for long work.
    _later: OrderedDict[int, deque[_Question]] = field(factory=OrderedDict)
    _busy: bool = False

    @property
    def waiting(self) -> int:
        """How many wait, the one that thinks included."""
        return sum(len(line) for groups in (self._groups, self._later) for line in groups.values()) + self._busy

    def __call__(
        self, work: Callable[[float], Any], done: Callable[[Any], None], group: int = 0, later: bool = False
    ) -> None:
        """
        Queue some thinking.

        :param work: is given its share of a level's effort; it must not raise
        :param done: is called with the result
        :param group: the number of the group that takes the turn
        :param later: whether it is done only while no other thinking waits
        """
        groups = self._later if later else self._groups
        groups.setdefault(group, deque()).append(_Question(work, done, self._seconds()))
        self._next()

    def _next(self) -> None:
        groups = self._groups or self._later
        if self._busy or not groups:
            return
        group, questions = next(iter(groups.items()))
        effort = self._effort(questions) if groups is self._groups else 1.0
        question = questions.popleft()
        if not questions:
            del groups[group]
        self._busy = True

        def thought(result: Any) -> None:
            self._busy = False
            if group in groups:
                groups.move_to_end(group)
            self._next()
            question.done(result)

        self._worker(partial(question.work, effort), thought)

    def _effort(self, questions: deque[_Question]) -> float:
        """
        The share of the effort for the first question of a group. The longest answers take about a second.

        :param questions: all of this group
        """
        left = WITHIN - (self._seconds() - questions[0].asked)
        return max(LEAST, min(1.0, left / (len(questions) * len(self._groups))))


#: Makes the player of a game and a seat. It raises `KeyError` or `ProgramError` if no player for this game exists here.
NewPlayer = Callable[[str, Seat], Player]

#: After this many refusals, one after the other, the program ends.
MOST_REFUSALS = 10


class ProgramError(Exception):
    """The program cannot continue. The message says why, in one line."""


def thought(work: Callable[[], bytes | None]) -> bytes | None:
    """
    Do what `Match.work` gives.

    :raises ProgramError: the player cannot continue. Each message of the server was valid on its wire, but together
        they describe a position that no rules allow, such as a board without its pieces. Or the player has a fault.
    """
    try:
        return work()
    except Exception as error:
        raise ProgramError(f"the player cannot continue after the server's messages: {error!r}") from error


#: Seconds for the first message of a server that answers a log-in at once.
ANSWERED_WITHIN = 30.0


class WirePlayer(ABC):
    """
    A program on one wire.

    :param name: to log in under
    :param password: for wires with accounts; empty: none
    :param new_player: makes the player of each match
    :param game: the name of the game, on wires of several games
    """

    #: The game that is played; `None`: the server says which.
    GAME: ClassVar[Game[Any, Any] | None] = None
    #: Seconds between two messages that show that the program is alive; 0: the server needs none.
    ALIVE_EVERY: ClassVar[float] = 0.0
    #: Seconds for the first message of the server; 0: it may send nothing until another player has come.
    ANSWERED_WITHIN: ClassVar[float] = 0.0

    def __init__(self, name: str, password: str, new_player: NewPlayer, game: str = "") -> None:
        self.name = name
        self.password = password
        #: The id of the first match, on a wire on which matches are joined by their ids; empty: any match.
        self.joins = ""
        #: A line for whoever has started the program; empty: nothing is to be said.
        self.news = ""
        self._new_player = new_player
        #: Players of a match; 0: as few as its game takes.
        self.seats = 0
        self.match: Match | None = None
        #: The end of the last match, in words; `None`: it has not ended.
        self.result: str | None = None
        self._refusals = 0

    @property
    def longest_line(self) -> int | None:
        """The longest line that the server may send now, in bytes; `None`: as long as the wire's codec reads."""
        return None

    def begin(self) -> Sequence[Any]:
        """The connection is there. By default the server speaks first."""
        return ()

    @abstractmethod
    def hear(self, message: Any) -> Sequence[Any]:
        """
        Take a message of the server. Returns what is to be said.

        :raises ProgramError: the server refuses the program, or says what cannot be understood
        """

    @abstractmethod
    def act(self, action: Any) -> Sequence[Any]:
        """The messages of an action of the game."""

    def again(self) -> Sequence[Any]:
        """Begin the next match, by default as the first one."""
        self.result = None
        return self.begin()

    def alive(self) -> Sequence[Any]:
        """The messages that are sent every `ALIVE_EVERY` seconds."""
        return ()

    def think(self) -> Sequence[Any]:
        """
        Let the player think if it is its turn. Returns the messages to send.

        :raises ProgramError: the server has refused too many answers, or the player cannot continue
        """
        if self.match is None or self.GAME is None:
            return ()
        work = self.match.work()
        notation = None if work is None else self.match.done(thought(work))
        return () if notation is None else self.act(self.GAME.read(notation))

    # -- for the wires

    def sit_down(self, seat: Seat) -> None:
        """A match begins in this seat."""
        assert self.GAME is not None
        self.match = Match(self._new_player(self.GAME.name, seat))
        self._refusals = 0

    def tell(self, *events: Any, judged: bool = True) -> None:
        """
        Pass events of the game's master to the player.

        :raises ProgramError: there is no match
        """
        if self.match is None:
            raise ProgramError("the server sends events of a match that has not begun")
        for event in events:
            self.match.hear(event, judged)
        if judged:
            self._refusals = 0

    def refused(self, reason: str) -> None:
        """
        The server has refused the last answer.

        :raises ProgramError: it has done so too often
        """
        self._refusals += 1
        if self.match is None or self._refusals >= MOST_REFUSALS:
            raise ProgramError(f"the server refuses: {reason or 'it does not say why'}")
        self.match.refuse()

    def end(self, result: str) -> None:
        if self.match is not None:
            self.match.over = True
        self.match, self.result = None, result


def won(winner: str) -> str:
    return f"{winner} has won"


NOBODY = "nobody has won"
