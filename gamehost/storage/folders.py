"""
Other users that can replace a store: every user that may write to its folder, or to one above it, can rename its files.

A start warns and does not refuse. In a container and on some file systems every folder has mode 0777, whatever its
owner does, and there are no other users. A group may write: its members were chosen. In a folder with the sticky bit,
such as `/tmp`, each user can rename only what is theirs.
"""

import shlex
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def open_folders(store: Path) -> Iterator[str]:
    """
    One sentence for each folder that lets every user replace the files of a store, with the command that mends it.

    :param store: its file, or the name that its small files begin with; it need not exist
    """
    for folder in store.resolve().parents:
        with suppress(OSError):  # a folder that is not there is refused when the store is opened
            mode = stat.S_IMODE(folder.stat().st_mode)
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                name = shlex.quote(str(folder))
                yield f"every user can replace the store: its folder {folder} has mode {mode:04o}; type: chmod o-w {name}"
