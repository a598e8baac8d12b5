"""The wire: lines of words."""
