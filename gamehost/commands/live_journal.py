"""
The journal of a running host, read through the socket beside its store.

Only the host itself can read its store while it runs. So it is asked for the rows, and they are decoded here.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from attrs import define

from gamehost.commands.asking import NoHost, answers
from gamehost.journal.records import StoreUnusable, TableId, TableRecord
from gamehost.storage import high_water_mark
from gamehost.storage.database import StoreInUse
from gamehost.storage.high_water_mark import Mark
from gamehost.storage.inspect import Findings, StoreInspector, Summary, match_of, reading, summaries_of
from gamehost.storage.postgresql.urls import is_postgresql, require_psycopg
from gamehost.storage.row_codec import Row, Undecodable, row_from_json
from gamehost.storage.sidecar import sidecar_path

if TYPE_CHECKING:
    from gamehost.storage.postgresql.inspect import PostgresInspector

#: How a command is sent, and the lines of its answer.
Answers = Iterator[Mapping[str, Any]]


class JournalReader(Protocol):
    """What can be read from a journal, whether a host has it open or not."""

    def tables(self) -> Iterator[Summary | Undecodable]:
        """All tables, oldest first. For a table that this release cannot read, the reason instead."""

    def table(self, table: TableId) -> tuple[int, TableRecord]:
        """
        When a table was opened, in milliseconds since 1970, and all of it.

        :raises StoreUnusable: there is no such table
        :raises Undecodable: another release wrote it
        """

    def back_up(self, target: Path) -> Mark:
        """
        Copy the journal to a new file.

        :raises StoreUnusable: the copy cannot be written
        """


@define(eq=False)
class LiveJournal:
    """
    The journal of a running host.

    :param socket: where the host is asked
    """

    _socket: Path

    def tables(self) -> Iterator[Summary | Undecodable]:
        return summaries_of(self._rows("journal ends"))

    def table(self, table: TableId) -> tuple[int, TableRecord]:
        return match_of(table, list(self._rows("journal rows", table=table)))

    def back_up(self, target: Path, accept_faults: bool = False) -> Mark:
        """
        Have the host copy its journal to a new file.

        :param accept_faults: also if its check finds faults
        :raises StoreUnusable: the copy cannot be written
        """
        end: Mapping[str, Any] = {}
        for answer in self._ask("backup", file=str(target.absolute()), accept_faults=accept_faults):
            end = answer["end"]
        return Mark(0, end["rows"], "", end["accounts"])

    def _rows(self, command: str, **arguments: Any) -> Iterator[Row]:
        for answer in self._ask(command, **arguments):
            if "item" in answer:
                yield row_from_json(answer["item"]["row"])

    def _ask(self, command: str, **arguments: Any) -> Answers:
        try:
            for answer in answers(self._socket, {"command": command, "arguments": arguments}):
                if "error" in answer:
                    raise StoreUnusable(answer["error"])
                yield answer
        except NoHost as error:
            raise StoreUnusable(str(error)) from None


class JournalInspector(JournalReader, Protocol):
    """A journal of which everything can be read at once."""

    def verify(self) -> Findings:
        """Check everything."""


@contextmanager
def opened(store: str) -> Iterator[JournalReader]:
    """
    A journal, from its file, from its database, or from the host that has the file open.

    :raises StoreUnusable: there is none, or the host that has it open cannot be asked
    """
    if is_postgresql(store):
        with inspecting(store) as inspector:
            yield inspector
        return
    path = Path(store)
    with ExitStack() as stack:
        journal: JournalReader
        try:
            journal = stack.enter_context(reading(path))
        except StoreInUse as error:
            socket = sidecar_path(path, ".admin")
            if not socket.exists():
                raise StoreUnusable(f"{error}, or start it with a socket for gamehost admin") from None
            journal = LiveJournal(socket)
        try:
            yield journal
        except StoreUnusable as error:
            if isinstance(journal, StoreInspector):
                raise
            raise StoreUnusable(f"{path.resolve()}: {error}") from error


@contextmanager
def inspecting(store: str) -> Iterator["PostgresInspector"]:
    """
    A journal in PostgreSQL.

    :raises StoreUnusable: there is none, or psycopg is not installed
    """
    require_psycopg()
    from gamehost.storage.postgresql.inspect import reading_postgresql

    with reading_postgresql(store) as inspector:
        yield inspector


@contextmanager
def whole(journal: JournalReader, store: str) -> Iterator[JournalInspector]:
    """
    All of a journal: its file or its database. Of a running host it is a copy, which is deleted afterwards.

    :raises StoreUnusable: the host cannot copy its store
    """
    if not isinstance(journal, LiveJournal):
        inspector: Any = journal
        yield inspector
        return
    path = Path(store).resolve()
    copy = path.with_name(f"{path.name}.verify-{os.getpid()}")
    journal.back_up(copy, accept_faults=True)
    try:
        with reading(copy) as inspector:
            yield inspector
    finally:
        for suffix in ("", high_water_mark.SUFFIX):
            sidecar_path(copy, suffix).unlink(missing_ok=True)
