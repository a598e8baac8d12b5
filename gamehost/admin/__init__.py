"""What the owner of a running host can ask it and tell it, through a socket beside the store."""
