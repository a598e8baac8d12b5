"""Onitama in pipe-separated lines."""

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.rules import Position
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.framing import BLANK, NOT_UTF8, WireError
from gamehost.wires.onitama import WIRE
from gamehost.wires.onitama import messages as m
from gamehost.wires.onitama.codec import LINE_LIMIT, PipesCodec, parse
from gamehost.wires.onitama.conversation import PipesState
from tests.kit.memory_host import HOME, MemoryHost, master_of
from tests.kit.pages import answers

DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}


class WireTests(WireContract, PropertyCase):
    wire = WIRE
    transcripts = HOME
    host_settings = DEAL
    begun = b"LOGIN|aaaaa"
    too_long = b"LOGIN|" + b"a" * 251 + b"\n"

    silent = {
        "late": "it crossed with the end of the match on its way: the player is told the end and nothing else",
    }
    nonsense = (
        *WireContract.nonsense,
        *(b"MAKE_MOVE|\x1b[2Jcanary|c1|c2\n", b"STALEMATE|canary\x07\n", b"START|canary\x7f\n"),
    )

    def log_in(self, name: str) -> bytes:
        return f"LOGIN|{name}\n".encode()

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"MAKE_MOVE|ox|c1|c2\n"

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b"MAKE_MOVE|ox|c1|c5\n"


PAGE = Path(__file__).parents[2] / "docs" / "wires" / "onitama.rst"


def seated(world: MemoryHost) -> tuple[Client, Client]:
    ann, bob = world.connect(), world.connect()
    ann.say("LOGIN|ann")
    bob.say("LOGIN|bob")
    ann.heard()
    bob.heard()
    return ann, bob


def back(world: MemoryHost, name: str, address: str = "192.0.2.1") -> Client:
    client = world.connect(address=address)
    client.say(f"LOGIN|{name}")
    return client


#: What is sent for each row of the table. Every message of the server is sent, with and without fields.
SENT = {
    "LOGIN": [b"LOGIN|carl"],
    "MAKE_MOVE": [b"MAKE_MOVE|ox|c1|c2", b"MAKE_MOVE|ox|c1|c5"],
    "STALEMATE": [b"STALEMATE|ox"],
    "RESIGN": [b"RESIGN", b" RESIGN "],
    "LOGIN with wrong fields": [b"LOGIN", b"LOGIN|", b"LOGIN|a|b"],
    "MAKE_MOVE with wrong fields": [b"MAKE_MOVE", b"MAKE_MOVE|ox|c1", b"MAKE_MOVE|ox|c1|c2|"],
    "STALEMATE with wrong fields": [b"STALEMATE", b"STALEMATE|ox|boar"],
    "RESIGN with a field": [b"RESIGN|", b"RESIGN|ann"],
    "a message of the server": [
        form for name in m.SERVER_COMMANDS.values() for form in (name.encode(), name.encode() + b"|ann|bob")
    ],
    "a call for help": [b"help", b"HELP", b"?", b"quit", b" exit\r"],
    "a line of another protocol": [b'<message type="logout"/>', b"<?xml version='1.0'?>", b'{"type": "LoginMessage"}'],
    "anything else": [b"hello", b"resign", b"login|ann", b"|", b"MAKE_MOVE c1 c2", b"\x00", b"\x1b[2J", "ťah".encode()],
    "a line that is not UTF-8": [b"LOGIN|\xc3\x28", b"\xc0\xaf", b"\xed\xa0\x80"],
    "an empty line": [b"", b"\r"],
}


