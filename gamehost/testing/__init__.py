"""
Test contracts for authors of a game or a wire. `pip install gamehost[testing]` installs what they need.

- `codec_contract`, `wire_contract`, `master_contract`, `messages_contract`: the tests that every codec of a server or a
  client, every wire, every game and its messages must pass. Derive a test case from the contract and from
  `cases.PropertyCase`, and fill in its hooks.
- `wire_hooks`: the hooks of the wire contract that the author of a wire fills in.
- `memory_host`: a whole host in memory, with a clock that the test advances, and a fake transport that fails on misuse
  that a real one would not detect.
- `transcript`: plays conversations that are written down as text.

Nothing else in `gamehost` imports this package.
"""
