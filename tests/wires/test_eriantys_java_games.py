"""Whole games of strict players of Java objects, alone and with players of the JSON wire; drops, returns and restarts."""

import random
from collections.abc import Callable, Sequence

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.eriantys.conversation import WIRE as JSON_WIRE
from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java.conversation import WIRE
from gamehost.wires.eriantys_java.messages import Message
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.eriantys_java_players import JavaPlayer, play
from tests.kit.wires.eriantys_players import Player

NAMES = ("ann", "bob", "carl", "dora")


def new_host(seed: int, journal: RecordingJournal | None = None, **settings: str) -> MemoryHost:
    """A host of the two wires."""
    luck = random.Random(seed)
    limits = {"limits.unlimited": "yes", "eriantys.ping": "0", **settings}
    return MemoryHost(limits, wires=(WIRE, JSON_WIRE), rng=luck.randrange, journal=journal)


def company(host: MemoryHost, seed: int, seats: int, expert: bool) -> list[JavaPlayer]:
    """Players of Java objects; the first of them opens a game for all."""
    players = [JavaPlayer(host, name, random.Random(f"{seed} {name}")) for name in NAMES[:seats]]
    players[0].opens = (seats, expert)
    return players


def losing(player: JavaPlayer, luck: random.Random, often: float, lost: list[Message]) -> Callable[[Message], bool]:
    """For `before_answer`: lose the connection in place of an answer, now and then, and come back. `lost` notes where."""

    def lose(request: Message) -> bool:
        if luck.random() > often:
            return False
        player.client.drop()
        player.come_back()
        lost.append(request)
        return True

    return lose


class JsonTurns:
    """A player of the JSON wire, as one of the others at a table. It joins the first game that waits, or opens one."""

    def __init__(self, host: MemoryHost, name: str, seed: int, opens: tuple[int, bool] | None = None) -> None:
        self.player = Player(host, name, random.Random(seed))
        self.player.connect()
        self._opens = opens
        self._seated = False

    def turn(self) -> bool:
        """Read, and do one thing. Whether something was done."""
        heard = bool(self.player.hear())
        if not self._seated:
            return self._sit_down() or heard
        return self.player.act() or heard

    def _sit_down(self) -> bool:
        waiting = self.player.world.lobby.waiting(self.player.world.factories["eriantys"].config.queue)  # type: ignore[attr-defined]
        if self._opens is not None:
            self.player.say("SetGame", numberOfPlayers=self._opens[0], expertMode=self._opens[1])
        elif waiting:
            self.player.say("JoinAvailableGame", gameId=waiting[0].table)
        else:
            return False
        self._seated = True
        return True


class GamesTests(SynchronousTestCase):
    """From the log-in to the end."""

    def test_three_players_with_characters(self) -> None:
        """Nothing comes at another place than the page says, nor too soon; everybody is told who uses a character."""
        players = company(new_host(1), 1, 3, expert=True)
        play(players)
        self.assertEqual({str(player.told[-1]) for player in players}, {str(players[0].told[-1])})
        self.assertIsInstance(players[0].told[-1], m.CommunicateWinner)
        used = [[one for one in player.told if isinstance(one, m.PlayedCharacter)] for player in players]
        self.assertGreater(len(used[0]), 3)
        self.assertEqual(used, [used[0]] * 3)


class RefusalTests(SynchronousTestCase):
    """Refused assistants. A published client shows what it may play again at once, and a message behind that kills it."""

    def test_two_thousand_refusals(self) -> None:
        """No message follows a refusal while the client asks its person. It answers out of what it has."""
        refused, seed = 0, 0
        while refused < 2000:
            seed += 1
            players = company(new_host(seed), seed, 2 + seed % 3, expert=False)
            for player in players:
                player.wrong_assistants, player._pause = 50, 0.1
            play(players, most=1200)
            self.assertGreater(sum(isinstance(one, m.AvailableAssistants) for one in players[0].told), 1)
            refused += sum(player.refused_assistants for player in players)


