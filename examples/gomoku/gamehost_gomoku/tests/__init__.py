"""Tests of the game and of the wire."""
