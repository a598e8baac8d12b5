"""
Stratego: two sides of forty hidden pieces, and the flag to be taken.

- `pieces`: kinds and battles
- `position`: the board in play; `placing`: a side's set-up before it
- `actions`, `events`: what players want and what they are told
- `master`: the referee; `game`: the token `STRATEGO`
"""

from gamehost.games.stratego.game import STRATEGO

__all__ = ["STRATEGO"]
