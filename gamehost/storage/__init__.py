"""
Storage for the journal and the accounts: in memory, in an SQLite file, or in a database that an extra brings.

Of all stores:

- `memory`: stores everything until the process ends
- `durable`: `DurableJournal`, the journal over any store that outlives the process, and the accounts in it
- `writer`: the thread that commits everything queued in one group, and the delay of the disk
- `questions`: the reads, with their SQL for both engines, the questions of people, and the thread that answers them
- `contents`: an open store of either engine, its contents beside the tables' records, and the changes of one commit;
  `row_codec`: the bytes of a row, and the chain of hashes of a table's rows
- `schema`: which tables a store has: their number and their fingerprint, which must be those of this release
- `inspect`, `copying`: reading, copying and archiving a store that no host has open
- `names`: the requests of a cluster's members to their registry

Of SQLite files:

- `sqlite`: opening a file, which is made of the modules below, and reading beside the writer
- `store`: one connection, with its checks; the store and the files beside it together, and the free space of their
  disk. `database`: pragmas, tables, and access to a file; commits, each in one row, and tables with moves there or in
  rows
- `sidecar`: the files beside the store: SQLite's log, the high-water mark that says how much was durable, and others
- `backup`: copying a file, also while it is in use

`databases` has the kinds of stores that are no files, which packages bring: the one in PostgreSQL is `gamehost.extras.cluster`.

A write is acknowledged after its transaction is on disk. After a failed write no further write is acknowledged or
tried, and the host ends. The next start reads the data on the disk.
"""
