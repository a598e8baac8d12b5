"""
A host that says all it can about itself: calls that are late tell where they were made, and every so often a password cannot
be worked on, so that a traceback is logged. For the search for passwords.
"""

import hashlib
from itertools import count
from typing import Any

from twisted.internet import defer
from twisted.internet.base import DelayedCall

from gamehost.__main__ import main

_scrypt = hashlib.scrypt
_calls = count(1)


def _sometimes(*arguments: Any, **more: Any) -> bytes:
    if next(_calls) % 13 == 0:
        raise MemoryError("planted")
    return _scrypt(*arguments, **more)


if __name__ == "__main__":
    defer.setDebugging(True)
    DelayedCall.debug = True
    hashlib.scrypt = _sometimes
    main()
