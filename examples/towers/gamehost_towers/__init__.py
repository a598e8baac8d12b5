"""Towers for gamehost: the colour of a square says which tower moves next."""
