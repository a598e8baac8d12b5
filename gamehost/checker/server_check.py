"""
All scenarios of a wire with one server, one after the other, and what came of them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol

from gamehost.checker.base import seed_of
from gamehost.checker.check import Report
from gamehost.checker.run import Outcome
from gamehost.checker.server_run import PARTING, Dial, ServerCase, ServerChecks, ServerRun, ServerUnderTest, Unreachable

#: Seconds for a connection.
CONNECTS = 10.0
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class ServerCheck:
    """
    Plays scenarios with a server.

    :param progress: called after each scenario, with its outcome
    """

    def __init__(
        self,
        server: ServerUnderTest,
        cases: Sequence[ServerCase],
        seed: int,
        progress: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        self._server = server
        self._cases = list(cases)
        self._seed = seed
        self._progress = progress
        self._outcomes: list[Outcome] = []
        self._began = server.clock.seconds()
        self._done: Deferred[Report] = Deferred()

    def run(self) -> Deferred[Report]:
        """Play them all. Fires with the report; fails with `Unreachable`."""
        self._next()
        return self._done

    def _next(self) -> None:
        number = len(self._outcomes)
        if number == len(self._cases):
            seconds = self._server.clock.seconds() - self._began
            self._done.callback(Report(self._server.wire.name, self._seed, seconds, tuple(self._outcomes)))
            return
        case = self._cases[number]
        earlier = sum(one is case for one in self._cases[:number])
        seed = seed_of(self._seed, case.scenario.name, earlier)
        ServerRun(self._server, case, seed, tag(self._seed, number), self._ended).start()

    def _ended(self, outcome: Outcome | Unreachable) -> None:
        if isinstance(outcome, Unreachable):
            self._done.errback(outcome)
            return
        self._outcomes.append(outcome)
        self._progress(outcome)
        self._server.clock.callLater(PARTING, self._next)


def tag(seed: int, number: int) -> str:
    """Letters that make names different in each scenario, and mostly in each check."""
    value, letters = seed * 1_009 + number, ""
    for _ in range(4):
        value, letter = divmod(value, 26)
        letters = _LETTERS[letter] + letters
    return letters


def address_of(text: str) -> tuple[str, int]:
    """
    Host and port of `127.0.0.1:8893` or `[::1]:8893`.

    :raises ValueError: the text is something else
    """
    host, separator, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not separator or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65_536:
        raise ValueError("expected HOST:PORT, such as 127.0.0.1:8893")
    return host, int(port)


def dialled(reactor: Any, host: str, port: int) -> Dial:
    """Connects with this address."""
    endpoint = HostnameEndpoint(reactor, host.encode("idna"), port, CONNECTS)
    return lambda protocol: connectProtocol(endpoint, protocol)


def chosen_cases(checks: ServerChecks, names: Iterable[str]) -> list[ServerCase]:
    """
    The scenarios to play.

    :param names: those that were asked for; none: all
    :raises KeyError: there is no scenario of this name
    """
    known = {one.scenario.name: one for one in checks.cases}
    return [known[name] for name in names] or list(checks.cases)
