"""
Storage for the journal and the accounts: in memory, in an SQLite file, or in a database that an extra brings.

Of all stores:

- `memory`: keeps everything until the process ends
- `durable`: `DurableJournal`, the journal over any store that outlives the process, and the accounts in it
- `writer`: the thread that commits everything queued in one group, and how far the disk is behind
- `questions`: what is read, with its SQL for both engines, what people can ask, and the thread that answers
- `contents`: an open store of either engine, what is in it beside the tables' records, and what one commit changes;
  `row_codec`: the bytes of a row, and the chain of hashes of a table's rows
- `schema`: which tables a store has: their number and their fingerprint, which must be those of this release
- `inspect`, `copying`: reading, copying and archiving a store that no host has open
- `names`: what the members of a cluster ask their registry

Of SQLite files:

- `sqlite`: opening a file, which is made of the modules below, and reading beside the writer
- `store`: one connection, with its checks; the store and the files beside it as one thing, and the room on their disk.
  `database`: pragmas, tables, who may use a file; commits, each in one row, and tables whose moves are there or in rows
- `sidecar`: the files beside the store: SQLite's log, the high-water mark that says how much was durable, and others
- `backup`: copying a file, also while it is in use

`databases` has the kinds of stores that are no files, which packages bring: the one in PostgreSQL is `gamehost.extras.cluster`.

A write is acknowledged after its transaction is on disk. After a failed write nothing more is acknowledged or tried
again, and the host ends. The next start reads what the disk holds.
"""
