"""
Eriantys, for two, three and four players, in the normal and the expert game.

- `pieces`: what is in the box, and how much of it each number of players uses
- `position`: islands, school boards, clouds and the bag as immutable values
- `dining`: students at the tables, coins and professors
- `influence`: whose island it is, towers and the joining of islands
- `ending`: who has won
- `actions`, `events`: what players may do and what they are told
- `characters`: the twelve characters
- `setting_up`, `phases`: the course of a match
- `master`: the referee, and the game's token
"""
