"""
A circuit breaker for faults in games: it logs each table that a fault has suspended, and ends the host after several.

One suspended table is a fault of one match. Several within a minute are a fault of the host, which would break more
matches if it continued. The next start continues from the journal, which holds everything that players were told.
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
    :param on_fatal: called with the reason when the host must end; it does not return
    """

    log = Logger()

    def __init__(self, clock: IReactorTime, on_fatal: Callable[[str], None]) -> None:
        self._clock = clock
        self._on_fatal = on_fatal
        self._suspended_at: deque[float] = deque(maxlen=MOST)

    def suspended(self, table: TableId) -> None:
        """Log that a table is suspended, and end the host if there were too many."""
        now = self._clock.seconds()
        self._suspended_at.append(now)
        self.log.critical(
            "table {table} is suspended because of the error above; its players were told; it continues after the next "
            "start of the host; {most} such tables within {within} seconds end the host",
            table=table,
            most=MOST,
            within=round(WITHIN),
        )
        if len(self._suspended_at) == MOST and now - self._suspended_at[0] <= WITHIN:
            self._on_fatal(f"{MOST} tables were suspended within {WITHIN:.0f} seconds; the log says by which faults")
