"""
A server for board games with documented protocols: several wires, one lobby, and a journal that loses no confirmed move.

The packages, from the bytes to the rules:

- `gamehost.net`: connections, with their limits and deadlines
- `gamehost.wires`: one folder for each wire format: messages, codec, conversation, factory
- `gamehost.lobby`: sessions, queues for opponents, and running tables
- `gamehost.accounts`: names, passwords and log-ins
- `gamehost.tables`: tables; each plays one match, with its seats, its clock, and the order of its events
- `gamehost.journal`, `gamehost.storage`: the record of each match, on disk before any player receives an event
- `gamehost.games`: one folder for each game: pure rules and a game master

`gamehost.tap` makes a host of these parts, `gamehost.plugins` finds the wires, and `gamehost.testing` has the tests
that every wire and game must pass. `docs/architecture.rst` explains how the host works.
"""

__version__ = "1.0.0"
