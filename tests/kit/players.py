"""
Whole matches between players, and what every game's players are checked for.

A match gives each player the events of its own seat and nothing else.
"""

import os
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import sqrt
from typing import Any

from attrs import define, field, frozen
from msgspec import json
from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.core import ClientCore
from gamehost.games.base import Chance, Game, GameMaster, IllegalAction, Result, Seat, SystemChance, To, shuffled
from gamehost.games.eriantys.rules import NO_STUDENTS, drawn
from gamehost.games.installed import installed
from gamehost.games.onitama.master import ONITAMA, Dealt
from gamehost.games.onitama.rules import VECTORS
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Kickoff
from gamehost.games.play import new_player, player_of
from gamehost.limits import Limits
from gamehost.lobby.advice import AdviceQuestion, answer_of
from gamehost.lobby.house import HouseRules
from gamehost.lobby.studies import Question
from gamehost.net.connection import WireFactory
from gamehost.net.context import HostContext
from gamehost.net.limiter import ConnectionLimiter
from gamehost.players.base import Level, Player, SeededChance, Thinking
from gamehost.plugins import WIRES as INSTALLED
from gamehost.programs.clients import client_of
from gamehost.programs.house import study_steps
from gamehost.programs.open import OpenProgram
from gamehost.programs.wire_player import WirePlayer
from gamehost.wires.base import SeatKey
from gamehost.wires.open import messages as m
from gamehost.wires.open.websocket import house_wire
from tests import share
from tests.kit.memory_host import Client, MemoryHost

#: So many actions of one match at most. A match that needs more is a fault of the players.
MOST_ACTIONS = 20_000


class Stuck(Exception):
    """Nobody answers, somebody is refused, or there is no end."""


@frozen
class Played:
    """A whole match."""

    result: Result
    #: Seat and notation, in order.
    actions: tuple[tuple[Seat, bytes], ...]


def tell(players: Sequence[Player], told: Sequence[To[Any]]) -> None:
    """Give each event to the players of its audience."""
    for one in told:
        for seat in range(len(players)) if one.audience is None else one.audience:
            players[seat].hear(one.event)


def one_action(game: Game[Any, Any], master: GameMaster[Any, Any], players: Sequence[Player]) -> tuple[Seat, bytes]:
    """Let the first player act who has an answer; `Stuck` if nobody has one, or it is refused."""
    for number, player in enumerate(players):
        notation = player.answer()
        if notation is not None:
            seat = Seat(number)
            try:
                tell(players, master.act(seat, game.read(notation), 0))
            except IllegalAction as refusal:
                raise Stuck(f"{notation!r} of seat {number} is refused: {refusal}") from None
            return seat, notation
    raise Stuck("nobody has an answer")


def play_match(
    game: Game[Any, Any],
    players: Sequence[Player],
    chance: Chance,
    settings: Mapping[str, str] | None = None,
    most: int = MOST_ACTIONS,
) -> Played:
    master = game.new_master(len(players), settings or {}, chance)
    tell(players, master.begin(0))
    actions: list[tuple[Seat, bytes]] = []
    while master.result is None:
        if len(actions) == most:
            raise Stuck(f"no end after {most} actions")
        actions.append(one_action(game, master, players))
    return Played(master.result, tuple(actions))


def players_of(game: str, levels: Sequence[Level], seed: int, effort: float = 1.0) -> list[Player]:
    return [
        new_player(game, Seat(number), level, seed * 10 + number, effort=effort) for number, level in enumerate(levels)
    ]


def match_of(
    game: Game[Any, Any],
    levels: Sequence[Level],
    seed: int,
    settings: Mapping[str, str] | None = None,
    effort: float = 1.0,
) -> Played:
    return play_match(game, players_of(game.name, levels, seed, effort), SeededChance(seed), settings)


def pairs() -> list[tuple[Level, Level]]:
    return [(one, other) for one in Level for other in Level]


def line_ups() -> list[tuple[Level, Level]]:
    """Each level in each seat; all pairs where more is asked for."""
    return share(list(zip(Level, reversed(Level), strict=True)), pairs())


