"""
Stratego: two sides of forty hidden pieces, and the flag to be taken.

- `rules`: pieces and battles, the board in play, a side's set-up before it, and the actions and events
- `master`: the referee, the functions that compute from the knowledge of one seat, and the token `STRATEGO`
"""
