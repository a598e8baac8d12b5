"""
The part of `gamehost player` that the programs for all wires share. A program plays one match after another. No input
or output happens here.

The owner of the connection calls::

    player.begin()           returns the messages to send first
    player.hear(message)     for each message of the server; returns the messages to send
    player.think()           after all received messages were handled; returns the messages to send
    player.result            the result of the match; then `again` begins the next match

Thinking may take a second, so it can be done in a thread: `Match.work` returns the function to run, and `Match.done`
takes its result. Messages that come meanwhile wait. The player gives its next answer only after the server has accepted
or refused the last one, so no answer is sent twice. Many matches can share one thread (`ThinkingQueue`). Groups of
matches take turns. The more questions wait, the less effort each gets.
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
    One match of a program: the events that its player has not received, and its last answer.

    :param player: the player in the program's seat
    """

    player: Player
    #: Whether the match is over, or cannot continue.
    over: bool = False
    _unheard: list[Any] = field(factory=list)
    _refused: list[bytes] = field(factory=list)
    #: The answer that the server has neither accepted nor refused yet.
    _said: bytes | None = None
    _working: bool = False

    def hear(self, event: Any, judged: bool = True) -> None:
        """
        Take an event of the game, for the player.

        :param judged: whether the event may come from the player's last answer, so that this answer counts as accepted
        """
        self._unheard.append(event)
        if judged:
            self._said = None

    def refuse(self) -> None:
        """Note that the server has refused the last answer."""
        if self._said is not None:
            self._refused.append(self._said)
            self._said = None

    def work(self) -> Callable[[], bytes | None] | None:
        """
        The function to run now: it lets the player think, and returns its answer. It may run in any thread, because it
        uses only the player. `None`: there is nothing to do.
        """
        if self._working or self.over or not (self._unheard or self._refused):
            return None
        self._working = True
        events, refused = self._unheard, self._refused
        self._unheard, self._refused = [], []
        player = self.player
        # While the server has not judged the last answer, the player only takes the events, and gives no new answer.
        silent = self._said is not None

        def think() -> bytes | None:
            """
            Called in any thread: pass on what has happened, and return the player's answer. `None`: there is no answer
            now.
            """
            for event in events:
                player.hear(event)
            for notation in refused:
                player.refused(notation)
            return None if silent else player.answer()

        return think

    def done(self, answer: bytes | None) -> bytes | None:
        """Take the result of the function of `work`. Returns the answer to send; `None`: nothing to send."""
        self._working = False
        if answer is None or self.over:
            return None
        # Until the server accepts or refuses it.
        self._said = answer
        return answer


#: Calls the first function in a thread, and then the second function, in the main thread, with the result.
Worker = Callable[[Callable[[], Any], Callable[[Any], None]], None]

#: Within how many seconds an answer should be found. It must be sent within 2 seconds, so this leaves a margin.
WITHIN = 1.2
#: The smallest share of a level's effort that a question gets.
LEAST = 0.02


@frozen
class _Question:
    """
    A question that waits in the queue: the function that thinks, the function to call with its result, and the time
    when it was queued.
    """

    work: Callable[[float], Any]
    done: Callable[[Any], None]
    asked: float


@define(eq=False)
class ThinkingQueue:
    """
    The queue for one thinking thread. Groups take turns, so that a group with many matches does not delay the others.
    Long work is in a second queue, which is used only while the first queue is empty.

    :param worker: runs functions in one thread
    :param seconds: returns the real time in seconds
    """

    _worker: Worker
    _seconds: Callable[[], float]
    #: The questions by the numbers of their groups. The group in front has the next turn.
    _groups: OrderedDict[int, deque[_Question]] = field(factory=OrderedDict)
    #: The same for the second queue.
    _later: OrderedDict[int, deque[_Question]] = field(factory=OrderedDict)
    _busy: bool = False

    @property
    def waiting(self) -> int:
        """How many questions wait, including the one that is being answered."""
        return sum(len(line) for groups in (self._groups, self._later) for line in groups.values()) + self._busy

    def __call__(
        self, work: Callable[[float], Any], done: Callable[[Any], None], group: int = 0, later: bool = False
    ) -> None:
        """
        Queue a question.

        :param work: called in the thread with the share of a level's effort that it may use; must not raise
        :param done: called with the result
        :param group: the number of the question's group
        :param later: whether the question belongs into the second queue
        """
        groups = self._later if later else self._groups
        groups.setdefault(group, deque()).append(_Question(work, done, self._seconds()))
        self._next()

    def _next(self) -> None:
        """Begin with the next question, if the thread is free."""
        # The second queue has its turn only while the first one is empty.
        groups = self._groups or self._later
        if self._busy or not groups:
            return
        group, questions = next(iter(groups.items()))
        # Questions of the second queue get the whole effort.
        effort = self._effort(questions) if groups is self._groups else 1.0
        question = questions.popleft()
        if not questions:
            del groups[group]
        self._busy = True

        def thought(result: Any) -> None:
            """Called with the result of the question: begin with the next one, and pass the result on."""
            self._busy = False
            # The group has more questions: it waits until every other group has had its turn.
            if group in groups:
                groups.move_to_end(group)
            self._next()
            question.done(result)

        self._worker(partial(question.work, effort), thought)

    def _effort(self, questions: deque[_Question]) -> float:
        """
        The share of a level's effort for the first question of a group. With the whole effort, the longest answers take
        about a second.

        :param questions: all questions of this group
        """
        # This question should be answered within `WITHIN` seconds after it was asked. The time that is left is divided by
        # the number of questions that wait, as if each group had as many as this one: groups take turns.
        left = WITHIN - (self._seconds() - questions[0].asked)
        return max(LEAST, min(1.0, left / (len(questions) * len(self._groups))))


