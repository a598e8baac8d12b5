"""`gamehost trace`: every message with its sender and its meaning, and no password."""

import io
import json
import re
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.check.base import Grade, PlainReading, plain_checks
from gamehost.extras.check.trace import Trace, TraceLine, main, printer, time_of_day
from gamehost.plugins import WIRES
from gamehost.testing.wire_connections import HANDSHAKE, SWITCHED, frame
from gamehost.wires.onitama.messages import Login
from gamehost.wires.open.messages import Enter, LogIn, Pong, Sorry
from gamehost.wires.websocket import text_frame
from tests.kit.checker import CHECKS

DEAL = "white=boar,ox;black=crab,eel;spare=tiger"
TOKEN = "5a" * 32
#: By wire: lines of a client and of a host, each with a secret. Some are no messages.
SECRETS = (
    (
        "open",
        '{"do":"enter","name":"ann","key":"hunter2"}\n{"do":"log-in","name":"ann","password":"hunter2","keep":7}\n'
        '{"do":"join","table":7,"code":"hunter2"}\n'
        '{"do":"notices","by":"push","set":{"endpoint":"https://hunter2/","p256dh":"a","auth":"hunter2"}}\n'
        '{"do":"notices","by":"mail","set":{"address":"hunter2","code":7}}\n',
        '{"is":"entered","name":"ann","key":"hunter2","account":true}\n'
        '{"is":"seeking","game":"onitama","seats":2,"names":["ann"],"table":7,"code":"hunter2"}\n'
        '{"is":"notices","ways":{"mail":{"address":"hunter2","waits":""}}}\n',
    ),
    ("onitama", "LOGIN|ann:hunter2\n", ""),
    ("eriantys", '{"type":"LoginMessage","nickname":"ann:hunter2"}\n{"type":1,"nickname":"ann:hunter2"}\n', ""),
    (
        "litama",
        f"move {'a' * 24} {TOKEN} boar a1b2\n",
        f'{{"messageType":"join","matchId":"{"a" * 24}","token":"{TOKEN}","index":0}}\n',
    ),
    (
        "paper-soccer",
        '<message type="gameMasterLogin"><gameMasterLogin id="m#hunter2" gameType="chess" playersMin="2" playersMax="2"/>'
        "</message>\n",
        "",
    ),
)


def trace_of(wire: str) -> tuple[Trace, list[TraceLine]]:
    (found,) = (one for one in WIRES if one.name == wire)
    lines: list[TraceLine] = []
    checks = CHECKS.get(wire) or plain_checks(wire)
    return Trace(found, checks, "client 1", lambda seconds: "12:00:03.120", lines.append), lines


