"""
A contest: its plan, its journal, and the games that are still to be played.

The journal is a file of JSON lines. The first one is the plan, each other one is a decided game. A game counts when its line is
on disk, so a contest that was killed goes on with the games that have no line.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import asdict, define, field, frozen
from msgspec import convert

from gamehost.extras.contest.game import ContestGame, Decision, Plan
from gamehost.extras.contest.ratings import Score, SequentialTest, Verdict, pairs_of
from gamehost.extras.contest.schedule import Past, Round, gauntlet, round_robin, seatings, swiss_round
from gamehost.journal.notation import NotNotation, write_notation
from gamehost.journal.records import EntryKind

#: The formats by name, and what `rounds` means in each.
FORMATS = {
    "round-robin": "everybody plays everybody, so many times",
    "gauntlet": "the first entrant plays each of the others, so many times",
    "swiss": "so many rounds between players with about equal points",
}
#: Times in a row that a program may fail to come to its game; then it is out of the contest.
ABSENCES = 2
#: Games that a sequential test has at most.
MOST_GAMES = 100_000
JOURNAL = "contest.jsonl"


class ContestError(Exception):
    """A contest cannot be played, or not here. The message says why."""


@frozen
class Pairing:
    #: Round and board, and `a` or `b` for the two games of a pair: `3.2a`.
    id: str
    round: int
    #: The entrants, by their numbers, in the order of the seats.
    players: tuple[int, ...]
    seed: int


@frozen
class Played:
    id: str
    round: int
    players: tuple[int, ...]
    shares: tuple[float, ...]
    cause: str
    words: str
    #: Numbers of entrants whose program did not come.
    absent: tuple[int, ...] = ()
    moves: int = 0
    seconds: float = 0.0
    #: The match in the notation of its game; empty if it did not begin.
    notation: str = ""

    @property
    def scores(self) -> list[Score]:
        if len(self.players) == 2:
            return [Score(self.players[0], self.players[1], self.shares[0])]
        return pairs_of(dict(zip(self.players, self.shares, strict=True)))


def seed_of(plan: Plan, number: int, board: int) -> int:
    """The seed of a game. Both games of a pair have the same."""
    return int.from_bytes(sha256(f"{plan.seed}/{number}/{board}".encode()).digest()[:6], "big")


@define(eq=False)
class Contest:
    """What was played, and what comes next."""

    plan: Plan
    played: dict[str, Played] = field(factory=dict)
    #: Entrants who are out, by their numbers: since which round, and why.
    scratched: dict[int, tuple[int, str]] = field(factory=dict)
    _absences: dict[int, int] = field(factory=dict)
    #: The games of the rounds that have begun, in order.
    games: list[Pairing] = field(factory=list)
    #: Who had no game in which round: a point in a Swiss contest.
    byes: list[tuple[int, int]] = field(factory=list)
    _past: Past = field(init=False)
    _rounds: Iterator[Round] = field(init=False)
    #: Whether a round depends on the results of those before it.
    _in_turn: bool = field(init=False)
    #: How many rounds have begun.
    rounds: int = 0

    def __attrs_post_init__(self) -> None:
        count = len(self.plan.entrants)
        self._past = Past.none(count)
        self._rounds = self._schedule(count)
        self._in_turn = self.plan.format == "swiss" and self.plan.seats == 2
        if not self._in_turn and self.plan.sprt is None:
            while self._begin_round():
                pass  # all games are known from the beginning

    def _schedule(self, count: int) -> Iterator[Round]:
        plan = self.plan
        if plan.sprt is not None:
            yield from round_robin(2, MOST_GAMES)
        elif plan.seats > 2:
            yield from seatings(count, plan.seats, plan.rounds, plan.seed)
        elif plan.format == "gauntlet":
            yield from gauntlet(count, plan.rounds)
        elif plan.format == "round-robin":
            yield from round_robin(count, plan.rounds)
        else:
            for number in range(1, plan.rounds + 1):
                present = [player for player in self.order(number) if self._present(player, number)]
                if len(present) < 2:
                    return
                one = swiss_round(present, self._past)
                self._past.add(one)
                yield one

    def _present(self, player: int, number: int) -> bool:
        """Whether a player took part when this round began."""
        return player not in self.scratched or self.scratched[player][0] >= number

    def order(self, number: int) -> list[int]:
        """The players by their points before a round, equal ones in the order of their entry."""
        points = self.points(number)
        return sorted(range(len(points)), key=lambda player: (-points[player], player))

    def points(self, before: int | None = None) -> list[float]:
        """
        Of each player, with the points for rounds without a game in a Swiss contest.

        :param before: the round before which they are counted: a contest that goes on pairs as it did; `None`: all
        """
        points = [0.0] * len(self.plan.entrants)
        for one in self.played.values():
            if before is None or one.round < before:
                for player, share in zip(one.players, one.shares, strict=True):
                    points[player] += share
        if self._in_turn:
            for number, player in self.byes:
                if before is None or number < before:
                    points[player] += 2.0 if self.plan.pairs else 1.0
        return points

    def note(self, played: Played) -> None:
        """
        Count a game.

        :raises ValueError: it has been counted
        """
        if played.id in self.played:
            raise ValueError(f"game {played.id} has been counted")
        self.played[played.id] = played
        for player in played.players:
            if player not in played.absent:
                self._absences[player] = 0
                continue
            self._absences[player] = self._absences.get(player, 0) + 1
            if self._absences[player] >= ABSENCES:
                self.scratched.setdefault(player, (played.round, played.words))

    def next_games(self, running: Mapping[str, object]) -> Iterator[Pairing]:
        """The games that can begin now, in order. A round of a Swiss contest begins when the one before it is over."""
        if self.verdict is not Verdict.OPEN:
            return
        yield from (one for one in self.games if self._open(one) and one.id not in running)
        while not (self._in_turn and any(self._open(one) for one in self.games)):
            known = len(self.games)
            if not self._begin_round():
                return
            yield from (one for one in self.games[known:] if self._open(one))

    def pairing(self, name: str) -> Pairing | None:
        """The game with this name, as the plan and the games before its round make it; `None`: there is none."""
        while (found := next((one for one in self.games if one.id == name), None)) is None:
            if (self._in_turn and any(self._open(one) for one in self.games)) or not self._begin_round():
                return None
        return found

    @property
    def progress(self) -> tuple[int, int, str]:
        """Games that are decided, games in all, and the same in words."""
        done, count = len(self.played), sum(not self.is_void(one) for one in self.games)
        if self.plan.sprt is not None:
            return done, done, f"{done} games are decided"
        rounds = max(self.plan.rounds, self.rounds) if self._in_turn else self.rounds
        if self._in_turn:
            present = len(self.plan.entrants) - len(self.scratched)
            count += (rounds - self.rounds) * (present // 2) * (2 if self.plan.pairs else 1)
        now = next((one.round for one in self.games if self._open(one)), self.rounds)
        return done, count, f"{done} of {count} games are decided; round {now} of {rounds}"

    def _begin_round(self) -> bool:
        """Add the games of the next round. `False`: there is none."""
        begun = next(self._rounds, None)
        if begun is None:
            return False
        self.rounds += 1
        self.games.extend(self._pairings(begun))
        self.byes.extend((self.rounds, player) for player in begun.byes)
        return True

    def _pairings(self, begun: Round) -> Iterator[Pairing]:
        for board, players in enumerate(begun.pairings, 1):
            seed = seed_of(self.plan, self.rounds, board)
            if not self.plan.pairs:
                yield Pairing(f"{self.rounds}.{board}", self.rounds, players, seed)
            else:
                yield Pairing(f"{self.rounds}.{board}a", self.rounds, players, seed)
                yield Pairing(f"{self.rounds}.{board}b", self.rounds, players[::-1], seed)

    def _open(self, one: Pairing) -> bool:
        return one.id not in self.played and not self.is_void(one)

    def is_void(self, one: Pairing) -> bool:
        """Whether a game is not played any more, because somebody is out."""
        return one.id not in self.played and any(player in self.scratched for player in one.players)

    @property
    def verdict(self) -> Verdict:
        """Of the sequential test; a contest without one stays open."""
        if self.plan.sprt is None:
            return Verdict.OPEN
        return SequentialTest(*self.plan.sprt).verdict(*self.against(0))

    def against(self, player: int) -> tuple[int, int, int]:
        shares = [one.shares[one.players.index(player)] for one in self.played.values() if player in one.players]
        won, lost = sum(share == 1 for share in shares), sum(share == 0 for share in shares)
        return won, len(shares) - won - lost, lost


class ContestJournal:
    """The file in which decided games are written down."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL
        self._file: Any = None

    def open(self, plan: Plan) -> Contest:
        """
        The contest as far as it was played, or a new one.

        :raises ContestError: another contest was played here, it is being played, or the file cannot be used
        """
        try:
            with ExitStack() as failed:
                failed.callback(self.close)
                contest = self._open(plan)
                failed.pop_all()
        except BlockingIOError as error:
            raise ContestError(f"{self._path.parent}: this contest is being played by another process") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ContestError(f"{self._path} cannot be used: {error}") from error
        return contest

    def _open(self, plan: Plan) -> Contest:
        contest = Contest(plan)
        written = json.loads(json.dumps(asdict(plan)))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("a+b")
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._file.seek(0)
        lines = self._file.read().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        # A line without an end was being written when the contest was killed: its game was not counted.
        self._file.truncate(sum(map(len, whole)))
        if not whole:
            self._write({"plan": written})
        elif json.loads(whole[0]) != {"plan": written}:
            raise ContestError(
                f"{self._path} belongs to another contest: give the same options to go on, or another folder with --out"
            )
        for line in whole[1:]:
            contest.note(convert(json.loads(line), Played))
        return contest

    def plan(self) -> Plan:
        """
        The plan of the contest that was begun here.

        :raises ContestError: there is none that can be read
        """
        try:
            with self._path.open(encoding="utf-8") as file:
                return convert(json.loads(file.readline())["plan"], Plan)
        except FileNotFoundError:
            raise ContestError(f"no contest was begun in {self._path.parent}") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ContestError(f"{self._path} cannot be used: {error}") from error

    def append(self, played: Played) -> None:
        """Write a game down. It is on disk when this returns."""
        self._write(asdict(played))

    def _write(self, content: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(content).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


@define(eq=False)
class ContestRun:
    """
    Plays the games of a contest, so many at a time.

    :param new_game: makes a game, as `ContestGame` is made without the first four arguments
    :param told: called with each game when it is counted, and when one begins
    :param done: called when there is nothing more to play, or with the reason why the contest cannot go on
    """

    _reactor: Any
    contest: Contest
    _journal: ContestJournal
    _new_game: Callable[..., ContestGame]
    _at_once: int
    _told: Callable[[Played | Pairing], None]
    _done: Callable[[str], None]
    running: dict[str, ContestGame] = field(factory=dict)
    _stopped: bool = False

    def start(self) -> None:
        """Begin as many games as may be played at once."""
        if self._stopped:
            return
        room = self._at_once - len(self.running)
        busy = {player for one in self.contest.games if one.id in self.running for player in one.players}
        for one in self.contest.next_games(self.running):
            if room <= 0:
                break
            if self.contest.plan.hosted and busy & {*one.players}:
                continue  # a player has one game at a time on a running host
            busy |= {*one.players}
            room -= 1
            self._begin(one)
        if not self.running:
            self._stopped = True
            self._done("")

    def _begin(self, one: Pairing) -> None:
        entrants = [self.contest.plan.entrants[player] for player in one.players]
        began = self._reactor.seconds()
        game = self._new_game(
            names=[entrant.name for entrant in entrants],
            commands=[entrant.command for entrant in entrants],
            seed=one.seed,
            decided=partial(self._decided, one, began),
        )
        self.running[one.id] = game
        game.start()
        self._told(one)

    def _decided(self, one: Pairing, began: float, decision: Decision) -> None:
        del self.running[one.id]
        if self._stopped:
            return
        if not decision.shares:
            self.stop()
            self._done(decision.words)
            return
        record = decision.record
        notation = ""
        if record is not None:
            try:
                notation = write_notation(record)
            except NotNotation as error:
                notation = f"; {error}\n"
        absent = tuple(one.players[seat] for seat in decision.absent)
        moves = 0 if record is None else sum(entry.kind is EntryKind.ACTED for entry in record.entries)
        seconds = round(self._reactor.seconds() - began, 3)
        played = Played(
            *(one.id, one.round, one.players, decision.shares, decision.cause, decision.words, absent),
            *(moves, seconds, notation),
        )
        try:
            self._journal.append(played)
        except OSError as error:
            self._done(f"game {one.id} cannot be written down: {error}")
            return
        self.contest.note(played)
        self._told(played)
        self._reactor.callLater(0, self.start)

    def stop(self) -> None:
        """End all games that are being played; they do not count."""
        self._stopped = True
        for game in list(self.running.values()):
            game.stop()
