"""Stratego as lines of ASCII, with accounts."""
