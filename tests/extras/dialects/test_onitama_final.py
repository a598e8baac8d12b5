"""Onitama in messages that end in a zero byte."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.dialects.onitama_final import MESSAGE_LIMIT, WIRE
from gamehost.extras.dialects.onitama_final import messages as m
from gamehost.extras.dialects.onitama_final.client import FinalClientCodec, read_server
from gamehost.extras.dialects.onitama_final.codec import FinalCodec, parse
from gamehost.extras.dialects.onitama_final.conversation import PAUSE, FinalState, row_and_column, square_at, squares_of
from gamehost.extras.dialects.onitama_final.messages import SERVER_COMMANDS
from gamehost.games.onitama.rules import SQUARES, Exchange, Move, Position
from gamehost.testing import memory_host
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import ClientCodecContract, CodecContract
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.framing import BLANK, NOT_UTF8, OtherProtocol, WireError
from tests.kit.drawn_messages import drawn
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import HOME, Client, MemoryHost, ZeroBytes, master_of
from tests.kit.pages import answers
from tests.kit.sources import ROOT

FINAL = "onitama-final"
DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}
START = "START|bob|ann|crab|eel|tiger|boar|ox"
#: White: tiger and horse cannot move.
STUCK = Position((("tiger", "horse"), ("crab", "eel")), "ox", "P....P....K....P....P..k.")  # type: ignore[arg-type]


def entered(host: MemoryHost, name: str, wire: str = FINAL) -> Client:
    client = host.connect(wire)
    client.say(f"LOGIN|{name}")
    return client


def seated(host: MemoryHost, *wires: str) -> tuple[Client, Client]:
    """Ann (White) and Bob (Black) at a table, the second behind START over, and nothing unheard."""
    first, second = wires or (FINAL, FINAL)
    ann, bob = entered(host, "ann", first), entered(host, "bob", second)
    host.wait(1)
    ann.heard(), bob.heard()
    return ann, bob


def said(action: Move | Exchange, wire: str) -> str:
    match action, wire:
        case Move(card, start, end), "onitama":
            return f"MAKE_MOVE|{card}|{SQUARES[start]}|{SQUARES[end]}"
        case Move(card, start, end), _:
            return "|".join(("MAKE_MOVE", card, *row_and_column(start), *row_and_column(end)))
        case Exchange(card), "onitama":
            return f"STALEMATE|{card}"
    return f"MAKE_PASS|{action.card}"


class PingedHost(memory_host.MemoryHost):
    """A host whose logged-in clients ping every ten seconds while more than half a minute passes."""

    def connect(self, wire: str = "onitama-final", address: str = "192.0.2.1") -> Client:
        client = super().connect(wire, address)
        self.__dict__.setdefault("clients", []).append(client)
        return client

    def wait(self, seconds: float) -> None:
        while seconds > 30:
            super().wait(10)
            seconds -= 10
            for client in self.__dict__.get("clients", ()):
                if not client.closed and not client.transport.disconnecting and client.state is not FinalState.OUTSIDE:
                    client.send(b"PING|PING\0")
        super().wait(seconds)


class WireTests(WireContract, PropertyCase):
    """What all wires do. Before a match is set up, the second behind START passes."""

    wire = WIRE
    transcripts = HOME
    text = ZeroBytes
    host_class = PingedHost
    host_settings = DEAL
    begun = b"LOGIN|aaaaa"
    too_long = b"x" * 256 + b"\0"
    nonsense = (
        *(b"canary\0", b"\x1b[2Jcanary\0", b"canary\x07\0", b"LOGIN|canary\x1b\0", b"LOGIN|canary canary\0"),
        *(b"MAKE_MOVE|\x1b[2Jcanary|4|2|3|2\0", b"MAKE_PASS|canary\x07\0", b"START|canary\x7f\0", b"canary\xff\0"),
    )

    def log_in(self, name: str) -> bytes:
        return f"LOGIN|{name}\0".encode()

    def set_up(self, first: Client, second: Client) -> None:
        first.world.wait(PAUSE)

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"MAKE_MOVE|ox|4|2|3|2\0"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"MAKE_MOVE|ox|4|2|0|2\0"


PAGE = ROOT / "docs" / "extras" / "dialects" / "onitama-final.rst"

#: What is sent for each row of the page's table.
SENT = {
    "LOGIN": [b"LOGIN|carl"],
    "MAKE_MOVE": [b"MAKE_MOVE|ox|4|2|3|2", b"MAKE_MOVE|ox|4|2|0|2", b"MAKE_MOVE|ox|5|2|-1|x", b"MAKE_MOVE|||||"],
    "MAKE_PASS": [b"MAKE_PASS|ox", b"MAKE_PASS|lion", b"MAKE_PASS|"],
    "PING": [b"PING|PING", b" PING | PI\nNG"],
    "LOGIN with wrong fields": [b"LOGIN", b"LOGIN|a|b"],
    "MAKE_MOVE with wrong fields": [b"MAKE_MOVE", b"MAKE_MOVE|ox|4|2|3", b"MAKE_MOVE|ox|4|2|3|2|"],
    "MAKE_PASS with wrong fields": [b"MAKE_PASS", b"MAKE_PASS|ox|boar"],
    "PING with wrong fields": [b"PING", b"PING|", b"PING|pong"],
    "a message of the server": [
        form for name in {*SERVER_COMMANDS.values()} - {"PING"} for form in (name.encode(), name.encode() + b"|ann|bob")
    ],
    "a call for help": [b"help", b"HELP", b"?", b"quit", b" exit\r\n"],
    "anything else": [b"hello", b"login|ann", b"|", b"\x1b[2J", "ťah".encode(), b'{"type": 1}', b"x" * 255],
    "a message that is not UTF-8": [b"LOGIN|\xc3\x28", b"\xc0\xaf"],
    "an empty message": [b"", b" \n"],
}


class AnswersTests(SynchronousTestCase):
    def in_state(self, state: str) -> Client:
        host = MemoryHost(DEAL)
        client = host.connect(FINAL)
        if state == "waiting":
            client.say("LOGIN|ann")
        elif state == "playing":
            client, _ = seated(host)
        self.assertEqual(client.state, FinalState(state))
        client.heard()
        return client

    def test_every_message_in_every_state(self) -> None:
        """Each is answered as the page says, within what a client can read at once, and a refusal changes nothing."""
        rows = answers(PAGE, "answers", ("outside", "waiting", "playing"))
        self.assertEqual(set(rows), set(SENT), "the table and this test speak of the same messages")
        for message, row in rows.items():
            for state, answer in row.items():
                for data in SENT[message]:
                    client = self.in_state(state)
                    client.send(data + b"\0")
                    heard = client.heard()
                    commands = [line.split("|")[0] for line in heard]
                    expected = {
                        "log in": (["WAITING"],),
                        "act": (["MOVE_WAS_MADE"], ["INVALID_MOVE"]),
                        "nothing": ([],),
                    }
                    self.assertIn(commands, expected.get(answer, ([answer],)), (data, state))
                    if answer != "log in":
                        self.assertEqual(client.state, FinalState(state), (data, state))
                    self.assertFalse(client.transport.disconnecting, (data, state))
                    for line in heard:
                        self.assertLess(len(line.encode()), 255)
                        if line.startswith(("FAILED", "INVALID_MOVE")):
                            self.assertEqual(line.count("|"), 1, line)

    def test_names(self) -> None:
        """Ten characters at most, none mended, and the next one may be right."""
        client = MemoryHost().connect(FINAL)
        bad = (
            "elevenchars",
            "a b",
            " ann",
            "ann ",
            "ann\n",
            "draw",
            "help",
            "easy.1",
            "a:b",
            "e\u0301",
            "a/b",
            "\u202ea",
        )
        for name in bad:
            [answer] = client.ask(f"LOGIN|{name}")
            self.assertTrue(answer.startswith("FAILED|"), (name, answer))
        self.assertEqual(client.ask("LOGIN|Zden\u011bk.123"), ["WAITING|Zden\u011bk.123"])

    def test_squares(self) -> None:
        self.assertEqual([square_at(*row_and_column(square)) for square in range(25)], list(range(25)))
        self.assertEqual((square_at("4", "2"), square_at("0", "0")), (SQUARES.index("c1"), SQUARES.index("a5")))
        for word in ("5", "-1", "04", "", "x", "\u0661", "+1"):
            self.assertIs(square_at(word, "0"), None)
            self.assertIs(square_at("0", word), None)


class PaceTests(SynchronousTestCase):
    def test_waiting_comes_before_every_start(self) -> None:
        host = MemoryHost({**DEAL, "onitama.max_plies": "1"})
        ann, bob = entered(host, "ann"), entered(host, "bob")
        self.assertEqual((ann.heard(), bob.heard()), (["WAITING|ann", START], ["WAITING|bob", START]))
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        host.wait(1)
        self.assertEqual(bob.heard(), ["MOVE_WAS_MADE|ox|4|2|3|2", "GAME_OVER|draw"])
        bob.say("LOGIN|bob")
        self.assertEqual(ann.ask("LOGIN|ann"), ["WAITING|ann", "START|ann|bob|crab|eel|tiger|boar|ox"])

    def test_nothing_but_ping_for_a_second_behind_start(self) -> None:
        host = MemoryHost(DEAL)
        ann, bob = entered(host, "ann"), entered(host, "bob")
        ann.heard(), bob.heard()
        self.assertEqual(ann.ask("MAKE_MOVE|ox|4|2|0|2", "MAKE_MOVE|ox|4|2|3|2"), [])
        self.assertEqual(bob.ask("PING|PING"), ["PING|PING"])
        host.wait(0.99)
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        host.wait(0.01)
        moved = "MOVE_WAS_MADE|ox|4|2|3|2"
        self.assertEqual((ann.heard(), bob.heard()), (["INVALID_MOVE|that card does not lead there", moved], [moved]))

    def test_an_absence_that_was_not_told_is_forgotten(self) -> None:
        """DISCONNECT and RECONNECT of the same second cancel each other; later ones are told."""
        host = MemoryHost(DEAL)
        ann, bob = entered(host, "ann"), entered(host, "bob")
        ann.heard()
        bob.drop()
        bob = entered(host, "bob")
        host.wait(1)
        self.assertEqual(ann.heard(), [])
        bob.drop()
        entered(host, "bob")
        self.assertEqual(ann.heard(), ["DISCONNECT|bob", "RECONNECT|bob"])

    def test_a_seat_is_taken_back_at_once(self) -> None:
        """The wire has no keys, so nobody waits as somebody without a key does on other wires."""
        host = MemoryHost(DEAL | {"limits.keyless_resume_seconds": "3"})
        _, bob = seated(host)
        bob.drop()
        [line] = entered(host, "bob").heard()
        self.assertTrue(line.startswith("RECONNECT|"), line)

    def test_who_comes_back_hears_of_the_other_s_absence_after_the_second(self) -> None:
        """RECONNECT with 34 fields first, and no WAITING."""
        host = MemoryHost(DEAL)
        ann, bob = seated(host)
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        ann.drop()
        bob.drop()
        bob = entered(host, "bob")
        [line] = bob.heard()
        self.assertEqual((line.split("|")[0], line.count("|")), ("RECONNECT", 34))
        host.wait(1)
        self.assertEqual(bob.heard(), ["DISCONNECT|ann"])

    def test_what_is_held_back_is_sent_when_the_connection_closes(self) -> None:
        host = MemoryHost(DEAL)
        ann, bob = entered(host, "ann"), entered(host, "bob")
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        bob.heard()
        host.factories[FINAL].close("the host is stopping")
        self.assertEqual(bob.heard(), ["MOVE_WAS_MADE|ox|4|2|3|2", "FAILED|the host is stopping"])

    def test_no_write_has_more_bytes_than_a_client_reads(self) -> None:
        """Whole messages, 255 bytes at most in one piece, however many a client provokes."""
        client = entered(MemoryHost(), "ann")
        client.transport.read()
        written: list[bytes] = []
        write = client.transport.write

        def watched(data: bytes) -> None:
            written.append(data)
            write(data)

        client.transport.write = watched  # type: ignore[method-assign]
        client.say(*["PING|PING"] * 40, "hello", "PING|PING")
        self.assertEqual(len(b"".join(written).split(b"\0")), 43)
        self.assertGreater(len(written), 1)
        for data in written:
            self.assertLessEqual(len(data), 255)
            self.assertTrue(data.endswith(b"\0"))

    def test_silence(self) -> None:
        """A player who has sent nothing for 30 s is away, and the seat is kept; one who pings may wait."""
        host = MemoryHost(DEAL)
        ann, bob = seated(host)
        for _ in range(4):
            host.wait(10)
            bob.send(b"PING|PING\0")
        host.wait(0)
        self.assertTrue(ann.closed)
        self.assertIn("DISCONNECT|ann", bob.heard())
        self.assertEqual(entered(host, "ann").heard()[0].count("|"), 34)

    def test_time_to_type_a_name(self) -> None:
        for pings in (False, True):
            host = MemoryHost()
            client = host.connect(FINAL)
            for _ in range(11):
                host.wait(10)
                client.say(*["PING|PING"] * pings)
            host.wait(9.9)
            self.assertFalse(client.closed)
            host.wait(0.2)
            self.assertEqual(client.heard()[-1], "FAILED|not logged in within 120 s")

    def test_who_looks_at_the_end_may_be_silent_for_some_time(self) -> None:
        host = MemoryHost({**DEAL, "onitama.max_plies": "1"})
        ann, _ = seated(host)
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        host.wait(300)
        self.assertFalse(ann.closed)
        self.assertEqual(ann.ask("LOGIN|ann"), ["WAITING|ann"])

    def test_who_looks_at_the_end_for_ever_is_closed(self) -> None:
        host = MemoryHost({**DEAL, "onitama.max_plies": "1"})
        ann, _ = seated(host)
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        host.wait(599)
        ann.say("PING|PING")
        self.assertFalse(ann.closed)
        host.wait(1)
        self.assertEqual(ann.heard()[-1], "FAILED|not logged in within 600 s")


RECORDED = ROOT / "tests" / "vectors" / "onitama_final.jsonl"


class AcrossTests(PropertyCase):
    def test_a_pass_is_an_exchange_for_the_spare(self) -> None:
        """At a table with a player of this wire, in either seat; two players of the document exchange with the pack."""
        for wires in ((FINAL, "onitama"), ("onitama", FINAL), (FINAL, FINAL)):
            host = MemoryHost(DEAL)
            ann, bob = seated(host, *wires)
            master_of(host).position = STUCK
            ann.say(said(Exchange(STUCK.hands[0][1]), wires[0]))
            told = {FINAL: "PASS_WAS_MADE|horse", "onitama": "STALEMATE_CARD|horse|ox"}
            self.assertEqual((ann.heard(), bob.heard()), ([told[wires[0]]], [told[wires[1]]]))
            self.assertEqual(master_of(host).position.spare, "horse")
        host = MemoryHost(DEAL)
        ann, _ = seated(host, "onitama", "onitama")
        master_of(host).position = STUCK
        self.assertEqual(ann.ask("STALEMATE|horse")[0].split("|")[:2], ["STALEMATE_CARD", "horse"])
        self.assertEqual(master_of(host).position.spare, "ox")

    def test_a_long_name_of_the_document_s_wire(self) -> None:
        host = MemoryHost(DEAL)
        entered(host, "x" * 20, "onitama")
        self.assertEqual(entered(host, "bob").heard()[1].split("|")[:3], ["START", "bob", "x" * 20])

    def test_a_seat_of_another_wire_is_kept_there(self) -> None:
        host = MemoryHost(DEAL)
        _, bob = seated(host, FINAL, "onitama")
        bob.drop()
        [line] = entered(host, "bob").heard()
        self.assertRegex(line, r"^FAILED\|your seat at Onitama table 1 on the wire onitama is kept for ")

    def test_an_end_that_was_missed_in_a_crash(self) -> None:
        journal = RecordingJournal(late=True)
        host = MemoryHost({**DEAL, "onitama.max_plies": "1"}, journal=journal)
        ann, _ = entered(host, "ann"), entered(host, "bob")
        journal.release()
        host.wait(1)
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        again = MemoryHost(journal=journal.restarted())
        again.journal.late = False
        ann = entered(again, "ann")
        again.wait(1)
        heard = ann.heard()
        self.assertEqual((heard[0].count("|"), heard[1:]), (34, ["GAME_OVER|draw"]))
        self.assertEqual(ann.ask("LOGIN|ann"), ["WAITING|ann"])


class RecordedTests(SynchronousTestCase):
    def test_the_recorded_games(self) -> None:
        """
        All that the clients sent is sent to the host, and each client hears what it heard then.

        The texts of refusals are the host's own. The published server makes the first player Black, so here the players of
        each game log in in the other order. That leaves out a log-in that was refused because the name was in use.
        """
        segments = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
        self.assertEqual([one["text"].split("|")[0] for one in segments[2:4]], ["LOGIN", "FAILED"])
        del segments[2:4]
        middle = next(n for n, one in enumerate(segments) if n > 1 and one["text"].startswith("LOGIN|ann"))
        deals = ("dragon,goose/mantis,monkey/ox", "ox,horse/rooster,eel/mantis")
        for part, deal in zip((segments[:middle], segments[middle:]), deals, strict=True):
            self.replay(part, MemoryHost({"onitama.deal": deal}))

    def replay(self, segments: list[dict[str, Any]], host: MemoryHost) -> None:
        first = next(one for one in segments if one["text"] == "LOGIN|bob\\0")
        numbers = {one["conn"] for one in segments}
        clients = {number: host.connect(FINAL) for number in numbers}
        expected: dict[int, list[str]] = {number: [] for number in numbers}
        heard: dict[int, list[str]] = {number: [] for number in numbers}
        for one in [first, *(one for one in segments if one is not first)]:
            data = bytes.fromhex(one["hex"])
            if one["dir"] == "C":
                clients[one["conn"]].send(data)
            else:
                expected[one["conn"]] += self.without_texts(data.decode().split("\0")[:-1])
                if one["text"].startswith(("START", "RECONNECT")):
                    host.wait(1)
                if one["text"].startswith("DISCONNECT"):
                    clients[2].drop()
            for number, client in clients.items():
                heard[number] += self.without_texts(client.heard())
        self.assertEqual(heard, expected)

    def without_texts(self, messages: list[str]) -> list[str]:
        return [one.split("|")[0] if one.startswith(("FAILED", "INVALID_MOVE")) else one for one in messages]


class PositionTests(PropertyCase):
    def test_start(self) -> None:
        position = replace(STUCK, board="PPKPP...............ppkpp")
        squares = squares_of(position)
        self.assertEqual(squares[:5], ("bP", "bP", "bK", "bP", "bP"))
        self.assertEqual(squares[20:], ("wP", "wP", "wK", "wP", "wP"))


CARDS = ("crab", "eel", "tiger", "boar", "ox")
#: The longest names: one of this wire, and one of another.
LONG, LONGER = "\U00010400" * 10, "\U00010400" * 20


class FinalCodecTests(CodecContract, PropertyCase):
    spreads = True
    text = ZeroBytes
    read = (
        ("LOGIN|Zden\u011bk\0".encode(), m.Login("Zden\u011bk")),
        (b"LOGIN| a b\0", m.Login(" a b")),
        (b" LO GIN\n|ann\0", m.Login("ann")),
        (b"MAKE_MOVE|tiger|4|2|2|2\0", m.MakeMove("tiger", "4", "2", "2", "2")),
        (b"MAKE_MOVE | t iger| 4 |2\n|2|2\0", m.MakeMove("tiger", "4", "2", "2", "2")),
        (b"MAKE_PASS|ox\0", m.MakePass("ox")),
        (b"PING|PING\0", m.Ping()),
    )
    sent = (
        (m.Waiting("Zden\u011bk"), "WAITING|Zden\u011bk"),
        (m.Failed("why"), "FAILED|why"),
        (m.Start("bob", "ann", CARDS), "START|bob|ann|crab|eel|tiger|boar|ox"),
        (m.MoveWasMade("ox", "4", "2", "3", "2"), "MOVE_WAS_MADE|ox|4|2|3|2"),
        (m.PassWasMade("ox"), "PASS_WAS_MADE|ox"),
        (m.InvalidMove("why"), "INVALID_MOVE|why"),
        (m.Disconnect("bob"), "DISCONNECT|bob"),
        (m.Reconnect("bob"), "RECONNECT|bob"),
        (
            m.Restore("bob", "ann", CARDS, True, False, ("bK", *["--"] * 23, "wK")),
            "RECONNECT|bob|ann|crab|eel|tiger|boar|ox|1|0|bK" + "|--" * 23 + "|wK",
        ),
        (m.GameOver("draw"), "GAME_OVER|draw"),
        (m.Ping(), "PING|PING"),
    )
    streams = (
        b"LOGIN|ann\0PING|PING\0MAKE_MOVE|ox|4|2|3|2\0",
        b"\0\0LOGIN|\xc3\xa9\0\xc3(\0hello\0LOGIN|b\0",
        b"LOGIN|a\0\xc3(\0LOGIN|b\0\xc3(\0LOGIN|c\0",
        b"LOGIN|a\0" + b"x" * 255 + b"\0LOGIN|b\0" + b"x" * 256 + b"\0LOGIN|c\0",
        b"GET / HTTP/1.1\r\n\r\n\0",
        b"help\n ? \r\nhelp\nLOGIN|ann\0help\n\0",
        b"GET /\0x HTTP/1.1\0PING|PING\0",
    )

    def new_codec(self) -> FinalCodec:
        return FinalCodec()


class ParsingTests(PropertyCase):
    def test_what_is_not_quite_a_message_says_so(self) -> None:
        self.assertEqual(parse("LOGIN"), m.WrongFields("LOGIN", m.CLIENT_COMMANDS["LOGIN"][2]))
        self.assertEqual(parse("MAKE_MOVE|ox"), m.WrongFields("MAKE_MOVE", m.CLIENT_COMMANDS["MAKE_MOVE"][2]))
        self.assertEqual(parse("MAKE_PASS|ox|"), m.WrongFields("MAKE_PASS", m.CLIENT_COMMANDS["MAKE_PASS"][2]))
        for text in ("PING", "PING|", "PING|ping", "PING|PING|PING"):
            self.assertEqual(parse(text), m.WrongFields("PING", m.PING_EXPECTED))
        self.assertEqual(parse("START|a"), m.NotForServer("START"))
        self.assertEqual(parse("login|a"), m.Unknown("LOGIN"))
        self.assertEqual(parse("ping|ping"), m.Unknown("PING"))
        self.assertEqual(parse("hello"), m.Unknown())
        self.assertEqual(parse(" Help "), m.HelpAsked())
        self.assertEqual((parse(""), parse(" \n")), (BLANK, BLANK))
        self.assertEqual(parse("|"), m.Unknown())

    @given(st.text(max_size=300))
    def test_any_text_is_some_message(self, text: str) -> None:
        parse(text)


class BytesTests(PropertyCase):
    def test_limit(self) -> None:
        """A message of 255 bytes is read; one of 256 ends the connection, whether its zero byte has come or not."""
        self.assertEqual(len(list(FinalCodec().feed(b"x" * MESSAGE_LIMIT + b"\0"))), 1)
        for end in (b"", b"\0"):
            self.assertRaises(WireError, list, FinalCodec().feed(b"x" * (MESSAGE_LIMIT + 1) + end))

    def test_second_message_that_is_not_utf8_ends_it(self) -> None:
        codec = FinalCodec()
        self.assertEqual(list(codec.feed(b"\xc3(\0LOGIN|a\0")), [NOT_UTF8, m.Login("a")])
        self.assertRaises(WireError, list, codec.feed(b"\xff\0"))

    def test_other_protocols(self) -> None:
        self.assertRaises(OtherProtocol, list, FinalCodec().feed(b"GET / HTTP/1.1\r\n"))
        codec = FinalCodec()
        self.assertEqual(list(codec.feed(b"\0GET / HTTP/1.1\0")), [BLANK, m.Unknown()])

    def test_the_longest_messages_fit(self) -> None:
        """With the longest names and cards, the server's longest message is not longer than a client can read."""
        cards = ("elephant", "rooster", "dragon", "monkey", "mantis")
        restore = m.Restore(LONGER, LONG, cards, True, True, ("wP",) * 25)
        for message in (restore, m.Start(LONGER, LONG, cards), m.Failed("x" * 230)):
            self.assertLessEqual(len(FinalCodec().encode(message)), MESSAGE_LIMIT)


