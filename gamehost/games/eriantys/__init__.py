"""
Eriantys, for two, three and four players, in the normal and the expert game.

- `pieces`: what is in the box, and how much of it each number of players uses
- `rules`: islands, school boards, clouds and the bag as immutable values, and what changes them
- `actions`, `events`: what players can do and what they are told
- `characters`: the twelve characters
- `phases`: the course of a match
- `views`: what follows from what one seat knows
- `master`: the referee, and the game's token

Sections such as A.6 and decisions such as D-R9 are those of docs/games/eriantys.rst.
"""
