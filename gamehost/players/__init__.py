"""
Programs that play the games: four levels of strength for each game.

A player is given what its own seat is told and answers in the game's notation. It knows no master, no table and no wire.
"""
