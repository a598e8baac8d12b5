"""
What a speaker is: a player who knows only what was heard on its own connection, and the words that the host ought to use.

On most wires the player is the program of the wire.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import Any, ClassVar
from zlib import crc32

from gamehost.games.base import Seat
from gamehost.games.play import new_player
from gamehost.journal.records import TableId
from gamehost.players.base import Level, Player
from gamehost.programs.clients import client_of
from gamehost.programs.wire_player import ProgramError, WirePlayer


class ModelClient(ABC):
    """A player's side of one wire. Lines are words as `tests.kit.memory_host` has them."""

    #: The wire by its name.
    wire: ClassVar[str]
    #: Whether chatter may stand between the words of one entry: a board that is drawn before the end is told.
    draws: ClassVar[bool] = False
    #: Whether the host waits between its messages, so that what it says may be older than the moment at which it is written.
    spaced: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        self.name = name
        #: Whether it is logged in, as far as it knows.
        self.inside = False

    def connected(self) -> None:
        self.inside = False

    @abstractmethod
    def log_in(self) -> Sequence[str]:
        """What it says to come in, or to come back."""

    @abstractmethod
    def hear(self, line: str) -> None:
        """The host said this."""

    def replies(self, rng: random.Random) -> Sequence[str]:
        """What it says at once to what it heard, without thinking."""
        return ()

    @abstractmethod
    def move(self, rng: random.Random) -> Sequence[str]:
        """What it says when it is its turn, as far as it knows: legal, or thought to be. Nothing when it is not."""

    @abstractmethod
    def nonsense(self, rng: random.Random) -> Sequence[str]:
        """Something that must be refused, whatever the state."""

    def guess(self, rng: random.Random) -> Sequence[str]:
        """A move out of turn, as far as it knows; the host may know more, and take it."""
        return self.nonsense(rng)

    # -- the host's words

    @staticmethod
    @abstractmethod
    def told(event: object, seat: Seat, names: Sequence[str], table: TableId) -> Sequence[str]:
        """How an event of the game, a `Back` or an `Over` is told to this seat."""

    @classmethod
    def all_told(
        cls, events: Sequence[object], seat: Seat, names: Sequence[str], table: TableId, n: int, view: object
    ) -> Sequence[str]:
        """How such events in a row, those of entry `n`, are told to this seat, which has this view behind them."""
        return [line for event in events for line in cls.told(event, seat, names, table)]

    @staticmethod
    def asks(line: str) -> bool:
        return False

    @staticmethod
    def asked(view: object, names: Sequence[str]) -> str | None:
        """Of whom this is the view: the line by which they are asked for a move; `None`: they are not."""
        return None

    @staticmethod
    def holds_back(talk: Any) -> bool:
        """Whether a conversation keeps a question to itself for now; it must have a good reason."""
        return False

    @staticmethod
    def is_told(talk: Any) -> bool:
        """Whether a conversation tells its client of the match: not on a wire where a client must ask for that."""
        return True

    @staticmethod
    def plain(line: str) -> str:
        return line

    @staticmethod
    @abstractmethod
    def chatter(line: str) -> bool:
        """Whether a line rests on nothing in the journal: a refusal, somebody away, a welcome."""

    @staticmethod
    @abstractmethod
    def waits(line: str) -> bool:
        """Whether a line, said to somebody at no table, means that there is none to come back to."""


class ProgramClient(ModelClient):
    """
    The program of the wire, which plays at random. A simulation has it say something else, too: then what it is told may be
    more than a program can follow, and it is silent until it comes back.
    """

    #: The classes of messages by which it knows that it is logged in. Their names: the wire may be that of an extra.
    inside_after: ClassVar[Collection[str]] = ()
    #: What must be refused, whatever the state.
    senseless: ClassVar[Sequence[str]]
    password: ClassVar[str] = ""

    program: WirePlayer

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._matches = 0
        self.connected()

    def connected(self) -> None:
        super().connected()
        client = client_of(self.wire)
        assert client is not None and client.player is not None
        self._codec = client.codec()
        self.program = client.player(self.name, self.password, self._new_player, "onitama")
        #: What it is to say at once.
        self._due: list[Any] = []

    def _new_player(self, game: str, seat: Seat) -> Player:
        self._matches += 1
        return new_player(game, seat, Level.RANDOM, crc32(self.name.encode()) + self._matches)

    # -- words and bytes

    def in_words(self, data: bytes) -> str:
        """What the program writes, in words."""
        return data.decode("utf-8").removesuffix("\n")

    def in_bytes(self, line: str) -> bytes:
        """What the host says, as the program reads it."""
        return line.encode("utf-8") + b"\n"

    def _words(self, messages: Iterable[Any]) -> Sequence[str]:
        return [self.in_words(self._codec.encode(message)) for message in messages]

    # -- what it does

    def log_in(self) -> Sequence[str]:
        program = self.program
        return self._words(program.begin() if program.result is None else program.again())

    def hear(self, line: str) -> None:
        for message in self._codec.feed(self.in_bytes(line)):
            self.take(message)

    def take(self, message: Any) -> None:
        """The host has said this."""
        try:
            self._due += self.program.hear(message)
        except ProgramError:
            return
        if type(message).__name__ in self.inside_after:
            self.inside = True
        if self.program.result is not None:
            self.inside = False

    def replies(self, rng: random.Random) -> Sequence[str]:
        due, self._due = self._due, []
        return self._words(due)

    def move(self, rng: random.Random) -> Sequence[str]:
        try:
            return self._words(self.program.think())
        except ProgramError:
            return ()

    def nonsense(self, rng: random.Random) -> Sequence[str]:
        return [rng.choice(self.senseless)]

    def guess(self, rng: random.Random) -> Sequence[str]:
        """A move that would be legal if it were its turn."""
        actions = () if self.program.match is None else self.in_turn(self.program.match.player)
        return self._words(self.program.act(rng.choice(actions))) if actions else self.nonsense(rng)

    def in_turn(self, player: Any) -> Sequence[Any]:
        """What a player could do if it were its turn, as far as it knows."""
        return ()
