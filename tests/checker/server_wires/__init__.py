"""The checks of servers of each wire."""
