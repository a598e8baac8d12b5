"""Tables. A table plays one match: it has the seats, the order of the events, and the clock of the game."""
