"""Which stores are in PostgreSQL, and what is shown of their names."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import StoreUnusable
from gamehost.storage.postgresql import urls
from gamehost.storage.postgresql.urls import beside, is_postgresql, require_psycopg, shown


class UrlTests(SynchronousTestCase):
    """Names of stores."""

    def test_which_stores_are_databases(self) -> None:
        """Both spellings; a file may have any name."""
        for store in ("postgresql://", "postgres://a/b", "postgresql:///gamehost?service=gamehost"):
            self.assertTrue(is_postgresql(store), store)
        for store in ("memory", "gamehost.sqlite", "postgresql", "/srv/postgresql://a", ""):
            self.assertFalse(is_postgresql(store), store)

    def test_no_password_is_shown(self) -> None:
        """Wherever in the name it is."""
        for store, expected in (
            ("postgresql://ann@db/games", "postgresql://ann@db/games"),
            ("postgresql://ann:canary@db:5432/games", "postgresql://ann:***@db:5432/games"),
            ("postgresql://ann:can@ary@a,b/games?x=1", "postgresql://ann:***@a,b/games?x=1"),
            ("postgresql:///games?password=canary&host=db", "postgresql:///games?password=***&host=db"),
            ("postgresql:///games?host=db&PASSWORD=canary", "postgresql:///games?host=db&PASSWORD=***"),
            ("postgresql://db/games?sslpassword=canary", "postgresql://db/games?sslpassword=***"),
            ("a:b@c.sqlite", "a:b@c.sqlite"),
        ):
            self.assertEqual(shown(store), expected)

    def test_small_files_are_in_the_working_folder(self) -> None:
        """Under the database's name, if that can be a name of a file."""
        for store, expected in (
            ("games.sqlite", "games.sqlite"),
            ("postgresql://ann@db/games", "gamehost-games"),
            ("postgresql://ann@db/../games", "gamehost-postgresql"),
            ("postgresql://", "gamehost-postgresql"),
        ):
            self.assertEqual(beside(store), Path(expected))

    def test_without_the_library(self) -> None:
        """It is said what to install."""
        require_psycopg()
        self.patch(urls, "find_spec", lambda name: None)
        error = self.assertRaises(StoreUnusable, require_psycopg)
        self.assertIn("pip install 'gamehost[postgresql]'", str(error))
