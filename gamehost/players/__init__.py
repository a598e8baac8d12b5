"""
Programs that play the games: four levels of strength for each game.

A player receives the events for its own seat, and answers with actions in the game's notation. It has no access to the
game master, the table or the wire.
"""
