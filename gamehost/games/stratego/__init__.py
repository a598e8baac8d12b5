"""
Stratego: each of two players has forty pieces, hidden from the other, and tries to take the other's flag.

- `rules`: pieces and battles, the board during play, the set-up of a side before it, and the actions and events
- `master`: the referee, the functions that compute from the knowledge of one seat, and the token `STRATEGO`
"""
