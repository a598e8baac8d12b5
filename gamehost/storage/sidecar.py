"""
Small files beside the store: read whole, and replaced whole. A power cut leaves the old one or the new one, never a
piece of either.
"""

import os
from pathlib import Path


def sidecar_path(store: Path, suffix: str) -> Path:
    """The file that belongs to a store: `gamehost.sqlite` and `.hwm` give `gamehost.sqlite.hwm`."""
    return store.with_name(store.name + suffix)


def read(path: Path) -> str | None:
    """
    What the file says, or `None`: there is none. What is not UTF-8 is replaced.

    :raises OSError: it is there and cannot be read
    """
    try:
        return path.read_text("utf-8", "replace")
    except FileNotFoundError:
        return None


def replace(path: Path, text: str) -> None:
    """
    Put a new file in the old one's place; when this returns it is on the disk.

    :raises OSError: it may not be there
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
    See to it that the names in a folder are on the disk.

    :raises OSError: they may not be
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
