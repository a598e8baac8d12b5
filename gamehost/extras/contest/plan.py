"""
The plan of a contest: its entrants, and all values that decide which games they play.
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
#: The rules for the games of a player that is out of the contest, and what each means.
OUT_RULES = {
    "annul": "none of its games counts",
    "forfeit": "what was played counts, and for each other game its opponents have the point",
}

#: The command of an entrant that is a person: no program is started.
PERSON = ("person",)
#: The part of a command that is replaced by the folder with the author's uploaded program.
FOLDER = "{folder}"


@frozen
class Entrant:
    """A program, or a person, that takes part in a contest under a name."""

    name: str
    command: tuple[str, ...]
    #: The rating of the player, if it is known; `None`: the rating is estimated as all others are.
    anchor: float | None = None
    #: The folder of the program that the author has uploaded last; empty: this entrant has no uploads.
    folder: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The command that starts the program, with the entrant's folder instead of `{folder}`."""
        return tuple(word.replace(FOLDER, self.folder) for word in self.command) if self.folder else self.command


@frozen
class Plan:
    """All values that decide which games are played, and how. The same plan gives the same pairings and deals."""

    wire: str
    game: str
    entrants: tuple[Entrant, ...]
    format: str = "round-robin"
    rounds: int = 1
    #: One of `OUT_RULES`.
    out_rule: str = "annul"
    #: Whether each pairing is played twice, with the same deal and the seats exchanged.
    pairs: bool = False
    seats: int = 2
    seed: int = 0
    settings: Mapping[str, str] = field(factory=dict)
    #: The most seconds of a whole game.
    deadline: float = 600.0
    #: A game is drawn after so many moves; 0: the number of moves is not limited.
    most_moves: int = 0
    #: The most memory in MiB, the most processes, and the most seconds of processor time of one program in a game. All
    #: processes that the program has started count, too. 0: no limit.
    memory: int = 0
    processes: int = 0
    processor: float = 0.0
    #: The isolation of programs, one of `gamehost.extras.contest.isolation.KINDS`, and the paths that isolated programs may
    #: read.
    isolate: str = "none"
    readable: tuple[str, ...] = ()
    #: The two differences in Elo's points between which a sequential test of two entrants decides; `None`: there is no test.
    sprt: tuple[float, float] | None = None
    #: Whether the games are played on a running host. Then the host deals by its own chance, and not by the seed.
    hosted: bool = False
    #: The name of the contest on its pages; empty: the pages name its wire, its players and its format.
    title: str = ""

    @property
    def bounds(self) -> Mapping[str, tuple[float, str]]:
        """
        The limits of a program that are set, by the cause of the ruling on a program that exceeds one: the limit (in bytes,
        processes or seconds), and the words of the ruling.
        """
        bounds = {
            "memory": (self.memory * 2**20, f"it took more than {self.memory} MiB"),
            "processes": (self.processes, f"it had more than {self.processes} processes"),
            "processor": (self.processor, f"it took more than {self.processor:g} s of a processor"),
        }
        # 0: no limit.
        return {cause: bound for cause, bound in bounds.items() if bound[0]}

    @property
    def names(self) -> Sequence[str]:
        return [one.name for one in self.entrants]


def differences(written: Plan, given: Plan) -> Iterator[str]:
    """
    Yields the differences between the plan in a contest's journal and another plan, a few words for each.

    :param written: the plan in the journal
    :param given: the plan that the command line gives now
    """
    # Players.
    before = {one.name: one for one in written.entrants}
    now = {one.name: one for one in given.entrants}
    yield from (f"{name} does not play any more" for name in before if name not in now)
    yield from (f"{name} is new" for name in now if name not in before)
    # New and missing players are reported already.
    if sorted(before) == sorted(now) and [*before] != [*now]:
        yield f"the players are in another order: {', '.join(before)}"
    for name in [name for name in now if name in before]:
        if before[name].command != now[name].command:
            yield f"the command of {name} was {' '.join(before[name].command)!r}"
        if before[name].anchor != now[name].anchor:
            yield f"the anchor {name} was {before[name].anchor}"
    # All other values, and the settings of the game and the wire.
    first, other = asdict(written, recurse=False), asdict(given, recurse=False)
    for option in first.keys() - {"entrants", "settings"}:
        if first[option] != other[option]:
            yield f"{option.replace('_', '-')} was {first[option]}, and is {other[option]}"
    for setting in sorted(first["settings"].keys() | other["settings"].keys()):
        old, new = first["settings"].get(setting), other["settings"].get(setting)
        if old != new:
            yield f"{setting} was {'not given' if old is None else old}, and is {'not given' if new is None else new}"
