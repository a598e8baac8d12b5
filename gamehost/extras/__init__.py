"""
The optional parts of the host. Each folder is found through entry points, as other packages are.

- `check`: judges clients and servers, and shows the messages between them (`gamehost trace`)
- `bots`: programs that play on the wires, and bridges to bots of other communities
- `contest`: contests between programs
- `cluster`: a store in PostgreSQL, and several hosts that use it
- `dialects`: wires of other programs, besides the documented ones

The core imports nothing from these folders.
"""
