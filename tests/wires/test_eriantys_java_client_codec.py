"""The client's side of the Java objects."""

import random
from collections.abc import Sequence

from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.cases import PropertyCase
from gamehost.testing.client_codec_contract import ClientCodecContract
from gamehost.testing.wire_fuzzing import chunked
from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java import values as v
from gamehost.wires.eriantys_java.client import JavaClientCodec
from gamehost.wires.eriantys_java.codec import BoardCache, JavaCodec
from gamehost.wires.eriantys_java.object_reader import SERVER_MESSAGE_LIMIT
from gamehost.wires.eriantys_java.stream import HEADER
from gamehost.wires.framing import WireError
from tests.kit.wires.eriantys_java_hostile import HOSTILE, described

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
INTS = st.integers(-(2**31), 2**31 - 1)
ANY_INTS = INTS | st.integers()
COLORS, TOWERS, ASSISTANTS = map(st.sampled_from, (v.Color, v.Tower, v.Assistant))
HEAPS = st.lists(COLORS, max_size=5).map(tuple)
INFOS = st.builds(v.GameInfo, st.booleans(), INTS, INTS, INTS)
#: Small tables: large boards are read in the tests of recorded messages.
SEATS = st.lists(NAMES, min_size=1, max_size=2, unique=True)


@st.composite
def players(draw: st.DrawFn, names: list[str], owners: dict[v.Color, str | None]) -> tuple[v.Player, ...]:
    """Players of one table; the professors that each has are those of the board."""
    found = []
    for name in names:
        dining = v.DiningRoom(draw(st.booleans()), {color: draw(INTS) for color in v.Color})
        own = tuple(color for color, owner in owners.items() if owner == name)
        board = v.SchoolBoard(draw(INTS), draw(INTS), dining, v.Entrance(draw(HEAPS)), own, draw(st.none() | TOWERS))
        hand = tuple(draw(st.lists(ASSISTANTS, max_size=3, unique=True)))
        played, status = draw(st.none() | ASSISTANTS), draw(st.none() | st.sampled_from(v.PlayerStatus))
        found.append(
            v.Player(draw(INTS), hand, draw(st.none() | st.builds(v.Cloud, HEAPS)), name, played, board, status)
        )
    return tuple(found)


@st.composite
def islands(draw: st.DrawFn, names: list[str]) -> v.Island:
    """A group of islands."""
    more = draw(st.dictionaries(st.sampled_from(names), INTS, max_size=2)) if names else {}
    return v.Island(draw(INTS), draw(INTS), more, draw(HEAPS), draw(st.none() | TOWERS))


@st.composite
def cards(draw: st.DrawFn) -> tuple[v.CharacterCard | None, ...]:
    """The characters: three, or none."""
    numbers = draw(st.lists(st.sampled_from(v.CharacterEnum), min_size=3, max_size=3, unique=True) | st.just([]))
    heaps, names = st.none() | HEAPS, st.none() | NAMES
    return tuple(
        v.CharacterCard(draw(INTS), draw(st.booleans()), draw(INTS), draw(names), draw(NAMES), draw(heaps), one)
        for one in numbers
    ) or (None, None, None)


@st.composite
def boards(draw: st.DrawFn) -> m.UpdateBoard:
    """A board on which everything that refers to another thing finds it."""
    names = draw(SEATS)
    owners: dict[v.Color, str | None] = {color: draw(st.none() | st.sampled_from(names)) for color in v.Color}
    characters = draw(cards())
    played = st.sampled_from([None, *(card.value for card in characters if card is not None)])
    dashboard = v.Dashboard(
        additionalMNMovements=draw(INTS),
        doNotCountTowers=draw(st.booleans()),
        motherNaturePosition=draw(INTS),
        bag=v.Bag(draw(HEAPS)),
        characters=characters,
        clouds=tuple(draw(st.lists(st.builds(v.Cloud, HEAPS), max_size=1))),
        doNotCountColor=draw(st.none() | COLORS),
        islands=tuple(draw(st.lists(islands(names), max_size=1))),
        playedCharacter=draw(played),
        professors=tuple(v.Professor(color, owner) for color, owner in owners.items()),
    )
    return m.UpdateBoard(dashboard, draw(players(names, owners)))


TABLES = SEATS.flatmap(lambda names: players(names, {}))
CHARACTERS = st.sampled_from(v.CharacterEnum)


