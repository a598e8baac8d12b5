"""Eriantys as Java objects: the contract, games and answers."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.dialects.eriantys_java import LOGIN_SECONDS, OPTIONS
from gamehost.extras.dialects.eriantys_java import WIRE as TOKEN
from gamehost.extras.dialects.eriantys_java import messages as m
from gamehost.extras.dialects.eriantys_java.conversation import SILENT_SECONDS
from gamehost.extras.dialects.eriantys_java.messages import Assistant, CharacterEnum, Color, Message, Tower
from gamehost.extras.dialects.eriantys_java.objects import (
    CLASSES,
    HEADER,
    full_name,
)
from gamehost.games.base import Seat
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.rules import Character, Colour, Status, evolve
from gamehost.games.eriantys.rules import Tower as GameTower
from gamehost.testing import memory_host
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation, received
from gamehost.testing.wire_matches import SAMPLES
from gamehost.wires.eriantys import WIRE as JSON_WIRE
from tests import long
from tests.kit.games.eriantys import acting, at, circle, new_position, rich, with_islands
from tests.kit.java_words import JavaWords
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import HOME, MemoryHost, master_of
from tests.kit.sources import ROOT
from tests.kit.wires.eriantys_java_players import BEFORE_NAME, HOSTILE, JavaPlayer, play, said
from tests.kit.wires.eriantys_players import Player, with_effect

NOT_AWAITED = "the published programs have no message for it"


class GreetingHost(memory_host.MemoryHost):
    def connect(self, wire: str = "eriantys-java", address: str = "192.0.2.1") -> Client:
        client = super().connect(wire, address)
        assert isinstance(client.message_text, JavaWords)
        client.message_text.greeted = True
        client.send(HEADER)
        return client


class WireTests(WireContract, PropertyCase):
    wire = TOKEN
    transcripts = HOME
    text = JavaWords
    host_class = GreetingHost
    host_settings: Mapping[str, str] = {
        "eriantys-java.pace": "0",
        "eriantys-java.ack_seconds": "0",
        "eriantys-java.ping": "0",
    }
    begun = BEFORE_NAME + b"\x74\x01\x00x"
    too_long = BEFORE_NAME + b"\x74\x01\x01" + b"x" * 257 + b"\x79"
    silent = {
        "back": "in a match the published clients do not stand a message about it",
        "suspended": NOT_AWAITED,
        "closing": NOT_AWAITED,
        "shutdown": NOT_AWAITED,
        "late": "it crossed with the end of the match on its way: the player is told the end and nothing else",
    }
    nonsense = (
        *(b"canary\n", b"\x1b[2Jcanary\n", b"\x73\x72\x00\x06canary", b"\x74\x00\x06canary\x79"),
        *(said(m.LoginMessage(name)) for name in ("canary\x1b[2J", "canary\x07", "canary canary", "canary/" * 9)),
        *(data[:300] + b"canary" for data in list(HOSTILE.values())[::10]),
    )
    log_out = said(m.Disconnect())

    def log_in(self, name: str) -> bytes:
        return said(m.LoginMessage(name))

    def join(self, client: Client, name: str) -> None:
        client.send(self.log_in(name))
        self.join_again(client, name)

    def join_again(self, client: Client, name: str) -> None:
        client.send(said(m.RequestGames()))
        games = client.protocol.conversation._queue  # type: ignore[attr-defined]
        waiting = client.world.lobby.waiting(games)
        client.send(said(m.JoinAvailableGame(waiting[0].table) if waiting else m.SetGame(False, 2)))

    def come_back(self, client: Client, name: str) -> None:
        client.send(self.log_in(name) + said(m.JoinAvailableGame(1)))

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, said(m.ChosenTower(Tower.BLACK))

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, said(m.ChosenTower(Tower.GREY))

    def situations(self) -> Mapping[str, Callable[[], Situation]]:
        return {**super().situations(), "lobby": self.in_lobby}

    def in_lobby(self) -> Situation:
        situation = self.connected_only()
        situation.client.send(self.log_in("ann"))
        return situation

    def samples(self) -> dict[type, list[Any]]:
        """As in the contract, read behind the stream's header."""
        found: dict[type, list[Any]] = {}
        for stream in self.corpus():
            for message in TOKEN.configure({}).new_codec().feed(HEADER + stream):
                found.setdefault(type(message), []).append(message)
        return {kind: sorted(set(messages), key=str)[:SAMPLES] for kind, messages in found.items()}

    def test_no_match_follows_while_the_host_drains(self) -> None:
        over = self.after_match()
        over.host.lobby.drain("the host drains")
        self.join_again(over.client, "ann")
        self.assertEqual(received(over.client)[-1], "ErrorMessage INVALID_ACTION")

    def corpus(self) -> list[bytes]:
        """Short streams, since each is cut in many ways: into a game with the opponent, and everything else."""
        join: list[m.Message] = [m.LoginMessage("a"), m.JoinAvailableGame(1)]
        answers: list[m.Message] = [
            *(m.Ack(), m.Pong(), m.Disconnect(), m.RequestGames(), m.SetGame(True, 3), m.ChosenTower(Tower.BLACK)),
            *(m.ChosenWizard(1), m.PlayAssistant(Assistant.FOX), m.ChosenStudent(Color.RED), m.ChosenStudent(None)),
            *(m.ChosenDestination(0), m.ChosenSteps(1), m.ChosenCloud(0), m.UseCharacterEffect(CharacterEnum.Char4)),
        ]
        streams = [[*join, answer] for answer in answers]
        streams += [[join[0], m.RequestGames()], [join[0], m.SetGame(False, 2)]]
        return [b"".join(map(said, stream)) for stream in streams]


