"""
Stratego: two sides of forty hidden pieces, and the flag to be taken.

- `rules`: pieces and battles, the board in play, a side's set-up before it
- `actions`, `events`: what players want and what they are told
- `views`: what follows from what one seat knows
- `master`: the referee, and the token `STRATEGO`
"""