class MixedTests(SynchronousTestCase):
    """Two wires at one table."""

    def same_board(self, java: JavaPlayer, other: Player) -> None:
        """What both were shown last is the same."""
        board, json_board = java.board, other.board
        assert board is not None and json_board is not None
        islands = json_board["dashboard"]["islands"]
        self.assertEqual([one.numUnits for one in board.dashboard.islands], [len(one["members"]) for one in islands])
        self.assertEqual([one.towerColor for one in board.dashboard.islands], [one["tower"] for one in islands])
        counted = [{color: one.students.count(color) for color in one.students} for one in board.dashboard.islands]
        self.assertEqual(counted, [{color: n for color, n in one["students"].items() if n} for one in islands])
        for mine, shown in zip(board.players, json_board["players"], strict=True):
            self.assertEqual((mine.nickname, mine.schoolBoard.towerColor), (shown["nickname"], shown["tower"]))
            self.assertEqual(mine.schoolBoard.numTower, shown["towersLeft"])
            self.assertEqual(dict(mine.schoolBoard.diningRoom.students), shown["diningRoom"])
            self.assertEqual(set(mine.schoolBoard.professors), set(shown["professors"]))
            self.assertEqual(mine.schoolBoard.coins, shown["coins"] or 0)

    def test_java_opens_and_json_joins(self) -> None:
        """Both play, and see the same."""
        host = new_host(5)
        [ann] = company(host, 5, 1, expert=True)
        ann.opens = (2, True)
        bob = JsonTurns(host, "bob", 5)
        play([ann], [bob], most=150)
        self.same_board(ann, bob.player)

    def test_json_opens_and_java_joins(self) -> None:
        """The other way round."""
        host = new_host(6)
        bob = JsonTurns(host, "bob", 6, opens=(2, False))
        bob.turn()
        ann = JavaPlayer(host, "ann", random.Random(6))
        play([ann], [bob], most=100)
        self.same_board(ann, bob.player)

    def test_two_of_each_at_one_table(self) -> None:
        """Four players, in teams."""
        host = new_host(8)
        players = company(host, 8, 2, expert=True)
        players[0].opens = (4, True)
        others = [JsonTurns(host, name, 8) for name in ("carl", "dora")]
        play(players, others, most=300)
        self.same_board(players[1], others[1].player)


class ComingBackTests(SynchronousTestCase):
    """Players who are lost in the middle of whatever they do."""

    def test_lost_at_any_request(self) -> None:
        """Both players come back from the middle of set-up, steps and characters, and the game is played to its end."""
        lost: list[Message] = []
        players = company(new_host(3), 3, 2, expert=True)
        for player in players:
            player.before_answer = losing(player, random.Random(3), 0.25, lost)
        play(players)
        plain = {m.AvailableTowers, m.AvailableAssistants, m.MovableStudents, m.WhereToMove, m.MotherNatureSteps}
        self.assertLess(plain, set(map(type, lost)))

    def test_the_host_restarts(self) -> None:
        """Both players find their game, and play on."""
        journal = RecordingJournal()
        host = new_host(2, journal)
        players = company(host, 2, 2, expert=True)
        left = [25]

        def interrupt(request: Message) -> bool:
            left[0] -= 1
            if left[0]:
                return False
            raise KeyboardInterrupt

        for player in players:
            player.before_answer = interrupt
        self.assertRaises(KeyboardInterrupt, play, players)
        again = new_host(9, journal)
        for player in players:
            player.before_answer = lambda request: False
            player.come_back(again)
        play(players, most=sum(len(player.told) for player in players) + 100)

    def test_the_other_player_is_of_the_json_wire(self) -> None:
        """Ann is lost and comes back: Bob hears so on his wire. Bob is lost and comes back: Ann hears only that he is gone."""
        host = new_host(4)
        [ann] = company(host, 4, 1, expert=False)
        ann.opens = (2, False)
        bob = JsonTurns(host, "bob", 4)
        count = [0]

        def lose(request: Message) -> bool:
            count[0] += 1
            if count[0] == 8:
                ann.client.drop()
                ann.come_back()
                return True
            if count[0] == 14:
                bob.player.client.drop()
                bob.player.connect()
            return False

        ann.before_answer = lose
        play([ann], [bob], most=150)
        self.assertEqual((bob.player.heard["PlayerDisconnected"], bob.player.heard["UpdateLobby"]), (1, 1))
        self.assertEqual(sum(isinstance(one, m.PlayerDisconnected) for one in ann.told), 1)
        self.same_kinds(ann.told)

    def same_kinds(self, told: Sequence[Message]) -> None:
        """In a match a client is told of no other wire's messages."""
        started = next(at for at, one in enumerate(told) if isinstance(one, m.MatchStarted))
        self.assertFalse(any(isinstance(one, m.UpdateLobby) for one in told[started:]))