NAMES = ("ann", "bob", "carl", "dora")


def new_host(seed: int, journal: RecordingJournal | None = None, **settings: str) -> MemoryHost:
    luck = random.Random(seed)
    limits = {"limits.unlimited": "yes", "eriantys.ping": "0", **settings}
    return MemoryHost(limits, wires=(TOKEN, JSON_WIRE), rng=luck.randrange, journal=journal)


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
    @long
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

    @long
    def test_two_thousand_refusals(self) -> None:
        """No message follows a refusal while the client asks its person. It answers out of what it has."""
        refused, seed = 0, 0
        while refused < 2000:
            seed += 1
            players = company(new_host(seed), seed, 2 + seed % 3, expert=False)
            for player in players:
                player.wrong_assistants, player.pause = 50, 0.1
            play(players, most=1200)
            self.assertGreater(sum(isinstance(one, m.AvailableAssistants) for one in players[0].told), 1)
            refused += sum(player.refused_assistants for player in players)


class MixedTests(SynchronousTestCase):
    def same_board(self, java: JavaPlayer, other: Player) -> None:
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

    def test_two_of_each_at_one_table(self) -> None:
        host = new_host(8)
        players = company(host, 8, 2, expert=True)
        players[0].opens = (4, True)
        others = [JsonTurns(host, name, 8) for name in ("carl", "dora")]
        play(players, others, most=300)
        self.same_board(players[1], others[1].player)


class ComingBackTests(SynchronousTestCase):
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
        started = next(at for at, one in enumerate(told) if isinstance(one, m.MatchStarted))
        self.assertFalse(any(isinstance(one, m.UpdateLobby) for one in told[started:]))


PAGE = ROOT / "docs" / "extras" / "dialects" / "eriantys-java.rst"
_ROW = re.compile(r"   ``(\S+)``, ``([0-9a-f]{16})``,(?: ``([^`]+)``)?\n")


class PageTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.page = PAGE.read_text("utf-8")

    def test_every_message_of_a_client_stands_there(self) -> None:
        """The lines of the other classes in `objects.py` have the same form."""
        found = {full_name(row[1]): row for row in _ROW.finditer(self.page)}
        self.assertEqual(set(found), {name for name in CLASSES if ".fromClient." in name})
        for name, row in found.items():
            java = CLASSES[name]
            self.assertEqual(row[2], java.uid.hex(), name)
            self.assertEqual([one.split(":")[0] for one in (row[3] or "").split()], [one.name for one in java.fields])

    def test_settings_and_times(self) -> None:
        for name in OPTIONS:
            self.assertIn(f"``eriantys-java.{name}``", self.page)
        self.assertEqual((SILENT_SECONDS, LOGIN_SECONDS), (15, 120))


