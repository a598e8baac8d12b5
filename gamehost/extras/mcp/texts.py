"""
What a model reads of a match: short texts that have all that a seat knows and needs. Pure.

They are made of the screen of the seat, as people have it on the console. So moves, drawing and rules use the same names.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from gamehost.games.base import Game, HasSteps, Seat
from gamehost.games.play import PlainScreen, help_of
from gamehost.games.screen import MORE, Screen, Style, listed

#: The most characters of a state, and of the events in it.
MOST, MOST_EVENTS = 1_350, 280
#: The characters that are kept free for events and moves if a board is very large.
_LEAST_REST = 150
#: The most moves that are listed, and that are counted.
MOST_MOVES, MOST_COUNTED = 60, 10_000
#: How a model is shown a board.
STYLE = Style(charset="ascii")
_MORE_LEFT = len(", and 10000 more")


def state_text(
    table: int, screen: Screen[Any], events: Sequence[str], over: str = "", seconds: int = 0, taken: int = 0
) -> str:
    """
    The state of a match.

    :param events: sentences, the last ones at the end
    :param over: how the match has ended; empty: it goes on
    :param seconds: for the move, since the last event; 0: there is no limit
    :param taken: characters that stand before it
    """
    seat = _seat(screen)
    others = listed([name for other, name in enumerate(screen.names) if other != seat])
    head = f"Table {table}: {screen.game.name}. You are {screen.names[seat]} (seat {seat}), against {others}."
    limit = f" You have {seconds} s for it." if seconds and screen.turn else ""
    asked = over or screen.prompt_line() + limit
    room = MOST - taken - len(head) - len(asked) - len("\n\n\n\n")
    board = "\n".join(squeezed(screen.draw(STYLE)))
    if len(board) > room - _LEAST_REST:
        board = f"{board[: room - _LEAST_REST]}\n..."
    told = _told(events, min(MOST_EVENTS, (room - len(board)) // 2))
    choices = "" if over or not screen.turn else moves_text(screen, "", room - len(board) - len(told))
    return "\n".join(filter(None, (head, board, told, asked, choices)))


def moves_text(screen: Screen[Any], begun: str = "", most: int = MOST) -> str:
    """
    The moves that the seat may make now: whole ones, and steps after which more must follow.

    :param begun: the steps so far, in a game with steps
    :param most: characters
    :raises ValueError: these are no steps of the game
    :raises IllegalAction: no move begins so
    """
    game = screen.game
    if isinstance(game, HasSteps):
        first = game.read(begun.encode()) if begun else None
        steps = [(game.write(step).decode(), whole) for step, whole in game.steps(screen.known, _seat(screen), first)]
        more = _list("To go on with, by continue_move", [step for step, whole in steps if not whole], most // 2)
        return "\n".join(filter(None, (_list("Moves", [step for step, whole in steps if whole], most // 2), more)))
    return _list("Moves", whole_moves(screen), most)


def whole_moves(screen: Screen[Any]) -> Sequence[str]:
    """All moves of a game without steps, as `Screen.read` takes them."""
    moves = [one for one in screen.moves(MOST_COUNTED) if not one.startswith(MORE)]
    return [one.partition(" ")[2] for one in moves] if isinstance(screen, PlainScreen) else moves


def _seat(screen: Screen[Any]) -> Seat:
    return Seat(screen.seat or 0)


def _list(title: str, moves: Sequence[str], most: int) -> str:
    """As many moves as there is room for, and how many there are; empty: none."""
    if not moves:
        return ""
    head = f"{title} ({len(moves)}): "
    shown, length = 0, len(head) + _MORE_LEFT
    for one in moves[:MOST_MOVES]:
        length += len(one) + len(", ")
        if length > most:
            break
        shown += 1
    left = len(moves) - shown
    return f"{head}{', '.join((*moves[:shown], *((f'and {left} more',) if left else ())))}"


def _told(events: Sequence[str], most: int) -> str:
    """The last events, as many as there is room for."""
    told = ""
    for sentence in reversed(events):
        if len(sentence) + 1 + len(told) > most - len("Last: "):
            break
        told = f"{sentence} {told}".rstrip()
    return f"Last: {told}" if told else ""


def squeezed(lines: Sequence[str]) -> Iterator[str]:
    """The same drawing with less space in it: between two empty lines, columns of spaces are made narrower for all lines."""
    block: list[str] = []
    for line in (*lines, ""):
        if line:
            block.append(line)
            continue
        width = max(map(len, block), default=0)
        blank = "".join(" " if all(one[at : at + 1] in ("", " ") for one in block) else "x" for at in range(width))
        gaps = [(one.start() + (2 if one.start() else 0), one.end()) for one in re.finditer("^ +|   +", blank)]
        for one in block:
            for start, end in reversed(gaps):
                one = one[:start] + one[end:]
            yield one.rstrip()
        block = []


def games_text(games: Sequence[Game[Any, Any]]) -> str:
    """The games, and how many play them."""
    seats = {game.name: sorted({game.least_seats, game.most_seats}) for game in games}
    lines = [f"{name}: {' to '.join(map(str, some))} players" for name, some in seats.items()]
    return "\n".join((*lines, "The tool rules explains a game, and seek begins a match."))


def rules_text(game: Game[Any, Any]) -> str:
    """The rules of a game as people read them, and its settings."""
    settings = [f"  {name}: {words}" for name, words in game.options.items()]
    return "\n".join((*help_of(game), "", "Settings for seek:", *settings))


def over_text(winners: Sequence[str], cause: str, why: str) -> str:
    """How a match has ended."""
    return f"The match is over: {listed(winners) or 'nobody'} won ({cause}): {why}."
