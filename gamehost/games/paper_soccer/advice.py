"""Explains in one sentence for beginners why a move of Paper Soccer is good."""

from collections.abc import Sequence

from gamehost.games.base import Seat
from gamehost.games.paper_soccer.master import Move, Situation, position_of
from gamehost.games.paper_soccer.rules import Position


def _scores(position: Position, most: int = 400) -> bool:
    """Whether the side to move can bring the ball into the goal in this turn. At most `most` positions are examined."""
    side, waiting, seen = position.turn, [position], {(position.ball, position.drawn)}
    while waiting and len(seen) < most:
        here = waiting.pop()
        for point in here.steps():
            after = here.step(point)
            if after.ending is not None and after.ending.winner == side:
                return True
            if after.ending is None and after.turn == side and (after.ball, after.drawn) not in seen:
                # The ball bounces, and the turn goes on. The same lines in another order are one position.
                seen.add((after.ball, after.drawn))
                waiting.append(after)
    return False


def because(view: Situation, seat: Seat, actions: Sequence[Move]) -> str:
    """Returns one sentence with the reason why these actions are good."""
    position, points = position_of(view), actions[0].points
    after = position.after(points)
    if after.ending is not None:
        return (
            "This way ends in the goal that you attack: you win."
            if after.ending.winner == position.turn
            else "Nothing better is left."
        )
    # Side 0 attacks the goal at y = +6, the other one that at y = -6.
    forward = 1 if position.turn == 0 else -1
    gained = forward * (after.ball[1] - position.ball[1])
    bounced = "The ball bounces, and " if len(points) > 1 else ""
    if _scores(after):
        # The move prevents nothing, so there was none that does.
        return "Your opponent can score from everywhere."
    if gained > 0:
        said = f"it comes {gained} {'line' if gained == 1 else 'lines'} nearer to the goal."
    elif gained == 0:
        said = "it stays as near to the goal, where your opponent has no way to yours."
    else:
        said = "your opponent would profit from the lines that are nearer to the goal."
    return bounced + said if bounced else said[0].upper() + said[1:]