WIRE = "eriantys-java"
#: Nothing is held back, and nobody is disconnected for silence.
QUICK = {f"{WIRE}.pace": "0", f"{WIRE}.ack_seconds": "0", f"{WIRE}.ping": "0", "eriantys.ping": "0"}


def kinds(lines: list[str]) -> list[str]:
    """What was heard, by its names: `MOVE_1` for a status, `FULL_GAME` for an error."""
    words = [line.split(" ") for line in lines if not line.startswith("winReason")]
    return [one[-1].split("=")[-1] if one[0] in ("PlayerStatusMessage", "ErrorMessage") else one[0] for one in words]


class ConversationCase(SynchronousTestCase):
    def at_table(self, settings: Mapping[str, str] = QUICK, other: str = WIRE) -> tuple[MemoryHost, Client, Client]:
        host = MemoryHost({"limits.unlimited": "yes", **settings})
        ann, bob = host.connect(WIRE), host.connect(other)
        ann.say("LoginMessage nickname=ann", "SetGame expertMode=true numberOfPlayers=2")
        if other == WIRE:
            bob.say("LoginMessage nickname=bob", "JoinAvailableGame gameID=1")
        else:
            bob.say('{"type":"LoginMessage","nickname":"bob"}', '{"type":"JoinAvailableGame","gameId":1}')
        host.wait(0.1)
        ann.heard(), bob.heard()
        return host, ann, bob

    def dealt(self, settings: Mapping[str, str] = QUICK) -> tuple[MemoryHost, Client, Client]:
        host, ann, bob = self.at_table(settings)
        for client, words in ((ann, "ChosenTower color=BLACK"), (bob, "ChosenTower color=WHITE")):
            client.say(words)
        for client, number in ((ann, 1), (bob, 2)):
            client.say(f"ChosenWizard wizardID={number}")
        ann.heard(), bob.heard()
        return host, ann, bob

    def laid(self, state: Play, settings: Mapping[str, str] = QUICK) -> tuple[MemoryHost, Client, Client, list[str]]:
        """The match goes on from a position in which Ann is asked; she has come back. And what she was told then."""
        host, ann, bob = self.dealt(settings)
        master_of(host)._state = state
        ann.drop()
        bob.heard()
        ann = host.connect(WIRE)
        ann.say("LoginMessage nickname=ann", "JoinAvailableGame gameID=1")
        host.wait(0)
        return host, ann, bob, kinds(ann.heard())[2:]


