"""The wires: one folder each, always messages, codec, conversation and factory."""
