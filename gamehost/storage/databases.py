"""
Kinds of stores that are not files, such as a database server. The option `--store` names such a store with a scheme, as
in `postgresql://`. A package adds a kind with an entry point of the group `gamehost.stores`; its name is the scheme.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from attrs import frozen

from gamehost.entries import PartUnusable, loaded
from gamehost.journal.records import StoreUnusable

#: The group of the entry points.
STORES = "gamehost.stores"

#: Advice in messages: how to copy a store that is a database.
BACKUP = "this store is a database: copy it with pg_dump or pg_basebackup, or with gamehost journal copy when no host uses it"


@frozen
class StoreKind:
    """
    The functions of one kind of store that is not a file. Each function should import its modules only when it is
    called. The argument `store` is the text of the option `--store`.
    """

    #: `shown(store)`: the name without passwords, for messages and the log.
    shown: Callable[[str], str]
    #: `beside(store)`: the path of the small files that belong to the store, such as the key of the proofs. Their names
    #: begin with it.
    beside: Callable[[str], Path]
    #: Raises `StoreUnusable` if a library is missing.
    require: Callable[[], None]
    #: `open(store, from_thread, broken, ...)`: opens the store for a host, as `gamehost.storage.sqlite.open_journal`
    #: opens a file, and returns the journal.
    open: Callable[..., Any]
    #: `reading(store, alone)`: a context with an `Inspector`; with `alone`, no host may use the store meanwhile.
    reading: Callable[..., AbstractContextManager[Any]]
    #: `filled(store, reader)`: copies another store into this empty one, and returns a context with the
    #: `Inspector` of the copy.
    filled: Callable[..., AbstractContextManager[Any]]
    #: `prune(store, before_ms, archive)`: as `gamehost.storage.copying.prune`.
    prune: Callable[..., Any]
    #: `joining(options, reactor, endpoints)`: an object with a method `attach`, which makes a host with these
    #: options a member of a cluster on this store.
    joining: Callable[..., Any]


def kind_of(store: str) -> StoreKind | None:
    """
    The kind of a store; `None`: the store is a file, or in memory.

    :raises StoreUnusable: no package adds this kind, or its package cannot be used. The message repeats only the
        scheme, because the rest may contain a password
    """
    scheme, separator, _ = store.partition("://")
    if not separator:
        return None
    try:
        kind = loaded(STORES, scheme, StoreKind)
    except PartUnusable as error:
        raise StoreUnusable(f"stores of {scheme}:// cannot be used: {error}") from None
    if kind is None:
        raise StoreUnusable(f"no package that is installed brings stores of {scheme}://; expected a file or memory")
    return kind


def usable_kind_of(store: str) -> StoreKind | None:
    """
    The same as `kind_of`, for a store that is to be opened now.

    :raises StoreUnusable: see `kind_of`; or a library is missing
    """
    kind = kind_of(store)
    if kind is not None:
        kind.require()
    return kind


def shown(store: str) -> str:
    """A store's name without passwords, for messages and the log."""
    kind = kind_of(store)
    return store if kind is None else kind.shown(store)


def beside(store: str) -> Path:
    """The path with which the paths of a store's small files begin."""
    kind = kind_of(store)
    return Path(store) if kind is None else kind.beside(store)
