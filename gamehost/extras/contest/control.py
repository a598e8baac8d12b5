"""
The requests of an organizer to a contest that is being played. They come through a Unix socket in the contest's folder,
which only the owner of the contest can use.

A request is one line of JSON with `words` and `anew`. The answer is one line of JSON with `said` or `error`. It is sent
after the journal's line was written. If the contest is killed before that, the same request can be sent again.
"""

import json
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import Factory
from twisted.protocols.basic import LineReceiver

from gamehost.extras.contest.contest import ContestError
from gamehost.extras.contest.middle import Reading, words_of
from gamehost.extras.contest.run import ContestRun
from gamehost.ops import SocketUnusable, remove_stale, short_path

#: The name of the socket in the folder of a contest.
SOCKET = "contest.socket"
#: The most bytes of a request, and the most seconds until its answer.
LONGEST_QUESTION, ANSWER_SECONDS = 65_536, 30.0


class _OrganizersLine(LineReceiver):
    """A connection of the organizer: carries out each request, and sends the answer."""

    delimiter = b"\n"
    MAX_LENGTH = LONGEST_QUESTION

    def __init__(self, run: ContestRun, command: Reading) -> None:
        self._run = run
        self._command = command

    def lineReceived(self, line: bytes) -> None:
        """
        Called with a request of the organizer, a line of JSON: the words of a change, and whether games are played
        again. Carries out the change, and sends its description or an error.
        """
        try:
            asked = json.loads(line)
            entry = self._run.intervene([str(word) for word in asked["words"]], self._command, bool(asked["anew"]))
            answer = {"said": words_of(self._run.contest, entry)}
        except ContestError as error:
            answer = {"error": str(error)}
        except (ValueError, KeyError, TypeError):
            answer = {"error": "expected words and anew"}
        self.sendLine(json.dumps(answer).encode())


@define(eq=False)
class ContestControl:
    """
    Accepts the organizer's requests on the socket of a contest that is being played.

    :param command: reads the command of a player, from its name and a text
    """

    _reactor: Any
    _folder: Path
    _run: ContestRun
    _command: Reading
    _open: ExitStack = field(factory=ExitStack)

    def listen(self) -> None:
        """
        Opens the socket. A socket file that a killed contest has left behind is removed first.

        :raises OSError: the socket cannot be made in this folder
        :raises SocketUnusable: its path is too long, or another process uses it
        """
        path = self._open.enter_context(short_path(self._folder / SOCKET))
        remove_stale(path)
        factory = Factory.forProtocol(lambda: _OrganizersLine(self._run, self._command))
        # Twisted writes no line to the log for each connection.
        factory.noisy = False
        try:
            self._reactor.listenUNIX(path, factory, mode=0o600)
        except CannotListenError as error:
            raise SocketUnusable(str(error)) from error


def ask(folder: Path, words: Sequence[str], anew: bool) -> str:
    """
    Sends a request for a change to the process that plays a contest, and waits for the answer.

    :param folder: the folder of the contest
    :param words: the change: one of `gamehost.extras.contest.middle.ACTIONS` with its arguments
    :param anew: whether all games of a player with a new command are played again
    :returns: the change in words, for people
    :raises ContestError: the change cannot be made, or the process does not answer
    """
    question = json.dumps({"words": [*words], "anew": anew}).encode() + b"\n"
    try:
        with short_path(folder / SOCKET) as path, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(ANSWER_SECONDS)
            connection.connect(path)
            connection.sendall(question)
            with connection.makefile("rb") as file:
                answer = json.loads(file.readline())
    # `ValueError` and `AttributeError`: the answer is empty or not as expected.
    except (OSError, SocketUnusable, ValueError, AttributeError) as error:
        words = "it is being played, and does not answer. Type the same again, or press Ctrl-C there first"
        raise ContestError(f"{folder}: {words} ({error})") from error
    if "error" in answer:
        raise ContestError(str(answer["error"]))
    return str(answer["said"])
