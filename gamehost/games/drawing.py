"""
Pictures of matches: the data that a picture shows, and the elements that the pictures of all games have.

A picture is an SVG document that needs no other files. The same match always gives the same text, in ASCII. Names and captions
come from players, so they are escaped, and characters that XML does not allow are replaced. A picture can be read without its
colours, too.
"""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Protocol, runtime_checkable
from unicodedata import east_asian_width

from attrs import frozen

from gamehost.games.base import Cause, Result, Seat

PAGE, SHEET, LINE = "#f4f1ea", "#fffdf8", "#d9d2c3"
INK, SOFT = "#1d2429", "#5c666d"
GO, LAST, TAKE = "#0f6b57", "#f2c14e", "#c43d1a"

#: The margin around the picture, the height of a player's line, and the height of a line of text, in pixels.
_MARGIN, _PLAYER, _TEXT = 16, 36, 18
#: The width of a character in captions, and in the list of moves, in pixels. Common fonts need at most this width.
_CAPTION_CHARACTER, _MOVE_CHARACTER = 8.7, 6.9
#: A name wider than this is drawn narrower; and the width of a character of a name. Both are in pixels.
_LONGEST_NAME, _NAME_CHARACTER = 210, 10.5
#: The most characters of a caption. The rest is not drawn.
_LONGEST_CAPTION = 400
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_STYLE = f"""\
text {{ font: 14px system-ui, sans-serif; fill: {INK} }}
.page {{ fill: {PAGE} }}
.sheet {{ fill: {SHEET}; stroke: {LINE}; stroke-width: 1.5 }}
.soft, .axis {{ fill: {SOFT} }}
.axis {{ text-anchor: middle; font-size: 15px }}
.title {{ font-size: 17px; font-weight: 700 }}
.name {{ font-size: 16px; font-weight: 700 }}
.end {{ text-anchor: end }}
.state {{ text-anchor: end; font-weight: 700; fill: {GO} }}
.caption {{ font-size: 15px; font-weight: 600 }}
.list {{ font-size: 12.5px }}
.last {{ fill: {LAST}; fill-opacity: 0.55 }}"""


@frozen
class Turn:
    """The events of one entry of a match that the reader of the picture may see."""

    #: The seat that acted; `None`: none, as at the beginning.
    seat: Seat | None
    #: Events of the game's master.
    events: tuple[Any, ...]


@frozen
class Scene:
    """Everything that a picture of a match may show."""

    #: The players' names, in the order of the seats.
    names: Sequence[str]
    #: The match as the reader of the picture may see it (`GameMaster.view`).
    view: Any
    #: The seat of the reader; `None`: a watcher.
    seat: Seat | None = None
    #: The views of all seats, if the match is over and hidden information may be shown; otherwise empty.
    views: Sequence[Any] = ()
    #: All entries of the match from its beginning.
    turns: Sequence[Turn] = ()
    result: Result | None = None
    #: The illegal action by which a player lost the match; `None`: there was none.
    foul: Any = None
    #: A text that identifies the match, such as `table 7, 2026-01-31`.
    source: str = ""
    #: The reason why a match without a result has stopped; empty: it has not stopped. It is shown instead of the player to
    #: move.
    standstill: str = ""
    #: Whether all moves are listed below the board.
    moves: bool = True


@runtime_checkable
class Drawable(Protocol):
    """A game that draws its pictures itself, by a method of its token. This is optional."""

    def draw(self, scene: Scene) -> str:
        """
        Draw a match, finished or not.

        :returns: an SVG document
        """


@frozen
class PlayerLine:
    """The line with a player's name above or below the board."""

    seat: int
    #: The colour of the name; and an SVG shape in front of it, around (0, 0) and at most 20 pixels wide.
    ink: str
    mark: str
    #: The name of the side in this game, such as `White`.
    role: str = ""


@frozen
class Board:
    """A drawn board, with its upper left corner at (0, 0)."""

    width: float
    height: float
    parts: Sequence[str]


