"""Remote games in any order of things: what players hear does not depend on other games, or on masters that are lost."""

import random
import re
from collections import deque
from collections.abc import Sequence
from typing import Any

from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.wires.paper_soccer.conversation import XmlState
from gamehost.wires.paper_soccer.remote import Remote
from tests.kit.memory_host import Client
from tests.kit.wires.paper_soccer_talk import login, message
from tests.kit.wires.remote_talk import NimMaster, World, leave, left, master_login, move, over, state, thanks

_ID = re.compile(r'<gameId id="([^"]*)"/>')
_NEXT = re.compile(r'<nextPlayer nick="([^"]*)"/><gameState><heap left="([0-9]*)"/>')
SEEDS = st.integers(0, 2**32)


class LuckyMaster(NimMaster):
    def __init__(self, number: int) -> None:
        super().__init__(heap=7 + number % 2)


@define(eq=False)
class Player:
    name: str
    client: Client
    heard: list[str] = field(factory=list)
    over: bool = False

    def listen(self) -> None:
        for line in self.client.heard():
            self.heard.append(_ID.sub("", line))
            self.over = self.over or "<gameOver>" in line
            found, number = _NEXT.search(line), _ID.search(line)
            if found is None or found[1] != self.name or number is None:
                continue
            what = (int(found[2]) * 7 + sum(self.name.encode())) % 11
            if what == 10:
                self.client.say(leave(number[1]))
            else:
                taken = "" if what == 9 else f'<take n="{what % 3 + 1}"/>'
                self.client.say(move(number[1], taken))


@define(eq=False)
class Play:
    """Some games at once, of three players each, by masters with luck of their own or without."""

    rng: random.Random
    games: int
    kills: int
    lucky: bool = False
    #: How many masters there were.
    masters: int = 0
    world: World = field(init=False)
    players: list[Player] = field(factory=list)
    master: Client = field(init=False)
    robot: NimMaster = field(init=False)
    #: What the master has been told, and has not read.
    unread: deque[str] = field(factory=deque)

    def __attrs_post_init__(self) -> None:
        self.world = World({"paper-soccer.types": "nim"})
        for number in range(3 * self.games):
            name = f"p{number}"
            self.players.append(Player(name, self.world.player(name)))

    def start(self) -> None:
        self.master = self.world.master("nim", 3, 3)
        self.robot = LuckyMaster(self.masters) if self.lucky else NimMaster()
        self.masters += 1
        self.unread.clear()

    def step(self) -> bool:
        self.unread += self.master.heard()
        for player in self.rng.sample(self.players, 2):
            player.listen()
        if self.kills and self.rng.random() < 0.2:
            self.kills -= 1
            self.master.drop()
            for player in self.rng.sample(self.players, 2):
                player.listen()
            self.world.host.wait(self.rng.choice((0.0, 5.0, 19.0)))
            self.start()
        elif self.unread:
            for answer in self.robot.hear(self.unread.popleft()):
                self.master.say(answer)
        else:
            for player in self.players:
                player.listen()
            self.unread += self.master.heard()
        return bool(self.unread) or not all(player.over for player in self.players)

    def run(self) -> list[list[str]]:
        self.start()
        idle = 0
        while idle < 40:
            idle = 0 if self.step() and self.unread else idle + 1
        return [player.heard for player in self.players]


def played(seed: int, games: int, kills: int, lucky: bool = False, masters: int = 0) -> list[list[str]]:
    return Play(random.Random(seed), games, kills, lucky, masters).run()


class LossTests(PropertyCase):
    @settings(max_examples=15)
    @given(SEEDS)
    def test_many_games_and_lost_masters(self, seed: int) -> None:
        self.assertEqual(played(seed, 3, 6), played(1, 3, 0))

    @settings(max_examples=15)
    @given(SEEDS)
    def test_luck(self, seed: int) -> None:
        """With another heap the game is void; until then all is as it was."""
        whole = [played(1, 1, 0, lucky=True, masters=number) for number in range(2)]
        results = "".join(f'<player nick="p{number}" result="loser"/>' for number in range(3))
        void = message("gameState", f"<gameOver>{results}</gameOver><gameState/>")
        for number, lines in enumerate(played(seed, 1, 2, lucky=True)):
            self.assertLessEqual(sum("<gameOver>" in line for line in lines), 1)
            if lines and lines[-1] == void:
                self.assertIn(lines[:-1], [one[number][: len(lines) - 1] for one in whole])
            else:
                self.assertIn(lines, [one[number] for one in whole])


