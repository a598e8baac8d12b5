"""Players and hostile input of Eriantys as Java objects."""

import random
import struct
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any

from gamehost.extras.dialects.eriantys_java import messages as m
from gamehost.extras.dialects.eriantys_java.client import JavaClientCodec
from gamehost.extras.dialects.eriantys_java.objects import HEADER
from tests.kit.memory_host import Client, MemoryHost

WIRE = "eriantys-java"

#: Seconds for which nothing may come behind what a client has sent.
PACE = 0.03

#: What a client only prints.
_PRINTED = (
    m.PlayerDisconnected,
    m.PlayedAssistant,
    m.EndOfRound,
    m.CommunicationMessage.LAST_ROUND,
    m.CommunicationMessage.NO_ENTRY_TILE_ON_ISLAND,
)
#: What comes from the turns of others.
_OF_OTHERS = (m.StartOfPlayerRound, m.EndOfPlayerRound, m.IslandOwner, m.PlayedCharacter, m.UpdateBoard)
_OF_OTHERS_TOO = (m.CommunicationMessage.NO_CHANGES, m.CommunicationMessage.UNIFIED_ISLANDS)
_NOT_ACKNOWLEDGED = (m.PlayerStatus.END_MOVE_1, m.PlayerStatus.END_MOVE_2)

Script = Generator[None, m.Message, Any]
Expected = Any


def is_acknowledged(message: m.Message) -> bool:
    """Whether a client answers Ack."""
    if isinstance(message, m.PlayerStatusMessage):
        return message.playerStatus not in _NOT_ACKNOWLEDGED
    return isinstance(message, m.UpdateBoard | m.IslandOwner)


def fits(message: m.Message, expected: Expected) -> bool:
    """Whether a message is of a class, the constant, or tells the status."""
    if isinstance(expected, m.PlayerStatus):
        return isinstance(message, m.PlayerStatusMessage) and message.playerStatus is expected
    if isinstance(expected, type):
        return isinstance(message, expected)
    return message is expected


