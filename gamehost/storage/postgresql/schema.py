"""
The tables of a store in PostgreSQL, in numbered steps. Each step is a transaction of its own, under a lock.
"""

from importlib.resources import files

from gamehost.journal.records import StoreUnusable
from gamehost.storage.postgresql.lists import make_lists
from gamehost.storage.postgresql.session import LOCK_CLASS, Session

#: Names the schema that a database has. It tells a store from another program's database, too.
_VERSION_TABLE = "gamehost_schema"
#: The step that makes the index of finished matches, which is filled from the rows.
_LISTS = 3


def schemas() -> list[str]:
    """The steps from an empty database to the newest schema, in order."""
    folder = files("gamehost.storage.postgresql").joinpath("schemas")
    names = sorted(
        (int(file.name.removesuffix(".sql")), file) for file in folder.iterdir() if file.name.endswith(".sql")
    )
    return [file.read_text("utf-8") for _, file in names]


def schema_version(session: Session) -> int:
    """
    The schema of a store; 0 for an empty database.

    :raises StoreUnusable: another program's database, or a newer release's
    """
    tables = {row[0] for row in session.rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")}
    if _VERSION_TABLE not in tables:
        if tables:
            raise StoreUnusable("this is a database, but not a journal of gamehost; make an empty one with createdb")
        return 0
    version = int(session.rows(f"SELECT version FROM {_VERSION_TABLE}")[0][0])
    if version > (newest := len(schemas())):
        raise StoreUnusable(
            f"the journal is of schema {version}, and this release knows schemas up to {newest}; "
            "start the release that wrote it, or a newer one"
        )
    return version


def migrate(session: Session) -> None:
    """Bring a store to the newest schema. Two hosts that start at once do it once."""
    session.run("BEGIN")
    # -1 stands for the schema. The lock ends with the transaction.
    session.rows("SELECT pg_advisory_xact_lock(%s::int, -1)", (LOCK_CLASS,))
    version = schema_version(session)
    if version == 0:
        session.run(f"CREATE TABLE {_VERSION_TABLE}(version integer NOT NULL)")
        session.run(f"INSERT INTO {_VERSION_TABLE} VALUES (0)")
    session.run("COMMIT")
    for number, step in enumerate(schemas()[version:], version + 1):
        session.run("BEGIN")
        session.rows("SELECT pg_advisory_xact_lock(%s::int, -1)", (LOCK_CLASS,))
        if schema_version(session) < number:
            session.run(step)
            if number == _LISTS and version:
                make_lists(session)
            session.run(f"UPDATE {_VERSION_TABLE} SET version = %s", (number,))
        session.run("COMMIT")
