"""
A host with a fault, for tests of the tests: it says that entries are durable before they are.

The commit comes a little later, as on a slow disk. So the fault is found on fast machines and on slow ones.
"""

from collections.abc import Callable
from typing import Any

from gamehost.__main__ import main
from gamehost.storage.durable import DurableJournal

_put: Any = DurableJournal._put


def _answer_first(self: DurableJournal, change: Any, size: int, durable: Callable[[], None]) -> None:
    from twisted.internet import reactor

    durable()
    later: Any = reactor
    later.callLater(0.05, _put, self, change, size, lambda: None)


if __name__ == "__main__":
    DurableJournal._put = _answer_first  # type: ignore[method-assign]
    main()