class PaceTests(ConversationCase):
    settings: Mapping[str, str] = {f"{WIRE}.ping": "0", "eriantys.ping": "0"}

    def test_an_ack_releases_what_is_held_back(self) -> None:
        """Behind a board nothing comes until the Ack, and then after 30 ms; without an Ack after 10.5 s."""
        host, ann, bob = self.dealt(self.settings)
        host.wait(0.03)
        self.assertEqual(kinds(ann.heard())[-1], "UpdateBoard")
        ann.say("Ack")
        self.assertEqual(ann.heard(), [])
        host.wait(0.03)
        self.assertEqual(kinds(ann.heard()), ["StartOfPlayerRound", "UpdateBoard"])
        self.assertEqual(kinds(bob.heard()), ["SUCCESS", "SUCCESS", "UpdateBoard"])
        host.wait(10.46)
        self.assertEqual(bob.heard(), [])
        host.wait(0.02)
        self.assertEqual(kinds(bob.heard()), ["StartOfPlayerRound", "UpdateBoard"])

    def test_other_messages_do_not_release_it(self) -> None:
        host, ann, _ = self.dealt(self.settings)
        host.wait(0.03)
        ann.heard()
        for words in ("Pong", "RequestGames", "ChosenSteps steps=1"):
            ann.say(words)
        host.wait(1)
        self.assertEqual(ann.heard(), [])
        ann.say("Ack")
        host.wait(0.03)
        self.assertEqual(kinds(ann.heard()), ["StartOfPlayerRound", "UpdateBoard"])

    def test_a_request_that_was_answered_is_not_sent(self) -> None:
        """Bob answers before the host could ask him: he is not asked behind that."""
        state = at(new_position(2), Status.MOVE_3)
        _, ann, _, told = self.laid(state, {**QUICK, f"{WIRE}.ack_seconds": "10.5"})
        self.assertEqual(told, ["JoinAlreadyExistingGame", "UpdateBoard"])
        ann.say("ChosenCloud cloud=0")
        ann.say("Ack")
        # SelectCloud is dropped. MOVE_3 is no request.
        self.assertEqual(kinds(ann.heard()), ["StartOfPlayerRound", "MOVE_3"])

    def test_the_json_wire_waits_for_acks(self) -> None:
        """A request to its player waits until Ann has acknowledged, and for two seconds at most."""
        _, ann, bob = self.at_table(other="eriantys")
        for client, words in ((ann, "ChosenTower color=BLACK"), (bob, '{"type":"ChosenTower","tower":"WHITE"}')):
            client.say(words)
        ann.say("ChosenWizard wizardID=1")
        bob.say('{"type":"ChosenWizard","wizardId":2}')
        ack = '{"type":"Acknowledgement"}'
        # Ann is asked first. Her Acks for two boards and PLANNING are due, and those for what she is told then.
        ann.say("PlayAssistant assistant=FOX")
        bob.say(*[ack] * 12)
        self.assertNotIn("AvailableAssistants", " ".join(bob.heard()))
        ann.say(*["Ack"] * 4)
        self.assertNotIn("AvailableAssistants", " ".join(bob.heard()))
        ann.say("Ack")
        self.assertIn("AvailableAssistants", " ".join(bob.heard()))


class ConnectionTests(ConversationCase):
    def test_pings_and_silence(self) -> None:
        """The first Ping comes within a second, the others every two; after 15 s without a byte the client is lost."""
        host = MemoryHost()
        client = host.connect(WIRE)
        client.heard()
        told = []
        for _ in range(14):
            host.wait(1)
            told += [len(client.heard())]
        self.assertEqual(told, [1, 0] * 7)
        self.assertFalse(client.closed)
        client.say("Pong")
        for _ in range(14):
            host.wait(1)
        self.assertFalse(client.closed)
        host.wait(1)
        host.wait(2)
        self.assertTrue(client.closed)

    def test_twenty_refusals_end_the_connection(self) -> None:
        host = MemoryHost(QUICK)
        client = host.connect(WIRE)
        for _ in range(19):
            client.say("ChosenSteps steps=1")
        self.assertFalse(client.closed)
        client.say("ChosenSteps steps=1")
        host.wait(2)
        self.assertTrue(client.closed)

    def test_bytes_that_are_no_message_end_it(self) -> None:
        host, ann, bob = self.at_table()
        ann.say("bytes 73 75")
        host.wait(2)
        self.assertTrue(ann.closed)
        self.assertEqual((ann.heard(), bob.heard()), ([], ["PlayerDisconnected nickname=ann"]))

    def test_a_table_that_nobody_joins_is_closed(self) -> None:
        host = MemoryHost({**QUICK, "limits.open_table_seconds": "60"})
        ann = host.connect(WIRE)
        ann.say("LoginMessage nickname=ann", "SetGame expertMode=true numberOfPlayers=2")
        ann.heard()
        host.wait(60)
        self.assertEqual(ann.heard(), ["CLOSING_GAME"])
        self.assertEqual(ann.ask("SetGame expertMode=true numberOfPlayers=2"), ["WaitingForPlayers gameID=2"])


