"""An Onitama-like card game on a 5x5 board, as the pipe-separated wire's document changes it."""
