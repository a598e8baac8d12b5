"""The pipe-separated wire as a whole, from bytes to bytes: states, catalogue rows 87-99, coming back, strict mode."""

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.position import Position
from gamehost.lobby.sessions import ResumePolicy
from gamehost.testing.cases import PropertyCase
from gamehost.wires.onitama.conversation import State, cards_with_positions
from gamehost.wires.onitama.messages import SERVER_COMMANDS
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost

DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}
PAGE = Path(__file__).parents[2] / "docs" / "wires" / "onitama.rst"


def seated(world: MemoryHost) -> tuple[Client, Client]:
    """Ann (White) and Bob (Black) at a table, with nothing unheard."""
    ann, bob = world.connect(), world.connect()
    ann.say("LOGIN|ann")
    bob.say("LOGIN|bob")
    ann.heard()
    bob.heard()
    return ann, bob


def back(world: MemoryHost, name: str, address: str = "192.0.2.1") -> Client:
    """A new connection that logs in."""
    client = world.connect(address=address)
    client.say(f"LOGIN|{name}")
    return client


def master_of(world: MemoryHost) -> Any:
    """The master of the only table."""
    [table] = world.lobby.tables.values()
    return table._master


def documented() -> Iterator[tuple[str, dict[str, str]]]:
    """The table of answers on the wire's page: message -> state -> answer."""
    text = PAGE.read_text("utf-8").split(":name: answers", 1)[1].split("\n\n")[1]
    for message, *answers in csv.reader((line.strip() for line in text.splitlines()), skipinitialspace=True):
        yield message, dict(zip(("outside", "waiting", "playing"), answers, strict=True))


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
        form for name in SERVER_COMMANDS.values() for form in (name.encode(), name.encode() + b"|ann|bob")
    ],
    "a call for help": [b"help", b"HELP", b"?", b"quit", b" exit\r"],
    "a line of another protocol": [b'<message type="logout"/>', b"<?xml version='1.0'?>", b'{"type": "LoginMessage"}'],
    "anything else": [b"hello", b"resign", b"login|ann", b"|", b"MAKE_MOVE c1 c2", b"\x00", b"\x1b[2J", "ťah".encode()],
    "a line that is not UTF-8": [b"LOGIN|\xc3\x28", b"\xc0\xaf", b"\xed\xa0\x80"],
    "an empty line": [b"", b"\r"],
}


class AnswersTests(SynchronousTestCase):
    """The page's table of answers, over the whole product of states and messages."""

    def in_state(self, state: str, strict: bool = False) -> Client:
        world = MemoryHost(DEAL, strict=strict)
        client = world.connect()
        if state == "waiting":
            client.say("LOGIN|ann")
        elif state == "playing":
            client, _ = seated(world)
        self.assertEqual(client.state, State(state))
        client.heard()
        return client

    def test_every_message_in_every_state(self) -> None:
        """Each is answered as the page says, and a refusal leaves the state as it was."""
        rows = dict(documented())
        self.assertEqual(set(rows), set(SENT), "the table and this test speak of the same messages")
        for message, answers in rows.items():
            for state, answer in answers.items():
                for line in SENT[message]:
                    client = self.in_state(state)
                    client.send(line + b"\n")
                    self.assert_answer(answer, client.heard(), (line, state))
                    if answer not in ("log in", "resign"):
                        self.assertEqual(client.state, State(state), (line, state))
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
        for message, answers in documented():
            for state in answers:
                for line in SENT[message]:
                    client = self.in_state(state, strict=True)
                    client.send(line + b"\n")
                    commands = {line.split("|")[0] for line in client.heard()}
                    self.assertFalse(commands & extensions, (line, state))
                    refused = answers[state] in ("ERROR", "INVALID_MOVE", "help", "resign")
                    if state == "playing" and refused:
                        self.assertEqual(commands, {"INVALID_MOVE"}, (line, state))
                    self.assertEqual(client.closed, state != "playing" and refused, (line, state))

    def test_no_reason_holds_a_pipe(self) -> None:
        """A client that splits a refusal at its pipes finds one field, for every message in every state."""
        lines = [line for samples in SENT.values() for line in samples]
        lines += [b"MAKE_MOVE|dog|c1|c2", b"MAKE_MOVE|ox|c9|c2", b"LOGIN|a|b", b"LOGIN|help", b"LOGIN|" + b"a" * 21]
        lines += [b"STALEMATE|dog", b"x" * 300, b"GET / HTTP/1.1", b"\x16\x03\x01"]
        for state in State:
            for line in lines:
                client = self.in_state(state.value)
                client.send(line + b"\n")
                for heard in client.heard():
                    if heard.startswith(("ERROR", "INVALID_MOVE")):
                        self.assertEqual(heard.count("|"), 1, (heard, line, state))
                        self.assertTrue(heard.split("|")[1], (heard, line, state))

    def test_no_answer_holds_control_bytes_or_what_was_sent(self) -> None:
        """Row 26: nothing of a bad line comes back."""
        for line in (b"\x1b[2Jevil", b"LOGIN|ev\x07il", b"evil\x00", b"LOGIN|evil\x1b", b"MAKE_MOVE|evil\r|x|y"):
            client = self.in_state("outside")
            client.send(line + b"\n")
            [answer] = client.heard()
            self.assertTrue(answer.isprintable())
            self.assertNotIn("evil", answer)


