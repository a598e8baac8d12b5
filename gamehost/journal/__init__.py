"""The record of a table: what it is made of, how it is checked, and how it is replayed."""
