"""Paper soccer as XML messages."""
