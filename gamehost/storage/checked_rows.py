"""
The rows that were found whole at an earlier start, and the rows that were moved to archives. A start does not read them.

A store without the table has no such rows. It is made when it is first needed.
"""

from attrs import frozen

from gamehost.storage.database import Connection, Loss, has_table

#: Rows that must be new before a start notes that they are whole. To count them takes about 10 ms.
STEP = 100_000

_MAKE = (
    "CREATE TABLE IF NOT EXISTS checked(seq INTEGER NOT NULL, rows INTEGER NOT NULL, pruned INTEGER NOT NULL) STRICT"
)


@frozen
class CheckedRows:
    """What need not be read again."""

    #: The last row that was read.
    seq: int = 0
    #: How many rows the store has up to there.
    rows: int = 0
    #: How many rows were moved to archives, ever.
    pruned: int = 0


def read_checked(connection: Connection) -> CheckedRows:
    """
    :raises Loss: the table was changed
    """
    if not has_table(connection, "checked"):
        return CheckedRows()
    found = connection.execute("SELECT seq, rows, pruned FROM checked").fetchall()
    if len(found) != 1:
        raise Loss(f"the journal was changed: its table 'checked' has {len(found)} rows instead of one")
    return CheckedRows(*found[0])


def write_checked(connection: Connection, checked: CheckedRows) -> None:
    """Replace the note. Within a transaction."""
    connection.execute(_MAKE)
    connection.execute("DELETE FROM checked")
    connection.execute("INSERT INTO checked VALUES (?, ?, ?)", (checked.seq, checked.rows, checked.pruned))


def count_rows(connection: Connection, checked: CheckedRows) -> int:
    """How many rows were ever added. Reads the rows behind `checked` alone."""
    new = connection.execute("SELECT count(*) FROM event WHERE seq > ?", (checked.seq,)).fetchone()[0]
    return int(checked.rows + checked.pruned + new)
