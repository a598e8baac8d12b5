"""
The bytes of a table's rows. Row 0 is the table's header, and every further row is one entry.

The same entry always gives the same bytes. The header is JSON. The body of an entry has its notation, the numbers drawn
and the outcome. Before them is its fingerprint, if the row's kind says that it has one.

Every row ends with `h`, the first 8 bytes of SHA-256 over the `h` of the table's row before and the rest of this row. So a
row that was changed, lost or moved breaks the chain.

In a file, one row can contain several entries: a run. Its `n` is the number of the first entry. The field `at_ms`, which is
the time in other rows, is the count of its entries. Its body is a msgpack array of the entries.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from struct import Struct
from typing import Any, NamedTuple, TypeAlias

import msgspec

from gamehost.games.base import Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord

#: The kind of a table's row 0. Never an `EntryKind`: those count from 1.
OPENED = 0

#: The hash in place of a row before a table's row 0.
NO_ROW = bytes(8)

_NUMBERS = Struct(">6q")
_NOBODY = -(2**63)
_KINDS = {int(kind): kind for kind in EntryKind}
#: Added to the kind of an entry with a check.
CHECKED = 64
_CHECK_BYTES = 8
#: The kind of a run.
RUN = 32
#: The kind of a run that was put together from commits, and is not in `event`. It has no place in the chain. Its `h` is empty
#: if its commits are whole.
RECENT = 33
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Entry]).decode
_split = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode


class Damaged(ValueError):
    """A row was changed or lost. The message says which."""


class Undecodable(ValueError):
    """A row is intact, but another release wrote it, and this release cannot read it."""


class Row(NamedTuple):
    """One row of `event`, its fields in the order of the columns."""

    seq: int
    game: int
    n: int
    at_ms: int
    kind: int
    seat: int | None
    body: bytes
    h: bytes


def row_to_json(row: Row) -> list[int | str | None]:
    """A row as JSON has it; bytes are in hexadecimal digits."""
    return [*row[:6], row.body.hex(), row.h.hex()]


def row_from_json(fields: Sequence[Any]) -> Row:
    *numbers, body, h = fields
    return Row._make([*numbers, bytes.fromhex(body), bytes.fromhex(h)])


#: How a table was opened: the number of its first row, as the store chains it into the hash, and what that row says.
Opened: TypeAlias = tuple[int, TableHeader]


class Head(NamedTuple):
    """The number and the hash of a table's last row."""

    n: int
    h: bytes
    #: `None`: it is not known without reading.
    opened: Opened | None = None


def link(previous: bytes, seq: int, game: int, n: int, at_ms: int, kind: int, seat: int | None, body: bytes) -> bytes:
    """The `h` of a row after one with the `h` of `previous`."""
    numbers = _NUMBERS.pack(seq, game, n, at_ms, kind, _NOBODY if seat is None else seat)
    return sha256(previous + numbers + body).digest()[:8]


def opening_row(seq: int, table: TableId, opening: TableHeader, opened_ms: int) -> Row:
    """
    A table's row 0.

    :param opened_ms: milliseconds since 1970, for people to read; nothing is computed from it
    """
    body = write_opening(opening)
    return Row(seq, table, 0, opened_ms, OPENED, None, body, link(NO_ROW, seq, table, 0, opened_ms, OPENED, None, body))


def entry_row(seq: int, table: TableId, head: Head, entry: Entry) -> Row:
    """The row of an entry that follows `head`."""
    row = _row_of(seq, table, head.n + 1, entry)
    return row._replace(h=link(head.h, *row[:7]))


def _row_of(seq: int, table: int, n: int, entry: Entry) -> Row:
    kind = int(entry.kind) | CHECKED if entry.check else int(entry.kind)
    return Row(seq, table, n, entry.at, kind, entry.seat, write_body(entry), b"")


