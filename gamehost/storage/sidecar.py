"""
Small files beside the store. A file is read and replaced as a whole: after a power cut it is the old one or the new one.
"""

import os
from pathlib import Path


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
