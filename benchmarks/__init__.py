"""
Benchmarks: what the host costs, measured from outside over real sockets, and inside with a profiler.

- `scripts`: the messages of two players on each wire, as bytes that are made before
- `load`: plays any number of tables at once, as fast as possible or at a given rate
- `relay`: a bare Twisted server that passes the same bytes on, for comparison
- `servers`: the host and the relay as processes, each on its own core, and the processor time that they use
- `peers`: `make bench-peers`, servers made with what others use in turn with the host; `contestants` are these servers,
  `peer_loads` their loads, `peer_install` what they need; their programs are in `python` and `node`
- `speed`: `make bench`; `rooms`: `make profile`; `resume` and `journal`: starts and commits

Figures depend on the machine and its other work. Compare only ratios between servers that were measured in turns.
"""
