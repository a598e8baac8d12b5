"""
The key of the digests in the table `proof`: 32 random bytes in a file beside the store.

It is not in the store itself. So a copy of the store that falls into other hands holds nothing but scrypt's digests that
could be used to guess a password. If the file is lost, a new key is made, and the proofs of before do not count any more.
"""

import secrets
from contextlib import suppress
from pathlib import Path

from gamehost.storage.sidecar import read, replace, sidecar_path

SUFFIX = ".key"
_BYTES = 32


def proof_key(store: Path) -> bytes:
    """
    The key that belongs to a store. It is made if there is none.

    A key that cannot be written, as on a full disk, is used until the process ends.
    """
    path = sidecar_path(store.resolve(), SUFFIX)
    with suppress(OSError, ValueError):
        key = bytes.fromhex(read(path) or "")
        if len(key) == _BYTES:
            return key
    key = secrets.token_bytes(_BYTES)
    with suppress(OSError):
        replace(path, key.hex() + "\n")
    return key