class Places(World):
    def __init__(self, rng: random.Random) -> None:
        super().__init__({"paper-soccer.types": "nim", "remote.move_time": "60"})
        self.rng = rng
        self.clients: list[Client] = []
        self.masters: list[Client] = []
        #: For each connection: the game it heard of last, and whether its end was told.
        self.last: dict[Client, tuple[str, bool]] = {}

    def act(self) -> None:
        rng, host = self.rng, self.host
        what = rng.randrange(12)
        names = [f"p{number}" for number in range(5)]
        game: int | str = rng.randrange(1, max(2, host.journal._tables + 2))
        if what == 0 or not self.clients:
            self.clients.append(self.connect())
        elif what <= 2:
            rng.choice(self.clients).say(login(rng.choice(names), "nim"))
        elif what == 3:
            rng.choice(self.clients).drop()
        elif what == 4 and len(self.masters) < 2:
            self.masters.append(self.connect())
            self.masters[-1].say(master_login("nim", 2, 3))
        elif what == 5 and self.masters and rng.random() < 0.5:
            self.masters.pop(rng.randrange(len(self.masters))).drop()
        elif what == 6:
            host.wait(rng.choice((0.1, 10.0, 31.0, 61.0)))
        elif what <= 9 and self.masters:
            nicks = rng.sample(names, 2)
            running = [one for kind in host.lobby.remote.types.values() for one in kind.games.values()]
            if running and rng.random() < 0.8:
                one = rng.choice(running)
                game, nicks = one.game_id, rng.sample(list(one.names), 2)
            said: Sequence[str] = (state(game, nicks[0]), state(game, nicks[1]), left(game, nicks[0]))
            rng.choice(self.masters).say(rng.choice((*said, over(game, {nicks[0]: True, nicks[1]: False}))))
        else:
            said = (
                move(game),
                thanks(game),
                leave(game),
                message("logout"),
                message("error"),
                message("move", "<move/>"),
            )
            rng.choice(self.clients).say(rng.choice(said))
        self.clients = [client for client in self.clients if not client.closed]
        self.masters = [client for client in self.masters if not client.closed]

    def check(self) -> None:
        kind = self.host.lobby.remote.types.get("nim")
        waiting = [] if kind is None else kind.waiting
        assert len(waiting) == len(set(map(id, waiting)))
        for client in self.clients:
            conversation: Any = client.protocol.conversation
            seat, place = conversation._seat, conversation.state
            seated = seat is not None and seat.player is conversation
            waits = any(one is conversation for one in waiting)
            expected = {Remote.POOL: (False, True), Remote.PLAYING: (True, False)}.get(place, (False, False))
            assert (seated, waits) == expected, (place, seated, waits)
            assert (conversation.session is None) is (place is XmlState.OUTSIDE)
            self.listen(client)

    def listen(self, client: Client) -> None:
        for line in client.heard():
            if 'type="gameState"' in line:
                number = _ID.findall(line)[0]
                game, ended = self.last.get(client, ("", True))
                assert not (ended and number == game), f"a word behind the end: {line}"
                self.last[client] = number, "<gameOver>" in line


class PlacesTests(PropertyCase):
    @settings(max_examples=15)
    @given(SEEDS)
    def test_everybody_is_in_one_place(self, seed: int) -> None:
        """After each step; and when all have gone, nothing is left."""
        world = Places(random.Random(seed))
        for _ in range(120):
            world.act()
            world.check()
        for client in (*world.clients, *world.masters):
            client.drop()
        world.host.wait(100)
        self.assertEqual(len(world.host.lobby.registry), 0)
        self.assertEqual([kind.games for kind in world.host.lobby.remote.types.values() if kind.games], [])
        self.assertEqual(world.host.clock.getDelayedCalls(), [])
        self.assertEqual(self.flushLoggedErrors(), [])
        self.assertTrue(all(world.outcomes))
