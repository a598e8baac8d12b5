"""The wires: one folder each, with messages, codec and conversation."""