class JavaPlayer:
    """One player, whose decisions are random, and who waits `pause` seconds before an answer."""

    def __init__(self, host: MemoryHost, name: str, rng: random.Random) -> None:
        self.host, self.name, self._rng, self.pause = host, name, rng, 0.0
        #: All that it was told, Pings aside, on all its connections.
        self.told: list[m.Message] = []
        self.board: m.UpdateBoard | None = None
        self.game: int | None = None
        self.over = False
        #: The number of players and the mode of the game that it opens; `None`: it joins one.
        self.opens: tuple[int, bool] | None = None
        self.uses_characters = True
        #: How many assistants it tries to play that are refused, each time that it is asked for one; and how many were.
        self.wrong_assistants = self.refused_assistants = 0
        #: Calls to make before it answers a request: for tests that do something in the middle.
        self.before_answer: Callable[[m.Message], bool] = lambda message: False
        self._connect(self._first_time())

    def _connect(self, script: Script) -> None:
        self.client: Client = self.host.connect(WIRE)
        self._codec = JavaClientCodec()
        self._out: deque[m.Message] = deque()
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

    def _take(self, message: m.Message) -> None:
        if any(fits(message, kind) for kind in _PRINTED):
            return
        try:
            self._script.send(message)
        except StopIteration:
            self.over = True

    def reply(self) -> bool:
        """Send one message, if there is one to send now. What has come meanwhile is read first."""
        self.hear()
        if self.over or self.client.closed or self.host.clock.seconds() < self._heard_at + self.pause:
            return False
        if self._owes:
            self._owes = False
            self._send(m.Ack())
        elif self._out:
            self._send(self._out.popleft())
        else:
            return False
        return True

    def _send(self, message: m.Message) -> None:
        if not isinstance(message, m.Pong):
            self._sent_at = self.host.clock.seconds()
        self.client.send(self._codec.encode(message))

    def say(self, message: m.Message) -> None:
        self._out.append(message)

    # -- the script

    def _expect(self, *kinds: Expected) -> Script:
        message = yield
        assert any(fits(message, kind) for kind in kinds), f"{self.name} got {message}, expected one of {kinds}"
        return message

    def _first_time(self) -> Script:
        yield from self._expect(m.CommunicationMessage.ENTER_NICKNAME)
        self.say(m.LoginMessage(self.name))
        yield from self._expect(m.CommunicationMessage.SUCCESS)
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
        yield from self._expect(m.CommunicationMessage.ENTER_NICKNAME)
        self.say(m.LoginMessage(self.name))
        yield from self._expect(m.CommunicationMessage.SUCCESS)
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
            message = yield from self._expect(
                m.PlayerStatus.PLANNING,
                m.PlayerStatus.MOVE_1,
                m.PlayerStatus.MOVE_2,
                m.SelectCloud,
                m.PlayerStatus.WAITING,
            )
            if (yield from self._step(message)):
                return
        yield from self._watch()

    def _set_up(self) -> Script:
        """From MatchStarted to the deal. A player who has come back may have chosen all."""
        message = yield from self._expect(m.AvailableTowers, m.UpdateBoard)
        if isinstance(message, m.AvailableTowers):
            free = [tower for tower, left in message.availableTowers.items() if left]
            yield from self._answer(message, m.ChosenTower(self._rng.choice(free)), m.CommunicationMessage.SUCCESS)
            message = yield from self._expect(m.AvailableWizards)
            wizard = m.ChosenWizard(self._rng.choice(message.availableWizards))
            yield from self._answer(message, wizard, m.CommunicationMessage.SUCCESS)
            yield from self._expect(m.UpdateBoard)
        yield from self._expect(m.StartOfPlayerRound)

    def _watch(self) -> Script:
        while True:
            steps = (m.PlayerStatus.PLANNING, m.PlayerStatus.MOVE_1)
            message = yield from self._expect(*_OF_OTHERS, *_OF_OTHERS_TOO, *steps, m.CommunicateWinner)
            if isinstance(message, m.CommunicateWinner) or (yield from self._step(message)):
                return

    def _step(self, message: m.Message) -> Script:
        if isinstance(message, m.SelectCloud):
            yield from self._expect(m.PlayerStatus.MOVE_3)
            return (yield from self._cloud(message))
        if not isinstance(message, m.PlayerStatusMessage):
            return False
        status = message.playerStatus
        if status is m.PlayerStatus.PLANNING:
            yield from self._plan()
        if status is m.PlayerStatus.MOVE_1:
            return (yield from self._move_1())
        if status is m.PlayerStatus.MOVE_2:
            return (yield from self._move_2())
        return False

    def _answer(self, request: m.Message, answer: m.Message, *then: Expected) -> Script:
        """Answer a request, unless the test wants to do something else now."""
        if not self.before_answer(request):
            self.say(answer)
        return (yield from self._expect(*then))

    def _plan(self) -> Script:
        request = yield from self._expect(m.AvailableAssistants)
        taken = [assistant for _, assistant in request.playedAssistants]
        free = [one for one in request.availableAssistants if one not in taken] or request.availableAssistants
        # The client walks the map of what was played while it shows what can be chosen. It keeps both until it is through.
        wrong = [None, *(one for one in m.Assistant if one not in free)]
        for _ in range(self.wrong_assistants):
            yield from self._answer(request, m.PlayAssistant(self._rng.choice(wrong)), m.ErrorMessage)
            self.refused_assistants += 1
        yield from self._answer(request, m.PlayAssistant(self._rng.choice(free)), m.PlayerStatus.END_PLANNING)
        yield from self._expect(m.PlayerStatus.WAITING)

    def _move_1(self) -> Script:
        while True:
            request = yield from self._expect(m.MovableStudents, m.PlayerStatus.END_MOVE_1)
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
        yield from self._expect(m.PlayerStatus.MOVE_2)
        return (yield from self._move_2())

    def _move_2(self) -> Script:
        request = yield from self._expect(m.MotherNatureSteps)
        while (ended := (yield from self._character())) is not None:
            if ended:
                return True
            request = yield from self._expect(m.MotherNatureSteps)
        steps = m.ChosenSteps(self._rng.randint(1, request.maxStepsAllowed))
        told = yield from self._answer(request, steps, m.IslandOwner, m.CommunicationMessage.NO_CHANGES)
        board = yield from self._resolved()
        assert board is not None, told
        message = yield from self._expect(m.PlayerStatus.END_MOVE_2)
        # Without students on the clouds, the turn ends here; after the last tower, the match does.
        message = yield from self._expect(m.SelectCloud, m.UpdateBoard, m.CommunicateWinner)
        if isinstance(message, m.CommunicateWinner):
            return True
        if isinstance(message, m.UpdateBoard):
            return (yield from self._turn_over())
        yield from self._expect(m.PlayerStatus.MOVE_3)
        return (yield from self._cloud(message))

    def _resolved(self) -> Script:
        message = yield from self._expect(m.CommunicationMessage.UNIFIED_ISLANDS, m.UpdateBoard)
        if message is m.CommunicationMessage.UNIFIED_ISLANDS:
            message = yield from self._expect(m.UpdateBoard)
        return message

    def _cloud(self, request: m.Message) -> Script:
        while (ended := (yield from self._character())) is not None:
            if ended:
                return True
            yield from self._expect(m.SelectCloud)
        clouds = [number for number, cloud in enumerate(self._dashboard.clouds) if cloud.students]
        yield from self._answer(request, m.ChosenCloud(self._rng.choice(clouds)), m.EndOfPlayerRound)
        yield from self._expect(m.UpdateBoard)
        return (yield from self._turn_over())

    def _turn_over(self) -> Script:
        yield from self._expect(m.PlayerStatus.WAITING)
        return False

    # -- characters

    @property
    def _dashboard(self) -> m.Dashboard:
        assert self.board is not None
        return self.board.dashboard

    def _character(self) -> Script:
        """Use a character, or not (`None`). Whether the match is over then."""
        assert self.board is not None
        mine = next(player for player in self.board.players if player.nickname == self.name)
        cards = [card for card in self._dashboard.characters if card is not None]
        usable = [card for card in cards if card.cost <= mine.schoolBoard.coins]
        if not self.uses_characters or not usable or any(card.isActive for card in cards) or self._rng.random() < 0.3:
            return None
        card = self._rng.choice(usable)
        self.say(m.UseCharacterEffect(card.value))
        message = yield from self._expect(m.PlayedCharacter, m.ErrorMessage)
        if isinstance(message, m.ErrorMessage):
            # The request is still open: a client answers it, or tries another card.
            return (yield from self._refused_character())
        assert (message.characterEnum, message.player) == (card.value, self.name)
        yield from _EFFECTS.get(card.value, JavaPlayer._no_effect)(self)
        return (yield from self._effect_done(card.value))

    def _refused_character(self) -> Script:
        self.uses_characters = False
        return (yield from self._character())

    def _effect_done(self, character: m.CharacterEnum) -> Script:
        if character is m.CharacterEnum.Char3:
            yield from self._expect(m.IslandOwner, m.CommunicationMessage.NO_CHANGES)
            yield from self._resolved()
            islands, players = self._dashboard.islands, self.board.players if self.board is not None else ()
            towers = [one.schoolBoard.numTower for one in players if one.schoolBoard.towerColor is not None]
            if len(islands) <= 3 or (0 in towers and len(players) < 4) or self.expects_the_end():
                yield from self._expect(m.CommunicateWinner)
                return True
        else:
            yield from self._expect(m.UpdateBoard)
        return False

    def expects_the_end(self) -> bool:
        """Whether a team of four players has built its last tower."""
        assert self.board is not None
        left: dict[Any, int] = {}
        for player in self.board.players:
            color = player.schoolBoard.towerColor
            left[color] = left.get(color, 0) + player.schoolBoard.numTower
        return 0 in left.values()

    def _no_effect(self) -> Script:
        return
        yield

    def _island(self) -> Script:
        yield from self._expect(m.WhereToMove)
        place = self._rng.randint(1, len(self._dashboard.islands))
        yield from self._answer(m.WhereToMove(), m.ChosenDestination(place), m.CommunicationMessage.SUCCESS)

    def _student_to_island(self) -> Script:
        request = yield from self._expect(m.MovableStudentsChar)
        place = m.ChosenDestination(self._rng.randint(1, len(self._dashboard.islands)))
        if self._rng.random() < 0.5:
            # The fault of the published client: it sends the island at once.
            yield from self._answer(request, place, m.CommunicationMessage.SUCCESS)
            return
        yield from self._answer(request, m.ChosenStudent(self._rng.choice(request.students)), m.WhereToMove)
        yield from self._answer(m.WhereToMove(), place, m.CommunicationMessage.SUCCESS)

    def _student(self) -> Script:
        request = yield from self._expect(m.MovableStudentsChar)
        yield from self._answer(
            request, m.ChosenStudent(self._rng.choice(request.students)), m.CommunicationMessage.SUCCESS
        )

    def _color(self) -> Script:
        request = yield from self._expect(m.SelectColor)
        yield from self._answer(
            request, m.ChosenStudent(self._rng.choice(list(m.Color))), m.CommunicationMessage.SUCCESS
        )

    def _swaps(self, most: int) -> Script:
        for swap in range(most):
            request = yield from self._expect(m.MovableStudentsChar)
            if self._rng.random() < 0.3:
                yield from self._answer(request, m.ChosenStudent(None), m.CommunicationMessage.SUCCESS)
                return
            chosen = self._rng.choice(request.students)
            request = yield from self._answer(request, m.ChosenStudent(chosen), m.MovableStudentsChar)
            last = swap + 1 == most
            while True:
                # The table of the student from the entrance may be full: then only its own colour can be taken.
                wish = chosen if chosen in request.students and self._rng.random() < 0.5 else None
                taken = wish or self._rng.choice(request.students)
                done = m.CommunicationMessage.SUCCESS if last else m.UpdateBoard
                told = yield from self._answer(request, m.ChosenStudent(taken), done, m.ErrorMessage)
                if not isinstance(told, m.ErrorMessage):
                    break
                request = yield from self._expect(m.MovableStudentsChar)


