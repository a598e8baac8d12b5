"""
Stores that are not files. The option `--store` names one by its scheme, as in `postgresql://`. Packages bring them through
entry points of the group `gamehost.stores`, under the name of the scheme.
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

#: How such a store is copied as a whole.
BACKUP = "this store is a database: copy it with pg_dump or pg_basebackup, or with gamehost journal copy when no host uses it"


@frozen
class StoreKind:
    """A kind of store that is not a file. Each of its functions is imported when it is called; `store` is the store's name."""

    #: `shown(store)`: the name without passwords, for messages and the log.
    shown: Callable[[str], str]
    #: `beside(store)`: the path for the small files of the store, such as the key of the proofs.
    beside: Callable[[str], Path]
    #: Raises `StoreUnusable` if a library is missing.
    require: Callable[[], None]
    #: Opens it for a host, with the parameters of `DurableJournal.open`, and returns the journal.
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
    The kind of a store; `None`: it is a file, or memory.

    :raises StoreUnusable: no package brings the kind, or it cannot be used. Only the scheme is repeated: a password may stand
        behind it
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
    As `kind_of`, for a store that is about to be opened.

    :raises StoreUnusable: a library is missing, too
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
    """The beginning of the paths of a store's small files."""
    kind = kind_of(store)
    return Path(store) if kind is None else kind.beside(store)
