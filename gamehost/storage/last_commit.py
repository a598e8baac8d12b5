"""
The number of the last durable row, in a file beside the store while a host runs.

The high-water mark is written to the disk, so it follows a little behind. This file is memory that the system keeps when a
process is killed. It is written after each commit and costs no system call. After a power cut it may be older, or torn and
then ignored.
"""

import mmap
import os
from pathlib import Path
from struct import Struct
from zlib import crc32

from gamehost.storage.high_water_mark import Mark, mark_of

SUFFIX = ".last"

_MAGIC = b"gamehost"
#: Magic, last row, rows, accounts, the last row's hash; then their checksum.
_FIELDS = Struct(">8sQQQ8s")
_CHECKSUM = Struct(">I")
_SIZE = _FIELDS.size + _CHECKSUM.size


class LastCommit:
    """
    The file, open for writing.

    :raises OSError: it cannot be made
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            # Real bytes, not a hole: to fill a hole on a full disk would end the process.
            os.pwrite(descriptor, bytes(_SIZE), 0)
            self._memory = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)

    def note(self, last: int, count: int, accounts: int, h: bytes) -> None:
        """Note what is durable now; the arguments are those of `mark_of`."""
        fields = _FIELDS.pack(_MAGIC, last, count, accounts, h)
        self._memory[:] = fields + _CHECKSUM.pack(crc32(fields))

    def remove(self) -> None:
        """The store was closed in order: the mark says all."""
        self._memory.close()
        self._path.unlink(missing_ok=True)


def read_last_commit(path: Path) -> Mark | None:
    """What was noted; `None` if there is no such file, or if it is not whole."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(data) != _SIZE or _CHECKSUM.unpack(data[_FIELDS.size :])[0] != crc32(data[: _FIELDS.size]):
        return None
    magic, last, count, accounts, h = _FIELDS.unpack_from(data)
    return mark_of(last, count, h, accounts) if magic == _MAGIC else None
