"""How clients of the ASCII lines talk, for the pairs of games that differ in secrets only; and conversations that leak."""

from typing import Any, ClassVar

from gamehost.games.base import Seat
from gamehost.games.stratego import events as told
from gamehost.games.stratego.actions import Action, Move, PlaceRows
from gamehost.games.stratego.master import StrategoMaster
from gamehost.tables.interfaces import Back, Refused
from gamehost.wires.stratego_lines.conversation import WIRE, LinesConversation
from gamehost.wires.stratego_lines.messages import COLUMNS, LETTERS, Err, Moved, square
from tests.games.test_stratego_secrets import KindInRefusal, KindInView, PlacedForAll, Script
from tests.kit.wires.stratego_lines_table import set_up_lines
from tests.kit.wires.stratego_pairs import Speech, leaky


def in_words(seat: Seat, action: Action) -> tuple[str, ...]:
    """What a client says for an action; a square that is not on the board is no square's name."""
    if isinstance(action, PlaceRows):
        return set_up_lines(seat, action.rows)
    assert isinstance(action, Move)
    return (f"{COLUMNS[action.x]}{action.y + 1}-{COLUMNS[action.to_x]}{action.to_y + 1}",)


def in_rows(script: Script) -> bool:
    """Whether both set-ups are placed as this wire places them: all at once."""
    return all(isinstance(action, PlaceRows | Move) for _, action in script)


SPEECH = Speech(WIRE, lambda name: (name, "secret"), in_words, in_rows)


def piece_behind(conversation: LinesConversation, where: int) -> str:
    """What a conversation has no business with: the piece on a square of the table, as a letter."""
    handle: Any = conversation.handle
    return LETTERS[chr(handle._on_act.__self__._master.position.squares[where] & 0x7F)]


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
    """Asks for a move before it tells the other's, if what moved is an even rank."""

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
        position = handle._on_act.__self__._master.position
        if position is not None and position.squares.find(ord("F") | 0x80) >= 80:
            self.peer.refuse(Err("indeed"))
        self.tell_refused(event)

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, Refused: tell_length}


class Placements(LinesConversation):
    """Says what was placed to whoever is told of it."""

    def tell_rows(self, event: told.PlacedAll) -> None:
        """In words."""
        self.peer.say(Err(f"placed {event.rows[0]}"))

    TELLS: ClassVar[Any] = {**LinesConversation.TELLS, told.PlacedAll: tell_rows}


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
    leaky(SPEECH, KindInView, LinesConversation),
    leaky(SPEECH, KindInRefusal, LinesConversation),
    leaky(SPEECH, StrategoMaster, Attackers),
    leaky(SPEECH, StrategoMaster, Order),
    leaky(SPEECH, StrategoMaster, Lengths),
    leaky(SPEECH, PlacedForAll, Placements),
    leaky(SPEECH, StrategoMaster, Returns),
)
