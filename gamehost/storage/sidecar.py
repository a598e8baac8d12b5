"""
The files beside the store: SQLite's log, checked for damage, and small files of the host. A small file is read and replaced as
a whole: after a power cut it is the old one or the new one.

One is the key of the digests in the table `proof`: 32 random bytes. It is not in the store itself. So a copy of the store that
falls into other hands holds nothing but scrypt's digests that could be used to guess a password. If the file is lost, a new key
is made, and the proofs of before do not count any more.

Another one limits restarts: a host that crashes soon after each start is not started again for a while. A start is counted if
the run before did not end in order and had made nothing durable.
"""

import json
import os
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from struct import Struct

from attrs import frozen

from gamehost.journal.records import StoreUnusable
from gamehost.storage.database import Loss


def sidecar_path(store: Path, suffix: str) -> Path:
    """The file that belongs to a store: `gamehost.sqlite` and `.hwm` give `gamehost.sqlite.hwm`."""
    return store.with_name(store.name + suffix)


def read(path: Path) -> str | None:
    """
    The text of a file, or `None` if there is no such file. Bytes that are not UTF-8 are replaced.

    :raises OSError: the file cannot be read
    """
    try:
        return path.read_text("utf-8", "replace")
    except FileNotFoundError:
        return None


def replace(path: Path, text: str) -> None:
    """
    Replace a file. The new one is on the disk when this returns.

    :raises OSError: the new file may not be on the disk
    """
    new = path.with_name(path.name + ".new")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", closefd=False) as file:
            file.write(text)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(new, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """
    Write the names in a folder to the disk.

    :raises OSError: they may not be on the disk
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


KEY_SUFFIX = ".key"
_KEY_BYTES = 32


def proof_key(store: Path) -> bytes:
    """
    The key that belongs to a store. It is made if there is none.

    A key that cannot be written, as on a full disk, is used until the process ends.
    """
    path = sidecar_path(store.resolve(), KEY_SUFFIX)
    with suppress(OSError, ValueError):
        key = bytes.fromhex(read(path) or "")
        if len(key) == _KEY_BYTES:
            return key
    key = secrets.token_bytes(_KEY_BYTES)
    with suppress(OSError):
        replace(path, key.hex() + "\n")
    return key


STARTS_SUFFIX = ".starts"

#: The starts after unclean ends that are allowed within `WITHIN` seconds.
MOST = 5
WITHIN = 60.0


@frozen
class Starts:
    """What is known of earlier starts."""

    #: A host was started and has not ended in order.
    running: bool = False
    #: The times of starts after an unclean end, in seconds since 1970.
    unclean: tuple[float, ...] = ()

    def started(self, now: float) -> "Starts":
        """
        The record after a start at `now`.

        :raises StoreUnusable: there were too many starts
        """
        # The wall clock may have been set back. Starts in the future must not block the host, so they are not counted.
        recent = tuple(start for start in self.unclean if now - WITHIN < start <= now)
        if not self.running:
            return Starts(True, recent)
        if len(recent) >= MOST:
            wait = recent[-MOST] + WITHIN - now
            raise StoreUnusable(
                f"the host was started {MOST} times in {WITHIN:.0f} seconds and died each time; its log says why. "
                f"It may be started again in {wait:.0f} seconds"
            )
        return Starts(True, (*recent, now))

    def productive(self) -> "Starts":
        """The record after this run made something durable: it is no crash loop, however it ends."""
        return Starts(self.running)

    def ended(self) -> "Starts":
        """The record after an orderly end."""
        return Starts(False, self.unclean)

    def write(self) -> str:
        return json.dumps({"running": self.running, "unclean": list(self.unclean)}) + "\n"


def read_starts(text: str | None) -> Starts:
    """The inverse of `Starts.write`. A file that is missing or cannot be read counts as no starts."""
    try:
        fields = json.loads(text or "{}")
        return Starts(bool(fields["running"]), tuple(float(start) for start in fields["unclean"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return Starts()


#: SQLite's write-ahead log. The format is that of https://sqlite.org/fileformat2.html, section 4.
LOG_SUFFIX = "-wal"

#: Magic number, format, page size, checkpoint number, two salts, two checksums.
_HEADER = Struct(">8I")
#: Page number, size of the database after a commit (0: no commit ends here), two salts, two checksums.
_FRAME = Struct(">6I")
#: The last bit says in which byte order the checksums are computed.
_MAGIC = 0x377F0682
_MASK = 0xFFFFFFFF


def check_log(log: bytes) -> None:
    """
    Check that nothing durable is behind the place where SQLite stops reading a log, and tell damage from the torn end that a
    power cut leaves.

    SQLite stops at the first frame that is not whole, and silently drops everything behind it. Each commit is on the disk
    before the next one begins. So a torn end holds frames of one commit at most. If a commit ends behind the first bad frame
    and more frames follow, then durable commits are lost.

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
    log, kept = sidecar_path(store, LOG_SUFFIX), sidecar_path(store, LOG_SUFFIX + ".kept")
    moved = log.is_file()
    if moved:
        os.replace(log, kept)  # so SQLite finds nothing to delete
    connection.interrupt()  # so it copies nothing
    connection.close()
    if moved:
        os.replace(kept, log)


def put_back(store: Path) -> None:
    """Put back a log if the process was killed in `close_unchanged`."""
    log, kept = sidecar_path(store, LOG_SUFFIX), sidecar_path(store, LOG_SUFFIX + ".kept")
    if kept.exists() and not log.exists():
        os.replace(kept, log)
