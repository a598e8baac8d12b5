"""Contests between programs: who plays whom, one game after the other, and a table of results with ratings."""
