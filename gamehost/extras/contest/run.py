"""
Plays the games of a contest, so many at a time.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from attrs import define, field

from gamehost._twisted import Timer
from gamehost.extras.contest.contest import Contest, ContestError, ContestJournal, Pairing
from gamehost.extras.contest.entries import CommandReplaced, Intervention, Played, Refused, Void
from gamehost.extras.contest.game import MOST_REFUSED, VOID, ContestGame
from gamehost.extras.contest.judging import Decision, moves_of
from gamehost.extras.contest.middle import Reading, handed_in, intervene
from gamehost.extras.contest.traffic import store_traffic
from gamehost.journal.notation import NotNotation, write_notation
from gamehost.ops.workers import running

#: Seconds between two looks at what programs take, and between two at games that may only wait.
LOOKS_EVERY, WAITS_EVERY = 1.0, 0.25
#: The games that only wait, for each one that may be played at a time.
MOST_WAITING = 4
#: Seconds of a processor that are nothing: a system counts in hundredths.
NOTHING = 0.015


@define(eq=False)
class ContestRun:
    """
    Plays the games of a contest, so many at a time.

    :param new_game: makes a game, as `ContestGame` is made without the first three arguments
    :param told: called with each game when it begins and when it is counted, with each refused connection, and with each
        change of the organizer
    :param done: called when there is nothing more to play, or with the reason why the contest cannot go on
    """

    _reactor: Any
    contest: Contest
    _journal: ContestJournal
    _new_game: Callable[..., ContestGame]
    _at_once: int
    _told: Callable[[Played | Pairing | Void | Refused | Intervention], None]
    _done: Callable[[str], None]
    running: dict[str, ContestGame] = field(factory=dict)
    #: What is played in these, by the same ids.
    _pairings: dict[str, Pairing] = field(factory=dict)
    _stopped: bool = False
    _looks: Timer = field(factory=Timer)
    _waits: Timer = field(factory=Timer)
    #: Of the games that may only wait, by their ids: the seconds of a processor that their programs had taken at the last look,
    #: and whether they have taken nothing since the look before.
    _waiting: dict[str, tuple[float, bool]] = field(factory=dict)

    def start(self) -> None:
        """Begin as many games as may be played at once."""
        if self._stopped:
            return
        if self.contest.plan.bounds and not self._looks:
            self._looks.set(self._reactor, LOOKS_EVERY, self._look)
        if not self._waits:
            self._waits.set(self._reactor, WAITS_EVERY, self._look_who_waits)
        waiting = sum(waits for _, waits in self._waiting.values())
        room = self._at_once + min(waiting, MOST_WAITING * self._at_once) - len(self.running)
        busy = {player for one in self.running for player in self._pairings[one].players}
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

    def _look_who_waits(self) -> None:
        """
        A game costs nothing while it waits for a program that has not come, or that has lost its last game because it did
        nothing, and while no program of it works. So others are played meanwhile.
        """
        self._waits.set(self._reactor, WAITS_EVERY, self._look_who_waits)
        before, self._waiting = self._waiting, {}
        for name, game in self.running.items():
            if game.begun and self.contest.idle.isdisjoint(self._pairings[name].players):
                continue
            taken = game.taken()
            if taken is not None:
                waits = name in before and taken - before[name][0] < NOTHING
                self._waiting[name] = taken, waits
        if any(waits for _, waits in self._waiting.values()):
            self.start()

    def _begin(self, one: Pairing) -> None:
        entrants = [self.contest.plan.entrants[player] for player in one.players]
        began = self._reactor.seconds()
        game = self._new_game(
            names=[entrant.name for entrant in entrants],
            commands=[entrant.words for entrant in entrants],
            seed=one.seed,
            decided=partial(self._decided, one, began),
            refused=partial(self._refused, one, Counter()),
        )
        self.running[one.id], self._pairings[one.id] = game, one
        game.start()
        self._told(one)

    def _forget(self, name: str) -> ContestGame:
        """A game that is not played any more."""
        self._waiting.pop(name, None)
        del self._pairings[name]
        return self.running.pop(name)

    def _decided(self, one: Pairing, began: float, decision: Decision) -> None:
        self._forget(one.id)
        if self._stopped:
            return
        self._journal.store_outputs(one, decision.written)
        if decision.cause == VOID:
            self._note(Void(one.id, decision.words))
        elif not decision.shares:
            self._fail(decision.words)
        else:
            played = self._played(one, began, decision)
            self._note(played)
            if decision.heard and not self._stopped:
                with suppress(OSError):  # no result depends on it: on a full disk there is less of it
                    store_traffic(self._journal.folder, self.contest, played, decision.heard)

    def _played(self, one: Pairing, began: float, decision: Decision) -> Played:
        notation = ""
        if decision.record is not None:
            try:
                notation = write_notation(decision.record)
            except NotNotation as error:
                notation = f"; {error}\n"
        return Played(
            one.id,
            one.round,
            one.players,
            shares=decision.shares,
            cause=decision.cause,
            words=decision.words,
            ruling=decision.ruling,
            moves=moves_of(decision.record),
            seconds=round(self._reactor.seconds() - began, 3),
            notation=notation,
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

    def intervene(self, words: Sequence[str], command: Reading, anew: bool) -> Intervention:
        """
        Do what the organizer wants. When this returns, it is on disk. Games that are being played go on, but for those of a
        player that is out or plays all games again, and for those of a pairing that is another one now.

        :raises ContestError: it cannot be done
        """
        self._check_open()
        return self._do(intervene(self.contest, words, command, anew), anew)

    def hand_in(self, name: str, folder: str) -> Intervention:
        """
        The author of a player has handed in a program. When this returns, it is on disk, and games that begin are played with
        it.

        :raises ContestError: it cannot be played
        """
        self._check_open()
        return self._do(handed_in(self.contest, name, folder), False)

    def _check_open(self) -> None:
        if self._stopped:
            raise ContestError("the contest is about to end: type the same again")

    def _do(self, entry: Intervention, anew: bool) -> Intervention:
        try:
            self._journal.append(entry)
            self.contest = self._journal.read()
        except OSError as error:
            self._fail(f"what the organizer wants cannot be written down: {error}")
            raise ContestError(f"it cannot be written down: {error}") from error
        again = entry.player if anew and isinstance(entry, CommandReplaced) else None
        planned = {one.id: one for one in self.contest.games if not self.contest.is_void(one)}
        for name, one in [(name, self._pairings[name]) for name in self.running]:
            if planned.get(name) != one or again in one.players:
                self._forget(name).stop()
        self._told(entry)
        self._reactor.callLater(0, self.start)
        return entry

    def _fail(self, why: str) -> None:
        """The contest cannot go on now."""
        self.stop()
        self._done(why)

    def stop(self) -> None:
        """End all games that are being played; they do not count."""
        self._stopped = True
        self._looks.stop()
        self._waits.stop()
        for game in list(self.running.values()):
            game.stop()
