"""Eriantys as Java objects: the published clients' own messages in Java's object serialization."""
