"""
The schema of a store: the statements that make its database tables. Each engine has them in the file `schema.sql`
beside its modules.

A store contains the number of its schema, and a fingerprint of this file. A store with another number or fingerprint is
refused.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from gamehost import __version__
from gamehost.journal.records import StoreUnusable
from gamehost.storage.contents import PUT_BACK

#: The number of the schema, of both engines: 1 is that of release 1.0. A change of the text has another number, and a
#: conversion from each earlier one; `tests/releases` has stores of the releases.
SCHEMA_NUMBER = 1
#: The name of the table with the fingerprint, in each engine.
SCHEMA_TABLE = "gamehost_schema"


def schema_of(package: str) -> str:
    """The statements that make the tables of an engine, from the file `schema.sql` of its package."""
    return files(package).joinpath("schema.sql").read_text("utf-8")


def fingerprint_of(schema: str) -> str:
    """A fingerprint of a schema: 16 hexadecimal digits. Comments and the number of spaces do not change it."""
    return sha256(" ".join(re.sub("--.*", "", schema).split()).encode()).hexdigest()[:16]


def check_schema(found: Sequence[tuple[int, str | None]], schema: str) -> None:
    """
    Check that a store has the tables of this release.

    :param found: the rows with the number and the fingerprint in the store; the fingerprint is `None` if an old release
        made the store
    :raises StoreUnusable: another release made the store, or the note was changed
    """
    fingerprint = fingerprint_of(schema)
    if [*found] == [(SCHEMA_NUMBER, fingerprint)]:
        return
    number, noted = found[0] if len(found) == 1 else (0, "")
    # A fingerprint is 16 hexadecimal digits. Anything else was not written by a release.
    if noted is not None and not re.fullmatch("[0-9a-f]{16}", noted):
        raise StoreUnusable(
            f"the journal was changed: {SCHEMA_TABLE!r} must have one row with a fingerprint; {PUT_BACK}"
        )
    raise StoreUnusable(
        f"another release made this journal: it has schema {number}{f' ({noted})' if noted else ''}, and gamehost "
        f"{__version__} has schema {SCHEMA_NUMBER} ({fingerprint}); keep the release that made it, or begin with an empty store"
    )
