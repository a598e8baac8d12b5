"""Bridges: each one translates between a game of this host and the protocol of the bots of another community."""
