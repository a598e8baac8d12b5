"""The wires: one folder each, with messages, codec, conversation, client and checks."""
