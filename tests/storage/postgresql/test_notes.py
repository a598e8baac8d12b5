"""What is in a store in PostgreSQL beside the tables' records."""

from typing import Any, get_args

from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.storage.changes import Note, Sleep, Told, Uptime
from gamehost.storage.postgresql.notes import write_note
from gamehost.storage.postgresql.schema import migrate
from gamehost.storage.postgresql.session import connect
from tests.kit.postgresql_store import PostgresCase

TABLE = TableId(7)


class NotesTests(PostgresCase):
    """Each note, written and read back. Accounts and proofs are in `test_store`."""

    def test_a_store_can_write_every_note(self) -> None:
        """And nothing that is not one."""
        for kind in get_args(Note):
            self.assertIsNot(write_note.dispatch(kind), write_note.dispatch(object), kind)
        nonsense: Any = "nonsense"
        self.assertRaises(TypeError, write_note, nonsense, None)

    def test_unfinished_tables(self) -> None:
        """Since when they sleep, and who was told their end."""
        session = connect(self.url)
        self.addCleanup(session.close)
        migrate(session)
        session.run("INSERT INTO live(game, owner) VALUES (7, 1)")
        notes: list[tuple[Note, list[Any]]] = [
            (Sleep(TABLE, 30), [(30, 0)]),
            (Sleep(TABLE, None), [(None, 0)]),
            (Told(TABLE, Seat(2)), [(None, 4)]),
            (Told(TABLE, Seat(0)), [(None, 5)]),
            (Told(TABLE, None), []),
        ]
        for note, expected in notes:
            write_note(note, session)
            self.assertEqual(session.rows("SELECT since, told FROM live"), expected)
        write_note(Uptime(6), session)
        self.assertEqual(session.rows("SELECT seconds FROM uptime"), [(6,)])
