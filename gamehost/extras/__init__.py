"""
What the host does not need to play: each folder is optional, and comes in through entry points as other packages do.

- `check`: judges of clients and of servers, and `gamehost trace`
- `bots`: programs that play on the wires, and bridges to bots of other communities
- `contest`: contests between programs

The core imports nothing of it.
"""
