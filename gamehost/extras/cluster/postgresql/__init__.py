"""
A store in a PostgreSQL database: the journal and the accounts.

A host writes through one session, and the session has a lock. Only the session with the lock can commit rows. When the lock
is free, no statement of that host is running any more. So the statements need no checks of their own.

If the connection is lost, it is not known whether the last group was committed. The writer connects again, takes the
lock again, and reads the last row of the group. If the row is missing, the group is written again.

This module decides which stores are in a database, and hides passwords in their names. All other modules of the package
need psycopg 3. They are imported only for a PostgreSQL store.
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
    """
    Returns whether a store is in a PostgreSQL database. Otherwise it is a file, or in memory.

    :param store: the value of `--store`
    """
    return store.startswith(PREFIXES)


def shown(store: str) -> str:
    """Returns the name of a store without passwords, for messages and the log."""
    if not is_postgresql(store):
        return store
    scheme, _, rest = store.partition("://")
    # A password may have any character, so the last @ before the path ends it.
    network, slash, path = rest.partition("/")
    login, at, hosts = network.rpartition("@")
    # Passwords may also be among the options behind the `?`.
    user, colon, _ = login.partition(":")
    return f"{scheme}://{user}{colon}{_HIDDEN if colon else ''}{at}{hosts}{slash}" + _PASSWORD.sub(
        rf"\1{_HIDDEN}", path
    )


def beside(store: str) -> Path:
    """
    Returns a path to which endings are added for the names of a host's other files, such as its socket. For a database,
    this is `gamehost-` and the name of the database, in the working folder. A name with unusual characters is replaced
    by `postgresql`.
    """
    if not is_postgresql(store):
        return Path(store)
    name = urlsplit(store).path.strip("/")
    return Path("gamehost-" + (name if re.fullmatch(r"[A-Za-z0-9_-]{1,63}", name) else "postgresql"))


#: The oldest version of psycopg that can be used. Version 3.1.7, of Debian 12, reports the end of a session as a lack of
#: memory.
OLDEST = (3, 2)


def require_psycopg() -> None:
    """
    Checks that psycopg, the library for PostgreSQL, is installed.

    :raises StoreUnusable: it is not installed, too old, or cannot be loaded
    """
    try:
        version = str(import_module("psycopg").__version__)
    except ModuleNotFoundError:
        found = "none is installed"
    # psycopg is there, and a library that it needs is not.
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