_EFFECTS: dict[m.CharacterEnum, Callable[[JavaPlayer], Script]] = {
    m.CharacterEnum.Char1: JavaPlayer._student_to_island,
    m.CharacterEnum.Char3: JavaPlayer._island,
    m.CharacterEnum.Char5: JavaPlayer._island,
    m.CharacterEnum.Char7: lambda player: player._swaps(3),
    m.CharacterEnum.Char9: JavaPlayer._color,
    m.CharacterEnum.Char10: lambda player: player._swaps(2),
    m.CharacterEnum.Char11: JavaPlayer._student,
    m.CharacterEnum.Char12: JavaPlayer._color,
}


def play(players: Iterable[JavaPlayer], others: Sequence[Any] = (), most: int = 1_000_000) -> None:
    """Have them play until the match is over for all, or so many messages were told. Others have a method `turn`."""
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


def said(message: m.Message) -> bytes:
    """A client's message without the stream's header."""
    return JavaClientCodec().encode(message).removeprefix(HEADER)


def utf(text: str) -> bytes:
    """A text with its length in front."""
    return struct.pack(">H", len(text)) + text.encode("ascii")


def described(name: str, uid: int = 1, flags: int = 2, fields: bytes = b"\0\0", parent: bytes = b"\x70") -> bytes:
    """A class descriptor."""
    return b"\x72" + utf(name) + struct.pack(">Q", uid) + bytes([flags]) + fields + b"\x78" + parent


