"""Sentences that are the same in all games: who plays, who won, how a refusal reads."""

import re
from collections.abc import Iterable, Mapping, Sequence

from gamehost.games.base import Cause, Result, Seat
from gamehost.wires.console.screens.base import listed

#: Names of games that are not their own names with a capital letter.
_TITLES: Mapping[str, str] = {"paper-soccer": "Paper Soccer"}

#: How a reason begins that is about a setting.
_SETTING = re.compile("[a-z_]+: ", re.ASCII)

_CAUSES: Mapping[Cause, str] = {
    Cause.LEFT: "a player gave up",
    Cause.TIME: "time ran out",
    Cause.VIOLATION: "an illegal move",
}


def title(game: str) -> str:
    """A game's name, as people write it."""
    return _TITLES.get(game, game.capitalize())


def sentence(reason: str) -> str:
    """A reason of the host as a sentence: with a capital letter and a full stop."""
    if _SETTING.match(reason):
        reason = f"the setting {reason}"
    return f"{reason[:1].upper()}{reason[1:]}{'' if reason.endswith(('.', '?', '!')) else '.'}"


def opponents(names: Sequence[str], seat: Seat) -> str:
    """Against whom a seat plays: `bob`, or `bob and carl`."""
    return listed([name for other, name in enumerate(names) if other != seat])


def versus(names: Sequence[str]) -> str:
    """Who plays, for others."""
    return " against ".join(names) if len(names) == 2 else ", ".join(names)


def ended(result: Result, names: Sequence[str], seat: Seat | None) -> str:
    """Who won and why, for a seat or a watcher."""
    why = result.why or _CAUSES.get(result.cause, "")
    because = f": {why}." if why else "."
    if result.cause is Cause.LEFT and len(names) == 2 and len(result.winners) == 1:
        winner = result.winners[0]
        gone = "you left the match" if seat == 1 - winner else f"{names[1 - winner]} has left"
        return f"{'You win' if seat == winner else f'{names[winner]} wins'}: {gone}."
    if not result.winners:
        return f"The match is a draw{because}"
    if seat in result.winners:
        partners = [names[winner] for winner in result.winners if winner != seat]
        return f"You and {listed(partners)} win{because}" if partners else f"You win{because}"
    winners = listed([names[winner] for winner in result.winners])
    return f"{winners} {'wins' if len(result.winners) == 1 else 'win'}{because}"


def clock_line(names: Sequence[str], clocks: Sequence[int]) -> str:
    """The time that each player has left."""
    return "Time left: " + ", ".join(f"{name} {_minutes(left)}" for name, left in zip(names, clocks, strict=True)) + "."


def _minutes(milliseconds: int) -> str:
    minutes, seconds = divmod(max(milliseconds, 0) // 1000, 60)
    return f"{minutes}:{seconds:02d}"


def counted(number: int, one: str, many: str = "") -> str:
    """A number and what is counted: `1 table`, `2 tables`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def in_columns(texts: Sequence[str], width: int) -> Iterable[str]:
    """Short texts side by side."""
    if not texts:
        return
    widest = max(map(len, texts)) + 2
    across = max(1, width // widest)
    for start in range(0, len(texts), across):
        yield "  " + "".join(text.ljust(widest) for text in texts[start : start + across]).rstrip()
