"""
A copy of a journal made while the host goes on: in steps on the writer's thread, with the moves committed in between.

Nobody else can make one: the store is its host's alone, and a plain copy of its files would be of several moments.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from gamehost.storage import high_water_mark
from gamehost.storage.sidecar import replace, sidecar_path
from gamehost.storage.store import SqliteStore

#: Pages copied in one step: 1 MiB.
STEP = 256


def back_up(
    store: SqliteStore,
    target: Path,
    say: Callable[[Callable[[], None]], None],
    done: Callable[[str | None], None],
    commit_queued: Callable[[], None],
) -> None:
    """
    Copy a store, and put a high-water mark beside the copy.

    :param target: a file that does not exist yet
    :param say: has a callable called on the reactor's thread
    :param done: called through it with `None`, or with what went wrong with the copy
    :param commit_queued: called between two steps; what it commits is in the copy too
    :raises Exception: a commit failed; the copy is worth nothing, and neither is the connection
    """
    wrong: str | None = None
    try:
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(target, isolation_level=None)) as copy:
            source: Any = store.connection
            source.backup(copy, pages=STEP, progress=lambda *_: commit_queued())
            held = high_water_mark.held(copy)
        replace(sidecar_path(target, high_water_mark.SUFFIX), high_water_mark.write_mark(held))
    except (sqlite3.Error, OSError) as error:
        # What went wrong with the journal itself ends the host; what went wrong with the copy does not.
        if store.failed:
            raise
        wrong = f"{type(error).__name__}: {error}"
    say(partial(done, wrong))
