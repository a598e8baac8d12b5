"""
Warnings about folders in which other users can replace the store. A user that may write to the folder of the store, or
to a folder above it, can rename its files.

The host only warns. In a container, and on some file systems, every folder has mode 0777, and there are no other users.
There is no warning for a folder that a group may write to, because its members were chosen. In a folder with the sticky
bit, such as `/tmp`, users can rename only their own files.
"""

import shlex
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def open_folders(store: Path) -> Iterator[str]:
    """
    One sentence for each folder in which every user can replace the files of a store, with a command that changes this.

    :param store: the file of the store, or the path with which its small files begin; it need not exist
    """
    for folder in store.resolve().parents:
        with suppress(OSError):  # a missing folder is reported when the store is opened
            mode = stat.S_IMODE(folder.stat().st_mode)
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                name = shlex.quote(str(folder))
                yield f"every user can replace the store: its folder {folder} has mode {mode:04o}; type: chmod o-w {name}"
