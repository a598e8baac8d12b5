"""
Paper soccer on the 10x8 pitch.

`pitch` is the paper and `position` the rules.
"""
