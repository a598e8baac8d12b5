"""
What the host costs, measured from outside over real sockets, and from inside by room.

- `scripts`: what two players of each wire say, as bytes made beforehand
- `load`: plays any number of tables at once, as fast as they go or at a rate
- `relay`: the yardstick, a bare Twisted server that passes the same bytes on
- `servers`: both as processes, on a core of their own, and what they use of it
- `speed`: `make bench`; `rooms`: `make profile`; `resume` and `journal`: starts and commits

Figures are of one machine at one hour: ratios between runs that took turns in one call are what to read.
"""
