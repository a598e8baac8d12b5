"""
A screen shows one match in a terminal to one person, and reads what the person types. Pure.

A screen follows the events of its game, draws the board as text, and reads what was typed. It knows the events that its
seat received, and nothing else. The host's master decides about every action.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Literal, TypeVar

from attrs import field, frozen

from gamehost.games.base import Game, Seat
from gamehost.games.messages import Messages

V = TypeVar("V")

#: The most columns of a board.
WIDEST = 80
#: The least columns of a board, even if the terminal reports fewer.
NARROWEST = 20

#: An instruction to a terminal that this package writes: a colour.
_INSTRUCTION = re.compile("\x1b\\[[0-9;]*m")
_WIDE = ("W", "F")

#: In a list of moves: the first word of a line that is not a move.
MORE = "..."


class MoveRefused(Exception):
    """The typed text is no move now. The message is a sentence with the reason, and says which moves are legal."""


def _within(width: int) -> int:
    return max(NARROWEST, min(width, WIDEST))


@frozen
class Style:
    """The wishes of a person for the drawing of a board."""

    #: Columns of the terminal; 20 to 80 are used.
    width: int = field(default=WIDEST, converter=_within)
    charset: Literal["unicode", "ascii"] = "unicode"
    #: Whether the terminal shows colours. No information is in the colours alone.
    colour: bool = False
    #: The position in sentences instead of a drawing, for screen readers.
    words: bool = False

    def pick(self, unicode: str, ascii: str) -> str:
        """The one of two texts that the terminal can show."""
        return unicode if self.charset == "unicode" else ascii

    def plain(self, text: str) -> str:
        """A text with `?` for each character that the terminal cannot show."""
        return text if self.charset == "unicode" else text.encode("ascii", "replace").decode("ascii")

    def paint(self, text: str, colour: str) -> str:
        """
        A text in a colour, if the terminal has colours.

        :param colour: the numbers of the terminal's instruction, such as `1;32`
        """
        return f"\x1b[{colour}m{text}\x1b[0m" if self.colour else text


_NOT_BEGUN = "The match has not begun."


class Screen(Generic[V]):
    """
    One match as one person sees it: a seat's view, or a watcher's.

    Subclasses set `game` and `messages`, and `told` turns an event into sentences. The methods that show the match are
    called only after it has begun.

    :param seat: `None`: a watcher's
    :param names: the players', in the order of the seats
    """

    game: Game[Any, Any]
    messages: Messages

    def __init__(self, seat: int | None, names: Sequence[str]) -> None:
        self.seat = None if seat is None else Seat(seat)
        self.names = tuple(names)
        #: The views of all seats, if everything may be shown: the match is over.
        self.revealed: Sequence[Any] = ()
        #: The view of this seat (`GameMaster.view`), kept up to date with the events; `None`: there is none yet.
        self.known: Any = None
        self._seen: tuple[Any, V | None] = (None, None)

    def show(self, view: Any) -> None:
        """Replace what is shown by a view of this seat or of a watcher (`GameMaster.view`)."""
        self.known = view

    def hear(self, event: Any, message: Any) -> list[str]:
        """
        Receive an event of the game's master.

        :param message: the event as a message of the game; `None`: it is not shown
        :return: sentences about the event, none or more, a line each. The end of the match is not among them, because
            its sentence is the same for all games.
        """
        before, self.known = self.known, self.game.follow(self.known, event, self.seat)
        return [] if message is None else self.told(message, before)

    def told(self, message: Any, before: Any) -> list[str]:
        """
        An event, in sentences.

        :param message: the event, as a message of the game
        :param before: the view of this seat before the event
        """
        raise NotImplementedError

    @property
    def _view(self) -> V:
        """The view of this seat, as a message of the game."""
        known, view = self._seen
        if known is not self.known or view is None:
            view = self.messages.view(self.known)  # type: ignore[assignment]
            self._seen = (self.known, view)
        return view  # type: ignore[return-value]

    def who(self, seat: int) -> str:
        """A player, for the middle of a sentence: `you`, or the name."""
        return "you" if seat == self.seat else self.names[seat]

    def subject(self, seat: int) -> str:
        """A player, for the beginning of a sentence: `You`, or the name."""
        return "You" if seat == self.seat else self.names[seat]

    def taken_back(self, seat: int, moves: int) -> str:
        """The sentence that a player has taken `moves` moves back."""
        again = "move" if seat == self.seat else "moves"
        return (
            f"{self.subject(seat)} took back the last {'move' if moves == 1 else f'{moves} moves'}, and {again} again."
        )

    def draw(self, style: Style) -> list[str]:
        """
        The board, in lines of at most `style.width` columns. If it is too narrow for a drawing, the position is given
        in sentences.
        """
        if self.known is None:
            return [*wrapped((_NOT_BEGUN,), style.width)]
        drawing = [] if style.words else [style.plain(line).rstrip() for line in self.drawing(style)]
        if not drawing or any(columns(line) > style.width for line in drawing):
            return [style.plain(line) for line in wrapped(self.sentences(), style.width)]
        return drawing

    @property
    def turn(self) -> bool:
        """Whether the match waits for this seat."""
        raise NotImplementedError

    def prompt_line(self) -> str:
        """One or two sentences: what to type now, with an example that can be copied, or which player is to move."""
        return _NOT_BEGUN if self.known is None else self.prompt()

    def prompt(self) -> str:
        raise NotImplementedError

    def moves(self, most: int) -> list[str]:
        """
        Legal moves, as people type them. If there is a legal move, the list has at least one.

        :param most: the most moves to list. If there are more, a last line that begins with `...` says so.
        """
        raise NotImplementedError

    def read(self, text: str) -> list[bytes]:
        """
        Read what was typed.

        :return: the actions in the game's notation, as the journal has them. Usually one; several if one line stands
            for several actions, such as `student green` and `destination 3`
        :raises MoveRefused: it is no move, or not a legal one as far as this seat can see. The message repeats
            typed text only if it is a name of the game.
        """
        raise NotImplementedError

    def drawing(self, style: Style) -> Iterable[str]:
        """The lines of the drawing. Names in it are as `Style.plain` and `cut` give them, so that columns stay aligned."""
        raise NotImplementedError

    def sentences(self) -> Iterable[str]:
        """The position in sentences. Each begins a line of its own."""
        raise NotImplementedError


#: Makes the screen of a match, from a seat and the names.
NewScreen = Callable[[int | None, Sequence[str]], Screen[Any]]


def columns(text: str) -> int:
    """How many columns of a terminal a line takes. Colours take none, and wide characters two."""
    bare = _INSTRUCTION.sub("", text)
    if bare.isascii():
        return len(bare)
    return sum(2 if unicodedata.east_asian_width(character) in _WIDE else 1 for character in bare)


def cut(text: str, most: int) -> str:
    """The beginning of a text without colours, in at most `most` columns."""
    while columns(text) > most:
        text = text[:-1]
    return text


def padded(text: str, width: int) -> str:
    """A text with spaces behind it, up to a number of columns."""
    return text + " " * (width - columns(text))


def wrapped(sentences: Iterable[str], width: int) -> Iterator[str]:
    """Lines of at most `width` columns. Longer words are cut into pieces."""
    for sentence in sentences:
        line = ""
        for word in sentence.split(" "):
            if line and columns(line) + 1 + columns(word) > width:
                yield line
                line = ""
            while columns(word) > width:
                piece = cut(word, width)
                yield piece
                word = word[len(piece) :]
            line = f"{line} {word}" if line else word
        yield line


def listed(words: Sequence[str], joint: str = "and") -> str:
    """Words as in a sentence: `a, b and c`."""
    return f" {joint} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def abridged(moves: Iterable[str], most: int) -> list[str]:
    """The first moves, and a line that says so if there are more."""
    found: list[str] = []
    for move in moves:
        if len(found) == most:
            return [*found, f"{MORE} and more."]
        found.append(move)
    return found
