"""The games: pure rules, one folder each. They know `gamehost.games.base` and nothing else of the host."""
