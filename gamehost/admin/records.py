"""Commands that read the records of tables, for `gamehost journal` on a running host. They show everything."""

from collections.abc import Sequence

from twisted.internet.defer import Deferred

from gamehost.admin.requests import Items, NotDone, Request
from gamehost.journal.records import TableId
from gamehost.service import GameHostService
from gamehost.storage.durable import DurableJournal
from gamehost.storage.row_codec import Row, row_to_json

#: Tables that are looked up at once. With 200 entries each, this takes about 2 ms of the writer's thread.
_AT_ONCE = 50


def ends(host: GameHostService, request: Request) -> Items:
    """The first and the last row of every table."""
    journal = _journal(host)
    for low in range(1, journal.last_table + 1, _AT_ONCE):
        found: Deferred[Sequence[Row]] = Deferred()
        journal.read_ends(low, low + _AT_ONCE, found.callback)
        for row in (yield found):
            yield {"row": row_to_json(row)}
    return {}


def rows(host: GameHostService, request: Request) -> Items:
    """All rows of `table`; none if there is no such table."""
    journal, table = _journal(host), request.number("table")
    if not 0 < table < 1 << 63:
        return {}
    found: Deferred[Sequence[Row]] = Deferred()
    journal.read_rows(TableId(table), found.callback)
    for row in (yield found):
        yield {"row": row_to_json(row)}
    return {}


def _journal(host: GameHostService) -> DurableJournal:
    """
    :raises NotDone: the host keeps nothing
    """
    if not isinstance(host.store, DurableJournal):
        raise NotDone("this host keeps its matches in memory; there is no journal")
    return host.store