class AnswersTests(SynchronousTestCase):
    def in_state(self, state: str, strict: bool = False) -> Client:
        world = MemoryHost(DEAL, strict=strict)
        client = world.connect()
        if state == "waiting":
            client.say("LOGIN|ann")
        elif state == "playing":
            client, _ = seated(world)
        self.assertEqual(client.state, PipesState(state))
        client.heard()
        return client

    def test_every_message_in_every_state(self) -> None:
        rows = answers(PAGE, "answers", ("outside", "waiting", "playing"))
        self.assertEqual(set(rows), set(SENT), "the table and this test speak of the same messages")
        for message, row in rows.items():
            for state, answer in row.items():
                for line in SENT[message]:
                    client = self.in_state(state)
                    client.send(line + b"\n")
                    self.assert_answer(answer, client.heard(), (line, state))
                    if answer not in ("log in", "resign"):
                        self.assertEqual(client.state, PipesState(state), (line, state))
                    self.assertFalse(client.transport.disconnecting, (line, state))

    def assert_answer(self, answer: str, heard: list[str], where: object) -> None:
        commands = [line.split("|")[0] for line in heard]
        match answer:
            case "log in":
                self.assertEqual(commands, ["WAITING"], where)
            case "act":
                self.assertIn(commands, (["MOVE_WAS_MADE"], ["INVALID_MOVE"]), where)
            case "resign":
                self.assertEqual(heard, ["GAME_OVER|bob"], where)
            case "help":
                self.assertEqual(commands[0], "ERROR", where)
                self.assertIn(heard[1:], ([], ["LOGIN|ann"], ["MAKE_MOVE|tiger|c1|c3"]), where)
            case "nothing":
                self.assertEqual(commands, [], where)
            case _:
                self.assertEqual(commands, [answer], where)

    def test_strict_says_documented_messages_only(self) -> None:
        """In a game everything is INVALID_MOVE; elsewhere, where the document has no words, the server hangs up."""
        extensions = {"WAITING", "ERROR"}
        for message, row in answers(PAGE, "answers", ("outside", "waiting", "playing")).items():
            for state in row:
                for line in SENT[message]:
                    client = self.in_state(state, strict=True)
                    client.send(line + b"\n")
                    commands = {line.split("|")[0] for line in client.heard()}
                    self.assertFalse(commands & extensions, (line, state))
                    refused = row[state] in ("ERROR", "INVALID_MOVE", "help", "resign")
                    if state == "playing" and refused:
                        self.assertEqual(commands, {"INVALID_MOVE"}, (line, state))
                    self.assertEqual(client.closed, state != "playing" and refused, (line, state))

    def test_no_reason_holds_a_pipe(self) -> None:
        """A client that splits a refusal at its pipes finds one field, for every message in every state."""
        lines = [line for samples in SENT.values() for line in samples]
        lines += [b"MAKE_MOVE|dog|c1|c2", b"MAKE_MOVE|ox|c9|c2", b"LOGIN|a|b", b"LOGIN|help", b"LOGIN|" + b"a" * 21]
        lines += [b"STALEMATE|dog", b"x" * 300, b"GET / HTTP/1.1", b"\x16\x03\x01"]
        for state in PipesState:
            for line in lines:
                client = self.in_state(state.value)
                client.send(line + b"\n")
                for heard in client.heard():
                    if heard.startswith(("ERROR", "INVALID_MOVE")):
                        self.assertEqual(heard.count("|"), 1, (heard, line, state))
                        self.assertTrue(heard.split("|")[1], (heard, line, state))


class WrongInputTests(SynchronousTestCase):
    def test_carriage_returns_are_stripped_once(self) -> None:
        client = MemoryHost().connect()
        client.send(b"LOGIN|ann\r\n")
        self.assertEqual(client.heard(), ["WAITING|ann"])

    def test_second_line_that_is_not_utf8_ends_the_connection(self) -> None:
        world = MemoryHost()
        client = world.connect()
        client.send(b"\xc3\x28\n")
        self.assertEqual(client.heard(), ["ERROR|a line that is not UTF-8"])
        client.send(b"\xff\xff\n")
        self.assertEqual(client.heard(), ["ERROR|lines that are not UTF-8"])
        self.assertTrue(client.closed)

    def test_third_malformed_login_ends_the_connection(self) -> None:
        client = MemoryHost().connect()
        self.assertEqual(client.ask("LOGIN", "LOGIN|a|b"), ["ERROR|expected LOGIN and one field, the username"] * 2)
        self.assertEqual(client.ask("LOGIN|"), ["ERROR|a name has 1 to 20 letters, digits, _ - or . and nothing else"])
        client.ask("LOGIN|a|b|c")
        self.assertTrue(client.closed)

    def test_moves_that_cannot_be_played(self) -> None:
        world = MemoryHost(DEAL)
        ann, bob = seated(world)
        before = master_of(world).position
        bad = (
            ["MAKE_MOVE|ox|c1", "MAKE_MOVE|ox|c1|c2|x|y", "MAKE_MOVE||c1|c2", "MAKE_MOVE|ox||"]  # 89
            + [f"MAKE_MOVE|{card}|c1|c2" for card in ("eel", "tiger", "goose", "dog", "o\u212a")]  # 90
            + [
                f"MAKE_MOVE|ox|c1|{square}"
                for square in ("c0", "f1", "c6", "1_0", "c+2", "c\u0662", "c\u00b2", "cc2", "c")
            ]
            + ["MAKE_MOVE|ox|c3|c4", "MAKE_MOVE|ox|c5|c4", "MAKE_MOVE|boar|a1|b1", "MAKE_MOVE|ox|c1|e3"]  # 92
            + ["STALEMATE|ox", "STALEMATE|eel", "STALEMATE|dog"]  # 93
        )
        for line in bad:
            world.wait(5)
            [answer] = ann.ask(line)
            self.assertRegex(answer, r"^INVALID_MOVE\|[^|]+$", line)
        self.assertEqual(bob.ask("MAKE_MOVE|crab|a5|a4"), ["INVALID_MOVE|it is the other player's turn"], "out of turn")
        self.assertEqual(bob.ask("STALEMATE|crab"), ["INVALID_MOVE|it is the other player's turn"])
        self.assertIs(master_of(world).position, before)

    def test_a_match_whose_end_was_missed_is_over(self) -> None:
        world = MemoryHost(DEAL)
        ann, bob = seated(world)
        for client, move in ((ann, "ox|c1|c2"), (bob, "crab|a5|a4"), (ann, "tiger|c2|c4")):
            client.say("MAKE_MOVE|" + move)
        ann.drop()
        bob.say("MAKE_MOVE|ox|c5|c4")
        self.assertEqual(bob.heard()[-1], "GAME_OVER|bob")
        self.assertEqual(back(world, "ann").heard(), ["WAITING|ann"])


