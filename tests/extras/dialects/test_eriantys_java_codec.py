"""Java objects as bytes."""

import random
import tracemalloc
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.dialects.eriantys_java import WIRE as TOKEN
from gamehost.extras.dialects.eriantys_java import messages as m
from gamehost.extras.dialects.eriantys_java import rendering
from gamehost.extras.dialects.eriantys_java.client import SERVER_MESSAGE_LIMIT, JavaClientCodec
from gamehost.extras.dialects.eriantys_java.codec import _BY_NAME, _CONSTANTS, BoardCache, JavaCodec
from gamehost.extras.dialects.eriantys_java.conversation import SILENT_SECONDS
from gamehost.extras.dialects.eriantys_java.objects import CLASSES, HEADER
from gamehost.games.base import Seat
from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.events import Won, board_of
from gamehost.games.eriantys.rules import Card, Character, Colour, Position, evolve, plus
from gamehost.games.eriantys.rules import Tower as GameTower
from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import ClientCodecContract, CodecContract, chunked
from gamehost.wires.framing import OtherProtocol, WireError
from tests.kit.drawn_messages import drawn
from tests.kit.games.eriantys import circle, new_position, rich, with_islands, with_school
from tests.kit.java_words import JavaWords, recorded, segments
from tests.kit.memory_host import Client, MemoryHost, master_of
from tests.kit.wires.eriantys_java_players import (
    BEFORE_COLOUR,
    BEFORE_NAME,
    GAME,
    HOSTILE,
    LOGIN,
    TOWER,
    described,
    said,
)

configure: Any = TOKEN.configure


def greeted() -> JavaCodec:
    codec = JavaCodec(BoardCache())
    assert list(codec.feed(HEADER)) == []
    return codec


class JavaCodecTests(CodecContract, PropertyCase):
    text = JavaWords
    read = tuple(
        (said(message), message)
        for message in (
            m.Ack(),
            m.Pong(),
            m.Disconnect(),
            m.LoginMessage("ann"),
            m.LoginMessage("Zdeněk \0 \N{MUSICAL SYMBOL G CLEF}"),
            m.LoginMessage(None),
            m.RequestGames(),
            m.SetGame(True, 4),
            m.SetGame(False, -(2**31)),
            m.JoinAvailableGame(2**31 - 1),
            m.ChosenTower(m.Tower.GREY),
            m.ChosenWizard(1),
            m.PlayAssistant(m.Assistant.ARCHER_CAT),
            m.ChosenStudent(m.Color.PINK),
            m.ChosenStudent(None),
            m.ChosenDestination(-1),
            m.ChosenSteps(3),
            m.ChosenCloud(0),
            m.UseCharacterEffect(m.CharacterEnum.Char12),
        )
    )
    sent = (
        (m.CommunicationMessage.ENTER_NICKNAME, "ENTER_NICKNAME"),
        (m.ErrorMessage.FULL_GAME, "ErrorMessage FULL_GAME"),
        (m.WaitingForPlayers(7), "WaitingForPlayers gameID=7"),
        (m.AvailableGames((m.GameInfo(True, 3, 4, 1),)), "AvailableGames availableGames=[(3: 1 of 4, expert)]"),
        (m.PlayerDisconnected("Zdeněk"), "PlayerDisconnected nickname=Zdeněk"),
        (m.MovableStudents((m.Color.RED, m.Color.RED)), "MovableStudents students=[RED RED]"),
    )
    streams = (
        LOGIN + GAME + said(m.Ack()),
        b"\x79\x79" + TOWER + b"\x79\x79\x79" + said(m.ChosenStudent(None)),
        *(
            LOGIN + HOSTILE[name][:400]
            for name in ("a field too many", "a name with a NUL", "an object behind an object")
        ),
    )

    def new_codec(self) -> JavaCodec:
        return greeted()


