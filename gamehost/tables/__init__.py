"""One match each: seats, the order of events, and the clock of the game."""
