"""What the host reads from clients that send Java objects: the recorded messages, every cut, and hostile streams."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java.classes import CLASSES
from gamehost.wires.eriantys_java.client import JavaClientCodec
from gamehost.wires.eriantys_java.codec import _BY_NAME, _CONSTANTS, BoardCache, JavaCodec
from gamehost.wires.eriantys_java.messages import CommunicationMessage, ErrorMessage, Message
from gamehost.wires.eriantys_java.stream import HEADER
from gamehost.wires.eriantys_java.values import Assistant, CharacterEnum, Color, GameInfo, Tower
from gamehost.wires.framing import OtherProtocol, WireError
from tests.kit.wires.eriantys_java_hostile import BEFORE_COLOUR, BEFORE_NAME, GAME, HOSTILE, LOGIN, TOWER, said
from tests.kit.wires.eriantys_java_vectors import recorded, segments
from tests.kit.wires.eriantys_java_words import JavaWords


def greeted() -> JavaCodec:
    """A codec that has read the stream's header."""
    codec = JavaCodec(BoardCache())
    assert list(codec.feed(HEADER)) == []
    return codec


class JavaCodecTests(CodecContract, PropertyCase):
    """What all codecs do."""

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
            m.ChosenTower(Tower.GREY),
            m.ChosenWizard(1),
            m.PlayAssistant(Assistant.ARCHER_CAT),
            m.ChosenStudent(Color.PINK),
            m.ChosenStudent(None),
            m.ChosenDestination(-1),
            m.ChosenSteps(3),
            m.ChosenCloud(0),
            m.UseCharacterEffect(CharacterEnum.Char12),
        )
    )
    sent = (
        (CommunicationMessage.ENTER_NICKNAME, "ENTER_NICKNAME"),
        (ErrorMessage.FULL_GAME, "ErrorMessage FULL_GAME"),
        (m.WaitingForPlayers(7), "WaitingForPlayers gameID=7"),
        (m.AvailableGames((GameInfo(True, 3, 4, 1),)), "AvailableGames availableGames=[(3: 1 of 4, expert)]"),
        (m.PlayerDisconnected("Zdeněk"), "PlayerDisconnected nickname=Zdeněk"),
        (m.MovableStudents((Color.RED, Color.RED)), "MovableStudents students=[RED RED]"),
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
    """Bytes of the published programs."""

    def test_messages_of_clients(self) -> None:
        """Each is read, and written again as the same bytes."""
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
        codec, found = JavaCodec(BoardCache()), list[Message]()
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
    """The first four bytes of each side."""

    def test_the_hosts_header_comes_once(self) -> None:
        """In front of its first message."""
        codec = JavaCodec(BoardCache())
        self.assertTrue(codec.encode(CommunicationMessage.ENTER_NICKNAME).startswith(HEADER + b"\x79\x7e"))
        self.assertTrue(codec.encode(CommunicationMessage.SUCCESS).startswith(b"\x79\x7e"))

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
        """Any number of them is no message, and nothing is kept of them."""
        codec = greeted()
        for _ in range(10):
            self.assertEqual(list(codec.feed(b"\x79" * 30_000)), [])
            self.assertFalse(codec.unfinished)
        self.assertEqual(list(codec.feed(LOGIN)), [m.LoginMessage("ann")])


class StrictTests(SynchronousTestCase):
    """What is read is exactly what the tables have."""

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
    """Names in modified UTF-8."""

    @given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
    def test_every_name(self, name: str) -> None:
        """What Java can write is read, and the same bytes are written."""
        data = said(m.LoginMessage(name))
        self.assertEqual(list(greeted().feed(data)), [m.LoginMessage(name)])

    @given(st.binary(max_size=12))
    def test_only_one_form_is_read(self, data: bytes) -> None:
        """Bytes either are what would be written, or are refused: no two forms of one name."""
        try:
            [message] = greeted().feed(BEFORE_NAME + b"\x74" + len(data).to_bytes(2, "big") + data + b"\x79")
        except WireError:
            return
        self.assertIn(b"\x74" + len(data).to_bytes(2, "big") + data, said(message))
