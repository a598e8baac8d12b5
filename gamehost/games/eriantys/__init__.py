"""
Eriantys, for two, three and four players, in the normal and the expert game.

- `rules`: what is in the box; islands, school boards, clouds and the bag as immutable values, and what changes them
- `events`: what players can do and what they are told
- `characters`: the twelve characters
- `phases`: the course of a match, and what answers each request
- `master`: the referee, the game's token, and what follows from what one seat knows

Sections such as A.6 and decisions such as D-R9 are those of docs/games/eriantys.rst.
"""
