"""How clients of the frames talk, for the pairs of games that differ in secrets only; and conversations that leak."""

from typing import Any, ClassVar

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Action, Move, Place, PlaceRows
from gamehost.games.stratego.events import Moved, Placed
from gamehost.games.stratego.master import BadMove, StrategoMaster
from gamehost.tables.interfaces import Refused
from gamehost.wires.stratego_frames.conversation import WIRE, FramesConversation
from gamehost.wires.stratego_frames.messages import Error
from tests.games.test_stratego_secrets import KindInOrder, KindInRefusal, KindInView, KindOnBoard, PlacedForAll
from tests.kit.wires.stratego_frames_table import setups
from tests.kit.wires.stratego_pairs import Speech, leaky


def in_words(seat: Seat, action: Action) -> list[str]:
    """What a client says for an action."""
    match action:
        case PlaceRows(rows):
            return [*setups(rows, 6 if seat else 0), 'Ready "ready"']
        case Place(piece, x, y):
            return [f"Setup {piece} ({x},{y})"]
        case Move(x, y, to_x, to_y):
            return [f"Move ({x},{y}) ({to_x},{to_y})"]
    return ['Ready "ready"']


SPEECH = Speech(WIRE, lambda name: (f'Sign On "{name}"',), in_words)


class Reasons(FramesConversation):
    """Says why a move is refused."""

    def tell_reason(self, event: Refused) -> None:
        """The referee's words, as they are."""
        self.peer.refuse(Error(str(event.error)))

    TELLS: ClassVar[Any] = {**FramesConversation.TELLS, Refused: tell_reason}


class Placements(FramesConversation):
    """Says what was placed to whoever is told of it."""

    def tell_piece(self, event: Placed) -> None:
        """In words."""
        self.peer.say(Error(f"placed {event.piece}"))

    TELLS: ClassVar[Any] = {**FramesConversation.TELLS, Placed: tell_piece}


def board_behind(conversation: FramesConversation) -> bytes:
    """What a conversation has no business with: the table's squares."""
    handle: Any = conversation.handle
    squares: bytes = handle._on_act.__self__._master.position.squares
    return squares


class Lengths(FramesConversation):
    """Refuses in the same words, but longer where the second player's marshal is in the back."""

    def tell_length(self, event: Refused) -> None:
        """A length that depends on a kind."""
        padding = 0
        if isinstance(event.error, BadMove) and self.state.value == "playing":
            padding = board_behind(self).find(bytes([ord("1") | 0x80])) // 80
        self.peer.refuse(Error("refused" + " " * padding))

    TELLS: ClassVar[Any] = {**FramesConversation.TELLS, Refused: tell_length}


class Numbers(FramesConversation):
    """Leaves out a sequence number when what moved is an odd rank."""

    def tell_moved_and_skip(self, event: Moved) -> None:
        """The kind is in the lowest bit of its code."""
        super().tell_moved(event)
        line: Any = self.peer
        line._codec.sequence += board_behind(self)[event.move.to_y * 10 + event.move.to_x] & 1

    TELLS: ClassVar[Any] = {**FramesConversation.TELLS, Moved: tell_moved_and_skip}


LEAKS = (
    leaky(SPEECH, KindInView, FramesConversation),
    leaky(SPEECH, KindOnBoard, FramesConversation),
    leaky(SPEECH, KindInOrder, FramesConversation),
    leaky(SPEECH, KindInRefusal, Reasons),
    leaky(SPEECH, PlacedForAll, Placements),
    leaky(SPEECH, StrategoMaster, Lengths),
    leaky(SPEECH, StrategoMaster, Numbers),
)
