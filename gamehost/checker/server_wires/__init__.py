"""The checks of the servers of each wire."""
