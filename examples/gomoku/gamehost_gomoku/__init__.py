"""Gomoku for gamehost: five stones in a row win. A game and a wire in a package of their own."""
