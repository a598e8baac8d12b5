"""
Storage for the journal and the accounts: in memory, in an SQLite file, or in a database that a package adds.

Of all stores:

- `memory`: the journal in memory, until the process ends
- `durable`: `DurableJournal`, the journal in a store on a disk, and the accounts in the same store
- `writer`: the thread that writes. It commits all changes that wait together
- `questions`: what is read from a store, with the SQL for both engines; and the thread that reads for people
- `contents`: an open store of either engine, the changes of one commit, and the contents besides the tables' records;
  `row_codec`: the bytes of a row, and the chain of hashes of a table's rows
- `schema`: the number and the fingerprint of a store's database tables, which must be those of this release
- `inspect`, `copying`: reading, copying and archiving a store that no host has open
- `names`: the requests of a cluster's members to their registry

Of SQLite files:

- `sqlite`: opening a file with all checks, and reading while the writer writes
- `store`: one connection with its checks; the store together with the files beside it; and the free space of the disk.
  `database`: access to a file, its settings and its tables; and how commits and moves are stored in rows
- `sidecar`: the files beside the store, such as SQLite's log, and the high-water mark, which says how much was durable
- `backup`: copying a file, also while it is in use

`databases` finds the kinds of stores that packages add. The store in PostgreSQL is in `gamehost.extras.cluster`.

A write is acknowledged after its transaction is on disk. After a failed write the host writes nothing more,
acknowledges nothing more, and ends. The next start reads the data on the disk.
"""
