"""
SQLite's write-ahead log, read without SQLite: to tell damage from the torn end that a power cut leaves.

SQLite stops at the first frame that is not whole, and silently drops everything behind it. Each commit is on the disk
before the next one begins. So a torn end holds frames of one commit at most. If a commit ends behind the first bad frame
and more frames follow, then durable commits are lost.

The format is that of https://sqlite.org/fileformat2.html, section 4.
"""

import os
from functools import cache
from pathlib import Path
from struct import Struct

from gamehost.storage.database import Connection, Loss
from gamehost.storage.sidecar import sidecar_path

SUFFIX = "-wal"

#: Magic number, format, page size, checkpoint number, two salts, two checksums.
_HEADER = Struct(">8I")
#: Page number, size of the database after a commit (0: no commit ends here), two salts, two checksums.
_FRAME = Struct(">6I")
#: The last bit says in which byte order the checksums are computed.
_MAGIC = 0x377F0682
_MASK = 0xFFFFFFFF


def check_log(log: bytes) -> None:
    """
    Check that nothing durable is behind the place where SQLite stops reading a log.

    :raises Loss: the log is damaged, and more than one commit may be lost
    """
    if len(log) <= _HEADER.size:
        return  # no commit: the header is written before the first one
    magic, _, page_size, _, *salts, first, second = _HEADER.unpack_from(log)
    order = ">" if magic & 1 else "<"
    sums = _checksum(order, log[: _HEADER.size - 8], (0, 0))
    if magic & ~1 != _MAGIC or sums != (first, second):
        raise Loss("the journal is shorter than recorded: its log has a damaged header, so nothing in it can be read")
    step = _FRAME.size + page_size
    places = range(_HEADER.size, len(log) - step + 1, step)
    whole = 0
    for place in places:
        *_, first, second = _FRAME.unpack_from(log, place)
        sums = _checksum(order, log[place : place + 8], sums)
        sums = _checksum(order, log[place + _FRAME.size : place + step], sums)
        if [*_FRAME.unpack_from(log, place)[2:4]] != salts or sums != (first, second):
            break
        whole += 1
    # Frames with other salts are old: the log is written again from its beginning after each checkpoint.
    behind = [frame for frame in (_FRAME.unpack_from(log, place) for place in places[whole:]) if [*frame[2:4]] == salts]
    if any(frame[1] for frame in behind[:-1]):
        raise Loss(
            f"the journal is shorter than recorded: its log is damaged at frame {whole + 1}, "
            f"and {len(behind)} more frames follow"
        )


def _checksum(order: str, data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = iter(_words(order, len(data) // 4).unpack(data))
    for one, other in zip(words, words, strict=True):
        first = (first + one + second) & _MASK
        second = (second + other + first) & _MASK
    return first, second


@cache
def _words(order: str, count: int) -> Struct:
    return Struct(f"{order}{count}I")


def close_unchanged(connection: Connection, store: Path) -> None:
    """
    Close a store that is refused, without a change to it or its log.

    SQLite copies the log into the store when it closes it, and deletes the log. Somebody might still save rows from there.
    """
    log, kept = sidecar_path(store, SUFFIX), sidecar_path(store, SUFFIX + ".kept")
    moved = log.is_file()
    if moved:
        os.replace(log, kept)  # so SQLite finds nothing to delete
    connection.interrupt()  # so it copies nothing
    connection.close()
    if moved:
        os.replace(kept, log)


def put_back(store: Path) -> None:
    """Put back a log if the process was killed in `close_unchanged`."""
    log, kept = sidecar_path(store, SUFFIX), sidecar_path(store, SUFFIX + ".kept")
    if kept.exists() and not log.exists():
        os.replace(kept, log)
