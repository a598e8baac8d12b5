"""
A store in a PostgreSQL database, and clusters: several hosts that use one such store. Each host is a member of the cluster.

- `postgresql`: the journal, the accounts and the registry of the members in a database
- `joining`: how a host becomes a member; `membership`: the facts that a member knows about the others
- `front`, `claiming`, `relay`: connections of clients that belong to another member
"""

from gamehost.entries import imported
from gamehost.storage.databases import StoreKind

#: The kind of store for names that begin with `postgresql:` or `postgres:`.
POSTGRESQL = StoreKind(
    shown=imported("gamehost.extras.cluster.postgresql:shown"),
    beside=imported("gamehost.extras.cluster.postgresql:beside"),
    require=imported("gamehost.extras.cluster.postgresql:require_psycopg"),
    open=imported("gamehost.extras.cluster.postgresql.store:open_postgresql"),
    reading=imported("gamehost.extras.cluster.postgresql.inspect:reading_postgresql"),
    filled=imported("gamehost.extras.cluster.postgresql.inspect:filled"),
    prune=imported("gamehost.extras.cluster.postgresql.inspect:prune_postgresql"),
    joining=imported("gamehost.extras.cluster.joining:Joining"),
)
