"""
The optional parts of the host. Each folder comes in through entry points, as other packages do.

- `check`: judges of clients and of servers, and `gamehost trace`
- `bots`: programs that play on the wires, and bridges to bots of other communities
- `contest`: contests between programs
- `cluster`: a store in PostgreSQL, and several hosts on it
- `dialects`: wires that other programs speak, beside those of the documents

The core imports nothing of it.
"""