class CharacterTests(ConversationCase):
    def test_one_without_questions(self) -> None:
        _, ann, bob, _ = self.laid(acting(rich(Character.KNIGHT), Status.MOVE_1))
        self.assertEqual(
            kinds(ann.ask("UseCharacterEffect character=Char8")), ["PlayedCharacter", "UpdateBoard", "MovableStudents"]
        )
        self.assertEqual(kinds(bob.heard()), ["PlayedCharacter", "UpdateBoard"])

    def test_a_refused_one(self) -> None:
        """The error alone; the request is still open. In the second turn of a match it may be too expensive."""
        _, ann, _, _ = self.laid(acting(rich(Character.KNIGHT, coins=0), Status.MOVE_1))
        self.assertEqual(kinds(ann.ask("UseCharacterEffect character=Char8")), ["NOT_ENOUGH_COINS"])
        self.assertEqual(kinds(ann.ask("UseCharacterEffect character=Char9")), ["INVALID_INPUT"])
        self.assertEqual(kinds(ann.ask("UseCharacterEffect character=null")), ["INVALID_INPUT"])
        self.assertEqual(kinds(ann.ask("ChosenStudent student=PINK")), ["WhereToMove"])

    def test_the_fault_of_the_published_client(self) -> None:
        """An island for character 1 before a student: the first student of the card goes there."""
        _, ann, _, _ = self.laid(acting(rich(Character.MONK), Status.MOVE_1))
        ann.ask("UseCharacterEffect character=Char1")
        self.assertEqual(
            kinds(ann.ask("ChosenDestination destination=1")), ["SUCCESS", "UpdateBoard", "MovableStudents"]
        )

    def test_the_fault_with_an_island_that_is_none(self) -> None:
        _, ann, _, _ = self.laid(acting(rich(Character.MONK), Status.MOVE_1))
        ann.ask("UseCharacterEffect character=Char1")
        self.assertEqual(kinds(ann.ask("ChosenDestination destination=13")), ["INVALID_INPUT"])
        self.assertEqual(kinds(ann.ask("ChosenDestination destination=1"))[0], "SUCCESS")

    def test_swaps_that_stop(self) -> None:
        for swaps in (0, 1):
            host, ann, bob, _ = self.laid(acting(rich(Character.JESTER), Status.MOVE_2))
            ann.ask("UseCharacterEffect character=Char7")
            card = next(card for card in master_of(host)._state.position.cards)
            colour = next(one for one in Colour if card.students[one])
            for _ in range(swaps):
                ann.say(f"ChosenStudent student={colour.name}")
                self.assertEqual(
                    kinds(ann.ask("ChosenStudent student=PINK"))[-2:], ["UpdateBoard", "MovableStudentsChar"]
                )
            told = kinds(ann.ask("ChosenStudent student=null"))
            self.assertEqual(told[-3:], ["SUCCESS", "UpdateBoard", "MotherNatureSteps"])
            bob.heard()


