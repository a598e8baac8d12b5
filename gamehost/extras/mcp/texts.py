"""
Makes the texts that a model reads about a match. They are short, and contain all that the player at a seat knows and needs.

The texts are made from the screen of the seat, which people see on the console. So moves, drawings and rules use the
same names.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from gamehost.games.base import Game, HasSteps, Seat
from gamehost.games.play import PlainScreen, help_of
from gamehost.games.screen import MORE, Screen, Style, listed

#: The most characters of a state, and of the events in it.
MOST, MOST_EVENTS = 1_350, 280
#: The characters that remain for events and moves if a board is very large.
_LEAST_REST = 150
#: The most moves that are listed, and the most that are counted.
MOST_MOVES, MOST_COUNTED = 60, 10_000
#: The style in which boards are drawn for a model.
STYLE = Style(charset="ascii")
_MORE_LEFT = len(", and 10000 more")


def state_text(
    table: int, screen: Screen[Any], events: Sequence[str], over: str = "", seconds: int = 0, taken: int = 0
) -> str:
    """
    Returns the state of a match as a text: players, board, last events, and moves. It has at most `MOST` characters.

    :param events: sentences about events, the newest at the end
    :param over: how the match has ended; empty: it is not over
    :param seconds: how many seconds there are for the move, from the last event on; 0: there is no limit
    :param taken: how many of the characters are used for other text
    """
    seat = _seat(screen)
    others = listed([name for other, name in enumerate(screen.names) if other != seat])
    head = f"Table {table}: {screen.game.name}. You are {screen.names[seat]} (seat {seat}), against {others}."
    limit = f" You have {seconds} s for it." if seconds and screen.turn else ""
    asked = over or screen.prompt_line() + limit
    # The board comes first, then events and moves share the room that is left.
    room = MOST - taken - len(head) - len(asked) - len("\n\n\n\n")
    board = "\n".join(squeezed(screen.draw(STYLE)))
    if len(board) > room - _LEAST_REST:
        # Cut a large board, so that there is room for events and moves.
        board = f"{board[: room - _LEAST_REST]}\n..."
    # Events get half of the rest at most.
    told = _told(events, min(MOST_EVENTS, (room - len(board)) // 2))
    choices = "" if over or not screen.turn else moves_text(screen, "", room - len(board) - len(told))
    return "\n".join(filter(None, (head, board, told, asked, choices)))


def moves_text(screen: Screen[Any], begun: str = "", most: int = MOST) -> str:
    """
    Lists the moves that the seat may make now. In a game with steps, also lists steps after which more steps must follow.

    :param begun: the steps so far, in a game with steps
    :param most: the most characters of the text
    :raises ValueError: `begun` cannot be read as steps of the game
    :raises IllegalAction: no legal move begins with these steps
    """
    game = screen.game
    if isinstance(game, HasSteps):
        # `None`: list the first steps.
        first = game.read(begun.encode()) if begun else None
        steps = [(game.write(step).decode(), whole) for step, whole in game.steps(screen.known, _seat(screen), first)]
        # Steps that need further steps, and whole moves, share the room.
        more = _list("To go on with, by continue_move", [step for step, whole in steps if not whole], most // 2)
        return "\n".join(filter(None, (_list("Moves", [step for step, whole in steps if whole], most // 2), more)))
    return _list("Moves", whole_moves(screen), most)


def whole_moves(screen: Screen[Any]) -> Sequence[str]:
    """Returns all legal moves in a game without steps, in the form that `Screen.read` reads."""
    moves = [one for one in screen.moves(MOST_COUNTED) if not one.startswith(MORE)]
    return [one.partition(" ")[2] for one in moves] if isinstance(screen, PlainScreen) else moves


def _seat(screen: Screen[Any]) -> Seat:
    return Seat(screen.seat or 0)


def _list(title: str, moves: Sequence[str], most: int) -> str:
    """
    Returns a line with the number of moves, and with as many moves as there is room for; empty: there are none.

    :param most: the most characters of the line
    """
    if not moves:
        return ""
    head = f"{title} ({len(moves)}): "
    # Keep room for the words about moves that are left out.
    shown, length = 0, len(head) + _MORE_LEFT
    for one in moves[:MOST_MOVES]:
        length += len(one) + len(", ")
        if length > most:
            break
        shown += 1
    left = len(moves) - shown
    return f"{head}{', '.join((*moves[:shown], *((f'and {left} more',) if left else ())))}"


def _told(events: Sequence[str], most: int) -> str:
    """Returns a line with the last events, as many as there is room for."""
    told = ""
    # The newest events are the most important.
    for sentence in reversed(events):
        if len(sentence) + 1 + len(told) > most - len("Last: "):
            break
        told = f"{sentence} {told}".rstrip()
    return f"Last: {told}" if told else ""


def squeezed(lines: Sequence[str]) -> Iterator[str]:
    """
    Removes space from a drawing. In each block of lines without an empty line, a gap of three or more columns of spaces
    becomes two columns, and the gap at the left is removed.
    """
    block: list[str] = []
    # The empty line at the end closes the last block.
    for line in (*lines, ""):
        if line:
            block.append(line)
            continue
        width = max(map(len, block), default=0)
        # A space for each column that is empty in all lines of the block.
        blank = "".join(" " if all(one[at : at + 1] in ("", " ") for one in block) else "x" for at in range(width))
        gaps = [(one.start() + (2 if one.start() else 0), one.end()) for one in re.finditer("^ +|   +", blank)]
        for one in block:
            # From right to left, so that earlier columns keep their numbers.
            for start, end in reversed(gaps):
                one = one[:start] + one[end:]
            yield one.rstrip()
        block = []


def games_text(games: Sequence[Game[Any, Any]]) -> str:
    """Returns a text that lists games with their numbers of players."""
    seats = {game.name: sorted({game.least_seats, game.most_seats}) for game in games}
    lines = [f"{name}: {' to '.join(map(str, some))} players" for name, some in seats.items()]
    return "\n".join((*lines, "The tool rules explains a game, and seek begins a match."))


def rules_text(game: Game[Any, Any]) -> str:
    """Returns the rules of a game, as people read them on the console, and its settings."""
    settings = [f"  {name}: {words}" for name, words in game.options.items()]
    return "\n".join((*help_of(game), "", "Settings for seek:", *settings))


def over_text(winners: Sequence[str], cause: str, why: str) -> str:
    """Returns a sentence about the end of a match."""
    return f"The match is over: {listed(winners) or 'nobody'} won ({cause}): {why}."
