"""
A match as text, which people can read and programs can read back, and as a picture.

The header of the text has one tag in each line, such as `[Game "onitama"]`, as in PGN. After an empty line, each line
is one entry: its number, the time on the table's clock in milliseconds, the seat (`-`: none), and the action in the
game's notation. Words with an asterisk are entries that are not actions of the game, such as `*begin`, `*left`,
`*time`, `*archived`, `*draw` and `*takeback`. The random numbers of an entry are in braces.

The text shows everything, also what players must not know during the match. So it is only for finished matches, and for
the operator.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen
from msgspec.structs import replace

from gamehost.games.base import Cause, Game, Seat, To
from gamehost.games.drawing import Scene, Turn
from gamehost.games.play import has_picture, picture_of
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord, settings_to_show
from gamehost.journal.replay import NotFollowed, replayed

_WORDS: Mapping[EntryKind, str] = {
    EntryKind.BEGAN: "*begin",
    EntryKind.FORFEITED: "*left",
    EntryKind.EXPIRED: "*time",
    EntryKind.ARCHIVED: "*archived",
    EntryKind.DRAWN: "*draw",
    EntryKind.TAKEN_BACK: "*takeback",
    EntryKind.CLAIMED: "*claim",
    EntryKind.DRAW_OFFERED: "*draw-offered",
    EntryKind.ASKED_BACK: "*asked-back",
    EntryKind.DECLINED: "*declined",
}
_KINDS = {word: kind for kind, word in _WORDS.items()}
_TAG = re.compile(r"\[([A-Z][a-z]*) (.*)\]")
_ENTRY = re.compile(r"([0-9]{1,9}) +([0-9]{1,15}) +(-|[0-9]{1,2}) +([^{}]+?)(?: +\{([0-9]{1,12}(?: [0-9]{1,12})*)\})?")
#: How many characters a text may have.
LONGEST = 4 * 1024 * 1024


class NotNotation(ValueError):
    """A text is not a match in this notation. The message says which line is wrong, and what was expected."""


@frozen
class Notation:
    """A match that was read from a text."""

    record: TableRecord
    #: The date of the match, for people, such as `2026-01-31`; empty: not given.
    date: str = ""


def write_notation(record: TableRecord, date: str = "") -> str:
    """
    A match as text. The header is in ASCII, and so are the actions of the host's own games.

    Addresses, keys and codes of the players are left out.

    :param date: for people, such as `2026-01-31`
    :raises NotNotation: an action's notation cannot be written in such a text, because it begins with an asterisk or
        has braces
    """
    return "\n".join([*_header(record, date), "", *_lines(record.entries)]) + "\n"


def _header(record: TableRecord, date: str) -> Iterator[str]:
    """The lines of the header of a text."""
    opening = record.opening
    yield _tag("Game", opening.game)
    yield _tag("Rules", str(opening.version))
    yield _tag("Table", str(record.table))
    if date:
        yield _tag("Date", date)
    for seat in opening.seats:
        yield _tag("Seat", seat.name, seat.wire)
    # The code is left out: anybody who has it can watch a private match.
    for name, value in sorted(settings_to_show(opening.settings).items()):
        yield _tag("Setting", name, value)
    if record.entries and record.entries[-1].outcome:
        yield _tag("Result", record.entries[-1].outcome)


def _tag(name: str, *values: str) -> str:
    return f"[{name} {' '.join(map(json.dumps, values))}]"


def _lines(entries: Sequence[Entry]) -> Iterator[str]:
    """The lines of the entries of a text."""
    for number, entry in enumerate(entries, 1):
        word = entry.notation.decode("utf-8", "replace") if entry.kind is EntryKind.ACTED else _WORDS[entry.kind]
        # An asterisk begins the word of another kind of entry, and braces enclose random numbers. So a text with such
        # an action could not be read again.
        if entry.kind is EntryKind.ACTED and (word.startswith("*") or set(word) & set("{}")):
            raise NotNotation(f"entry {number}: expected an action without braces that does not begin with an asterisk")
        seat = "-" if entry.seat is None else str(entry.seat)
        drawn = f"  {{{' '.join(map(str, entry.drawn))}}}" if entry.drawn else ""
        yield f"{number:>4}  {entry.at:>9}  {seat}  {word}{drawn}"


@frozen
class _Header:
    """The tags of a header, collected while the text is read."""

    tags: dict[str, str] = field(factory=dict)
    seats: list[SeatRecord] = field(factory=list)
    settings: dict[str, str] = field(factory=dict)

    def take(self, name: str, values: Sequence[str], number: int) -> None:
        """
        Add a tag.

        :raises NotNotation: there is no tag of this name, or it must have other values
        """
        match name, values:
            case (("Game" | "Rules" | "Table" | "Date" | "Result"), [value]) if name not in self.tags:
                # Each of these tags may stand there once.
                self.tags[name] = value
            case "Seat", [player, wire]:
                self.seats.append(SeatRecord(player, wire))
            case "Setting", [setting, value]:
                self.settings[setting] = value
            case _:
                raise NotNotation(
                    f'line {number}: expected a tag such as [Game "onitama"], each but Seat and Setting once'
                )

    def number(self, name: str) -> int:
        """
        The value of a tag that is a number.

        :raises NotNotation: the tag is missing, or its value is not a number
        """
        value = self.tags.get(name, "")
        if re.fullmatch("[0-9]{1,18}", value, re.ASCII) is None:
            raise NotNotation(f'expected the tag {name} with a number, such as [{name} "1"]')
        return int(value)


def read_notation(text: str) -> Notation:
    """
    Read a text that `write_notation` has written. This does not check whether the actions are legal: a replay of the
    record does.

    :raises NotNotation: the text is not in this notation
    """
    if len(text) > LONGEST:
        raise NotNotation(f"the text is too long; expected at most {LONGEST} characters")
    header, entries, in_header = _Header(), list[Entry](), True
    for number, line in enumerate(text.splitlines(), 1):
        # The first empty line after a tag ends the header. Empty lines before it, and later ones, mean nothing.
        if not line.strip():
            in_header = in_header and not header.tags
        elif in_header:
            _read_tag(header, line.strip(), number)
        else:
            entries.append(_read_entry(line.strip(), number, len(entries) + 1, len(header.seats)))
    if not header.tags.get("Game") or not header.seats:
        raise NotNotation('expected the tags Game and Seat, such as [Game "onitama"] and [Seat "ann" "open"]')
    # The result belongs to the last entry.
    if entries and "Result" in header.tags:
        entries[-1] = replace(entries[-1], outcome=header.tags["Result"])
    opening = TableHeader(header.tags["Game"], header.number("Rules"), tuple(header.seats), header.settings)
    record = TableRecord(TableId(header.number("Table")), opening, tuple(entries))
    return Notation(record, header.tags.get("Date", ""))


def _read_tag(header: _Header, line: str, number: int) -> None:
    """
    Read a line of the header.

    :raises NotNotation: the line is not a tag
    """
    found = _TAG.fullmatch(line)
    values: list[str] = []
    rest = found[2] if found is not None else ""
    try:
        # The values are JSON strings, with spaces between them.
        while rest:
            value, end = json.JSONDecoder().raw_decode(rest)
            values.append(value)
            rest = rest[end:].lstrip(" ")
    except ValueError:
        values = []
    if found is None or not values or not all(isinstance(value, str) for value in values):
        raise NotNotation(f'line {number}: expected a tag such as [Game "onitama"]')
    header.take(found[1], values, number)


def _read_entry(line: str, number: int, count: int, seats: int) -> Entry:
    """
    Read a line with an entry.

    :param number: the number of the line in the text
    :param count: the number that the entry must have
    :param seats: how many seats the match has
    :raises NotNotation: the line is not an entry
    """
    found = _ENTRY.fullmatch(line)
    if found is None or int(found[1]) != count:
        raise NotNotation(f"line {number}: expected entry {count}, such as: {count}  1200  0  ox c1 c2")
    seat = None if found[3] == "-" else Seat(int(found[3]))
    # A word of `_KINDS` begins with an asterisk. Any other text is an action.
    kind = _KINDS.get(found[4], EntryKind.ACTED)
    # Only an action needs a seat; all seats must exist.
    if (seat is None and kind is EntryKind.ACTED) or (seat is not None and seat >= seats):
        raise NotNotation(f"line {number}: expected a seat from 0 to {seats - 1}")
    notation = found[4].encode("utf-8", "replace") if kind is EntryKind.ACTED else b""
    drawn = tuple(map(int, (found[5] or "").split()))
    return Entry(kind, int(found[2]), seat, notation, drawn)


# The picture of a match. Before the end of the match, the picture shows only what the viewer may know.


class NoPicture(ValueError):
    """A match cannot be drawn. The message says why."""


def picture(
    game: Game[Any, Any],
    record: TableRecord,
    *,
    names: Sequence[str] | None = None,
    date: str = "",
    seat: Seat | None = None,
    until: int | None = None,
    moves: bool = True,
    reveal: bool = True,
) -> str:
    """
    A match as an SVG document.

    :param names: the names of the players; by default those of the record
    :param date: the date of the match, for people
    :param seat: the seat with the view that is shown before the end of the match; `None`: the view of a watcher
    :param until: the number of the last entry to show; `None`: all entries
    :param moves: whether all moves are listed
    :param reveal: whether everything is shown when the match is over
    :raises NoPicture: the game has no pictures, the match has not begun, or its record does not fit the rules
    """
    if not has_picture(game):
        raise NoPicture("the game has no pictures")
    # `[:None]` gives all entries.
    scene = _scene(game, record.opening, record.entries[:until], seat, reveal)
    return picture_of(
        game,
        evolve(
            scene,
            names=scene.names if names is None else names,
            source=", ".join(filter(None, (f"table {record.table}", date))),
            moves=moves,
        ),
    )


def _scene(
    game: Game[Any, Any], opening: TableHeader, entries: Sequence[Entry], seat: Seat | None, reveal: bool
) -> Scene:
    """
    The scene that the game draws as a picture.

    :raises NoPicture: the match cannot be drawn
    """
    if not entries:
        raise NoPicture("the match has not begun")
    if seat is not None and not 0 <= seat < len(opening.seats):
        raise NoPicture(f"there is no seat {seat}; expected 0 to {len(opening.seats) - 1}")
    # Replay the match, and collect the events that the viewer may see.
    turns: list[Turn] = []

    def note(number: int, told: Sequence[To[Any]]) -> None:
        heard = tuple(to.event for to in told if to.audience is None or seat in to.audience)
        turns.append(Turn(entries[number - 1].seat, heard))

    try:
        master = replayed(game, opening, entries, note)
    except NotFollowed as error:
        raise NoPicture(f"its record does not fit the rules: {error}") from error
    # The picture shows the last position. If the match was lost by an illegal move, it shows this move, too.
    result, last = master.result, entries[-1]
    is_foul = result is not None and result.cause is Cause.VIOLATION and last.kind is EntryKind.ACTED
    return Scene(
        names=[one.name for one in opening.seats],
        view=master.view(seat),
        seat=seat,
        views=[master.view(Seat(number)) for number in range(len(opening.seats))] if reveal and result else (),
        turns=turns,
        result=result,
        foul=game.read(last.notation) if is_foul else None,
        standstill="The match was put away unfinished" if last.kind is EntryKind.ARCHIVED else "",
    )