LOGIN, TOWER, GAME = said(m.LoginMessage("ann")), said(m.ChosenTower(m.Tower.BLACK)), said(m.SetGame(False, 2))
CARD = said(m.PlayAssistant(m.Assistant.DOG))
PREFIX = "it.polimi.ingsw.messages.fromClient."
#: A log-in up to its name, and a tower up to its colour.
BEFORE_NAME, BEFORE_COLOUR = LOGIN[: -len(b"\x74\0\3ann\x79")], TOWER[: TOWER.index(b"\x7e")]
STRINGS = b"\0\1L\0\x08nickname"

#: What is wrong -> the bytes behind the stream's header.
HOSTILE: dict[str, bytes] = {
    "nested lists": b"\x73" + described("java.util.ArrayList") * 200,
    "nested objects": b"\x73\x72" * 5_000,
    "nested superclasses": b"\x73" + described("a", parent=b"") * 500,
    "a superclass of its own": LOGIN.replace(b"\x78\x70", b"\x78" + described("a")),
    "a hash set that contains itself": b"\x73"
    + described("java.util.HashSet", flags=3)
    + b"\x77\x0c"
    + bytes(12)
    + b"\x71\0\x7e\0\1",
    "a hash map": b"\x73" + described("java.util.HashMap", 0x0507DAC1C31660D1, 3),
    "a priority queue": b"\x73" + described("java.util.PriorityQueue", flags=3),
    "an invoker": b"\x73" + described("org.apache.commons.collections.functors.InvokerTransformer"),
    "the server's own message": b"\x73"
    + described("it.polimi.ingsw.messages.fromServer.Ping", 0x1828A0D670D8F848)
    + b"\x79",
    "a constant of the server's": b"\x7e" + described("it.polimi.ingsw.messages.fromServer.ErrorMessage", 0, 0x12),
    "a class of the model": b"\x73" + described("it.polimi.ingsw.model.Bag"),
    "a huge array": b"\x75" + described("[B", 0xACF317F8060854E0) + b"\x7f\xff\xff\xff",
    "a huge array of objects": b"\x75" + described("[Ljava.lang.Object;") + b"\x7f\xff\xff\xff",
    "a huge text": b"\x74\xff\xff" + b"x" * 65_535,
    "a long text": b"\x7c\0\0\0\0\x7f\xff\xff\xff" + b"x" * 100,
    "a huge class name": b"\x73\x72\xff\xff" + b"x" * 65_535,
    "a long class name": b"\x73\x72\0\xff" + b"x" * 255,
    "an empty class name": b"\x73\x72\0\0" + bytes(8) + b"\2\0\0\x78\x70\x79",
    "a name of NULs": b"\x73\x72\0\x27" + bytes(39),
    "another class of the package": b"\x73" + described(PREFIX + "Ack2"),
    "a class whose name is longer": b"\x73" + described(PREFIX + "Acknowledgement"),
    "a class whose name is shorter": b"\x73" + described(PREFIX + "Ac"),
    "a name with the length of another": b"\x73\x72"
    + struct.pack(">H", len(PREFIX) + 4)
    + PREFIX.encode()
    + b"Ack\xce",
    "null": b"\x70\x79",
    "a text": b"\x74\0\3ann\x79",
    "a class": b"\x76" + described(PREFIX + "Ack", 0xCE6B461A132727AA) + b"\x79",
    "a descriptor": described(PREFIX + "Ack", 0xCE6B461A132727AA) + b"\x79",
    "block data": b"\x77\x04\0\0\0\1\x79",
    "a long block": b"\x7a\x7f\xff\xff\xff",
    "an exception": b"\x7b\x73" + described("java.io.IOException"),
    "a proxy": b"\x73\x7d\0\0\0\1" + utf("java.lang.Runnable") + b"\x78\x70",
    "a proxy with many interfaces": b"\x73\x7d\x7f\xff\xff\xff",
    "an end": b"\x78",
    "tags that do not exist": b"\x7f",
    "a reference to nothing": b"\x71\0\x7e\0\0\x79",
    "an object of a class that is referred to": b"\x73\x71\0\x7e\0\0\x79",
    "an object without a class": b"\x73\x70\x79",
    "another UID": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AB) + b"\x79",
    "other flags": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AA, 3) + b"\x78\x79",
    "external contents": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AA, 0x0C) + b"\x77\0\x78\x79",
    "a field too many": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AA, 2, b"\0\1I\0\1a"),
    "many fields": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AA, 2, b"\xff\xff"),
    "a field too few": b"\x73" + described(PREFIX + "LoginMessage", 0x0AFF77621D35ADE0) + b"\x79",
    "a field of another type": LOGIN.replace(STRINGS, b"\0\1[\0\x08nickname"),
    "a field of another name": LOGIN.replace(STRINGS, b"\0\1L\0\x08nicknamf"),
    "a field of another class": LOGIN.replace(b"java/lang/String", b"java/lang/Object"),
    "a signature that is a reference": LOGIN.replace(b"\x74\0\x12Ljava/lang/String;", b"\x71\0\x7e\0\0"),
    "an annotation": LOGIN.replace(b"\x78\x70", b"\x77\0\x78\x70"),
    "fields in another order": GAME.replace(
        b"Z\0\nexpertModeI\0\x0fnumberOfPlayers", b"I\0\x0fnumberOfPlayersZ\0\nexpertMode"
    ),
    "a boolean of 2": GAME.replace(b"\x78\x70\0", b"\x78\x70\2"),
    "a name of 257 bytes": BEFORE_NAME + b"\x74\1\1" + b"x" * 257,
    "a name of 65535 bytes": BEFORE_NAME + b"\x74\xff\xff" + b"x" * 65_535,
    "a name with a NUL": BEFORE_NAME + b"\x74\0\1\0\x79",
    "a name that is not UTF-8": BEFORE_NAME + b"\x74\0\2\xc3(\x79",
    "a name in too many bytes": BEFORE_NAME + b"\x74\0\2\xc1\x81\x79",
    "a name with four bytes for a letter": BEFORE_NAME + b"\x74\0\4\xf0\x9d\x84\x9e\x79",
    "half a surrogate pair": BEFORE_NAME + b"\x74\0\3\xed\xa0\x80\x79",
    "a surrogate pair the wrong way round": BEFORE_NAME + b"\x74\0\6\xed\xb4\x9e\xed\xa0\xb4\x79",
    "a name that is the message itself": BEFORE_NAME + b"\x71\0\x7e\0\2\x79",
    "a name that is the descriptor": BEFORE_NAME + b"\x71\0\x7e\0\0\x79",
    "a name that is a handle to come": BEFORE_NAME + b"\x71\0\x7e\0\3\x79",
    "a name that is a handle far away": BEFORE_NAME + b"\x71\x7f\xff\xff\xff\x79",
    "a name that is an object": BEFORE_NAME + b"\x73" + described("java.lang.Integer"),
    "a name that is a constant": BEFORE_NAME + TOWER[TOWER.index(b"\x7e") :],
    "a name that is a proxy": BEFORE_NAME + b"\x73\x7d\0\0\0\1",
    "a colour that is a text": BEFORE_COLOUR + b"\x74\0\5BLACK\x79",
    "a colour of another class": BEFORE_COLOUR + CARD[CARD.index(b"\x7e") :],
    "a colour that is no constant": TOWER.replace(b"BLACK", b"BLOCK"),
    "a colour with another UID": TOWER.replace(b"Tower" + bytes(8) + b"\x12", b"Tower" + bytes(7) + b"\1\x12"),
    "a colour that is an object": TOWER.replace(b"\x7e", b"\x73"),
    "a colour without java.lang.Enum": TOWER.replace(b"java.lang.Enum", b"java.lang.Evil"),
    "an enumeration with a body": TOWER.replace(b"model.Tower" + bytes(8), b"model.Tower$1" + bytes(8)),
    "a constant whose name is a reference": TOWER.replace(b"\x74\0\5BLACK", b"\x71\0\x7e\0\1"),
    "an object behind an object": LOGIN[:-1] + GAME,
    "null behind an object": LOGIN[:-1] + b"\x70\x79",
    "block data behind an object": LOGIN[:-1] + b"\x77\0\x79",
    "a second header": HEADER + LOGIN,
}