def number(value: float) -> str:
    """Returns a number as text with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def tag(name: str, *content: str, **attributes: str | float) -> str:
    """
    Returns an XML element. The content must be XML already.

    :param attributes: the attributes; the name `class_` becomes `class`, and an underscore in a name becomes a hyphen
    """
    # `class` is a keyword of Python, so it is written `class_`.
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{value if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{words}>{''.join(content)}</{name}>" if content else f"<{name}{words}/>"


def text(words: str, x: float, y: float, kind: str = "", **attributes: str | float) -> str:
    """Returns an element with a line of text. The text may come from players, so it is escaped."""
    classes: Mapping[str, str] = {"class_": kind} if kind else {}
    return tag("text", escaped(words), x=x, y=y, **classes, **attributes)


def at(x: float, y: float, *parts: str, scale: float = 1) -> str:
    """Returns parts of a drawing, moved to this position."""
    scaled = "" if scale == 1 else f" scale({scale:g})"
    return tag("g", *parts, transform=f"translate({number(x)} {number(y)}){scaled}")


def escaped(words: str) -> str:
    """Returns text from players, escaped for XML. The result is ASCII, so the encoding of the file makes no difference."""
    return escape(_NOT_XML.sub("\ufffd", words)).encode("ascii", "xmlcharrefreplace").decode("ascii")


def ending(result: Result, names: Sequence[str]) -> str:
    """Returns a sentence about the end of a match."""
    winners = " and ".join(names[seat] for seat in result.winners)
    losers = [name for seat, name in enumerate(names) if seat not in result.winners]
    why = result.why.removesuffix(".")
    # Only in a match of two is it clear which player has lost, and by what.
    if len(names) == 2 and len(losers) == 1:
        [loser] = losers
        if result.cause is Cause.LEFT:
            why = f"{loser} left the match"
        elif result.cause is Cause.TIME:
            why = f"{loser} ran out of time"
        elif result.cause is Cause.VIOLATION:
            why = f"{loser} tried an {why}"
    return f"{winners} won: {why}." if winners else f"A draw: {why}."


def caption(scene: Scene, turn: int | None) -> str:
    """Returns the sentence below a board: how the match ended, or which player is to move."""
    if scene.result is not None:
        return ending(scene.result, scene.names)
    if scene.standstill:
        return f"{scene.standstill}."
    return f"{scene.names[turn]} is to move." if turn is not None else ""


def page(
    scene: Scene,
    title: str,
    style: str,
    board: Board,
    players: Sequence[PlayerLine],
    below: Sequence[str],
    moves: Sequence[str],
) -> str:
    """
    Returns a whole picture: an XML document without a declaration, with a line end at its end.

    :param style: the game's own style sheet
    :param players: the lines above and below the board; none if the board itself shows the names
    :param below: sentences below the board; empty ones are left out
    :param moves: the list of moves, with their numbers
    """
    width = board.width + 2 * _MARGIN
    # `y` is the upper edge of the next part. The parts are added from top to bottom.
    parts = [text(title, _MARGIN, 32, "title"), text(scene.source, width - _MARGIN, 32, "soft end")]
    y: float = 44
    # The first player is above the board, and all others are below.
    for line in players[:1]:
        parts.append(_player(scene, line, y, board.width))
        y += _PLAYER + 8
    parts.append(at(_MARGIN, y, *board.parts))
    y += board.height + 8
    for line in players[1:]:
        parts.append(_player(scene, line, y, board.width))
        y += _PLAYER + 8
    # The text's position is its base line, not its upper edge.
    y += 14
    for sentence in filter(None, below):
        for words in textwrap.wrap(sentence[:_LONGEST_CAPTION], int(board.width / _CAPTION_CHARACTER)):
            parts.append(text(words, _MARGIN, y, "caption"))
            y += _TEXT + 2
    if scene.moves and moves:
        listed, height = _listed(moves, board.width, y + 6)
        parts += listed
        y += height + 6
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width)}" height="{number(y + 4)}"'
    head += f' viewBox="0 0 {number(width)} {number(y + 4)}">'
    names = f"{title}: {' - '.join(scene.names)}"
    lines = [
        head,
        tag("title", escaped(names)),
        f"<style>\n{_STYLE}\n{style}\n</style>",
        tag("rect", class_="page", width=width, height=y + 4),
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _player(scene: Scene, line: PlayerLine, y: float, width: float) -> str:
    """Returns the line of a player: a mark, the name, the role, and whether the player has won."""
    middle = _PLAYER / 2
    name = tag("tspan", escaped(scene.names[line.seat]), fill=line.ink, **_fitted(scene.names[line.seat]))
    role = tag("tspan", escaped(line.role), dx=10, class_="soft", font_size=14, font_weight=400) if line.role else ""
    won = scene.result is not None and line.seat in scene.result.winners
    # The board of the line is a box with round corners. All positions are in pixels from its upper left corner.
    return at(
        _MARGIN,
        y,
        tag("rect", class_="sheet", x=1, y=1, width=width - 2, height=_PLAYER - 2, rx=8),
        at(22, middle, line.mark),
        tag("text", name, role, x=42, y=middle + 6, class_="name"),
        text("won", width - 14, middle + 5, "state") if won else "",
    )


def _fitted(name: str) -> Mapping[str, str | float]:
    """Returns attributes that make a long name narrower, so that there is room for the text behind it."""
    # East Asian characters are twice as wide.
    wide = sum(2 if east_asian_width(character) in "WF" else 1 for character in name)
    if wide * _NAME_CHARACTER <= _LONGEST_NAME:
        return {}
    return {"textLength": _LONGEST_NAME, "lengthAdjust": "spacingAndGlyphs"}


def _listed(moves: Sequence[str], width: float, top: float) -> tuple[list[str], float]:
    """
    Returns moves in columns, and the height of the columns. Each column is filled from top to bottom, the left column first.
    """
    # A column is at least 12 and at most 44 characters wide, with two more characters of space. Longer moves are wrapped.
    longest = max(12, min(max(map(len, moves)), 44))
    columns = max(1, int(width / ((longest + 2) * _MOVE_CHARACTER)))
    broad = int(width / columns / _MOVE_CHARACTER) - 2
    lines = [line for move in moves for line in textwrap.wrap(move, broad, subsequent_indent="   ") or [""]]
    # Rounded up.
    rows = -(-len(lines) // columns)
    # Lines that continue a move are 14 pixels further to the right.
    drawn = [
        text(
            line.strip(),
            _MARGIN + place // rows * (width / columns) + (14 if line.startswith(" ") else 0),
            top + 14 + place % rows * _TEXT,
            "list",
        )
        for place, line in enumerate(lines)
    ]
    return drawn, rows * _TEXT + 8


def numbered(moves: Iterable[str]) -> list[str]:
    """Returns the moves with their numbers in front."""
    return [f"{place}. {move}" for place, move in enumerate(moves, 1)]
