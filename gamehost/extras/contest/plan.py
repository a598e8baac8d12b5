"""
The plan of a contest: its entrants, and all that decides which games they play.
"""

from collections.abc import Iterator, Mapping, Sequence

from attrs import asdict, field, frozen

#: The formats by name, and what `rounds` means in each.
FORMATS = {
    "round-robin": "everybody plays everybody, so many times",
    "gauntlet": "the first entrant plays each of the others, so many times",
    "swiss": "so many rounds between players with about equal points",
    "knock-out": "who loses is out; so many games a pairing",
}
#: The formats in which a round depends on the results of the one before it.
IN_TURN = frozenset({"swiss", "knock-out"})
#: The rule for the games of a player that is out.
OUT_RULES = {
    "annul": "none of its games counts",
    "forfeit": "what was played counts, and for each other game its opponents have the point",
}

#: What stands for the command of a person.
PERSON = ("person",)
#: In a command, the place of the folder of what an author has handed in.
FOLDER = "{folder}"


@frozen
class Entrant:
    name: str
    command: tuple[str, ...]
    #: The rating of a player whose strength is known; `None`: it is not.
    anchor: float | None = None
    #: The folder of what its author has handed in last; empty: nothing can be handed in.
    folder: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The command, with the folder in its place."""
        return tuple(word.replace(FOLDER, self.folder) for word in self.command) if self.folder else self.command


@frozen
class Plan:
    """All that decides which games are played, and how. The same plan gives the same pairings and deals."""

    wire: str
    game: str
    entrants: tuple[Entrant, ...]
    format: str = "round-robin"
    rounds: int = 1
    #: One of `OUT_RULES`.
    out_rule: str = "annul"
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
    #: What the pages call it; empty: its wire, its players and its format.
    title: str = ""

    @property
    def bounds(self) -> Mapping[str, tuple[float, str]]:
        """The bounds of a program, by the causes of rulings: the limit, and the words for a program that exceeds it."""
        bounds = {
            "memory": (self.memory * 2**20, f"it took more than {self.memory} MiB"),
            "processes": (self.processes, f"it had more than {self.processes} processes"),
            "processor": (self.processor, f"it took more than {self.processor:g} s of a processor"),
        }
        return {cause: bound for cause, bound in bounds.items() if bound[0]}

    @property
    def names(self) -> Sequence[str]:
        return [one.name for one in self.entrants]


def differences(written: Plan, given: Plan) -> Iterator[str]:
    """The differences between the plan of a running contest and another plan, a few words each."""
    before = {one.name: one for one in written.entrants}
    now = {one.name: one for one in given.entrants}
    yield from (f"{name} does not play any more" for name in before if name not in now)
    yield from (f"{name} is new" for name in now if name not in before)
    if sorted(before) == sorted(now) and [*before] != [*now]:
        yield f"the players are in another order: {', '.join(before)}"
    for name in [name for name in now if name in before]:
        if before[name].command != now[name].command:
            yield f"the command of {name} was {' '.join(before[name].command)!r}"
        if before[name].anchor != now[name].anchor:
            yield f"the anchor {name} was {before[name].anchor}"
    first, other = asdict(written, recurse=False), asdict(given, recurse=False)
    for option in first.keys() - {"entrants", "settings"}:
        if first[option] != other[option]:
            yield f"{option.replace('_', '-')} was {first[option]}, and is {other[option]}"
    for setting in sorted(first["settings"].keys() | other["settings"].keys()):
        old, new = first["settings"].get(setting), other["settings"].get(setting)
        if old != new:
            yield f"{setting} was {'not given' if old is None else old}, and is {'not given' if new is None else new}"
