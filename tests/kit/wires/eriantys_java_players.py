"""
Players who speak Java objects, as strict as the published client: each waits for one message at a time.

The script of a player is a generator that names what may come next, from the wire's page. A message more or less, or at another
place, fails the test. So does a message that comes before an Ack was sent, or too soon behind what the player has sent.
"""

import random
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any

from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java.client import JavaClientCodec
from gamehost.wires.eriantys_java.messages import CommunicationMessage as C
from gamehost.wires.eriantys_java.messages import Message
from gamehost.wires.eriantys_java.values import Assistant
from gamehost.wires.eriantys_java.values import PlayerStatus as S
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.eriantys_java_characters import CharactersMixin

WIRE = "eriantys-java"

#: Seconds for which nothing may come behind what a client has sent.
PACE = 0.03

#: What a client only prints.
_PRINTED = (m.PlayerDisconnected, m.PlayedAssistant, m.EndOfRound, C.LAST_ROUND, C.NO_ENTRY_TILE_ON_ISLAND)
#: What comes from the turns of others.
_OF_OTHERS = (m.StartOfPlayerRound, m.EndOfPlayerRound, m.IslandOwner, m.PlayedCharacter, m.UpdateBoard)
_OF_OTHERS_TOO = (C.NO_CHANGES, C.UNIFIED_ISLANDS)
_NOT_ACKNOWLEDGED = (S.END_MOVE_1, S.END_MOVE_2)

Script = Generator[None, Message, Any]
Expected = Any


def is_acknowledged(message: Message) -> bool:
    """Whether a client answers Ack."""
    if isinstance(message, m.PlayerStatusMessage):
        return message.playerStatus not in _NOT_ACKNOWLEDGED
    return isinstance(message, m.UpdateBoard | m.IslandOwner)


def fits(message: Message, expected: Expected) -> bool:
    """Whether a message is of a class, the constant, or tells the status."""
    if isinstance(expected, S):
        return isinstance(message, m.PlayerStatusMessage) and message.playerStatus is expected
    if isinstance(expected, type):
        return isinstance(message, expected)
    return message is expected


