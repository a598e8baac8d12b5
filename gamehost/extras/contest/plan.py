"""
What a contest is made of: its entrants, and all that decides which games they play.
"""

from collections.abc import Mapping, Sequence

from attrs import field, frozen

#: What stands for the command of a person.
PERSON = ("person",)


@frozen
class Entrant:
    name: str
    command: tuple[str, ...]
    #: The rating of a player whose strength is known; `None`: it is not.
    anchor: float | None = None


@frozen
class Plan:
    """All that decides which games are played, and how. The same plan gives the same pairings and deals."""

    wire: str
    game: str
    entrants: tuple[Entrant, ...]
    format: str = "round-robin"
    rounds: int = 1
    #: Whether each pairing is played twice, with the same deal and the seats changed.
    pairs: bool = False
    seats: int = 2
    seed: int = 0
    settings: Mapping[str, str] = field(factory=dict)
    #: Seconds for a whole game.
    deadline: float = 600.0
    #: After so many moves a game is drawn; 0: after any number it goes on.
    most_moves: int = 0
    #: What one program may take in a game, with all that it has started: MiB, processes, seconds of a processor. 0: any number.
    memory: int = 0
    processes: int = 0
    processor: float = 0.0
    #: How programs are kept from what is not theirs, as of `gamehost.extras.contest.isolation`, and what they may read.
    isolate: str = "none"
    readable: tuple[str, ...] = ()
    #: A sequential test of two entrants: the smaller and the larger difference in Elo's points.
    sprt: tuple[float, float] | None = None
    #: Whether a running host deals, and not the seed.
    hosted: bool = False

    @property
    def bounds(self) -> Mapping[str, tuple[float, str]]:
        """What a program may take, and what is said of one that took more, by the causes of rulings."""
        bounds = {
            "memory": (self.memory * 2**20, f"it took more than {self.memory} MiB"),
            "processes": (self.processes, f"it had more than {self.processes} processes"),
            "processor": (self.processor, f"it took more than {self.processor:g} s of a processor"),
        }
        return {cause: bound for cause, bound in bounds.items() if bound[0]}

    @property
    def names(self) -> Sequence[str]:
        return [one.name for one in self.entrants]
