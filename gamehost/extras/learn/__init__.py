"""
Learning environments of all games, with the rules of the host, and matches of what was learnt on a host.

- `env`: a game as an environment of PettingZoo; `raw_env` is the same without wrappers
- `encoder`: the numbers and arrays of one seat, from the messages that it receives
- `play`: a match of a policy on a host
- `linear`: an example, which learns to play Onitama in a minute

An environment and a match on a host give a policy the same arrays, because both ask the same encoder.
"""

from gamehost.extras.learn.encoding import SeatEncoder
from gamehost.extras.learn.environment import encoder, env, raw_env
from gamehost.extras.learn.match import play

__all__ = ["SeatEncoder", "encoder", "env", "play", "raw_env"]
