"""
A client library for the open wire, for all games of a host.

- `core`: the client without input and output. It turns bytes into messages, and stores what the client knows of each
  table. Events and views of each game are typed structs.
- `asyncio_client` and `twisted_client`: the same client with a connection of asyncio or of Twisted. After a lost
  connection, both connect again and take the seat back.

The messages of a client and of the host are the structs of `gamehost.wires.open.messages`.
"""
