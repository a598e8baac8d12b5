"""The protocols of bots of other communities."""