#: What stands between two pipes, and a sentence.
FIELD = st.text(st.characters(exclude_characters="|", exclude_categories=("Cs", "Cc")), max_size=5)
SENTENCE = st.text(st.characters(exclude_characters="|", exclude_categories=("Cs", "Cc")), max_size=40)
CARD = st.sampled_from(("ox", "elephant", "tiger"))
FIVE_CARDS = st.tuples(CARD, CARD, CARD, CARD, CARD)
BOARDS = st.lists(st.sampled_from(("bP", "bK", "wP", "wK", "--")), min_size=25, max_size=25).map(tuple)
ANY = FIELD | st.text(max_size=10) | st.just("x" * 300)


class FinalClientCodecTests(ClientCodecContract, PropertyCase):
    server_messages = drawn(
        m.SERVER_COMMANDS, {str: FIELD, "text": SENTENCE, "card": CARD, "cards": FIVE_CARDS, "board": BOARDS}
    )
    client_messages = drawn((m.Ping, *(kind for kind, _, _ in m.CLIENT_COMMANDS.values())), {str: ANY})

    def new_codec(self) -> FinalCodec:
        return FinalCodec()

    def new_client_codec(self) -> FinalClientCodec:
        return FinalClientCodec()

    def test_what_is_no_message_of_the_server(self) -> None:
        restore = "RECONNECT|bob|ann" + "|ox" * 5 + "|{}|1" + "|--" * 25
        self.assertIsInstance(read_server(restore.format("1")), m.Restore)
        for text in ("LOGIN|a", "START|a|b", "WAITING", "PING|pong", "RECONNECT|a|b", restore.format("2"), ""):
            self.assertRaises(WireError, read_server, text)
        self.assertRaises(WireError, list, FinalClientCodec().feed(b"WAITING|\xc3(\0"))

    def test_what_cannot_be_written(self) -> None:
        for message in (m.Login("a|b"), m.Login("a\0"), m.Login("\ud800"), m.MakePass("o x"), m.Waiting("a")):
            self.assertRaises(WireError, FinalClientCodec().encode, message)
