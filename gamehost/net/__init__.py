"""The connections of clients: the only class that calls their transports, their limits, and the host's listeners."""
