"""
What the author of a game or a wire needs to test it. Install it with the extra `testing`.

- `codec_contract`, `wire_contract`, `master_contract`, `messages_contract`: the tests that every codec on either side of a
  wire, every wire, every game and its messages must pass. Derive a test case from the contract and from
  `cases.PropertyCase`, and fill in its hooks.
- `wire_hooks`: what the author of a wire fills in for the wire contract.
- `memory_host`: a whole host in memory, with a clock that the test turns, and a fake transport that fails on misuse that a real
  one would let pass.
- `transcript`: plays conversations that are written down as text.

Nothing else in `gamehost` imports this package.
"""