class RecordedTests(SynchronousTestCase):
    def test_messages_of_clients(self) -> None:
        for name, data, value in recorded("C"):
            [message] = greeted().feed(data)
            self.assertEqual(type(message).__name__, name)
            self.assertEqual(said(message), data)
            for key, content in value.items():
                if key != "class":
                    written = content.split(".")[-1] if isinstance(content, str) else content
                    self.assertEqual(getattr(message, key), written, name)

    def test_messages_of_the_server(self) -> None:
        """Each is read by the client's codec, and the host's codec writes the same bytes. Five of them are boards."""
        names = set()
        for name, data, _ in recorded("S"):
            [message] = JavaClientCodec().feed(HEADER + data)
            self.assertEqual(JavaCodec(BoardCache()).encode(message), HEADER + data, name)
            names.add(name.partition(".")[0])
        self.assertEqual(set(m.SERVER_TYPES) - names, {"SelectColor", "PlayerDisconnected"})

    def test_a_whole_game_of_a_client(self) -> None:
        """All 454 messages, in the segments in which they came, and written again."""
        codec, found = JavaCodec(BoardCache()), list[m.Message]()
        for segment in segments():
            found.extend(codec.feed(segment))
        self.assertEqual((len(found), codec.unfinished), (454, True))
        client = JavaClientCodec()
        written = b"".join(map(client.encode, found))
        self.assertEqual(b"".join(segments())[: len(written)], written)

    def test_a_message_is_not_complete_before_its_reset(self) -> None:
        """A client that has not sent it does not wait for the answer yet."""
        for _, data, _ in recorded("C"):
            codec = greeted()
            self.assertEqual(list(codec.feed(data[:-1])), [])
            self.assertTrue(codec.unfinished)
            self.assertEqual(len(list(codec.feed(data[-1:]))), 1)
            self.assertFalse(codec.unfinished)


class HeaderTests(SynchronousTestCase):
    def test_the_hosts_header_comes_once(self) -> None:
        codec = JavaCodec(BoardCache())
        self.assertTrue(codec.encode(m.CommunicationMessage.ENTER_NICKNAME).startswith(HEADER + b"\x79\x7e"))
        self.assertTrue(codec.encode(m.CommunicationMessage.SUCCESS).startswith(b"\x79\x7e"))

    def test_other_beginnings(self) -> None:
        """The first wrong byte is refused; the right ones may come one by one."""
        for opening in (b"GET /", b'{"type"', b"\xac\xed\x00\x04", b"\xac\xee", b"\x00", b"\x79", b"\x73\x72"):
            self.assertRaises(OtherProtocol, list, JavaCodec(BoardCache()).feed(opening))
        codec = JavaCodec(BoardCache())
        for byte in HEADER:
            self.assertEqual(list(codec.feed(bytes([byte]))), [])
        self.assertFalse(codec.unfinished)
        self.assertEqual(list(codec.feed(LOGIN)), [m.LoginMessage("ann")])

    def test_resets_are_free(self) -> None:
        codec = greeted()
        for _ in range(10):
            self.assertEqual(list(codec.feed(b"\x79" * 30_000)), [])
            self.assertFalse(codec.unfinished)
        self.assertEqual(list(codec.feed(LOGIN)), [m.LoginMessage("ann")])


class StrictTests(SynchronousTestCase):
    def test_hostile_streams(self) -> None:
        """Each is refused at the first byte that fits nothing, and before 400 bytes of it were kept."""
        for name, data in HOSTILE.items():
            codec, kept = greeted(), 0
            with self.assertRaises(WireError, msg=name):
                for at in range(min(len(data), 1_000)):
                    for message in codec.feed(data[at : at + 1]):
                        self.fail(f"{message} was read: {name}")
                    kept = max(kept, len(codec._rest))
            self.assertLess(kept, 400, name)

    def test_hostile_streams_in_one_segment(self) -> None:
        """The same in one piece; what is made of it is smaller than what came, and so is the memory that it takes."""
        for name, data in HOSTILE.items():
            codec = greeted()
            tracemalloc.start()
            try:
                self.assertRaises(WireError, list, codec.feed(data))
                _, peak = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            self.assertLess(peak, 2 * len(data) + 16_384, name)

    def test_the_longest_message(self) -> None:
        """A text of 256 bytes is read: with it, a message has 357 bytes, and none is longer."""
        data = BEFORE_NAME + b"\x74\1\0" + b"x" * 256 + b"\x79"
        self.assertEqual(list(greeted().feed(data)), [m.LoginMessage("x" * 256)])
        self.assertEqual(len(data), 357)

    def test_a_reference_to_a_text(self) -> None:
        """The one text before a name is the signature of its field. A name that refers to it is that text."""
        data = BEFORE_NAME + b"\x71\0\x7e\0\1\x79"
        self.assertEqual(list(greeted().feed(data)), [m.LoginMessage("Ljava/lang/String;")])

    def test_null(self) -> None:
        """It is read: the conversation says that a value was expected."""
        self.assertEqual(list(greeted().feed(BEFORE_COLOUR + b"\x70\x79")), [m.ChosenTower(None)])

    def test_no_class_is_looked_up(self) -> None:
        """The reader holds no class but those of a client's messages, the four enumerations and the class over these."""
        names = {name.decode() for name in _BY_NAME} | {one[1:-1].replace("/", ".") for one in _CONSTANTS}
        self.assertEqual(len(_BY_NAME), 15)
        self.assertEqual(
            names - {name.decode() for name in _BY_NAME},
            {
                *("it.polimi.ingsw.model.Tower", "it.polimi.ingsw.model.Color", "it.polimi.ingsw.model.Assistant"),
                "it.polimi.ingsw.model.characters.CharacterEnum",
            },
        )
        self.assertLess(names, set(CLASSES))


