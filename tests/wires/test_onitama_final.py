"""The final dialect as a whole: answers, names, pace, passes, tables with other wires, coming back, a recorded game."""

import csv
from collections.abc import Iterator
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.cards import SQUARES
from gamehost.wires.onitama_final.conversation import State, row_and_column, square_at
from gamehost.wires.onitama_final.messages import SERVER_COMMANDS
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.onitama_final_table import DEAL, START, WIRE, entered, seated

PAGE = Path(__file__).parents[2] / "docs" / "wires" / "onitama-final.rst"

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


def documented() -> Iterator[tuple[str, dict[str, str]]]:
    """The table of answers on the wire's page: message -> state -> answer."""
    text = PAGE.read_text("utf-8").split(":name: answers", 1)[1].split("\n\n")[1]
    for message, *answers in csv.reader((line.strip() for line in text.splitlines()), skipinitialspace=True):
        yield message, dict(zip(("outside", "waiting", "playing"), answers, strict=True))


class AnswersTests(SynchronousTestCase):
    """The page's table of answers, over the whole product of states and messages."""

    def in_state(self, state: str) -> Client:
        host = MemoryHost(DEAL)
        client = host.connect(WIRE)
        if state == "waiting":
            client.say("LOGIN|ann")
        elif state == "playing":
            client, _ = seated(host)
        self.assertEqual(client.state, State(state))
        client.heard()
        return client

    def test_every_message_in_every_state(self) -> None:
        """Each is answered as the page says, within what a client can read at once, and a refusal changes nothing."""
        rows = dict(documented())
        self.assertEqual(set(rows), set(SENT), "the table and this test speak of the same messages")
        for message, answers in rows.items():
            for state, answer in answers.items():
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
                        self.assertEqual(client.state, State(state), (data, state))
                    self.assertFalse(client.transport.disconnecting, (data, state))
                    for line in heard:
                        self.assertLess(len(line.encode()), 255)
                        if line.startswith(("FAILED", "INVALID_MOVE")):
                            self.assertEqual(line.count("|"), 1, line)

    def test_names(self) -> None:
        """Ten characters at most, none mended, and the next one may be right."""
        client = MemoryHost().connect(WIRE)
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
        """Rows from the top, columns from the left; one digit each."""
        self.assertEqual([square_at(*row_and_column(square)) for square in range(25)], list(range(25)))
        self.assertEqual((square_at("4", "2"), square_at("0", "0")), (SQUARES.index("c1"), SQUARES.index("a5")))
        for word in ("5", "-1", "04", "", "x", "\u0661", "+1"):
            self.assertIs(square_at(word, "0"), None)
            self.assertIs(square_at("0", word), None)


class PaceTests(SynchronousTestCase):
    """What the clients cannot stand does not happen."""

    def test_waiting_comes_before_every_start(self) -> None:
        """To the second player too, and again after a game on the same connection."""
        host = MemoryHost({**DEAL, "onitama.max_plies": "1"})
        ann, bob = entered(host, "ann"), entered(host, "bob")
        self.assertEqual((ann.heard(), bob.heard()), (["WAITING|ann", START], ["WAITING|bob", START]))
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        host.wait(1)
        self.assertEqual(bob.heard(), ["MOVE_WAS_MADE|ox|4|2|3|2", "GAME_OVER|draw"])
        bob.say("LOGIN|bob")
        self.assertEqual(ann.ask("LOGIN|ann"), ["WAITING|ann", "START|ann|bob|crab|eel|tiger|boar|ox"])

    def test_nothing_but_ping_for_a_second_behind_start(self) -> None:
        """What comes up meanwhile is sent then, in order; PING is answered at once."""
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
        """The end of the host comes behind it."""
        host = MemoryHost(DEAL)
        ann, bob = entered(host, "ann"), entered(host, "bob")
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        bob.heard()
        host.factories[WIRE].close("the host is stopping")
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
        """A client that pings has two minutes to log in, and so has one that is silent."""
        for pings in (False, True):
            host = MemoryHost()
            client = host.connect(WIRE)
            for _ in range(11):
                host.wait(10)
                client.say(*["PING|PING"] * pings)
            host.wait(9.9)
            self.assertFalse(client.closed)
            host.wait(0.2)
            self.assertEqual(client.heard()[-1], "FAILED|not logged in within 120 s")

    def test_who_looks_at_the_end_may_be_silent(self) -> None:
        """After GAME_OVER a connection is not closed for silence."""
        host = MemoryHost({**DEAL, "onitama.max_plies": "1"})
        ann, _ = seated(host)
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        host.wait(300)
        self.assertFalse(ann.closed)
        self.assertEqual(ann.ask("LOGIN|ann"), ["WAITING|ann"])
