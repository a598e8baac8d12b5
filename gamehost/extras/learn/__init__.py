"""
Environments for machine learning, with the host's own rules for all games, and matches of learnt policies on a host.

- `env`: makes an environment of PettingZoo for a game; `raw_env` is the same without wrappers
- `encoder`: converts the messages to one seat into arrays, and numbers into actions
- `play`: plays a match of a policy on a host
- `linear`: an example, which learns to play Onitama in a minute

An environment and a match on a host give a policy the same arrays, because both ask the same encoder.
"""

from gamehost.extras.learn.encoding import SeatEncoder
from gamehost.extras.learn.environment import encoder, env, raw_env
from gamehost.extras.learn.match import play

__all__ = ["SeatEncoder", "encoder", "env", "play", "raw_env"]