class NameTests(PropertyCase):
    @given(st.binary(max_size=12))
    def test_only_one_form_is_read(self, data: bytes) -> None:
        """Bytes either are what would be written, or are refused: no two forms of one name."""
        try:
            [message] = greeted().feed(BEFORE_NAME + b"\x74" + len(data).to_bytes(2, "big") + data + b"\x79")
        except WireError:
            return
        self.assertIn(b"\x74" + len(data).to_bytes(2, "big") + data, said(message))


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
INTS = st.integers(-(2**31), 2**31 - 1)
ANY_INTS = INTS | st.integers()
COLORS, TOWERS, ASSISTANTS = map(st.sampled_from, (m.Color, m.Tower, m.Assistant))
HEAPS = st.lists(COLORS, max_size=5).map(tuple)
INFOS = st.builds(m.GameInfo, st.booleans(), INTS, INTS, INTS)
#: Small tables: large boards are read in the tests of recorded messages.
SEATS = st.lists(NAMES, min_size=1, max_size=2, unique=True)


@st.composite
def players(draw: st.DrawFn, names: list[str], owners: dict[m.Color, str | None]) -> tuple[m.Player, ...]:
    """Players of one table; the professors that each has are those of the board."""
    found = []
    for name in names:
        dining = m.DiningRoom(draw(st.booleans()), {color: draw(INTS) for color in m.Color})
        own = tuple(color for color, owner in owners.items() if owner == name)
        board = m.SchoolBoard(draw(INTS), draw(INTS), dining, m.Entrance(draw(HEAPS)), own, draw(st.none() | TOWERS))
        hand = tuple(draw(st.lists(ASSISTANTS, max_size=3, unique=True)))
        played, status = draw(st.none() | ASSISTANTS), draw(st.none() | st.sampled_from(m.PlayerStatus))
        found.append(
            m.Player(draw(INTS), hand, draw(st.none() | st.builds(m.Cloud, HEAPS)), name, played, board, status)
        )
    return tuple(found)


@st.composite
def islands(draw: st.DrawFn, names: list[str]) -> m.Island:
    more = draw(st.dictionaries(st.sampled_from(names), INTS, max_size=2)) if names else {}
    return m.Island(draw(INTS), draw(INTS), more, draw(HEAPS), draw(st.none() | TOWERS))


@st.composite
def cards(draw: st.DrawFn) -> tuple[m.CharacterCard | None, ...]:
    numbers = draw(st.lists(st.sampled_from(m.CharacterEnum), min_size=3, max_size=3, unique=True) | st.just([]))
    heaps, names = st.none() | HEAPS, st.none() | NAMES
    return tuple(
        m.CharacterCard(draw(INTS), draw(st.booleans()), draw(INTS), draw(names), draw(NAMES), draw(heaps), one)
        for one in numbers
    ) or (None, None, None)


@st.composite
def boards(draw: st.DrawFn) -> m.UpdateBoard:
    """A board on which everything that refers to another thing finds it."""
    names = draw(SEATS)
    owners: dict[m.Color, str | None] = {color: draw(st.none() | st.sampled_from(names)) for color in m.Color}
    characters = draw(cards())
    played = st.sampled_from([None, *(card.value for card in characters if card is not None)])
    dashboard = m.Dashboard(
        additionalMNMovements=draw(INTS),
        doNotCountTowers=draw(st.booleans()),
        motherNaturePosition=draw(INTS),
        bag=m.Bag(draw(HEAPS)),
        characters=characters,
        clouds=tuple(draw(st.lists(st.builds(m.Cloud, HEAPS), max_size=1))),
        doNotCountColor=draw(st.none() | COLORS),
        islands=tuple(draw(st.lists(islands(names), max_size=1))),
        playedCharacter=draw(played),
        professors=tuple(m.Professor(color, owner) for color, owner in owners.items()),
    )
    return m.UpdateBoard(dashboard, draw(players(names, owners)))


