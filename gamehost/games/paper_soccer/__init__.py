"""
Paper Soccer on a pitch of 10x8 squares.

`rules` has the pitch and the positions, `master` is the referee, and `svg` makes a picture of a game.
"""
