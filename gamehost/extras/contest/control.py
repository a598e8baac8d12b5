"""
The requests of an organizer to a running contest, through a socket in its folder, which only its owner can use.

A question is one line of JSON with `words` and `anew`, and so is the answer, with `said` or `error`. An answer is sent
after the journal's line was written. If the contest is killed before that, the same question can be asked again.
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

#: The socket, in the folder of a contest.
SOCKET = "contest.socket"
#: Bytes of a question, and seconds for its answer.
LONGEST_QUESTION, ANSWER_SECONDS = 65_536, 30.0


class _OrganizersLine(LineReceiver):
    """A connection of the organizer."""

    delimiter = b"\n"
    MAX_LENGTH = LONGEST_QUESTION

    def __init__(self, run: ContestRun, command: Reading) -> None:
        self._run = run
        self._command = command

    def lineReceived(self, line: bytes) -> None:
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
    The socket of a contest that is being played.

    :param command: reads the command of a player
    """

    _reactor: Any
    _folder: Path
    _run: ContestRun
    _command: Reading
    _open: ExitStack = field(factory=ExitStack)

    def listen(self) -> None:
        """
        Answer questions from now on. A socket that a contest has left behind is removed.

        :raises OSError: that is impossible here
        :raises SocketUnusable: likewise
        """
        path = self._open.enter_context(short_path(self._folder / SOCKET))
        remove_stale(path)
        factory = Factory.forProtocol(lambda: _OrganizersLine(self._run, self._command))
        factory.noisy = False
        try:
            self._reactor.listenUNIX(path, factory, mode=0o600)
        except CannotListenError as error:
            raise SocketUnusable(str(error)) from error


def ask(folder: Path, words: Sequence[str], anew: bool) -> str:
    """
    Ask a contest that is being played by another process for a change.

    :returns: what was done, for people
    :raises ContestError: it cannot be done, or the contest does not answer
    """
    question = json.dumps({"words": [*words], "anew": anew}).encode() + b"\n"
    try:
        with short_path(folder / SOCKET) as path, socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(ANSWER_SECONDS)
            connection.connect(path)
            connection.sendall(question)
            with connection.makefile("rb") as file:
                answer = json.loads(file.readline())
    except (OSError, SocketUnusable, ValueError, AttributeError) as error:
        words = "it is being played, and does not answer. Type the same again, or press Ctrl-C there first"
        raise ContestError(f"{folder}: {words} ({error})") from error
    if "error" in answer:
        raise ContestError(str(answer["error"]))
    return str(answer["said"])
