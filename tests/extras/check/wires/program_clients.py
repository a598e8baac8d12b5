"""
The program that a wire brings, as a client of the checker in memory; and clients of it with one fault each.

A fault takes the place of one method. Most change the messages that the program says or hears, as the faults of servers do
(`instead`, `changed`, `forgotten`), or the bytes that it writes.
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from gamehost.games.base import Seat
from gamehost.games.play import player_of
from gamehost.players.base import Level, Player, SeededChance, Thinking
from gamehost.plugins import WIRES
from gamehost.programs.clients import WireClient, client_of
from gamehost.programs.wire_player import WirePlayer
from gamehost.wires.base import Codec, SeatKey, Wire
from gamehost.wires.websocket import client_bytes
from tests.kit.checker import MemoryClient, NeverEnds, NeverGivesUp, NeverReads


class ProgramClient(MemoryClient):
    """Plays at random, one match after another."""

    level: ClassVar[Level] = Level.RANDOM
    #: What it plays, on a wire of several games.
    game: ClassVar[str] = ""
    program: WirePlayer
    codec: Codec[Any]
    begun = stays = False

    # -- what faults override

    def says(self, message: Any) -> Sequence[Any]:
        """What is said in the place of a message."""
        return [message]

    def hears(self, message: Any) -> Sequence[Any]:
        """What the program hears in the place of a message."""
        return [message]

    def writes(self, data: bytes) -> bytes:
        """What is sent in the place of a message's bytes."""
        return data

    def reads(self, messages: Iterable[Any]) -> Iterable[Any]:
        """What is read of the messages that end in one segment."""
        return messages

    # -- what connects the program

    @classmethod
    def token(cls) -> Wire[Any]:
        (wire,) = (one for one in WIRES if one.name == cls.wire)
        return wire

    @classmethod
    def client(cls) -> WireClient:
        client = client_of(cls.wire)
        assert client is not None
        return client

    def new_codec(self) -> Codec[Any]:
        return self.client().codec()

    def connected(self) -> None:
        wire = self.token()
        new_program = self.client().player
        assert new_program is not None
        self.codec, self.below = self.new_codec(), client_bytes(wire)
        # Where a seat has a token, the program alone knows it.
        if wire.seat_key is not SeatKey.TOKEN or not self.begun:
            self.begun = True
            self.program = new_program(self.name, "correct horse", self.new_player, self.game)
        if opening := self.below.opening("localhost"):
            self.send(opening)
        self.say(self.program.begin())
        if self.program.ALIVE_EVERY and not self.stays:
            self.stays = True
            self.stay()

    def stay(self) -> None:
        """Say now and then that it is still there."""
        self.say(self.program.alive())
        self.later(self.program.ALIVE_EVERY, self.stay)

    def new_player(self, game: str, seat: Seat) -> Player:
        (found,) = (one for one in self.token().games if one.name == game)
        return player_of(found, seat, self.level, Thinking(SeededChance(self.rng.randrange(1_000)), None, 0.1))

    def say(self, messages: Iterable[Any]) -> None:
        for message in messages:
            self.say_one(message)

    def say_one(self, message: Any) -> None:
        for said in self.says(message):
            self.send(self.below.sent(self.writes(self.codec.encode(said))))

    def received(self, data: bytes) -> None:
        text = self.below.received(data)
        if answers := self.below.answers():
            self.send(answers)
        for message in self.reads(self.codec.feed(text)):
            for heard in self.hears(message):
                if not self.ended:
                    self.hear(heard)
        if not self.ended:
            self.say(self.program.think())

    def hear(self, message: Any) -> None:
        self.say(self.program.hear(message))
        self.in_match = self.in_match or self.program.match is not None
        if self.program.result is not None:
            self.over += 1
            self.in_match = False
            if self.over < self.matches:
                self.say(self.program.again())
            else:
                self.end()


class WholeSegments(ProgramClient):
    """Reads the messages of each segment, and keeps nothing for the next one."""

    def reads(self, messages: Iterable[Any]) -> Iterable[Any]:
        read = list(messages)
        self.codec = self.new_codec()
        return read


#: A client with a fault, and the name of the scenario that must find it.
Found = tuple[type[Any], str]


def fault(sound: type[MemoryClient], name: str, scenario: str, *bases: type[MemoryClient], **methods: Any) -> Found:
    """
    A client with one fault.

    :param bases: the fault, if clients of other wires have it, too
    :param methods: what it does otherwise
    """
    return type(name, (*bases, sound), methods), scenario


def common(sound: type[ProgramClient], first: str, *, joined: str, wins: str) -> dict[type[Any], str]:
    """The faults of every wire's clients. The parameters are the names of scenarios."""

    def alone(client: ProgramClient, messages: Iterable[Any]) -> Iterable[Any]:
        return list(messages)[:1]

    return dict(
        (
            fault(sound, "OneMessageASegment", joined, reads=alone),
            fault(sound, "NeverReads", first, NeverReads),
            fault(sound, "NeverEnds", wins, NeverEnds),
            fault(sound, "NeverGivesUp", "host-killed", NeverGivesUp),
        )
    )
