"""The games: pure rules, one folder each. They know `gamehost.master` and nothing else of the host."""
