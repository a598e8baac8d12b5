"""
The operator's bell: it rings for every table that a fault has stopped, and ends the host when it rings too often.

One broken match is one match; several within a minute are a fault of the host, and to go on would only break more of
them. The next life goes on from the journal, where everything that anybody was told is.
"""

from collections import deque
from collections.abc import Callable

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from gamehost.journal.records import TableId

#: So many suspended tables within so many seconds end the host.
MOST = 3
WITHIN = 60.0


class FaultBreaker:
    """
    :param on_fatal: called with the reason when the host must not go on; it does not return
    """

    log = Logger()

    def __init__(self, clock: IReactorTime, on_fatal: Callable[[str], None]) -> None:
        self._clock = clock
        self._on_fatal = on_fatal
        self._rung: deque[float] = deque(maxlen=MOST)

    def suspended(self, table: TableId) -> None:
        """Say that a table has stopped, and what its players and its owner can do; or end the host."""
        now = self._clock.seconds()
        self._rung.append(now)
        self.log.critical(
            "table {table} has stopped by a fault of the host, which stands above; its players were told, its record is "
            "kept, and it goes on when the host is started anew; {most} such tables within {within} seconds end the host",
            table=table,
            most=MOST,
            within=round(WITHIN),
        )
        if len(self._rung) == MOST and now - self._rung[0] <= WITHIN:
            self._on_fatal(f"{MOST} tables were suspended within {WITHIN:.0f} seconds; the log says by which faults")
