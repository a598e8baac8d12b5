"""The open wire's messages: their form, the codecs of both sides, the published schema and the page."""

import json
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.onitama.master import Moved
from gamehost.games.onitama.rules import Card, Move
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import ClientCodecContract, CodecContract
from gamehost.wires.framing import BLANK, NOT_UTF8, WireError
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import EXAMPLES, HELP, LINE_LIMIT, NOT_JSON, OpenClientCodec, OpenCodec, parse
from gamehost.wires.open.schema import published, schema
from gamehost.wires.open.values import LARGEST
from gamehost.wires.open.websocket import SocketCodec
from gamehost.wires.seeking import PLAYED
from tests.kit.drawn_messages import drawn
from tests.kit.sources import ROOT
from tests.kit.wires.open import OpenCase

MESSAGES = {played.game.name: played.messages for played in PLAYED}
TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
WHOLE = st.integers(0, LARGEST)
VIEW = st.dictionaries(st.sampled_from(("board", "turn")), st.one_of(st.none(), WHOLE, TEXT), max_size=2)
GIVEN: Mapping[Any, st.SearchStrategy[Any]] = {str: TEXT, int: WHOLE, float: st.just(0.5), Any: VIEW}
SAID = drawn(
    m.ClientMessage.__subclasses__(),
    {
        **GIVEN,
        "Seek.settings": st.dictionaries(TEXT, st.one_of(TEXT, st.booleans(), WHOLE, st.just(2.5)), max_size=2),
        "Act.table": st.integers(-1, LARGEST + 1),
    },
)
TOLD = drawn(m.ServerMessage.__subclasses__(), GIVEN)


