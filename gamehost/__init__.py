"""
A host for documented game protocols: bytes in, moves through one lobby, bytes out.

The layers, from the wire inwards; each knows only the next:

- `gamehost.tap`: options, and the one place where the parts are put together
- `gamehost.wires`: one folder a documented wire format: messages, codec, conversation, factory
- `gamehost.net.connection`, `gamehost.wires.base`: the one class that touches a transport; what a wire is
- `gamehost.lobby.sessions`, `gamehost.lobby.lobby`, `gamehost.tables.table`: who is here, who waits, who plays
- `gamehost.accounts.passwords`, `gamehost.accounts.login`: names with passwords, and where they log in
- `gamehost.journal.records`, `gamehost.storage`: what was accepted is durable before anyone is told
- `gamehost.games.base`: what a game master is
- `gamehost.games`: one folder a game: pure rules, no wire, no clock, no global chance
"""

__version__ = "0.2.0"
