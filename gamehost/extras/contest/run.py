"""
Plays the games of a contest, several at the same time.
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

#: The seconds between two measurements of the memory and time of programs, and between two searches for games that only wait.
LOOKS_EVERY, WAITS_EVERY = 1.0, 0.25
#: How many waiting games there may be for each game that may be played at a time. Waiting games cost nothing.
MOST_WAITING = 4
#: A program that has taken less processor time than so many seconds has not worked. A system counts in hundredths.
NOTHING = 0.015


@define(eq=False)
class ContestRun:
    """
    Plays the games of a contest, several at the same time, and writes each result to the journal.

    :param new_game: makes a game. Its arguments are those of `ContestGame`, without the first three.
    :param at_once: how many games are played at the same time, besides games that only wait
    :param told: called with each game when it begins and when it is counted, with each refused connection, and with each
        change of the organizer
    :param done: called once, at the end: with an empty text if all games are decided, otherwise with the reason why the
        contest cannot continue
    """

    _reactor: Any
    contest: Contest
    _journal: ContestJournal
    _new_game: Callable[..., ContestGame]
    _at_once: int
    _told: Callable[[Played | Pairing | Void | Refused | Intervention], None]
    _done: Callable[[str], None]
    #: The games that are being played, by id.
    running: dict[str, ContestGame] = field(factory=dict)
    #: The pairings of these games, by the same ids.
    _pairings: dict[str, Pairing] = field(factory=dict)
    _stopped: bool = False
    _looks: Timer = field(factory=Timer)
    _waits: Timer = field(factory=Timer)
    #: The games that may be waiting, by id: the processor time of their programs in seconds at the last measurement, and
    #: whether the programs have not worked since the measurement before.
    _waiting: dict[str, tuple[float, bool]] = field(factory=dict)

    def start(self) -> None:
        """
        Begins as many games as may be played at once. If no game is being played and none can begin, the contest ends.
        Called at the beginning, after each game, and after each change.
        """
        if self._stopped:
            return
        # Measure what programs take only if there are limits.
        if self.contest.plan.bounds and not self._looks:
            self._looks.set(self._reactor, LOOKS_EVERY, self._look)
        if not self._waits:
            self._waits.set(self._reactor, WAITS_EVERY, self._look_who_waits)
        # Games that only wait leave room for others, up to a limit.
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
        """
        Measures what the programs of all games take. One list of this machine's processes is made for all games, because
        making it is expensive.
        """
        # A timer runs once, so set it again first.
        self._looks.set(self._reactor, LOOKS_EVERY, self._look)
        processes = [*running()]
        # A copy, because a game that exceeds a limit ends, and is removed from the list.
        for game in [*self.running.values()]:
            game.look(processes)

    def _look_who_waits(self) -> None:
        """
        Finds the games that only wait, and begins other games meanwhile. A game may be waiting if one of its programs has not
        come yet, or has lost its last game because it did nothing. It waits if its programs have not worked since the last
        measurement.
        """
        self._waits.set(self._reactor, WAITS_EVERY, self._look_who_waits)
        before, self._waiting = self._waiting, {}
        for name, game in self.running.items():
            # Games of other players are assumed to work.
            if game.begun and self.contest.idle.isdisjoint(self._pairings[name].players):
                continue
            taken = game.taken()
            if taken is not None:
                # The processor time of the game has hardly grown since the last measurement.
                waits = name in before and taken - before[name][0] < NOTHING
                self._waiting[name] = taken, waits
        if any(waits for _, waits in self._waiting.values()):
            self.start()

    def _begin(self, one: Pairing) -> None:
        """Starts a game of the plan, and reports that it has begun."""
        entrants = [self.contest.plan.entrants[player] for player in one.players]
        began = self._reactor.seconds()
        game = self._new_game(
            names=[entrant.name for entrant in entrants],
            commands=[entrant.words for entrant in entrants],
            seed=one.seed,
            decided=partial(self._decided, one, began),
            refused=partial(self._refused, one, Counter()),
        )
        # Before `start`, which may decide the game at once.
        self.running[one.id], self._pairings[one.id] = game, one
        game.start()
        self._told(one)

    def _forget(self, name: str) -> ContestGame:
        """Removes a game from the games that are being played, and returns it."""
        self._waiting.pop(name, None)
        del self._pairings[name]
        return self.running.pop(name)

    def _decided(self, one: Pairing, began: float, decision: Decision) -> None:
        """
        Stores the decision of a game that has ended. A game in which the host has failed is void, and is played again.

        :param began: the reactor's time at which the game began
        """
        self._forget(one.id)
        if self._stopped:
            return
        self._journal.store_outputs(one, decision.written)
        if decision.cause == VOID:
            self._note(Void(one.id, decision.words))
        # Without shares, nothing is decided, and the game cannot be played. The contest ends.
        elif not decision.shares:
            self._fail(decision.words)
        else:
            played = self._played(one, began, decision)
            self._note(played)
            if decision.heard and not self._stopped:
                with suppress(OSError):  # no result depends on these files: a full disk does not end the contest
                    store_traffic(self._journal.folder, self.contest, played, decision.heard)

    def _played(self, one: Pairing, began: float, decision: Decision) -> Played:
        """Returns the journal's entry for a decided game."""
        notation = ""
        if decision.record is not None:
            try:
                notation = write_notation(decision.record)
            except NotNotation as error:
                notation = f"; {error}\n"  # a comment says why there is no record
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
        """
        Writes the refusal of a connection to the journal. A program may be refused very often, so only the first refusals of a
        game are written.

        :param written: counts the refusals of the game
        """
        written[one.id] += 1
        if not self._stopped and written[one.id] <= MOST_REFUSED:
            self._note(Refused(one.id, name, why, **more), go_on=False)

    def _note(self, entry: Played | Void | Refused, go_on: bool = True) -> None:
        """
        Writes an entry to the journal, changes the state of the contest by it, and reports it. If the disk fails, the contest
        ends.

        :param go_on: whether the next games begin then
        """
        try:
            self._journal.append(entry)
        except OSError as error:
            self._fail(f"game {entry.id} cannot be written down: {error}")
            return
        self.contest.note(entry)
        self._told(entry)
        if go_on:
            # Later, because the caller may still be in the middle of a game's end.
            self._reactor.callLater(0, self.start)

    def intervene(self, words: Sequence[str], command: Reading, anew: bool) -> Intervention:
        """
        Carries out a change of the organizer. The change is on disk when this method returns. Games that are being
        played continue, with these exceptions: games of a player that is out now or plays all games again, and games
        that the new plan gives to other players.

        :param words: the words of the organizer's command, one of `ACTIONS` with its arguments
        :param command: reads the command of a player
        :param anew: whether all games of a player with a new command are played again
        :raises ContestError: the change cannot be made
        """
        self._check_open()
        return self._do(intervene(self.contest, words, command, anew), anew)

    def hand_in(self, name: str, folder: str) -> Intervention:
        """
        Gives a player the program that its author has uploaded. The change is on disk when this method returns. Games that
        begin later are played with the new program.

        :param folder: the folder of the new program
        :raises ContestError: the contest is over, or the player was taken out by the organizer
        """
        self._check_open()
        return self._do(handed_in(self.contest, name, folder), False)

    def _check_open(self) -> None:
        if self._stopped:
            raise ContestError("the contest is about to end: type the same again")

    def _do(self, entry: Intervention, replay: bool) -> Intervention:
        """
        Writes a change to the journal, reads the contest from the journal again, and stops the games that the change affects.

        :param replay: whether all games of a player with a new command are played again
        :raises ContestError: the change cannot be written
        """
        try:
            self._journal.append(entry)
            self.contest = self._journal.read()
        except OSError as error:
            self._fail(f"what the organizer wants cannot be written down: {error}")
            raise ContestError(f"it cannot be written down: {error}") from error
        # Stop games that are not in the contest any more, or are to be played with the new command.
        again = entry.player if replay and isinstance(entry, CommandReplaced) else None
        planned = {one.id: one for one in self.contest.games if not self.contest.is_void(one)}
        # A copy of the list, since games are removed from it.
        for name, one in [(name, self._pairings[name]) for name in self.running]:
            if planned.get(name) != one or again in one.players:
                self._forget(name).stop()
        self._told(entry)
        # Not now: first, the caller gets the result.
        self._reactor.callLater(0, self.start)
        return entry

    def _fail(self, why: str) -> None:
        """Stops the contest, and reports the reason why it cannot continue."""
        self.stop()
        self._done(why)

    def stop(self) -> None:
        """Ends all games that are being played. They do not count."""
        self._stopped = True
        self._looks.stop()
        self._waits.stop()
        for game in list(self.running.values()):
            game.stop()
