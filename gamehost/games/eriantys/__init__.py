"""
Eriantys, for two, three and four players, in the normal and the expert game.

- `pieces`: what is in the box, and how much of it each number of players uses
- `position`: islands, school boards, clouds and the bag as immutable values
- `values`: changed copies of values
- `dining`: students at the tables, coins and professors
- `influence`: who owns an island, towers and the merging of islands
- `ending`: who has won
- `actions`, `events`: what players can do and what they are told
- `characters`: the twelve characters
- `setup`, `phases`: the course of a match
- `master`: the referee, and the game's token

Sections such as A.6 and decisions such as D-R9 are those of docs/games/eriantys.rst.
"""