class ComingBackTests(PropertyCase):
    def test_draw_is_told_as_such(self) -> None:
        ann, _ = seated(MemoryHost(DEAL | {"onitama.max_plies": "1"}))
        self.assertEqual(ann.ask("MAKE_MOVE|ox|c1|c2"), ["MOVE_WAS_MADE|ox|c1|c2", "GAME_OVER|draw"])

    def test_exchange_is_told_to_both(self) -> None:
        world = MemoryHost(DEAL, rng=lambda n: 0)
        ann, bob = seated(world)
        stuck = Position((("tiger", "horse"), ("crab", "eel")), "ox", "P....P....K....P....P..k.")  # type: ignore[arg-type]
        self.assertEqual(list(stuck.moves()), [])
        master_of(world).position = stuck
        self.assertEqual(ann.ask("MAKE_MOVE|tiger|a1|a2"), ["INVALID_MOVE|that card does not lead there"])
        self.assertEqual(ann.ask("STALEMATE|horse"), ["STALEMATE_CARD|horse|dragon"])
        self.assertEqual(bob.heard(), ["STALEMATE_CARD|horse|dragon"])


class LostPeopleTests(SynchronousTestCase):
    def test_help_is_an_explanation_and_an_example_that_works(self) -> None:
        world = MemoryHost(DEAL)
        client = world.connect()
        for word in ("help", "?", "HELP"):
            explanation, example = client.ask(word)
            self.assertEqual(explanation.split("|")[0], "ERROR")
            self.assertIn("Onitama", explanation)
        self.assertEqual(client.ask(example), ["WAITING|ann"])
        [explanation] = client.ask("help")
        self.assertIn("wait for an opponent", explanation)
        world.connect().say("LOGIN|bob")
        client.heard()
        explanation, example = client.ask("help")
        self.assertEqual(client.ask(example)[0].split("|")[0], "INVALID_MOVE", "well-formed, but not in this hand")


class EndTests(SynchronousTestCase):
    def over(self, **options: Any) -> tuple[Client, Client]:
        ann, bob = seated(MemoryHost(DEAL | {"onitama.max_plies": "1"}, **options))
        ann.say("MAKE_MOVE|ox|c1|c2")
        ann.heard()
        bob.heard()
        return ann, bob

    def test_a_late_move_is_ignored(self) -> None:
        """The first message behind GAME_OVER may be a move that was sent before; it is not answered."""
        for late in ("MAKE_MOVE|crab|a5|a4", "STALEMATE|crab", "RESIGN", "MAKE_MOVE|crab|a5"):
            _, bob = self.over()
            self.assertEqual(bob.ask(late), [], late)
            self.assertEqual(bob.ask("MAKE_MOVE|crab|a5|a4"), ["ERROR|log in first: LOGIN and one field, the username"])
            self.assertEqual(bob.ask("LOGIN|bob"), ["WAITING|bob"])

    def test_only_the_first_message_can_be_late(self) -> None:
        """Anything else in between shows that the client has gone on."""
        _, bob = self.over()
        self.assertEqual(len(bob.ask("hello")), 1)
        self.assertEqual(len(bob.ask("MAKE_MOVE|crab|a5|a4")), 1)

    def test_strict_answers_a_late_move_as_any_other(self) -> None:
        """It hangs up: the document has no words."""
        _, bob = self.over(strict=True)
        self.assertEqual((bob.ask("MAKE_MOVE|crab|a5|a4"), bob.closed), ([], True))


class StrictTests(SynchronousTestCase):
    def test_logout_is_not_said_again_to_who_comes_back(self) -> None:
        """It is a message of the document, but not there."""
        world = MemoryHost(DEAL, strict=True)
        ann, bob = seated(world)
        ann.ask("MAKE_MOVE|ox|c1|c2")
        bob.drop()
        self.assertEqual(ann.heard(), ["LOGOUT|bob"])
        ann.drop()
        self.assertEqual([line.split("|")[0] for line in back(world, "ann").heard()], ["RECONNECT"])


