"""
A screen shows one match in a terminal to one person, and reads the moves that the person types. No input or output here: only
texts.

A screen follows the events of its game, draws the board as text, and reads typed text. It knows only the events that its seat
has received. The host's master still checks every action.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Literal, TypeVar

from attrs import field, frozen

from gamehost.games.base import Game, Seat
from gamehost.games.messages import Messages

V = TypeVar("V")

#: The most columns of a drawn board.
WIDEST = 80
#: The fewest columns of a drawn board, even if the terminal reports fewer.
NARROWEST = 20

#: The colour codes for a terminal that this package writes.
_INSTRUCTION = re.compile("\x1b\\[[0-9;]*m")
_WIDE = ("W", "F")

#: The beginning of a line in a list of moves that is not a move.
MORE = "..."


class MoveRefused(Exception):
    """The typed text is not a legal move now. The message is a sentence with the reason, and says which moves are legal."""


def _within(width: int) -> int:
    return max(NARROWEST, min(width, WIDEST))


@frozen
class Style:
    """How a person wants boards to be drawn."""

    #: The width of the terminal in columns. At least 20 and at most 80 are used.
    width: int = field(default=WIDEST, converter=_within)
    charset: Literal["unicode", "ascii"] = "unicode"
    #: Whether the terminal shows colours. Boards can be read without colours, too.
    colour: bool = False
    #: Whether the position is described in sentences instead of a drawing, for screen readers.
    words: bool = False

    def pick(self, unicode: str, ascii: str) -> str:
        """Returns the one of two texts that the terminal can show."""
        return unicode if self.charset == "unicode" else ascii

    def plain(self, text: str) -> str:
        """Returns a text with `?` instead of each character that the terminal cannot show."""
        return text if self.charset == "unicode" else text.encode("ascii", "replace").decode("ascii")

    def paint(self, text: str, colour: str) -> str:
        """
        Returns a text in a colour, if the terminal shows colours.

        :param colour: the numbers in the terminal's colour code, such as `1;32`
        """
        return f"\x1b[{colour}m{text}\x1b[0m" if self.colour else text


_NOT_BEGUN = "The match has not begun."


class Screen(Generic[V]):
    """
    One match as one person sees it: from a seat, or as a watcher.

    Subclasses set `game` and `messages`, and write the methods that raise `NotImplementedError`. The methods that show the
    match are called only after it has begun.

    :param seat: the person's seat; `None`: a watcher
    :param names: the players' names, in the order of the seats
    """

    game: Game[Any, Any]
    messages: Messages

    def __init__(self, seat: int | None, names: Sequence[str]) -> None:
        self.seat = None if seat is None else Seat(seat)
        self.names = tuple(names)
        #: The views of all seats, if the match is over and hidden information may be shown; otherwise empty.
        self.revealed: Sequence[Any] = ()
        #: The present view of this seat (`GameMaster.view`), after all events so far; `None`: there was no event yet.
        self.known: Any = None
        self._seen: tuple[Any, V | None] = (None, None)

    def show(self, view: Any) -> None:
        """Replaces the present view of this seat or watcher."""
        self.known = view

    def hear(self, event: Any, message: Any) -> list[str]:
        """
        Updates the view after an event, and returns sentences about the event.

        :param event: an event of the game's master
        :param message: the event as a message of the game; `None`: the event is not shown
        :return: the sentences, one a line; perhaps none. The sentence about the end of the match is not among them, because it
            is the same for all games.
        """
        before, self.known = self.known, self.game.follow(self.known, event, self.seat)
        return [] if message is None else self.told(message, before)

    def told(self, message: Any, before: Any) -> list[str]:
        """
        Returns the sentences about an event.

        :param message: the event, as a message of the game
        :param before: the view of this seat before the event
        """
        raise NotImplementedError

    @property
    def _view(self) -> V:
        """The view of this seat, as a message of the game."""
        # The message is made once for each view, not at each call.
        known, view = self._seen
        if known is not self.known or view is None:
            view = self.messages.view(self.known)  # type: ignore[assignment]
            self._seen = (self.known, view)
        return view  # type: ignore[return-value]

    def who(self, seat: int) -> str:
        """Returns a player for the middle of a sentence: `you`, or the name."""
        return "you" if seat == self.seat else self.names[seat]

    def subject(self, seat: int) -> str:
        """Returns a player for the beginning of a sentence: `You`, or the name."""
        return "You" if seat == self.seat else self.names[seat]

    def taken_back(self, seat: int, moves: int) -> str:
        """Returns the sentence that a player has taken this number of moves back."""
        # After `You`, the verb has no `s`.
        again = "move" if seat == self.seat else "moves"
        return (
            f"{self.subject(seat)} took back the last {'move' if moves == 1 else f'{moves} moves'}, and {again} again."
        )

    def draw(self, style: Style) -> list[str]:
        """
        Returns the board as lines of at most `style.width` columns. If the terminal is too narrow for a drawing, the position
        is described in sentences.
        """
        if self.known is None:
            return [*wrapped((_NOT_BEGUN,), style.width)]
        drawing = [] if style.words else [style.plain(line).rstrip() for line in self.drawing(style)]
        # Without a drawing (`style.words`), or with a line that is too long for the terminal.
        if not drawing or any(columns(line) > style.width for line in drawing):
            return [style.plain(line) for line in wrapped(self.sentences(), style.width)]
        return drawing

    @property
    def turn(self) -> bool:
        """Whether the match waits for this seat."""
        raise NotImplementedError

    def prompt_line(self) -> str:
        """Returns one or two sentences: what to type now, with an example that can be copied; or which player is to move."""
        return _NOT_BEGUN if self.known is None else self.prompt()

    def prompt(self) -> str:
        """The same as `prompt_line`, for a match that has begun."""
        raise NotImplementedError

    def moves(self, most: int) -> list[str]:
        """
        Returns legal moves, as people type them. If there is a legal move, the list has at least one.

        :param most: the most moves to list. If there are more, a last line that begins with `...` says so.
        """
        raise NotImplementedError

    def read(self, text: str) -> list[bytes]:
        """
        Returns the actions that a person has typed.

        :return: the actions in the game's notation, as in the journal. Usually there is one; several, if one line means several
            actions, such as `student green` and `destination 3`
        :raises MoveRefused: the text is not a move, or not a legal one as far as this seat can see. The message
            repeats nothing that was typed, except a name that the game itself has, such as that of a card
        """
        raise NotImplementedError

    def drawing(self, style: Style) -> Iterable[str]:
        """
        Returns the lines of the drawing. Names in it must be passed through `Style.plain` and `cut`, so that the columns stay
        aligned.
        """
        raise NotImplementedError

    def sentences(self) -> Iterable[str]:
        """Returns the position in sentences. Each begins a line of its own."""
        raise NotImplementedError


#: Makes the screen of a match, from a seat and the players' names.
NewScreen = Callable[[int | None, Sequence[str]], Screen[Any]]


def columns(text: str) -> int:
    """Returns how many columns a line takes in a terminal. Colour codes take none, and wide characters two."""
    bare = _INSTRUCTION.sub("", text)
    if bare.isascii():
        return len(bare)
    return sum(2 if unicodedata.east_asian_width(character) in _WIDE else 1 for character in bare)


def cut(text: str, most: int) -> str:
    """Returns the beginning of a text without colours, in at most `most` columns."""
    while columns(text) > most:
        text = text[:-1]
    return text


def padded(text: str, width: int) -> str:
    """Returns a text with spaces behind it, up to a width in columns."""
    return text + " " * (width - columns(text))


def wrapped(sentences: Iterable[str], width: int) -> Iterator[str]:
    """Divides sentences into lines of at most `width` columns. A word that is longer is cut into pieces."""
    for sentence in sentences:
        line = ""
        for word in sentence.split(" "):
            if line and columns(line) + 1 + columns(word) > width:
                yield line
                line = ""
            # The word is longer than a whole line.
            while columns(word) > width:
                piece = cut(word, width)
                yield piece
                word = word[len(piece) :]
            line = f"{line} {word}" if line else word
        yield line


def listed(words: Sequence[str], joint: str = "and") -> str:
    """Returns words as a list in a sentence: `a, b and c`."""
    # `filter` removes the part before `and` if there is only one word, and everything if there is none.
    return f" {joint} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def abridged(moves: Iterable[str], most: int) -> list[str]:
    """Returns the first moves of a list. If there are more, a last line says so."""
    found: list[str] = []
    for move in moves:
        if len(found) == most:
            # There is one more than the limit.
            return [*found, f"{MORE} and more."]
        found.append(move)
    return found
