"""
Guided games in memory: a person who does what the advice says, against the house player of the guided game.

`python -m tests.players.slow_guided [MATCHES [GAME ...]]` prints how many were won, and how long the advice took.
"""

import sys
import time
from typing import Any

from msgspec import json

from gamehost.games.base import Game, JournalledChance, Seat
from gamehost.games.installed import installed
from gamehost.games.play import new_player
from gamehost.lobby.advice import AdviceQuestion, answer_of, question_of
from gamehost.players.base import Level, SeededChance

#: Who wins is counted after so many actions, too: nobody has won then.
MOST = 4_000


def played(game: Game[Any, Any], seed: int, mine: Seat, times: list[float], said: dict[str, int]) -> bool:
    """Whether who obeys wins a match. Times are those of the processor, so that other work on the machine changes nothing."""
    chance = SeededChance(seed)
    master = game.new_master(2, {}, JournalledChance(chance.below))
    house = {seat: new_player(game.name, seat, Level.EASY, seed) for seat in (Seat(0), Seat(1))}

    public: list[Any] = []

    def tell(told: Any) -> None:
        for to in told:
            if to.audience is None:
                public.append(to.event)
            for seat in (0, 1) if to.audience is None else to.audience:
                house[Seat(seat)].hear(to.event)

    tell(master.begin(0))
    following: list[str] = []
    for _ in range(MOST):
        if master.result is not None:
            return mine in master.result.winners and len(master.result.winners) == 1
        for seat in (Seat(0), Seat(1)):
            notation = house[seat].answer()
            if notation is None:
                continue
            view = master.view(seat)
            # A set-up stays: the house player makes a sound one, as the page's button does.
            if seat == mine and "SETUP" not in str(getattr(view, "phase", "")):
                if following:
                    notation = following.pop(0).encode()
                else:
                    asked = json.decode(question_of(game, seat, view, public), type=AdviceQuestion)
                    before = time.process_time()
                    advice = answer_of(asked, game, chance.below(2**63), 1.0, time.process_time)
                    times.append(time.process_time() - before)
                    said[advice.because] = said.get(advice.because, 0) + 1
                    notation, *rest = (one.encode() for one in advice.actions)
                    following = [one.decode() for one in rest]
            tell(master.act(seat, game.read(notation), 0))
            break
        else:
            raise AssertionError("nobody has anything to do")
    return False


def main(matches: int, games: list[str]) -> None:
    for name in games or ("onitama", "paper-soccer", "eriantys", "stratego"):
        times: list[float] = []
        said: dict[str, int] = {}
        won = sum(played(installed().games[name], number, Seat(number % 2), times, said) for number in range(matches))
        print(f"{name}: {won} of {matches} won; advice took {sum(times) / len(times):.3f} s, {max(times):.3f} at most")
        for words, count in sorted(said.items(), key=lambda one: -one[1]):
            print(f"  {count:4} {words}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10, sys.argv[2:])
