"""Kuhn's poker for gamehost: three cards, two players and a bluff."""
