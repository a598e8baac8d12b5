"""The clients of the wires: codecs and programs."""
