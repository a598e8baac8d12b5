"""JSON lines of Eriantys, from both sides."""

import json

from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CodecContract
from gamehost.wires.eriantys import codec as json_codec
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.codec import BRACKETS, LINE_LIMIT, NOT_JSON, BoardCache, JsonCodec, encode, example, parse
from gamehost.wires.framing import BLANK, NOT_UTF8, UndecodableLine, WireError
from tests.kit.wires.eriantys_words import BOARD, BOARD_LINE, LINES

STEPS = m.Malformed(m.ChosenSteps, 'expected a message like {"type":"ChosenSteps","steps":1}')

#: Messages of clients with their arguments as the page spells them; a color may be left out, or null.
EXAMPLES: list[tuple[str, object]] = [
    ('{"type":"Acknowledgement"}', m.Acknowledgement()),
    ('{"type":"Pong"}', m.Pong()),
    ('{"type":"Disconnect"}', m.Disconnect()),
    ('{"type":"LoginMessage","nickname":"ann"}', m.LoginMessage("ann")),
    ('{"type":"RequestGames"}', m.RequestGames()),
    ('{"type":"SetGame","numberOfPlayers":3,"expertMode":true}', m.SetGame(3, True)),
    ('{"type":"JoinAvailableGame","gameId":7}', m.JoinAvailableGame(7)),
    ('{"type":"ChosenTower","tower":"GREY"}', m.ChosenTower(m.Tower.GREY)),
    ('{"type":"ChosenWizard","wizardId":4}', m.ChosenWizard(4)),
    ('{"type":"PlayAssistant","assistant":10}', m.PlayAssistant(10)),
    ('{"type":"ChosenStudent","color":"PINK"}', m.ChosenStudent(m.Color.PINK)),
    ('{"type":"ChosenDestination","destination":0}', m.ChosenDestination(0)),
    ('{"type":"ChosenSteps","steps":5}', m.ChosenSteps(5)),
    ('{"type":"ChosenCloud","cloud":1}', m.ChosenCloud(1)),
    ('{"type":"UseCharacterEffect","character":12}', m.UseCharacterEffect(12)),
]
EXAMPLES += [
    (none, m.ChosenStudent(None)) for none in ('{"type":"ChosenStudent"}', '{"type":"ChosenStudent","color":null}')
]


class JsonCodecTests(CodecContract, PropertyCase):
    spreads = True

    def new_codec(self) -> JsonCodec:
        return JsonCodec(BoardCache())

    read = (
        (b'{"type":"LoginMessage","nickname":"\\u00e4\\"\\n\\\\"}\n', m.LoginMessage('\u00e4"\n\\')),
        (b'{"type":"ChosenSteps","steps":1}\r\n', m.ChosenSteps(1)),
        # The first one has another reading when it comes twice: see below.
        *((line.encode() + b"\n", message) for line, message in EXAMPLES[1:]),
        *((line.encode().replace(b":", b" : ") + b" \n", message) for line, message in EXAMPLES),
        *((b"%b\n" % blank, BLANK) for blank in (b"", b" \r", b"\t")),
    )
    sent = (
        (
            m.ErrorMessage(m.Error.INVALID_INPUT, '\u00e4"\n\\'),
            r'{"type":"ErrorMessage","error":"INVALID_INPUT","detail":"\u00e4\"\n\\"}'.replace("\\u00e4", "\u00e4"),
        ),
        *LINES,
    )
    streams = (
        b'{"type":"LoginMessage","nickname":"ann"}\n{"type":"Acknowledgement"}\n{ "type" : "ChosenCloud", "cloud":0 }\n',
        b'\r\n  \n{"type":"Pong"}\r\n[]\n\xff\xfd\x03{"type":"Ping"}\n{"type":"SetGame"}\n',
        b'{"type":"LoginMessage","nickname":"\xc3\xa9"}\n\xc3(\n{"type":"Pong"}\n',
        b'{"type":"Pong"}\nno\n{"type":"Pong"}\nno\n{"type":"Pong"}\n',
        b'{"type":"Pong"}\n' + b"[" * (BRACKETS + 1) + b'\n{"type":"Pong"}\n',
    )


