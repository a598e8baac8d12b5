"""
Paper soccer on the 10x8 pitch.

`pitch` is the paper, `position` the rules, `master` the referee, and `drawing` makes a picture of a game.
"""