TABLES = SEATS.flatmap(lambda names: players(names, {}))


class JavaClientCodecTests(ClientCodecContract, PropertyCase):
    server_messages = drawn(
        m.SERVER_TYPES.values(),
        {
            **{str: NAMES, int: INTS, m.GameInfo: INFOS, m.Island: islands([]), m.UpdateBoard: boards()},
            **{"students": HEAPS, "players": TABLES},
            "currentTeams": TABLES.map(lambda table: {m.Tower.BLACK: table, m.Tower.WHITE: table[:1]}),
            "playedAssistants": TABLES.map(lambda table: tuple((player, m.Assistant.DOG) for player in table)),
        },
    )
    client_messages = drawn(
        m.CLIENT_TYPES.values(),
        {
            **{int: ANY_INTS, "expertMode": st.booleans() | INTS, "color": st.none() | TOWERS | COLORS},
            **{"student": st.none() | COLORS | st.just("RED"), "wizardID": ANY_INTS | st.none()},
            "nickname": st.none() | NAMES | st.text(max_size=5) | st.just("x" * 300),
        },
    )

    #: How often the bytes of messages are cut at every place; after that they are cut at random only.
    cut_everywhere = 10

    def _assert_heard(self, stream: bytes, messages: Sequence[object], rng: random.Random) -> None:
        if self.cut_everywhere:
            self.cut_everywhere -= 1
            super()._assert_heard(stream, messages, rng)
        else:
            self.assertEqual(self._heard_by_client(chunked(stream, rng)), messages)

    def new_codec(self) -> JavaCodec:
        return JavaCodec(BoardCache())

    def new_client_codec(self) -> JavaClientCodec:
        return JavaClientCodec()


def listed(items: bytes, size: int) -> bytes:
    count = size.to_bytes(4, "big")
    head = described("java.util.ArrayList", 0x7881D21D99C7619D, 3, b"\0\1I\0\4size")
    return b"\x73" + head + count + b"\x77\4" + count + items + b"\x78"


class HostileServerTests(SynchronousTestCase):
    def test_hostile_streams(self) -> None:
        """They are refused, or nothing comes of them; no more is kept than a message may have."""
        for name, data in HOSTILE.items():
            if name == "the server's own message":
                continue
            codec = JavaClientCodec()
            try:
                self.assertEqual(list(codec.feed(HEADER + b"\x79" + data)), [], name)
            except WireError:
                continue
            self.assertTrue(codec.unfinished, name)
            self.assertRaises(WireError, list, codec.feed(bytes(SERVER_MESSAGE_LIMIT)))

    def test_references_that_make_much_of_little(self) -> None:
        """Lists of references to lists, which would become billions of parts."""
        again = b"\x73\x71\0\x7e\0\0\0\0\0\x0a\x77\4\0\0\0\x0a"
        data = listed(b"", 0)[:-1]
        data = data.replace(bytes(4) + b"\x77\4" + bytes(4), b"\0\0\0\1\x77\4\0\0\0\1")
        message = JavaCodec(BoardCache()).encode(m.MovableStudents(()))
        begun = message[: message.index(b"\x70\x73\x72") + 1]
        nested = b""
        for _ in range(11):
            nested = again + (nested or b"\x70") + b"\x71\0\x7e\0\5" * 9 + b"\x78"
        whole = begun + b"\x73" + listed(nested, 1)[1:]
        self.assertRaises(WireError, list, JavaClientCodec().feed(whole))

    def test_a_list_that_contains_itself(self) -> None:
        message = JavaCodec(BoardCache()).encode(m.MovableStudents((m.Color.RED,)))
        at = message.index(b"\x7e\x72")
        # Handles: the descriptor, the signature, the message, the list's descriptor, the list.
        whole = message[:at] + b"\x71\0\x7e\0\4\x78"
        self.assertRaises(WireError, list, JavaClientCodec().feed(whole))

    def test_parts_of_another_class(self) -> None:
        games = JavaCodec(BoardCache()).encode(m.AvailableGames((m.GameInfo(True, 1, 2, 3),)))
        students = JavaCodec(BoardCache()).encode(m.MovableStudents((m.Color.RED,)))
        mixed = games[: games.index(b"\x73\x72\0\x1eit.p")] + students[students.index(b"\x7e\x72") :]
        self.assertRaises(WireError, list, JavaClientCodec().feed(mixed))
        started = JavaCodec(BoardCache()).encode(m.StartOfPlayerRound(1, "ann"))
        self.assertRaises(
            WireError, list, JavaClientCodec().feed(started[:-6] + students[students.index(b"\x7e\x72") : -1])
        )
        self.assertRaises(WireError, list, JavaClientCodec().feed(HEADER + b"\x79\x74\0\3ann"))
        self.assertRaises(WireError, list, JavaClientCodec().feed(HEADER + b"\x73"))


