"""Onitama for the clients of the published final dialect: messages that end in a zero byte, rows and columns, passes, pings."""
