"""
The end of a start: the records of many unfinished tables are checked while players come in already.

Their tables sleep. A player who comes meanwhile does not wait for the check: the table is read and checked with the log-in.
"""

from collections.abc import Sequence

from attrs import define
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from gamehost.journal.records import Store

#: Rows that are checked at once: two milliseconds for the journal's thread. Moves that come meanwhile wait for them.
ROWS = 1000
#: Pauses between two such checks, as a multiple of the time that the last one took; in seconds at least.
PAUSE, LEAST_PAUSE = 2.0, 0.001


@define(eq=False)
class Resuming:
    """
    The check of a host's unfinished tables. It says in the log how far the start is.

    :param clock: sets the pauses
    """

    _clock: IReactorTime
    _store: Store
    _tables: int = 0
    _damaged: int = 0
    _began: float = 0.0
    _asked: float = 0.0
    _pause: IDelayedCall | None = None
    _halted: bool = False

    log = Logger()

    @property
    def under_way(self) -> bool:
        """Whether there are records that were not checked yet."""
        return bool(self._tables)

    def begin(self, tables: int) -> None:
        """So many tables sleep. If their records are not all checked, check the others."""
        self._began = self._clock.seconds()
        if self._store.all_checked:
            if tables:
                self.log.info("resumed {tables}", tables=_counted(tables))
            return
        self.log.info("{tables} to resume: their records are checked while players come in", tables=_counted(tables))
        self._tables = tables
        self._ask()

    def halt(self) -> None:
        """The host stops: no more records are checked."""
        self._halted = True
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    def _ask(self) -> None:
        self._pause = None
        self._asked = self._clock.seconds()
        self._store.check(ROWS, self._checked)

    def _checked(self, damage: Sequence[str], all_checked: bool) -> None:
        for words in damage:
            self._damaged += 1
            self.log.error("not resumed: {words}", words=words)
        if self._halted:
            return
        now = self._clock.seconds()
        if not all_checked:
            self._pause = self._clock.callLater(max(LEAST_PAUSE, PAUSE * (now - self._asked)), self._ask)
            return
        tables, seconds = _counted(self._tables - self._damaged), f"{now - self._began:.1f}"
        self.log.info("resumed {tables} in {seconds} s", tables=tables, seconds=seconds)
        self._tables = 0


def _counted(tables: int) -> str:
    return f"{tables} table{'' if tables == 1 else 's'}"