TWO = ("ann", "bob")


def shown(position: Position) -> m.UpdateBoard:
    return rendering.board_of(board_of(position), TWO, Seat(0))


class BoardTests(SynchronousTestCase):
    def test_the_normal_game(self) -> None:
        """Three nulls in place of cards, no coins; the bag and the hands are empty."""
        board = shown(new_position(2))
        self.assertEqual(board.dashboard.characters, (None, None, None))
        self.assertEqual((board.dashboard.bag.students, board.dashboard.playedCharacter), ((), None))
        for player in board.players:
            self.assertEqual((player.availableAssistants, player.schoolBoard.coins, player.status), ((), 0, None))
            self.assertFalse(player.schoolBoard.diningRoom.enableCoins)
        self.assertEqual(board.dashboard.motherNaturePosition, 0)

    def test_what_characters_change(self) -> None:
        for character in Character:
            position = evolve(rich(character, Character.FARMER), character=character)
            if character is Character.HARVESTER:
                position = evolve(position, banned=Colour.RED)
            dashboard = shown(position).dashboard
            self.assertEqual(dashboard.additionalMNMovements, 2 if character is Character.MESSENGER else 0)
            self.assertEqual(dashboard.doNotCountTowers, character is Character.CENTAUR)
            self.assertEqual(dashboard.doNotCountColor, m.Color.RED if character is Character.HARVESTER else None)
            more = {"ann": 2} if character is Character.KNIGHT else {}
            self.assertEqual([island.extraInfluence for island in dashboard.islands], [more] * 12)
            self.assertEqual(dashboard.playedCharacter, m.CharacterEnum[f"Char{int(character)}"])
            card = dashboard.characters[0]
            assert card is not None
            self.assertEqual((card.isActive, card.UsedBy), (True, "ann"))
            self.assertEqual(card.students is None, int(character) not in (1, 7, 11))
            self.assertLess(len(card.description), 80)

    def test_professors_and_islands(self) -> None:
        position = with_islands(new_position(2), circle((4, GameTower.WHITE), *[(1, None)] * 8))
        board = shown(evolve(position, professors=(Seat(1), None, None, None, Seat(1))))
        self.assertEqual([one.owner for one in board.dashboard.professors], ["bob", None, None, None, "bob"])
        self.assertEqual(board.players[1].schoolBoard.professors, (m.Color.YELLOW, m.Color.PINK))
        island = board.dashboard.islands[0]
        self.assertEqual((island.numUnits, island.towerColor), (4, m.Tower.WHITE))


class ReasonTests(SynchronousTestCase):
    def reason(self, position: Position | None, team: GameTower | None) -> m.EndOfGameReason:
        board = None if position is None else board_of(position)
        return rendering.reason_of(Won(team, (Seat(0),), "why", None), board)

    def test_reasons(self) -> None:
        position, reason = new_position(2), m.EndOfGameReason
        ahead = with_school(position, 0, towers=5)
        professor = evolve(position, professors=(Seat(0), None, None, None, None))
        few = with_islands(position, circle((4, None), (4, None), (4, None)))
        self.assertIs(self.reason(with_school(position, 0, towers=0), GameTower.BLACK), reason.LAST_TOWER_BUILD)
        self.assertIs(self.reason(ahead, GameTower.BLACK), reason.LAST_ROUND_TOWER)
        self.assertIs(self.reason(professor, GameTower.BLACK), reason.LAST_ROUND_PROFESSOR)
        self.assertIs(self.reason(position, GameTower.BLACK), reason.LAST_ROUND_TOWER)
        self.assertIs(self.reason(position, None), reason.LAST_ROUND_TIE)
        self.assertIs(self.reason(few, None), reason.THREE_ISLANDS_REMAINING_TIE)
        self.assertIs(self.reason(with_school(few, 0, towers=1), GameTower.BLACK), reason.THREE_ISLANDS_REMAINING_TOWER)
        self.assertIs(self.reason(None, None), reason.LAST_ROUND_TIE)
        self.assertIs(self.reason(None, GameTower.BLACK), reason.LAST_ROUND_TOWER)


