"""
The journal and the accounts in a PostgreSQL database.

A host writes through one session, and the session has a lock. A committed row came from the holder of the lock. When
the lock is free, no statement of that host is running any more. So no statement needs a check of its own.

If the connection is lost, it is not known whether the last group was committed. The writer connects again, takes the
lock again, and reads the last row of the group. If the row is missing, the group is written again.

Here is which stores are in a database, and what may be shown of their names. All other modules need psycopg 3. They are
imported for a PostgreSQL store alone.
"""

import re
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit

from gamehost.journal.records import StoreUnusable

PREFIXES = ("postgresql://", "postgres://")

_PASSWORD = re.compile(r"([?&](?:ssl)?password=)[^&]*", re.IGNORECASE)

#: The text that replaces a password.
_HIDDEN = "***"


def is_postgresql(store: str) -> bool:
    """Whether a store, as the option names it, is in a PostgreSQL database. Otherwise it is a file, or memory."""
    return store.startswith(PREFIXES)


def shown(store: str) -> str:
    """A store's name without passwords, for messages and the log."""
    if not is_postgresql(store):
        return store
    scheme, _, rest = store.partition("://")
    # A password may have any character, so the last @ before the path ends it.
    network, slash, path = rest.partition("/")
    login, at, hosts = network.rpartition("@")
    user, colon, _ = login.partition(":")
    return f"{scheme}://{user}{colon}{_HIDDEN if colon else ''}{at}{hosts}{slash}" + _PASSWORD.sub(
        rf"\1{_HIDDEN}", path
    )


def beside(store: str) -> Path:
    """
    Where the small files of a store are: for a database, `gamehost-` and its name in the working folder.

    A name that cannot be that of a file is left out.
    """
    if not is_postgresql(store):
        return Path(store)
    name = urlsplit(store).path.strip("/")
    return Path("gamehost-" + (name if re.fullmatch(r"[A-Za-z0-9_-]{1,63}", name) else "postgresql"))


#: The oldest psycopg that can be used. That of Debian 12, 3.1.7, reports the end of a session as a lack of memory.
OLDEST = (3, 2)


def require_psycopg() -> None:
    """
    :raises StoreUnusable: the library for PostgreSQL is not installed, or cannot be used
    """
    try:
        version = str(import_module("psycopg").__version__)
    except ModuleNotFoundError:
        found = "none is installed"
    except ImportError:
        found = "the one that is installed cannot be loaded, as without libpq"
    else:
        numbers = re.match(r"(\d+)\.(\d+)", version)
        if numbers is not None and (int(numbers[1]), int(numbers[2])) >= OLDEST:
            return
        found = f"{version} is installed"
    raise StoreUnusable(
        f"a store in PostgreSQL needs psycopg {'.'.join(map(str, OLDEST))} or newer, and {found}: type pip install "
        "'gamehost[postgresql]' where the host is installed; the package for Debian of this release brings it"
    )
