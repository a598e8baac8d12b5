"""
Programs that play the games: four levels of strength for each game.

A player receives the events that its own seat receives, and answers in the game's notation. It knows no master, no
table and no wire.
"""