class SettingsTests(SynchronousTestCase):
    def test_every_setting_is_read(self) -> None:
        config = configure({"pace": "50", "ack_seconds": "3", "ping": "1", "separate": "yes"})
        self.assertEqual(config.conversation.keywords, {"pace": 0.05, "ack_seconds": 3.0, "ping": 1.0})
        self.assertEqual(config.queue.pool, "eriantys-java")
        self.assertEqual(configure({}).queue.pool, "")
        self.assertEqual(configure({}).conversation.keywords, {"pace": 0.03, "ack_seconds": 10.5, "ping": 2.0})

    def test_what_cannot_be_used_is_named(self) -> None:
        for name, text in (("pace", "1001"), ("pace", "0.5"), ("ping", "x"), ("strict", "yes")):
            self.assertIn(name, str(self.assertRaises(BadOption, configure, {name: text})))

    def test_the_host_starts_without_the_port(self) -> None:
        """The wire is an extra service; and a person has time to type a name."""
        self.assertFalse(TOKEN.must_listen)
        self.assertEqual((TOKEN.endpoint, TOKEN.login_seconds), ("tcp:25565:interface=127.0.0.1", 120))
        self.assertGreater(SILENT_SECONDS, 5)

    def test_a_board_is_encoded_once_for_a_listener(self) -> None:
        config = configure({})
        board = shown(new_position(2))
        first, second = config.new_codec(), config.new_codec()
        self.assertIs(first._object(board), second._object(board))


WIRE = "eriantys-java"
SETTINGS = {f"{WIRE}.pace": "0", f"{WIRE}.ack_seconds": "0", f"{WIRE}.ping": "0", "limits.unlimited": "yes"}
ANN, BOB = 0, 1
#: What a client says in a match, but for Acks and Pongs.
ACTIONS = (m.PlayAssistant, m.ChosenStudent, m.ChosenDestination, m.ChosenSteps, m.ChosenCloud, m.UseCharacterEffect)


def pieces() -> list[tuple[bytes, list[m.Message]]]:
    codec, found = JavaCodec(BoardCache()), []
    for segment in segments():
        found.append((segment, list(codec.feed(segment))))
    return found


def exchanged(heap: tuple[int, ...], colour: Colour) -> tuple[int, ...]:
    if heap[colour]:
        return heap
    other = max(Colour, key=lambda one: heap[one])
    return plus(plus(heap, other, -1), colour)


def new_card(character: Character) -> Card:
    return Card(character, 1, no_entry_tiles=EFFECTS[character].no_entry_tiles)


