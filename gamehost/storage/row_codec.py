"""
The rows of a table as bytes. Row 0 is the opening of the table, and every further row is one entry.

Equal entries give equal bytes. The body of the opening is JSON. The body of an entry has the notation of the action,
the random numbers that were drawn, and the outcome. If the row's kind has the bit `CHECKED`, the body begins with a
fingerprint of the game's state.

The last field of every row is the hash `h`: the first 8 bytes of SHA-256 over the `h` of the row before and the other
fields of this row. So a row that was changed, lost or moved breaks this chain of hashes.

In a file, one row can contain several entries. Such a row is called a run. Its `n` is the number of the first entry,
and its body is a msgpack array of the entries. Its field `at_ms` is the number of entries; in other rows this field is
the time.
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

#: The kind of a table's row 0. The values of `EntryKind` begin at 1.
OPENED = 0

#: The hash with which the chain of each table begins.
NO_ROW = bytes(8)

_NUMBERS = Struct(">6q")
_NOBODY = -(2**63)
_KINDS = {int(kind): kind for kind in EntryKind}
#: Added to the kind of an entry that has a fingerprint in `check`.
CHECKED = 64
_CHECK_BYTES = 8
#: The kind of a run.
RUN = 32
#: The kind of a run that was made of entries in commits, and is not in `event`. It is not in the chain of hashes. Its
#: `h` is empty if its commits are undamaged.
RECENT = 33
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Entry]).decode
_split = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode


class Damaged(ValueError):
    """A row was changed or lost. The message says which row."""


class Undecodable(ValueError):
    """
    This release cannot read a row, usually because another release wrote it. A row with a wrong hash is `Damaged`
    instead.
    """


class Row(NamedTuple):
    """One row of the database table `event`, with the fields in the order of the columns."""

    seq: int
    game: int
    n: int
    at_ms: int
    kind: int
    seat: int | None
    body: bytes
    h: bytes


def row_to_json(row: Row) -> list[int | str | None]:
    """The fields of a row for JSON; bytes become hexadecimal digits."""
    return [*row[:6], row.body.hex(), row.h.hex()]


def row_from_json(fields: Sequence[Any]) -> Row:
    """The row that `row_to_json` has turned into these fields."""
    *numbers, body, h = fields
    return Row._make([*numbers, bytes.fromhex(body), bytes.fromhex(h)])


#: The number of a table's row 0, which is a part of its hash, and the opening in this row.
Opened: TypeAlias = tuple[int, TableHeader]


class Head(NamedTuple):
    """The end of a table's chain: the number and the hash of its last row."""

    n: int
    h: bytes
    #: The opening of the table; `None`: it was not read.
    opened: Opened | None = None


def link(previous: bytes, seq: int, game: int, n: int, at_ms: int, kind: int, seat: int | None, body: bytes) -> bytes:
    """
    The hash of a row.

    :param previous: the hash of the row before
    """
    numbers = _NUMBERS.pack(seq, game, n, at_ms, kind, _NOBODY if seat is None else seat)
    # Eight bytes of the hash are enough to find damage.
    return sha256(previous + numbers + body).digest()[:8]


def opening_row(seq: int, table: TableId, opening: TableHeader, opened_ms: int) -> Row:
    """
    A table's row 0.

    :param opened_ms: when the table was opened, in milliseconds since 1970; only shown to people
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
    The row of several entries that follow `head`: a run.

    :param entries: the entries, or the bytes of their msgpack array
    :param count: how many entries there are
    """
    n, body = head.n + 1, entries if isinstance(entries, bytes) else _encode(entries)
    return Row(seq, table, n, count, RUN, None, body, link(head.h, seq, table, n, count, RUN, None, body))


def end_of(row: Sequence[Any]) -> int:
    """The number of the last entry in a row."""
    return int(row[2] + entries_in(row) - 1)


def entries_in(row: Sequence[Any]) -> int:
    """The number of entries in a row."""
    return int(row[3]) if row[4] in (RUN, RECENT) else 1


def chain_of(rows: Iterable[Sequence[Any]], head: Head | None = None) -> Head | None:
    """
    Check the next rows of a table, and return the end of the chain after them. Makes no object for a row: a start reads
    very many rows.

    :param rows: rows with the columns in the order of `Row`
    :param head: the end of the chain before these rows; `None`: the first row must be the table's row 0
    :returns: `None` if there is no row and no head
    :raises Damaged: a row is missing, or is not as it was written
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
            # In these rows `at_ms` is the number of entries; `n` becomes the number of the last one.
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
    The rows of a table for another store: with new numbers, and so with new hashes.

    :param rows: all rows of the table, checked
    :param numbers: the new values of `Row.seq`, which is the number of a row in SQLite, and the number of a host's run
        in PostgreSQL
    """
    chained: list[Row] = []
    h = NO_ROW
    for row, number in zip(rows, numbers, strict=False):
        h = link(h, number, *row[1:7])
        chained.append(row._replace(seq=number, h=h))
    return chained


