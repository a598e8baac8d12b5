"""Onitama for the community's bots and browser clients: the protocol of the server Litama, over WebSocket and by line."""