class CodecTests(CodecContract, PropertyCase):
    spreads = True

    def new_codec(self) -> OpenCodec:
        return OpenCodec()

    read = (
        ('{"do":"enter","name":"Zden\u011bk"}\n'.encode(), m.Enter("Zden\u011bk")),
        (b' { "name" : "\\u0041\\"", "do":"enter" } \r\n', m.Enter('A"')),
        (b'{"do":"log-in","name":"ann","password":"x y"}\n', m.LogIn("ann", "x y")),
        (b'{"do":"log-ins"}\n', m.AskLogIns()),
        (b'{"do":"log-out","id":"a1"}\n', m.LogOut("a1")),
        (b'{"do":"password","old":"x","new":"y"}\n', m.ChangePassword("x", "y")),
        (b'{"do":"notices"}\n', m.SetNotices()),
        (b'{"do":"notices","by":"mail","set":{}}\n', m.SetNotices("mail", {})),
        (b'{"do":"lobby"}\n', m.Lobby()),
        (b'{"do":"seek","game":"x","settings":{"a":1,"b":true}}\n', m.Seek("x", settings={"a": 1, "b": True})),
        (b'{"do":"stop"}\n', m.Stop()),
        (b'{"do":"house","level":"hard"}\n', m.House("hard")),
        (b'{"do":"join","table":3,"code":"K7"}\n', m.Join(3, "K7")),
        (b'{"do":"rematch"}\n', m.AskRematch()),
        (b'{"do":"invitation","table":3,"code":"K7"}\n', m.AskInvitation(3, "K7")),
        (b'{"do":"watch","table":3,"on":false}\n', m.Watch(3, False)),
        (b'{"do":"history","table":3,"until":2}\n', m.AskHistory(3, 2)),
        (b'{"do":"ladder","game":"onitama"}\n', m.AskLadder("onitama")),
        (b'{"do":"study","table":3}\n', m.AskStudy(3)),
        (b'{"do":"mine","on":false}\n', m.AskMine(False)),
        (b'{"do":"seen","table":3}\n', m.MarkSeen(3)),
        (b'{"do":"holiday","days":7}\n', m.TakeHoliday(7)),
        (b'{"do":"keep","game":"stratego","text":"\xc5\xbd","id":1}\n', m.Keep("stratego", text="\u017d", id=1)),
        (b'{"do":"keep","table":3}\n', m.Keep(table=3)),
        (b'{"do":"draw","table":3,"step":"offer"}\n', m.Draw(3, "offer")),
        (b'{"do":"takeback","table":3,"step":"accept","id":1}\n', m.Takeback(3, "accept", 1)),
        (b'{"do":"claim","table":3,"as":"house","level":"hard","id":1}\n', m.Claim(3, "house", "hard", 1)),
        (b'{"do":"say","phrase":"hello"}\n', m.Say("hello")),
        (b'{"do":"act","table":3,"action":"A4-A5","id":9007199254740991}\n', m.Act(3, "A4-A5", LARGEST)),
        (b'{"do":"moves","table":3,"begun":"0,0","id":1}\n', m.AskMoves(3, "0,0", 1)),
        (b'{"do":"leave"}\n', m.Leave()),
        (b'{"do":"leave","table":3}\n', m.Leave(3)),
        (b'{"do":"sit","table":3}\n', m.Sit(3)),
        (b'{"do":"rise","table":3}\n', m.Rise(3)),
        (b'{"do":"ping","id":0}\n', m.Ping(0)),
        (b"\n", BLANK),
        (b" \t\n", BLANK),
        (b"HELP\n", HELP),
    )
    sent = (
        (m.Sorry('a "quoted" <word>'), '{"is":"sorry","why":"a \\"quoted\\" <word>"}'),
        (m.Entered("Zden\u011bk"), '{"is":"entered","name":"Zden\u011bk"}'),
        (m.Refused("no", 7), '{"is":"refused","why":"no","id":7}'),
        (
            m.Over(3, 12, [0], "rules", "master taken"),
            '{"is":"over","table":3,"n":12,"winners":[0],"cause":"rules","why":"master taken"}',
        ),
        (m.Sorry("\x1b[2J\n\x7f"), '{"is":"sorry","why":"\\u001b[2J\\n\x7f"}'),
    )
    streams = (
        b'{"do":"enter","name":"ann"}\n{"do":"seek","game":"onitama"}\n{"do":"leave"}\n',
        b'{"do":"enter" , "name":"ann"}\r\n\r\n\n[]\n{"is":"over"}\nnot json\n{"do":"ping"}\n{"do":\n{"do":"ping"}\n',
        b'{"do":"enter","name":"\xc3\xa9"}\n\xc3(\n{"do":"ping"}\n',
        b'{"do":"ping"}\n' + b" " * (LINE_LIMIT - 13) + b'{"do":"ping"}\n' + b"x" * (LINE_LIMIT + 1) + b"\n",
    )

    def test_every_message_has_an_example_and_a_reading(self) -> None:
        """The examples of the error messages are messages, and all types are among those above."""
        self.assertEqual({type(parse(text.encode())) for text in EXAMPLES.values()}, set(SAID))
        self.assertEqual({type(message) for _, message in self.read} & set(SAID), set(SAID))

    def test_what_is_no_message_is_answered_with_what_was_expected(self) -> None:
        """It is well-formed, so the connection goes on. Nothing of the line is repeated."""
        for text, words in (
            ('{"do":"enter","name":"canary","canary":1}', EXAMPLES["enter"]),
            ('{"do":"seek","game":"x","seat":"canary"}', EXAMPLES["seek"]),
            ('{"do":"seek","game":"x","settings":{"canary":[]}}', EXAMPLES["seek"]),
            *(
                (f'{{"do":"act","table":{wrong},"action":"canary"}}', EXAMPLES["act"])
                for wrong in ("1.5", "-1", "9007199254740992")
            ),
            ('{"do":"enter","name":1}', EXAMPLES["enter"]),
            ('{"do":"over"}', "enter, log-in"),
            ('{"do":"canary"}', "enter, log-in"),
            ('{"do":7}', "enter, log-in"),
            ('{"is":"pong"}', "enter, log-in"),
            ('{"do":"ping","id":1e999}', "enter, log-in"),
            ('"canary"', "one JSON object"),
            ("[]", "one JSON object"),
        ):
            message = parse(text.encode())
            assert isinstance(message, m.Malformed), text
            self.assertIn(words, message.reason)
            self.assertNotIn("canary", message.reason)

    def test_what_is_not_json(self) -> None:
        for data in (
            b"{",
            b"{}x",
            b'{"x":' + b"[" * 4000,
            b"[" * 2000 + b"]" * 2000,
            b'{"do":"\\ud800"}',
        ):
            self.assertIs(parse(data), NOT_JSON, data[:20])
        self.assertIs(parse(b'{"do":"enter","name":"\xff"}'), NOT_UTF8)

    def test_the_second_line_that_is_not_json(self) -> None:
        codec = OpenCodec()
        self.assertEqual(list(codec.feed(b'x\n{"do":"ping"}\n')), [NOT_JSON, m.Ping()])
        self.assertRaises(WireError, list, codec.feed(b"y\n"))
        self.assertRaises(WireError, list, OpenCodec().feed(b"<message>\n"))