class TraceTests(SynchronousTestCase):
    def told(self, lines: list[TraceLine]) -> list[tuple[Any, ...]]:
        return [(line.client, line.sender, line.text, line.meaning, line.grade) for line in lines]

    def test_a_session(self) -> None:
        trace, lines = trace_of("onitama")
        trace.client_sent(b"LOGIN|ann\n")
        trace.host_sent(f"START|ann|bob|{DEAL}\n".encode())
        trace.client_sent(b"MAKE_MOVE|ox|c1|c2\nMAKE_MO")
        trace.host_sent(b"MOVE_WAS_MADE|ox|c1|c2\n")
        trace.client_sent(b"VE|boar|c2|c3\n")
        self.assertEqual(
            self.told(lines),
            [
                ("ann", "client", "LOGIN|ann", "logs in as ann", None),
                *[("ann", "host", f"START|ann|bob|{DEAL}", lines[1].meaning, None)],
                ("ann", "client", "MAKE_MOVE|ox|c1|c2", "White's master c1-c2 by ox; legal", None),
                ("ann", "host", "MOVE_WAS_MADE|ox|c1|c2", "ox becomes the spare, White gets tiger", None),
                *[
                    (
                        "ann",
                        "client",
                        "MAKE_MOVE|boar|c2|c3",
                        "it is Black's turn; White holds boar, tiger",
                        Grade.BREACH,
                    )
                ],
            ],
        )

    def test_websocket(self) -> None:
        match_id, token = "0" * 24, "ab" * 32
        answer = f'{{"messageType":"create","matchId":"{match_id}","token":"{token}","index":0}}'
        said = f"move {match_id} {token} ox a1a2"
        by_socket, by_line = trace_of("litama"), trace_of("litama")
        by_socket[0].client_sent(HANDSHAKE + frame(b"create ann"))
        by_socket[0].host_sent(SWITCHED + text_frame(answer.encode()))
        by_socket[0].client_sent(frame(said.encode()))
        by_line[0].client_sent(b"create ann\n")
        by_line[0].host_sent(answer.encode() + b"\n")
        by_line[0].client_sent(said.encode() + b"\n")
        told = self.told(by_socket[1])
        self.assertEqual([line for line in told if line[2]], self.told(by_line[1]))
        self.assertEqual(told[-1][2], f"move {match_id} *** ox a1a2")
        self.assertNotIn(token, str(told))

    def test_a_move_behind_one_that_is_not_answered(self) -> None:
        """It is a breach whether the answer to the first one has passed or not, and its refusal is marked."""
        for answer_first in (False, True):
            trace, lines = trace_of("onitama")
            trace.client_sent(b"LOGIN|ann\n")
            trace.host_sent(f"START|ann|bob|{DEAL}\n".encode())
            trace.client_sent(b"MAKE_MOVE|ox|c1|c2\n")
            if answer_first:
                trace.host_sent(b"MOVE_WAS_MADE|ox|c1|c2\n")
            trace.client_sent(b"MAKE_MOVE|boar|a1|a2\n")
            if not answer_first:
                trace.host_sent(b"MOVE_WAS_MADE|ox|c1|c2\n")
            trace.host_sent(b"INVALID_MOVE\n")
            trace.host_sent(b"MOVE_WAS_MADE|crab|a5|a4\n")
            trace.client_sent(b"MAKE_MOVE|boar|a1|a2\n")
            marked = [line for line in lines if line.grade is not None]
            self.assertEqual([line.text for line in marked], ["MAKE_MOVE|boar|a1|a2", "INVALID_MOVE"])
            self.assertEqual({line.grade for line in marked}, {Grade.BREACH})
            # The server is right: its refusal is no breach of its own. Bytes that are no message are one.
            self.assertEqual([line.mark for line in marked], ["breach", "refused"])
            self.assertIn("REFUSED: ", marked[1].as_text())
            self.assertEqual(json.loads(marked[1].as_json())["grade"], "refused")
            self.assertIsNone(lines[-1].grade)
            trace.host_sent(b"NONSENSE\n")
            self.assertEqual(lines[-1].mark, "breach")

    def test_a_refused_move_that_is_sent_again(self) -> None:
        """Also where the trace cannot know why it was refused. After another move it is judged anew."""
        trace, lines = trace_of("onitama")
        trace.client_sent(b"LOGIN|ann\n")
        trace.host_sent(b"START|ann|bob\n")
        for _ in range(2):
            trace.client_sent(b"MAKE_MOVE|ox|c1|c2\n")
            trace.host_sent(b"INVALID_MOVE\n")
        trace.client_sent(b"MAKE_MOVE|crab|c1|c2\n")
        trace.host_sent(b"MOVE_WAS_MADE|crab|c1|c2\nMOVE_WAS_MADE|eel|a5|a4\n")
        trace.client_sent(b"MAKE_MOVE|ox|c1|c2\n")
        breach = Grade.BREACH
        expected = [None, breach, breach, breach, None, None, None, None]
        self.assertEqual([line.grade for line in lines[2:]], expected)
        self.assertIn("refused already", lines[4].meaning)

    def test_a_move_that_crosses_the_end(self) -> None:
        trace, lines = trace_of("onitama")
        trace.client_sent(b"LOGIN|ann\n")
        trace.host_sent(f"START|ann|bob|{DEAL}\nGAME_OVER|ann\n".encode())
        trace.client_sent(b"MAKE_MOVE|ox|c1|c2\n")
        trace.client_sent(b"MAKE_MOVE|ox|c1|c2\n")
        trace.host_sent(b"ERROR|log in first\n")
        self.assertEqual([line.grade for line in lines[3:]], [None, Grade.BREACH, Grade.BREACH])

    def test_a_move_that_crosses_the_end_and_is_refused(self) -> None:
        """As by a server without extensions: a note. The next refusal is one of a breach."""
        trace, lines = trace_of("stratego-frames")
        over, refused = bytes.fromhex("2A0A0000000500 03616E6E"), bytes.fromhex("2A080001000E000C") + b"invalid move"
        move = bytes.fromhex("2A040000001000000000000000030000000000000004")
        trace.host_sent(over)
        for _ in range(2):
            trace.client_sent(move)
            trace.host_sent(refused)
        self.assertEqual([line.grade for line in lines], [None, None, Grade.NOTE, Grade.BREACH, Grade.BREACH])

    def test_a_refused_log_in(self) -> None:
        """A note: the name may be taken."""
        trace, lines = trace_of("onitama")
        trace.client_sent(b"LOGIN|ann\n")
        trace.host_sent(b"ERROR|this name is in use\n")
        self.assertEqual([line.grade for line in lines], [None, Grade.NOTE])

    def test_an_illegal_move_of_paper_soccer(self) -> None:
        """It is marked three times: the move, the error, and the end that it has brought about."""
        trace, lines = trace_of("paper-soccer")
        trace.client_sent(b'<message type="playerLogin"><playerLogin nick="ann" gameType="paper soccer"/></message>')
        state = '<message type="gameState"><gameId id="1"/>%s</message>\n'
        over = (
            '<gameState/><gameOver><player nick="bob" result="winner"/><player nick="ann" result="loser"/></gameOver>'
        )
        trace.host_sent(b'<message type="loginResponse"><response accept="yes"/></message>\n')
        trace.host_sent((state % '<nextPlayer nick="ann"/><gameState/>').encode())
        trace.client_sent(b'<message type="move"><gameId id="1"/><move><point x="0" y="0"/></move></message>')
        trace.host_sent(b'<message type="error">no such line</message>\n' + (state % over).encode())
        self.assertEqual([line.grade for line in lines], [None, None, None, *[Grade.BREACH] * 3])

    def test_the_same_move_in_the_right_game(self) -> None:
        """It is no move that is sent again: what was refused is the game's id."""
        trace, lines = trace_of("paper-soccer")
        trace.client_sent(b'<message type="playerLogin"><playerLogin nick="ann" gameType="paper soccer"/></message>')
        trace.host_sent(b'<message type="loginResponse"><response accept="yes"/></message>\n')
        state = '<message type="gameState"><gameId id="1"/><nextPlayer nick="ann"/><gameState/></message>\n'
        trace.host_sent(state.encode())
        for game in ('<gameId id="7"/>', "", '<gameId id="1"/>'):
            trace.client_sent(f'<message type="move">{game}<move><point x="0" y="1"/></move></message>'.encode())
            trace.host_sent(b'<message type="error"/>\n')
        marks = [line.grade for line in lines if line.sender == "client"]
        self.assertEqual(marks, [None, Grade.BREACH, Grade.FRAGILE, None])

    def test_help_during_the_set_up_is_no_row(self) -> None:
        trace, lines = trace_of("stratego-lines")
        trace.host_sent(b"auth-req\n")
        trace.client_sent(b"ann\nsecret\n")
        trace.host_sent(b"auth-ok\nnew\ncolor red\n")
        trace.client_sent(b"VMGKKJJJPP\nPPLLLLSSSS\nhelp\nIIIIIRRRRR\nRRROBBBBBB\n")
        self.assertEqual({line.grade for line in lines}, {None})

    def test_the_two_squares_rule(self) -> None:
        """The document does not have it: a note on the refusal, and nothing on the move. To send it again is a breach."""
        trace, lines = trace_of("stratego-lines")
        trace.host_sent(b"auth-req\n")
        trace.client_sent(b"ann\nsecret\n")
        trace.host_sent(b"auth-ok\nnew\ncolor red\n")
        trace.client_sent(b"VMGKKJJJPP\nPPLLLLSSSS\nIIIIIRRRRR\nRRROBBBBBB\n")
        trace.host_sent(b"endsetup\n")
        for number in range(3):
            trace.host_sent(b"get-move\n")
            trace.client_sent([b"A4-A5\n", b"A5-A4\n"][number % 2])
            trace.host_sent(b"none\nJ7-J6\n")
        self.assertEqual({line.grade for line in lines}, {None})
        for _ in range(2):
            trace.host_sent(b"get-move\n")
            trace.client_sent(b"A5-A4\n")
            trace.host_sent(
                b"err two-squares rule: this piece has crossed the same border in too many turns in a row\n"
            )
        self.assertEqual([line.grade for line in lines[-5:]], [None, Grade.NOTE, None, Grade.BREACH, Grade.BREACH])

    def test_what_the_rules_of_stratego_refuse(self) -> None:
        for move, words in (
            (b"E4-E5", "bombs and flags cannot move"),
            (b"C4-C5", "not onto or across a lake"),
            (b"A4-B4", "one of your own pieces"),
            (b"A3-A5", "only a scout moves more than one square"),
            (b"A4-A8", "a scout cannot jump"),
            (b"A5-A6", "there is no piece of yours"),
        ):
            trace, lines = trace_of("stratego-lines")
            trace.host_sent(b"auth-req\n")
            trace.client_sent(b"ann\nsecret\n")
            trace.host_sent(b"auth-ok\nnew\ncolor red\n")
            trace.client_sent(b"VMGKKJJJPP\nPPLLLLSSSS\nIIIIIRRRRR\nRRROBBBBBB\n")
            trace.host_sent(b"endsetup\nget-move\n")
            trace.client_sent(move + b"\n")
            self.assertEqual(lines[-1].grade, Grade.BREACH, move)
            self.assertIn(words, lines[-1].meaning)

    def test_as_text_and_json(self) -> None:
        line = TraceLine("12:00:09.870", "ann", "client", "MAKE_MOVE|ox|c2|c3", "it is Black's turn", Grade.BREACH)
        expected = "12:00:09.870  ann > host     MAKE_MOVE|ox|c2|c3                 BREACH: it is Black's turn"
        self.assertEqual(line.as_text(), expected)
        self.assertIn("\x1b[31mBREACH", line.as_text(colour=True))
        self.assertEqual(json.loads(line.as_json())["grade"], "breach")

    def test_bytes_that_are_no_message_are_told_once(self) -> None:
        trace, lines = trace_of("onitama")
        trace.host_sent(b"HELLO\n")
        trace.host_sent(b"WAITING|ann\n")
        trace.client_sent(b"LOGIN|ann\n")
        self.assertEqual([line.sender for line in lines], ["host", "client"])
        self.assertEqual(lines[0].grade, Grade.BREACH)

    def test_no_password(self) -> None:
        trace, lines = trace_of("stratego-lines")
        trace.host_sent(b"auth-req\n")
        trace.client_sent(b"ann\nhunter2\n")
        opened, more = trace_of("open")
        opened.client_sent(b'{"do":"log-in","name":"ann","password":"hunter2"}\n')
        opened.host_sent(b'{"is":"pong","id":7}\n')
        self.assertEqual(lines[-1].client, "ann")
        self.assertEqual(more[0].client, "ann")
        self.assertEqual(more[-1].meaning, "the host is there")
        self.assertNotIn("hunter2", repr(lines) + repr(more))

    def test_no_secret_of_either_side(self) -> None:
        """What the host says is a secret as well: the key of an account is good for 30 days."""
        for wire, client, host in SECRETS:
            trace, lines = trace_of(wire)
            trace.client_sent(client.encode())
            trace.host_sent(host.encode())
            printed = "".join(f"{line.as_text()}{line.as_json()}" for line in lines)
            self.assertEqual(len(lines), client.count("\n") + host.count("\n"), lines)
            self.assertNotIn("hunter2", printed)
            self.assertNotIn(TOKEN, printed)


class TraceCommandTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.out, self.err = io.StringIO(), io.StringIO()
        self.patch(sys, "stdout", self.out)
        self.patch(sys, "stderr", self.err)

    def ends(self, *arguments: str) -> Any:
        try:
            return main(arguments, WIRES, Clock())
        except SystemExit as end:
            return end.code

    def test_mistakes(self) -> None:
        listen, to = "--listen=tcp:0", "--to=127.0.0.1:8893"
        for arguments, words in (
            (("chess", listen, to), "no wire 'chess'"),
            (("onitama", listen, "--to=8893"), "is not HOST:PORT"),
            (("onitama", listen, "--to=host:99999"), "is not HOST:PORT"),
            (("onitama", "--listen=nowhere", to), "--listen:"),
            (("onitama", listen, to, "--fault=fire"), "--fault: expected cut, join"),
        ):
            self.assertEqual(self.ends(*arguments), 2)
            self.assertIn(words, self.err.getvalue())

    def test_what_a_contest_has_stored(self) -> None:
        """Each connection has a trace of its own; a file that is none is named."""
        path = Path(self.mktemp())
        said = [(1, "client", b"LOG"), (2, "client", b"MAKE_MOVE|a\n")]
        said += [(1, "client", b"IN|ann\n"), (1, "host", b"WAITING|ann\n")]
        lines = [
            json.dumps({"at": at, "connection": number, "from": sender, "bytes": b64encode(data).decode()})
            for at, (number, sender, data) in enumerate(said)
        ]
        path.write_text("\n".join(lines), "utf-8")
        self.assertEqual(self.ends("onitama", "--read", str(path)), 0)
        head, first, second, third = self.out.getvalue().splitlines()
        self.assertEqual(head, f"{path}:")
        self.assertIn("   1.000  client 2 > host MAKE_MOVE|a ", first)
        self.assertIn("BREACH", first)
        self.assertIn("   2.000  ann > host     LOGIN|ann  ", second)
        self.assertIn("   3.000  ann < host     WAITING|ann  ", third)
        self.assertEqual(self.ends("onitama", "--read", str(path), "--format=json"), 0)
        self.assertEqual(len([*map(json.loads, self.out.getvalue().splitlines()[4:])]), 3)
        for bad in ("x", "[1]", '{"at": 1}'):
            path.write_text(bad, "utf-8")
            self.assertEqual(self.ends("onitama", "--read", str(path)), 1)
            self.assertIn(f"gamehost: {path}: ", self.err.getvalue())
        self.assertEqual(self.ends("onitama"), 2)
        self.assertIn("expected --listen and --to, or --read", self.err.getvalue())

    def test_lines_are_printed(self) -> None:
        line = TraceLine("12:00:00.000", "ann", "client", "LOGIN|ann", "logs in as ann")
        printer("text", False)(line)
        printer("json", False)(line)
        text, data = self.out.getvalue().splitlines()
        self.assertTrue(text.endswith("logs in as ann"))
        self.assertTrue(data.startswith('{"at": "12:00:00.000"'))

    def test_the_time_of_day(self) -> None:
        self.assertTrue(re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3}", time_of_day(1.25)))


class PlainTests(SynchronousTestCase):
    def test_secrets(self) -> None:
        reading = PlainReading()
        self.assertEqual(reading.redacted(LogIn("ann", "hunter2")).password, "***")
        entered = Enter("ann")
        self.assertIs(reading.redacted(entered), entered)
        login = Login("ann")
        self.assertIs(reading.redacted(login), login)

    def test_names(self) -> None:
        self.assertEqual(PlainReading().said(Login("ann")).meaning, "Login")
        self.assertEqual(PlainReading().heard(Login("ann")).meaning, "Login")

    def test_refusals(self) -> None:
        self.assertEqual(PlainReading().heard(Sorry("no")).grade, Grade.BREACH)
        self.assertIsNone(PlainReading().heard(Pong(7)).grade)
