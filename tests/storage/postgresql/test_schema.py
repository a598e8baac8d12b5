"""The tables of a store in PostgreSQL."""

from gamehost.storage.postgresql.schema import migrate, schema_version, schemas
from gamehost.storage.postgresql.session import connect
from tests.kit.postgresql_store import PostgresCase


class SchemaTests(PostgresCase):
    """From an empty database to the newest schema."""

    def new_database(self) -> str:
        return self.server.new_database()

    def test_once(self) -> None:
        """A second time changes nothing."""
        session = connect(self.url)
        self.addCleanup(session.close)
        self.assertEqual(schema_version(session), 0)
        for _ in range(2):
            migrate(session)
            self.assertEqual(schema_version(session), len(schemas()))
        self.assertEqual(session.rows("SELECT seconds FROM uptime"), [(0,)])

    def test_other_databases_are_left_alone(self) -> None:
        """Those of other programs, and those of a newer release."""
        self.sql("CREATE TABLE recipe(words text)")
        self.assertIn("a database, but not a journal of gamehost", self.refusal())
        self.assertEqual(self.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"), [("recipe",)])
        self.sql("DROP TABLE recipe")
        self.stop(self.start())
        self.sql("UPDATE gamehost_schema SET version = 99")
        self.assertIn("schema 99", self.refusal())