class CatalogueTests(SynchronousTestCase):
    """The rows of the catalogue that speak of this wire."""

    def test_row_26_control_bytes_in_a_name_are_refused(self) -> None:
        """And a name of direction marks or zero-width characters too (row 30)."""
        for name in (
            "a\x00b",
            "a\x1bb",
            "a\x07b",
            "a\rb",
            "\u202eann",
            "an\u200bn",
            "\ufeffann",
            "a b",
            "a\u0301\u0301",
        ):
            client = MemoryHost().connect()
            [answer] = client.ask(f"LOGIN|{name}")
            self.assertTrue(answer.startswith("ERROR|a name has"), answer)

    def test_row_27_carriage_returns_are_stripped_once(self) -> None:
        """telnet's line end is a line end, on every line."""
        client = MemoryHost().connect()
        client.send(b"LOGIN|ann\r\n")
        self.assertEqual(client.heard(), ["WAITING|ann"])

    def test_row_29_second_line_that_is_not_utf8_ends_the_connection(self) -> None:
        """The first is refused."""
        world = MemoryHost()
        client = world.connect()
        client.send(b"\xc3\x28\n")
        self.assertEqual(client.heard(), ["ERROR|a line that is not UTF-8"])
        client.send(b"\xff\xff\n")
        self.assertEqual(client.heard(), ["ERROR|lines that are not UTF-8"])
        self.assertTrue(client.closed)

    def test_row_87_third_malformed_login_ends_the_connection(self) -> None:
        """The first two are told what a log-in looks like."""
        client = MemoryHost().connect()
        self.assertEqual(client.ask("LOGIN", "LOGIN|a|b"), ["ERROR|expected LOGIN and one field, the username"] * 2)
        self.assertEqual(client.ask("LOGIN|"), ["ERROR|a name has 1 to 20 letters, digits, _ - or . and nothing else"])
        client.ask("LOGIN|a|b|c")
        self.assertTrue(client.closed)

    def test_row_88_lower_case_unknown_and_server_commands_are_refused(self) -> None:
        """Each with what was expected."""
        client = MemoryHost().connect()
        self.assertEqual(client.ask("login|ann"), ["ERROR|commands are upper case: LOGIN"])
        self.assertEqual(
            client.ask("JOIN"), ["ERROR|unknown command; expected one of LOGIN, MAKE_MOVE, STALEMATE, RESIGN"]
        )
        self.assertEqual(client.ask("START|a|b"), ["ERROR|only the server says START"])

    def test_rows_89_to_93_moves_that_cannot_be_played(self) -> None:
        """INVALID_MOVE to the sender, and the board stays as it was."""
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

    def test_row_94_name_of_a_live_seat_is_refused(self) -> None:
        """In whatever case and form; the seat plays on."""
        world = MemoryHost(DEAL)
        ann, _ = seated(world)
        for name in ("ann", "ANN", "\uff41nn"):
            self.assertEqual(world.connect().ask(f"LOGIN|{name}"), ["ERROR|this name is in use"])
        self.assertEqual(ann.ask("MAKE_MOVE|ox|c1|c2"), ["MOVE_WAS_MADE|ox|c1|c2"])

    def test_row_95_strangers_do_not_get_a_lost_seat(self) -> None:
        """`--resume`: from the same address, from any, or never."""
        for policy, here, there in (
            (ResumePolicy.SAME_ADDRESS, "RECONNECT", "ERROR"),
            (ResumePolicy.ANY, "RECONNECT", "RECONNECT"),
            (ResumePolicy.NEVER, "ERROR", "ERROR"),
        ):
            for address, answer in (("192.0.2.1", here), ("198.51.100.7", there)):
                world = MemoryHost(DEAL, resume=policy)
                seated(world)[1].drop()
                [line] = back(world, "bob", address).heard()[:1]
                self.assertEqual(line.split("|")[0], answer, (policy, address))

    def test_row_96_reconnect_from_a_client_is_refused(self) -> None:
        """Only the server says it."""
        self.assertEqual(MemoryHost().connect().ask("RECONNECT|ann"), ["ERROR|only the server says RECONNECT"])

    def test_row_98_both_come_back_in_the_other_order(self) -> None:
        """Colours go by name."""
        world = MemoryHost(DEAL)
        ann, bob = seated(world)
        ann.say("MAKE_MOVE|ox|c1|c2")
        ann.drop()
        bob.drop()
        bob = back(world, "bob")
        self.assertEqual(bob.heard()[0].split("|")[:3], ["RECONNECT", "bob", "black"])
        ann = back(world, "ann")
        self.assertEqual(ann.heard()[0].split("|")[:3], ["RECONNECT", "ann", "white"])
        bob.heard()
        self.assertEqual(bob.ask("MAKE_MOVE|crab|a5|a4"), ["MOVE_WAS_MADE|crab|a5|a4"])

    def test_row_99_a_match_whose_end_was_missed_is_over(self) -> None:
        """The next log-in goes to the lobby."""
        world = MemoryHost(DEAL)
        ann, bob = seated(world)
        for client, move in ((ann, "ox|c1|c2"), (bob, "crab|a5|a4"), (ann, "tiger|c2|c4")):
            client.say("MAKE_MOVE|" + move)
        ann.drop()
        bob.say("MAKE_MOVE|ox|c5|c4")
        self.assertEqual(bob.heard()[-1], "GAME_OVER|bob")
        self.assertEqual(back(world, "ann").heard(), ["WAITING|ann"])


