"""The record of a table: its parts, how it is checked, and how it is replayed."""
