"""What the tests of the ASCII-lines wire share: clients that have logged in, set up, and play."""

from collections.abc import Sequence
from typing import Any, ClassVar

from gamehost.games.base import Seat
from gamehost.games.stratego import rules as told
from gamehost.games.stratego.master import StrategoMaster
from gamehost.games.stratego.rules import Action, Move, PlaceRows
from gamehost.tables.interfaces import Back, Refused
from gamehost.wires.stratego_lines import WIRE as LINES
from gamehost.wires.stratego_lines.conversation import LinesConversation
from gamehost.wires.stratego_lines.messages import COLUMNS, LETTERS, Err, Moved, square
from tests.games.test_stratego_secrets import KindInView, Script
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.stratego_frames import WireWords, leaky

WIRE = "stratego-lines"

#: The document's set-up, completed; and one whose flag stands in front.
RED = ("VMGKKJJJPP", "PPLLLLSSSS", "IIIIIRRRRR", "RRROBBBBBB")
BLUE = ("MGKKJJJPPP", "PLLLLSSSSI", "IIIIRRRRRB", "VRRROBBBBB")


def connected(world: MemoryHost, name: str, password: str = "secret", address: str = "192.0.2.1") -> Client:
    client = world.connect(WIRE, address)
    client.say(name, password)
    return client


def seated(world: MemoryHost) -> tuple[Client, Client]:
    """Ann (red) and Bob (blue), who are to set up, with nothing unheard."""
    ann, bob = connected(world, "ann"), connected(world, "bob")
    quiet(world, ann, bob)
    return ann, bob


def playing(world: MemoryHost) -> tuple[Client, Client]:
    """The two in play, red to move, with nothing unheard."""
    ann, bob = seated(world)
    ann.say(*RED)
    bob.say(*BLUE)
    quiet(world, ann, bob)
    return ann, bob


def quiet(world: MemoryHost, *clients: Client) -> None:
    """Have everything become durable and heard."""
    while world.journal.release():
        pass
    for client in clients:
        client.heard()


def in_letters(ids: str) -> str:
    """The game's names of pieces in the wire's letters."""
    return "".join(LETTERS.get(character, character) for character in ids)


def set_up_lines(seat: int, rows: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(in_letters, reversed(rows) if seat else rows))


# How clients of the ASCII lines talk, for the pairs of games that differ in secrets only; and conversations that leak.


def in_words(seat: Seat, action: Action) -> tuple[str, ...]:
    """What a client says for an action; a square that is not on the board is no square's name."""
    if isinstance(action, PlaceRows):
        return set_up_lines(seat, action.rows)
    assert isinstance(action, Move)
    return (f"{COLUMNS[action.x]}{action.y + 1}-{COLUMNS[action.to_x]}{action.to_y + 1}",)


def in_rows(script: Script) -> bool:
    """Whether both set-ups are placed as this wire places them: all at once."""
    return all(isinstance(action, PlaceRows | Move) for _, action in script)


ON_WIRE = WireWords(LINES, lambda name: (name, "secret"), in_words, in_rows)


def piece_behind(conversation: LinesConversation, where: int) -> str:
    """What a conversation has no business with: the piece on a square of the table, as a letter."""
    handle: Any = conversation.handle
    return LETTERS[chr(handle._table._master.position.squares[where] & 0x7F)]


class Attackers(LinesConversation):
    """Names the piece that moves, though it strikes nothing."""

    def tell_piece(self, event: told.Moved) -> None:
        """As if it were a battle."""
        move = event.move
        if event.seat == self._seat:
            self.tell_moved(event)
            return
        piece = piece_behind(self, move.to_y * 10 + move.to_x)
        self.peer.say(Moved(square(move.x, move.y), square(move.to_x, move.to_y), piece))
        self._go_on(event.next)

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, told.Moved: tell_piece}


class Order(LinesConversation):
    def tell_in_order(self, event: told.Moved) -> None:
        """The kind is in which comes first."""
        move = event.move
        if event.seat != self._seat and piece_behind(self, move.to_y * 10 + move.to_x) in "GJLI":
            self._go_on(event.next)
            self.peer.say(Moved(square(move.x, move.y), square(move.to_x, move.to_y)))
        else:
            self.tell_moved(event)

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, told.Moved: tell_in_order}


class Lengths(LinesConversation):
    """Refuses in longer words where the second player's flag is in the back."""

    def tell_length(self, event: Refused) -> None:
        """A length that depends on a kind."""
        handle: Any = self.handle
        position = handle._table._master.position
        if position is not None and position.squares.find(ord("F") | 0x80) >= 80:
            self.peer.refuse(Err("indeed"))
        self.tell_refused(event)

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, Refused: tell_length}


class Returns(LinesConversation):
    """Tells a player who comes back how strong the enemy's first piece is."""

    def tell_strength(self, event: Back[told.Situation]) -> None:
        """Only in play."""
        self.tell_back(event)
        enemies = [where for where, code in enumerate(event.view.squares) if code == "#"]
        if event.seat == self._seat and enemies:
            self.peer.say(Err(f"beware of {piece_behind(self, enemies[0])}"))

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, Back: tell_strength}


LEAKS = (
    leaky(ON_WIRE, KindInView, LinesConversation),
    leaky(ON_WIRE, StrategoMaster, Attackers),
    leaky(ON_WIRE, StrategoMaster, Order),
    leaky(ON_WIRE, StrategoMaster, Lengths),
    leaky(ON_WIRE, StrategoMaster, Returns),
)