class JavaClientCodecTests(ClientCodecContract, PropertyCase):
    """What one side writes, the other side reads."""

    server_messages = {
        m.CommunicationMessage: st.sampled_from(m.CommunicationMessage),
        m.ErrorMessage: st.sampled_from(m.ErrorMessage),
        m.Ping: st.builds(m.Ping),
        m.PlayerStatusMessage: st.builds(m.PlayerStatusMessage, st.sampled_from(v.PlayerStatus)),
        m.AvailableGames: st.builds(m.AvailableGames, st.lists(INFOS, max_size=4).map(tuple)),
        m.JoinAlreadyExistingGame: st.builds(m.JoinAlreadyExistingGame, INFOS),
        m.UpdateLobby: st.builds(m.UpdateLobby, INFOS),
        m.WaitingForPlayers: st.builds(m.WaitingForPlayers, INTS),
        m.MatchStarted: st.builds(m.MatchStarted, TABLES),
        m.AvailableTowers: st.builds(
            m.AvailableTowers,
            st.dictionaries(TOWERS, INTS, max_size=3),
            TABLES.map(lambda table: {v.Tower.BLACK: table, v.Tower.WHITE: table[:1]}),
        ),
        m.AvailableWizards: st.builds(m.AvailableWizards, st.lists(INTS, max_size=4).map(tuple)),
        m.AvailableAssistants: st.builds(
            m.AvailableAssistants,
            st.lists(ASSISTANTS, max_size=3).map(tuple),
            TABLES.map(lambda table: tuple((player, v.Assistant.DOG) for player in table)),
        ),
        m.PlayedAssistant: st.builds(m.PlayedAssistant, ASSISTANTS, NAMES),
        m.StartOfPlayerRound: st.builds(m.StartOfPlayerRound, INTS, NAMES),
        m.MovableStudents: st.builds(m.MovableStudents, HEAPS),
        m.MovableStudentsChar: st.builds(m.MovableStudentsChar, HEAPS),
        m.WhereToMove: st.builds(m.WhereToMove),
        m.MotherNatureSteps: st.builds(m.MotherNatureSteps, INTS),
        m.SelectCloud: st.builds(m.SelectCloud),
        m.SelectColor: st.builds(m.SelectColor),
        m.IslandOwner: st.builds(m.IslandOwner, islands([]), NAMES),
        m.PlayedCharacter: st.builds(m.PlayedCharacter, CHARACTERS, NAMES),
        m.EndOfPlayerRound: st.builds(m.EndOfPlayerRound, INTS, NAMES),
        m.EndOfRound: st.builds(m.EndOfRound, INTS),
        m.CommunicateWinner: st.builds(
            m.CommunicateWinner,
            st.lists(NAMES, max_size=4).map(tuple),
            st.none() | TOWERS,
            st.sampled_from(v.EndOfGameReason),
        ),
        m.PlayerDisconnected: st.builds(m.PlayerDisconnected, NAMES),
        m.UpdateBoard: boards(),
    }
    client_messages = {
        m.Ack: st.builds(m.Ack),
        m.Pong: st.builds(m.Pong),
        m.Disconnect: st.builds(m.Disconnect),
        m.LoginMessage: st.builds(m.LoginMessage, st.none() | NAMES | st.text(max_size=5) | st.just("x" * 300)),
        m.RequestGames: st.builds(m.RequestGames),
        m.SetGame: st.builds(m.SetGame, st.booleans() | INTS, ANY_INTS),
        m.JoinAvailableGame: st.builds(m.JoinAvailableGame, ANY_INTS),
        m.ChosenTower: st.builds(m.ChosenTower, st.none() | TOWERS | COLORS),
        m.ChosenWizard: st.builds(m.ChosenWizard, ANY_INTS | st.none()),
        m.PlayAssistant: st.builds(m.PlayAssistant, st.none() | ASSISTANTS),
        m.ChosenStudent: st.builds(m.ChosenStudent, st.none() | COLORS | st.just("RED")),
        m.ChosenDestination: st.builds(m.ChosenDestination, ANY_INTS),
        m.ChosenSteps: st.builds(m.ChosenSteps, ANY_INTS),
        m.ChosenCloud: st.builds(m.ChosenCloud, ANY_INTS),
        m.UseCharacterEffect: st.builds(m.UseCharacterEffect, st.none() | CHARACTERS),
    }

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

    def test_the_types_are_all(self) -> None:
        """Every message of the wire is drawn."""
        self.assertEqual(set(self.server_messages), set(m.SERVER_TYPES.values()))
        self.assertEqual(set(self.client_messages), set(m.CLIENT_TYPES.values()))


def listed(items: bytes, size: int) -> bytes:
    """An ArrayList as the first one of a message."""
    count = size.to_bytes(4, "big")
    head = described("java.util.ArrayList", 0x7881D21D99C7619D, 3, b"\0\1I\0\4size")
    return b"\x73" + head + count + b"\x77\4" + count + items + b"\x78"


class HostileServerTests(SynchronousTestCase):
    """A client can trust no server either."""

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
        """It has no end, and is refused."""
        message = JavaCodec(BoardCache()).encode(m.MovableStudents((v.Color.RED,)))
        at = message.index(b"\x7e\x72")
        # Handles: the descriptor, the signature, the message, the list's descriptor, the list.
        whole = message[:at] + b"\x71\0\x7e\0\4\x78"
        self.assertRaises(WireError, list, JavaClientCodec().feed(whole))

    def test_parts_of_another_class(self) -> None:
        """Fields and the contents of lists are what the message says that they are."""
        games = JavaCodec(BoardCache()).encode(m.AvailableGames((v.GameInfo(True, 1, 2, 3),)))
        students = JavaCodec(BoardCache()).encode(m.MovableStudents((v.Color.RED,)))
        mixed = games[: games.index(b"\x73\x72\0\x1eit.p")] + students[students.index(b"\x7e\x72") :]
        self.assertRaises(WireError, list, JavaClientCodec().feed(mixed))
        started = JavaCodec(BoardCache()).encode(m.StartOfPlayerRound(1, "ann"))
        self.assertRaises(
            WireError, list, JavaClientCodec().feed(started[:-6] + students[students.index(b"\x7e\x72") : -1])
        )
        self.assertRaises(WireError, list, JavaClientCodec().feed(HEADER + b"\x79\x74\0\3ann"))
        self.assertRaises(WireError, list, JavaClientCodec().feed(HEADER + b"\x73"))
