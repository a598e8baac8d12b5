"""
A copy of a journal, with a high-water mark beside it, so that a host can start on it.

`cp` is not enough after a crash: part of the journal is then in SQLite's log beside the file.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from gamehost.journal.records import StoreUnusable
from gamehost.storage import high_water_mark
from gamehost.storage.sidecar import replace, sidecar_path


def back_up(connection: sqlite3.Connection, target: Path) -> high_water_mark.Mark:
    """
    Copy a store to a new file, which only its owner can read.

    :param connection: to the store; nobody writes to it meanwhile
    :param target: a file that does not exist yet; it is removed again if the copy fails
    :returns: how much the copy holds
    :raises StoreUnusable: the copy cannot be written
    """
    try:
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise StoreUnusable(f"{target}: this file exists; name a new file") from None
    except OSError as error:
        raise StoreUnusable(f"{target}: {error.strerror}") from error
    try:
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            connection.backup(copy)
            held = high_water_mark.held(copy)
        replace(sidecar_path(target, high_water_mark.SUFFIX), high_water_mark.write_mark(held))
    except (sqlite3.Error, OSError) as error:
        target.unlink()
        raise StoreUnusable(f"{target}: the copy cannot be written ({error})") from error
    return held
