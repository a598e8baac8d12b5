"""The players of a host, the queues of its games, and its tables."""
