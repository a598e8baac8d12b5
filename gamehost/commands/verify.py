"""
`gamehost journal verify`: checks every row of a journal, and replays every table of an installed game.

A run can be stopped, and the next run continues. Each run reads every row and checks the chains of hashes. Replaying
takes most of the time. So tables that an earlier run has replayed are not replayed again, if their rows, the release
and the rules are the same. A file beside the store has notes about this: one line for `TOGETHER` tables, with a digest
of everything on which their replay depends. If something has changed since, the digest is another one.
"""

import os
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from attrs import define, field

from gamehost import __version__
from gamehost.commands.command_line import bar
from gamehost.games.base import Game
from gamehost.journal.replay import NotFollowed, replayed
from gamehost.ops import escaped
from gamehost.storage.inspect import Findings, Inspector, SoundTable

#: Finds a game by its name.
GameOf: TypeAlias = Callable[[str], Game[Any, Any] | None]

#: How many table numbers one note covers. Replaying these tables takes about 100 ms.
TOGETHER = 100
#: The end of the name of the file with the notes. A run that comes to its end removes the file.
NOTES_SUFFIX = ".verified"
#: After how many seconds new notes are written to the file.
NOTED_EVERY = 1.0

#: The advice to the owner of a journal with faults.
GO_ON = (
    "put back a backup without faults; if there is none, and a host refuses this journal, "
    "start it once with --accept-loss: it then continues without the damaged parts"
)

#: The exit status after Ctrl-C: the usual one for a program that this signal has ended.
STOPPED = 130


