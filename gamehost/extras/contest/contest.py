"""
A contest: its plan, its journal, and the games that are still to be played.

A game counts when its line is on disk, so a contest that was killed goes on with the games that have no line.
"""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import asdict, define, field, frozen
from msgspec import convert

from gamehost._twisted import Timer
from gamehost.extras.contest.entries import Played, Refused, Void, read, written
from gamehost.extras.contest.game import MOST_REFUSED, VOID, ContestGame
from gamehost.extras.contest.judging import Decision, moves_of
from gamehost.extras.contest.plan import Plan
from gamehost.extras.contest.ratings import SequentialTest, Verdict
from gamehost.extras.contest.schedule import Past, Round, gauntlet, round_robin, seatings, swiss_round
from gamehost.journal.notation import NotNotation, write_notation
from gamehost.ops.workers import running

#: The formats by name, and what `rounds` means in each.
FORMATS = {
    "round-robin": "everybody plays everybody, so many times",
    "gauntlet": "the first entrant plays each of the others, so many times",
    "swiss": "so many rounds between players with about equal points",
}
#: Times in a row that a program may fail to come to its game; then it is out of the contest.
ABSENCES = 2
#: How often a game is begun that the host fails in.
TRIES = 2
#: Seconds between two looks at what programs take.
LOOKS_EVERY = 1.0
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


def seed_of(plan: Plan, number: int, board: int) -> int:
    """The seed of a game. Both games of a pair have the same."""
    return int.from_bytes(sha256(f"{plan.seed}/{number}/{board}".encode()).digest()[:6], "big")


@define(eq=False)
class Contest:
    """What was played, and what comes next."""

    plan: Plan
    played: dict[str, Played] = field(factory=dict)
    #: How often the host has failed in a game, by its id.
    voids: Counter[str] = field(factory=Counter)
    refused: list[Refused] = field(factory=list)
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

    def note(self, entry: Played | Void | Refused) -> None:
        """
        Take what the journal has.

        :raises ValueError: a game has been counted
        """
        match entry:
            case Played():
                self._count(entry)
            case Void():
                self.voids[entry.id] += 1
            case Refused():
                self.refused.append(entry)

    def _count(self, played: Played) -> None:
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
        """Whether a game is not played any more, because somebody is out, or because the host has failed in it again."""
        if one.id in self.played:
            return False
        return self.voids[one.id] >= TRIES or any(player in self.scratched for player in one.players)

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
    """The file in which all is written down; see `gamehost.extras.contest.entries`."""

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
        planned = json.loads(json.dumps(asdict(plan)))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if plan.isolate == "user":
            self._path.parent.chmod(0o700)  # not for the users of programs
        self._file = self._path.open("a+b")
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._file.seek(0)
        lines = self._file.read().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        # A line without an end was being written when the contest was killed: its game was not counted.
        self._file.truncate(sum(map(len, whole)))
        if not whole:
            self._write(json.dumps({"plan": planned}).encode() + b"\n")
        elif json.loads(whole[0]) != {"plan": planned}:
            raise ContestError(
                f"{self._path} belongs to another contest: give the same options to go on, or another folder with --out"
            )
        for line in whole[1:]:
            contest.note(read(line))
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

    def append(self, entry: Played | Void | Refused) -> None:
        """Write something down. It is on disk when this returns."""
        self._write(written(entry))

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


@define(eq=False)
class ContestRun:
    """
    Plays the games of a contest, so many at a time.

    :param new_game: makes a game, as `ContestGame` is made without the first three arguments
    :param told: called with each game when it is counted, and when one begins; and with each connection that is refused
    :param done: called when there is nothing more to play, or with the reason why the contest cannot go on
    """

    _reactor: Any
    contest: Contest
    _journal: ContestJournal
    _new_game: Callable[..., ContestGame]
    _at_once: int
    _told: Callable[[Played | Pairing | Void | Refused], None]
    _done: Callable[[str], None]
    running: dict[str, ContestGame] = field(factory=dict)
    _stopped: bool = False
    _looks: Timer = field(factory=Timer)

    def start(self) -> None:
        """Begin as many games as may be played at once."""
        if self._stopped:
            return
        if self.contest.plan.bounds and not self._looks:
            self._looks.set(self._reactor, LOOKS_EVERY, self._look)
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
            self.stop()
            self._done("")

    def _look(self) -> None:
        """See what all programs take, at once: that costs a look at all processes of this machine."""
        self._looks.set(self._reactor, LOOKS_EVERY, self._look)
        processes = [*running()]
        for game in [*self.running.values()]:
            game.look(processes)

    def _begin(self, one: Pairing) -> None:
        entrants = [self.contest.plan.entrants[player] for player in one.players]
        began = self._reactor.seconds()
        game = self._new_game(
            names=[entrant.name for entrant in entrants],
            commands=[entrant.command for entrant in entrants],
            seed=one.seed,
            decided=partial(self._decided, one, began),
            refused=partial(self._refused, one, Counter()),
        )
        self.running[one.id] = game
        game.start()
        self._told(one)

    def _decided(self, one: Pairing, began: float, decision: Decision) -> None:
        del self.running[one.id]
        if self._stopped:
            return
        if decision.cause == VOID:
            self._note(Void(one.id, decision.words))
        elif not decision.shares:
            self._fail(decision.words)
        else:
            self._note(self._played(one, began, decision))

    def _played(self, one: Pairing, began: float, decision: Decision) -> Played:
        notation = ""
        if decision.record is not None:
            try:
                notation = write_notation(decision.record)
            except NotNotation as error:
                notation = f"; {error}\n"
        return Played(
            *(one.id, one.round, one.players, decision.shares, decision.cause, decision.words, decision.ruling),
            *(moves_of(decision.record), round(self._reactor.seconds() - began, 3), notation),
        )

    def _refused(self, one: Pairing, written: Counter[str], name: str, why: str, **more: Any) -> None:
        """A connection was refused. A program may be refused very often: the first ones are written down."""
        written[one.id] += 1
        if not self._stopped and written[one.id] <= MOST_REFUSED:
            self._note(Refused(one.id, name, why, **more), go_on=False)

    def _note(self, entry: Played | Void | Refused, go_on: bool = True) -> None:
        try:
            self._journal.append(entry)
        except OSError as error:
            self._fail(f"game {entry.id} cannot be written down: {error}")
            return
        self.contest.note(entry)
        self._told(entry)
        if go_on:
            self._reactor.callLater(0, self.start)

    def _fail(self, why: str) -> None:
        """The contest cannot go on now."""
        self.stop()
        self._done(why)

    def stop(self) -> None:
        """End all games that are being played; they do not count."""
        self._stopped = True
        self._looks.stop()
        for game in list(self.running.values()):
            game.stop()
