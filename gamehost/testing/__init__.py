"""
What the author of a game, a wire or a journal needs to test it. Install it with the extra `testing`.

- `codec_contract`, `wire_contract`, `master_contract`, `journal_contract`: the tests that every codec, wire, game and
  journal must pass. Derive a test case from the contract and from `cases.PropertyCase`, and fill in its hooks.
- `client_codec_contract`: the same for a wire that also has a client's codec.
- `registry`, `registry_contract`: a cluster of hosts in memory, and the tests that every registry of a cluster must pass.
- `memory_host`: a whole host in memory, with a clock that the test turns.
- `transport`: a fake transport that fails on misuse that a real one would let pass.
- `wire_hooks`: what the author of a wire fills in for the wire contract.
- `transcript`: plays conversations that are written down as text.

Nothing else in `gamehost` imports this package.
"""
