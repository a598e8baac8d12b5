"""
`play` on hosts of their own: whole matches of each installed game against house players, with the host killed within each.

They need the extra `learn`; `make check-learn` installs it, and the examples Gomoku and Fleet, which have no encoders of
their own.
"""

import asyncio
import random
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.client.asyncio_client import tcp
from gamehost.games.installed import installed
from gamehost.games.stratego.messages import FoughtEvent, MovedEvent
from tests.kit.process import PATIENCE, HostProcess

NEEDS = ("pettingzoo", "gymnasium", "numpy")
skip = None if all(map(find_spec, NEEDS)) else "needs more: pip install gamehost[learn]"
if skip is None:
    import numpy as np

    from gamehost.extras.learn import SeatEncoder, play
    from gamehost.extras.learn.match import PolicySeat

#: The host is killed after so many numbers: no match of these games can be over yet. A set-up of Stratego takes 40.
KILLS = {"onitama": 1, "paper-soccer": 1, "stratego": 60, "eriantys": 9, "gomoku": 3, "fleet": 3}
#: The longest matches, so that random moves come to an end.
BOUNDS = ("--set=stratego.max_plies=300",)


class PlayTests(SynchronousTestCase):
    def setUp(self) -> None:
        #: Each encoder of the match, with the events that it has taken.
        self.told: list[tuple[Any, list[Any]]] = []
        if skip is not None:
            return
        tell = PolicySeat._tell

        def recorded(seat: Any, event: Any) -> None:
            if not self.told or self.told[-1][0] is not seat._encoder:
                self.told.append((seat._encoder, []))
            self.told[-1][1].append(event)
            tell(seat, event)

        self.patch(PolicySeat, "_tell", recorded)

    def test_whole_matches_through_a_kill(self) -> None:
        """An encoder that needs events takes those from before it again, and each one after it once."""
        for game in installed().games:
            self.told.clear()
            reward = asyncio.run(self.through_a_kill(game))
            self.assertIn(reward, (-1, 0, 1), game)
            self.assertGreater(len(self.told), 1, game)
            *before, (encoder, last) = self.told
            if type(encoder).hear is not SeatEncoder.hear:
                moves = [event for event in last if isinstance(event, MovedEvent | FoughtEvent)]
                for _, events in before:
                    known = [event for event in events if isinstance(event, MovedEvent | FoughtEvent)]
                    self.assertEqual(known, moves[: len(known)], game)
                self.assertEqual([move.seat for move in moves], [place % 2 for place in range(len(moves))])

    def host(self, folder: Path, port: int = 0) -> HostProcess:
        options = ("--house=600", *BOUNDS, f"--open=tcp:{port}:interface=127.0.0.1")
        return HostProcess(*options, wires=("open",), folder=folder, store="store.sqlite")

    async def through_a_kill(self, game: str) -> int | None:
        """The reward of a random policy. The host is killed while an action is under way, and started again."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        luck, numbers, loop = random.Random(3), 0, asyncio.get_running_loop()
        killed = asyncio.Event()
        with ExitStack() as hosts:
            host = hosts.enter_context(self.host(folder))
            port = host.ports["open"]

            def kill() -> None:
                host.process.kill()
                killed.set()

            def policy(seen: Any) -> int:
                nonlocal numbers
                numbers += 1
                if numbers == KILLS.get(game, 1):
                    loop.call_soon(kill)  # after the action is sent, and before its effect is read
                return int(luck.choice(np.flatnonzero(seen["action_mask"])))

            async def again() -> None:
                await killed.wait()
                await asyncio.to_thread(host.kill)
                await asyncio.to_thread(hosts.enter_context, self.host(folder, port))

            async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as tasks:
                started = tasks.create_task(again())
                match = tasks.create_task(play(tcp("127.0.0.1", port), "ann", game, policy))
            started.result()
            return match.result()
