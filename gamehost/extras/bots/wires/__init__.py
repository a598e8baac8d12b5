"""The wires from a client's side: their codecs, and programs that play on them."""