class ConversationRefusalTests(ConversationCase):
    """What comes behind a refused answer: nothing, unless the published clients have put away what they were asked."""

    def test_in_a_turn(self) -> None:
        """The error alone; only a destination in Move 1 leads back to the student, which is another question."""
        for stage, words, told in (
            (Status.MOVE_1, "ChosenStudent student=null", ["INVALID_INPUT"]),
            (Status.MOVE_2, "ChosenSteps steps=0", ["INVALID_INPUT"]),
            (Status.MOVE_3, "ChosenCloud cloud=9", ["INVALID_INPUT"]),
            (Status.MOVE_3, "ChosenSteps steps=1", ["INVALID_ACTION"]),
        ):
            _, ann, _, _ = self.laid(at(new_position(2), stage))
            self.assertEqual(kinds(ann.ask(words)), told, words)
        _, ann, _, _ = self.laid(at(new_position(2), Status.MOVE_1))
        ann.ask("ChosenStudent student=PINK")
        self.assertEqual(kinds(ann.ask("ChosenDestination destination=13")), ["INVALID_INPUT", "MovableStudents"])

    def test_characters(self) -> None:
        """Swaps are asked for again: the text client has put its list away. The others know what they were asked."""
        for character, words, told in (
            (Character.MONK, "ChosenStudent student=null", ["INVALID_INPUT"]),
            (Character.HERALD, "ChosenDestination destination=0", ["INVALID_INPUT"]),
            (Character.HERBALIST, "ChosenDestination destination=13", ["INVALID_INPUT"]),
            (Character.HARVESTER, "ChosenStudent student=null", ["INVALID_INPUT"]),
            (Character.PRINCESS, "ChosenStudent student=null", ["INVALID_INPUT"]),
            (Character.THIEF, "ChosenStudent student=null", ["INVALID_INPUT"]),
        ):
            _, ann, _, _ = self.laid(acting(rich(character), Status.MOVE_1))
            ann.ask(f"UseCharacterEffect character=Char{character.value}")
            self.assertEqual(kinds(ann.ask(words)), told, character)
        _, ann, _, _ = self.laid(acting(rich(Character.JESTER), Status.MOVE_1))
        asked = ann.ask("UseCharacterEffect character=Char7")
        first = asked[-1].split("[")[1].split(" ")[0].rstrip("]")
        ann.ask(f"ChosenStudent student={first}")
        self.assertEqual(kinds(ann.ask("ChosenStudent student=null")), ["INVALID_INPUT", "MovableStudentsChar"])

    def test_a_request_that_was_not_told_yet(self) -> None:
        """It is told in front of the refusal: nothing follows that, and the client knows what it is asked."""
        _, ann, _, told = self.laid(
            at(new_position(2), Status.MOVE_2), {**QUICK, f"{WIRE}.ack_seconds": "10.5", "eriantys.ping": "0"}
        )
        self.assertEqual(told, ["JoinAlreadyExistingGame", "UpdateBoard"])
        ann.say("ChosenSteps steps=99", "Ack", "Ack")
        self.assertEqual(kinds(ann.heard()), ["StartOfPlayerRound", "MOVE_2", "MotherNatureSteps", "INVALID_INPUT"])


class SecretsTests(ConversationCase):
    def test_bag_and_hands_change_no_byte(self) -> None:
        """With another bag of the same size, and another hand of the other player, Ann is sent the same bytes."""
        sent = []
        for bag, hand in (((10, 0, 0, 0, 96), (1, 2, 3)), ((0, 50, 50, 6, 0), (4, 9, 10))):
            position = evolve(rich(Character.KNIGHT, Character.THIEF), bag=bag)
            position = evolve(position, hands=(position.hands[0], hand))
            _, ann, _, told = self.laid(acting(position, Status.MOVE_1))
            said = bytearray()
            for words in (
                *("UseCharacterEffect character=Char8", "ChosenStudent student=RED", "ChosenDestination destination=0"),
                *("ChosenStudent student=PINK", "ChosenDestination destination=2", "ChosenStudent student=BLUE"),
                *("ChosenDestination destination=13", "ChosenStudent student=BLUE", "ChosenDestination destination=3"),
                *("ChosenSteps steps=2", "ChosenCloud cloud=0"),
            ):
                ann.say(words)
                said += ann.transport.read()
            sent.append((told, bytes(said)))
        self.assertGreater(len(sent[0][1]), 20_000)
        self.assertEqual(sent[0], sent[1])


class EndTests(ConversationCase):
    def walked(self, *groups: tuple[int, GameTower | None], towers: int) -> list[str]:
        position = with_islands(new_position(2), circle(*groups))
        island = evolve(position.islands[1], students=(3, 0, 0, 0, 0))
        position = evolve(position.with_island(1, island), professors=(Seat(0), None, None, None, None))
        schools = [evolve(school, towers=towers) for school in position.schools]
        position = evolve(position, schools=(schools[0], evolve(schools[1], towers=8)))
        _, ann, bob, _ = self.laid(at(position, Status.MOVE_2))
        told = ann.ask("ChosenSteps steps=1")
        self.assertIn("CommunicateWinner", kinds(bob.heard()))
        return told

    def test_the_last_tower(self) -> None:
        """END_MOVE_2 comes before the winner: the client waits for it. Nothing comes behind it."""
        told = self.walked((1, None), (1, None), *[(1, None)] * 10, towers=1)
        self.assertEqual(kinds(told), ["IslandOwner", "UpdateBoard", "END_MOVE_2", "CommunicateWinner"])
        self.assertEqual(told[-1], "winReason LAST_TOWER_BUILD")

    def test_three_groups(self) -> None:
        told = self.walked((4, GameTower.BLACK), (1, None), (3, GameTower.WHITE), (4, None), towers=4)
        self.assertEqual(
            kinds(told), ["IslandOwner", "UNIFIED_ISLANDS", "UpdateBoard", "END_MOVE_2", "CommunicateWinner"]
        )
        self.assertEqual(told[-1], "winReason THREE_ISLANDS_REMAINING_TOWER")

    def test_an_action_that_crosses_with_the_end(self) -> None:
        """It is not answered: an error would wake a client that is about to close."""
        _, ann, bob, _ = self.laid(at(new_position(2), Status.MOVE_2))
        bob.say("Disconnect")
        self.assertEqual(kinds(ann.heard()), ["PlayerDisconnected", "CommunicateWinner"])
        self.assertEqual(ann.ask("ChosenSteps steps=1"), [])
        self.assertEqual(kinds(ann.ask("ChosenSteps steps=1")), ["INVALID_ACTION"])


