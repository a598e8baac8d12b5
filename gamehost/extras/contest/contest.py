"""
A contest: its plan, its journal, and the games that are still to be played.

A game counts as soon as its line of the journal is on disk. A contest that was killed continues with the games that have
no line.
"""

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from socket import gethostname
from typing import Any

from attrs import asdict, define, evolve, field, frozen
from msgspec import convert

from gamehost.extras.contest.entries import (
    CommandReplaced,
    Dropped,
    Entry,
    Intervention,
    Played,
    Refused,
    Replayed,
    Void,
    read,
    written,
)
from gamehost.extras.contest.files import write_outputs
from gamehost.extras.contest.plan import IN_TURN, Entrant, Plan, differences
from gamehost.extras.contest.ratings import SequentialTest, Verdict
from gamehost.extras.contest.schedule import Past, Round, gauntlet, knock_out_round, round_robin, seatings, swiss_round

#: A program that fails to come to so many games in a row is out of the contest.
ABSENCES = 2
#: The causes of results for a program that lost because it did nothing.
IDLE = frozenset({"time", "absent", "deadline"})
#: How often the contest begins a game at most, if the host fails in it each time.
TRIES = 2
#: The most games of a sequential test.
MOST_GAMES = 100_000
JOURNAL = "contest.jsonl"


class ContestError(Exception):
    """The contest cannot be played, or something asked of it cannot be done. The message gives the reason."""


class ContestBusy(ContestError):
    """Another process plays this contest."""


@frozen
class Pairing:
    """A game that the schedule contains: its players and its seed. It may be decided already or not."""

    #: Round and board, and `a` or `b` for the two games of a pair: `3.2a`.
    id: str
    round: int
    #: The entrants, by their numbers, in the order of the seats.
    players: tuple[int, ...]
    seed: int


def _replaced(one: Entrant, entry: CommandReplaced) -> Entrant:
    """Returns an entrant with the command, and the folder if there is one, of a journal entry."""
    return evolve(one, command=entry.command, folder=entry.folder or one.folder)


def seed_of(plan: Plan, number: int, board: int) -> int:
    """
    Returns the seed of a game. It depends only on the contest's seed, the round and the board, so both games of a pair have
    the same seed.

    :param number: the number of the round
    """
    # Six bytes: a number that JSON and its readers in other languages store exactly.
    return int.from_bytes(sha256(f"{plan.seed}/{number}/{board}".encode()).digest()[:6], "big")