class ToldTests(OpenCase):
    def test_an_event_is_encoded_once(self) -> None:
        event = m.Event(1, 2, {})
        for codec in (OpenCodec, SocketCodec):
            self.assertIs(codec().encode(event), codec().encode(event))
            self.assertNotEqual(codec().encode(event), codec().encode(m.Event(1, 3, {})))

    def test_an_event_that_comes_again(self) -> None:
        """A master may give the same object again: it is told with its table, and with the number of its entry."""
        ann, _, _ = self.matched(self.host())
        protocol: Any = ann.protocol
        conversation, event = protocol.conversation, Moved(Seat(0), Move(Card("ox"), 2, 7))
        for table, n in ((1, 1), (1, 2), (2, 2)):
            conversation.handle = SimpleNamespace(table=table, n=n, clocks=None, due=None)
            conversation.deliver(event)
            self.assertEqual([(one["is"], one["table"], one["n"]) for one in self.told(ann)], [("event", table, n)])


class ClientCodecTests(ClientCodecContract, PropertyCase):
    server_messages = TOLD
    client_messages = SAID

    def new_codec(self) -> OpenCodec:
        return OpenCodec()

    def new_client_codec(self) -> OpenClientCodec:
        return OpenClientCodec()

    def test_what_a_client_cannot_say(self) -> None:
        self.assertRaises(WireError, self.new_client_codec().encode, m.Enter("\ud800"))

    def test_what_is_not_known_is_ignored(self) -> None:
        """A later host may say more."""
        lines = b'{"is":"weather","sun":true}\n \n{"more":1,"is":"gone","table":3}\n'
        self.assertEqual(list(self.new_client_codec().feed(lines)), [m.Gone(3)])

    def test_errors(self) -> None:
        kind = 'expected a JSON object with "is" and the name of a message of the host'
        for data, words in (
            (b"hello\n", "a line that is not JSON"),
            (b"\xff\n", "a line that is not JSON"),
            (b"[" * 100_000 + b"\n", "a line that is not JSON"),
            (b'{"is":"gone","table":"3"\n', "a line that is not JSON"),
            (b"[]\n", kind),
            (b"{}\n", kind),
            (b'{"is":[]}\n', kind),
            (b'{"do":"ping"}\n', kind),
            (b'{"is":"gone"}\n', "gone has a missing key or a wrong value"),
            (b'{"is":"pong","id":"x"}\n', "pong has a missing key or a wrong value"),
        ):
            error = self.assertRaises(WireError, list, self.new_client_codec().feed(data))
            self.assertEqual(str(error), words)


class MessagesTests(SynchronousTestCase):
    def test_secrets_are_not_shown(self) -> None:
        ways = (m.SetNotices("mail", {"code": "canary"}), m.NoticeWays({"mail": {"address": "canary"}}))
        texts = m.Keep(text="canary"), m.Kept(text="canary")
        for message in (m.Enter("ann", "canary"), m.LogIn("ann", "canary"), m.Entered("ann", "canary"), *ways, *texts):
            self.assertNotIn("canary", repr(message))


PAGE = ROOT / "docs" / "wires" / "open.rst"


class SchemaTests(SynchronousTestCase):
    def test_the_schema_is_current(self) -> None:
        text = (ROOT / "docs" / "wires" / "open.schema.json").read_text("utf-8")
        self.assertEqual(text, published(MESSAGES))

    def test_every_reference_leads_somewhere(self) -> None:
        """And every definition is used, so nothing is left of messages that are gone."""
        whole = schema(MESSAGES)
        found = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(whole)))
        self.assertEqual(found, set(whole["$defs"]))

    def test_clients_messages_are_closed(self) -> None:
        """Unknown keys of a client are refused; those of the host may come in a later version."""
        definitions: dict[str, Any] = schema(MESSAGES)["$defs"]
        for kind in m.ClientMessage.__subclasses__():
            self.assertIs(definitions[kind.__name__]["additionalProperties"], False)
        for told in m.ServerMessage.__subclasses__():
            self.assertNotIn("additionalProperties", definitions[told.__name__])


class PageTests(SynchronousTestCase):
    def test_every_message_is_described(self) -> None:
        page = PAGE.read_text("utf-8")
        for name, example in EXAMPLES.items():
            self.assertIn(f'"do":"{name}"', page)
            if name not in ("act", "watch", "lobby"):
                self.assertIn(f"``{example}``", page)
        for kind in m.ServerMessage.__subclasses__():
            self.assertIn(f"``{kind.__struct_config__.tag}``", page)

    def test_the_settings_are_listed(self) -> None:
        page = PAGE.read_text("utf-8")
        for played in PLAYED:
            for name in played.choices:
                self.assertIn(f"``{name}``", page)
            self.assertIn(f"   * - ``{played.game.name}``\n", page)
