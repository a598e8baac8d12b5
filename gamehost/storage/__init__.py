"""
Storage for the journal and the accounts: in memory, in an SQLite file, or in a PostgreSQL database.

- `memory`: keeps everything until the process ends
- `durable`: `DurableJournal`, the journal over any store that outlives the process
- `accounts`, `bans`: the accounts, the proofs and the bans in the same store
- `changes`: what can be committed to a store; `questions`: what it can be asked meanwhile; `groups`: what one commit writes
- `writer`: the thread that commits everything queued in one group; `backlog`: how far the disk is behind
- `sqlite`: opening a store in an SQLite file, which is made of the modules below
- `store`: one connection, with its checks and `commit`; it has no thread and no clock
- `database`: pragmas, schemas, and who may use a store
- `row_codec`: the bytes of a row, and the chain of hashes that connects a table's rows
- `table_index`: where the rows of each table are
- `notes`: what is in the store beside the tables' records
- `high_water_mark`: how much was durable; `crash_loop`: the limit on restarts; `sidecar`: small files beside the store
- `files`: the store and the files beside it as one thing; `write_ahead_log`: SQLite's log, checked for damage
- `last_commit`: the last row, known after a kill; `checked_rows`: the rows that a start need not read again
- `free_space`: how full the disk is; `prune`: moving finished tables to an archive
- `inspect`: reading a store that no host has open; `backup`: copying it
- `online_backup`: copying a store in use; `check_copy`: checking the copy in a process of its own
- `copying`: copying everything from one store to another
- `postgresql`: the store in a database

A write is acknowledged after its transaction is on disk. After a failed write nothing more is acknowledged or tried
again, and the host ends. The next start reads what the disk holds.
"""