class JavaPlayer(CharactersMixin):
    """
    One player, whose decisions are random.

    :param pause: seconds that it waits before it answers; by default none, as a bot
    """

    def __init__(self, host: MemoryHost, name: str, rng: random.Random, pause: float = 0.0) -> None:
        self.host, self.name, self._rng, self._pause = host, name, rng, pause
        #: All that it was told, Pings aside, on all its connections.
        self.told: list[Message] = []
        self.board: m.UpdateBoard | None = None
        self.game: int | None = None
        self.over = False
        #: The number of players and the mode of the game that it opens; `None`: it joins one.
        self.opens: tuple[int, bool] | None = None
        self.uses_characters = True
        #: How many assistants it tries to play that are refused, each time that it is asked for one; and how many were.
        self.wrong_assistants = self.refused_assistants = 0
        #: Calls to make before it answers a request: for tests that do something in the middle.
        self.before_answer: Callable[[Message], bool] = lambda message: False
        self._connect(self._first_time())

    def _connect(self, script: Script) -> None:
        self.client: Client = self.host.connect(WIRE)
        self._codec = JavaClientCodec()
        self._out: deque[Message] = deque()
        self._owes = False
        self._sent_at = self._heard_at = -1.0
        self._script = script
        next(script)

    def come_back(self, host: MemoryHost | None = None) -> None:
        """Log in again, and join the old game through the menu; on another host, if there is a new one."""
        self.host = host or self.host
        self._connect(self._again())

    # -- bytes

    def hear(self) -> int:
        """Read what has come. How many messages that was."""
        found, codec = 0, self._codec
        for message in codec.feed(self.client.transport.read()):
            if codec is not self._codec:
                break  # the player has lost this connection while it read
            found += 1
            if isinstance(message, m.Ping):
                self._send(m.Pong())
                continue
            now = self.host.clock.seconds()
            assert not self._owes, f"{message} came before the Ack was sent"
            assert now >= self._sent_at + PACE - 1e-6, (
                f"{message} came {now - self._sent_at:.3f} s behind what was sent"
            )
            self._heard_at = now
            self.told.append(message)
            if isinstance(message, m.UpdateBoard):
                self.board = message
                assert not message.dashboard.bag.students, "the bag is a secret"
                assert not any(player.availableAssistants for player in message.players), "hands are secret"
            self._owes = is_acknowledged(message)
            self._take(message)
        return found

    def _take(self, message: Message) -> None:
        if any(fits(message, kind) for kind in _PRINTED):
            return
        try:
            self._script.send(message)
        except StopIteration:
            self.over = True

    def reply(self) -> bool:
        """Send one message, if there is one to send now. What has come meanwhile is read first."""
        self.hear()
        if self.over or self.client.closed or self.host.clock.seconds() < self._heard_at + self._pause:
            return False
        if self._owes:
            self._owes = False
            self._send(m.Ack())
        elif self._out:
            self._send(self._out.popleft())
        else:
            return False
        return True

    def _send(self, message: Message) -> None:
        if not isinstance(message, m.Pong):
            self._sent_at = self.host.clock.seconds()
        self.client.send(self._codec.encode(message))

    def say(self, message: Message) -> None:
        """Send this when it can be sent."""
        self._out.append(message)

    # -- the script

    def _expect(self, *kinds: Expected) -> Script:
        message = yield
        assert any(fits(message, kind) for kind in kinds), f"{self.name} got {message}, expected one of {kinds}"
        return message

    def _first_time(self) -> Script:
        yield from self._expect(C.ENTER_NICKNAME)
        self.say(m.LoginMessage(self.name))
        yield from self._expect(C.SUCCESS)
        while self.game is None:
            if self.opens is not None:
                self.say(m.SetGame(self.opens[1], self.opens[0]))
                self.game = (yield from self._expect(m.WaitingForPlayers)).gameID
                continue
            self.say(m.RequestGames())
            games = (yield from self._expect(m.AvailableGames)).availableGames
            if games:
                self.say(m.JoinAvailableGame(games[0].gameID))
                self.game = (yield from self._expect(m.JoinAlreadyExistingGame)).gameInfo.gameID
        while isinstance((yield from self._expect(m.UpdateLobby, m.MatchStarted)), m.UpdateLobby):
            pass
        yield from self._set_up()
        yield from self._watch()

    def _again(self) -> Script:
        yield from self._expect(C.ENTER_NICKNAME)
        self.say(m.LoginMessage(self.name))
        yield from self._expect(C.SUCCESS)
        self.say(m.RequestGames())
        [game] = (yield from self._expect(m.AvailableGames)).availableGames
        assert (game.gameID, game.numOfWaitingPlayers) == (self.game, game.numOfTotalPlayers - 1), game
        self.say(m.JoinAvailableGame(game.gameID))
        joined = (yield from self._expect(m.JoinAlreadyExistingGame)).gameInfo
        assert joined.numOfWaitingPlayers == joined.numOfTotalPlayers == game.numOfTotalPlayers
        message = yield from self._expect(m.MatchStarted, m.UpdateBoard)
        if isinstance(message, m.MatchStarted):
            yield from self._set_up()
        else:
            message = yield from self._expect(m.StartOfPlayerRound, m.CommunicateWinner)
            if isinstance(message, m.CommunicateWinner):
                return
            message = yield from self._expect(S.PLANNING, S.MOVE_1, S.MOVE_2, m.SelectCloud, S.WAITING)
            if (yield from self._step(message)):
                return
        yield from self._watch()

    def _set_up(self) -> Script:
        """From MatchStarted to the deal. A player who has come back may have chosen all."""
        message = yield from self._expect(m.AvailableTowers, m.UpdateBoard)
        if isinstance(message, m.AvailableTowers):
            free = [tower for tower, left in message.availableTowers.items() if left]
            yield from self._answer(message, m.ChosenTower(self._rng.choice(free)), C.SUCCESS)
            message = yield from self._expect(m.AvailableWizards)
            wizard = m.ChosenWizard(self._rng.choice(message.availableWizards))
            yield from self._answer(message, wizard, C.SUCCESS)
            yield from self._expect(m.UpdateBoard)
        yield from self._expect(m.StartOfPlayerRound)

    def _watch(self) -> Script:
        """Wait for the own steps, and for the end."""
        while True:
            steps = (S.PLANNING, S.MOVE_1)
            message = yield from self._expect(*_OF_OTHERS, *_OF_OTHERS_TOO, *steps, m.CommunicateWinner)
            if isinstance(message, m.CommunicateWinner) or (yield from self._step(message)):
                return

    def _step(self, message: Message) -> Script:
        """Do what a status asks for. Whether the match is over then."""
        if isinstance(message, m.SelectCloud):
            yield from self._expect(S.MOVE_3)
            return (yield from self._cloud(message))
        if not isinstance(message, m.PlayerStatusMessage):
            return False
        status = message.playerStatus
        if status is S.PLANNING:
            yield from self._plan()
        if status is S.MOVE_1:
            return (yield from self._move_1())
        if status is S.MOVE_2:
            return (yield from self._move_2())
        return False

    def _answer(self, request: Message, answer: Message, *then: Expected) -> Script:
        """Answer a request, unless the test wants to do something else now."""
        if not self.before_answer(request):
            self.say(answer)
        return (yield from self._expect(*then))

    def _plan(self) -> Script:
        request = yield from self._expect(m.AvailableAssistants)
        taken = [assistant for _, assistant in request.playedAssistants]
        free = [one for one in request.availableAssistants if one not in taken] or request.availableAssistants
        # The client walks the map of what was played while it shows what can be chosen. It keeps both until it is through.
        wrong = [None, *(one for one in Assistant if one not in free)]
        for _ in range(self.wrong_assistants):
            yield from self._answer(request, m.PlayAssistant(self._rng.choice(wrong)), m.ErrorMessage)
            self.refused_assistants += 1
        yield from self._answer(request, m.PlayAssistant(self._rng.choice(free)), S.END_PLANNING)
        yield from self._expect(S.WAITING)

    def _move_1(self) -> Script:
        while True:
            request = yield from self._expect(m.MovableStudents, S.END_MOVE_1)
            if isinstance(request, m.PlayerStatusMessage):
                break
            if (ended := (yield from self._character())) is not None:
                if ended:
                    return True
                continue
            yield from self._answer(request, m.ChosenStudent(self._rng.choice(request.students)), m.WhereToMove)
            if (ended := (yield from self._character())) is not None:
                if ended:
                    return True
                continue
            islands = len(self._dashboard.islands)
            place = m.ChosenDestination(0 if self._rng.random() < 0.6 else self._rng.randint(1, islands))
            told = yield from self._answer(m.WhereToMove(), place, m.UpdateBoard, m.ErrorMessage)
            assert not isinstance(told, m.ErrorMessage) or told is m.ErrorMessage.FULL_DINING_ROOM
        yield from self._expect(S.MOVE_2)
        return (yield from self._move_2())

    def _move_2(self) -> Script:
        request = yield from self._expect(m.MotherNatureSteps)
        while (ended := (yield from self._character())) is not None:
            if ended:
                return True
            request = yield from self._expect(m.MotherNatureSteps)
        steps = m.ChosenSteps(self._rng.randint(1, request.maxStepsAllowed))
        told = yield from self._answer(request, steps, m.IslandOwner, C.NO_CHANGES)
        board = yield from self._resolved()
        assert board is not None, told
        message = yield from self._expect(S.END_MOVE_2)
        # Without students on the clouds, the turn ends here; after the last tower, the match does.
        message = yield from self._expect(m.SelectCloud, m.UpdateBoard, m.CommunicateWinner)
        if isinstance(message, m.CommunicateWinner):
            return True
        if isinstance(message, m.UpdateBoard):
            return (yield from self._turn_over())
        yield from self._expect(S.MOVE_3)
        return (yield from self._cloud(message))

    def _resolved(self) -> Script:
        message = yield from self._expect(C.UNIFIED_ISLANDS, m.UpdateBoard)
        if message is C.UNIFIED_ISLANDS:
            message = yield from self._expect(m.UpdateBoard)
        return message

    def _cloud(self, request: Message) -> Script:
        while (ended := (yield from self._character())) is not None:
            if ended:
                return True
            yield from self._expect(m.SelectCloud)
        clouds = [number for number, cloud in enumerate(self._dashboard.clouds) if cloud.students]
        yield from self._answer(request, m.ChosenCloud(self._rng.choice(clouds)), m.EndOfPlayerRound)
        yield from self._expect(m.UpdateBoard)
        return (yield from self._turn_over())

    def _turn_over(self) -> Script:
        yield from self._expect(S.WAITING)
        return False


def play(players: Iterable[JavaPlayer], others: Sequence[Any] = (), most: int = 1_000_000) -> None:
    """
    Have them play until the match is over for all of them, or so many messages have been told.

    :param others: players of other wires; each has a method `turn`, which acts and says whether it did something
    """
    players = list(players)
    host = players[0].host
    end = host.clock.seconds() + 3_600
    while not all(player.over or player.client.closed for player in players):
        assert host.clock.seconds() < end, [player.told[-3:] for player in players]
        moved = [player.hear() + player.reply() for player in players]
        moved += [other.turn() for other in others]
        if sum(len(player.told) for player in players) >= most:
            return
        if not any(moved):
            host.wait(0.01)