CARDS = "white=boar,ox;black=crab,eel;spare=tiger"


class PipesCodecTests(CodecContract, PropertyCase):
    spreads = True

    def new_codec(self) -> PipesCodec:
        return PipesCodec()

    read = (
        ("LOGIN|Zden\u011bk\n".encode(), m.Login("Zden\u011bk")),
        (b'LOGIN|\\"&<x> y\r\n', m.Login('\\"&<x> y')),
        (b"MAKE_MOVE|tiger|c1|c3\n", m.MakeMove("tiger", "c1", "c3")),
        (b"MAKE_MOVE | tiger | c1 |\tc3 \n", m.MakeMove("tiger", "c1", "c3")),
        (b"LOGIN|an n\n", m.Login("an n")),
        (b"STALEMATE|ox\n", m.Stalemate("ox")),
        (b"RESIGN\n", m.Resign()),
    )
    sent = (
        (m.Error('"why" & <what>: LOGIN|username'), 'ERROR|"why" & <what>: LOGIN|username'),
        (m.Start("Zden\u011bk", "bob"), "START|Zden\u011bk|bob"),
        (m.Start("ann", "bob", CARDS), f"START|ann|bob|{CARDS}"),
        (m.MoveWasMade("tiger", "c1", "c3"), "MOVE_WAS_MADE|tiger|c1|c3"),
        (m.InvalidMove(), "INVALID_MOVE"),
        (m.InvalidMove("why"), "INVALID_MOVE|why"),
        (m.StalemateCard("ox", "eel"), "STALEMATE_CARD|ox|eel"),
        (m.Logout("Zdeněk"), "LOGOUT|Zdeněk"),
        (m.Reconnect("bob", "black", "b", CARDS, "ann"), f"RECONNECT|bob|black|b|{CARDS}|ann"),
        (m.GameOver("ann"), "GAME_OVER|ann"),
        (m.Waiting("ann"), "WAITING|ann"),
    )
    streams = (
        b"LOGIN|ann\nMAKE_MOVE|tiger|c1|c3\nSTALEMATE|ox\n",
        b"LOGIN | ann \r\n\r\n\nlogin|x\nSTART|a|b\n\xff\xfd\x03MAKE_MOVE|a\n",
        b"LOGIN|\xc3\xa9\n\xc3(\nLOGIN|b\n",
        b"LOGIN|a\n" + b"x" * 256 + b"\nLOGIN|b\n" + b"x" * 257 + b"\nLOGIN|c\n",
        b"LOGIN|a\n\xc3(\nLOGIN|b\n\xc3(\nLOGIN|c\n",
    )


class ParsingTests(PropertyCase):
    def test_what_is_not_quite_a_message_says_so(self) -> None:
        self.assertEqual(parse("MAKE_MOVE|tiger"), m.WrongFields("MAKE_MOVE", m.CLIENT_COMMANDS["MAKE_MOVE"][2]))
        self.assertEqual(parse("GAME_OVER|ann"), m.NotForServer("GAME_OVER"))
        self.assertEqual(parse("login"), m.Unknown("LOGIN"))
        self.assertEqual(parse("RESIGN|"), m.WrongFields("RESIGN", "RESIGN and no field"))
        self.assertEqual(parse("|"), m.Unknown())
        self.assertEqual(parse(" Help"), m.HelpAsked())
        self.assertIsInstance(parse('{"type": "x"}'), m.OtherLanguage)
        self.assertEqual(parse(" "), BLANK)

    @given(st.text(max_size=300))
    def test_any_line_is_some_message(self, line: str) -> None:
        parse(line)


class EncodingTests(PropertyCase):
    def test_every_message_of_the_server(self) -> None:
        self.assertEqual({type(message) for message, _ in PipesCodecTests.sent}, set(m.SERVER_COMMANDS))

    def test_line_limit(self) -> None:
        longest = "MAKE_MOVE|" + "x" * (LINE_LIMIT - 16) + "|c1|c3"
        self.assertEqual(len(longest), LINE_LIMIT)
        self.assertEqual(len(list(PipesCodec().feed(longest.encode() + b"\r\n"))), 1)
        self.assertRaises(WireError, list, PipesCodec().feed(longest.encode() + b"x\n"))

    def test_second_unreadable_line_ends_it(self) -> None:
        codec = PipesCodec()
        self.assertEqual(list(codec.feed(b"\xc3(\nLOGIN|a\n")), [NOT_UTF8, m.Login("a")])
        self.assertRaises(WireError, list, codec.feed(b"\xc3(\n"))
