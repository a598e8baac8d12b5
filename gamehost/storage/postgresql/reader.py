"""
The reading side of a store in a database: a session of its own, which never writes.

A session that is lost is opened again when somebody asks next. Nothing that is read for people ends the host.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import define, field

from gamehost.journal.records import TableId
from gamehost.storage.match_lists import Ends
from gamehost.storage.postgresql.lists import LIST, MATCH, ends_of
from gamehost.storage.postgresql.rows import TableRows
from gamehost.storage.postgresql.session import LineLost, Session, connect
from gamehost.storage.row_codec import Row

#: After so long the server gives a statement up: what is read may not keep it from clearing away old rows.
LONGEST = "5s"


@define(eq=False)
class PostgresReader:
    """
    As `gamehost.storage.questions.AnsweringStore`. For one thread.

    :param epoch: the number of this life
    """

    _store: str
    epoch: int
    _connect: Callable[[str], Session] = field(default=lambda store: open_session(store))
    _session: Session | None = None
    _tables: TableRows = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._tables = TableRows(self._query)

    def _query(self, sql: str, *parameters: Any) -> list[Any]:
        return self._asking(lambda session: session.rows(sql, parameters))

    def _asking(self, ask: "Callable[[Session], list[Any]]") -> list[Any]:
        """
        Ask the database, once more if the session was lost meanwhile.

        :raises LineLost: it is out of reach
        """
        if self._session is not None:
            try:
                return ask(self._session)
            except LineLost:
                self.close()
        self._session = self._connect(self._store)
        return ask(self._session)

    def first_and_last(self, low: int, below: int) -> Sequence[Row]:
        return self._tables.first_and_last(low, below)

    def rows(self, table: TableId) -> Sequence[Row]:
        return [Row._make(row) for row in self._tables.rows(table)]

    def rows_after(self, last: Mapping[TableId, int], most: int) -> Sequence[Row]:
        return self._tables.rows_after(last, most)

    def elsewhere(self, most: int) -> tuple[Sequence[tuple[TableId, int, int]], int]:
        return self._tables.elsewhere(self.epoch, most)

    def openings(self, tables: Sequence[TableId]) -> Sequence[Row]:
        return self._tables.openings(tables)

    def listed(self, name: str, rules: str, below: int, most: int) -> Sequence[Ends]:
        return self._asking(lambda session: ends_of(session, LIST, name, rules, below, most))

    def finished(self, table: TableId) -> Ends | None:
        return next(iter(self._asking(lambda session: ends_of(session, MATCH, table))), None)

    def interrupt(self) -> None:
        """Have the server give up what it reads. For any thread."""
        if (session := self._session) is not None:
            session.cancel()

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()
            self._session = None


def open_session(store: str) -> Session:
    """
    A session for reading.

    :raises LineLost: there is none to be had now, or with a standby, which may be behind
    """
    session = connect(store, read_only=True)
    try:
        session.run(f"SET statement_timeout = '{LONGEST}'")
        if session.rows("SELECT pg_is_in_recovery()")[0][0]:
            raise LineLost("this server is a standby")
    except BaseException:
        session.close()
        raise
    return session
