"""A host with a fault, for tests of the tests: it says that entries are durable before they are, and stops without them."""

from collections.abc import Callable
from contextlib import suppress
from queue import Empty

from gamehost.__main__ import main
from gamehost.storage.durable import DurableJournal
from tests.kit.faulty_hosts import acknowledges_early as planted_host

_stop = DurableJournal.stop


def _stop_without_what_waits(self: DurableJournal, stopped: Callable[[], None]) -> None:
    self._added.clear()
    with suppress(Empty):
        while True:
            self._writer._queue.get_nowait()
    _stop(self, stopped)


if __name__ == "__main__":
    DurableJournal._put = planted_host._answer_first  # type: ignore[method-assign]
    DurableJournal.stop = _stop_without_what_waits  # type: ignore[method-assign]
    main()