def run_row(seq: int, table: int, head: Head, entries: Sequence[Entry] | bytes, count: int) -> Row:
    """
    The row of several entries that follow `head`.

    :param entries: as they are, or as they are written
    """
    n, body = head.n + 1, entries if isinstance(entries, bytes) else _encode(entries)
    return Row(seq, table, n, count, RUN, None, body, link(head.h, seq, table, n, count, RUN, None, body))


def end_of(row: Sequence[Any]) -> int:
    """The number of the last entry in a row."""
    return int(row[2] + entries_in(row) - 1)


def entries_in(row: Sequence[Any]) -> int:
    """How many entries a row has."""
    return int(row[3]) if row[4] in (RUN, RECENT) else 1


def chain_of(rows: Iterable[Sequence[Any]], head: Head | None = None) -> Head | None:
    """
    Check the next rows of a table, and give the chain's head after them.

    Builds no object for a row: a start reads every row of every unfinished table.

    :param rows: in the order of the columns, as the database gives them
    :param head: before these rows; `None`: the first of them is to be the table's row 0
    :returns: `None` if there is no row and no head
    :raises Damaged: a row is not the one that was written there
    """
    n, h = (-1, NO_ROW) if head is None else head[:2]
    pack = _NUMBERS.pack
    for seq, game, number, at_ms, kind, seat, body, stored in rows:
        n += 1
        if number != n:
            raise Damaged(f"table {game}: row {n} is missing")
        if kind == RECENT:
            if stored:
                raise Damaged(f"table {game}: row {n} is in a commit that does not match its hash")
            n += at_ms - 1
            continue
        numbers = pack(seq, game, number, at_ms, kind, _NOBODY if seat is None else seat)
        h = sha256(h + numbers + body).digest()[:8]
        if h != stored:
            raise Damaged(f"table {game}: row {n} does not match its hash")
        if (kind == OPENED) != (n == 0):
            raise Damaged(f"table {game}: row {n} is of a kind that cannot stand there")
        if kind == RUN:
            n += at_ms - 1
    return None if n < 0 else Head(n, h)


def rechained(rows: Iterable[Row], numbers: Iterable[int]) -> list[Row]:
    """
    The rows of a table as another store has them: with its own numbers, and so with other hashes.

    :param rows: all rows of the table, checked
    :param numbers: the numbers of the new rows, which stand where SQLite has the row's and PostgreSQL the run's
    """
    chained: list[Row] = []
    h = NO_ROW
    for row, number in zip(rows, numbers, strict=False):
        h = link(h, number, *row[1:7])
        chained.append(row._replace(seq=number, h=h))
    return chained


# Looking up a member of an enum takes ten times as long as this name, and this one is looked up for every move.
ARCHIVED = EntryKind.ARCHIVED


def finishes(entry: Entry) -> bool:
    """Whether a table's record ends with this entry."""
    return bool(entry.outcome) or entry.kind is ARCHIVED


def write_opening(opening: TableHeader) -> bytes:
    """The body of row 0: JSON, its keys sorted, ASCII."""
    seats = [
        [
            *(seat.name, seat.wire, seat.address, seat.account),
            *([seat.key_digest, seat.shown] if seat.shown else [seat.key_digest] if seat.key_digest else []),
        ]
        for seat in opening.seats
    ]
    fields = {"game": opening.game, "version": opening.version, "seats": seats, "settings": dict(opening.settings)}
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")


def read_opening(row: Row) -> TableHeader:
    """
    :raises Undecodable: not an opening that this release can read
    """
    try:
        fields = msgspec.json.decode(row.body)
        seats = tuple(SeatRecord(name, wire, address, *more) for name, wire, address, *more in fields["seats"])
        opening = TableHeader(fields["game"], fields["version"], seats, fields["settings"])
        if type(opening.game) is str and type(opening.version) is int and type(opening.settings) is dict:
            return opening
        error: Exception | None = None
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, RecursionError) as caught:
        error = caught
    raise Undecodable(
        f"table {row.game}: its opening cannot be read: it is damaged, or another release wrote it"
    ) from error


