"""
Small files beside the store. A file is read and replaced as a whole: after a power cut it is the old one or the new one.

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
from pathlib import Path

from attrs import frozen

from gamehost.journal.records import StoreUnusable


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
        """The text of the file."""
        return json.dumps({"running": self.running, "unclean": list(self.unclean)}) + "\n"


def read_starts(text: str | None) -> Starts:
    """The inverse of `Starts.write`. A file that is missing or cannot be read counts as no starts."""
    try:
        fields = json.loads(text or "{}")
        return Starts(bool(fields["running"]), tuple(float(start) for start in fields["unclean"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return Starts()
