"""The console: all games by telnet or netcat, for people."""