@define(eq=False)
class Contest:
    """
    The state of a contest in memory: which games are decided, and which ones can begin next. It is built from the plan and
    the entries of the journal.
    """

    #: The plan with which the contest began, with the commands that were replaced since then.
    plan: Plan
    #: The decided games, by id.
    played: dict[str, Played] = field(factory=dict)
    #: How often the host has failed in a game, by its id.
    voids: Counter[str] = field(factory=Counter)
    refused: list[Refused] = field(factory=list)
    #: The players that are out of the contest, by number: the last round in which each took part, and the reason.
    scratched: dict[int, tuple[int, str]] = field(factory=dict)
    #: The organizer's changes, in order, and the decided games that no longer count because of a change.
    interventions: list[Intervention] = field(factory=list)
    withdrawn: list[Played] = field(factory=list)
    #: In how many games in a row each player did not come.
    _absences: dict[int, int] = field(factory=dict)
    #: Players that have lost their last game because they did nothing.
    idle: set[int] = field(factory=set)
    #: For each player that was out and came back: its number, the last round before it was out, and the last round that it
    #: missed.
    _away: list[tuple[int, int, int]] = field(factory=list)
    #: The games of the rounds that have begun, in order.
    games: list[Pairing] = field(factory=list)
    #: The byes: a round, and a player that has no game in it. A bye counts as a win in a Swiss contest.
    byes: list[tuple[int, int]] = field(factory=list)
    _past: Past = field(init=False)
    _rounds: Iterator[Round] = field(init=False)
    #: Whether each round depends on the results of the earlier rounds.
    in_turn: bool = field(init=False)
    #: How many rounds have begun.
    rounds: int = 0
    #: The date and the machine of the beginning, as texts for people.
    began: str = ""
    machine: str = ""
    #: The winner of a knock-out, when it is over.
    _champion: int | None = None

    def __attrs_post_init__(self) -> None:
        """
        Makes the rounds that are known from the beginning. Other rounds are made when the rounds before them are over.
        """
        count = len(self.plan.entrants)
        self._past = Past.none(count)
        self._rounds = self._schedule(count)
        self.in_turn = self.plan.format in IN_TURN and self.plan.seats == 2 and self.plan.sprt is None
        # A sequential test has no fixed number of rounds, so its rounds are made one by one.
        if not self.in_turn and self.plan.sprt is None:
            while self._begin_round():
                pass  # all games are known from the beginning

    def _schedule(self, count: int) -> Iterator[Round]:
        """
        Yields the rounds of the contest, by its format. A Swiss or knock-out round is made when it is asked for, from the
        results at that time.

        :param count: the number of players
        """
        plan = self.plan
        # A sequential test of two players ends by its verdict, long before the last of these rounds.
        if plan.sprt is not None:
            yield from round_robin(2, MOST_GAMES)
        elif plan.seats > 2:
            yield from seatings(count, plan.seats, plan.rounds, plan.seed)
        elif plan.format == "gauntlet":
            yield from gauntlet(count, plan.rounds)
        elif plan.format == "round-robin":
            yield from round_robin(count, plan.rounds)
        elif plan.format == "knock-out":
            yield from self._knock_out(count)
        else:
            # A Swiss contest.
            for number in range(1, plan.rounds + 1):
                present = [player for player in self.order(number) if self._present(player, number)]
                if len(present) < 2:
                    return
                one = swiss_round(present, self._past)
                self._past.add(one)
                yield one

    def _knock_out(self, count: int) -> Iterator[Round]:
        """Yields the rounds of a knock-out. A round is made from the winners of the round before, which must be decided."""
        alive, number = [*range(count)], 0
        while len(alive) > 1:
            number += 1
            one = knock_out_round(alive, number == 1, self.plan.rounds)
            yield one
            # The next round is asked for when this one is over. Two players may have had several games.
            pairs = {(min(pairing), max(pairing)) for pairing in one.pairings}
            alive = sorted([*one.byes, *(self._winner(number, *pair) for pair in pairs)])
        self._champion = alive[0]

    def _winner(self, number: int, one: int, other: int) -> int:
        """
        Returns the winner of a pairing of a knock-out. If both have equal points, it is the player that entered first.

        :param one: the player with the smaller number
        """
        points = {one: 0.0, other: 0.0}
        for game in self.games:
            if game.round == number and {*game.players} == {one, other}:
                for player, share in self._shares(game).items():
                    points[player] += share
        # `one` is the smaller number, so it entered first.
        return one if points[one] >= points[other] else other

    def survived(self, player: int) -> int:
        """Returns in how many rounds of a knock-out a player took part. The winner of the contest gets one more."""
        rounds = [one.round for one in self.games if player in one.players]
        rounds += [number for number, bye in self.byes if bye == player]
        # One more for the winner: otherwise it would be equal to the loser of the last round.
        return max(rounds, default=0) + (player == self._champion)

    def _present(self, player: int, number: int) -> bool:
        """
        Returns whether a player took part when a round began.

        :param number: the number of the round
        """
        # The player was out at that time, and came back after a later change by the organizer.
        if any(one == player and after < number <= until for one, after, until in self._away):
            return False
        # The player may be out now, and have taken part in the last round before that.
        return player not in self.scratched or self.scratched[player][0] >= number

    def out_of(self, one: Pairing) -> set[int]:
        """
        Returns the players of a game that cannot play it, because they are out of the contest, or were out in the
        game's round. An empty set: all can play.
        """
        found = {player for player in one.players if player in self.scratched}
        # In other contests a player that has come back plays the games that it has missed.
        if self.in_turn:
            found |= {p for p, after, until in self._away if p in one.players and after <= one.round <= until}
        return found

    def counts(self, played: Played) -> bool:
        """Returns whether a decided game counts. By the rule `annul`, no game of a player that is out counts."""
        return self.plan.out_rule != "annul" or not any(player in self.scratched for player in played.players)

    def _shares(self, one: Pairing) -> dict[int, float]:
        """
        Returns the points that a game has given to each player so far. If a game is not decided, and the rule is `forfeit`,
        the players that are out lose it, and the others share its point.
        """
        if (played := self.played.get(one.id)) is not None:
            return dict(zip(played.players, played.shares, strict=True))
        out = self.out_of(one)
        left = [player for player in one.players if player not in out]
        if self.plan.out_rule != "forfeit" or not out:
            return {}
        return {player: 1 / len(left) for player in left}

    def forfeits(self, before: int | None = None) -> dict[int, float]:
        """
        Returns the points of each player for games that its opponents have forfeited. Players without such points are left
        out.

        :param before: only games of earlier rounds than this one count; `None`: all games count
        """
        found: dict[int, float] = {}
        for one in self.games:
            if one.id not in self.played and (before is None or one.round < before):
                for player, share in self._shares(one).items():
                    found[player] = found.get(player, 0.0) + share
        return found

    def order(self, number: int) -> list[int]:
        """Returns the players, most points before a round first. Players with equal points are in the order of entry."""
        points = self.points(number)
        return sorted(range(len(points)), key=lambda player: (-points[player], player))

    def points(self, before: int | None = None) -> list[float]:
        """
        Returns the points of each player. In a Swiss contest a bye counts as a win of the round.

        :param before: only games before this round count, so that a continued contest makes the same pairings; `None`: all
            games count
        """
        points = [0.0] * len(self.plan.entrants)
        for one in self.played.values():
            # For pairings, every decided game before the round counts, also those that were annulled later.
            if self.counts(one) if before is None else one.round < before:
                for player, share in zip(one.players, one.shares, strict=True):
                    points[player] += share
        for player, share in self.forfeits(before).items():
            points[player] += share
        if self.plan.format == "swiss" and self.in_turn:
            for number, player in self.byes:
                if before is None or number < before:
                    # With `pairs`, a round has two games for each player.
                    points[player] += 2.0 if self.plan.pairs else 1.0
        return points

    def note(self, entry: Entry) -> None:
        """
        Changes the state of the contest by an entry of the journal.

        :param entry: an entry that was written just now, or one that is read from the journal again
        :raises ValueError: the entry cannot be right: its game is counted already, or there is no such player or game
        """
        match entry:
            case Played():
                self._count(entry)
            case Void():
                self.voids[entry.id] += 1
            case Refused():
                self.refused.append(entry)
            case _:
                self._intervene(entry)

    def _intervene(self, entry: Intervention) -> None:
        """Changes the state by a change of the organizer, or by an author's new program."""
        if not isinstance(entry, Replayed) and not 0 <= entry.player < len(self.plan.entrants):
            raise ValueError(f"there is no player {entry.player}")
        self.interventions.append(entry)
        match entry:
            case Dropped():
                self.scratched[entry.player] = (entry.round, entry.why)
            case CommandReplaced():
                # The player plays some games again, has the new command from now on, and is in the contest again.
                self._withdraw(entry.again)
                entrants = [*self.plan.entrants]
                entrants[entry.player] = _replaced(entrants[entry.player], entry)
                self.plan = evolve(self.plan, entrants=tuple(entrants))
                self._absences[entry.player] = 0
                if (out := self.scratched.pop(entry.player, None)) is not None:
                    self._away.append((entry.player, out[0], entry.round))
            case Replayed():
                self._withdraw(entry.ids)

    def _withdraw(self, games: Sequence[str]) -> None:
        """Makes decided games open again, so that they are played again. Their failures of the host are forgotten."""
        for name in games:
            if name not in self.played:
                raise ValueError(f"game {name} is not decided")
            self.withdrawn.append(self.played.pop(name))
            self.voids.pop(name, None)

    @property
    def last_round(self) -> int:
        """The number of the last round with a decided game; 0: no game is decided."""
        return max((one.round for one in self.played.values()), default=0)

    def _count(self, played: Played) -> None:
        """Counts a decided game, and takes a player out of the contest that has been absent too often."""
        if played.id in self.played:
            raise ValueError(f"game {played.id} has been counted")
        self.played[played.id] = played
        # A player is idle if it has lost this game because it did nothing. A player with a share of the point, or that has
        # lost in another way, is not idle any more.
        for player, share in zip(played.players, played.shares, strict=True):
            if share or played.cause not in IDLE:
                self.idle.discard(player)
            else:
                self.idle.add(player)
        # Count absences in a row: a player that came begins again at 0.
        for player in played.players:
            if player not in played.absent:
                self._absences[player] = 0
                continue
            self._absences[player] = self._absences.get(player, 0) + 1
            if self._absences[player] >= ABSENCES:
                why = played.words if played.ruling is None else played.ruling.why
                self.scratched.setdefault(player, (played.round, why))

    def next_games(self, running: Mapping[str, object]) -> Iterator[Pairing]:
        """
        Yields the games that can begin now, in order. A round of a Swiss contest or a knock-out begins when the round
        before is over. No games: the contest is over, or the caller must wait for the games that are being played.

        :param running: the games that are being played, by id. They are left out.
        """
        if self.verdict is not Verdict.OPEN:
            return
        # In a Swiss contest or a knock-out, begins the next round if the last one is over. In all other formats, all
        # rounds have begun; only those of a sequential test are added here, when a caller needs more games than there
        # are.
        self.advance()
        yield from (one for one in self.games if self._open(one) and one.id not in running)
        while not self.in_turn and self._begin_round():
            yield from (one for one in self.games if one.round == self.rounds and self._open(one))

    def advance(self) -> None:
        """In a Swiss contest or knock-out, adds the next round's games if all games before it are over."""
        while self.in_turn and not any(map(self._open, self.games)) and self._begin_round():
            pass

    def pairing(self, name: str) -> Pairing | None:
        """
        Returns the game with this id, as it follows from the plan and the results of earlier rounds. Begins rounds until the
        game is found.

        :returns: `None`: there is no such game, or the results for its round are missing
        """
        while (found := next((one for one in self.games if one.id == name), None)) is None:
            # A round that is not over decides the pairings of the next one.
            if (self.in_turn and any(self._open(one) for one in self.games)) or not self._begin_round():
                return None
        return found

    @property
    def progress(self) -> tuple[int, int, str]:
        """
        Three values: how many games are decided, how many games the contest has, and both in words for people. A
        sequential test ends by its verdict, so for it the second number is the first one again.
        """
        done, count = len(self.played), sum(not self.is_void(one) for one in self.games)
        if self.plan.sprt is not None:
            return done, done, f"{done} games are decided"
        rounds = self.rounds
        # The games of rounds that have not begun are not in `games` yet. With `pairs`, each pairing is two games.
        if self.in_turn:
            more, rounds = self._to_come()
            if self.plan.pairs:
                more *= 2
            count += more
        now = next((one.round for one in self.games if self._open(one)), self.rounds)
        return done, count, f"{done} of {count} games are decided; round {now} of {rounds}"

    def _to_come(self) -> tuple[int, int]:
        """
        Returns how many pairings the rounds will have that have not begun, and how many rounds the contest has in all. With
        `pairs`, each pairing is two games.
        """
        players = len(self.plan.entrants)
        if self.plan.format == "swiss":
            rounds = max(self.plan.rounds, self.rounds)
            # Two players meet at each board. With an odd number, one player has a bye.
            return (rounds - self.rounds) * ((players - len(self.scratched)) // 2), rounds
        # A knock-out. Each pairing takes one player out, so all players but one lose a pairing.
        rounds = max(self.rounds, (players - 1).bit_length())
        pairings = len({(one.round, frozenset(one.players)) for one in self.games})
        return max(0, players - 1 - pairings) * self.plan.rounds, rounds

    def _begin_round(self) -> bool:
        """Adds the games and byes of the next round. Returns `False` if there is no next round."""
        begun = next(self._rounds, None)
        if begun is None:
            return False
        self.rounds += 1
        self.games.extend(self._pairings(begun))
        self.byes.extend((self.rounds, player) for player in begun.byes)
        return True

    def _pairings(self, begun: Round) -> Iterator[Pairing]:
        """Yields the games of the round that begins. With `pairs`, each pairing is two games, with the seats exchanged."""
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
        """
        Returns whether an undecided game will not be played any more: one of its players is out, or the host has failed in it
        `TRIES` times.
        """
        if one.id in self.played:
            return False
        return self.voids[one.id] >= TRIES or bool(self.out_of(one))

    @property
    def verdict(self) -> Verdict:
        """The verdict of the sequential test so far. In a contest without such a test it is always `OPEN`."""
        if self.plan.sprt is None:
            return Verdict.OPEN
        return SequentialTest(*self.plan.sprt).verdict(*self.against(0))

    def against(self, player: int) -> tuple[int, int, int]:
        """Returns how many games a player has won, drawn and lost, of those that count."""
        mine = [one for one in self.played.values() if player in one.players and self.counts(one)]
        shares = [one.shares[one.players.index(player)] for one in mine]
        # A share of 1 is a win and 0 is a loss; all others are draws.
        won, lost = sum(share == 1 for share in shares), sum(share == 0 for share in shares)
        return won, len(shares) - won - lost, lost


class ContestJournal:
    """
    The file with the plan and all decisions of a contest. While it is open, it is locked against other processes. See
    `gamehost.extras.contest.entries` for its lines.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / JOURNAL
        self._file: Any = None

    def open(self, plan: Plan) -> Contest:
        """
        Opens and locks the file. Returns the contest with all that was played so far, or a new contest if the file is new.

        :raises ContestBusy: another process plays this contest
        :raises ContestError: the file belongs to a contest with another plan, or cannot be used
        """
        try:
            with ExitStack() as failed:
                # Closes the file only if `_open` fails: otherwise `pop_all` takes the callback away.
                failed.callback(self.close)
                contest = self._open(plan)
                failed.pop_all()
        except BlockingIOError as error:
            raise ContestBusy(f"{self._path.parent}: this contest is being played by another process") from error
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ContestError(f"{self._path} cannot be used: {error}") from error
        return contest

    def _open(self, plan: Plan) -> Contest:
        """
        Does what `open` says.

        :raises BlockingIOError: another process has the lock
        """
        # As a JSON file gives it back.
        planned = json.loads(json.dumps(asdict(plan)))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if plan.isolate == "user":
            self._path.parent.chmod(0o700)  # the programs run as other users, which must not read the folder
        # The lock ends with the process, even if it is killed.
        self._file = self._path.open("a+b")
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        lines = self._lines()
        # Only a line with its end was written whole.
        whole = [line for line in lines if line.endswith(b"\n")]
        # If the contest was killed while it wrote a line, the rest of the line is missing. The game of such a line was
        # not counted, so the line is removed.
        self._file.truncate(sum(map(len, whole)))
        if not whole:
            began, machine = datetime.now().astimezone().isoformat(" ", "minutes"), gethostname()
            first = {"plan": planned, "began": began, "machine": machine}
            self._write(json.dumps(first).encode() + b"\n")
            return Contest(plan, began=began, machine=machine)
        contest = _contest_of(whole)
        begun = convert(json.loads(whole[0])["plan"], Plan)
        # The given plan may have the commands from the beginning, or the commands that replaced them.
        # The comparison with fewer differences is reported.
        if other := min(([*differences(one, plan)] for one in (contest.plan, begun)), key=len):
            raise ContestError(
                f"{self._path} belongs to another contest: {'; '.join(other)}. Give the same options to go on, or another "
                "folder with --out; gamehost contest FILE drop NAME and replace NAME COMMAND change a contest"
            )
        return contest

    def _lines(self) -> list[bytes]:
        """Returns all lines of the open file, with their ends."""
        self._file.seek(0)
        lines: list[bytes] = self._file.read().splitlines(keepends=True)
        return lines

    def read(self) -> Contest:
        """
        Builds the contest anew from the journal. This is needed after a change by the organizer: the pairings of rounds
        without a result may be different then.

        :raises OSError: the file cannot be read
        """
        return _contest_of(self._lines())

    def plan(self) -> Plan:
        """
        Returns the plan of the contest that was begun in this folder, without locking the file.

        :raises ContestError: no contest was begun here, or its file cannot be read
        """
        try:
            with self._path.open(encoding="utf-8") as file:
                return convert(json.loads(file.readline())["plan"], Plan)
        except FileNotFoundError:
            raise ContestError(f"no contest was begun in {self._path.parent}") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ContestError(f"{self._path} cannot be used: {error}") from error

    def append(self, entry: Entry) -> None:
        """Writes an entry as a line. The line is on disk when this method returns."""
        self._write(written(entry))

    def store_outputs(self, one: Pairing, written: Sequence[bytes]) -> None:
        """
        Stores the output of the programs of a game, in a file for each program. No result depends on these files, so
        errors of the disk are ignored.

        :param written: the output of each program, in the order of the seats
        """
        with suppress(OSError):
            write_outputs(self._path.parent, one.id, one.players, written)

    @property
    def folder(self) -> Path:
        return self._path.parent

    def _write(self, line: bytes) -> None:
        """Writes a line into the file, and returns when the line is on the disk."""
        self._file.write(line)
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _contest_of(lines: Sequence[bytes]) -> Contest:
    """
    Builds a contest from the lines of its journal.

    :param lines: the first one has the plan
    """
    first = json.loads(lines[0])
    begun = convert(first["plan"], Plan)
    contest = Contest(begun, began=str(first.get("began", "")), machine=str(first.get("machine", "")))
    for line in lines[1:]:
        contest.note(read(line))
    contest.advance()
    return contest
