"""Those who guess the password of an account, and its owner, for `benchmarks.abuse`: how long the right password waits."""

import json
import time
from contextlib import suppress
from itertools import count

from benchmarks.attackers import Found
from benchmarks.network import connection
from benchmarks.readers import asked

#: Connections that guess, and their addresses.
GUESSERS, ADDRESSES = 36, 12
#: Seconds after which the owner comes: by then the guessers have used what was saved up.
HEAD_START = 15.0
#: Seconds that the owner waits for an answer at most.
PATIENCE = 60.0
NAME, PASSWORD = "owner", "correct horse battery"


def _log_in(password: str) -> bytes:
    return json.dumps({"do": "log-in", "name": NAME, "password": password}).encode() + b"\n"


def guessers(port: int, seconds: float) -> Found:
    """Each guesses again as soon as it is answered."""
    guesses = ((_log_in(f"guess number {number}.{turn}") for turn in count()) for number in range(GUESSERS))
    askers = [(f"4.{1 + number % ADDRESSES}", one, b"", b'"sorry"') for number, one in enumerate(guesses)]
    return asked(askers, port, seconds)


def owner(port: int, seconds: float) -> Found:
    """The owner logs in with the right password, at a new address each time. The first log-in makes the account."""
    ends = time.monotonic() + seconds
    time.sleep(min(HEAD_START, seconds / 2))
    waits: list[float] = []
    unanswered = 0
    for number in count(1):
        if time.monotonic() >= ends:
            break
        begun = time.monotonic()
        answer = b""
        with suppress(OSError), connection(port, f"5.{number % 250}") as made:
            made.settimeout(PATIENCE)
            made.sendall(_log_in(PASSWORD))
            while b'"entered"' not in answer and (piece := made.recv(4_096)):
                answer += piece
        if b'"entered"' in answer:
            waits.append(time.monotonic() - begun)
        else:
            unanswered += 1
        time.sleep(0.5)
    return {"log-ins": len(waits), "unanswered": unanswered, "the slowest s": max(waits, default=0.0)}
