"""
Stratego: two sides of forty hidden pieces, and the flag to be taken.

- `rules`: pieces and battles, the board in play, a side's set-up before it
- `events`: the actions of players, and the events that they receive
- `master`: the referee, what follows from what one seat knows, and the token `STRATEGO`
"""
