"""Kuhn's poker: three cards, two players and a bluff."""