def check_whole_matches(
    test: SynchronousTestCase,
    game: Game[Any, Any],
    levels: Sequence[Sequence[Level]],
    seeds: Sequence[int],
    settings: Callable[[int], Mapping[str, str]] = lambda seed: {},
    effort: float = 1.0,
) -> None:
    """Matches of each of these line-ups come to an end by the rules, and no action is refused."""
    for line_up in levels:
        for seed in seeds:
            played = match_of(game, line_up, seed, settings(seed), effort)
            test.assertNotEqual(played.actions, ())
            test.assertEqual(played.result.cause.value, "rules", (line_up, seed))


def slow_line_ups() -> list[tuple[tuple[Level, Level], int]]:
    """
    Pairs of levels, with the number of matches that a slow module plays.

    `GAMEHOST_MATCHES` changes the number, which is 1,000 for random and easy. Pairs with medium play a fifth of it, and pairs
    with hard a fiftieth.
    """
    matches = int(os.environ.get("GAMEHOST_MATCHES", "1000"))
    share = {Level.RANDOM: 1, Level.EASY: 1, Level.MEDIUM: 5, Level.HARD: 50}
    return [(pair, max(1, matches // max(share[level] for level in pair))) for pair in pairs()]


# How evenly luck falls: draws through the masters' own code, counted, and how far the counts may be off.
#
# A sample is what is counted; a statistic past `furthest` would happen to even luck less than once in a hundred million
# times, so that all samples together fail by chance less than once in a million runs.


#: Standard deviations that a normal variable exceeds with a probability of 6 in 10^9, on one side.
FAR = 5.7


def furthest(freedom: int) -> float:
    """A bound for chi-square with so many degrees of freedom, after Wilson and Hilferty; on the safe side for few."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + FAR * sqrt(part)) ** 3


def chi_square(counts: Mapping[Hashable, int], odds: Mapping[Hashable, Fraction]) -> float:
    """How far the counts are from what these odds would have them be."""
    assert counts.keys() <= odds.keys() and sum(odds.values()) == 1
    total = sum(counts.values())
    return sum((counts.get(one, 0) - total * float(odd)) ** 2 / (total * float(odd)) for one, odd in odds.items())


def even(outcomes: Sequence[Hashable]) -> dict[Hashable, Fraction]:
    """The odds of outcomes that are all as likely."""
    return {outcome: Fraction(1, len(outcomes)) for outcome in outcomes}


def first_players(times: int, chance: Chance) -> Iterator[Hashable]:
    """Who moves first in so many matches of paper soccer."""
    for _ in range(times):
        [to] = PAPER_SOCCER.new_master(2, {}, chance).begin(0)
        assert isinstance(to.event, Kickoff)
        yield to.event.first


def spare_cards(times: int, chance: Chance) -> Iterator[Hashable]:
    """The spare card of so many matches of Onitama: the last that is dealt."""
    for _ in range(times):
        [to] = ONITAMA.new_master(2, {}, chance).begin(0)
        assert isinstance(to.event, Dealt)
        yield to.event.position.spare


def first_cards(times: int, chance: Chance) -> Iterator[Hashable]:
    """White's first card of so many matches of Onitama."""
    for _ in range(times):
        [to] = ONITAMA.new_master(2, {}, chance).begin(0)
        assert isinstance(to.event, Dealt)
        yield to.event.position.hands[0][0]


def students(times: int, chance: Chance) -> Iterator[Hashable]:
    """The colour of the second student out of a bag that holds more of some than of others."""
    for _ in range(times):
        _, bag = drawn(BAG, 1, chance)
        second, _ = drawn(bag, 1, chance)
        yield second.index(1)


def seatings(times: int, chance: Chance) -> Iterator[Hashable]:
    """How four players are seated."""
    for _ in range(times):
        yield tuple(shuffled(range(4), chance))


BAG = (26, 24, 20, 10, 40)
assert len(BAG) == len(NO_STUDENTS)

#: What is drawn, and its odds: the second student's are those of the first.
SAMPLES: Mapping[str, tuple[Callable[[int, Chance], Iterator[Hashable]], Mapping[Hashable, Fraction]]] = {
    "first players of paper soccer": (first_players, even([0, 1])),
    "spare cards of Onitama": (spare_cards, even(list(VECTORS))),
    "first cards of Onitama": (first_cards, even(list(VECTORS))),
    "students out of a bag": (students, {colour: Fraction(count, sum(BAG)) for colour, count in enumerate(BAG)}),
    "seatings": (seatings, even(list(permutations(range(4))))),
}


def unfair(
    times: int, draw: Callable[[int], int] = secrets.randbelow, names: Iterable[str] = tuple(SAMPLES)
) -> list[str]:
    """Draw so often of each of these samples; those that are further off than even luck would be, with their numbers."""
    found = []
    for name in names:
        sample, odds = SAMPLES[name]
        chance = SystemChance(draw)
        counts: Counter[Hashable] = Counter()
        for outcome in sample(times, chance):
            counts[outcome] += 1
            chance.take()
        statistic, bound = chi_square(counts, odds), furthest(len(odds) - 1)
        if statistic > bound:
            found.append(f"{name}: chi-square {statistic:.1f}, at most {bound:.1f}")
    return found


# House players for tests: rules for all games, processes that only note who is to sit down, and one that plays in memory.


GAMES = ("eriantys", "onitama", "paper-soccer", "stratego")
SECRET = "5ec2e7"

#: Who waits alone for 20 seconds gets an opponent.
RULES = HouseRules(dict.fromkeys(GAMES, 20.0))


@define
class NotedPrograms:
    """Programs that never come."""

    games: Collection[str] = GAMES
    #: Who was to sit down.
    called: list[str] = field(factory=list)
    #: The groups that were named then.
    groups: list[int] = field(factory=list)
    #: The matches that were to be studied, and the answers that are awaited.
    studied: list[tuple[str, Deferred[str]]] = field(factory=list)
    #: The positions for which advice was asked, likewise.
    advised: list[tuple[str, Deferred[str]]] = field(factory=list)

    def study(self, group: int, question: str) -> Deferred[str]:
        self.studied.append((question, Deferred()))
        return self.studied[-1][1]

    def advise(self, group: int, question: str) -> Deferred[str]:
        self.advised.append((question, Deferred()))
        return self.advised[-1][1]

    def sit(self, name: str, group: int) -> None:
        self.called.append(name)
        self.groups.append(group)


def house_host(
    settings: Mapping[str, str] = {}, rules: HouseRules = RULES, **more: object
) -> tuple[MemoryHost, NotedPrograms]:
    """A host with house players whose programs never come."""
    host = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger", **settings}, house_rules=rules, **more)  # type: ignore[arg-type]
    programs = NotedPrograms()
    host.lobby.house.started(programs)
    return host, programs


def house_factory(host: MemoryHost) -> WireFactory[Any]:
    limits = Limits(unlimited=True)
    shared = HostContext(host.clock, host.lobby, limits, ConnectionLimiter(limits), host.context.cork)
    return WireFactory(house_wire(SECRET.__eq__), {}, shared)


class HousePlayer:
    """One program and its connection."""

    def __init__(self, process: "HouseProcess", name: str) -> None:
        self.name = name
        self.process = process
        self.core = ClientCore(m.Enter(name, SECRET), lambda: 0.5)
        level = Level(name.partition(".")[0])
        #: The answers that the host refused.
        self.refused: list[m.Refused] = []
        self.acts: list[str] = []
        #: All bytes that it was told.
        self.told = b""
        #: Keeps the program from thinking.
        self.asleep = False

        def new_player(game: str, seat: Any) -> Any:
            return player_of(installed().games[game], seat, level, Thinking(SeededChance(process.seed), effort=0.05))

        self.program = OpenProgram(new_player)
        self.link = Client(process.host, process.factory, "")
        self.core.connection_made(process.host.clock.seconds())

    @property
    def over(self) -> bool:
        return self.program.over is not None or self.link.closed

    def exchange(self) -> bool:
        said = self.core.take_output()
        if said:
            self.link.send(said)
        told = self.link.transport.read()
        self.told += told
        for message in self.core.received(told, self.process.host.clock.seconds()):
            if isinstance(message, m.Refused):
                self.refused.append(message)
            for answer in self.program.hear(message):
                self.core.say(answer)
        match = self.program.match
        work = None if match is None or self.asleep else match.work()
        if match is not None and work is not None:
            for act in self.program.act(match, work()):
                assert isinstance(act, m.Act)
                self.acts.append(act.action)
                self.core.say(act)
        return bool(said or told or work)


class HouseProcess:
    """The process of the house players, in memory and without threads."""

    def __init__(self, host: MemoryHost, seed: int = 1) -> None:
        self.host, self.seed = host, seed
        self.factory = house_factory(host)
        self.games: Collection[str] = GAMES
        self.players: dict[str, HousePlayer] = {}
        #: All that there were.
        self.seen: list[HousePlayer] = []
        #: Called with each that comes.
        self.came: Callable[[HousePlayer], None] = lambda player: None
        host.lobby.house.started(self)

    def study(self, group: int, question: str) -> Deferred[str]:
        steps = study_steps(json.decode(question, type=Question))
        while True:
            try:
                next(steps)
            except StopIteration as stop:
                return succeed(json.encode(stop.value).decode())

    def advise(self, group: int, question: str) -> Deferred[str]:
        asked = json.decode(question, type=AdviceQuestion)
        found = answer_of(asked, installed().games[asked.game], 1, 0.05, None)
        return succeed(json.encode(found).decode())

    def sit(self, name: str, group: int) -> None:
        if name not in self.players or self.players[name].link.closed:
            player = self.players[name] = HousePlayer(self, name)
            self.seen.append(player)
            self.came(player)

    def until_idle(self) -> bool:
        """Let all do what there is to do. Whether anybody did anything."""
        any_did = False
        while any([player.exchange() for player in list(self.players.values()) if not player.over]):
            any_did = True
        for name, player in list(self.players.items()):
            if player.over and not player.link.closed:
                player.link.drop()
                del self.players[name]
        return any_did

    def kill(self) -> None:
        self.games = ()
        players, self.players = self.players, {}
        for player in players.values():
            player.link.drop()

    def restart(self) -> None:
        self.games = GAMES
        self.host.lobby.house.started(self)


# The programs for all wires at a host in memory.


#: The wires that bring a program that plays, by their names.
WIRES = {
    wire.name: wire for wire in INSTALLED if (client := client_of(wire.name)) is not None and client.player is not None
}


def program_of(wire: str, name: str, password: str, new_player: Callable[[str, Seat], Player]) -> WirePlayer:
    client = client_of(wire)
    assert client is not None and client.player is not None
    player: WirePlayer = client.player(name, password, new_player, "onitama")
    return player


def client_codec_of(wire: str) -> Any:
    """A codec of the client's side."""
    client = client_of(wire)
    assert client is not None
    return client.codec()


class WirePerson:
    """A program on one wire, with one connection at a time. It plays as many matches as it is asked to."""

    def __init__(
        self,
        host: MemoryHost,
        wire: str,
        name: str = "ann",
        *,
        level: Level = Level.EASY,
        games: int = 1,
        seed: int = 1,
    ) -> None:
        self.host, self.wire, self.seed, self.level = host, wire, seed, level
        self.results: list[str] = []
        self._games = games
        self.program = program_of(wire, name, "secret secret", self.new_player)
        self.connect()

    def new_player(self, game: str, seat: Seat) -> Player:
        return new_player(game, seat, self.level, self.seed, effort=0.05)

    def connect(self) -> None:
        self._codec = client_codec_of(self.wire)
        self.link = self.host.connect(self.wire)
        self._say(self.program.begin())

    def drop(self) -> None:
        """Lose the connection. The program that comes next is a new one, which knows nothing, unless it alone has the key."""
        self.link.drop()
        if WIRES[self.wire].seat_key is not SeatKey.TOKEN:
            self.program = program_of(self.wire, self.program.name, "secret secret", self.new_player)
        self.connect()

    @property
    def done(self) -> bool:
        return len(self.results) == self._games

    def _say(self, messages: Any) -> None:
        for message in messages:
            self.link.send(self._codec.encode(message))

    def go_on(self, think: bool = True) -> bool:
        told = self.link.transport.read()
        said: list[Any] = []
        for message in self._codec.feed(told):
            said += self.program.hear(message)
            if self.program.result is not None:
                self.results.append(self.program.result)
                if self.done:
                    return True
                said += self.program.again()
        if think:
            said += self.program.think()
        self._say(said)
        return bool(told or said)


def play(
    host: MemoryHost,
    people: list[WirePerson],
    process: HouseProcess | None = None,
    each: Callable[[int], None] | None = None,
) -> None:
    """Let all play until they are done. `each` is called with the number of each round."""
    for number in range(20_000):
        did = any(
            [*(person.go_on() for person in people if not person.done), *([process.until_idle()] if process else [])]
        )
        if all(person.done for person in people):
            return
        if not did:
            host.wait(1)
            assert number < 10_000, "nobody does anything"
        if each is not None:
            each(number)
    raise AssertionError("the matches have no end")
