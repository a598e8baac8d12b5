"""
Stores as hosts of earlier releases have left them: one for each schema, in `tests/golden/stores`.

`python -m tests.kit.old_stores STORE` adds one from a store that a host has closed. It must have the matches that
`tests.storage.test_upgrade` names.
"""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from gamehost import __version__
from gamehost.storage.database import APPLICATION
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


def add_store(path: Path) -> None:
    """Add the text of a store."""
    schema, *script = contents(path.absolute())
    number = int(schema.split()[1])
    left = f"-- A store of schema {number}, as a host of gamehost {__version__} has left it."
    head = f"{left} The next line is the file beside it that ends in .hwm."
    mark = sidecar_path(path, ".hwm").read_text("utf-8").strip()
    pragmas = f"PRAGMA application_id={APPLICATION};", f"PRAGMA user_version={number};"
    text = "\n".join((head, f"-- {mark}", *pragmas, *script))
    (FOLDER / f"schema-{number}.sql").write_text(text + "\n", "utf-8")


def contents(path: Path) -> list[str]:
    """Everything in a store, as text."""
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
        return [f"schema {connection.execute('PRAGMA user_version').fetchone()[0]}", *connection.iterdump()]


if __name__ == "__main__":
    add_store(Path(sys.argv[1]))
