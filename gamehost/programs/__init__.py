"""Programs that play: house players beside their host, and `gamehost player` on each documented wire. They are clients."""
