"""
Small servers that know no rules: two connections after each other take turns, and what one says is told to both.

Each stores a move in SQLite before it tells anybody. They are what `make bench-peers` measures beside the host, and need what
stands in `requirements.txt`. As programs they get the name of the file, and print their port and how SQLite is set.
"""
