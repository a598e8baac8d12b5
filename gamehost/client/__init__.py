"""
A client library for the open wire, which plays all games of a host.

- `core`: the client without input and output. Bytes go in, messages come out.
- `asyncio_client` and `twisted_client`: the same client on a connection of asyncio or of Twisted. Both connect again by
  themselves after a lost connection, and take the seat back.
- `views`: the events and views of each game as typed structs, and a view that follows the events.

What a client says and hears are the structs of `gamehost.wires.open.messages`.
"""
