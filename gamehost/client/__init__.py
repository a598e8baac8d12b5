"""
A client library for the open wire, which plays all games of a host.

- `core`: the client without input and output. Bytes go in, messages come out. And what the client knows of each table, with the
  events and views of each game as typed structs.
- `asyncio_client` and `twisted_client`: the same client on a connection of asyncio or of Twisted. Both connect again by
  themselves after a lost connection, and take the seat back.

What a client says and hears are the structs of `gamehost.wires.open.messages`.
"""