#: Makes the player for a game and a seat. Raises `KeyError` or `ProgramError` if there is no player for this game.
NewPlayer = Callable[[str, Seat], Player]

#: After this many refusals, one after the other, the program ends.
MOST_REFUSALS = 10


class ProgramError(Exception):
    """The program cannot continue. The message says why, in one line."""


def thought(work: Callable[[], bytes | None]) -> bytes | None:
    """
    Run the function of `Match.work`.

    :raises ProgramError: the player cannot continue. Either the messages of the server describe an impossible position,
        such as a board without pieces, or the player has a fault
    """
    try:
        return work()
    except Exception as error:
        raise ProgramError(f"the player cannot continue after the server's messages: {error!r}") from error


#: Within how many seconds the first message must come from a server that answers a log-in at once.
ANSWERED_WITHIN = 30.0


class WirePlayer(ABC):
    """
    The base of the programs for single wires. A subclass translates between the messages of its wire and the game.

    :param name: the name for the log-in
    :param password: the password, on wires with accounts; empty: none
    :param new_player: makes the player of each match
    :param game: the name of the game, on wires of several games
    """

    #: The game of the wire; `None`: the server says which game is played.
    GAME: ClassVar[Game[Any, Any] | None] = None
    #: The seconds between two messages that show that the program is alive; 0: the wire needs none.
    ALIVE_EVERY: ClassVar[float] = 0.0
    #: Within how many seconds the first message of the server must come; 0: the server may be silent until another
    #: player has come.
    ANSWERED_WITHIN: ClassVar[float] = 0.0

    def __init__(self, name: str, password: str, new_player: NewPlayer, game: str = "") -> None:
        """
        Make a player without a match.

        :param new_player: makes the player of each match
        :param game: for subclasses, on wires of several games: the name of the game
        """
        self.name = name
        self.password = password
        #: On wires on which players join matches by their ids: the id of the first match. Empty: any match.
        self.joins = ""
        #: A line to print for the person that has started the program; empty: none.
        self.news = ""
        self._new_player = new_player
        #: How many players a match has; 0: the smallest number that the game allows.
        self.seats = 0
        self.match: Match | None = None
        #: The result of the last match, in words; `None`: it has not ended.
        self.result: str | None = None
        self._refusals = 0

    @property
    def longest_line(self) -> int | None:
        """How long a line of the server may be now, in bytes; `None`: as long as the wire's codec allows."""
        return None

    def begin(self) -> Sequence[Any]:
        """Called when the connection is made. Returns the messages to send; by default none."""
        return ()

    @abstractmethod
    def hear(self, message: Any) -> Sequence[Any]:
        """
        Handle a message of the server. Returns the messages to send.

        :raises ProgramError: the server refuses the program, or has sent something that cannot be understood
        """

    @abstractmethod
    def act(self, action: Any) -> Sequence[Any]:
        """The messages that carry out an action of the game."""

    def again(self) -> Sequence[Any]:
        """Begin the next match, by default in the same way as the first. Returns the messages to send."""
        self.result = None
        return self.begin()

    def alive(self) -> Sequence[Any]:
        """The messages to send every `ALIVE_EVERY` seconds."""
        return ()

    def think(self) -> Sequence[Any]:
        """
        Let the player think if it is its turn. Returns the messages to send.

        :raises ProgramError: the server has refused too many answers, or the player cannot continue
        """
        # `GAME` is `None` until the server has said which game it plays.
        if self.match is None or self.GAME is None:
            return ()
        work = self.match.work()
        notation = None if work is None else self.match.done(thought(work))
        return () if notation is None else self.act(self.GAME.read(notation))

    # -- for the wires

    def sit_down(self, seat: Seat) -> None:
        """Begin a match in this seat. For subclasses."""
        assert self.GAME is not None
        self.match = Match(self._new_player(self.GAME.name, seat))
        self._refusals = 0

    def tell(self, *events: Any, judged: bool = True) -> None:
        """
        Pass events of the game to the player. For subclasses.

        :param judged: see `Match.hear`
        :raises ProgramError: there is no match
        """
        if self.match is None:
            raise ProgramError("the server sends events of a match that has not begun")
        for event in events:
            self.match.hear(event, judged)
        if judged:
            # The server has accepted the last answer.
            self._refusals = 0

    def refused(self, reason: str) -> None:
        """
        Note that the server has refused the last answer. For subclasses.

        :raises ProgramError: the server has refused too many answers, one after the other
        """
        self._refusals += 1
        if self.match is None or self._refusals >= MOST_REFUSALS:
            raise ProgramError(f"the server refuses: {reason or 'it does not say why'}")
        self.match.refuse()

    def end(self, result: str) -> None:
        """
        End the match. For subclasses.

        :param result: the result in words
        """
        if self.match is not None:
            self.match.over = True
        self.match = None
        self.result = result


def won(winner: str) -> str:
    return f"{winner} has won"


NOBODY = "nobody has won"
