"""
Eriantys, for two, three and four players, in the normal and the expert game.

- `rules`: the parts of the game; islands, school boards, clouds and the bag as immutable values, and the functions that
  change them
- `events`: the actions of players, and the events that they receive
- `characters`: the twelve characters
- `phases`: the course of a match, and what answers each request
- `master`: the referee, the game's token, and what follows from what one seat knows

Sections such as A.6 and decisions such as D-R9 are those of docs/games/eriantys.rst.
"""