class ReplayTests(SynchronousTestCase):
    """
    The dice of the recorded game are not known. So before each answer the table is laid so that the answer is legal, and
    nobody has professors: then no island changes its owner, and all twelve stay.
    """

    def setUp(self) -> None:
        self.host = MemoryHost(SETTINGS)
        self.ann = self.host.connect(WIRE)
        self.ann.say("LoginMessage nickname=ann", "SetGame expertMode=true numberOfPlayers=2")
        self.bob: Client = self.host.connect(WIRE)
        self.told: list[str] = []

    def test_a_whole_game(self) -> None:
        """Every message is accepted, in the segments in which it came, and the match comes to its end."""
        recorded = pieces()
        cards = [one.assistant for _, messages in recorded for one in messages if isinstance(one, m.PlayAssistant)]
        self.cards = [list(m.Assistant).index(card) + 1 for card in cards if card is not None]
        accepted = 0
        for segment, messages in recorded:
            acts = [message for message in messages if isinstance(message, ACTIONS)]
            if acts:
                self.lay(acts[0])
                before = self.entries()
            self.bob.send(segment)
            self.host.wait(0.2)
            if acts:
                self.assertEqual(self.entries(), before + 1, acts)
                accepted += 1
            elif not self.bob.closed:
                self.prepare(messages)
        while self.host.lobby.tables:
            self.ann_acts()
        self.assertEqual(accepted, 97)
        self.told += self.bob.heard()
        self.assertTrue(any(line.startswith("CommunicateWinner") for line in self.told))
        self.assertEqual([line for line in self.told if line.startswith("ErrorMessage")], [])
        self.assertFalse(self.bob.closed)

    def entries(self) -> int:
        return sum(map(len, self.host.journal.entries.values()))

    def prepare(self, messages: list[m.Message]) -> None:
        self.told += self.bob.heard()
        if any(isinstance(message, m.JoinAvailableGame) for message in messages):
            self.ann.say("ChosenTower color=WHITE")
        if any(isinstance(message, m.ChosenTower) for message in messages):
            self.ann.say("ChosenWizard wizardID=2")

    def lay(self, message: m.Message) -> None:
        """Have Bob be asked, and make his answer legal."""
        master = master_of(self.host)
        while master.request.seat != BOB:
            self.ann_acts()
        state = master._state
        position = self.with_cards(evolve(state.position, professors=(None,) * 5))
        request = state.request
        if isinstance(message, m.ChosenStudent) and message.student is not None:
            position = self.with_student(position, request, Colour[message.student.name])
        if isinstance(message, m.ChosenCloud) and not any(position.clouds[message.cloud]):
            position = evolve(position, clouds=position.clouds[::-1])
        state = evolve(state, position=position)
        master._state = evolve(state, request=self.request(state, request))

    def with_cards(self, position: Position) -> Position:
        """The two characters that Bob uses, and as many coins as he needs."""
        wanted = {Character.MINSTREL, *self.others()}
        more = [one for one in (Character.KNIGHT, Character.FARMER, Character.CENTAUR) if one not in wanted]
        laid = {card.character: card for card in position.cards}
        cards = tuple(laid.get(one) or new_card(one) for one in [*sorted(wanted), *more][:3])
        school = evolve(position.schools[BOB], coins=9)
        return evolve(position, cards=cards, schools=(position.schools[ANN], school))

    def others(self) -> set[Character]:
        used = [one for _, messages in pieces() for one in messages if isinstance(one, m.UseCharacterEffect)]
        return {Character(int(one.character.name.removeprefix("Char"))) for one in used if one.character is not None}

    def with_student(self, position: Position, request: e.Ask, colour: Colour) -> Position:
        """A student of this colour where it is chosen from."""
        school = position.schools[BOB]
        from_dining = isinstance(request, e.AskCardStudent) and request.students == school.dining
        if from_dining:
            school = evolve(school, dining=exchanged(school.dining, colour))
        else:
            school = evolve(school, entrance=exchanged(school.entrance, colour))
        return evolve(position, schools=(position.schools[ANN], school))

    def request(self, state: Any, request: e.Ask) -> e.Ask:
        school = state.position.schools[BOB]
        if isinstance(request, e.AskStudent):
            return evolve(request, students=school.entrance)
        if isinstance(request, e.AskCardStudent):
            was_dining = state.effect.picked is not None
            return evolve(request, students=school.dining if was_dining else school.entrance)
        if isinstance(request, e.AskCloud):
            full = tuple(place for place, cloud in enumerate(state.position.clouds) if any(cloud))
            return evolve(request, clouds=full)
        return request

    def ann_acts(self) -> None:
        master = master_of(self.host)
        state = master._state
        master._state = evolve(state, position=evolve(state.position, professors=(None,) * 5))
        request = master.request
        match request:
            case e.AskAssistant(_, hand):
                bobs = self.cards[state.position.round - 1]
                card = next((one for one in hand if one != bobs), hand[0])
                self.ann.say(f"PlayAssistant assistant={list(m.Assistant)[card - 1].name}")
            case e.AskStudent(_, students):
                colour = next(one for one in Colour if students[one])
                self.ann.say(f"ChosenStudent student={colour.name}")
            case e.AskDestination():
                self.ann.say("ChosenDestination destination=7")
            case e.AskSteps():
                self.ann.say("ChosenSteps steps=1")
            case e.AskCloud(_, clouds):
                self.ann.say(f"ChosenCloud cloud={clouds[-1]}")
        self.ann.heard()
        self.told += self.bob.heard()
