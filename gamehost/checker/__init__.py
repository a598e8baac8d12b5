"""Checks clients and servers against the documents, and traces what they say to each other."""
