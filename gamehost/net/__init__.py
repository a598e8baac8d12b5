"""Connections: the one class that touches a transport, its limits, and where it listens."""
