"""
The journal and the accounts, kept: in memory for a host that may forget, in SQLite for one that must not.

- `memory`: keeps what a life of the host needs, and nothing after it
- `sqlite`: `SqliteJournal`, the journal on disk; puts together the rooms below
- `rows`: how an entry is written down, and the chain of hashes that ties a table's rows together
- `accounts`: `SqliteAccounts`, the book of accounts in the same store
- `store`: one connection: pragmas, schema, checks, and `commit`; no thread, no clock
- `index`: where each table's rows are
- `writer`: the thread that commits everything queued at once; `backlog`: how far behind the disk is
- `backup`: a copy made while the host goes on
- `mark`: the high-water mark beside the store; `starts`: the guard against a loop of restarts
- `reading`: a store that no host has open, for people

A write is acknowledged only after its transaction is on the disk. After any failed write nothing more is
acknowledged, nothing is tried again, and the host ends: the next life reads what the disk really holds.
"""
