"""
The journal and the accounts in a PostgreSQL database.

- `opening`: opens a store, with all checks; `urls`: which stores are meant, and what may be shown of their names
- `session`: one connection to the database, with its checks and its lock; `schema`: the tables
- `store`: reads and commits; `groups`: writes one commit; `notes`: what is beside the records
- `arrays`: values as PostgreSQL's binary format has them
- `inspect`: reads a store while hosts use it, also on a standby

A host writes through one session, and the session holds a lock. A row that was committed came from the holder of the lock.
When the lock is free, nothing of that host is under way any more. So no statement needs a check of its own.

If the connection is lost, nobody knows whether the last group was committed. The writer connects again, takes the lock again,
and asks for the last row of the group: it is there, or it is written again.

All modules but `urls` need psycopg 3. They are imported for a PostgreSQL store alone.
"""
