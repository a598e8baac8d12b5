"""Dialects of the documents' wires, which other programs speak. Each folder is a wire, as a plug-in is."""
