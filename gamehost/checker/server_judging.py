"""
What a scenario with a server finds: findings, each with the words of the document and the last messages.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from attrs import frozen
from twisted.internet.interfaces import IReactorTime

from gamehost.checker.base import Finding, Grade, Law, TapeLine, WireChecks
from gamehost.checker.server_base import ServerCase, ServerChecks, Speech, Stopped
from gamehost.checker.server_user import Dial, User
from gamehost.checker.tape import Tape
from gamehost.wires.base import Wire
from gamehost.wires.framing import WireError

#: Seconds for an answer that the server owes.
ANSWERS = 5.0
#: Of two messages that differ in many values, so many are told.
MOST_TOLD = 5


@frozen
class ServerUnderTest:
    """What a scenario needs to know of the server."""

    clock: IReactorTime
    wire: Wire[Any]
    #: The checks of clients: their readings say what messages mean.
    reading: WireChecks
    checks: ServerChecks
    dial: Dial
    strict: bool
    #: Settings of the wire and its game, by their full names.
    settings: dict[str, str]
    password: str = "correct horse"


class Judging:
    """The findings of one scenario."""

    def __init__(self, server: ServerUnderTest, case: ServerCase) -> None:
        assert server.wire.client_codec is not None
        self._server = server
        self._case = case
        self._new_codec = server.wire.client_codec
        self.speech: Speech = server.checks.new_speech()
        self._began = server.clock.seconds()
        self._lines: list[TapeLine] = []
        self._findings: list[Finding] = []
        #: What is being tried, for the title of a finding; empty: an ordinary step.
        self._trying = ""

    def found(self, grade: Grade, title: str, law: str, happened: str) -> None:
        """Add a finding."""
        found = Finding(grade, title, self._law(law), happened, tuple(self._lines[-10:]))
        if found not in self._findings:
            self._findings.append(found)

    def unreadable(self, user: User, error: WireError) -> None:
        """The server has sent bytes that are no message."""
        self._breach(f"bytes that are no message: {error}", "framing", f"{user.name} could not read: {error}.")

    @property
    def _breached(self) -> bool:
        return any(finding.grade is Grade.BREACH for finding in self._findings)

    def _law(self, key: str) -> Law:
        laws = self._server.checks.laws
        return laws[key if key in laws else "turn"]

    def _new_tape(self) -> Tape:
        server = self._server
        tape = Tape(server.reading, server.clock.seconds, self._new_codec().encode, self._lines)
        tape._began = self._began
        return tape

    def _note(self, meaning: str) -> None:
        self._new_tape().note(meaning)

    def _breach(self, title: str, law: str, happened: str) -> None:
        if self._trying:
            title, happened = f"{title} after {self._trying}", f"{happened} The checker tried {self._trying}."
        self.found(Grade.BREACH, title, law, happened)

    def _extension(self, user: User, message: Any) -> None:
        name = type(message).__name__
        self.found(
            *(Grade.FRAGILE, f"{name} is not as in the document", name),
            f"The server sends {user.name} what the document does not have; another client may not understand it.",
        )

    def _surplus(self, user: User, got: Any) -> None:
        name = type(got).__name__
        self._breach(
            f"{name} is sent, and nothing was due", name, f"The server sent {user.name} {name}; nothing was due."
        )

    def _missing(self, user: User) -> None:
        """
        A message has not come.

        :raises Stopped: always
        """
        name = type(user.expected[0]).__name__
        happened = f"{user.name} was due {name}, and it did not come within {ANSWERS:g} s."
        self._breach(f"{name} is missing", name, happened)
        raise Stopped

    def _mismatch(self, user: User, got: Any, expected: Any) -> None:
        name, due = type(got).__name__, type(expected).__name__
        if name != due:
            happened = f"The server sent {user.name} {name}, where {due} was due."
            self._breach(f"{name} instead of {due}", due, happened)
        elif secret := self.speech.secret(got, expected):
            self._breach(f"{name} tells a secret", due, f"The server sent {user.name} {name}: {secret}.")
        else:
            found = list(differences(got, expected))
            words = ", ".join(dict.fromkeys(".".join(path) for path, _ in found))
            told = "; ".join(text for _, text in found[:MOST_TOLD])
            more = f"; and {len(found) - MOST_TOLD} more differences" if len(found) > MOST_TOLD else ""
            self._breach(f"{name}: wrong {words}", due, f"The server sent {user.name} {name}: {told}{more}.")


def differences(
    got: Any, expected: Any, path: str = "", names: tuple[str, ...] = ()
) -> Iterator[tuple[list[str], str]]:
    """
    Where two messages of one class differ.

    :param path: of the two values in their messages, with places in lists
    :param names: the names of the same path
    :returns: for each difference the first two names of its path, and a sentence without its full stop
    """
    if got == expected:
        return
    parts = _parts(got, expected)
    if not parts:
        yield list(names[:2]), f"{path or 'the message'} is {_shown(got)}, expected {_shown(expected)}"
    for name, theirs, mine in parts:
        below = f"{path}[{name}]" if isinstance(name, int) else f"{path}.{name}" if path else name
        yield from differences(theirs, mine, below, names if isinstance(name, int) else (*names, name))


def _parts(got: Any, expected: Any) -> list[tuple[str | int, Any, Any]]:
    """The parts that two values have in common; none: they cannot be compared part by part."""
    if type(got) is not type(expected):
        return []
    if isinstance(expected, msgspec.Struct):
        return [(name, getattr(got, name), getattr(expected, name)) for name in expected.__struct_fields__]
    if isinstance(expected, Mapping) and got.keys() == expected.keys():
        return [(str(key), got[key], expected[key]) for key in expected]
    if isinstance(expected, tuple) and len(got) == len(expected) and any(map(_has_parts, expected)):
        return [(place, *pair) for place, pair in enumerate(zip(got, expected, strict=True))]
    return []


def _has_parts(value: Any) -> bool:
    return isinstance(value, msgspec.Struct)


def _shown(value: Any) -> str:
    return repr(value) if type(value) is str else str(value)
