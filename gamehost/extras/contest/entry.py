"""
The check before a contest: the names of the entrants, and the checker's verdicts on their programs.
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

#: Scenarios of `gamehost check` that each program is judged by before the contest.
CHECKED = 4
#: Seconds for these.
CHECK_SECONDS = 180
#: Settings of a contest that its check does not have.
_TIMES = ("move_time", "game_time", "increment")


def check_names(names: Sequence[str], wire: Wire[Any]) -> None:
    """
    Check names by the rules of the wire, and against each other.

    :raises ContestError: a program could not log in under one of them. All that is wrong is in it.
    """
    if wrong := [*_wrong_names(names, wire)]:
        raise ContestError("; ".join(wrong))


def _wrong_names(names: Sequence[str], wire: Wire[Any]) -> Iterator[str]:
    by_key: dict[str, str] = {}
    for text in names:
        try:
            name = checked_name(text)
            check_new_name(name)
        except NameRefused as refused:
            yield f"{text!r} cannot log in: {refused}"
            continue
        if not text.isascii() and _read_as(f"a{text}", wire) != _read_as(f"a{'x' * len(text)}", wire):
            yield f"{text!r} cannot log in: {wire.name} cannot carry its characters"
        if name.text != text:
            yield f"{text!r} cannot log in: expected its letters and accents as one character each (Unicode form C)"
        other = by_key.setdefault(name.key, text)
        if text in names[: names.index(text)] or other != text:
            yield f"{other!r} and {text!r} are the same name for a host"
    for text in {text for text in names if names.count(text) > 1}:
        yield f"two players are called {text!r}"


def _read_as(name: str, wire: Wire[Any]) -> list[type[Any]]:
    """The messages that the codec of a wire reads from a line with this name alone."""
    try:
        return [type(message) for message in wire.configure({}).new_codec().feed(name.encode() + b"\n")]
    except WireError as error:
        return [type(error)]


def settings_of_check(plan: Plan) -> list[str]:
    """The settings of a contest for `gamehost check`, without its times: a check judges by the document, not by speed."""
    held = {name: value for name, value in plan.settings.items() if name.rpartition(".")[2] not in _TIMES}
    return [word for name, value in held.items() for word in ("--set", f"{name}={value}")]


def sentences(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The breaches among what a check has found, a sentence each, with the section of the document."""
    breaches = [one for one in findings if one["grade"] == "breach"]
    return [one["title"] + (f" ({one['section']})" if one.get("section") else "") for one in breaches]


@define(eq=False)
class EntryCheck:
    """
    Judges each program by a short list of scenarios, with the contest's settings.

    :param out: where a line of progress goes for each program
    """

    _plan: Plan
    _out: TextIO = sys.stdout
    #: What is wrong with each program that was checked, by its name.
    found: dict[str, Sequence[str]] = field(factory=dict)
    _running: list["subprocess.Popen[str]"] = field(factory=list)

    def run(self, at_once: int, strict: bool) -> None:
        """
        Check all programs, so many at a time.

        :raises ContestError: one has failed, and all must pass
        :raises KeyboardInterrupt: it was interrupted; no program is left
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
        failed = [one.name for one in checked if self.found[one.name]]
        if failed and strict:
            raise ContestError(f"{', '.join(failed)}: failed the check, and with --strict-entry all must pass")

    def judge(self, entrant: Entrant) -> Sequence[str]:
        """The faults of a program, a sentence each. The result comes when the check is over."""
        chosen = self._scenarios()
        return self._check(entrant, self._words(chosen)) if chosen else ()

    def stop(self) -> None:
        """End the checks that are being made."""
        for process in [*self._running]:
            kill(process.pid)

    def _scenarios(self) -> Sequence[str]:
        """The scenarios that judge programs. A wire without a checker has none."""
        judges = judges_of(self._plan.wire)
        if judges is None:
            return ()
        return [one.name for one in judges.clients.scenarios if not one.slow and not one.needs_reconnect][:CHECKED]

    def _words(self, chosen: Sequence[str]) -> list[str]:
        return [word for name in chosen for word in ("--scenario", name)] + settings_of_check(self._plan)

    def _check(self, entrant: Entrant, words: Sequence[str]) -> list[str]:
        plan = self._plan
        command = [sys.executable, "-m", "gamehost", "check", plan.wire, "--format", "json", *words]
        number = plan.names.index(entrant.name)
        program = Isolation(plan.isolate, plan.readable).words(entrant.words, number, None)
        process = subprocess.Popen(
            [*command, "--", *program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._running.append(process)
        try:
            return sentences(json.loads(process.communicate(timeout=CHECK_SECONDS)[0]).get("findings", []))
        except (subprocess.TimeoutExpired, ValueError):
            return ["the check did not come to its end"]
        finally:
            self._running.remove(process)
            if process.poll() is None:
                kill(process.pid)
                process.wait()

    def _say(self, progress: str, entrant: Entrant, wrong: Sequence[str]) -> None:
        self.found[entrant.name] = wrong
        said = "good" if not wrong else "; ".join(wrong)
        print(f"{progress}  {entrant.name}: {said}", file=self._out, flush=True)


def at_once() -> int:
    """How many programs are checked side by side: one a core."""
    return os.cpu_count() or 1