# Looking up a member of an enum takes ten times as long as a name of the module, and this member is needed for every
# move.
ARCHIVED = EntryKind.ARCHIVED


def finishes(entry: Entry) -> bool:
    """Whether a table's record ends with this entry."""
    return bool(entry.outcome) or entry.kind is ARCHIVED


def write_opening(opening: TableHeader) -> bytes:
    """The body of row 0: JSON in ASCII, with sorted keys."""
    seats: list[list[str | bool]] = []
    for seat in opening.seats:
        written: list[str | bool] = [seat.name, seat.wire, seat.address, seat.account]
        # Optional fields stand at the end. A shown name needs the digest before it, even an empty one.
        if seat.shown:
            written += [seat.key_digest, seat.shown]
        elif seat.key_digest:
            written.append(seat.key_digest)
        seats.append(written)
    fields = {"game": opening.game, "version": opening.version, "seats": seats, "settings": dict(opening.settings)}
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")


def read_opening(row: Row) -> TableHeader:
    """
    The opening in a row 0.

    :raises Undecodable: this release cannot read the opening
    """
    try:
        fields = msgspec.json.decode(row.body)
        seats = tuple(SeatRecord(name, wire, address, *more) for name, wire, address, *more in fields["seats"])
        opening = TableHeader(fields["game"], fields["version"], seats, fields["settings"])
        # The fields can have any type that JSON allows.
        if type(opening.game) is str and type(opening.version) is int and type(opening.settings) is dict:
            return opening
        error: Exception | None = None
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, RecursionError) as caught:
        error = caught
    raise Undecodable(
        f"table {row.game}: its opening cannot be read: it is damaged, or another release wrote it"
    ) from error


def write_body(entry: Entry) -> bytes:
    """The body of an entry's row: everything in the entry that is not in the other columns."""
    notation = entry.notation
    # The usual short form, or numbers before each part. Both forms are the same format.
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
    The entry in a row.

    :raises Undecodable: the entry is of a kind, or in a form, that this release does not know
    """
    kind = _KINDS.get(row.kind)
    if kind is None and row.kind - CHECKED in _KINDS:
        # The entry has a check value: it is at the beginning of the body, and the rest is a usual entry.
        check, body = row.body[:_CHECK_BYTES], row.body[_CHECK_BYTES:]
        return msgspec.structs.replace(read_entry(row._replace(kind=row.kind - CHECKED, body=body)), check=check)
    if kind is None:
        raise Undecodable(f"table {row.game}: row {row.n} is of kind {row.kind}, which this release does not know")
    seat = None if row.seat is None else Seat(row.seat)
    body = row.body
    # The length of the notation, the notation, and zero random numbers fill the whole body.
    if len(body) > 1 and body[0] < 128 and len(body) == body[0] + 2 and not body[-1]:
        # A short way for most entries: a notation, no random numbers and no outcome.
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
    The record of a table from all its rows.

    :raises Undecodable: another release wrote the rows
    """
    entries = tuple(entry for row in rows[1:] for entry in read_entries(row))
    return TableRecord(TableId(rows[0].game), read_opening(rows[0]), entries)


def read_entries(row: Row) -> Sequence[Entry]:
    """
    The entries of a row: one entry, or several in a run.

    :raises Undecodable: this release does not know the kind or the form of an entry
    """
    if row.kind not in (RUN, RECENT):
        return (read_entry(row),)
    try:
        entries = _decode(row.body)
        # In a row of several entries, this column has their number.
        if len(entries) == row.at_ms:
            return entries
        error: Exception | None = None
    except (msgspec.DecodeError, ValueError, RecursionError) as caught:
        error = caught
    raise Undecodable(_unreadable_row_message(row)) from error


def _unreadable_row_message(row: Row) -> str:
    """A sentence why a run cannot be read. If an entry has an unknown kind, the sentence names the first such entry."""
    with suppress(msgspec.DecodeError, ValueError, RecursionError):
        for n, written in enumerate(_split(row.body), row.n):
            # The first field of an entry is its kind.
            [kind, *_] = msgspec.msgpack.decode(written)
            if kind not in _KINDS:
                return f"table {row.game}: row {n} is of kind {kind}, which this release does not know"
    return (
        f"table {row.game}: row {row.n}, or one behind it, cannot be read: it is damaged, or another release wrote it"
    )


def single_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """
    The same entries in rows with one entry each. Rows from a run have no hashes.

    :raises Undecodable: another release wrote them
    """
    for row in rows:
        if row.kind in (RUN, RECENT):
            for n, entry in enumerate(read_entries(row), row.n):
                yield _row_of(row.seq, row.game, n, entry)
        else:
            yield row


def _number(number: int) -> bytes:
    """
    The bytes of a whole number from 0 up: seven bits in each byte, the lowest bits first. The top bit says that another
    byte follows.
    """
    if number < 0:
        raise ValueError("a negative number cannot be written down")
    written = bytearray()
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    written.append(number)
    return bytes(written)


def _read_number(data: bytes, place: int) -> tuple[int, int]:
    """The number that begins at `place`, and the place after it."""
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
        shift += 7