@define(eq=False)
class ReplayNotes:
    """
    The notes about tables that earlier runs have replayed without a fault.

    :param path: the file with the notes
    :param clock: returns the time in seconds
    """

    _path: Path
    _clock: Callable[[], float]
    #: The lines of earlier runs.
    _known: frozenset[str] = field(init=False)
    _new: list[str] = field(factory=list)
    _written_at: float = field(init=False)
    #: Whether the notes can be written to the file.
    lasting: bool = True

    def __attrs_post_init__(self) -> None:
        """Read the notes of earlier runs. If the file is missing or cannot be read, there are none."""
        self._written_at = self._clock()
        self._known = frozenset()
        with suppress(OSError):
            self._known = frozenset(self._path.read_text("ascii", "replace").splitlines())

    def __contains__(self, line: str) -> bool:
        return line in self._known

    def add(self, line: str) -> None:
        """Add a note, and write new notes to the file from time to time."""
        self._new.append(line)
        if self._clock() >= self._written_at + NOTED_EVERY:
            self.write()

    def write(self) -> None:
        """Write new notes to the file, if possible. An incomplete line does no harm: it equals no note."""
        # Each note begins with a new line, because the run before may have ended in the middle of one.
        lines = "".join(f"\n{line}\n" for line in self._new).encode("ascii")
        self._new = []
        self._written_at = self._clock()
        if not lines:
            return
        try:
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
            try:
                os.write(file, lines)
            finally:
                os.close(file)
        except OSError:
            # Without notes, the next run only takes longer.
            self.lasting = False

    def remove(self) -> None:
        """Remove the file, because the run is complete. The next run starts from the beginning."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


#: After how many seconds the progress is first shown on a terminal, after how many it is shown again, and how many pass
#: between two lines if the output is not a terminal.
SHOWN_AFTER, SHOWN_EVERY, LINE_EVERY = 1.0, 0.2, 30.0
#: From how many of the last samples the remaining time is estimated.
_SAMPLES = 50


@define(eq=False)
class Progress:
    """
    Shows the progress of a run: in one changing line on a terminal, otherwise with a new line every 30 seconds. A short
    run shows nothing.

    :param find_last: returns the highest table number; called only after the store was read
    """

    _find_last: Callable[[], int]
    _err: TextIO
    _clock: Callable[[], float]
    #: The number of the last checked table, and the highest table number.
    table: int = 0
    last: int = 0
    _first: int | None = None
    _terminal: bool = field(init=False)
    _next: float = field(init=False)
    #: The times at which the progress was shown, each with the number of the last table then.
    _samples: deque[tuple[float, int]] = field(init=False)
    _shown: bool = False

    def __attrs_post_init__(self) -> None:
        self._terminal = self._err.isatty()
        now = self._clock()
        # A terminal shows the progress earlier and more often than a file of lines.
        self._next = now + (SHOWN_AFTER if self._terminal else LINE_EVERY)
        self._samples = deque(maxlen=_SAMPLES)

    def checked(self, table: int) -> None:
        """Note that a table is checked, and show the progress if it is time."""
        self.table = table
        now = self._clock()
        # The first table.
        if self._first is None:
            self._first = table
            self.last = max(table, self._find_last())
            self._samples.append((now, table))
        if now >= self._next:
            self._show(now)

    def _show(self, now: float) -> None:
        """Print the progress, with an estimate of the remaining time from the oldest stored sample."""
        since, table = self._samples[0]
        first, last = self._first or 0, self.last
        words = f"table {self.table} of {last}"
        # Without a checked table since the sample, the speed is unknown.
        if self.table > table:
            left = round((now - since) * (last - self.table) / (self.table - table))
            words += f", {left // 60}:{left % 60:02} left"
        if self._terminal:
            print(f"\r{bar(self.table - first, last - first)} {words}\x1b[K", end="", file=self._err, flush=True)
        else:
            print(words, file=self._err, flush=True)
        self._shown = True
        self._samples.append((now, self.table))
        self._next = now + (SHOWN_EVERY if self._terminal else LINE_EVERY)

    def clear(self) -> None:
        """Clear the line on a terminal, so that the next output replaces it."""
        if self._shown and self._terminal:
            print("\r\x1b[K", end="", file=self._err, flush=True)
        self._shown = False


@define(eq=False)
class Replays:
    """Replays all tables that are given to `follow`, except those that an earlier run has replayed."""

    _game_of: GameOf
    _notes: ReplayNotes
    _progress: Progress
    #: One sentence for each table with a fault.
    faults: list[str] = field(factory=list)
    #: How many tables an earlier run has replayed.
    earlier: int = 0
    #: The number of the current group of tables: the table numbers divided by `TOGETHER`.
    _range: int = -1
    _waiting: list[SoundTable] = field(factory=list)
    #: Whether no table of the group has a damaged row.
    _sound: bool = True

    def follow(self, table: int, sound: SoundTable | None) -> None:
        """
        Add a table to the current group. Tables come in the order of their numbers. The first table of the next group
        causes the replay of the current group.

        :param sound: the checked table; `None`: it has faults in its rows, so it cannot be replayed
        """
        if table // TOGETHER != self._range:
            self.carry_out()
            self._range = table // TOGETHER
        if sound is None:
            # No note is written for a group with a damaged table.
            self._sound = False
        else:
            self._waiting.append(sound)

    def carry_out(self) -> None:
        """Replay the tables of the current group, unless a note says that an earlier run has done this."""
        waiting = self._waiting
        self._waiting = []
        # Whether all tables of this group are sound; the next group begins as sound.
        sound = self._sound
        self._sound = True
        line = self._line_of(waiting) if waiting and sound else ""
        # An earlier run has replayed the same tables with the same contents.
        if line and line in self._notes:
            self.earlier += len(waiting)
            self._progress.checked(waiting[-1].record.table)
            return
        before = len(self.faults)
        for one in waiting:
            self._replay(one)
            self._progress.checked(one.record.table)
        if line and len(self.faults) == before:
            self._notes.add(line)

    def _line_of(self, tables: list[SoundTable]) -> str:
        """The note about a group of tables. It has a digest of everything on which their replay depends."""
        content = sha256(__version__.encode())
        for one in tables:
            game = self._playable(one)
            content.update(repr((int(one.record.table), one.digest, game and game.version)).encode())
        return f"{self._range} {content.hexdigest()[:32]}"

    def _playable(self, one: SoundTable) -> Game[Any, Any] | None:
        """The game of a table, if this release has the same version of its rules."""
        opening = one.record.opening
        game = self._game_of(opening.game)
        return game if game is not None and game.version == opening.version else None

    def _replay(self, one: SoundTable) -> None:
        """Replay one table, and note its fault, if it has one."""
        game, record = self._playable(one), one.record
        if game is None:
            # The game is unknown here, or has other rules now.
            return
        try:
            replayed(game, record.opening, record.entries)
        except NotFollowed as error:
            self.faults.append(f"table {record.table}: {escaped(str(error))}")
        except Exception as error:  # a fault of the rules; the other tables can still be checked
            reason = f"{type(error).__name__}: {escaped(str(error))}"
            self.faults.append(f"table {record.table}: it cannot be replayed: {reason}")


def verify(
    journal: Inspector,
    beside: Path,
    game_of: GameOf,
    out: TextIO,
    err: TextIO,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """
    Check a journal. Faults and the result are printed to `out`, one line each, and the progress to `err`.

    :param beside: the path with which the name of the file with the notes begins
    :param clock: returns the time in seconds
    :returns: the exit status; 1 if there is a fault
    """
    notes = ReplayNotes(beside.with_name(beside.name + NOTES_SUFFIX), clock)
    progress = Progress(lambda: journal.rows.last_table, err, clock)
    replays = Replays(game_of, notes, progress)
    findings = Findings()
    try:
        journal.verify(replays.follow, findings)
        replays.carry_out()
    except KeyboardInterrupt:
        # Ctrl-C: report what is known, and write the notes for the next run.
        progress.clear()
        notes.write()
        for fault in (*findings.faults, *replays.faults):
            print(fault, file=out)
        found = _in_words(len(findings.faults) + len(replays.faults))
        again = (
            "the same command continues there"
            if notes.lasting
            else "no note could be written, so the next run starts from the beginning"
        )
        print(
            f"gamehost journal: stopped behind table {progress.table} of {progress.last}: {found} so far; {again}",
            file=err,
        )
        return STOPPED
    progress.clear()
    # The run is complete, so the next one begins anew.
    notes.remove()
    if replays.earlier:
        print(f"{replays.earlier} tables were replayed by an earlier run, and their rows are still the same", file=err)
    faults = [*findings.faults, *replays.faults]
    for fault in faults:
        print(fault, file=out)
    print(f"{findings.tables} tables, {findings.rows} rows: {_in_words(len(faults))}", file=out)
    if findings.faults:
        print(GO_ON, file=out)
    return 1 if faults else 0


def _in_words(faults: int) -> str:
    return f"{faults} fault{'' if faults == 1 else 's'}" if faults else "no faults"
