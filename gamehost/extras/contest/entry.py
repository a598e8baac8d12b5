"""
The entry check, before a contest begins: checks the names of the entrants, and runs `gamehost check` on their programs.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, TextIO

from attrs import define, field

from gamehost.accounts.names import NameRefused, check_new_name, checked_name
from gamehost.extras.contest.contest import ContestError
from gamehost.extras.contest.game import is_own
from gamehost.extras.contest.isolation import Isolation
from gamehost.extras.contest.plan import PERSON, Entrant, Plan
from gamehost.ops.workers import kill
from gamehost.programs.clients import judges_of
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError

#: How many scenarios of `gamehost check` each program must pass.
CHECKED = 4
#: The most seconds for these scenarios.
CHECK_SECONDS = 180
#: The settings of a contest that are not used in the check.
_TIMES = ("move_time", "game_time", "increment")


def check_names(names: Sequence[str], wire: Wire[Any]) -> None:
    """
    Checks the names of the players by the rules of the host and the wire, and against each other.

    :raises ContestError: a program could not log in under one of the names. The message names the faults of all names.
    """
    if wrong := [*_wrong_names(names, wire)]:
        raise ContestError("; ".join(wrong))


def _wrong_names(names: Sequence[str], wire: Wire[Any]) -> Iterator[str]:
    """Yields the faults of some names, a sentence for each."""
    # The first name with each key. A host takes two names with the same key for the same name.
    by_key: dict[str, str] = {}
    for text in names:
        # The host must accept the name.
        try:
            name = checked_name(text)
            check_new_name(name)
        except NameRefused as refused:
            yield f"{text!r} cannot log in: {refused}"
            continue
        # The wire must carry its characters: it reads the name as it reads the same number of letters. `a` stands in front of
        # both, because the first character of a line may decide how the wire reads the line.
        if not text.isascii() and _read_as(f"a{text}", wire) != _read_as(f"a{'x' * len(text)}", wire):
            yield f"{text!r} cannot log in: {wire.name} cannot carry its characters"
        if name.text != text:
            yield f"{text!r} cannot log in: expected its letters and accents as one character each (Unicode form C)"
        # No two names may be equal for the host.
        other = by_key.setdefault(name.key, text)
        if other != text:
            yield f"{other!r} and {text!r} are the same name for a host"
    for text in {text for text in names if names.count(text) > 1}:
        yield f"two players are called {text!r}"


def _read_as(name: str, wire: Wire[Any]) -> list[type[Any]]:
    """Returns the kinds of the messages, or of the error, that a wire's codec reads from a line with only this name."""
    try:
        return [type(message) for message in wire.configure({}).new_codec().feed(name.encode() + b"\n")]
    except WireError as error:
        return [type(error)]


def settings_of_check(plan: Plan) -> list[str]:
    """
    Returns the words of the command line that give the settings of a contest to `gamehost check`. The times for moves
    are left out, because a check is about the rules of the document, and not about speed.
    """
    held = {name: value for name, value in plan.settings.items() if name.rpartition(".")[2] not in _TIMES}
    return [word for name, value in held.items() for word in ("--set", f"{name}={value}")]


def sentences(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns a sentence for each breach that a check has found, with the section of the document."""
    breaches = [one for one in findings if one["grade"] == "breach"]
    return [one["title"] + (f" ({one['section']})" if one.get("section") else "") for one in breaches]


@define(eq=False)
class EntryCheck:
    """
    Runs `gamehost check` on each program of a contest, with a few scenarios and the contest's settings.

    :param out: the stream to which a line is written for each checked program
    """

    _plan: Plan
    _out: TextIO = sys.stdout
    #: The faults of each program that was checked, by the name of its player.
    found: dict[str, Sequence[str]] = field(factory=dict)
    #: The processes of checks that are running.
    _running: list["subprocess.Popen[str]"] = field(factory=list)

    def run(self, at_once: int, strict: bool) -> None:
        """
        Checks all programs, except gamehost's own players. The findings are in `found` then.

        :param at_once: how many programs are checked at the same time
        :param strict: whether all programs must pass
        :raises ContestError: a program has failed, and all must pass
        :raises KeyboardInterrupt: the check was interrupted; all its processes were ended
        """
        checked = [one for one in self._plan.entrants if one.command != PERSON and not is_own(one.command)]
        chosen = self._scenarios()
        if not chosen or not checked:
            return
        words = self._words(chosen)
        print(f"each program is checked first: {', '.join(chosen)}", file=self._out, flush=True)
        with ThreadPoolExecutor(at_once) as pool:
            try:
                waiting = {pool.submit(self._check, one, words): one for one in checked}
                for number, done in enumerate(as_completed(waiting), 1):
                    self._say(f"{number} of {len(checked)}", waiting[done], done.result())
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                self.stop()
                raise
        # A program without faults has an empty list.
        failed = [one.name for one in checked if self.found[one.name]]
        if failed and strict:
            raise ContestError(f"{', '.join(failed)}: failed the check, and with --strict-entry all must pass")

    def judge(self, entrant: Entrant) -> Sequence[str]:
        """Checks one program, and waits for the end of the check. Returns its faults, a sentence for each."""
        chosen = self._scenarios()
        return self._check(entrant, self._words(chosen)) if chosen else ()

    def stop(self) -> None:
        """Ends all running checks. Another thread may call this."""
        for process in [*self._running]:
            kill(process.pid)

    def _scenarios(self) -> Sequence[str]:
        """
        Returns the names of the first few quick scenarios of the checker; empty: there is no checker for the wire.
        """
        judges = judges_of(self._plan.wire)
        if judges is None:
            return ()
        # Slow scenarios would delay the contest, and the programs of a contest need not connect again.
        return [one.name for one in judges.clients.scenarios if not one.slow and not one.needs_reconnect][:CHECKED]

    def _words(self, chosen: Sequence[str]) -> list[str]:
        """Returns the options of `gamehost check` for some scenarios and the contest's settings."""
        return [word for name in chosen for word in ("--scenario", name)] + settings_of_check(self._plan)

    def _check(self, entrant: Entrant, options: Sequence[str]) -> list[str]:
        """
        Runs `gamehost check` on an isolated program, waits for its end, and returns the faults.

        :param options: further options of `gamehost check`
        """
        plan = self._plan
        command = [sys.executable, "-m", "gamehost", "check", plan.wire, "--format", "json", *options]
        number = plan.names.index(entrant.name)
        program = Isolation(plan.isolate, plan.readable).words(entrant.words, number, None)
        process = subprocess.Popen(
            [*command, "--", *program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._running.append(process)
        try:
            return sentences(json.loads(process.communicate(timeout=CHECK_SECONDS)[0]).get("findings", []))
        # `ValueError`: the command ended without JSON.
        except (subprocess.TimeoutExpired, ValueError):
            return ["the check did not come to its end"]
        finally:
            self._running.remove(process)
            # The time is over, or the contest is interrupted.
            if process.poll() is None:
                kill(process.pid)
                process.wait()

    def _say(self, progress: str, entrant: Entrant, wrong: Sequence[str]) -> None:
        """Stores the faults of a program, and prints them."""
        self.found[entrant.name] = wrong
        said = "good" if not wrong else "; ".join(wrong)
        print(f"{progress}  {entrant.name}: {said}", file=self._out, flush=True)


def at_once() -> int:
    """Returns how many programs are checked at the same time: one for each core of the machine."""
    return os.cpu_count() or 1