class ConversationComingBackTests(ConversationCase):
    def test_at_plain_requests(self) -> None:
        begun = ["JoinAlreadyExistingGame", "UpdateBoard", "StartOfPlayerRound"]
        for stage, told in (
            (Status.MOVE_1, ["MOVE_1", "MovableStudents"]),
            (Status.MOVE_2, ["MOVE_2", "MotherNatureSteps"]),
            (Status.MOVE_3, ["SelectCloud", "MOVE_3"]),
        ):
            self.assertEqual(self.laid(at(new_position(2), stage))[3], begun + told)

    def test_in_the_middle_of_a_character(self) -> None:
        for character in (
            *(Character.MONK, Character.HERALD, Character.HERBALIST, Character.JESTER, Character.HARVESTER),
            *(Character.MINSTREL, Character.PRINCESS, Character.THIEF),
        ):
            host, ann, _, told = self.laid(with_effect(character))
            self.assertEqual(
                told,
                ["JoinAlreadyExistingGame", "UpdateBoard", "StartOfPlayerRound", "MOVE_1", "MovableStudents"],
                character,
            )
            self.assertIsNone(master_of(host)._state.effect)
            self.assertEqual(kinds(ann.ask("ChosenStudent student=PINK")), ["WhereToMove"])

    def test_who_is_not_asked(self) -> None:
        host, ann, bob, _ = self.laid(at(new_position(2), Status.MOVE_2))
        bob.drop()
        bob = host.connect(WIRE)
        bob.say("LoginMessage nickname=bob", "RequestGames", "JoinAvailableGame gameID=1")
        self.assertEqual(
            kinds(bob.heard())[2:],
            ["AvailableGames", "JoinAlreadyExistingGame", "UpdateBoard", "StartOfPlayerRound", "WAITING"],
        )
        self.assertEqual(kinds(ann.heard()), ["PlayerDisconnected"])

    def test_the_seat_counts_as_away_until_the_game_is_joined(self) -> None:
        """A client that logs in and does not join loses the match with the grace time, and is free then."""
        host, ann, bob, _ = self.laid(at(new_position(2), Status.MOVE_2))
        ann.drop()
        host.wait(30)
        ann = host.connect(WIRE)
        ann.say("LoginMessage nickname=ann")
        host.wait(31)
        self.assertEqual(kinds(bob.heard()), ["PlayerDisconnected", "CommunicateWinner"])
        ann.heard()
        self.assertEqual(ann.ask("RequestGames"), ["AvailableGames availableGames=[]"])

    def test_the_end_was_missed(self) -> None:
        """Both had gone, and time ran out for one of them after the other came back: the one who joins late hears the end."""
        host, ann, bob, _ = self.laid(at(new_position(2), Status.MOVE_2))
        ann.drop()
        host.wait(61)
        again = host.connect(WIRE)
        again.say("LoginMessage nickname=ann", "RequestGames")
        self.assertEqual(again.heard()[-1], "AvailableGames availableGames=[]")
        self.assertEqual(kinds(bob.heard())[-1], "CommunicateWinner")
