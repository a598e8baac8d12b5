"""Eriantys as one JSON object a line."""
