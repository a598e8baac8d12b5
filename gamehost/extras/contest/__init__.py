"""Contests between programs: `gamehost contest`."""

from gamehost.entries import Verb, imported

CONTEST = Verb(
    "gamehost contest FILE       play a contest between programs, and write its results (gamehost contest --help)\n",
    imported("gamehost.extras.contest.command:main"),
)
