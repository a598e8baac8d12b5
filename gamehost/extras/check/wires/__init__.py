"""The checks of the wires, with the laws of their documents."""