class ComingBackTests(PropertyCase):
    """A player may be lost at any moment."""

    @given(st.randoms(use_true_random=False), st.integers(0, 60), st.sampled_from([0, 1]), st.booleans())
    def test_back_at_any_moment_with_everything_right(
        self, rng: random.Random, moves: int, leaver: int, restarted: bool
    ) -> None:
        """Board, cards and turn of RECONNECT are those of the match, on the old host or on a new one."""
        world = MemoryHost(rng=rng.randrange)
        clients = list(seated(world))
        for _ in range(moves):
            position: Position = master_of(world).position
            choice = rng.choice(sorted(position.moves(), key=str))
            clients[position.turn].say("MAKE_MOVE|" + str(choice).replace(" ", "|"))
            if not world.lobby.tables:
                return
        position = master_of(world).position
        if restarted:
            world = MemoryHost(rng=rng.randrange, journal=world.journal.restarted())
            clients[1 - leaver] = back(world, ("ann", "bob")[1 - leaver])
        else:
            clients[leaver].drop()
        other = clients[1 - leaver]
        self.assertEqual(other.heard()[-1], f"LOGOUT|{('ann', 'bob')[leaver]}")
        again = clients[leaver] = back(world, ("ann", "bob")[leaver])
        expected = "|".join(
            (
                f"RECONNECT|{('ann', 'bob')[leaver]}|{('white', 'black')[leaver]}",
                "/".join(position.rows()),
                cards_with_positions(position),
                ("ann", "bob")[position.turn],
            )
        )
        self.assertEqual((again.heard(), other.heard()), ([expected], [expected]))
        choice = rng.choice(sorted(position.moves(), key=str))
        said = str(choice).replace(" ", "|")
        self.assertEqual(clients[position.turn].ask("MAKE_MOVE|" + said)[0], "MOVE_WAS_MADE|" + said)

    def test_who_does_not_come_back_in_time_loses(self) -> None:
        """The grace time is the host's, and the other is told who won."""
        world = MemoryHost(DEAL, grace=7)
        ann, bob = seated(world)
        ann.drop()
        self.assertEqual(bob.heard(), ["LOGOUT|ann"])
        world.wait(7.1)
        self.assertEqual(bob.heard(), ["GAME_OVER|bob"])

    def test_slow_thinker_loses_on_the_move_clock(self) -> None:
        """`--move-time`: told like any other end."""
        world = MemoryHost(DEAL, move_time="30")
        ann, bob = seated(world)
        world.wait(30.1)
        self.assertEqual((ann.heard(), bob.heard()), (["GAME_OVER|bob"], ["GAME_OVER|bob"]))

    def test_who_is_only_waiting_and_drops_is_gone(self) -> None:
        """The name is free, and nobody is paired with nobody."""
        world = MemoryHost()
        world.connect().say("LOGIN|ann")
        waiting = world.connect()
        world.lobby.registry.get("ann").player.peer.transport.hang_up()  # type: ignore[union-attr]
        self.assertEqual(waiting.ask("LOGIN|bob"), ["WAITING|bob"])
        self.assertEqual(back(world, "ann").heard()[0].split("|")[:3], ["START", "bob", "ann"])

    def test_draw_is_told_as_such(self) -> None:
        """`max_plies` reached: nobody has won."""
        ann, _ = seated(MemoryHost(DEAL | {"onitama.max_plies": "1"}))
        self.assertEqual(ann.ask("MAKE_MOVE|ox|c1|c2"), ["MOVE_WAS_MADE|ox|c1|c2", "GAME_OVER|draw"])

    def test_exchange_is_told_to_both(self) -> None:
        """STALEMATE_CARD with the card given and the card drawn, once nothing can be moved."""
        world = MemoryHost(DEAL, rng=lambda n: 0)
        ann, bob = seated(world)
        stuck = Position((("tiger", "horse"), ("crab", "eel")), "ox", "P....P....K....P....P..k.")  # type: ignore[arg-type]
        self.assertEqual(list(stuck.moves()), [])
        master_of(world).position = stuck
        self.assertEqual(ann.ask("MAKE_MOVE|tiger|a1|a2"), ["INVALID_MOVE|that card does not lead there"])
        self.assertEqual(ann.ask("STALEMATE|horse"), ["STALEMATE_CARD|horse|dragon"])
        self.assertEqual(bob.heard(), ["STALEMATE_CARD|horse|dragon"])

    def test_nothing_is_said_before_the_journal_has_it(self) -> None:
        """MOVE_WAS_MADE, INVALID_MOVE behind it, and GAME_OVER wait for the journal."""
        journal = RecordingJournal(late=True)
        world = MemoryHost(DEAL | {"onitama.max_plies": "1"}, journal=journal)
        ann, bob = world.connect(), world.connect()
        ann.say("LOGIN|ann")
        self.assertEqual((ann.heard(), bob.ask("LOGIN|bob")), (["WAITING|ann"], []))
        journal.release()
        self.assertEqual(ann.heard()[0].split("|")[0], "START")
        self.assertEqual(ann.ask("MAKE_MOVE|ox|c1|c2", "MAKE_MOVE|ox|c1|c2"), [])
        journal.release()
        self.assertEqual(ann.heard(), ["MOVE_WAS_MADE|ox|c1|c2", "GAME_OVER|draw"])