def write_body(entry: Entry) -> bytes:
    """The body of an entry's row: everything that is not in the other columns."""
    notation = entry.notation
    if not entry.drawn and len(notation) < 128:
        start = b"%c%b\0" % (len(notation), notation)
    else:
        drawn = b"".join(map(_number, entry.drawn))
        start = b"".join((_number(len(notation)), notation, _number(len(entry.drawn)), drawn))
    if entry.check:
        start = entry.check + start
    return start + entry.outcome.encode("utf-8", "surrogatepass") if entry.outcome else start


def read_entry(row: Row) -> Entry:
    """
    :raises Undecodable: of a kind, or in a form, that this release does not know
    """
    kind = _KINDS.get(row.kind)
    if kind is None and row.kind - CHECKED in _KINDS:
        check, body = row.body[:_CHECK_BYTES], row.body[_CHECK_BYTES:]
        return msgspec.structs.replace(read_entry(row._replace(kind=row.kind - CHECKED, body=body)), check=check)
    if kind is None:
        raise Undecodable(f"table {row.game}: row {row.n} is of kind {row.kind}, which this release does not know")
    seat = None if row.seat is None else Seat(row.seat)
    body = row.body
    if len(body) > 1 and body[0] < 128 and len(body) == body[0] + 2 and not body[-1]:
        # A notation, no draws and no outcome, as nearly all have: quicker than number by number.
        return Entry(kind, row.at_ms, seat, body[1:-1])
    try:
        length, start = _read_number(body, 0)
        notation = body[start : start + length]
        count, place = _read_number(body, start + length)
        drawn = []
        for _ in range(count):
            number, place = _read_number(body, place)
            drawn.append(number)
        return Entry(kind, row.at_ms, seat, notation, tuple(drawn), body[place:].decode("utf-8", "surrogatepass"))
    except (IndexError, UnicodeDecodeError) as error:
        raise Undecodable(
            f"table {row.game}: row {row.n} cannot be read: it is damaged, or another release wrote it"
        ) from error


def record_of(rows: Sequence[Row]) -> TableRecord:
    """
    A table from all its rows.

    :raises Undecodable: another release wrote them
    """
    entries = tuple(entry for row in rows[1:] for entry in read_entries(row))
    return TableRecord(TableId(rows[0].game), read_opening(rows[0]), entries)


def read_entries(row: Row) -> Sequence[Entry]:
    """
    The entries of a row, which is one but in a run.

    :raises Undecodable: of a kind, or in a form, that this release does not know
    """
    if row.kind not in (RUN, RECENT):
        return (read_entry(row),)
    try:
        entries = _decode(row.body)
        if len(entries) == row.at_ms:
            return entries
        error: Exception | None = None
    except (msgspec.DecodeError, ValueError, RecursionError) as caught:
        error = caught
    raise Undecodable(_unreadable_row_message(row)) from error


def _unreadable_row_message(row: Row) -> str:
    """Why a run cannot be read: the first row of another release in it."""
    with suppress(msgspec.DecodeError, ValueError, RecursionError):
        for n, written in enumerate(_split(row.body), row.n):
            [kind, *_] = msgspec.msgpack.decode(written)
            if kind not in _KINDS:
                return f"table {row.game}: row {n} is of kind {kind}, which this release does not know"
    return (
        f"table {row.game}: row {row.n}, or one behind it, cannot be read: it is damaged, or another release wrote it"
    )


def single_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """
    Rows with one entry each, and without hashes where there were runs.

    :raises Undecodable: another release wrote them
    """
    for row in rows:
        if row.kind in (RUN, RECENT):
            for n, entry in enumerate(read_entries(row), row.n):
                yield _row_of(row.seq, row.game, n, entry)
        else:
            yield row


def _number(number: int) -> bytes:
    """A whole number from 0 up: seven bits a byte, the lowest first, the top bit where more follow."""
    if number < 0:
        raise ValueError("a negative number cannot be written down")
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    written.append(number)
    return bytes(written)


def _read_number(data: bytes, place: int) -> tuple[int, int]:
    """The number written at `place`, and the place after it."""
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
        shift += 7
