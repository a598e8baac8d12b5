"""
Eriantys, for two, three and four players, in the normal and the expert game.

- `rules`: the parts of the game; islands, school boards, clouds and the bag as immutable values, and the functions that change
  them
- `events`: the actions of players, and the events that they receive
- `characters`: the twelve characters
- `phases`: the course of a match, and the legal answers to each request
- `master`: the referee, the game's token, and the functions that compute from the knowledge of one seat

Sections such as A.6 and decisions such as D-R9 are those of docs/games/eriantys.rst.
"""