class UsualLinesTests(PropertyCase):
    """Lines that are not parsed."""

    def test_they_are_what_they_would_be_if_they_were_parsed(self) -> None:
        for line, message in json_codec._USUAL.items():
            self.assertEqual((type(message), parse(line + b" ")), (type(message), message), line)

    def test_acknowledgements_that_come_together_are_one_message(self) -> None:
        line = b'{"type":"Acknowledgement"}\n'
        reader = JsonCodec(BoardCache())
        self.assertEqual([reader.whole(line), reader.whole(line * 3)], [m.Acknowledgement(), m.Acknowledgements(3)])

    def test_they_stand_behind_what_has_begun(self) -> None:
        reader = JsonCodec(BoardCache())
        self.assertEqual(list(reader.feed(b"[")), [])
        self.assertIs(reader.whole(b'{"type":"Pong"}\n'), None)


class ParsingTests(PropertyCase):
    def test_every_message_of_a_client(self) -> None:
        self.assertEqual({type(message) for _, message in EXAMPLES}, set(m.CLIENT_TYPES.values()))

    def test_examples_of_the_error_texts_are_messages(self) -> None:
        for name, kind in m.CLIENT_TYPES.items():
            self.assertIs(type(parse(example(name).encode())), kind)

    def test_not_json(self) -> None:
        for line in (
            b"hello",
            b'{"type":"Pong"',
            b'{"type":"Pong"}{"type":"Pong"}',
            b'{"type":"Pong",}',
            b"'a'",
            b"{",
            b'"',
        ):
            self.assertEqual(parse(line), NOT_JSON, line)

    def test_depth(self) -> None:
        """More brackets than any message has end the connection before a parser sees them; deep nesting is no message."""
        for line in (b"[" * 100_000, b'{"a":' * 65 + b"1" + b"}" * 65, b"[" * 65 + b"]" * 65):
            self.assertRaises(WireError, parse, line)
        deep = b'{"type":"ChosenSteps","steps":' + b"[" * 9 + b"]" * 9 + b"}"
        self.assertEqual(parse(deep), STEPS)
        self.assertIs(type(parse(b"[" * 64 + b"]" * 64)), m.NoMessage)

    def test_numbers(self) -> None:
        """A number is a whole number in JSON's spelling, and nothing that is equal to one."""
        for number in (b"1.0", b"1e0", b"-0", b"-0 ", b"true", b'"1"', b"null", b"[1]", b"-0.0", b"1.5"):
            self.assertEqual(parse(b'{"type":"ChosenSteps","steps":' + number + b"}"), STEPS, number)
        for number in (b"NaN", b"Infinity", b"-Infinity", b"01", b"+1", b"0x1", b"1_0", b"\xd9\xa3"):
            self.assertEqual(parse(b'{"type":"ChosenSteps","steps":' + number + b"}"), NOT_JSON, number)
        for number in (b"1" * 4301, b"-" + b"9" * 9000, b"1e999"):
            self.assertIs(type(parse(b'{"type":"ChosenSteps","steps":' + number + b"}")), m.NoMessage, number)
        self.assertEqual(parse(b'{"type":"ChosenSteps","steps":9223372036854775808}'), m.ChosenSteps(2**63))
        self.assertEqual(parse(b'{"type":"LoginMessage","nickname":"-0"}'), m.LoginMessage("-0"))

    def test_repeated_keys(self) -> None:
        for line in (
            b'{"type":"ChosenSteps","steps":1,"steps":2}',
            rb'{"type":"ChosenSteps","steps":1,"st\u0065ps":1}',
            b'{"steps":1,"steps":1,"type":"ChosenSteps"}',
            b'{"type":"ChosenSteps","steps":{"a":1,"a":2}}',
        ):
            self.assertEqual(parse(line), STEPS, line)
        for line in (b'{"type":"ChosenSteps","type":"ChosenSteps","steps":2}', b'{"type":1,"type":"Pong"}'):
            self.assertEqual(parse(line), m.NoMessage("the key type is repeated"), line)
        for line, reason in (
            (b'{"a":1,"a":2}', "expected"),
            (b'{"type":7,"a":1,"a":2}', "expected"),
            (b'{"type":"Hello","a":1,"a":2}', "unknown type"),
            (b'{"type":"Ping","a":1,"a":2}', "only the server"),
        ):
            message = parse(line)
            assert isinstance(message, m.NoMessage)
            self.assertTrue(message.reason.startswith(reason), message)
        self.assertEqual(parse(rb'{"type":"LoginMessage","nickname":"\":\",\"a\":"}'), m.LoginMessage('":","a":'))

    def test_text_that_is_none(self) -> None:
        """Half a surrogate pair is refused, and is JSON all the same; a NUL is for the names to refuse."""
        for text in (rb"\ud800", rb"a\udc00", rb"\ud83d\u0041"):
            self.assertIs(type(parse(b'{"type":"LoginMessage","nickname":"' + text + b'"}')), m.NoMessage)
        self.assertEqual(parse(rb'{"type":"LoginMessage","nickname":"\u0000"}'), m.LoginMessage("\0"))
        self.assertEqual(parse(rb'{"type":"LoginMessage","nickname":"\ud83d\ude00"}'), m.LoginMessage("\U0001f600"))

    def test_other_encodings(self) -> None:
        pong = '{"type":"Pong"}'
        for line in (pong.encode("utf-16-le"), pong.encode("utf-16-be"), b"\xef\xbb\xbf" + pong.encode()):
            self.assertEqual(parse(line), NOT_JSON)
        for line in (
            b"\xff\xfe" + pong.encode("utf-16-le"),
            b'{"type":"LoginMessage","nickname":"\xe9"}',
            b'"\xc0\xaf"',
            b"\xed\xa0\x80",
        ):
            self.assertEqual(parse(line), NOT_UTF8)

    def test_what_is_no_message(self) -> None:
        for line in (
            b"[]",
            b'"Pong"',
            b"1",
            b"null",
            b"true",
            b"{}",
            b'{"type":null}',
            b'{"type":1}',
            b'{"type":"pong"}',
            b'{"Type":"Pong"}',
        ):
            self.assertIs(type(parse(line)), m.NoMessage, line)
        for line in (b'{"type":"Pong","x":1}', b'{"type":"Pong","detail":null}'):
            self.assertEqual(parse(line), m.Malformed(m.Pong, 'expected a message like {"type":"Pong"}'))
        for line in (
            b'{"type":"ChosenSteps"}',
            b'{"type":"ChosenSteps","moves":1}',
            b'{"type":"ChosenSteps","steps":1,"x":[]}',
        ):
            self.assertEqual(parse(line), STEPS)

    def test_a_key_that_is_spelled_in_another_way(self) -> None:
        for line, came, expected in (
            (b'{"type":"SetGame","number_of_players":2,"expertMode":false}', "number_of_players", "numberOfPlayers"),
            (b'{"type":"SetGame","numberOfPlayers":2,"expert-mode":false}', "expert-mode", "expertMode"),
            (b'{"type":"ChosenWizard","wizardID":1}', "wizardID", "wizardId"),
            (b'{"type":"ChosenStudent","colour":"RED"}', "colour", "color"),
            (b'{"type":"ChosenSteps","steps":1,"Steps":1}', "", ""),
            (b'{"type":"ChosenSteps","Steps":1,"a":1,"b":2,"c":3}', "", ""),
            (b'{"type":"ChosenSteps","steps\\u001b":1}', "", ""),
            (b'{"type":"ChosenSteps","st\\neps":1}', "", ""),
            (b'{"type":"ChosenSteps","' + b"steps" * 20 + b'":1}', "", ""),
        ):
            message = parse(line)
            assert isinstance(message, m.Malformed)
            kind = message.kind.__name__
            named = f"the key {came} is unknown; expected {expected}, in a message like {example(kind)}"
            self.assertEqual(message.reason, named if came else f"expected a message like {example(kind)}")

    def test_messages_of_the_server(self) -> None:
        """Are told as such, whatever stands with them."""
        for name in m.SERVER_TYPES:
            self.assertEqual(parse(f'{{"type":"{name}","x":1}}'.encode()), m.NoMessage(f"only the server says {name}"))

    def test_wrong_types(self) -> None:
        """ "2", 2.0 and true are not 2; "false" is not false; colours are those of the page."""
        for players in ('"2"', "2.0", "true", "null"):
            text = f'{{"type":"SetGame","numberOfPlayers":{players},"expertMode":false}}'
            self.assertIs(type(parse(text.encode())), m.Malformed)
        for line in (
            b'{"type":"SetGame","numberOfPlayers":2,"expertMode":"false"}',
            b'{"type":"SetGame","numberOfPlayers":2,"expertMode":0}',
            b'{"type":"ChosenTower","tower":"PINK"}',
            b'{"type":"ChosenTower","tower":"black"}',
            b'{"type":"ChosenStudent","color":"GREY"}',
            b'{"type":"LoginMessage","nickname":7}',
        ):
            self.assertIs(type(parse(line)), m.Malformed, line)

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=10,
        )
    )
    def test_any_json_is_json(self, value: object) -> None:
        """Whatever Python writes as JSON is not taken for anything else; and no more than it is."""
        line = json.dumps(value).encode()
        if line.count(b"[") + line.count(b"{") <= BRACKETS:
            self.assertIsInstance(parse(line), m.NoMessage | m.Malformed)

    def test_reasons_hold_nothing_of_the_line(self) -> None:
        for line in (
            b'{"type":"evil\\u001b"}',
            b"evil",
            b'{"evil":1}',
            b'{"type":"Pong","evil":1}',
            b'{"type":"ChosenTower","tower":"evil"}',
        ):
            self.assertNotIn("evil", str(parse(line)))


