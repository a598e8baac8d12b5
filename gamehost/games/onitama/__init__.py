"""Onitama, a card game on a 5x5 board, as the document of the pipe-separated wire changes it."""
