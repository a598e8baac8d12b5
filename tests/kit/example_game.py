"""
A toy game and a toy wire: all that it takes to add one of each.

Two players add 1 or 2 in turn. The player who reaches the goal wins. Adding 0 makes the master fail, which no real action
may do.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar

from attrs import define, field, frozen

from gamehost.accounts.names import NameRefused
from gamehost.games.base import Cause, Chance, IllegalAction, Result, Seat, To, any_of
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import Queue
from gamehost.settings import Settings, from_to, milliseconds, refuse_unknown, setting
from gamehost.tables.interfaces import Away, Back, Displaced, Over, Refused, Suspended
from gamehost.wires.base import BaseConversation, Claim, Codec, Peer, Wire, claim_of_guest
from gamehost.wires.framing import LineBuffer, WireError


@frozen
class Add:
    number: int


@frozen
class Counted:
    """Where the count stands; a lucky number is drawn with every step."""

    count: int
    lucky: int
    #: Whose turn it is; `None`: the goal is reached.
    turn: Seat | None = field(default=None, repr=False, eq=False)


@define(eq=False)
class ToyMaster:
    goal: int
    move_time: int
    chance: Chance
    count: int = 0
    lucky: int = 0
    turn: Seat = field(default=Seat(0))
    result: Result | None = None
    deadline: int | None = None

    def begin(self, now: int) -> Sequence[To[Counted]]:
        return self._step(now)

    def act(self, seat: Seat, action: Add, now: int) -> Sequence[To[Counted]]:
        if self.result is not None or seat != self.turn:
            raise IllegalAction("not your turn")
        if action.number not in (0, 1, 2):
            raise IllegalAction("add 1 or 2")
        if action.number == 0:
            raise RuntimeError("planted")
        self.count += action.number
        if self.count >= self.goal:
            self.result = Result((seat,), Cause.RULES, "reached the goal")
        self.turn = Seat(1 - seat)
        return self._step(now)

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[Counted]]:
        self.result = Result((Seat(1 - seat),), Cause.LEFT, "left")
        self.deadline = None
        return ()

    def expire(self, now: int) -> Sequence[To[Counted]]:
        self.result = Result((Seat(1 - self.turn),), Cause.TIME, "too slow")
        self.deadline = None
        return ()

    def view(self, seat: Seat | None) -> Counted:
        return self._counted()

    def state(self) -> object:
        return (self.count, self.lucky, self.turn)

    def _step(self, now: int) -> Sequence[To[Counted]]:
        self.lucky = self.chance.below(10)
        self.deadline = now + self.move_time if self.move_time and self.result is None else None
        return (To(self._counted()),)

    def _counted(self) -> Counted:
        return Counted(self.count, self.lucky, self.turn if self.result is None else None)


@frozen
class Toy:
    name: str = "toy"
    version: int = 1
    least_seats: int = 2
    most_seats: int = 2
    options: Mapping[str, str] = field(factory=lambda: {"goal": "a number", "move_time": "seconds"})

    def check(self, settings: Settings) -> None:
        refuse_unknown(settings, self.options)
        setting(settings, "goal", 5, from_to(1, 1_000_000))
        setting(settings, "move_time", 0, milliseconds)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> ToyMaster:
        self.check(settings)
        goal = setting(settings, "goal", 5, from_to(1, 1_000_000))
        return ToyMaster(goal, setting(settings, "move_time", 0, milliseconds), chance)

    def write(self, action: Add) -> bytes:
        return b"+%d" % action.number

    def read(self, notation: bytes) -> Add:
        if notation not in (b"+0", b"+1", b"+2"):
            raise ValueError("expected +1 or +2")
        return Add(int(notation))

    def legal(self, view: Counted, seat: Seat) -> Iterator[Add]:
        return iter((Add(1), Add(2)) if view.turn == seat else ())

    def random_action(self, view: Counted, seat: Seat, below: Callable[[int], int]) -> Add | None:
        return any_of(self.legal(view, seat), below)

    def follow(self, view: Counted | None, event: Any, seat: Seat | None) -> Counted | None:
        return event if isinstance(event, Counted) else view


TOY = Toy()


class ToyCodec:
    """Words in lines."""

    def __init__(self) -> None:
        self._lines = LineBuffer(40)

    @property
    def unfinished(self) -> bool:
        return self._lines.unfinished

    def feed(self, data: bytes) -> Iterator[str]:
        for line in self._lines.feed(data):
            yield line.decode("ascii", "replace")

    def encode(self, message: str) -> bytes:
        return message.encode("ascii") + b"\n"


_ADD = re.compile(r"\+[0-9]{1,9}", re.ASCII)


class ToyState(Enum):
    """Where a connection is."""

    OUT = "out"
    IN = "in"


class ToyConversation(BaseConversation[str]):
    """`hi NAME`, `+N`, `bye`, `boom`, `say BYTES`, `go`; everything that happens is said as it is."""

    def __init__(self, peer: Peer[str], lobby: Lobby) -> None:
        super().__init__(peer, lobby, ToyState.OUT)

    def heard(self, message: str) -> None:
        """A line."""
        match message.split():
            case ["hi", name] if self.state is ToyState.OUT:
                try:
                    self.session = self.lobby.enter(name, "toy", self.peer.address, self)
                except NameRefused as refusal:
                    self.peer.refuse(f"no {refusal}")
                    return
                self.peer.logged_in()
                self.set_state(ToyState.IN)
                self.lobby.play(self.session, Queue(TOY))
            case ["boom"]:
                raise RuntimeError("planted")
            case ["say", number] if number.isdecimal():
                self.peer.say("x" * (int(number) - 1))
            case ["go"]:
                self.peer.hang_up("asked to")
            case _:
                self.unexpected(message)

    def claimed(self, message: str) -> Claim | None:
        match message.split():
            case ["hi", name]:
                return claim_of_guest(name)
        return None

    def played(self, message: str) -> None:
        """A line from a player."""
        if self.handle is not None and message == "bye":
            self.handle.leave()
            self.handle = None
            self.set_state(ToyState.OUT)
            self.end()
        elif self.handle is not None and _ADD.fullmatch(message) is not None:
            self.act(Add(int(message)))
        else:
            self.heard(message)

    def unexpected(self, message: str) -> None:
        self.peer.refuse("what?")

    def wire_error(self, error: WireError) -> None:
        self.peer.say(f"error {error}")

    def say_closing(self, reason: str) -> None:
        self.peer.say(f"bye {reason}")

    def tell(self, event: Any) -> None:
        match event:
            case Counted(13, _):
                raise RuntimeError("planted: thirteen cannot be told")
            case Counted(count, lucky):
                self.peer.say(f"count {count} {lucky}")
            case Refused(error):
                self.peer.refuse(f"no {error}")
            case Back(seat, view):
                self.peer.say(f"back {seat} {view.count} {view.lucky}")
            case Away(seat, already):
                self.peer.say(f"away {seat}{' already' if already else ''}")
            case Over(result):
                self.peer.say(f"over {result.winners} {result.cause.value}")
                self.handle = None
                self.set_state(ToyState.OUT)
                self.end()
            case Suspended():
                self.peer.say("suspended")
                self.handle = None
                self.set_state(ToyState.OUT)
                self.end()
            case _:
                self.peer.say(type(event).__name__.lower())

    HEARS: ClassVar[Any] = {(ToyState.OUT, str): heard, (ToyState.IN, str): played}
    CLAIMS: ClassVar[Any] = {(ToyState.OUT, str): claimed}
    TELLS: ClassVar[Any] = dict.fromkeys((Counted, Refused, Back, Away, Over, Suspended, Displaced), tell)


@frozen
class ToyConfig:
    codec: Callable[[], Codec[str]] = ToyCodec
    conversation: Callable[[Peer[str], Lobby], ToyConversation] = ToyConversation

    def new_codec(self) -> Codec[str]:
        return self.codec()

    def new_conversation(self, peer: Peer[str], lobby: Lobby) -> ToyConversation:
        return self.conversation(peer, lobby)


def configure(settings: Settings) -> ToyConfig:
    """:raises BadOption: the toy wire has no settings"""
    refuse_unknown(settings, ())
    return ToyConfig()


TOY_WIRE: Wire[str] = Wire("toy", "a toy", "tcp:0", (TOY,), configure, {})