class StreamTests(PropertyCase):
    def test_second_line_that_is_not_json_ends_it(self) -> None:
        codec = JsonCodec(BoardCache())
        self.assertEqual([type(one) for one in codec.feed(b"x\n[]\n[]\n")], [UndecodableLine, m.NoMessage, m.NoMessage])
        self.assertRaises(WireError, list, codec.feed(b"\xc3(\n"))

    def test_line_limit(self) -> None:
        longest = b'{"type":"Pong"}' + b" " * (LINE_LIMIT - 15)
        self.assertEqual(list(JsonCodec(BoardCache()).feed(longest + b"\r\n")), [m.Pong()])
        self.assertRaises(WireError, list, JsonCodec(BoardCache()).feed(longest + b" \n"))


class EncodingTests(PropertyCase):
    def test_every_message_of_the_server(self) -> None:
        """As the wire's page prints them, keys in the document's order, is among those above."""
        self.assertEqual({type(message) for message, _ in LINES}, set(m.SERVER_TYPES.values()))

    def test_strict_leaves_extension_keys_out(self) -> None:
        for message, line in (
            (m.ErrorMessage(m.Error.WRONG_TURN), '{"type":"ErrorMessage","error":"WRONG_TURN"}'),
            (m.WhereToMove(), '{"type":"WhereToMove"}'),
            (m.SelectCloud(), '{"type":"SelectCloud"}'),
            (m.MatchStarted(("ann",)), '{"type":"MatchStarted","players":["ann"]}'),
        ):
            self.assertEqual(encode(message), line.encode() + b"\n")

    def test_a_board_for_many_is_encoded_once(self) -> None:
        """Every codec of a listener writes the same bytes; another board is another."""
        press = BoardCache()
        one, other = JsonCodec(press), JsonCodec(press)
        self.assertIs(one.encode(BOARD), other.encode(BOARD))
        self.assertEqual(one.encode(BOARD), BOARD_LINE.encode() + b"\n")
        changed = m.UpdateBoard((), BOARD.dashboard)
        self.assertIn(b'"players":[]', one.encode(changed))
        self.assertEqual(other.encode(BOARD), BOARD_LINE.encode() + b"\n")
