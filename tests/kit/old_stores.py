"""Stores as hosts of earlier releases have left them: one for each schema, in `tests/golden/stores`."""

import sqlite3
from contextlib import closing
from pathlib import Path

from gamehost.storage.sidecar import sidecar_path

FOLDER = Path(__file__).parents[1] / "golden" / "stores"


def schemas_with_stores() -> list[int]:
    """The schemas of which there is a store, the oldest first."""
    return sorted(int(path.stem.rpartition("-")[2]) for path in FOLDER.glob("schema-*.sql"))


def make_old_store(schema: int, path: Path) -> None:
    """Make the files of a store of a schema."""
    _, mark, *script = (FOLDER / f"schema-{schema}.sql").read_text("utf-8").splitlines(keepends=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("".join(script))
    sidecar_path(path, ".hwm").write_text(mark.removeprefix("-- "))


def contents(path: Path) -> list[str]:
    """Everything in a store, as text."""
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
        return [f"schema {connection.execute('PRAGMA user_version').fetchone()[0]}", *connection.iterdump()]
