"""
A server for board games with documented protocols: several wires, one lobby, and a journal that loses no confirmed move.

The packages, from the bytes to the rules:

- `gamehost.net`: connections, with their limits and deadlines
- `gamehost.wires`: one folder for each wire format: messages, codec, conversation, factory
- `gamehost.lobby`: sessions, queues for opponents, and running tables
- `gamehost.accounts`: names, passwords and log-ins
- `gamehost.tables`: one match: its seats, its clock, and the order of its events
- `gamehost.journal`, `gamehost.storage`: the record of each match, on disk before any player receives an event
- `gamehost.games`: one folder for each game: pure rules and a game master

`gamehost.tap` puts the parts together, `gamehost.plugins` finds the wires, and `gamehost.testing` has the tests that every wire
and game must pass. `docs/architecture.rst` explains the whole.
"""

__version__ = "1.0.0"
