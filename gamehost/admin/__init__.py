"""The commands of the owner of a running host, through a socket beside the store."""
