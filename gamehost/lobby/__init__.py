"""The lobby: the players that are logged in to a host, how they find opponents, and the tables at which they play."""
