"""
A client library for the open wire, which plays all games of a host.

- `core`: the client without input and output. Bytes go in, messages come out. It also has the client's knowledge of
  each table, with the events and views of each game as typed structs.
- `asyncio_client` and `twisted_client`: the same client on a connection of asyncio or of Twisted. Both connect again by
  themselves after a lost connection, and take the seat back.

The messages of a client and of the host are the structs of `gamehost.wires.open.messages`.
"""
